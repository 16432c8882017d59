"""How far requests of replayed traces were behind their recorded times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding
from sanlab.words import show_count, show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run

_COLUMNS = (
    *("recorded_count", "submitted_count", "recorded_ps", "replayed_ps"),
    *("drift_mean_ps", "drift_p99_ps", "drift_max_ps"),
)


def find(run: Run) -> list[Finding]:
    """Say whether the requests came at their recorded times; where not, the load is another one."""
    if "replays" not in run.tables:
        return []
    rows = [row for row in run.rows("replays") if row["replay"] == "timed" and row["drift_count"]]
    if not rows:
        return []
    rows.sort(key=lambda row: -row["drift_mean_ps"])
    worst = rows[0]
    evidence = tuple(
        Evidence("replays", {"job": row["job"]}, pick(row, *_COLUMNS))
        for row in rows[:EVIDENCE_SHOWN]
    )
    drift = (
        f"{show_time(round(worst['drift_mean_ps']))} on average, {show_time(worst['drift_p99_ps'])}"
        f" at the 99th percentile, {show_time(worst['drift_max_ps'])} at worst"
    )
    seconds = worst["drift_mean_ps"] / 1e12
    if _is_behind(worst):
        title = f"The storage did not keep up with the trace of {worst['workload']}"
        detail = (
            f"Requests of {worst['job']} were issued later than recorded: {drift}. That is more"
            " than the mean time between two of them, so this load is not the recorded one."
            " Where a request waits for the depth or the queue of its LUN, a larger one brings it"
            " to the storage in time; 'speed' below 1 asks for less."
        )
        return [Finding("replay_drift", "problem", title, detail, seconds, "s", evidence)]
    count = show_count(sum(row["drift_count"] for row in rows))
    title = f"{count} requests of traces were issued at their recorded times"
    detail = f"Of the job with the most drift, {worst['job']}, they were late by {drift}."
    return [Finding("replay_drift", "good", title, detail, seconds, "s", evidence)]


def _is_behind(row: dict[str, Any]) -> bool:
    """Whether requests were on average later than the next one was due."""
    gap = row["recorded_ps"] / max(row["recorded_count"] - 1, 1)
    return bool(row["drift_mean_ps"] > gap)
