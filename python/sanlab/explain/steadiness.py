"""Whether the measured time of a run was steady."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from sanlab.explain.evidence import Evidence
from sanlab.explain.stalls import stalls
from sanlab.explain.window import changes
from sanlab.results.throughput import has_order, over_time
from sanlab.words import show_percent, show_time

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.results.record import Record

#: Difference between the first and the last third of the measured time that counts as a drift.
DRIFT = 0.05
#: Fewest bins of the measured time.
LEAST_BINS = 9
#: Standard errors of the difference of the thirds up to which it may be chance.
CHANCE = 3.0


@dataclass(frozen=True)
class Steadiness:
    """Whether one rate describes the measured time.

    Attributes
    ----------
    kind
        `steady`, `stall` (a workload completed nothing for a time), `changes` (the rate differs,
        and faults, phases or jobs change the run), `drift`, or `unknown` (too few bins).
    drift
        Relative change of the I/Os per second from the first to the last third; None if unknown.
    sentence
        The same in words.
    detail
        What it means for the numbers of the run.
    """

    kind: Literal["steady", "stall", "changes", "drift", "unknown"]
    drift: float | None
    sentence: str
    detail: str = ""
    evidence: tuple[Evidence, ...] = ()


def steadiness(run: Record) -> Steadiness:
    """Judge the measured time of a run: after the last ramp, all bins, those without I/O too.

    The drift is compared with the scatter of the bins: with independent bins the difference of two
    means of n bins has a standard error of the standard deviation times the root of 2/n. That is
    the middle one of the standard deviations of the three thirds: a burst in one of them, or a step
    between two, does not count as scatter.
    """
    values = _measured(run)
    stalled = stalls(run)
    if stalled:
        worst = stalled[0]
        sentence = (
            f"{worst.workload} completed no I/O{worst.where} for {show_time(worst.span_ps)} from"
            f" {show_time(worst.from_ps)} on"
        )
        detail = "The headline numbers are means over the whole time, the stall included."
        return Steadiness("stall", None, sentence, detail)
    if has_order(run):
        return Steadiness("unknown", None, "workloads run one after another")
    if len(values) < LEAST_BINS or not values.any():
        return Steadiness("unknown", None, "too few bins of time to say whether it was steady")
    third = len(values) // 3
    first, last = float(values[:third].mean()), float(values[-third:].mean())
    evidence = (
        Evidence("workload_series", {}, {"first_third_iops": first, "last_third_iops": last}),
    )
    drift = (last - first) / first if first else 1.0
    scatter = sorted(float(part.std()) for part in np.array_split(values, 3))[1]
    error = scatter / first * (2 / third) ** 0.5 if first else 0.0
    grew = "rose" if drift > 0 else "fell"
    change = f"{grew} by {show_percent(abs(drift))}" if abs(drift) >= 0.001 else "did not change"
    sentence = f"I/Os per second {change} from the first to the last third of the measured time"
    if abs(drift) <= max(DRIFT, CHANCE * error):
        if abs(drift) > DRIFT:
            sentence += ", no more than its scatter"
        return Steadiness("steady", drift, sentence, "", evidence)
    events = [what for _, what in sorted(changes(run))]
    if events:
        detail = (
            f"The load or the SAN changes during the run: {'; '.join(events[:3])}. The headline"
            " numbers are means over the whole time; sanlab compare puts the parts side by side."
        )
        return Steadiness("changes", drift, sentence, detail, evidence)
    detail = "A longer ramp, or a longer run, gives numbers that describe one state."
    return Steadiness("drift", drift, sentence, detail, evidence)


def _measured(run: Record) -> npt.NDArray[np.float64]:
    """I/Os per second of the whole bins after the last ramp, shape (bins,)."""
    if "workload_series" not in run.tables or not run.rows("workloads"):
        return np.zeros(0)
    jobs = run.plan["jobs"]
    begin = max((job["start_ps"] + job["ramp_ps"] for job in jobs), default=0)
    series = over_time(run)
    spans = np.diff(series.time_ps, prepend=0)
    # The last bin may be shorter than the others.
    kept = (series.time_ps - spans >= begin) & (spans == spans.max(initial=0))
    rates: npt.NDArray[np.float64] = series.iops[kept]
    return rates
