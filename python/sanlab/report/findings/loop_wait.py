"""I/Os that wait for arbitrated loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.report.findings.finding import (
    EVIDENCE_SHOWN,
    WAIT_SHARE,
    Finding,
    and_more,
    stage_evidence,
)
from sanlab.report.words import show_percent

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the workloads that wait for loops."""
    rows = [
        row for row in run.rows("stages") if row["stage"] == "loop" and row["share"] >= WAIT_SHARE
    ]
    if not rows:
        return []
    rows.sort(key=lambda row: -row["share"])
    worst = rows[0]
    return [
        Finding(
            "loop_wait",
            "notice",
            f"{worst['workload']}: {show_percent(worst['share'])} of the {worst['op']} time is"
            f" waiting for a loop{and_more(rows)}",
            "Each command, transfer and status needs its own circuit and waits for other circuits."
            " The section on loops shows which loops are full.",
            worst["share"],
            evidence=tuple(stage_evidence(row) for row in rows[:EVIDENCE_SHOWN]),
        )
    ]
