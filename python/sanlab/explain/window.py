"""Windows of a run: the times between what changes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sanlab.explain.asking import asking
from sanlab.explain.once import once_for_each_run
from sanlab.explain.saturation import saturations
from sanlab.results.happenings import happenings
from sanlab.simulation.tables import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sanlab.explain.asking import Asking
    from sanlab.results.record import Record

#: Fewest bins of a window.
LEAST_BINS = 3
#: Most windows of a run; the longest remain.
MOST_WINDOWS = 12
#: Share of a bin for which writes wait for room from which a cache counts as full in it.
FULL = 0.5


@dataclass(frozen=True)
class Window:
    """A part of a run in which nothing is known to change.

    Attributes
    ----------
    from_ps, to_ps
        Simulated time, ends of bins.
    begins_with
        What happens at its beginning, in words; empty at the beginning of the run.
    first, last
        Its bins; `last` is not included. Both 0 for a run without a time line.
    is_whole
        It is the whole run.
    """

    from_ps: int
    to_ps: int
    begins_with: str
    first: int
    last: int
    is_whole: bool = False

    def until(self, later: Window) -> Window:
        """From the beginning of this one to the end of a later one."""
        return replace(self, to_ps=later.to_ps, last=later.last)

    @property
    def span_ps(self) -> int:
        """Length."""
        return self.to_ps - self.from_ps


def whole(run: Record) -> Window:
    """Return the whole run as one window."""
    return Window(0, run.manifest.simulated_ps, "", 0, len(bins(run)), is_whole=True)


def active(run: Record, own: Sequence[Asking]) -> Window:
    """Return the time in which a workload may ask for I/O; the whole run if it is nearly that.

    Parameters
    ----------
    own
        When its jobs may ask.
    """
    ends = bins(run)
    if not own or not len(ends):
        return whole(run)
    begin = min(one.start_ps for one in own)
    end = max(int(ends[-1]) if one.stop_ps is None else one.stop_ps for one in own)
    if all(one.job["total_bytes"] is not None for one in own):
        ended = f"{own[0].workload} has ended"
        end = min([end, *(at for at, what in _ends_of_jobs(run) if what == ended)])
    first = int(np.searchsorted(ends, begin, side="right"))
    last = min(len(ends), int(np.searchsorted(ends, end)) + 1)
    if last - first < LEAST_BINS or last - first > len(ends) - LEAST_BINS:
        return whole(run)
    return Window(int(ends[first - 1]) if first else 0, int(ends[last - 1]), "", first, last)


@once_for_each_run
def bins(run: Record) -> npt.NDArray[np.int64]:
    """Return the ends of the bins of the time line, shape (bins,); empty without one."""
    for name in ("workload_series", "port_series"):
        if name in run.tables and run.table(name).num_rows:
            return np.unique(numbers(run.table(name), "time_ps").astype(np.int64))
    return np.zeros(0, dtype=np.int64)


@once_for_each_run
def windows(run: Record) -> list[Window]:
    """Return the windows of a run in the order of time; one if nothing is known to change.

    A window begins with a fault and its end, a change of policy, the begin and end of a rebuild, a
    job that starts or stops, a phase, a cache that becomes full or has room again, and a port or a
    station that becomes busy all the time or no longer is.
    """
    # In one bin what happens comes before what it saturates.
    return cut_at(run, [*sorted(changes(run)), *sorted(saturations(run, bins(run)))])


def cut_at(run: Record, instants: Sequence[tuple[int, str]]) -> list[Window]:
    """Return the windows between instants, each with what happens there; one without instants.

    Of several instants in one bin the first of the list is named.
    """
    ends = bins(run)
    if len(ends) < 2 * LEAST_BINS:
        return [whole(run)]
    cuts: list[tuple[int, str]] = [(0, "")]
    # The bin in which it happens belongs to what comes after it.
    placed = [(int(np.searchsorted(ends, at_ps, side="right")), what) for at_ps, what in instants]
    for place, what in sorted(placed, key=lambda one: one[0]):
        if place - cuts[-1][0] >= LEAST_BINS and len(ends) - place >= LEAST_BINS:
            cuts.append((place, what))
    while len(cuts) > MOST_WINDOWS:
        places = [place for place, _ in cuts]
        spans = np.diff([*places, len(ends)])
        cuts.pop(1 + int(np.argmin(spans[1:])))
    if len(cuts) == 1:
        return [whole(run)]
    begins = np.concatenate([[0], ends])
    nexts = [place for place, _ in cuts[1:]] + [len(ends)]
    return [
        Window(int(begins[place]), int(begins[after]), what, place, after)
        for (place, what), after in zip(cuts, nexts, strict=True)
    ]


def changes(run: Record) -> list[tuple[int, str]]:
    """Return the instants at which something changes, each in words."""
    found = [(event.at_ps, event.what) for event in happenings(run)]
    for one in asking(run):
        if one.start_ps:
            found.append((one.start_ps, f"{one.workload} starts"))
        if one.stop_ps is not None:
            found.append((one.stop_ps, f"{one.workload} stops"))
    phases = [(phase["from_ps"], f"phase {phase['name']} begins") for phase in run.plan["phases"]]
    return [*found, *phases, *_full_caches(run), *_ends_of_jobs(run)]


def event_before(
    events: list[tuple[int, str]], at_ps: int, near_ps: int, longest_ps: int
) -> tuple[int, str] | None:
    """Return what happened first in a short time before an instant; else what happened last.

    A fault comes first and the reactions to it follow: the first event of that time is the cause.
    What is longer ago than `longest_ps` is none: the run went on after it.
    """
    before = [event for event in events if at_ps - longest_ps <= event[0] <= at_ps]
    near = [event for event in before if event[0] > at_ps - near_ps]
    return near[0] if near else (before[-1] if before else None)


def _full_caches(run: Record) -> list[tuple[int, str]]:
    """When a cache becomes full, and when it has room again for good."""
    found = []
    by_cache: dict[str, list[tuple[int, float]]] = {}
    for row in run.rows("cache_series"):
        share = row["full_ps"] / max(1, row["span_ps"])
        begin = row["time_ps"] - row["span_ps"]
        by_cache.setdefault(row["controller"], []).append((begin, share))
    for name, shares in by_cache.items():
        full = [place for place, (_, share) in enumerate(shares) if share >= FULL]
        if full:
            found.append((shares[full[0]][0], f"the cache of {name} is full"))
            if full[-1] + 1 < len(shares):
                found.append((shares[full[-1] + 1][0], f"the cache of {name} has room again"))
    return found


def _ends_of_jobs(run: Record) -> list[tuple[int, str]]:
    """When the workloads end whose jobs have a size."""
    sized = {
        run.plan["workloads"][job["workload"]]["name"]
        for job in run.plan["jobs"]
        if job["total_bytes"] is not None
    }
    last: dict[str, int] = {}
    for row in run.rows("workload_series"):
        if row["workload"] in sized and row["io_count"]:
            last[row["workload"]] = max(row["time_ps"], last.get(row["workload"], 0))
    end = run.manifest.simulated_ps
    return [(at_ps, f"{name} has ended") for name, at_ps in last.items() if at_ps < end]
