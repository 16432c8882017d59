"""Stacks: ports of a loop, their places and addresses, and the hosts that drive disks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sanlab.plan.compile import compile_plan
from sanlab.plan.explain import end_names, stack_names, totals
from sanlab.plan.loops import AL_PAS, WORD_BYTES
from sanlab.plan.schema import SwitchedMedium
from sanlab.plan.tables import tables
from sanlab.quantities import PS_PER_S, SPEEDS
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.plan.schema import LoopPlan, Plan

#: Picoseconds of a word at the speed of the stacks here, and of light along a metre.
WORD_PS = WORD_BYTES * PS_PER_S / SPEEDS["2GFC"]
METRE_PS = 5_000

BASE = """\
hosts:
  - name: server[1..2]
    hbas: [{model: qla2342}, {model: qla2342}]
stacks:
  - name: rack
    model: rs-1600-jbod
    enclosures: 3
    disk: cheetah-10k6
    paths:
      - {enclosures: last, via: [server2.hba0.p0, server2.hba1.p0]}
      - {enclosures: rest, via: [server1.hba0.p0, server1.hba1.p0]}
links:
  - {from: server1.hba0.p0, to: rack.a.top, length: 20m}
  - {from: server2.hba1.p0, to: rack.a.bottom, length: 3m}
  - {from: server2.hba0.p0, to: rack.b.top, length: 20m}
  - {from: server1.hba1.p0, to: rack.b.bottom, length: 3m}
workloads:
  - {name: load, hosts: server*, targets: rack.disk*, spread: paths, iodepth: 1}
measure: {duration: 10ms}
"""


def plan_of(text: str = BASE, /, **overrides: object) -> Plan:
    changes = {path.replace("__", "."): str(value) for path, value in overrides.items()}
    return compile_plan(parse_scenario(text, "stacks.yaml", changes))


def names_on(plan: Plan, loop: int = 0) -> list[str]:
    on_loop = [port.n_port for port in plan.loops[loop].ports if port.n_port is not None]
    return [plan.n_ports[number].name for number in on_loop]


def drivers_of(plan: Plan) -> dict[str, str]:
    """Port of a host that drives each disk, by the disk's name."""
    found = {}
    for job in plan.jobs:
        (target,) = job.targets
        adapter = plan.hosts[job.host].adapters[target.paths[0].adapter]
        lun = plan.arrays[target.array].luns[target.lun].name
        found[lun] = plan.n_ports[adapter.n_port].name
    return found


def round_ps(loop: LoopPlan) -> int:
    return sum(port.delay_ps for port in loop.ports)


def test_a_ring_goes_from_the_top_down() -> None:
    disks = [f"rack.disk{number}.a" for number in range(1, 49)]
    assert names_on(plan_of()) == ["server1.hba0.p0", *disks, "server2.hba1.p0"]


def test_the_round_is_ports_cables_and_retimers() -> None:
    plan = plan_of(stacks__rack__cable="2m")
    ports, enclosures, retimer = 50, 3, 2
    cables_m = 2 * (20 + 3) + 2 * (enclosures - 1) * 2
    expected = (ports * 6 + 2 * enclosures * retimer) * WORD_PS + cables_m * METRE_PS
    assert round_ps(plan.loops[0]) == pytest.approx(expected, abs=2 * ports)


@pytest.mark.parametrize(("key", "words"), [("retimer", 2 * 3), ("bypass", 8)])
def test_what_an_enclosure_adds_to_the_round(key: str, words: int) -> None:
    """Retimers on both ways through three enclosures; eight bays of the last one are empty."""
    none = plan_of(**{"stacks__rack__disks": 40, f"stacks__rack__{key}": 0})
    five = plan_of(**{"stacks__rack__disks": 40, f"stacks__rack__{key}": 5})
    added = round_ps(five.loops[0]) - round_ps(none.loops[0])
    assert added == pytest.approx(5 * words * WORD_PS, abs=100)


def test_the_delay_of_a_kind_of_port_counts_for_each() -> None:
    slow = plan_of(stacks__rack__target__delay=12)
    added = round_ps(slow.loops[0]) - round_ps(plan_of().loops[0])
    assert added == pytest.approx(48 * 6 * WORD_PS, abs=100)


def test_a_stack_that_is_not_full_ends_in_empty_enclosures() -> None:
    plan = plan_of(stacks__rack__disks=20)
    places = [port.crossbar for port in plan.loops[0].ports]
    assert places == [0] + [0] * 16 + [1] * 4 + [2]
    # The cables to the empty enclosure and back are still on the way.
    full = round_ps(plan_of().loops[0]) - round_ps(plan.loops[0])
    assert full == pytest.approx(28 * 6 * WORD_PS, abs=100)


def test_hosts_have_the_highest_priority_and_disks_the_lowest() -> None:
    loop = plan_of().loops[0]
    assert len(AL_PAS) == len(set(AL_PAS)) == 126
    hosts = [loop.ports[0].al_pa, loop.ports[-1].al_pa]
    disks = [port.al_pa for port in loop.ports[1:-1]]
    assert hosts == [0x01, 0x02]
    assert disks == list(reversed(AL_PAS))[:48]
    assert disks[:2] == [0xEF, 0xE8]


def test_hard_addresses_leave_the_others_what_is_free() -> None:
    text = BASE.replace(
        "    enclosures: 3\n", '    enclosures: 3\n    hard_addresses: {2: "EF", 3: "01"}\n'
    )
    for loop in plan_of(text).loops:
        al_pas = [port.al_pa for port in loop.ports]
        assert len(set(al_pas)) == len(al_pas)
        assert al_pas[:4] == [0x02, 0xE8, 0xEF, 0x01]
        assert al_pas[-1] == 0x04


def test_an_address_of_a_link_is_taken() -> None:
    text = BASE.replace("to: rack.a.bottom,", 'to: rack.a.bottom, al_pa: "8f",')
    assert plan_of(text).loops[0].ports[-1].al_pa == 0x8F


def test_addresses_on_the_network_end_in_the_al_pa() -> None:
    plan = plan_of()
    for number, loop in enumerate(plan.loops):
        for port in loop.ports:
            assert port.n_port is not None
            assert plan.n_ports[port.n_port].fc_id == number << 8 | port.al_pa


def test_disks_take_the_ports_of_their_rule_in_turn() -> None:
    drivers = drivers_of(plan_of())
    first = ["server1.hba0.p0", "server1.hba1.p0"]
    assert [drivers[f"rack.disk{number}"] for number in range(1, 33)] == first * 16
    last = ["server2.hba0.p0", "server2.hba1.p0"]
    assert [drivers[f"rack.disk{number}"] for number in range(33, 49)] == last * 8


def test_a_job_uses_the_port_of_its_disk_on_the_loop_of_its_host() -> None:
    plan = plan_of()
    loop_of = {port.n_port: loop.name for loop in plan.loops for port in loop.ports}
    for job in plan.jobs:
        (path,) = job.targets[0].paths
        adapter = plan.hosts[job.host].adapters[path.adapter]
        assert loop_of[adapter.n_port] == loop_of[path.target_n_port]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        (["all", "last"], [0, 0, 0]),
        (["last", "all"], [1, 1, 0]),
        (["rest", "last"], [0, 0, 1]),
        (["2", "all"], [1, 0, 1]),
        (["1..2", "3"], [0, 0, 1]),
        (["2..3", "1..2"], [1, 0, 0]),
    ],
)
def test_the_first_rule_that_names_an_enclosure_is_used(
    spans: list[str], expected: list[int]
) -> None:
    ports = ["server1.hba0.p0", "server2.hba0.p0"]
    rules = [
        f'      - {{enclosures: "{span}", via: {port}}}\n'
        for span, port in zip(spans, ports, strict=True)
    ]
    before, _, after = BASE.partition("    paths:\n")
    text = f"{before}    paths:\n{''.join(rules)}{after[after.index('links:') :]}"
    drivers = drivers_of(plan_of(text))
    assert [drivers[f"rack.disk{16 * it + 1}"] for it in range(3)] == [ports[it] for it in expected]


def test_one_loop_only() -> None:
    links = "links:\n  - {from: server1.hba0.p0, to: rack.a.top}\nworkloads:"
    before, _, after = BASE.partition("    paths:\n")
    _, _, work = after.partition("workloads:")
    paths = "    loops: 1\n    paths: [{via: server1.hba0.p0}]\n"
    plan = plan_of(f"{before}{paths}{links}{work}")
    assert [loop.name for loop in plan.loops] == ["rack.a"]
    assert len(plan.n_ports) == 1 + 48


def test_two_stacks_keep_apart() -> None:
    second = """\
  - name: pile
    model: rs-1600-sbod
    disks: 2
    disk: cheetah-10k6
links:
  - {from: server1.hba2.p0, to: pile.a.top}
"""
    three = "hbas: [{model: qla2342}, {model: qla2342}, {model: qla2342}]"
    text = BASE.replace("hbas: [{model: qla2342}, {model: qla2342}]", three)
    text = text.replace("links:\n", second)
    plan = plan_of(text)
    assert [loop.name for loop in plan.loops] == ["rack.a", "rack.b", "pile.a", "pile.b"]
    assert stack_names(plan) == {"rack", "pile"}
    assert names_on(plan, 2)[1:] == ["pile.disk1.a", "pile.disk2.a"]
    assert names_on(plan, 3) == ["pile.disk1.b", "pile.disk2.b"]


def test_a_switched_stack_has_a_crossbar_in_each_enclosure() -> None:
    plan = plan_of(stacks__rack__model="rs-1600-sbod")
    for loop in plan.loops:
        assert isinstance(loop.medium, SwitchedMedium)
        assert loop.medium.crossbars == ["rack.e1", "rack.e2", "rack.e3"]
        strings = loop.medium.strings
        assert [(it.a, it.b, it.links) for it in strings] == [(0, 1, 2), (1, 2, 2)]
        assert [it.delay_ps for it in strings] == [round(6 * WORD_PS) + METRE_PS] * 2
    on_a = dict(zip(names_on(plan), (port.crossbar for port in plan.loops[0].ports), strict=True))
    assert on_a["server1.hba0.p0"] == on_a["rack.disk16.a"] == 0
    assert on_a["server2.hba1.p0"] == on_a["rack.disk48.a"] == 2


def test_a_stack_counts_as_one_and_its_disks_as_disks() -> None:
    counts = totals(plan_of())
    kinds = ("stacks_count", "loops_count", "disks_count", "arrays_count", "luns_count")
    assert [counts[kind] for kind in kinds] == [1, 2, 48, 0, 0]


def test_a_disk_and_its_lun_have_one_name() -> None:
    (array,) = plan_of().arrays
    assert [disk.name for disk in array.disks] == [lun.name for lun in array.luns]


def test_the_tables_of_a_plan_tell_of_loops() -> None:
    shown = {table.title: table for table in tables(plan_of(), 20)}
    assert "Arrays" not in shown
    assert "LUNs" not in shown
    assert shown["Stacks"].rows[0][:4] == ("rack", "2", "3", "48")
    assert shown["Loops"].rows[0][:5] == ("rack.a", "shared", "2GFC", "50", "2")


def test_every_port_of_a_loop_can_be_captured() -> None:
    plan = plan_of()
    names = end_names(plan)
    assert list(names) == names_on(plan) + names_on(plan, 1)
    assert [2 * link + end for link, end in names.values()] == list(range(100))


def test_a_device_behaves_as_it_says_itself() -> None:
    text = BASE.replace(
        "    enclosures: 3\n",
        "    enclosures: 3\n    initiator: {tenancy: 7}\n"
        "    devices: {disk2: {fair: false}, server1.hba0.p0: {buffers: 99}}\n",
    )
    first, second = plan_of(text).loops
    server, *disks = first.ports
    assert (server.buffers, server.tenancy_frames) == (99, 7)
    assert [disk.is_fair for disk in disks[:3]] == [True, False, True]
    assert not second.ports[2].is_fair
