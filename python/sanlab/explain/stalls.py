"""Times in which a workload asked for I/O and none completed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from sanlab.explain.window import bins as bins_of
from sanlab.explain.window import event_before

if TYPE_CHECKING:
    from sanlab.results.record import Record

#: Fewest I/Os that a stall keeps back at the usual rate of the workload.
LEAST_MISSING = 10
#: Bins before a stall in which its cause is looked for.
NEAR_BINS = 3
#: Fewest bins of a stall.
LEAST_BINS = 2


@dataclass(frozen=True)
class Stall:
    """A time without a completed I/O.

    Attributes
    ----------
    from_ps, to_ps
        Ends of bins.
    missing
        I/Os that would have completed at the usual rate.
    event
        What happened before it, in words; empty if nothing is known.
    """

    workload: str
    from_ps: int
    to_ps: int
    missing: float
    event: str = ""

    @property
    def span_ps(self) -> int:
        """Length."""
        return self.to_ps - self.from_ps


def stalls(run: Record) -> list[Stall]:
    """Return the stalls of all workloads, longest first; none without a time line.

    A bin without I/O is a part of a stall if a job of the workload may ask for I/O in all of it,
    and if the whole stall keeps back at least `LEAST_MISSING` I/Os at the median rate of the other
    bins. Workloads whose rate changes over time, or that wait for others, are left out: they may
    ask for nothing.
    """
    names = [row["name"] for row in run.plan["workloads"]]
    jobs: dict[str, list[dict[str, Any]]] = {}
    for job in run.plan["jobs"]:
        if not run.plan["workloads"][job["workload"]].get("after"):
            jobs.setdefault(names[job["workload"]], []).append(job)
    counts: dict[str, dict[int, int]] = {}
    for row in run.rows("workload_series"):
        bins = counts.setdefault(row["workload"], {})
        bins[row["time_ps"]] = bins.get(row["time_ps"], 0) + row["io_count"]
    found = []
    for workload, bins in counts.items():
        asked = jobs.get(workload, [])
        if not any(job["load"] or job["think_ps"] for job in asked):
            found += _of(workload, sorted(bins.items()), asked, run.manifest.simulated_ps)
    ends = bins_of(run)
    near = NEAR_BINS * int(ends[0]) if len(ends) else 0
    found.sort(key=lambda stall: (-stall.span_ps, stall.workload))
    return [replace(stall, event=event_before(run, stall.from_ps, near)) for stall in found]


def _of(
    workload: str, bins: list[tuple[int, int]], jobs: list[dict[str, Any]], end_ps: int
) -> list[Stall]:
    spans = [at - before for (at, _), (before, _) in zip(bins, [(0, 0), *bins], strict=False)]
    rates = [count / span for (_, count), span in zip(bins, spans, strict=True) if count]
    if not rates:
        return []
    usual = median(rates)
    last = max(place for place, (_, count) in enumerate(bins) if count)
    sized = all(job["total_bytes"] is not None for job in jobs)
    found: list[Stall] = []
    begun: int | None = None
    before = 0
    for place, (at, count) in enumerate([*bins, (end_ps, 1)]):
        asks = any(
            job["start_ps"] <= before and (job["stop_ps"] is None or job["stop_ps"] >= at)
            for job in jobs
        ) and not (sized and place > last)
        if not count and asks:
            begun = before if begun is None else begun
        elif begun is not None:
            lost = usual * (before - begun)
            if lost >= LEAST_MISSING and before - begun >= LEAST_BINS * spans[0]:
                found.append(Stall(workload, begun, before, lost))
            begun = None
        before = at
    return found
