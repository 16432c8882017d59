"""What the outputs cannot tell, as questions to the owner, and what in them does not fit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sanlab.importers.fabric.scenario import CORE_LENGTH, EDGE_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.importers.fabric.graph import Graph
    from sanlab.importers.fabric.scenario import Layout

#: Entries of a list that are written; the rest is counted.
_SHOWN = 200
#: Counters that say that the load was held back while the outputs were taken.
_HELD_BACK = ("without credit", "time-outs", "losses of all credit", "discards")


def questions(layout: Layout, counted: int) -> list[str]:
    """Return the questions, those with the largest effect first; `counted` hosts have rates."""
    return [*_load(layout, counted), *_questions(layout)]


def _load(layout: Layout, counted: int) -> Iterator[str]:
    if counted < len(layout.boxes.hosts):
        who = "Each host" if not counted else "Each host without counters of its ports"
        yield (
            f"What is the load? {who} has 1000 I/Os per second of 8 KiB, 70% reads: a guess. "
            "Measure it on the hosts (iostat, esxtop, vscsiStats)."
        )
    if counted:
        hosts = "1 host has" if counted == 1 else f"{counted} hosts have"
        yield (
            f"How large are the I/Os, and where? {hosts} the bytes per second of the ports, in "
            "I/Os of 8 KiB at random addresses: ports count bytes, and these are averages."
        )


def _questions(layout: Layout) -> Iterator[str]:
    boxes, graph = layout.boxes, layout.graph
    if held := _held_back(graph):
        yield (
            f"Was the load held back when the outputs were taken? {held}. "
            "The demand may be higher than what was measured."
        )
    for array in boxes.arrays:
        maker = f" of {array.vendor}" if array.vendor else ""
        yield (
            f"Which array{maker} is '{array.name}', with what media, cache and controllers? "
            "It is generic flash here."
        )
    unsized = sorted({lun.array.name for lun in layout.luns if not lun.sources})
    if unsized:
        yield (
            f"Which LUNs do the hosts use on {', '.join(unsized[:8])}, and how large are they? "
            "Each host without 'multipath -ll', 'lsscsi -t' or 'esxcli' has one of 500 GiB."
        )
    yield from _lengths(graph)
    yield f"How long are the cables to hosts and arrays? They are {EDGE_LENGTH} here."
    generic = [layout.names[n] for n, model in layout.switch_models.items() if not model.is_told]
    if generic:
        yield f"Which models are the switches {', '.join(generic[:8])}? They are generic here."
    guessed = [box.name for box in boxes.hosts if box.grouped_by]
    if guessed:
        shown = ", ".join(guessed[:8])
        yield f"Are hosts grouped rightly? Names were the clue for {len(guessed)}: {shown}."
    zoned = {part.fabric for part in layout.zones}
    for root in dict.fromkeys(node.root() for node in graph.nodes):
        if root not in zoned:
            name = layout.names[root]
            yield f"What is the zoning of the fabric of '{name}'? Here all see each other."


def _lengths(graph: Graph) -> Iterator[str]:
    unmeasured = sum(1 for cable in graph.cables if not cable.distance)
    if unmeasured:
        yield (
            f"How long are the links between switches? {unmeasured} of {len(graph.cables)} "
            f"have no distance in the outputs and are {CORE_LENGTH} here."
        )
    for cable in graph.cables:
        if cable.distance and cable.distance.guess:
            names = " and ".join(f"'{node.name}'" for node, _ in cable.ends)
            reason = cable.distance.guess.removeprefix("length; ")
            yield f"Is the link between {names} {cable.distance.text} long? A guess: {reason}."


def _held_back(graph: Graph) -> str:
    found: Counter[str] = Counter()
    for counter in graph.facts.counters:
        if any(text in counter.name for text in _HELD_BACK):
            found[f"port {counter.port} of {graph.owners_name(counter.switch)}"] += 1
    names = sorted(found)
    more = f" and {len(names) - 4} more ports" if len(names) > 4 else ""
    return f"{', '.join(names[:4])}{more} counted waits for credit or discards" if names else ""


def listed(title: str, texts: list[str]) -> Iterator[str]:
    """Return the lines of a list in comments."""
    if not texts:
        return
    yield "#"
    yield f"# {title}"
    for number, text in enumerate(texts[:_SHOWN], start=1):
        yield f"# {number}. {text}"
    if len(texts) > _SHOWN:
        yield f"# ... and {len(texts) - _SHOWN} more; --json lists all"
