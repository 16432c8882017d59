"""Parallel links that share the load unevenly."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

from sanlab.explain.candidates.links import UNEVEN
from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.findings.finding import EVIDENCE_SHOWN, Finding
from sanlab.words import show_percent

if TYPE_CHECKING:
    from sanlab.results.ports import Port
    from sanlab.results.run import Run

#: Smallest utilisation of the busiest link that is reported.
UNEVEN_FROM = 0.3


def find(run: Run) -> list[Finding]:
    """Report the pairs of switches whose links share the load unevenly."""
    parallel: dict[tuple[str, str], list[Port]] = {}
    nodes = {row["port"]: row["node"] for row in run.rows("ports")}
    for row in run.rows("ports"):
        if row["kind"] == "e_port":
            parallel.setdefault((row["node"], nodes[row["peer"]]), []).append(row)
    uneven = []
    for (here, there), rows in sorted(parallel.items()):
        usual = mean(row["tx_utilisation"] for row in rows)
        top = max(rows, key=lambda row: row["tx_utilisation"])
        if len(rows) > 1 and top["tx_utilisation"] >= max(UNEVEN_FROM, UNEVEN * usual):
            uneven.append((top["tx_utilisation"], usual, top, here, there, rows))
    if not uneven:
        return []
    uneven.sort(key=lambda pair: (-pair[0], pair[3], pair[4]))
    most, usual, top, here, there, rows = uneven[0]
    more = f"; so do {len(uneven) - 1} more pairs of switches" if len(uneven) > 1 else ""
    return [
        Finding(
            "uneven_links",
            "notice",
            f"The {len(rows)} links from {here} to {there} share the load unevenly:"
            f" {show_percent(most)} on {top['port']}, {show_percent(usual)} on average{more}",
            "Routing by exchange spreads the load most evenly; by source and destination it depends"
            " on the pairs that communicate.",
            most / usual,
            evidence=tuple(
                Evidence("ports", {"port": row["port"]}, pick(row, "tx_utilisation"))
                for pair in uneven[:EVIDENCE_SHOWN]
                for row in pair[5]
            ),
        )
    ]
