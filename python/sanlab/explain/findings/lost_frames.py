"""Frames that were lost, why, and what it did to the I/Os."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding, and_more
from sanlab.quantities import counted
from sanlab.words import show_count, show_time

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
            f"{_reason(run, worst)} {_effect(run)}".strip(),
            float(total),
            evidence=tuple(
                Evidence("ports", {"port": row["port"]}, pick(row, "tx_dropped_count"))
                for row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]


def _reason(run: Run, port: dict[str, Any]) -> str:
    """Say why a port lost frames: what it counted, and what the plan says of its link."""
    reasons = []
    if port.get("tx_timeout_count"):
        reasons.append(
            f"The switch discarded {show_count(port['tx_timeout_count'])} of them after its hold"
            " time."
        )
    if port.get("tx_no_credit_drop_count"):
        reasons.append(
            f"The switch discarded {show_count(port['tx_no_credit_drop_count'])} of them because"
            " the port had been without credit for too long."
        )
    link = run.plan["links"][port["link"]] if port["kind"] not in ("nl_port", "fl_port") else {}
    if link.get("bit_error_interval"):
        reasons.append("Bits on its link arrive inverted.")
    if link.get("outages") or link.get("member_outages"):
        reasons.append("Its link was down for a time, which cuts frames off.")
    return " ".join(reasons) or "They were cut off by a fault, or had no route."


def _effect(run: Run) -> str:
    """Say what happened to the I/Os; empty if the run has none."""
    rows = run.rows("workloads")
    if not rows:
        return ""
    again = sum(row.get("retried_count", 0) for row in rows)
    if not again:
        return "No completed I/O had to be sent again."
    delayed = sum(row.get("delayed_count", 0) for row in rows)
    longest = max(row["response_max_ps"] or 0 for row in rows if row.get("retried_count"))
    waited = (
        f"{show_count(delayed)} waited for a time-out, an abort or a path"
        if delayed
        else "none of them waited for a time-out"
    )
    return (
        f"A command of {counted(again, 'completed I/O')} was sent again; {waited}. The longest"
        f" I/O of these workloads took {show_time(longest)}."
    )
