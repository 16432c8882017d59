"""Links: ports, speeds, credit, costs, and who reaches whom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from sanlab.plan.compile import compile_plan
from sanlab.plan.explain import credit_to_fill, end_name, notes
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.plan.schema import Plan

DOCS = Path(__file__).parents[2] / "docs"
BASE = """\
hosts:
  - {name: "host[1..2]", hbas: {ports: 2}}
switches:
  - {name: "sw[1..2]", ports: 8}
arrays:
  - name: dev1
    luns: [{name: "lun[1..4]"}]
workloads:
  - {name: load, hosts: host*, targets: dev1.lun*, spread: all}
links:
"""
ENDS = '  - {from: "dev1.p[0..1]", to: sw2}\n'


def plan_of(links: str, **overrides: str) -> Plan:
    return compile_plan(parse_scenario(BASE + links, "wiring.yaml", overrides))


def ends_of(plan: Plan) -> list[tuple[str, str]]:
    return [(end_name(plan, link.a, link.b), end_name(plan, link.b, link.a)) for link in plan.links]


def test_ports_are_taken_in_order_and_named_ones_first() -> None:
    links = "  - {from: host*, to: sw1}\n  - {from: sw1.0, to: sw2.7}\n" + ENDS
    assert ends_of(plan_of(links)) == [
        ("host1.hba0.p0", "sw1.f1"),
        ("host2.hba0.p0", "sw1.f2"),
        ("sw1.e0", "sw2.e7"),
        ("dev1.p0", "sw2.f0"),
        ("dev1.p1", "sw2.f1"),
    ]


def test_counts_hbas_and_groups() -> None:
    links = (
        "  - {from: host1, to: sw1, count: 2}\n"
        "  - {from: host2.hba0.p1, to: sw1}\n"
        "  - {from: sw1, to: sw2, count: 3}\n" + ENDS
    )
    ends = ends_of(plan_of(links))
    assert [a for a, _ in ends[:3]] == ["host1.hba0.p0", "host1.hba0.p1", "host2.hba0.p1"]
    assert ends[3:6] == [("sw1.e3", "sw2.e0"), ("sw1.e4", "sw2.e1"), ("sw1.e5", "sw2.e2")]


def test_ports_without_a_link_take_no_part() -> None:
    links = "  - {from: host*, to: sw2}\n" + ENDS
    plan = plan_of(links)
    assert [port.name for port in plan.n_ports] == [
        "host1.hba0.p0",
        "host2.hba0.p0",
        "dev1.p0",
        "dev1.p1",
    ]
    assert [len(host.adapters) for host in plan.hosts] == [1, 1]


def test_addresses() -> None:
    plan = plan_of("  - {from: host*, to: sw2}\n" + ENDS)
    assert [port.fc_id for port in plan.n_ports] == [0x020000, 0x020100, 0x020200, 0x020300]
    assert len({port.wwpn for port in plan.n_ports}) == 4
    assert {port.wwpn >> 60 for port in plan.n_ports} == {3}


def test_a_new_port_moves_no_name() -> None:
    before = plan_of("  - {from: host1, to: sw2}\n  - {from: host2, to: sw2}\n" + ENDS)
    after = plan_of("  - {from: host1, to: sw2, count: 2}\n  - {from: host2, to: sw2}\n" + ENDS)
    names = {port.name: port.wwpn for port in after.n_ports}
    assert all(names[port.name] == port.wwpn for port in before.n_ports)


def test_credit_each_way() -> None:
    links = (
        "  - {from: host1, to: sw1, bb_credit: 5}\n"
        "  - {from: host2, to: sw1, bb_credit_to: 7}\n"
        "  - {from: sw1, to: sw2, bb_credit_from: 3}\n" + ENDS
    )
    plan = plan_of(links)
    granted = [(link.credit_a_to_b, link.credit_b_to_a) for link in plan.links[:3]]
    assert granted == [(5, 5), (7, 16), (8, 3)]


@pytest.mark.parametrize(
    ("speed", "cost"),
    [("1GFC", 1000), ("2GFC", 500), ("4GFC", 250), ("8GFC", 125), ("16GFC", 76), ("32GFC", 38)],
)
def test_fspf_cost_follows_the_signalling_rate(speed: str, cost: int) -> None:
    text = BASE.replace('"sw[1..2]", ports: 8', f'"sw[1..2]", speed: {speed}').replace(
        "ports: 2}", f"speed: {speed}}}"
    )
    text = text.replace("- name: dev1", f"- name: dev1\n    speed: {speed}")
    links = "  - {from: host*, to: sw1}\n  - {from: sw1, to: sw2}\n" + ENDS
    plan = compile_plan(parse_scenario(text + links))
    assert plan.links[2].fspf_cost == cost
    assert {link.speed for link in plan.links} == {speed}


def test_delay_follows_length_and_propagation() -> None:
    links = (
        "  - {from: host*, to: sw1, length: 1m}\n"
        "  - {from: sw1, to: sw2, length: 1786km}\n" + ENDS.replace("}", ", propagation: 4.9us}")
    )
    delays = [link.delay_ps for link in plan_of(links).links]
    assert delays == [5000, 5000, 8_930_000_000, 49_000, 49_000]


def test_speed_is_the_highest_both_have() -> None:
    links = "  - {from: host*, to: sw1}\n  - {from: sw1, to: sw2, speed: 16GFC}\n" + ENDS
    plan = plan_of(links, **{"hosts.host1.hbas.speed": "8GFC", "hosts.host1.hbas.ports": "2"})
    assert [link.speed for link in plan.links[:3]] == ["8GFC", "32GFC", "16GFC"]
    assert plan.links[0].bytes_per_s == 850_000_000


def test_direct_links_need_no_switch() -> None:
    links = "  - {from: host1.hba0.p0, to: dev1.p0}\n  - {from: host2, to: dev1}\n"
    plan = plan_of(links)
    assert [job.targets[0].paths[0].target_n_port for job in plan.jobs] == [2] * 4 + [3] * 4
    assert sorted(port.fc_id for port in plan.n_ports) == [1, 2, 3, 4]


def test_two_fabrics_are_two_paths() -> None:
    links = (
        "  - {from: host*, to: sw1}\n  - {from: host*, to: sw2}\n"
        "  - {from: dev1.p0, to: sw1}\n  - {from: dev1.p1, to: sw2}\n"
    )
    plan = plan_of(links, **{"workloads.load.numjobs": "2"})
    for job in plan.jobs:
        (path,) = job.targets[0].paths
        adapter = plan.hosts[job.host].adapters[path.adapter]
        source = plan.n_ports[adapter.n_port].fc_id >> 16
        assert source == plan.n_ports[path.target_n_port].fc_id >> 16
    assert {job.targets[0].paths[0].adapter for job in plan.jobs} == {0, 1}


def test_a_note_where_credit_does_not_fill_a_link() -> None:
    links = "  - {from: host*, to: sw1}\n  - {from: sw1, to: sw2, length: 50km}\n" + ENDS
    plan = plan_of(links)
    assert any("sw1.e2 to sw2.e0: 8 BB credits" in note for note in notes(plan))
    assert credit_to_fill(plan.links[2], 2112) == 784


def test_the_page_on_credit_tells_what_the_plan_needs() -> None:
    """Whole credits for a round trip of 5 us for each kilometre, and one frame being sent."""
    page = (DOCS / "how-to" / "size-bb-credit.md").read_text(encoding="utf-8")
    rows = re.findall(r"\| (\d+) km \| [^|]+ \| (\d+) \| (\d+) \|", page)
    assert len(rows) == 3
    plan = plan_of("  - {from: host*, to: sw1}\n  - {from: sw1, to: sw2}\n" + ENDS)
    for km, *told in rows:
        changes = {"delay_ps": int(km) * 5_000_000, "bytes_per_s": 850_000_000}
        link = msgspec.structs.replace(plan.links[2], **changes)
        assert [credit_to_fill(link, size) for size in (2048, 1024)] == [int(word) for word in told]
