"""A transmitter whose rate is limited by BB credit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Evidence, Finding, pick
from sanlab.results.ports import cause_of_waiting, credit_wait_share, on_links
from sanlab.words import show_percent

if TYPE_CHECKING:
    from sanlab.results.run import Run

#: Smallest share of the run, sending and waiting for credit together, at which credit is the limit.
STARVED = 0.95


def credit_limited(run: Run) -> Finding | None:
    """Return a finding on the transmitter that always has a frame and is limited by credit."""
    rows = [(row["tx_utilisation"] + credit_wait_share(run, row), row) for row in on_links(run)]
    rows = [(together, row) for together, row in rows if together >= STARVED]
    if not rows:
        return None
    rows.sort(key=lambda pair: -pair[0])
    causes = [(row, cause_of_waiting(run, row)) for _, row in rows[:EVIDENCE_SHOWN]]
    own = [row for row, cause in causes if cause.kind == "distance" and cause.port == row["port"]]
    port = own[0] if own else rows[0][1]
    waits = credit_wait_share(run, port)
    evidence = Evidence(
        "ports", {"port": port["port"]}, pick(port, "tx_utilisation", "tx_credit_wait_ps")
    )
    others = "" if own or len(rows) == 1 else f" (as do {len(rows) - 1} more)"
    return Finding(
        "credit_limited",
        "problem",
        f"The credit of {port['port']} limits the run: it sends"
        f" {show_percent(port['tx_utilisation'])} of the time and waits for BB credit the other"
        f" {show_percent(waits)}{others}",
        "Its fibre is not full, but it always has a frame to send. The finding on credit explains"
        " the cause of the wait.",
        waits,
        evidence=(evidence,),
    )
