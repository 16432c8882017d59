"""Times in which a workload completed nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.evidence import Evidence
from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding
from sanlab.explain.stalls import stalls
from sanlab.quantities import counted
from sanlab.words import show_count, show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the longest time without a completed I/O."""
    found = stalls(run)
    if not found:
        return []
    worst = found[0]
    before = f" It began after: {worst.event}." if worst.event else ""
    others = f"; {counted(len(found) - 1, 'more stall')}" if len(found) > 1 else ""
    return [
        Finding(
            "stall",
            "problem",
            f"{worst.workload} completed no I/O{worst.where} for {show_time(worst.span_ps)}, from"
            f" {show_time(worst.from_ps)} on{others}",
            f"About {show_count(round(worst.missing))} I/Os would have completed in that time."
            f" Means over the whole run hide this.{before}",
            worst.span_ps / 1e12,
            "s",
            tuple(
                Evidence(
                    "workload_series",
                    {"workload": stall.workload},
                    {"from_ps": stall.from_ps, "to_ps": stall.to_ps, "io_count": 0},
                )
                for stall in found[:EVIDENCE_SHOWN]
            ),
        )
    ]
