"""Credit and virtual channels of links between switches, by default those of their models."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sanlab.plan.compile import compile_plan
from sanlab.plan.tables import tables
from sanlab.scenario.load import parse_scenario

TWO_SWITCHES = """
hosts: [{{name: host1, hbas: {{speed: 8GFC}}}}]
switches: [{{name: sw1, {first}}}, {{name: sw2, {second}}}]
arrays: [{{name: dev1, model: generic-8g, ports: 1, luns: [{{name: lun1, size: 10GiB}}]}}]
links:
  - {{from: host1, to: sw1}}
  - {{from: sw1, to: sw2{link}}}
  - {{from: dev1, to: sw2}}
workloads: [{{name: load, hosts: host1, targets: dev1.lun1}}]
measure: {{duration: 1ms}}
"""


def links_of(first: str, second: str, link: str = "") -> list[dict[str, Any]]:
    text = TWO_SWITCHES.format(first=first, second=second, link=link and f", {link}")
    links: list[dict[str, Any]] = json.loads(compile_plan(parse_scenario(text)).to_json())["links"]
    return links


def isl(first: str, second: str, link: str = "") -> tuple[int, int, list[int]]:
    """Credit each way, and that of the virtual channels from the first switch to the second."""
    found = links_of(first, second, link)[1]
    channels = [channel["credit_a_to_b"] for channel in found["virtual_channels"]]
    return found["credit_a_to_b"], found["credit_b_to_a"], channels


BROCADE, CISCO = "model: brocade-6510", "model: mds-9148t"


def test_a_link_between_switches_has_the_credit_and_channels_of_their_models() -> None:
    assert isl(BROCADE, BROCADE) == (20, 20, [5, 5, 5, 5])
    assert isl(CISCO, CISCO) == (485, 485, [])
    host = links_of(BROCADE, BROCADE)[0]
    assert host["credit_a_to_b"] == 8
    assert host["virtual_channels"] == []


@pytest.mark.parametrize(
    ("model", "credit"),
    [("mds-9148", 32), ("mds-9148s", 64), ("mds-9396s", 250), ("mds-9710-64g", 1000)],
)
def test_an_mds_keeps_credit_for_control_traffic_between_switches(model: str, credit: int) -> None:
    """One in eight, at most 15 (Cisco tech note 212530: 8 of 64)."""
    data = credit - min(credit // 8, 15)
    assert isl(f"model: {model}", f"model: {model}") == (data, data, [])


def test_each_switch_grants_its_own_credit_and_channels_need_both() -> None:
    assert isl(BROCADE, CISCO) == (485, 20, [])
    assert isl(BROCADE, "model: brocade-g720") == (20, 20, [5, 5, 5, 5])
    assert isl(BROCADE, "model: generic-16g") == (8, 20, [])


@pytest.mark.parametrize(
    ("switch", "link", "expected"),
    [
        ("bb_credit: 12", "", (12, 12, [3, 3, 3, 3])),
        ("isl_bb_credit: 40", "", (40, 40, [10, 10, 10, 10])),
        ("virtual_channels: 1", "", (20, 20, [20])),
        ("virtual_channels: 2", "", (20, 20, [10, 10])),
        ("", "bb_credit: 100", (100, 100, [])),
        ("", "bb_credit: 100, virtual_channels: 4", (100, 100, [25, 25, 25, 25])),
        ("", "virtual_channels: 2", (20, 20, [10, 10])),
        ("bb_credit: 3", "", (3, 3, [])),
        ("", "count: 2, trunk: true", (40, 40, [10, 10, 10, 10])),
    ],
)
def test_what_the_scenario_writes_goes_first(
    switch: str, link: str, expected: tuple[int, int, list[int]]
) -> None:
    model = f"{BROCADE}, {switch}" if switch else BROCADE
    assert isl(model, model, link) == expected


def test_a_long_distance_link_has_no_channels_by_default() -> None:
    ahead, back, channels = isl(BROCADE, BROCADE, "length: 50km, long_distance: true")
    assert ahead == back > 200
    assert channels == []


def test_the_plan_shows_the_channels() -> None:
    text = TWO_SWITCHES.format(first=BROCADE, second=BROCADE, link="")
    (links,) = (
        one for one in tables(compile_plan(parse_scenario(text)), 10) if one.title == "Links"
    )
    assert [row[4] for row in links.rows] == ["8", "20 in 4 channels", "8"]
