"""Limits, priorities, trunks and virtual channels: from the scenario to the plan."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import msgspec

from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import load_scenario

if TYPE_CHECKING:
    from pathlib import Path

BASE = """
hosts: [{name: "host[1..2]", hbas: [{model: generic-2g}]}]
switches: [{name: sw1, model: shadow-14000}, {name: sw2, model: generic-2g}]
arrays: [{name: dev1, speed: 2GFC, ports: 2, luns: [{name: lun0, size: 1GiB}]}]
links:
  - {from: host1, to: sw1, length: 10m}
  - {from: host2, to: sw2}
  - {from: "dev1.p[0..1]", to: sw1}
  - {from: sw1, to: sw2%s}
workloads: [{name: load, hosts: host1, targets: dev1.lun0, rw: read, bs: 64k}]
measure: {duration: 100ms}
qos: [%s]
"""


def plan_of(folder: Path, isl: str = "", qos: str = "") -> dict[str, Any]:
    path = folder / "scenario.yaml"
    path.write_text(textwrap.dedent(BASE) % (isl, qos), encoding="utf-8")
    plan: dict[str, Any] = msgspec.to_builtins(compile_plan(load_scenario(path, {})))
    return plan


def test_a_trunk_is_one_link_with_the_credit_of_all(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, ", count: 4, trunk: true, length: 100m, skew: 20m")
    trunk = plan["links"][-1]
    assert len(plan["links"]) == 5
    assert trunk["members"] == 4
    # The smaller credit is that of sw2; delay is that of the longest cable.
    assert (trunk["credit_a_to_b"], trunk["credit_b_to_a"]) == (4 * 12, 4 * 16)
    assert trunk["delay_ps"] == 120 * 5_000


def test_virtual_channels_share_the_credit(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, ", virtual_channels: 5")
    channels = plan["links"][-1]["virtual_channels"]
    assert [it["credit_a_to_b"] for it in channels] == [3, 3, 2, 2, 2]
    assert [it["credit_b_to_a"] for it in channels] == [4, 3, 3, 3, 3]
    assert {it["class_id"] for it in channels} == {1}
    # The class of frames without a priority exists on both switches.
    assert all(len(it["classes"]["classes"]) == 3 for it in plan["switches"])
    of_each = plan_of(tmp_path, ", virtual_channels: {high: 1, medium: 2, low: 1}")
    assert [it["class_id"] for it in of_each["links"][-1]["virtual_channels"]] == [0, 1, 1, 2]
    assert [it["weight"] for it in of_each["switches"][0]["classes"]["classes"]] == [60, 30, 10]


def test_a_limit_is_slots_where_there_is_a_wheel(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, qos="{from: host2, to: dev1.p1, limit: 50MB/s}")
    ports = [port["name"] for port in plan["n_ports"]]
    policies = [it["policy"] for it in plan["qos"]]
    found = {(ports[policy["source"]], policy["limit"]["kind"]) for policy in policies}
    # Towards the array its switch has a wheel, towards the host the other one has none.
    assert found == {("host2.hba0.p0", "wheel"), ("dev1.p1", "rate")}


def test_policies_come_in_the_order_of_time(tmp_path: Path) -> None:
    late = "{from: host1, to: dev1.p0, limit: none, at: 50ms}"
    plan = plan_of(tmp_path, qos=f"{late}, {{from: host1, limit: 10MB/s}}")
    assert [it["at_ps"] for it in plan["qos"]] == [0, 5 * 10**10, 5 * 10**10]
    assert [it["policy"]["kind"] for it in plan["qos"]] == ["ingress", "limit", "limit"]


def test_a_box_is_all_its_ports(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, qos="{from: host1, to: dev1, priority: low}")
    assert len(plan["qos"]) == 2 * 2
    assert plan_of(tmp_path)["switches"][0]["classes"] is None
