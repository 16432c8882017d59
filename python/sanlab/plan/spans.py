"""Instants and spans of time in a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.schema import OutagePlan
from sanlab.quantities import format_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.plan.names import Problems
    from sanlab.scenario.document import Path

#: An instant after every run: the end of a permanent outage, or a manual failback.
NEVER = 2**64 - 1

#: From an instant until another, in picoseconds.
Span = tuple[int, int]


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order; merge those that touch or overlap, and drop empty ones."""
    found: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def outages_of(spans: Iterable[Span]) -> list[OutagePlan]:
    """Return the outages of a link for the plan, in order."""
    return [
        OutagePlan(from_ps=start, until_ps=None if end == NEVER else end)
        for start, end in merged(spans)
    ]


def is_in_time(at: int, event: str, path: Path, problems: Problems) -> bool:
    """Whether an event, such as "The fault is", lies before the end of the run; note it if not."""
    end = problems.scenario.measure.duration
    if end is None or at < end:
        return True
    problems.add(
        path,
        f"{event} at {format_time(at)}, and the run ends at {format_time(end)}",
        "Make 'measure.duration' longer",
    )
    return False
