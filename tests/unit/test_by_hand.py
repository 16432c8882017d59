"""Changes of one cable or zone on the picture leave all others as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sanlab.errors import ScenarioError
from sanlab.plan.boxes import build_boxes
from sanlab.plan.by_hand import CableChange, cable_edits, zone_edits
from sanlab.plan.names import Problems
from sanlab.plan.wiring import wire
from sanlab.scenario.edit import edited
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.plan.wiring import Wiring

TEMPLATE = """\
hosts:
  - name: "host[1..3]"
    hbas: {{ports: 2}}
switches: [{{name: sw1}}, {{name: sw2}}]
arrays: [{{name: dev1, ports: 2, luns: [{{name: lun1}}]}}]
links:
{links}
  - {{from: "dev1.p[0..1]", to: sw2}}  # stays
workloads: [{{name: load, hosts: host1, targets: dev1.lun1}}]
measure: {{duration: 1ms}}
"""
WRITTEN = {
    "group": '  - {from: "host[1..3]", to: sw1}\n  - {from: sw1, to: sw2}',
    "list": "  - {from: [host1, host2, host3], to: sw1}\n  - {from: sw1, to: sw2}",
    "lines": "  - from: [host1, host2]\n    to: sw1\n"
    "  - {from: host3, to: sw1}\n  - {from: sw1, to: sw2}",
    "count": '  - {from: "host[1..3]", to: sw1}\n  - {from: sw1, to: sw2, count: 3}',
    "pairs": '  - {from: "host[1..3]", to: [sw1, sw1, sw2], count: 2}\n  - {from: sw1, to: sw2}',
}


def wired(text: str) -> Wiring:
    scenario = parse_scenario(text)
    problems = Problems(scenario)
    return wire(scenario, build_boxes(scenario, problems), problems)


def cables(text: str) -> list[tuple[str, str, str, int]]:
    """Each cable by its boxes, with its speed and length, in any order."""
    return sorted(
        (link.a[0], link.b[0], link.speed, link.spec.length) for link in wired(text).links
    )


@pytest.mark.parametrize("written", WRITTEN)
def test_each_cable_changes_alone(written: str) -> None:
    text = TEMPLATE.format(links=WRITTEN[written])
    links = wired(text).links
    for number, link in enumerate(links):
        own = (link.a[0], link.b[0], link.speed, link.spec.length)
        others = cables(text)
        others.remove(own)

        def after(number: int = number, **change: Any) -> list[tuple[str, str, str, int]]:  # noqa: ANN401
            result = edited(text, cable_edits(text, CableChange(number, **change)))
            assert "# stays" in result
            return cables(result)

        if link.a[0] != "dev1":
            assert after(is_removed=True) == others
        assert after(values={"speed": "8GFC"}) == sorted([*others, (*own[:2], "8GFC", own[3])])
        assert after(values={"length": "2km"}) == sorted([*others, (*own[:3], 2_000_000)])
        if link.a[0].startswith("host"):
            moved = after(end=".".join(link.b), to="sw2")
            assert moved == sorted([*others, (own[0], "sw2", *own[2:])])


def test_all_cables_of_an_item_change_together() -> None:
    text = TEMPLATE.format(links=WRITTEN["group"])
    change = CableChange(1, {"speed": "8GFC"}, is_whole=True)
    assert [link.speed for link in wired(edited(text, cable_edits(text, change))).links[:4]] == [
        *["8GFC"] * 3,
        wired(text).links[3].speed,
    ]


def test_a_cable_that_is_not_there_is_refused() -> None:
    text = TEMPLATE.format(links=WRITTEN["group"])
    with pytest.raises(ScenarioError, match="not an item"):
        cable_edits(text, CableChange(99))


LISTED = """\
zoning:
  - switches: sw1
    zones: {one: [host1, dev1]}
    sets: {day: [one]}
    active: day
  - switches: sw2
    zones: {two: [host2, dev1]}
    sets: {night: [two]}
    active: night
"""


@pytest.mark.parametrize(
    ("zoning", "members", "lines"),
    [
        ("", ["host1", "dev1"], ["zones: {new: [host1, dev1]}"]),
        (LISTED, ["host1", "dev1"], ["one: [host1, dev1], new: [host1, dev1]", "[one, new]"]),
        (LISTED, ["dev1.p0"], ["two: [host2, dev1], new: [dev1.p0]", "[two, new]"]),
    ],
)
def test_a_zone_is_made_where_its_member_is(
    zoning: str, members: list[str], lines: list[str]
) -> None:
    text = TEMPLATE.format(links=WRITTEN["group"]) + zoning
    after = edited(text, zone_edits(text, "new", members))
    parse_scenario(after)
    assert [line for line in lines if line not in after] == []
