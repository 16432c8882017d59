"""Ports that waited for BB credit, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.findings.finding import (
    EVIDENCE_SHOWN,
    WAIT_SHARE,
    Evidence,
    Finding,
    not_enough,
    pick,
)
from sanlab.results.ports import (
    SATURATED,
    WAITS,
    busy_while_waiting,
    cause_of_waiting,
    credit_wait_share,
    credits_to_fill,
    on_links,
    queueing,
    waiting_for_credit,
)
from sanlab.words import show_percent

if TYPE_CHECKING:
    from sanlab.results.ports import Cause, Port
    from sanlab.results.run import Run


def find(run: Run) -> list[Finding]:
    """Report the ports that waited for BB credit, grouped by the cause of the wait."""
    ports = on_links(run)
    if not ports and run.rows("ports"):
        return []  # credit on loops belongs to a circuit
    if not ports:
        return [not_enough("credit_wait", "waits for credit", "ports")]
    waiting = waiting_for_credit(run)
    if not waiting:
        longest = max(ports, key=lambda row: row["tx_credit_wait_ps"])
        share = credit_wait_share(run, longest)
        title = "No port waited for BB credit" + (
            "" if share == 0 else f" for longer than {show_percent(WAITS)} of the run"
        )
        return [Finding("credit_wait", "good", title, number=share)]
    by_cause: dict[tuple[str, str], list[tuple[Port, Cause]]] = {}
    for port in waiting:
        cause = cause_of_waiting(run, port)
        # Short waits of one kind are one finding: a large fabric has hundreds of similar ones.
        is_minor = credit_wait_share(run, port) < WAIT_SHARE
        key = (cause.kind, "" if is_minor or cause.kind == "unknown" else cause.port)
        by_cause.setdefault(key, []).append((port, cause))
    return [_credit_finding(run, pairs) for pairs in by_cause.values()]


def _credit_finding(run: Run, pairs: list[tuple[Port, Cause]]) -> Finding:
    worst, cause = pairs[0]
    share = credit_wait_share(run, worst)
    others = len(pairs) - 1
    names = worst["port"] + (f" and {others} more" if others else "")
    because, remedy = _say_cause(run, worst, cause)
    evidence = tuple(
        Evidence(
            "ports",
            {"port": port["port"]},
            pick(port, "tx_credit_wait_ps", "tx_credit_wait_count", "tx_bb_credit")
            | {"caused_by": why.port, "path": " > ".join(why.path)},
        )
        for port, why in pairs[:EVIDENCE_SHOWN]
    )
    return Finding(
        "credit_wait",
        "problem" if share >= WAIT_SHARE else "notice",
        f"{names} had frames to send and no BB credit for {show_percent(share)} of the run,"
        f" {because}",
        remedy,
        share,
        evidence=evidence,
    )


def _say_cause(run: Run, worst: Port, cause: Cause) -> tuple[str, str]:
    ends = cause.path if cause.path[-1] == cause.port else (*cause.path, cause.port)
    way = " > ".join(ends) if len(ends) > 2 else ""
    along = f" Path: {way}." if way else ""
    if cause.kind == "slow":
        return (
            f"because {cause.port} empties its buffers slowly",
            "Repair or rate-limit that device: more credit or links only move the queue." + along,
        )
    if cause.kind == "saturated":
        return (
            f"because {cause.port} downstream is saturated",
            "More bandwidth there, or less load through it, removes the wait." + along,
        )
    if cause.kind == "distance":
        port = next(row for row in run.rows("ports") if row["port"] == cause.port)
        needed = credits_to_fill(run, port)
        return (
            (
                f"because {cause.port} has {port['tx_bb_credit']} credits and its link needs"
                f" {needed:.0f} to stay full"
            ),
            f"Grant {cause.port} at least {needed:.0f} credits for frames of this size." + along,
        )
    if cause.kind == "queued":
        return _say_queued(run, worst, cause, along)
    receiver = next(row for row in run.rows("ports") if row["port"] == worst["peer"])
    outputs = [row for row in run.rows("ports") if row["node"] == receiver["node"]]
    top = max(outputs, key=lambda row: row["tx_utilisation"])
    return (
        f"because {worst['peer']} returned credit late",
        f"Over the whole run no output downstream is saturated; the busiest of {top['node']} is"
        f" {top['port']} with {show_percent(top['tx_utilisation'])}. Short bursts that fill an"
        " output or a growing load can cause this: see the time lines." + along,
    )


def _say_queued(run: Run, worst: Port, cause: Cause, along: str) -> tuple[str, str]:
    output = next(row for row in run.rows("ports") if row["port"] == cause.port)
    others = len(queueing(run, output["node"])) - 1
    more = f" and {others} more outputs of {output['node']}" if others else ""
    while_waiting = busy_while_waiting(run, cause.port, worst["port"])
    busy = f"{cause.port} is busy {show_percent(output['tx_utilisation'])} of the run"
    if while_waiting is not None and while_waiting >= SATURATED:
        meaning = (
            f"{busy}, but {show_percent(while_waiting)} while {worst['port']} waited: it is"
            " saturated for that time. More bandwidth there, or less load through it, removes the"
            " wait."
        )
    else:
        meaning = (
            f"{busy}, so its rate is sufficient. Bursts arrive faster than it sends, and waiting"
            f" frames occupy the buffers of {output['node']}. More buffers there, a faster link, or"
            " smaller bursts (block size, queue depth, a rate limit) shorten the wait."
        )
    frames = output["tx_queue_mean_frames"]
    return (
        f"because frames queue at {cause.port} ({frames:.1f} on average){more}",
        meaning + along,
    )
