"""Whether the measured time was steady."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sanlab.explain.findings.finding import Finding, Severity, not_enough
from sanlab.explain.steadiness import steadiness

if TYPE_CHECKING:
    from sanlab.results.run import Run

_SEVERITIES: Final[dict[str, Severity]] = {
    "steady": "good",
    "changes": "notice",
    "stall": "notice",
    "drift": "problem",
}


def find(run: Run) -> list[Finding]:
    """Report whether one rate describes the measured time."""
    if not run.plan["jobs"] and run.plan["traffic"]:
        return []  # plain frames alone: there is no rate of I/Os
    found = steadiness(run)
    if found.kind == "unknown":
        return [not_enough("steady", "whether the run was steady", "nine bins of time with I/O")]
    was = "was steady" if found.kind == "steady" else "was not steady"
    return [
        Finding(
            "steady",
            _SEVERITIES[found.kind],
            f"The run {was}: {found.sentence}",
            found.detail,
            found.drift,
            evidence=found.evidence,
        )
    ]
