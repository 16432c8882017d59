"""The run was stopped before its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import Finding
from sanlab.words import show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the simulated time of a run that was stopped."""
    if run.manifest.is_complete:
        return []
    title = f"The run was stopped after {show_time(run.manifest.simulated_ps)} of simulated time"
    text = "Its numbers cover only this time."
    if not run.manifest.events:
        title, text = "The run was stopped before its first event", "Nothing was simulated."
    return [
        Finding(
            "stopped_early",
            "problem",
            title,
            text,
            run.manifest.simulated_ps / 1e12,
            "s",
        )
    ]
