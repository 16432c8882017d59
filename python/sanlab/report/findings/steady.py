"""Whether the measured time was steady."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.report.findings.finding import Evidence, Finding, not_enough
from sanlab.report.words import show_percent
from sanlab.results.happenings import happenings
from sanlab.results.throughput import has_order, over_time

if TYPE_CHECKING:
    from sanlab.results.run import Run

#: Difference between the first and the last third of the measured time that counts as a drift.
DRIFT = 0.05


def find(run: Run) -> list[Finding]:
    """Compare the first and the last third of the measured time."""
    missing = ""
    if "workload_series" not in run.tables or not run.rows("workloads"):
        missing = "a time line"
    elif has_order(run):
        missing = "workloads that run at the same time"
    if missing:
        return [not_enough("steady", "whether the warm-up was long enough", missing)]
    jobs = run.plan["jobs"]
    begin = max((job["start_ps"] + job["ramp_ps"] for job in jobs), default=0)
    series = over_time(run)
    kept = (series.time_ps > begin) & (series.iops > 0)
    values = series.iops[kept]
    # The last bin may be shorter, and some jobs end before it: leave it out.
    values = values[:-1]
    if len(values) < 9:
        return [not_enough("steady", "whether the warm-up was long enough", "nine bins of time")]
    third = len(values) // 3
    first, last = float(values[:third].mean()), float(values[-third:].mean())
    drift = (last - first) / first
    noise = float(values.std() / values.mean()) / third**0.5
    evidence = Evidence("workload_series", {}, {"first_third_iops": first, "last_third_iops": last})
    grew = "rose" if drift > 0 else "fell"
    change = f"{grew} by {show_percent(abs(drift))}" if abs(drift) >= 0.001 else "did not change"
    sentence = f"I/Os per second {change} from the first to the last third"
    if abs(drift) <= DRIFT:
        title = f"The run was steady: {sentence} of the measured time"
        return [Finding("steady", "good", title, number=drift, evidence=(evidence,))]
    if abs(drift) <= 3 * noise:
        title = f"{sentence} of the measured time, which may be random"
        detail = "The single bins vary as much. A longer run shows whether there is a trend."
        return [Finding("steady", "notice", title, detail, drift, evidence=(evidence,))]
    title = f"The run was not steady: {sentence} of the measured time"
    if happenings(run):
        detail = "The time lines mark the faults; the headline numbers cover the whole time."
        return [Finding("steady", "notice", title, detail, drift, evidence=(evidence,))]
    detail = "A longer ramp, or a longer run, gives numbers that describe one state."
    if drift < 0 and any(job["total_bytes"] is not None for job in jobs):
        detail = (
            "Jobs with a size end at different times, and the remaining jobs have the SAN to"
            " themselves. The headline numbers cover the whole time; compare runs by the duration"
            " of a job."
        )
    return [Finding("steady", "problem", title, detail, drift, evidence=(evidence,))]
