"""Rates at the ports of switches: counted between two captures, or shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import ClockFact, Source, TrafficFact
    from sanlab.importers.fabric.graph import Graph
    from sanlab.importers.fabric.nodes import Node

#: Bytes after which a counter of 32 bits of 4-byte words begins anew.
_ROUND = 4 * 2**32
#: Bytes per second of one GFC: its signalling rate without the encoding.
_BYTES_PER_GFC = 106.25e6
#: Speed of a port that no output shows, for the time in which its counter may begin anew.
_FASTEST = 64


@dataclass(frozen=True, slots=True)
class Rate:
    """Bytes per second at a port."""

    sent: float
    received: float
    sources: tuple[Source, ...]
    over: str
    has_directions: bool = True


def port_rates(
    graph: Graph, speeds: dict[tuple[Node, str], int], interval: float | None
) -> dict[tuple[Node, str], Rate]:
    """Return the rate of each port, from two captures if there are, else as an output shows it."""
    found: dict[tuple[Node, str], list[TrafficFact]] = {}
    for fact in graph.facts.traffic:
        node = graph.owners[fact.switch]
        name = graph.table.places.get((node, fact.port), fact.port)
        found.setdefault((node, name), []).append(fact)
    rates: dict[tuple[Node, str], Rate] = {}
    for place, facts in found.items():
        shown = [fact for fact in facts if fact.over]
        rate = None
        for counts in _of_one_counter(facts):
            if rate is None and len(counts) > 1:
                rate = _difference(graph, place, counts, (speeds.get(place, _FASTEST), interval))
        if rate is None and shown:
            best = max(shown, key=lambda fact: fact.has_directions)
            sources, is_split = (best.source,), best.has_directions
            rate = Rate(best.sent, best.received, sources, best.over, is_split)
        if rate is not None:
            rates[place] = rate
    return rates


def _of_one_counter(facts: list[TrafficFact]) -> list[list[TrafficFact]]:
    """Return what each counter of a port has counted, those of 32 bits last."""
    found: dict[str, list[TrafficFact]] = {}
    for fact in facts:
        if not fact.over:
            found.setdefault(fact.counter, []).append(fact)
    return sorted(found.values(), key=lambda counts: counts[0].is_short)


def _difference(
    graph: Graph,
    place: tuple[Node, str],
    counts: list[TrafficFact],
    given: tuple[int, float | None],
) -> Rate | None:
    """Return what was counted between the first and the last capture of a port."""
    speed, interval = given
    times = {id(fact): _time(graph, fact) for fact in counts}
    if all(time is not None for time in times.values()):
        counts = sorted(counts, key=lambda fact: times[id(fact)] or 0.0)
    first, last = counts[0], counts[-1]
    before, after = times[id(first)], times[id(last)]
    seconds = interval or (after - before if before is not None and after is not None else None)
    name = f"port {place[1]} of '{place[0].name}'"
    if seconds is None:
        text = f"Counters of '{place[0].name}' were captured twice, and no output has the times"
        remedy = "add --interval, or capture 'date' or 'show clock' before each"
        graph.note(f"{text}: {remedy}", first.source, last.source)
        return None
    if seconds <= 0:
        graph.note(f"Counters of {name} were captured twice at one time", first.source, last.source)
        return None
    is_short = first.is_short and last.is_short
    if is_short and seconds * speed * _BYTES_PER_GFC > _ROUND:
        text = f"Counters of 32 bits of {name} may have begun anew within {seconds:g} s"
        graph.note(f"{text}; capture portstats64show", first.source, last.source)
        return None
    sent, received = last.sent - first.sent, last.received - first.received
    if is_short:
        sent, received = sent % _ROUND, received % _ROUND
    if sent < 0 or received < 0:
        text = f"Counters of {name} are lower in the later capture: they were cleared between"
        graph.note(text, first.source, last.source)
        return None
    over = f"{seconds:g} s between two captures"
    return Rate(sent / seconds, received / seconds, (first.source, last.source), over)


def _time(graph: Graph, fact: TrafficFact) -> float | None:
    """Return the time of a capture: its own, else what the switch has shown last before it."""
    if fact.seconds is not None:
        return fact.seconds
    here = [
        clock
        for clock in graph.facts.clocks
        if clock.source.file == fact.source.file and clock.switch == fact.switch
    ]
    if not here:
        return None
    before = [clock for clock in here if clock.source.line < fact.source.line]
    return _nearest(before or here, fact).seconds


def _nearest(clocks: list[ClockFact], fact: TrafficFact) -> ClockFact:
    return min(clocks, key=lambda clock: abs(clock.source.line - fact.source.line))
