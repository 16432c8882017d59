"""Arbitrated loops, their strings and the ports on them that are in use all the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates.case import MATTERS, Candidate
from sanlab.explain.evidence import Evidence, pick
from sanlab.explain.saturation import SATURATED
from sanlab.quantities import counted
from sanlab.results.loops import frames_share, stopped_share, uses_of
from sanlab.words import show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case
    from sanlab.explain.view import Row, View
    from sanlab.results.loops import Use

#: Share of the use of a loop from which frames fill it, and not arbitration.
FRAMES = 0.75
#: Least share of circuits in a loop that is in use: below it ports want a loop that serves none.
CIRCUITS = 0.1
#: Share of the time from which stops of a loop are named.
WORTH_A_WORD = 0.005


def find(case: Case) -> Iterator[Candidate]:
    """Yield the fullest part of a loop that the workload uses."""
    if not case.reach.loops:
        return
    view = case.view
    taken = [
        use
        for use in uses_of(view.run.plan, view.parts("loops"), view.parts("strings"))
        if use.share >= SATURATED
        and use.name.split(" ")[0] in case.reach.loops
        and (use.kind != "loop" or use.row["owned_share"] >= CIRCUITS)
    ]
    if not taken:
        return
    top = max(taken, key=lambda use: (use.name in case.prefer, use.share, use.name))
    others = sum(use.kind == top.kind for use in taken) - 1
    likewise = f", and {others} more {'is' if others == 1 else 'are'} full too" if others else ""
    sentence, remedy, detail, evidence = _words(view, top)
    yield Candidate(
        "loop",
        top.name,
        case.share("loop", "tx_queue", "wire"),
        top.share,
        sentence + likewise,
        remedy,
        detail,
        (evidence,),
    )


def _words(view: View, use: Use) -> tuple[str, str, str, Evidence]:
    """Sentence, remedy, detail and evidence."""
    row, share = use.row, show_percent(use.share)
    if use.kind == "string":
        links = counted(use.members, "link")
        return (
            f"string {use.name} of {links}, held by circuits {share} of the time",
            "more links in the string, or hosts plugged in nearer to the disks they use",
            "",
            Evidence(
                "strings",
                {"loop": row["loop"], "from": row["from"], "to": row["to"]},
                pick(row, "utilisation", "links_count", "circuits_count"),
            ),
        )
    evidence = Evidence(
        "loops",
        {"loop": use.name},
        pick(row, "owned_share", "arbitrating_share", "sending_share", "ports_count", "round_ps"),
    )
    if use.kind == "loop_ports":
        frames = show_percent(min(use.share, row["sending_share"] / use.members))
        ports = counted(use.members, "host port")
        return (
            f"{ports} on {use.name}, in a circuit {share} of the time, {frames} with frames",
            "more ports of hosts on the loop, larger requests, or a higher speed",
            "",
            evidence,
        )
    stops = stopped_share(view.run.plan, use.name, view.window.from_ps, view.window.to_ps)
    stopped = min(row["arbitrating_share"], stops)
    parts = [
        f"{show_percent(row['owned_share'])} by circuits",
        f"{show_percent(row['arbitrating_share'] - stopped)} by arbitration",
        *([f"{show_percent(stopped)} stopped"] if stopped >= WORTH_A_WORD else []),
    ]
    detail = (
        f"{_frames(row)} Arbitration, opening and closing need words that pass around the loop,"
        f" through {use.members} ports in {show_time(row['round_ps'])}."
    )
    remedy = "a higher speed, or a second loop"
    if frames_share(row) < FRAMES * use.share:
        remedy = "larger requests, fewer ports on the loop, or an enclosure with a switch"
    if stopped >= MATTERS:
        remedy = f"a repair of what stops it, or {remedy}"
    in_use = "in use or stopped" if stopped >= WORTH_A_WORD else "in use"
    return (
        f"loop {use.name}, {in_use} {share} of the time: {', '.join(parts)}",
        remedy,
        detail,
        evidence,
    )


def _frames(row: Row) -> str:
    """How much of the time of circuits frames take; in both directions at once they take more."""
    times = row["sending_share"] / row["owned_share"]
    if times <= 1:
        return f"Frames take {show_percent(times)} of the time of the circuits."
    return (
        f"Frames take {times:.2f} times the time of the circuits, since circuits carry them in both"
        " directions at once."
    )
