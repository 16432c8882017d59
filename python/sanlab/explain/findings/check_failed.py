"""A check of the engine itself failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import Finding

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the checks of the engine that failed."""
    failed = [check.name for check in run.manifest.checks if not check.is_ok]
    if not failed:
        return []
    return [
        Finding(
            "check_failed",
            "problem",
            f"The engine's own check failed: {', '.join(failed)}",
            "Do not use the numbers of this run. Please report it with the run folder.",
            float(len(failed)),
        )
    ]
