"""Response times with a long tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding, and_more, workload_evidence
from sanlab.words import show_count, show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run

#: Smallest ratio of p99 to median of a long tail.
LONG_TAIL = 10


def find(run: Run) -> list[Finding]:
    """Report the workloads whose p99 is far above their median."""
    rows = [
        (row["response_p99_ps"] / row["response_p50_ps"], row)
        for row in run.rows("workloads")
        if row["response_p50_ps"] and row["io_count"] >= 1000
    ]
    rows = [(ratio, row) for ratio, row in rows if ratio >= LONG_TAIL]
    if not rows:
        return []
    rows.sort(key=lambda pair: -pair[0])
    ratio, worst = rows[0]
    return [
        Finding(
            "long_tail",
            "notice",
            f"{worst['workload']}: one {worst['op']} in a hundred takes"
            f" {show_count(round(ratio))} times the median or longer"
            f" ({show_time(worst['response_p99_ps'])}){and_more(rows)}",
            "The mean hides this. The time lines show whether the cause is a burst or a queue that"
            " is always full.",
            ratio,
            evidence=tuple(
                workload_evidence(row, "response_p50_ps", "response_p99_ps")
                for _, row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]
