"""The stage that takes most of the response time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import Evidence, Finding
from sanlab.results.columns import STAGES
from sanlab.words import show_percent

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the stage with the largest part of the response time."""
    totals: dict[str, int] = {}
    for row in run.rows("stages"):
        totals[row["stage"]] = totals.get(row["stage"], 0) + row["total_ps"]
    whole = sum(totals.values())
    if not whole:
        return []
    stage = max(totals, key=lambda name: totals[name])
    share = totals[stage] / whole
    return [
        Finding(
            "largest_stage",
            "notice",
            f"The largest part of the response time, {show_percent(share)}, is spent in {stage}",
            f"This stage is: {STAGES.get(stage, stage)}.",
            share,
            evidence=(Evidence("stages", {"stage": stage}, {"total_ps": totals[stage]}),),
        )
    ]
