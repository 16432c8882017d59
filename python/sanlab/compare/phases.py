"""Two runs before, during and after the events of either: what differs, and when."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from sanlab.compare.figures import Figure
from sanlab.compare.parts import figures_in
from sanlab.compare.verdict import decided, judge, lines_of
from sanlab.explain.stalls import stalls
from sanlab.explain.window import bins
from sanlab.results.happenings import happenings
from sanlab.results.throughput import over_time
from sanlab.words import show_time

if TYPE_CHECKING:
    from sanlab.compare.verdict import Line, Verdict
    from sanlab.results.happenings import Happening
    from sanlab.results.record import Record
    from sanlab.results.throughput import Series

#: Fewest bins of a phase.
FEWEST_BINS = 3
#: Bins after the last reaction in which I/Os complete that were held back.
REACTION_BINS = 3
#: Figures of a phase, in their order; the stall is of the phase with the events.
PHASE_METRICS = ("throughput", "iops", "mean", "worst", "errors", "stall")
#: Metrics that decide the verdict of a phase.
DECISIVE = ("throughput", "mean", "errors", "stall")
#: Rates whose chance during the events is known from the time before them.
RATES = ("throughput", "iops")

When = Literal["before", "during", "after"]


@dataclass(frozen=True)
class Phase:
    """The same time of two runs: before, during or after the events of either.

    Attributes
    ----------
    from_ps, to_ps
        Simulated time. Events last from the first of both runs to the last reaction or stall.
    event
        The first event of the phase `during`, in words.
    lines
        Figures of all workloads together, then of each.
    """

    when: When
    from_ps: int
    to_ps: int
    event: str
    lines: list[Line]

    @property
    def title(self) -> str:
        """The phase with its time, and the event it begins with."""
        span = f"{show_time(self.from_ps)} to {show_time(self.to_ps)}"
        if self.when == "during":
            return f"during the events, {span} ({self.event})"
        return (
            f"{'before the events' if self.when == 'before' else 'after the last reaction'}, {span}"
        )

    @property
    def verdict(self) -> Verdict:
        """Of throughput, mean response, failed I/Os and the longest stall."""
        return decided(self.lines, DECISIVE)


def phases(
    before: Record, after: Record, workloads: list[str | None], tolerance: float
) -> list[Phase]:
    """Compare two runs before, during and after their events; empty without events.

    Parameters
    ----------
    workloads
        Those to compare; None is all together.
    """
    events = sorted(
        (*happenings(before), *happenings(after)), key=lambda event: (event.at_ps, event.what)
    )
    tables = [run.tables for run in (before, after)]
    if not events or any("workload_series" not in names for names in tables):
        return []
    first, end = events[0], min(run.manifest.simulated_ps for run in (before, after))
    begin = first.at_ps
    last = _last_ps((before, after), events) + REACTION_BINS * _bin_ps((before, after))
    spans: list[tuple[When, int, int]] = [
        ("before", 0, begin),
        ("during", begin, min(last, end)),
        ("after", min(last, end), end),
    ]
    found: dict[When, Phase] = {}
    for when, from_ps, to_ps in spans:
        lines = [
            line
            for workload in workloads
            for line in _lines((before, after), workload, when, (from_ps, to_ps), tolerance)
        ]
        if lines:
            event = first.what if when == "during" else ""
            found[when] = Phase(when, from_ps, to_ps, event, lines)
    if "during" not in found:
        return []
    if "before" in found:
        lines = _with_chance(found["during"], found["before"], tolerance)
        found["during"] = replace(found["during"], lines=lines)
    return list(found.values())


def _bin_ps(runs: tuple[Record, ...]) -> int:
    """Length of a bin, the longer one of both runs."""
    return max((int(bins(run)[0]) for run in runs if len(bins(run))), default=0)


def _last_ps(runs: tuple[Record, ...], events: list[Happening]) -> int:
    """End of the last event, rebuild, and stall that began after the first event."""
    begin = events[0].at_ps
    held = [
        stall.to_ps for run in runs for stall in stalls(run) if stall.to_ps > begin and stall.event
    ]
    rebuilt = [
        row["last_ps"] if row["is_done"] else run.manifest.simulated_ps
        for run in runs
        for row in (run.rows("rebuilds") if "rebuilds" in run.tables else [])
        if row["is_begun"]
    ]
    return max([events[-1].at_ps, *held, *rebuilt])


def _lines(
    runs: tuple[Record, Record],
    workload: str | None,
    when: When,
    span: tuple[int, int],
    tolerance: float,
) -> list[Line]:
    """Compare the figures of one workload in a phase; nothing if the phase is too short."""
    sides = []
    for run in runs:
        series = over_time(run, workload)
        keep = _within(series, *span)
        if keep.stop - keep.start < FEWEST_BINS:
            return []
        figures = figures_in(series, keep)
        if when == "during":
            figures["stall"] = Figure(float(_longest_stall(run, workload, span)), 0.0)
        sides.append(figures)
    one, other = sides
    return lines_of(workload, PHASE_METRICS, one, other, tolerance)


def _within(series: Series, from_ps: int, to_ps: int) -> slice:
    """The bins that lie in a time; the one in which an event happens belongs to what follows."""
    ends = series.time_ps
    first = int(np.searchsorted(ends, from_ps, side="right"))
    last = int(np.searchsorted(ends, to_ps, side="right"))
    return slice(first, max(first, last))


def _longest_stall(run: Record, workload: str | None, span: tuple[int, int]) -> int:
    return max(
        (
            stall.span_ps
            for stall in stalls(run)
            if workload in (None, stall.workload)
            and stall.from_ps < span[1]
            and stall.to_ps > span[0]
        ),
        default=0,
    )


def _with_chance(during: Phase, before: Phase, tolerance: float) -> list[Line]:
    """Judge rates with a stall by what chance does to them in as many bins before the events.

    A stall makes bins so unlike each other that their scatter says nothing about chance.
    """
    stalled = {
        line.workload
        for line in during.lines
        for side in (line.before, line.after)
        if line.metric == "stall" and side is not None and side.value
    }
    undisturbed = {(line.workload, line.metric): line for line in before.lines}
    parts = (before.to_ps - before.from_ps) / max(1, during.to_ps - during.from_ps)
    found = []
    for line in during.lines:
        usual = undisturbed.get((line.workload, line.metric))
        chance = None if usual is None else _chance(usual, line)
        is_rate = line.metric in RATES and line.workload in stalled
        if not is_rate or line.difference is None or chance is None:
            found.append(line)
            continue
        half = chance * math.sqrt(parts)
        found.append(
            replace(line, half_width=half, verdict=judge(line.difference, half, tolerance))
        )
    return found


def _chance(usual: Line, line: Line) -> float | None:
    """Half width of a difference by the scatter of both runs before the events."""
    if line.before is None or not line.before.value:
        return None
    halves = [side.half_width for side in (usual.before, usual.after) if side is not None]
    known = [half for half in halves if half is not None]
    return math.hypot(*known) / line.before.value if len(known) == 2 else None
