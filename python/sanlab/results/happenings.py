"""Events of a run: faults, failed drives, rebuilds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.quantities import format_rate
from sanlab.quantities import format_time as show_time

if TYPE_CHECKING:
    from sanlab.results.record import Record


@dataclass(frozen=True, slots=True)
class Happening:
    """An event.

    Attributes
    ----------
    at_ps
        When.
    what
        Description.
    """

    at_ps: int
    what: str


def happenings(run: Record) -> list[Happening]:
    """Return all faults and the reactions to them, in order of time."""
    found = _faults(run.plan) + _failures(run.plan) + _policies(run.plan)
    for row in run.rows("rebuilds") if "rebuilds" in run.tables else []:
        if row["is_begun"]:
            found.append(Happening(row["first_ps"], f"rebuild of {row['drive']} begins"))
        if row["is_done"]:
            found.append(Happening(row["last_ps"], f"rebuild of {row['drive']} is done"))
    for row in run.rows("happenings") if "happenings" in run.tables else []:
        found.append(Happening(row["time_ps"], _sentence(row)))
    end = run.manifest.simulated_ps
    return sorted(
        (happening for happening in found if happening.at_ps <= end),
        key=lambda happening: (happening.at_ps, happening.what),
    )


def _sentence(row: dict[str, Any]) -> str:
    because = f": {row['reason']}" if row["reason"] else ""
    return f"{row['place']}: {row['what']}{because}"


def _faults(plan: dict[str, Any]) -> list[Happening]:
    ports, loops = plan["n_ports"], plan["loops"]
    found: list[Happening] = []
    for fault in plan["loop_faults"]:
        loop, action = loops[fault["loop_id"]], fault["action"]
        places = [loop["ports"][place] for place in action.get("places", [])]
        names = [ports[place["n_port"]]["name"] for place in places]
        found.append(Happening(fault["at_ps"], _in_words(action, loop, names)))
    return found


def _policies(plan: dict[str, Any]) -> list[Happening]:
    """Policies that change during the run; both directions of a pair are one."""
    ports = plan["n_ports"]
    found: dict[tuple[int, frozenset[int]], Happening] = {}
    for change in plan["qos"]:
        policy = change["policy"]
        ends = [policy[key] for key in ("n_port", "source", "destination") if key in policy]
        names = " and ".join(ports[end]["name"] for end in ends)
        if policy["kind"] == "priority":
            what = f"{('high', 'medium', 'low')[policy['class_id']]} priority"
        else:
            what = f"limit {_limit_in_words(policy['limit'])}"
        if change["at_ps"] > 0:
            key = change["at_ps"], frozenset(ends)
            found.setdefault(key, Happening(change["at_ps"], f"{names}: {what}"))
    return list(found.values())


def _limit_in_words(limit: dict[str, Any] | None) -> str:
    if limit is None:
        return "lifted"
    if limit["kind"] == "wheel":
        return f"{limit['slots']} of {limit['of']} slots"
    return format_rate(limit["bytes_per_s"])


def _in_words(action: dict[str, Any], loop: dict[str, Any], names: list[str]) -> str:
    kind = action["kind"]
    if kind == "cut":
        return f"{loop['name']} is cut in two: {action['end'] - action['first']} ports go dark"
    if kind == "darken":
        crossbar = loop["medium"]["crossbars"][action["crossbar"]]
        return f"{crossbar} goes dark on {loop['name']}"
    if kind == "stop":
        return f"{loop['name']} stops until {show_time(action['until_ps'])}"
    return f"{', '.join(names)} {'leaves' if kind == 'remove' else 'is back'}"


def _failures(plan: dict[str, Any]) -> list[Happening]:
    found = []
    for array in plan["arrays"]:
        for group in array["groups"]:
            for failing in group["failing"]:
                disk = array["disks"][group["disks"][failing["slot"]]]["name"]
                found.append(Happening(failing["at_ps"], f"{disk} of {group['name']} fails"))
    return found
