"""What a failure does to each workload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from sanlab.explain.stalls import stalls
from sanlab.results.throughput import over_time

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.results.record import Record

#: Share of the rate before the failure from which a workload counts as recovered.
RECOVERED = 0.95
#: Bins without I/O at the end of the run from which a workload counts as down.
DOWN_BINS = 3

State = Literal["as before", "slower", "down"]


@dataclass(frozen=True)
class Effect:
    """A workload before and after a failure.

    Attributes
    ----------
    error_count
        I/Os that failed.
    stall_ps
        Longest time without a completed I/O after the failure.
    before, after
        Throughput before the failure, and after the recovery up to the end, in bytes per second;
        `after` is the median of the bins, since I/Os that waited may come all at once.
    recovered_ps
        Time from the failure until the throughput is back at `RECOVERED` of that before for good;
        0 if it never was below, None if it is not back at the end.
    """

    workload: str
    error_count: int
    stall_ps: int
    before: float
    after: float
    recovered_ps: int | None

    @property
    def state(self) -> State:
        """How the workload is at the end of the run."""
        if self.after == 0 and self.before > 0:
            return "down"
        return "as before" if self.recovered_ps is not None else "slower"

    @property
    def is_touched(self) -> bool:
        """It noticed the failure."""
        return bool(self.error_count or self.stall_ps or self.recovered_ps != 0)


def effects(run: Record, at_ps: int) -> list[Effect]:
    """Return the effect of a failure at an instant on each workload of a run."""
    rows = run.rows("workloads")
    series = run.rows("workload_series")
    names = list(dict.fromkeys(row["workload"] for row in series))
    longest: dict[str, int] = {}
    for stall in stalls(run):
        if stall.to_ps > at_ps:
            longest[stall.workload] = max(stall.span_ps, longest.get(stall.workload, 0))
    errors: dict[str, int] = {}
    for row in rows:
        errors[row["workload"]] = errors.get(row["workload"], 0) + row["error_count"]
    found = []
    for name in names:
        line = over_time(run, name)
        found.append(
            _effect(
                name,
                errors.get(name, 0),
                longest.get(name, 0),
                (line.time_ps, line.bytes_per_s),
                at_ps,
            )
        )
    return found


def _effect(
    name: str,
    errors: int,
    stall_ps: int,
    line: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]],
    at_ps: int,
) -> Effect:
    times, rates = line
    spans = np.diff(times, prepend=0)
    whole = spans == spans.max(initial=0)
    times, rates = times[whole], rates[whole]
    is_before = times <= at_ps
    earlier, later = rates[is_before], rates[~is_before]
    before = float(earlier[len(earlier) // 2 :].mean()) if len(earlier) else 0.0
    if not len(later) or before == 0:
        return Effect(name, errors, stall_ps, before, 0.0, 0)
    # Single bins scatter: below is what the scatter before the failure does not explain.
    scatter = float(earlier[len(earlier) // 2 :].std()) / before
    bound = before * min(RECOVERED, 1 - 3 * scatter)
    below = np.flatnonzero(later < bound)
    down = not later[-DOWN_BINS:].any()
    if not len(below):
        return Effect(name, errors, stall_ps, before, float(later.mean()), 0)
    last = int(below[-1])
    rest = later[last + 1 :]
    if down or not len(rest):
        tail = later[-DOWN_BINS:]
        return Effect(name, errors, stall_ps, before, float(tail.mean()), None)
    recovered = int(times[~is_before][last]) - at_ps
    is_back = float(np.median(rest)) >= RECOVERED * before and len(rest) >= DOWN_BINS
    return Effect(
        name, errors, stall_ps, before, float(np.median(rest)), recovered if is_back else None
    )
