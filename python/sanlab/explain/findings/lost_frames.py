"""Frames that were lost, why, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding, and_more
from sanlab.quantities import counted
from sanlab.words import show_count, show_percent, show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the ports that lost frames, worst first, if that cost an I/O or a stream anything.

    Lost frames that delayed nothing are in the list of events.
    """
    rows = losing(run)
    if not rows or not costs(run):
        return []
    total = sum(row["tx_dropped_count"] for row in rows)
    return [
        Finding(
            "lost_frames",
            "notice",
            in_words(rows),
            f"{_reason(run, rows[0])} {_effect(run)}".strip(),
            float(total),
            evidence=tuple(
                Evidence("ports", {"port": row["port"]}, pick(row, "tx_dropped_count"))
                for row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]


def losing(run: Run) -> list[dict[str, Any]]:
    """Return the ports that lost frames, worst first."""
    rows = [row for row in run.rows("ports") if row.get("tx_dropped_count")]
    return sorted(rows, key=lambda row: (-row["tx_dropped_count"], row["port"]))


def costs(run: Run) -> bool:
    """Whether lost frames cost anything: delayed or failed I/Os, or payload of plain frames."""
    if run.plan["traffic"]:
        return True
    rows = run.rows("workloads")
    return any(row.get("delayed_count") or row.get("error_count") for row in rows)


def in_words(rows: list[dict[str, Any]]) -> str:
    """Say how many frames were lost, and where, of ports that lost some."""
    worst = rows[0]
    many = counted(worst["tx_dropped_count"], "frame")
    was = "was" if worst["tx_dropped_count"] == 1 else "were"
    return f"{many} {was} lost at {worst['port']}{and_more(rows)}"


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
    delayed = [row for row in rows if row.get("delayed_count")]
    if not delayed:
        return "No completed I/O waited for a time-out, an abort or a path."
    spent: dict[str, int] = {}
    total: dict[str, int] = {}
    for row in run.rows("stages"):
        name = row["workload"]
        total[name] = total.get(name, 0) + row["total_ps"]
        if row["stage"] == "recovery":
            spent[name] = spent.get(name, 0) + row["total_ps"]
    worst = max(spent, key=lambda name: spent[name] / max(1, total[name]), default=None)
    cost = (
        ""
        if worst is None or not spent[worst]
        else f", {show_percent(spent[worst] / total[worst])} of the response time of {worst}"
    )
    count = sum(row["delayed_count"] for row in delayed)
    longest = max(row["response_max_ps"] or 0 for row in delayed)
    return (
        f"A command of {counted(again, 'completed I/O')} was sent again; {show_count(count)} waited"
        f" for a time-out, an abort or a path{cost}. The longest I/O of these workloads took"
        f" {show_time(longest)}."
    )
