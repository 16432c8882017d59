"""Ports that waited for BB credit, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.credit import (
    cause_of_waiting,
    queueing,
    say_shortage,
)
from sanlab.explain.credit_tree import TICK_PS, trees_of
from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.findings.finding import EVIDENCE_SHOWN, WAIT_SHARE, Finding, not_enough
from sanlab.explain.saturation import SATURATED
from sanlab.explain.view import Evidences
from sanlab.explain.window import whole
from sanlab.results.ports import WAITS, busy_while_waiting
from sanlab.words import show_count, show_percent

if TYPE_CHECKING:
    from sanlab.explain.credit import Cause
    from sanlab.explain.credit_tree import Waiting
    from sanlab.explain.view import Row, View
    from sanlab.results.run import Run

#: Senders behind one port that a finding names.
SENDERS_SHOWN = 4
#: Kinds of causes that need no number, in words behind the port.
_BECAUSE = {
    "slow": "empties its buffers slowly",
    "saturated": "downstream is saturated",
    "lost": "has lost credit",
}


def find(run: Run) -> list[Finding]:
    """Report the ports that waited for BB credit, grouped by the cause of the wait.

    A wait alone is not a problem: whether it costs a workload anything is a question of what limits
    the workload. For plain traffic it is one.
    """
    view = Evidences(run).view(whole(run))
    if not view.ports and run.rows("ports"):
        return []  # credit on loops belongs to a circuit
    if not view.ports:
        return [not_enough("credit_wait", "waits for credit", "ports")]
    ranked = sorted(view.ports.values(), key=lambda row: (-row["tx_credit_wait_ps"], row["port"]))
    waiting = [row for row in ranked if view.credit_wait_share(row) > WAITS]
    if not waiting:
        share = view.credit_wait_share(ranked[0])
        title = "No port waited for BB credit" + (
            "" if share == 0 else f" for longer than {show_percent(WAITS)} of the run"
        )
        return [Finding("credit_wait", "good", title, number=share)]
    by_cause: dict[tuple[str, str], list[tuple[Row, Cause]]] = {}
    for port in waiting:
        cause = cause_of_waiting(view, port)
        # Short waits of one kind are one finding: a large fabric has hundreds of similar ones.
        is_minor = view.credit_wait_share(port) < WAIT_SHARE
        key = (cause.kind, "" if is_minor or cause.kind == "unknown" else cause.port)
        by_cause.setdefault(key, []).append((port, cause))
    return [_finding(view, pairs) for pairs in by_cause.values()]


def _finding(view: View, pairs: list[tuple[Row, Cause]]) -> Finding:
    worst, cause = pairs[0]
    share = view.credit_wait_share(worst)
    others = len(pairs) - 1
    names = worst["port"] + (f" and {others} more" if others else "")
    because, detail = _say_cause(view, worst, cause)
    way = " > ".join(dict.fromkeys((*cause.path, cause.port)))
    further = _senders(view, pairs) + _counters(view, [port for port, _ in pairs])
    evidence = tuple(
        Evidence(
            "ports",
            {"port": port["port"]},
            pick(port, "tx_credit_wait_ps", "tx_credit_wait_count", "tx_bb_credit")
            | {"caused_by": why.port, "path": " > ".join(why.path)},
        )
        for port, why in pairs[:EVIDENCE_SHOWN]
    )
    is_problem = share >= WAIT_SHARE and not view.run.plan["jobs"]
    return Finding(
        "credit_wait",
        "problem" if is_problem else "notice",
        f"{names} had frames to send and no BB credit for {show_percent(share)} of the run,"
        f" {because}",
        f"{detail} Path to the cause: {way}.{further}".strip(),
        share,
        evidence=evidence,
    )


def _senders(view: View, pairs: list[tuple[Row, Cause]]) -> str:
    """Say who waits behind whom, from the cause back to the senders; empty for one way alone."""
    trees = trees_of(view, (cause for _, cause in pairs))
    if not any(_branches(tree) for tree in trees):
        return ""
    return f" Who waits for whom, and how long: {'; '.join(_told(tree) for tree in trees)}."


def _branches(node: Waiting) -> bool:
    """Whether several ports wait for one in a tree."""
    return len(node.senders) > 1 or any(_branches(sender) for sender in node.senders)


def _told(node: Waiting) -> str:
    """A tree in one line."""
    waits = f" {show_percent(node.share)}" if node.share > WAITS else ""
    shown = [_told(one) for one in node.senders[:SENDERS_SHOWN]]
    if len(node.senders) > SENDERS_SHOWN:
        shown.append(f"{len(node.senders) - SENDERS_SHOWN} more")
    if not shown:
        return f"{node.port}{waits}"
    return f"{node.port}{waits} < " + (shown[0] if len(shown) == 1 else f"({', '.join(shown)})")


def _counters(view: View, ports: list[Row]) -> str:
    """Say what a switch counts for its port that waits longest; empty if none is of a switch."""
    port = next((row for row in ports if row["kind"] != "n_port"), None)
    if port is None:
        return ""
    share = show_percent(view.credit_wait_share(port))
    ticks = show_count(round(port["tx_credit_wait_ps"] / TICK_PS))
    return (
        f" A switch counts the wait of {port['port']} as TxWait, {share}, or as tim_txcrd_z,"
        f" {ticks} ticks of 2.5 µs."
    )


def _say_cause(view: View, worst: Row, cause: Cause) -> tuple[str, str]:
    if cause.station is not None:
        return f"because {cause.station.name} behind {cause.port} is busy", ""
    if cause.kind in _BECAUSE:
        return f"because {cause.port} {_BECAUSE[cause.kind]}", ""
    if cause.kind == "distance":
        port = view.ports[cause.port]
        shortage = say_shortage(view.run.plan, port)
        return f"because {cause.port} has a BB credit of {shortage}", ""
    if cause.kind == "queued":
        return _say_queued(view, worst, cause)
    receiver = view.ports.get(worst["peer"], worst)
    top = max(view.outputs[receiver["node"]], key=lambda row: row["tx_utilisation"])
    detail = (
        f"Over the whole run no output downstream is saturated; the busiest of {top['node']} is"
        f" {top['port']} with {show_percent(top['tx_utilisation'])}. Short bursts that fill an"
        " output or a growing load can cause this: see the time lines."
    )
    return f"because {worst['peer']} returned credit late", detail


def _say_queued(view: View, worst: Row, cause: Cause) -> tuple[str, str]:
    output = view.ports[cause.port]
    others = len(queueing(view, output["node"])) - 1
    more = f" and {others} more outputs of {output['node']}" if others > 0 else ""
    while_waiting = busy_while_waiting(view.run, cause.port, worst["port"])
    detail = f"{cause.port} is busy {show_percent(output['tx_utilisation'])} of the run"
    if while_waiting is not None and while_waiting >= SATURATED:
        detail += f", but {show_percent(while_waiting)} while {worst['port']} waited."
    else:
        detail += ": frames come in bursts, or something holds them back there."
    frames = output["tx_queue_mean_frames"]
    return f"because frames queue at {cause.port} ({frames:.1f} on average){more}", detail
