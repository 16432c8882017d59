"""Loops at switches: addresses, paths and zones of public devices, and what private ones lack."""

from __future__ import annotations

import pytest

from sanlab.plan.compile import compile_plan
from sanlab.plan.explain import end_names
from sanlab.plan.schema import LoopEnd, Plan, SwitchEnd
from sanlab.scenario.load import parse_scenario

BASE = """
hosts:
  - {name: host1, hbas: [{model: qla2342}]}
  - {name: near, hbas: [{model: qla2342}]}
switches:
  - {name: sw1, model: generic-2g, domain: 7, loop_ports: true}
stacks:
  - {name: jbod, model: rs-1600-jbod, disks: 4, disk: cheetah-10k6}
links:
  - {from: host1, to: sw1.0}
  - {from: sw1.15, to: jbod.a.top}
  - {from: near, to: jbod.a.bottom}
workloads:
  - {name: load, hosts: host1, targets: "jbod.disk*", size: 1MiB}
measure: {duration: 10ms}
"""


def plan_of(old: str = "", new: str = "") -> Plan:
    assert old in BASE
    return compile_plan(parse_scenario(BASE.replace(old, new) if old else BASE, "fl.yaml"))


def test_an_fl_port_has_the_highest_priority_and_a_link_to_its_switch() -> None:
    plan = plan_of()
    loop = plan.loops[0]
    fl_port = loop.ports[0]
    assert (fl_port.n_port, fl_port.al_pa, fl_port.is_fair, fl_port.login_credit) == (
        None,
        0,
        False,
        0,
    )
    link = plan.links[-1]
    assert (link.a, link.b) == (LoopEnd(loop_id=0), SwitchEnd(switch=0, port=15))
    # As many buffers as an F_Port of the switch.
    assert link.credit_a_to_b == fl_port.buffers == 12
    assert "sw1.fl15" in end_names(plan)


def test_public_devices_have_addresses_of_the_fabric() -> None:
    plan = plan_of()
    for port in plan.loops[0].ports[1:]:
        assert port.n_port is not None
        assert plan.n_ports[port.n_port].fc_id == 0x07_0F_00 | port.al_pa


def test_private_devices_keep_addresses_of_their_loop() -> None:
    plan = plan_of(
        "disk: cheetah-10k6}\n", "disk: cheetah-10k6, devices: {near.hba0.p0: {public: false}}}\n"
    )
    near = next(number for number, it in enumerate(plan.n_ports) if it.node == "near")
    place = next(port for port in plan.loops[0].ports if port.n_port == near)
    assert not place.is_public
    assert plan.n_ports[near].fc_id == place.al_pa


def test_a_private_host_reads_the_disks_of_its_loop() -> None:
    text = BASE.replace("hosts: host1, targets", "hosts: near, targets")
    text = text.replace("cheetah-10k6}", "cheetah-10k6, target: {public: false}}")
    plan = compile_plan(parse_scenario(text, "fl.yaml"))
    assert len(plan.jobs[0].targets) + len(plan.jobs) > 1


def test_behaviour_of_the_switch_on_the_loop_can_be_changed() -> None:
    plan = plan_of(
        "disk: cheetah-10k6}\n", "disk: cheetah-10k6, devices: {sw1.15: {fair: true, delay: 9}}}\n"
    )
    fl_port = plan.loops[0].ports[0]
    assert fl_port.is_fair
    before = plan_of().loops[0].ports[0].repeat_ps
    assert fl_port.repeat_ps == pytest.approx(before * 1.5, abs=1)


def test_public_devices_are_zoned_and_log_in_at_the_switch() -> None:
    zoning = "zoning: [{zones: {z: [host1, jbod.disk1]}, sets: {s: [z]}, active: s}]\n"
    plan = plan_of(
        "measure: {duration: 10ms}\n",
        f"measure: {{duration: 10ms}}\n{zoning}fabric: {{logins: true}}\n",
    )
    assert plan.services is not None
    names = {number: port.name for number, port in enumerate(plan.n_ports)}
    seen = {names[target] for sight in plan.services.sights for target in sight.targets}
    assert seen == {"jbod.disk1.a"}
    logged_in = {
        names[dialogue.logs_in]
        for dialogue in plan.services.dialogues
        if dialogue.logs_in is not None
    }
    assert {"jbod.disk1.a", "near.hba0.p0", "host1.hba0.p0"} <= logged_in
