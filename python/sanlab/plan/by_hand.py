"""Changes of one cable or one zone on the picture, as edits of the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sanlab.errors import Problem, ScenarioError
from sanlab.plan.boxes import build_boxes
from sanlab.plan.names import Problems
from sanlab.plan.wiring import ends_of, requests_of, wire
from sanlab.scenario.document import read_document
from sanlab.scenario.edit import FILE, plain
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import End
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario import Scenario
    from sanlab.scenario.edit import Edit


@dataclass(frozen=True)
class CableChange:
    """What happens to a cable.

    Attributes
    ----------
    link
        Its number, as a map has it.
    values
        Keys of the link that get another value.
    end, to
        The port that moves, and where it is plugged in then.
    is_removed
        The cable is taken away.
    is_whole
        The values are for all cables of the same item of `links`.
    """

    link: int
    values: dict[str, Any] = field(default_factory=dict)
    end: str | None = None
    to: str | None = None
    is_removed: bool = False
    is_whole: bool = False


@dataclass(frozen=True)
class _Item:
    """The item of `links` that a cable is written in, and its place among the pairs of ends."""

    index: int
    is_last: bool
    written: dict[str, Any]
    pairs: list[tuple[str, str]]
    place: int
    ends: tuple[End, End]


def cable_edits(text: str, change: CableChange) -> list[Edit]:
    """Return the edits for a change of one cable; the others of its item stay as they are.

    Raises
    ------
    ScenarioError
        The scenario has a problem, or no item of `links` makes the cable.
    """
    item = _item(text, change.link)
    path = f"links[{item.index}]"
    if change.is_whole or len(item.pairs) == 1:
        return _of_item(item, path, change)
    left, right = _changed_ends(item, change)
    rest = [pair for place, pair in enumerate(item.pairs) if place != item.place]
    edits = _reduced(item, path, rest)
    if change.is_removed:
        return edits
    kept = {key: value for key, value in item.written.items() if key not in ("from", "to", "count")}
    new = {"from": left, "to": right, **kept, **change.values}
    where = "links" if item.is_last else f"links[{item.index + 1}]"
    return [*edits, ("insert", where, new)]


def zone_edits(text: str, name: str, members: list[str]) -> list[Edit]:
    """Return the edits that make a zone, in the active zone set where there is one.

    With several entries of zoning, it is the one of the switch that the first member with a cable
    is plugged into.
    """
    scenario, boxes, wiring, problems = _wired(text)
    entries = scenario.zoning or []
    switch = _switch_of(members, wiring)
    defined = [
        wiring.switches
        if entry.switches is None
        else ends_of(entry.switches, ("zoning", index, "switches"), boxes, problems)
        for index, entry in enumerate(entries)
    ]
    at = next((index for index, switches in enumerate(defined) if switch in switches), 0)
    is_list = isinstance(plain(read_document(text, FILE)).get("zoning"), list)
    path = f"zoning[{at}]" if is_list else "zoning"
    edits: list[Edit] = [("set", f"{path}.zones.{name}", members)]
    active = entries[at].active if entries else None
    if active in (entries[at].sets if entries else {}):
        edits.append(("insert", f"{path}.sets.{active}", name))
    return edits


def _wired(text: str) -> tuple[Scenario, Boxes, Wiring, Problems]:
    scenario = parse_scenario(text, FILE)
    problems = Problems(scenario)
    boxes = build_boxes(scenario, problems)
    problems.stop_if_any()
    return scenario, boxes, wire(scenario, boxes, problems), problems


def _item(text: str, link: int) -> _Item:
    scenario, boxes, wiring, problems = _wired(text)
    if link >= len(wiring.links):
        reason = "This link is not an item of 'links'"
        raise ScenarioError([Problem(FILE, None, None, "links", reason, "Change it in the text")])
    wired = wiring.links[link]
    same = [number for number, one in enumerate(wiring.links) if one.spec is wired.spec]
    requests = [one for one in requests_of(scenario, boxes, problems) if one.spec is wired.spec]
    index = next(n for n, spec in enumerate(scenario.links) if spec is wired.spec)
    written = plain(read_document(text, FILE))["links"]
    return _Item(
        index=index,
        is_last=index == len(scenario.links) - 1,
        written=written[index] if isinstance(written, list) else written,
        pairs=[(one.left, one.right) for one in requests],
        place=same.index(link),
        ends=(wired.a, wired.b),
    )


def _changed_ends(item: _Item, change: CableChange) -> tuple[str, str]:
    """Return the ends of the cable as they are written then."""
    left, right = item.pairs[item.place]
    if change.end is None or change.to is None:
        return left, right
    return (change.to, right) if change.end == ".".join(item.ends[0]) else (left, change.to)


def _of_item(item: _Item, path: str, change: CableChange) -> list[Edit]:
    if change.is_removed:
        return [("remove", path, None)]
    edits: list[Edit] = [("set", f"{path}.{key}", value) for key, value in change.values.items()]
    left, right = _changed_ends(item, change)
    for key, before, after in zip(
        ("from", "to"), item.pairs[item.place], (left, right), strict=True
    ):
        if before != after:
            edits.append(("set", f"{path}.{key}", after))
    return edits


def _reduced(item: _Item, path: str, rest: list[tuple[str, str]]) -> list[Edit]:
    """Return the edits that leave an item with fewer pairs of ends."""
    edits: list[Edit] = []
    count = item.written.get("count", 1)
    if len(set(item.pairs)) == 1:
        left = count - 1
        return [("set", f"{path}.count", left) if left > 1 else ("remove", f"{path}.count", None)]
    pair = item.pairs[item.place]
    if count > 1:
        # The other cables between the same ends become items of their own.
        kept = {key: value for key, value in item.written.items() if key not in ("from", "to")}
        edits.append(
            ("insert", "links", {"from": pair[0], "to": pair[1], **kept, "count": count - 1})
        )
        rest = [one for one in rest if one != pair]
    pairs = list(dict.fromkeys(rest))
    for key, side in (("from", 0), ("to", 1)):
        names = [one[side] for one in pairs]
        before = [one[side] for one in dict.fromkeys(item.pairs)]
        if len(set(before)) > 1:
            short = list(dict.fromkeys(names)) if len(set(names)) == 1 else names
            edits.append(("set", f"{path}.{key}", short[0] if len(short) == 1 else short))
    return edits


def _switch_of(members: list[str], wiring: Wiring) -> str | None:
    for member in members:
        box, _, port = member.partition(".")
        for label in wiring.linked.get(box, []):
            if port and label != port:
                continue
            found = wiring.switch_port_of((box, label))
            if found is not None:
                return found[0]
        if box in wiring.switches:
            return box
    return None
