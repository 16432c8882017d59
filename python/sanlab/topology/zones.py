"""Zones that are active at an instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.results.link_states import link_states
from sanlab.topology.joined import Groups
from sanlab.topology.parts import Zone

if TYPE_CHECKING:
    from collections.abc import Iterable


def active_zones(plan: dict[str, Any], at_ps: int) -> tuple[Zone, ...]:
    """Return the active zones of every fabric at an instant, in the order of the plan.

    A fabric goes by its first switch. None without fabric services: then nothing is zoned.
    """
    if plan["services"] is None:
        return ()
    first_of = _first_switches(plan, at_ps)
    newest: dict[tuple[int, int | None], int] = {}
    rows = [row for row in plan["services"]["zones"] if row["at_ps"] <= at_ps]
    for row in rows:
        newest[row["switch"], row["vsan"]] = row["at_ps"]
    return tuple(
        Zone(
            name=row["zone"],
            fabric=plan["switches"][row["switch"]]["name"],
            vsan=row["vsan"],
            zone_set=row["zone_set"],
            is_active=True,
            members=tuple(row["members"]),
        )
        for row in rows
        if row["zone"] is not None
        and first_of[row["switch"]] == row["switch"]
        and newest[row["switch"], row["vsan"]] == row["at_ps"]
    )


def zones_by_member(zones: Iterable[Zone]) -> dict[str, tuple[str, ...]]:
    """Return for each member of zones the names of its zones."""
    found: dict[str, dict[str, None]] = {}
    for zone in zones:
        for member in zone.members:
            found.setdefault(member, {})[zone.name] = None
    return {member: tuple(names) for member, names in found.items()}


def _first_switches(plan: dict[str, Any], at_ps: int) -> list[int]:
    """For each switch the first switch of its fabric: those that working links join."""
    groups: Groups[int] = Groups()
    states = link_states(plan, at_ps + 1)
    for number, link in enumerate(plan["links"]):
        is_isl = link["a"]["kind"] == link["b"]["kind"] == "switch"
        if is_isl and (number not in states or states[number].is_over):
            groups.join(link["a"]["switch"], link["b"]["switch"])
    return [min(groups.members_of(switch)) for switch in range(len(plan["switches"]))]
