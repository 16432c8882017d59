"""A ladder as lines of text, in order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.results.columns import stage_name
from sanlab.words import GROUPING, show_bytes, show_count, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.ladder.ladder import Hop, Ladder, Step

#: Frames of one sequence at one port that are listed one by one.
FRAMES_LISTED = 3

#: Stages on the way that are waits; the others are frames.
WAITS = frozenset({"tx_queue", "loop", "credit_wait"})

#: When, what, where, waits.
Line = tuple[int, list[str]]


def heading(one: Ladder) -> list[str]:
    """What the I/O is, in two or three lines."""
    lines = [
        (
            f"{one.workload} {one.op} of {show_bytes(one.bytes)} at byte "
            f"{show_count(one.offset_bytes)} of {one.lun}, from {one.host}"
        ),
        f"I/O {one.io}: begins at {show_time(one.start_ps)}, takes {show_time(one.response_ps)}",
    ]
    if not one.is_complete:
        lines.append("It was not over when the run ended.")
    elif one.has_failed:
        lines.append("It failed: the application got an error.")
    elif one.is_retried:
        lines.append("A command of it was sent again.")
    return lines


def ladder_lines(one: Ladder, *, with_all: bool = False) -> list[str]:
    """The whole ladder as text: stages in the host and the array, frames between ports.

    Frames of one sequence are one line where they are many, unless `with_all`.
    """
    from_hops = _frames(one, with_all=with_all)
    found = sorted([*_steps(one), *from_hops], key=lambda line: line[0])
    rows = [["after (µs)", "", "", "takes", "waits before", ""]]
    rows += [[after(at - one.start_ps), *cells] for at, cells in found]
    rows.append([after(one.response_ps), one.host, "done" if one.is_complete else "", *[""] * 3])
    widths = [max(len(row[place]) for row in rows) for place in range(6)]
    table = [
        "  ".join(
            cell.rjust(width) if place in {0, 3} else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return [*heading(one), "", *table]


def after(ps: int) -> str:
    """A time since the call, in one unit for the whole column."""
    return f"{ps / 1e6:,.3f}".replace(",", GROUPING)


def _steps(one: Ladder) -> Iterator[Line]:
    """Stages with a place of their own, and waits on the way; the others are frames."""
    has_commands = any(step.command for step in one.steps)
    for step in one.steps:
        is_shown = step.lane is not None or step.stage in WAITS
        if not is_shown or (step.command == 0) == has_commands:
            continue
        yield step.from_ps, _step(one, step, has_commands=has_commands)


def _step(one: Ladder, step: Step, *, has_commands: bool) -> list[str]:
    place = "on the way" if step.lane is None else one.lanes[step.lane].name
    of = f" (command {step.command})" if has_commands else ""
    return [place, f"{stage_name(step.stage)}{of}", show_time(step.to_ps - step.from_ps), "", ""]


def _frames(one: Ladder, *, with_all: bool) -> Iterator[Line]:
    sequences: dict[tuple[object, ...], list[Hop]] = {}
    for hop in one.hops:
        key = hop.exchange, hop.kind, hop.sender, hop.receiver, hop.seq_id
        sequences.setdefault(key, []).append(hop)
    for hops in sequences.values():
        if with_all or len(hops) <= FRAMES_LISTED:
            for hop in hops:
                yield hop.sent_ps, _frame(one, [hop])
        else:
            yield hops[0].sent_ps, _frame(one, hops)


def _frame(one: Ladder, hops: list[Hop]) -> list[str]:
    first, last = hops[0], hops[-1]
    many = f"{len(hops)} frames " if len(hops) > 1 else ""
    size = sum(hop.payload_bytes for hop in hops)
    offset = (
        f" at {show_count(first.offset_bytes)}"
        if first.kind in {"FCP_DATA", "FCP_XFER_RDY"}
        else ""
    )
    waits = [
        f"{show_time(spent)} for {reason}"
        for reason, spent in (
            ("credit", sum(hop.credit_wait_ps for hop in hops)),
            ("the fibre", sum(hop.queue_wait_ps for hop in hops)),
        )
        if spent
    ]
    others = {hop.fate for hop in hops} - {"arrived"}
    of = one.exchanges[first.exchange].kind
    notes = [*sorted(others), *([] if of == "host" else [of.replace("_", " ")])]
    return [
        f"{first.sender} > {first.receiver}",
        f"{first.kind} {many}{show_bytes(size)}{offset}",
        show_time(last.arrived_ps - first.sent_ps),
        ", ".join(waits),
        ", ".join(notes),
    ]
