"""Frames that were lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding, and_more
from sanlab.words import show_count

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the ports that lost frames, worst first."""
    rows = [row for row in run.rows("ports") if row.get("tx_dropped_count")]
    if not rows:
        return []
    rows.sort(key=lambda row: (-row["tx_dropped_count"], row["port"]))
    total = sum(row["tx_dropped_count"] for row in rows)
    worst = rows[0]
    return [
        Finding(
            "lost_frames",
            "notice",
            f"{show_count(worst['tx_dropped_count'])} frames were lost at {worst['port']}"
            f"{and_more(rows)}",
            "Frames are cut off by a failed link, arrive with bit errors, have no route, or are"
            " discarded by a switch after its hold time. Their commands are sent again after a"
            " time-out, which adds seconds to the response time of a few I/Os.",
            float(total),
            evidence=tuple(
                Evidence("ports", {"port": row["port"]}, pick(row, "tx_dropped_count"))
                for row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]
