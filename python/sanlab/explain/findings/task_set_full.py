"""Commands that were answered with TASK SET FULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding, workload_evidence
from sanlab.words import show_count

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Count the commands that arrays rejected."""
    rows = [row for row in run.rows("workloads") if row["queue_full_count"]]
    if not rows:
        return []
    rows.sort(key=lambda row: -row["queue_full_count"])
    total = sum(row["queue_full_count"] for row in rows)
    return [
        Finding(
            "task_set_full",
            "notice",
            f"{show_count(total)} commands were answered with TASK SET FULL, most of them"
            f" {rows[0]['op']}s of {rows[0]['workload']}",
            "The hosts together open more commands than the array accepts. Lower the queue depth on"
            " the hosts, or spread the load over more LUNs or array ports.",
            float(total),
            evidence=tuple(
                workload_evidence(row, "queue_full_count", "io_count")
                for row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]
