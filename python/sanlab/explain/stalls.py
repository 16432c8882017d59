"""Times in which a workload asked for I/O and none completed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from statistics import median
from typing import TYPE_CHECKING, Any

from sanlab.explain.asking import Asking, asking
from sanlab.explain.once import once_for_each_run
from sanlab.explain.window import bins as bins_of
from sanlab.explain.window import changes, event_before
from sanlab.words import show_time

if TYPE_CHECKING:
    from sanlab.results.record import Record

#: Fewest I/Os that a stall keeps back at the usual rate of the workload, and as many more as the
#: logarithm of all its I/Os: with Poisson arrivals one run in 20,000 has such a gap by chance.
LEAST_MISSING = 10
#: How much longer than the usual time from one bin with I/O to the next a stall is.
UNUSUAL = 3
#: Bins before a stall in which its cause is looked for.
NEAR_BINS = 3
#: Fewest bins of a stall.
LEAST_BINS = 2
#: LUNs of a stall that are named.
LUNS_SHOWN = 4


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
        What happened before it, and when, in words; empty if nothing is known.
    luns
        The LUNs of the workload on which nothing completed; empty if that are all.
    part
        Share of the LUNs of the workload that these are.
    """

    workload: str
    from_ps: int
    to_ps: int
    missing: float
    event: str = ""
    luns: tuple[str, ...] = ()
    part: float = 1.0

    @property
    def where(self) -> str:
        """The LUNs in words, with a space before them; empty for all."""
        shown = ", ".join(self.luns[:LUNS_SHOWN])
        more = len(self.luns) - LUNS_SHOWN
        return f" on {shown}{f' and {more} more' if more > 0 else ''}" if self.luns else ""

    @property
    def span_ps(self) -> int:
        """Length."""
        return self.to_ps - self.from_ps


@once_for_each_run
def stalls(run: Record) -> list[Stall]:
    """Return the stalls of all workloads, longest first; none without a time line.

    A bin without I/O is a part of a stall if a job of the workload may ask for I/O in all of it,
    if the whole stall keeps back at least `LEAST_MISSING` I/Os at its usual rate, and if it is
    longer than its usual gaps: I/Os may come in bursts, or take longer than a bin.
    Workloads whose rate changes over time are left out: they may ask for nothing.
    """
    asked: dict[str, list[Asking]] = {}
    for one in asking(run):
        asked.setdefault(one.workload, []).append(one)
    counts: dict[str, dict[int, int]] = {}
    for row in run.rows("workload_series"):
        bins = counts.setdefault(row["workload"], {})
        bins[row["time_ps"]] = bins.get(row["time_ps"], 0) + row["io_count"]
    found = []
    for workload, bins in counts.items():
        own = asked.get(workload, [])
        if not any(one.job["load"] or one.job["think_ps"] for one in own):
            found += stalls_of(workload, sorted(bins.items()), own, run.manifest.simulated_ps)
    stalled = {stall.workload for stall in found}
    found += [stall for stall in _on_luns(run, asked) if stall.workload not in stalled]
    ends = bins_of(run)
    near = NEAR_BINS * int(ends[0]) if len(ends) else 0
    found.sort(key=lambda stall: (-stall.span_ps, stall.workload))
    events = sorted(changes(run)) if found else []
    longest = max(near, _timeout_ps(run.plan))
    for place, stall in enumerate(found):
        event = event_before(events, stall.from_ps, near, longest)
        if event is not None:
            found[place] = replace(stall, event=f"{event[1]} at {show_time(event[0])}")
    return found


def _timeout_ps(plan: dict[str, Any]) -> int:
    """The longest time that a command is held back by a fault before its host reacts."""
    adapters = [adapter for host in plan["hosts"] for adapter in host["adapters"]]
    times = [adapter["path_timeout_ps"] for adapter in adapters]
    return max([*times, *(adapter["command_timeout_ps"] or 0 for adapter in adapters)], default=0)


def _on_luns(run: Record, asked: dict[str, list[Asking]]) -> list[Stall]:
    """Stalls on some LUNs of workloads that use several, each alone; those at one time together."""
    names = {
        (place, number): lun["name"]
        for place, array in enumerate(run.plan["arrays"])
        for number, lun in enumerate(array["luns"])
    }
    jobs: dict[str, list[Asking]] = {}
    for one in (one for own in asked.values() for one in own):
        for target in one.job["targets"]:
            jobs.setdefault(names[target["array"], target["lun"]], []).append(one)
    counts: dict[str, list[tuple[int, int]]] = {}
    for row in run.rows("lun_series") if "lun_series" in run.tables else []:
        done = row["read_count"] + row["write_count"]
        counts.setdefault(row["lun"], []).append((row["time_ps"], done))
    joined: dict[tuple[str, int, int], list[tuple[str, float]]] = {}
    used: dict[str, int] = {}
    for lun, own in jobs.items():
        workloads = {one.workload for one in own}
        if len(workloads) != 1 or any(one.job["load"] or one.job["think_ps"] for one in own):
            continue
        (workload,) = workloads
        used[workload] = used.get(workload, 0) + 1
        if all(len(one.job["targets"]) == 1 for one in own):
            for stall in stalls_of(workload, counts.get(lun, []), own, run.manifest.simulated_ps):
                key = workload, stall.from_ps, stall.to_ps
                joined.setdefault(key, []).append((lun, stall.missing))
    return [
        Stall(
            workload,
            begin,
            end,
            sum(missing for _, missing in parts),
            luns=tuple(lun for lun, _ in parts),
            part=len(parts) / used[workload],
        )
        for (workload, begin, end), parts in joined.items()
        if len(parts) < used[workload]
    ]


def stalls_of(
    workload: str, bins: list[tuple[int, int]], own: list[Asking], end_ps: int
) -> list[Stall]:
    """Return the stalls of one workload, from the I/Os that complete in each bin.

    Parameters
    ----------
    bins
        End of each bin and its I/Os.
    own
        When its jobs may ask.
    end_ps
        End of the run.
    """
    sized = all(one.job["total_bytes"] is not None for one in own)
    last = max((place for place, (_, count) in enumerate(bins) if count), default=-1)
    gaps: list[tuple[int, int]] = []
    counts: list[tuple[int, int]] = []
    begun: int | None = None
    before = 0
    for place, (at, count) in enumerate([*bins, (end_ps, 1)]):
        asks = any(
            one.start_ps <= before and (one.stop_ps is None or one.stop_ps >= at) for one in own
        ) and not (sized and place > last)
        if asks and at > before:
            counts.append((count, at - before))
        if not count and asks:
            begun = before if begun is None else begun
        elif begun is not None:
            gaps.append((begun, before))
            begun = None
        before = at
    total = sum(count for count, _ in counts)
    if not total or not gaps:
        return []
    usual = _usual_rate(counts)
    least = _least_span(gaps, counts)
    missing = LEAST_MISSING + log(total)
    return [
        Stall(workload, begin, end, usual * (end - begin))
        for begin, end in gaps
        if end - begin >= least and usual * (end - begin) >= missing
    ]


def _usual_rate(counts: list[tuple[int, int]]) -> float:
    """I/Os per picosecond: the mean, or the median of the bins with I/O if that is less."""
    mean = sum(count for count, _ in counts) / sum(span for _, span in counts)
    return min(mean, median(count / span for count, span in counts if count))


def _least_span(gaps: list[tuple[int, int]], counts: list[tuple[int, int]]) -> float:
    """Shortest stall: longer than the gaps in which half of the other time passes."""
    one = counts[0][1]
    others = sorted(end - begin for begin, end in gaps)[:-1]
    busy = sum(span for count, span in counts if count)
    half = (busy - one * len(others) + sum(gap + one for gap in others)) / 2
    passed = float(busy - one * len(others))
    for gap in others:
        if passed >= half:
            break
        passed += gap + one
        if passed >= half:
            return UNUSUAL * (gap + one)
    return LEAST_BINS * one
