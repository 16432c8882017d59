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
    from sanlab.explain.view import Row

#: Frames that wait on average from which the limit of their pair holds them.
HELD = 1.0
#: Share of a rate that is used from which it holds frames, however few.
NEARLY = 0.8
#: Share from which all of it is used.
REACHED = 0.99
PS_PER_S = 1e12


def find(case: Case) -> Iterator[Candidate]:
    """Yield the limited port of the workload that waits longest, and its pair held longest."""
    yield from _ingress(case)
    own = _limited(case)
    held = [
        row
        for row in (case.view.parts("pairs") if own else ())
        if row["held_ps"]
        and (row["source"], row["destination"]) in case.reach.pairs
        and _binds(case, row, own.get((row["source"], row["destination"])))
    ]
    if not held:
        return
    top = max(held, key=lambda row: row["held_ps"])
    frames = top["held_ps"] / max(1, case.view.window.span_ps)
    where = {key: top[key] for key in ("port", "source", "destination")}
    used = _used(case, top, own[top["source"], top["destination"]])
    yield Candidate(
        "qos_limit",
        f"{top['source']} to {top['destination']}",
        case.share("switch", "tx_queue", "credit_wait"),
        None,
        f"the rate limit of the fabric from {top['source']} to {top['destination']}, which held"
        f" {frames:.1f} frames on average",
        "a higher limit",
        evidence=(Evidence("pairs", where, pick(top, "held_ps", "tx_bytes")),),
        is_reached=used is not None and used >= REACHED,
    )


def _limited(case: Case) -> dict[tuple[str, str], dict[str, Any]]:
    """Limits of the window by the pair of N_Ports."""
    names = case.view.evidences.n_ports
    return {
        (names[policy["source"]], names[policy["destination"]]): policy["limit"]
        for policy in _limits(case, "limit", ("source", "destination"))
    }


def _binds(case: Case, row: Row, limit: dict[str, Any] | None) -> bool:
    """Whether a pair is held at its limit: by frames in the queue, or most of its rate is used."""
    if limit is None:
        return False
    frames = row["held_ps"] / max(1, case.view.window.span_ps)
    used = _used(case, row, limit)
    return used is None or frames >= HELD or used >= NEARLY


def _used(case: Case, row: Row, limit: dict[str, Any]) -> float | None:
    """Share of a limit that its pair uses; None for slots of a wheel."""
    if limit["kind"] != "rate":
        return None
    return float(row["tx_bytes"] / (limit["bytes_per_s"] * case.view.window.span_ps / PS_PER_S))


def _ingress(case: Case) -> Iterator[Candidate]:
    """A port whose frames the fabric takes at a limited rate: it gets its credit back late."""
    view = case.view
    names = view.evidences.n_ports
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
