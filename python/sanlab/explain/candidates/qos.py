"""Rate limits of the fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates.case import Candidate
from sanlab.explain.evidence import Evidence, pick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case


def find(case: Case) -> Iterator[Candidate]:
    """Yield the limited pair of the workload whose frames were held longest."""
    own = _limited(case) & case.reach.pairs
    if not own:
        return
    held = [
        row
        for row in case.view.run.rows("pairs")
        if (row["source"], row["destination"]) in own and row["held_ps"]
    ]
    if not held:
        return
    top = max(held, key=lambda row: row["held_ps"])
    frames = top["held_ps"] / max(1, case.view.run.manifest.simulated_ps)
    where = {key: top[key] for key in ("port", "source", "destination")}
    yield Candidate(
        "qos_limit",
        f"{top['source']} to {top['destination']}",
        case.share("switch", "tx_queue", "credit_wait"),
        None,
        f"the rate limit of the fabric from {top['source']} to {top['destination']}, which held"
        f" {frames:.1f} frames on average",
        "a higher limit",
        evidence=(Evidence("pairs", where, pick(top, "held_ps", "tx_bytes")),),
    )


def _limited(case: Case) -> set[tuple[str, str]]:
    """Pairs of N_Ports with a limit in the window."""
    plan = case.view.run.plan
    names = [port["name"] for port in plan["n_ports"]]
    found: set[tuple[str, str]] = set()
    for change in plan["qos"]:
        policy = change["policy"]
        if change["at_ps"] >= case.view.window.to_ps:
            continue
        if policy["kind"] == "limit":
            pairs = {(names[policy["source"]], names[policy["destination"]])}
        elif policy["kind"] == "ingress":
            source = names[policy["n_port"]]
            pairs = {pair for pair in case.reach.pairs if pair[0] == source}
        else:
            continue
        if policy["limit"] is not None:
            found |= pairs
        elif change["at_ps"] <= case.view.window.from_ps:
            found -= pairs
    return found
