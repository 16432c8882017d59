"""Links whose ends accelerate writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sanlab.catalog import UnknownEntryError, entry
from sanlab.plan.defaults import given

if TYPE_CHECKING:
    from sanlab.catalog.entries import AccelerationEntry
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import Problems
    from sanlab.plan.wiring import WiredLink, Wiring
    from sanlab.scenario import Scenario


def accelerate(
    scenario: Scenario, boxes: Boxes, wiring: Wiring, problems: Problems
) -> dict[int, int]:
    """Return the room for accelerated writes of each link that has some, by its number."""
    rooms: dict[int, int] = {}
    paths = {id(link): ("links", index) for index, link in enumerate(scenario.links)}
    for number, link in enumerate(wiring.links):
        spec = link.spec.write_acceleration
        if spec is None:
            continue
        path = (*paths[id(link.spec)], "write_acceleration")
        try:
            model = cast("AccelerationEntry", entry("acceleration", spec.by))
        except UnknownEntryError as error:
            problems.add((*path, "by"), error.reason, error.remedy)
            return {}
        if _are_joined(number, wiring.links, boxes):
            problems.add(
                path,
                f"'{link.a[0]}' and '{link.b[0]}' are joined by other links as well: commands, "
                "data and answers of a write could take different ways",
                "Make the parallel links one with 'trunk: true', or remove 'write_acceleration'",
            )
            return {}
        rooms[number] = given(spec.buffer, model.buffer)
    return rooms


def _are_joined(without: int, links: list[WiredLink], boxes: Boxes) -> bool:
    """Whether other links lead from one end of a link to the other."""
    neighbours: dict[str, list[str]] = {switch.name: [] for switch in boxes.switches}
    for number, link in enumerate(links):
        a, b = link.a[0], link.b[0]
        if number != without and a in neighbours and b in neighbours:
            neighbours[a].append(b)
            neighbours[b].append(a)
    reached: set[str] = set()
    waiting = [links[without].a[0]]
    while waiting:
        at = waiting.pop()
        if at not in reached:
            reached.add(at)
            waiting.extend(neighbours[at])
    return links[without].b[0] in reached
