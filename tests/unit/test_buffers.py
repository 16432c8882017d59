"""Hold times, pools of buffers and the credit of long links: from the scenario to the plan."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from sanlab.errors import ScenarioError
from sanlab.plan.buffers import credit_for_distance
from sanlab.plan.compile import compile_plan
from sanlab.scenario.fabric import LongDistance
from sanlab.scenario.load import load_scenario

if TYPE_CHECKING:
    from pathlib import Path

BASE = """
hosts: [{name: host1}]
switches: [{name: sw1%s}, {name: sw2, buffer_pool: 1000}]
arrays: [{name: dev1, luns: [{name: lun0, size: 1GiB}]}]
links:
  - {from: host1, to: sw1}
  - {from: dev1, to: sw2}
  - {from: sw1, to: sw2, speed: 8GFC%s}
workloads: [{name: load, hosts: host1, targets: dev1.lun0, rw: read, bs: 64k}]
measure: {duration: 100ms}
"""


def plan_of(folder: Path, switch: str = "", isl: str = "") -> dict[str, Any]:
    path = folder / "scenario.yaml"
    path.write_text(textwrap.dedent(BASE) % (switch, isl), encoding="utf-8")
    plan: dict[str, Any] = msgspec.to_builtins(compile_plan(load_scenario(path, {})))
    return plan


def refusal_of(folder: Path, switch: str = "", isl: str = "") -> str:
    with pytest.raises(ScenarioError) as caught:
        plan_of(folder, switch, isl)
    return str(caught.value)


@pytest.mark.parametrize(
    ("speed", "buffers"), [(1, 31), (2, 56), (4, 106), (8, 206), (10, 256), (16, 406)]
)
def test_a_link_of_50_km_needs_what_the_manual_says(speed: int, buffers: int) -> None:
    """Brocade Fabric OS Administrator's Guide: (50 km x Gbps / 2) + 6 reserved buffers."""
    found = credit_for_distance(LongDistance(), 50_000_000, 5_000_000, f"{speed}GFC")
    assert found == buffers


def test_small_frames_need_more() -> None:
    half = LongDistance.model_validate({"frame": 1074, "extra": 0})
    assert credit_for_distance(half, 50_000_000, 5_000_000, "2GFC") == 100


def test_a_long_link_takes_its_credit_from_the_pools_of_both_ends(tmp_path: Path) -> None:
    isl = plan_of(tmp_path, ", buffer_pool: 600", ", length: 50km, long_distance: true")["links"][2]
    assert (isl["credit_a_to_b"], isl["credit_b_to_a"]) == (206, 206)
    short = plan_of(tmp_path, ", buffer_pool: 600", ", length: 50km")["links"][2]
    assert (short["credit_a_to_b"], short["credit_b_to_a"]) == (8, 8)


def test_an_end_without_a_pool_grants_its_own_credit(tmp_path: Path) -> None:
    isl = plan_of(tmp_path, "", ", length: 50km, long_distance: true")["links"][2]
    assert (isl["credit_a_to_b"], isl["credit_b_to_a"]) == (206, 8)


def test_the_pool_of_a_model_is_that_of_the_catalog(tmp_path: Path) -> None:
    # A Brocade 300 has 676 buffers for 24 ports with 8 each: 484 are left, as in its manual.
    model = ", model: brocade-300"
    isl = plan_of(tmp_path, model, ", length: 110km, long_distance: true")["links"][2]
    assert isl["credit_b_to_a"] == 110 * 8 // 2 + 6
    message = refusal_of(tmp_path, model, ", length: 123km, long_distance: true")
    assert "needs 498 buffers at sw1.1. The port has 8 of its own, and 484 are left" in message


def test_a_pool_that_is_exhausted_is_named(tmp_path: Path) -> None:
    # 48 ports with 8 buffers each are reserved: 400 - 384 = 16 are left.
    message = refusal_of(tmp_path, ", buffer_pool: 400", ", length: 50km, long_distance: true")
    assert "links[2].long_distance" in message
    assert "needs 206 buffers at sw1." in message
    assert "16 are left in the pool" in message


def test_ports_of_two_chips_have_two_pools(tmp_path: Path) -> None:
    pool = ", buffer_pool: {frames: 400, ports: 24, reserved: 2}"
    long = ", length: 50km, long_distance: true"
    other = f"{long}}}\n  - {{from: sw1.%s, to: sw2, speed: 8GFC{long}"
    links = plan_of(tmp_path, pool, other % 24)["links"]
    assert [link["credit_b_to_a"] for link in links[2:]] == [206, 206]
    # 400 - 24 x 2 are free, less 6 for the port of the host, less 204 for the first link.
    message = refusal_of(tmp_path, pool, other % 23)
    assert "The port has 2 of its own, and 142 are left in the pool" in message


def test_a_pool_holds_what_it_reserves(tmp_path: Path) -> None:
    message = refusal_of(tmp_path, ", buffer_pool: 100")
    assert "48 ports with 8 reserved buffers each need 384, and the pool has 100" in message


def test_a_long_link_needs_a_pool(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    text = (BASE % ("", ", long_distance: true")).replace(", buffer_pool: 1000", "")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match="Neither end is on a switch with a 'buffer_pool'"):
        compile_plan(load_scenario(path, {}))


def test_a_long_link_has_one_credit(tmp_path: Path) -> None:
    message = refusal_of(tmp_path, "", ", long_distance: true, bb_credit: 100")
    assert "'long_distance' is given together with a BB credit" in message


def holds(plan: dict[str, Any]) -> tuple[int | None, int | None, int | None]:
    switch = plan["switches"][0]
    return switch["edge_hold_ps"], switch["core_hold_ps"], switch["no_credit_drop_ps"]


MS = 10**9


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("", (220 * MS, 500 * MS, None)),
        (", model: generic-4g", (500 * MS, 500 * MS, None)),
        (", model: simsans-switch, speed: 2GFC", (None, None, None)),
        (", hold_time: 300ms", (300 * MS, 300 * MS, None)),
        (", hold_time: {edge: 100ms}", (100 * MS, 500 * MS, None)),
        (", hold_time: {core: none}", (220 * MS, None, None)),
        (", hold_time: none, no_credit_drop: 100ms", (None, None, 100 * MS)),
    ],
)
def test_hold_times_are_those_of_the_model_or_the_scenario(
    tmp_path: Path, keys: str, expected: tuple[int | None, int | None, int | None]
) -> None:
    path = tmp_path / "scenario.yaml"
    text = (BASE % (keys, "")).replace(", speed: 8GFC}", "}")
    if "model" in keys:
        text = text.replace("{name: host1}", "{name: host1, hbas: [{model: generic-2g}]}")
        text = text.replace("{name: sw2,", "{name: sw2, model: generic-2g,")
        text = text.replace("{name: dev1,", "{name: dev1, speed: 2GFC,")
    path.write_text(text, encoding="utf-8")
    assert holds(msgspec.to_builtins(compile_plan(load_scenario(path, {})))) == expected


def test_a_hold_time_is_longer_than_a_frame(tmp_path: Path) -> None:
    assert "hold_time" in refusal_of(tmp_path, ", hold_time: 10us")
