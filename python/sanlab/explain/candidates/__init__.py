"""Candidates for what limits a workload: each with the share of the response time it explains."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sanlab.explain.candidates import (
    arrays,
    copies,
    faults,
    hosts,
    links,
    loops,
    priority,
    qos,
    stations,
    turns,
    write_through,
)
from sanlab.explain.candidates.case import MATTERS, Candidate, Case
from sanlab.explain.saturation import SATURATED

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MATTERS", "Candidate", "Case", "best", "weight"]

#: Kinds of limits that hold commands back, so that queues in front of them grow.
HOLDING = ("cache_room", "array_limit")
#: The modules that know candidates.
_SOURCES = (
    *(stations, links, turns, loops, priority, qos),
    *(arrays, write_through, copies, hosts, faults),
)


def best(case: Case) -> Candidate | None:
    """Return the candidate that explains most of the response time; None if nothing limits.

    Time in a queue in front belongs to what is busy behind it; only with nothing busy there the
    queue itself is the limit.
    """
    found = list(_all(case))
    behind = [one for one in found if one.is_behind and _matters(case, one)]
    if not behind and case.front >= MATTERS:
        behind = [one for one in found if one.is_behind and (one.utilisation or 0.0) >= SATURATED]
    if behind:
        return _with_cache(case, max(behind, key=weight))
    others = [one for one in found if not one.is_behind]
    return max(others, key=lambda one: one.share, default=None) or _nearly(case)


def _matters(case: Case, one: Candidate) -> bool:
    """Whether a candidate explains enough, with the queue in front of it."""
    if one.kind in HOLDING and case.behind(one.share) >= MATTERS:
        return True
    return one.share >= MATTERS / 2 and one.share + case.front >= MATTERS


def _with_cache(case: Case, one: Candidate) -> Candidate:
    """Add to busy media that no cache takes the writes for them, if that is so."""
    through = write_through.of_case(case) if one.kind in ("disk", "media", "parity") else None
    if through is None or through.reason == "none":
        return one
    detail = f"Writes go to them directly: {through.sentence}. {one.detail}".strip()
    return replace(one, detail=detail, evidence=(*one.evidence, *through.evidence))


def _nearly(case: Case) -> Candidate | None:
    """What holds back a workload with a fixed number of open I/Os most, if nothing is saturated."""
    return stations.nearly(case) if case.is_closed else None


def weight(one: Candidate) -> tuple[bool, float, int, float]:
    """Order of candidates: a rate that is reached, the largest share, the more definite one."""
    definite = {"priority": 3, "qos_limit": 2, "congestion": 1, "bursts": 0}.get(one.kind, 2)
    return one.is_reached, round(one.share, 2), definite, one.utilisation or 0.0


def _all(case: Case) -> Iterator[Candidate]:
    for source in _SOURCES:
        yield from source.find(case)
