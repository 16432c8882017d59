"""Hosts in plans: operating systems, processors, buses, adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.plan.schema import Plan

KIB = 1024


def plan_of(host: str) -> Plan:
    """Return the plan of one host with these keys, a switch and an array."""
    text = f"""
hosts: [{{name: host1, hbas: {{speed: 4GFC}}, {host}}}]
switches: [{{name: sw1, model: sanbox-5602}}]
arrays: [{{name: dev1, model: ramsan-400, luns: [{{name: lun1, size: 1GiB}}]}}]
links: [{{from: [host1, dev1], to: sw1}}]
workloads: [{{name: load, hosts: host1, targets: dev1.lun1}}]
"""
    return compile_plan(parse_scenario(text))


@pytest.mark.parametrize(
    ("host", "max_request", "submission"),
    [
        ("model: generic", 1280 * KIB, "together"),
        ("model: xseries-366-windows", 64 * KIB, "together"),
        ("model: p4dp6-linux24", 64 * KIB, "serial"),
        ("model: p4dp6-linux24, os: linux-2.4", 128 * KIB, "together"),
        ("os: {model: linux-2.4-raw, max_request: 32KiB}", 32 * KIB, "serial"),
        ("os: {submission: serial}", 1280 * KIB, "serial"),
    ],
)
def test_the_system_of_a_host(host: str, max_request: int, submission: str) -> None:
    (made,) = plan_of(host).hosts
    assert (made.max_request_bytes, made.submission) == (max_request, submission)


def test_costs_of_a_command_and_an_interrupt() -> None:
    (made,) = plan_of(
        "cpu: {submit: 3us, complete: 2us, per_command: 5us, per_interrupt: 1us}"
    ).hosts
    costs = (made.cpu_submit_ps, made.cpu_complete_ps, made.cpu_command_ps, made.cpu_interrupt_ps)
    assert costs == (3_000_000, 2_000_000, 5_000_000, 1_000_000)


def test_adapters_share_a_bus_or_have_their_own() -> None:
    text = """
hosts:
  - name: host1
    buses: [{name: pci0, model: pci-x-133, burst: 1KiB}]
    hbas:
      - {name: "hba[0..1]", model: qla2462, bus: pci0}
      - {name: hba2, model: qla2462, bus: pci-x-266}
      - {name: hba3, model: qla2462}
switches: [{name: sw1, model: sanbox-5602}]
arrays: [{name: dev1, model: ramsan-400, luns: [{name: lun1, size: 1GiB}]}]
links: [{from: ["host1.hba[0..3].p0", dev1], to: sw1}]
workloads: [{name: load, hosts: host1, targets: dev1.lun1}]
"""
    (host,) = compile_plan(parse_scenario(text)).hosts
    assert [bus.name for bus in host.buses] == ["host1.pci0", "host1.hba2-bus"]
    assert [adapter.bus for adapter in host.adapters] == [0, 0, 1, None]
    shared, own = host.buses
    assert (shared.burst_bytes, shared.bytes_per_s, shared.full_duplex) == (
        1024,
        1_066_000_000,
        False,
    )
    assert own.bytes_per_s == 2_133_000_000
    assert [adapter.transfer_ps for adapter in host.adapters] == [180_000] * 4


@pytest.mark.parametrize(
    ("hba", "engines"),
    [
        ("model: qla2462", ["host1.hba0.p0", "host1.hba0.p1"]),
        ("model: qla2462, engine: card", ["host1.hba0"]),
    ],
)
def test_ports_have_engines_of_their_own_or_one_together(hba: str, engines: list[str]) -> None:
    text = f"""
hosts: [{{name: host1, hbas: {{{hba}, data_rate: 800MB/s, turnaround: 2us}}}}]
switches: [{{name: sw1, model: sanbox-5602}}]
arrays: [{{name: dev1, model: ramsan-400, luns: [{{name: lun1, size: 1GiB}}]}}]
links: [{{from: ["host1.hba0.p[0..1]", dev1], to: sw1}}]
workloads: [{{name: load, hosts: host1, targets: dev1.lun1}}]
"""
    (host,) = compile_plan(parse_scenario(text)).hosts
    assert [engine.name for engine in host.engines] == engines
    assert [adapter.engine for adapter in host.adapters] == [0, len(engines) - 1]
    (engine, *_) = host.engines
    assert (engine.bytes_per_s, engine.turnaround_ps) == (800_000_000, 2_000_000)
