"""I/Os that wait because of the queue depth of a LUN or adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import Finding, and_more, long_waits, stages_evidence
from sanlab.words import show_percent

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the workloads that wait because of a queue depth."""
    rows = long_waits(run, "lun_queue")
    if not rows:
        return []
    worst = rows[0]
    return [
        Finding(
            "queue_depth",
            "notice",
            f"{worst['workload']}: {show_percent(worst['share'])} of the {worst['op']} time"
            f" is waiting for the queue depth of the LUN or the adapter{and_more(rows)}",
            "These I/Os wait in the host. The array does not see them, so its own response time"
            " looks better. A deeper queue helps only while the array is not saturated.",
            worst["share"],
            evidence=stages_evidence(rows),
        )
    ]
