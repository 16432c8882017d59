"""What a failure does to each workload."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from sanlab.explain.asking import asking
from sanlab.explain.host_stalls import host_stalls
from sanlab.explain.stalls import stalls
from sanlab.quantities import counted
from sanlab.results.throughput import over_time
from sanlab.words import show_time

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
    worst_host
        Of several hosts the one that stood still longest after the failure; empty if none did.
    host_stall_ps
        How long that host completed nothing.
    hosts_down
        Number of its hosts that complete nothing at the end of the run.
    """

    workload: str
    error_count: int
    stall_ps: int
    before: float
    after: float
    recovered_ps: int | None
    worst_host: str = ""
    host_stall_ps: int = 0
    hosts_down: int = 0

    @property
    def state(self) -> State:
        """How the workload is at the end of the run."""
        if self.after == 0 and self.before > 0:
            return "down"
        return "as before" if self.recovered_ps is not None else "slower"

    @property
    def host_words(self) -> str:
        """The host that stood still longest, and for how long; empty if none did."""
        if not self.worst_host:
            return ""
        down = ""
        if self.hosts_down:
            down = f", {counted(self.hosts_down, 'host')} down at the end"
        return f"{self.worst_host} {show_time(self.host_stall_ps)}{down}"

    @property
    def is_touched(self) -> bool:
        """It noticed the failure."""
        return bool(
            self.error_count or self.stall_ps or self.host_stall_ps or self.recovered_ps != 0
        )


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
        effect = _effect(
            name,
            errors.get(name, 0),
            longest.get(name, 0),
            (line.time_ps, line.bytes_per_s),
            at_ps,
        )
        found.append(_with_hosts(effect, run, at_ps))
    return found


def _with_hosts(effect: Effect, run: Record, at_ps: int) -> Effect:
    """Add the host of a workload that stood still longest, and how many still do at the end.

    The rates of many hosts together hide the stall of one.
    """
    hosts = {
        run.plan["hosts"][one.job["host"]]["name"]
        for one in asking(run)
        if one.workload == effect.workload
    }
    if len(hosts) < 2:
        return effect
    own = [
        (stall.span_ps, name, stall.to_ps)
        for name, stalled in host_stalls(run).items()
        if name in hosts
        for stall in stalled
        if stall.to_ps > at_ps
    ]
    if not own:
        return effect
    span, worst, _ = max(own, key=lambda one: (one[0], one[1]))
    down = {name for _, name, end in own if end >= run.manifest.simulated_ps}
    return replace(effect, worst_host=worst, host_stall_ps=span, hosts_down=len(down))


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
