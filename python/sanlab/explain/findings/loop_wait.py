"""I/Os that wait for arbitrated loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import Finding, and_more, long_waits, stages_evidence
from sanlab.words import show_percent

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the workloads that wait for loops."""
    rows = long_waits(run, "loop")
    if not rows:
        return []
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
            evidence=stages_evidence(rows),
        )
    ]
