"""I/Os failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding, workload_evidence
from sanlab.explain.reach import reaches
from sanlab.words import show_count

if TYPE_CHECKING:
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Count the I/Os that failed, worst workload first, and say why."""
    rows = [row for row in run.rows("workloads") if row.get("error_count")]
    if not rows:
        return []
    rows.sort(key=lambda row: (-row["error_count"], row["workload"], row["op"]))
    failed = sum(row["error_count"] for row in rows)
    worst = rows[0]
    ios = f"{show_count(failed)} {'I/O' if failed == 1 else 'I/Os'}"
    title = f"{ios} of {worst['workload']} failed"
    if len(rows) > 1:
        most = show_count(worst["error_count"])
        title = f"{ios} failed, {most} of them of {worst['workload']}"
    return [
        Finding(
            "errors",
            "problem",
            title,
            f"{_reason(run, worst['workload'])} Response times and rates include only completed"
            " I/Os, so they look better than what the applications saw.",
            failed,
            evidence=tuple(
                workload_evidence(row, "error_count", "io_count") for row in rows[:EVIDENCE_SHOWN]
            ),
        )
    ]


def _reason(run: Run, workload: str) -> str:
    """Say why I/Os of a workload failed, as far as the plan and the paths tell."""
    reach = reaches(run).get(workload) if run.plan["jobs"] else None
    if reach is None:
        return "No response arrived within the time-out of the HBA."
    ports = [port["name"] for port in run.plan["n_ports"]]
    services = run.plan["services"] or {"apart": []}
    for row in services["apart"]:
        if (ports[row["a"]], ports[row["b"]]) in reach.pairs and row["reason"]:
            return f"{ports[row['a']]} does not see {ports[row['b']]}: {row['reason']}."
    lost = [
        row["path"]
        for row in run.rows("paths")
        if (row["initiator"], row["target"]) in reach.pairs and row["losses_count"]
    ]
    if lost:
        return f"Its paths were lost ({lost[0]}), and no other path took over in time."
    return "No response arrived within the time-out of the HBA, after all retries."
