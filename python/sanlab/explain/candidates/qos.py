"""Rate limits of the fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.explain.candidates.case import Candidate, port_evidence
from sanlab.explain.evidence import Evidence, pick
from sanlab.results.ports import WAITS
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case


def find(case: Case) -> Iterator[Candidate]:
    """Yield the limited port of the workload that waits longest, and its pair held longest."""
    yield from _ingress(case)
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
    return {
        (names[policy["source"]], names[policy["destination"]])
        for policy in _limits(case, "limit", ("source", "destination"))
    }


def _ingress(case: Case) -> Iterator[Candidate]:
    """A port whose frames the fabric takes at a limited rate: it gets its credit back late."""
    view = case.view
    names = [port["name"] for port in view.run.plan["n_ports"]]
    limited = [names[policy["n_port"]] for policy in _limits(case, "ingress", ("n_port",))]
    waiting = [
        view.ports[name]
        for name in limited
        if name in case.reach.ports and view.credit_wait_share(view.ports[name]) >= WAITS
    ]
    if not waiting:
        return
    top = max(waiting, key=lambda row: (row["tx_credit_wait_ps"], row["port"]))
    share = show_percent(view.credit_wait_share(top))
    yield Candidate(
        "qos_limit",
        top["port"],
        case.share("credit_wait", "tx_queue", "switch"),
        None,
        f"the rate limit of the fabric for frames from {top['port']}, which waited {share} of the"
        " time",
        "a higher limit",
        evidence=(port_evidence(top, "tx_credit_wait_ps", "tx_bytes"),),
    )


def _limits(case: Case, kind: str, ends: tuple[str, ...]) -> list[dict[str, Any]]:
    """Policies of a kind with a limit that holds in the window, or in a part of it."""
    window = case.view.window
    found: dict[tuple[int, ...], dict[str, Any]] = {}
    for change in case.view.run.plan["qos"]:
        policy = change["policy"]
        if policy["kind"] != kind or change["at_ps"] >= window.to_ps:
            continue
        key = tuple(policy[end] for end in ends)
        if policy["limit"] is not None:
            found[key] = policy
        elif change["at_ps"] <= window.from_ps:
            found.pop(key, None)
    return list(found.values())
