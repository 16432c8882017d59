"""The services of a fabric: zoning, logins, notices, virtual ports, as frames and as I/O."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties import examples

import sanlab
from sanlab import _native
from sanlab.explain.findings import find
from sanlab.plan.compile import compile_plan
from sanlab.plan.warnings import warnings
from sanlab.report.build import render
from sanlab.results.run import run
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.plan.schema import Plan

needs_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="tshark is not installed (Debian package tshark)"
)

MS = 10**9
SECOND = 10**12

BASE = """\
hosts:
  - {name: "host[1..2]"}
switches:
  - {name: "sw[1..2]"}
arrays:
  - name: dev1
    luns: [{name: "lun[1..2]"}]
links:
  - {from: "host[1..2]", to: sw1}
  - {from: sw1, to: sw2}
  - {from: dev1.p0, to: sw2}
"""
ZONES = """\
zoning:
  aliases: {store: dev1}
  zones: {a: [host1, store], b: [host2, store]}
  sets: {day: [a], night: [a, b]}
  active: day
  activate: [{at: 50ms, set: night}]
"""
WORK = """\
workloads:
  - {name: one, hosts: host1, targets: dev1.lun1}
  - {name: two, hosts: host2, targets: dev1.lun2}
measure: {duration: 300ms}
"""
LONG = WORK.replace("300ms", "1200ms")


def plan_of(text: str) -> Plan:
    return compile_plan(parse_scenario(text, "services.yaml"))


def rows(plan: Plan, table: str) -> list[dict[str, Any]]:
    found = _native.run(plan.to_json())["tables"][table]
    return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]


def test_a_workload_that_is_not_zoned_begins_when_its_zone_is_active() -> None:
    plan = plan_of(BASE + ZONES + LONG)
    assert warnings(plan) == [
        "two: host2.hba0.p0 does not see dev1.p0 until 50ms: no active zone has both"
    ]
    # The application asks again a second after its error.
    one, two = rows(plan, "workloads")
    assert (one["error_count"], two["error_count"]) == (0, 1)
    assert 0 < two["io_count"] < one["io_count"] / 4


def test_zoning_costs_no_bandwidth() -> None:
    zones = ZONES.replace("active: day", "active: night").replace(
        "  activate: [{at: 50ms, set: night}]\n", ""
    )
    bare, zoned = (
        [row["bytes"] for row in rows(plan_of(BASE + text + WORK), "workloads")]
        for text in ("", zones)
    )
    assert bare == zoned


@pytest.mark.parametrize(
    "faults",
    ["", "faults: [{kind: link-down, port: dev1.p0, at: 60ms, until: 90ms}]\n"],
    ids=["whole", "dark"],
)
def test_the_reference_says_the_same_of_logins(faults: str) -> None:
    text = plan_of(BASE + ZONES + faults + "fabric: {logins: true}\n" + WORK).to_json()
    fast, slow = (_native.run(text, reference=of)["summary"]["fingerprint"] for of in (False, True))
    assert fast == slow


def trace(text: str, tmp_path: Path, *fields: str, show: str = "") -> list[list[str]]:
    scenario, out = tmp_path / "services.yaml", tmp_path / "services.pcapng"
    scenario.write_text(text)
    sanlab.trace(scenario, out, ports="host*", force=True)
    wanted = [word for field in fields for word in ("-e", field)]
    done = subprocess.run(
        ["tshark", "-r", str(out), "-T", "fields", *wanted, *(("-Y", show) if show else ())],
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split("\t") for line in done.stdout.splitlines()]


SERVICES = "fc.type == 0x01 || fc.type == 0x20"
LOGIN = ["FLOGI", "PLOGI", "RFT_ID", "RFF_ID", "RSPN_ID", "RSNN_NN", "GID_FT", "SCR"]


@needs_tshark
def test_a_host_logs_in_before_its_first_command(tmp_path: Path) -> None:
    text = BASE + ZONES + "fabric: {logins: true, service_time: 500us}\n" + WORK
    found = trace(text, tmp_path, "frame.interface_name", "_ws.col.Info", "frame.time_epoch")
    one = [(info, float(at)) for name, info, at in found if name == "host1.hba0.p0"]
    expected = [word for verb in [*LOGIN, "PLOGI", "PRLI"] for word in (verb, f"ACC ({verb})")]
    assert [info for info, _ in one[: len(expected)]] == expected
    answered, asked = one[len(expected) - 1][1], one[len(expected)][1]
    assert one[len(expected)][0].startswith("SCSI: Read")
    # Ten requests, each with the time of the service and a way there and back.
    assert 10 * 500e-6 < answered <= asked < 10 * 510e-6


@needs_tshark
def test_an_rscn_makes_a_host_look_for_its_targets(tmp_path: Path) -> None:
    text = BASE + ZONES + "fabric: {logins: true, rscn_delay: 7ms}\n" + WORK
    found = trace(text, tmp_path, "frame.interface_name", "_ws.col.Info", "frame.time_epoch")
    two = [(info, float(at)) for name, info, at in found if name == "host2.hba0.p0"]
    words = [info for info, _ in two if not info.startswith(("SCSI", "FCP"))]
    before = [word for verb in LOGIN for word in (verb, f"ACC ({verb})")]
    before[before.index("ACC (GID_FT)")] = "RJT (GID_FT)"
    after = [
        word for verb in ("RSCN", "GID_FT", "PLOGI", "PRLI") for word in (verb, f"ACC ({verb})")
    ]
    assert words == before + after
    (told_at,) = [at for info, at in two if info == "RSCN"]
    assert told_at == pytest.approx(0.057, abs=1e-4)


CLOSED = ZONES.replace("active: day", "active: night").replace("set: night", "set: day")
#: I/O now and then, for as long as `dev_loss` and an application that asks again take.
RARE = re.sub("(lun[12])}", r"\1, rate_iops: 100}", LONG).replace("1200ms", "1600ms")
PATIENT = BASE.replace('"host[1..2]"}', '"host[1..2]", hbas: {dev_loss: 200ms}}', 1)


def words_of(found: list[list[str]], port: str, since: float) -> list[str]:
    """What a port says and hears of services from an instant on."""
    return [info for name, info, at in found if name == port and float(at) >= since]


@needs_tshark
@pytest.mark.parametrize(
    ("dark", "verbs"),
    [
        # A target that is back is asked whether it is still the same.
        ("port: dev1.p0, at: 50ms, until: 100ms", ["RSCN", "GID_FT", "ADISC"]),
        # dev_loss has passed: the host has given it up, and logs in anew.
        ("port: dev1.p0, at: 50ms, until: 400ms", ["RSCN", "GID_FT", "PLOGI", "PRLI"]),
        # The host's own link: it logs in to the fabric, and the target is asked.
        ("port: host1.hba0.p0, at: 50ms, until: 100ms", [*LOGIN, "ADISC"]),
        # That was out for too long.
        ("port: host1.hba0.p0, at: 50ms, until: 400ms", [*LOGIN, "PLOGI", "PRLI"]),
    ],
)
def test_a_target_that_is_back_is_asked_first(tmp_path: Path, dark: str, verbs: list[str]) -> None:
    text = PATIENT + f"fabric: {{logins: true}}\nfaults: [{{kind: link-down, {dark}}}]\n" + RARE
    fields = "frame.interface_name", "_ws.col.Info", "frame.time_epoch"
    found = trace(text, tmp_path, *fields)
    until = float(dark.rpartition(" ")[2].removesuffix("ms")) / 1e3
    said = words_of(found, "host1.hba0.p0", until)
    expected = [word for verb in verbs for word in (verb, f"ACC ({verb})")]
    assert said[: len(expected)] == expected
    # Only then it goes on.
    assert said[len(expected)].startswith("SCSI: Read")
    assert not any("LOGI" in word or "ADISC" in word for word in said[len(expected) :])


@needs_tshark
def test_a_login_that_was_cut_short_begins_anew(tmp_path: Path) -> None:
    """No port waits for an answer that was lost with the link; work waits for the new login."""
    text = PATIENT + "fabric: {logins: true}\n" + RARE
    text += "faults: [{kind: link-down, port: host1.hba0.p0, at: 3500us, until: 50ms}]\n"
    fields = "frame.interface_name", "_ws.col.Info", "frame.time_epoch"
    said = words_of(trace(text, tmp_path, *fields), "host1.hba0.p0", 0.0035)
    expected = [word for verb in [*LOGIN, "PLOGI", "PRLI"] for word in (verb, f"ACC ({verb})")]
    assert said[: len(expected)] == expected
    assert said[len(expected)].startswith("SCSI: Read")


@needs_tshark
def test_a_host_takes_its_login_back_when_dev_loss_is_over(tmp_path: Path) -> None:
    text = PATIENT + "fabric: {logins: true, rscn_delay: 7ms}\n" + RARE
    text += "faults: [{kind: link-down, port: dev1.p0, at: 50ms}]\n"
    fields = "frame.interface_name", "fc.s_id", "fc.d_id", "fcels.opcode", "frame.time_epoch"
    found = trace(text, tmp_path, *fields, show="fcels.opcode == 0x05")
    ports = [(port, s_id, d_id) for port, s_id, d_id, *_ in found]
    assert ports == [
        ("host1.hba0.p0", "01.00.00", "02.01.00"),
        ("host2.hba0.p0", "01.01.00", "02.01.00"),
    ]
    assert {float(at) for *_, at in found} == {0.257}


@needs_tshark
def test_a_host_logs_out_where_zoning_takes_its_target(tmp_path: Path) -> None:
    text = BASE + CLOSED + "fabric: {logins: true, rscn_delay: 7ms}\n" + RARE
    fields = "frame.interface_name", "_ws.col.Info", "frame.time_epoch"
    found = trace(text, tmp_path, *fields, show=SERVICES)
    assert words_of(found, "host1.hba0.p0", 0.05) == []
    assert words_of(found, "host2.hba0.p0", 0.05) == [
        *("RSCN", "ACC (RSCN)", "GID_FT", "RJT (GID_FT)"),
        "LOGO",
    ]


@needs_tshark
def test_a_logout_names_who_leaves(tmp_path: Path) -> None:
    """And no frame of it, or of ADISC, is malformed."""
    text = PATIENT + "fabric: {logins: true}\nfaults:\n"
    for spell in ("at: 50ms, until: 100ms", "at: 400ms, until: 900ms"):
        text += f"  - {{kind: link-down, port: dev1.p0, {spell}}}\n"
    text += RARE
    names = "fcels.opcode", "fc.crc.status", "_ws.malformed", "_ws.expert.message"
    found = trace(text, tmp_path, *names, show=SERVICES)
    assert {tuple(row[1:]) for row in found} == {("1", "", "")}
    verbs = Counter(int(row[0], 16) for row in found if row[0])
    assert (verbs[0x52], verbs[0x05]) == (2, 2)
    plan = plan_of(text)
    wwpn = {f"{port.wwpn:016x}" for port in plan.n_ports if port.node.startswith("host")}
    for opcode in ("0x52", "0x05"):
        shown = trace(text, tmp_path, "fcels.npname", show=f"fcels.opcode == {opcode}")
        assert {row[0].replace(":", "") for row in shown} == wwpn


@needs_tshark
def test_frames_of_services_are_well_formed(tmp_path: Path) -> None:
    text = BASE + ZONES + "fabric: {logins: true}\n" + WORK
    fields = "fc.crc.status", "_ws.malformed", "_ws.expert.message", "_ws.col.Info"
    found = trace(text, tmp_path, *fields, show=SERVICES)
    assert {tuple(row[:3]) for row in found} == {("1", "", "")}
    assert not any("Unknown" in row[3] for row in found)


@needs_tshark
def test_virtual_ports_log_in_behind_their_parent(tmp_path: Path) -> None:
    """FDISC asks for one more address; the port then registers like any other."""
    text = BASE.replace('"host[1..2]"}', '"host[1..2]", hbas: {npiv: [vm]}}', 1)
    text += ZONES + "fabric: {logins: true}\n" + WORK
    found = trace(text, tmp_path, "frame.interface_name", "fc.s_id", "_ws.col.Info", show=SERVICES)
    one = [(s_id, info) for name, s_id, info in found if name == "host1.hba0.p0"]
    words = [info for _, info in one]
    assert words.index("FDISC") > words.index("ACC (SCR)")
    own = [info for s_id, info in one if s_id == "01.00.01"]
    assert own == [*LOGIN[1:], "PLOGI", "PRLI"]


@needs_tshark
def test_registrations_carry_names_and_addresses(tmp_path: Path) -> None:
    text = BASE + ZONES + "fabric: {logins: true}\n" + WORK
    plan = plan_of(text)
    names = trace(text, tmp_path, "fcdns.req.portid", "fcdns.req.spname", show="fcdns.req.spname")
    assert [tuple(row) for row in sorted(names)] == [
        ("01.00.00", "host1.hba0.p0"),
        ("01.01.00", "host2.hba0.p0"),
    ]
    ports = trace(text, tmp_path, "fc.d_id", "fcdns.rply.portid", show="fcdns.rply.portid")
    (target,) = [port.fc_id for port in plan.n_ports if port.name == "dev1.p0"]
    shown = ".".join(f"{target:06x}"[at : at + 2] for at in (0, 2, 4))
    assert {port for _, port in ports} == {shown}


@needs_tshark
def test_what_follows_a_dark_link_says_so(tmp_path: Path) -> None:
    text = BASE.replace("to: sw1}", "to: sw1, connected: 20ms}", 1) + LONG
    fields = "frame.interface_name", "_ws.expert.message"
    found = trace(text, tmp_path, *fields, show="frame.comment")
    said = "link down at 0.000 ms (NOS, OLS), up at 20.000 ms (LR, LRR, Idle)"
    assert {tuple(row) for row in found} == {(f"host{n}.hba0.p0", said) for n in (1, 2)}


PORTS = ["host1.hba0.p0", "host2.hba0.p0", "host1.hba0.vm", "dev1.p0", "dev1.p1"]


@settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(
        st.sampled_from("abc"), st.lists(st.sampled_from(PORTS), min_size=1, unique=True)
    ),
    st.sampled_from(["none", "all"]),
    st.sampled_from(["{}", "{logins: true}"]),
)
def test_a_pair_without_a_zone_never_exchanges_a_frame(
    zones: dict[str, list[str]], default: str, switches: str
) -> None:
    """With random zones, exactly the ports that share a zone, or the default zone, exchange I/O."""
    text = BASE.replace('"host[1..2]"}', '"host[1..2]", hbas: {npiv: [vm]}}', 1)
    text = text.replace("dev1.p0, to", '"dev1.p[0..1]", to')
    ends = [
        (host, port, target)
        for host, port in (("host1", "hba0.p0"), ("host2", "hba0.p0"), ("host1", "hba0.vm"))
        for target in ("p0", "p1")
    ]
    work = [
        f"  - {{name: w{number}, hosts: {host}, host_port: {port}, targets: dev1.lun1, "
        f"target_port: {target}, rw: randread}}\n"
        for number, (host, port, target) in enumerate(ends)
    ]
    sets = f"  sets: {{day: {json.dumps(list(zones))}}}\n  active: day\n" if zones else ""
    text += f"zoning:\n  zones: {json.dumps(zones)}\n  default: {default}\n{sets}"
    text += f"fabric: {switches}\n"
    text += "workloads:\n" + "".join(work) + "measure: {duration: 60ms}\n"
    plan = plan_of(text)
    served = Counter({row["workload"]: row["io_count"] for row in rows(plan, "workloads")})
    for job in plan.jobs:
        (path,) = job.targets[0].paths
        asks = plan.hosts[job.host].adapters[path.adapter].n_port
        pair = job.initiator if job.initiator is not None else asks, path.target_n_port
        names = [plan.n_ports[end].name for end in pair]
        in_zones = [{zone for zone, of in zones.items() if name in of} for name in names]
        sees = bool(in_zones[0] & in_zones[1]) if any(in_zones) else default == "all"
        assert (served[plan.workloads[job.workload].name] > 0) == sees, names


def test_a_domain_that_moves_loses_targets_bound_by_address() -> None:
    text = BASE.replace('{name: "sw[1..2]"}', "{name: sw1}").replace(
        "arrays:", "  - {name: sw2, new_domain: {at: 50ms, domain: 9}}\narrays:"
    )
    text = text.replace(
        'hosts:\n  - {name: "host[1..2]"}',
        "hosts:\n  - {name: host1}\n  - {name: host2, hbas: {binding: fc_id}}",
    )
    text += "fabric: {build_time: 20ms}\n" + LONG
    told = warnings(plan_of(text))
    assert any("host2.hba0.p0 is bound to an address that is gone" in line for line in told)
    found = {row["initiator"]: row["state"] for row in rows(plan_of(text), "paths")}
    # It waits for its path as long as its driver does.
    assert found == {"host1.hba0.p0": "up", "host2.hba0.p0": "blocked"}


def states(plan: Plan) -> set[tuple[str, str]]:
    assert plan.services is not None
    return {(port.state, port.reason) for port in plan.services.ports}


def test_states_of_ports_and_their_reasons() -> None:
    cases = [
        (
            BASE.replace("name: dev1\n", "name: dev1\n    loop_only: true\n"),
            ("isolated", "the device supports only loops, and the port does not support loops"),
        ),
        (
            BASE.replace('"sw[1..2]"', '"sw[1..2]", port_groups: [{ports: 0, disabled: true}]'),
            ("disabled", "an administrator has disabled sw1 port 0"),
        ),
        (
            BASE.replace("to: sw1}", "to: sw1, optional: true}", 1).replace(
                '"host[1..2]"}', '"host[1..2]", hbas: {speed: 2GFC}}', 1
            ),
            ("speed mismatch", "one end has 1GFC, 2GFC, the other 8GFC, 16GFC, 32GFC"),
        ),
        (
            BASE.replace("to: sw2}", "to: sw2, trunking: false}", 1).replace(
                '{name: "sw[1..2]"}',
                "{name: sw1, port_groups: [{ports: 2, vsan: 10}]}\n"
                "  - {name: sw2, port_groups: [{ports: 0, vsan: 20}]}",
            ),
            ("isolated", "VSAN mismatch: 10 and 20"),
        ),
    ]
    for text, expected in cases:
        assert expected in states(plan_of(text + WORK))


def test_vsans_keep_their_ports_apart() -> None:
    text = BASE.replace(
        '{name: "sw[1..2]"}', "{name: sw1, port_groups: [{ports: 1, vsan: 10}]}\n  - {name: sw2}"
    )
    told = warnings(plan_of(text + WORK))
    assert told == ["two: host2.hba0.p0 does not see dev1.p0: they are in VSANs 10 and 1"]
    found = {row["initiator"]: row["state"] for row in rows(plan_of(text + WORK), "paths")}
    assert found == {"host1.hba0.p0": "up", "host2.hba0.p0": "failed"}


def test_switches_stacked_over_10gfc() -> None:
    """A 5602 has 16 ports of 4GFC and four of 10GFC; a frame from slow to fast is stored first."""
    text = BASE.replace('"sw[1..2]"', '"sw[1..2]", model: sanbox-5602').replace(
        "{from: sw1, to: sw2}", "{from: sw1.16, to: sw2.16}"
    )
    text = text.replace('"host[1..2]"}', '"host[1..2]", hbas: {speed: 4GFC}}', 1).replace(
        "name: dev1\n", "name: dev1\n    speed: 4GFC\n"
    )
    plan = plan_of(text + WORK)
    assert [link.speed for link in plan.links] == ["4GFC", "4GFC", "10GFC", "4GFC"]
    (flow,) = rows(plan, "frames")[:1]
    assert flow["frames_count"] > 0


def test_the_report_has_a_section_on_the_fabric(tmp_path: Path) -> None:
    text = BASE + ZONES + "fabric: {logins: true}\n" + WORK
    made = run(parse_scenario(text, "services.yaml"), folder=tmp_path / "run")
    page = render(made, find(made))
    assert "<h2>Fabric</h2>" in page
    assert "no active zone has both" in page
    assert "Who sees whom" in page


def test_other_paths_of_a_lun_are_looked_at_too() -> None:
    """A host with two ports: the one outside the zone cannot be used, and the other serves."""
    text = BASE.replace('"host[1..2]"}', "host1, hbas: {ports: 2}, multipath: {}}", 1)
    text = text.replace('"host[1..2]", to', '"host1.hba0.p[0..1]", to')
    text += "zoning:\n  zones: {a: [host1.hba0.p1, dev1]}\n  sets: {day: [a]}\n  active: day\n"
    text += WORK.replace("  - {name: two, hosts: host2, targets: dev1.lun2}\n", "")
    plan = plan_of(text)
    found = {row["initiator"]: row["state"] for row in rows(plan, "paths")}
    assert found == {"host1.hba0.p0": "failed", "host1.hba0.p1": "up"}
    (work,) = rows(plan, "workloads")
    assert (work["error_count"], work["io_count"] > 1000) == (0, True)
