"""The busiest link of a run without I/O: what limits plain traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.explanation import explain_flows
from sanlab.explain.findings.finding import Finding, not_enough
from sanlab.explain.saturation import SATURATED
from sanlab.explain.view import Evidences
from sanlab.explain.window import whole
from sanlab.words import show_percent

if TYPE_CHECKING:
    from sanlab.explain.view import Row, View
    from sanlab.results.run import Run

#: Smallest share of the run, sending and waiting for credit together, at which credit is the limit.
STARVED = 0.95


def find(run: Run) -> list[Finding]:
    """Report the busiest link, and whether it or its credit limits the run."""
    if run.plan["jobs"]:
        return []  # the limits of workloads tell more
    if any(not one.overall.is_harmless for one in explain_flows(run)):
        return []  # and so do those of streams
    view = Evidences(run).view(whole(run))
    if not view.ports:
        return [not_enough("busiest_element", "what limits the run", "ports or workloads")]
    top = max(view.ports.values(), key=lambda row: (row["tx_utilisation"], row["port"]))
    share = top["tx_utilisation"]
    link = f"link from {top['port']} to {top['peer']} ({top['speed']})"
    evidence = (Evidence("ports", {"port": top["port"]}, pick(top, "tx_utilisation", "tx_bytes")),)
    if share >= SATURATED:
        title = f"The run is limited by the {link}, busy {show_percent(share)} of the time"
        detail = "Not tried: a faster link, or another one beside it."
        return [Finding("limit_link", "problem", title, detail, share, evidence=evidence)]
    starved = _starved(view)
    if starved is not None:
        return [starved]
    title = f"The busiest element is the {link}: {show_percent(share)}"
    detail = "Nothing is saturated."
    return [Finding("busiest_element", "notice", title, detail, share, evidence=evidence)]


def _starved(view: View) -> Finding | None:
    """A transmitter that always has a frame, and is limited by its credit."""

    def together(row: Row) -> float:
        return float(row["tx_utilisation"]) + view.credit_wait_share(row)

    top = max(view.ports.values(), key=lambda row: (together(row), row["port"]))
    if together(top) < STARVED:
        return None
    waits = view.credit_wait_share(top)
    return Finding(
        "limit_credit",
        "problem",
        f"The run is limited by the BB credit of {top['port']}: it sends"
        f" {show_percent(top['tx_utilisation'])} of the time and waits for credit"
        f" {show_percent(waits)}",
        "The finding on credit names the cause of the wait.",
        waits,
        evidence=(
            Evidence(
                "ports", {"port": top["port"]}, pick(top, "tx_utilisation", "tx_credit_wait_ps")
            ),
        ),
    )
