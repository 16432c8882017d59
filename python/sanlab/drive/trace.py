"""Traces of commands to one drive, one outstanding: each comes a pause after the last one ended."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.drive.parameters import read_text
from sanlab.errors import Problem, ScenarioError
from sanlab.quantities import QuantityError, parse_time

if TYPE_CHECKING:
    from pathlib import Path

PS_PER_US = 10**6
#: Longest pause, 10^6 s as elsewhere.
MAX_WAIT_US = 1e12
_READS = {"r", "read"}
_WRITES = {"w", "write"}


@dataclass(frozen=True)
class Trace:
    """Commands in their order.

    Attributes
    ----------
    is_read
        Reads; the others are writes.
    blocks
        First block and number of blocks of each.
    wait_ps
        Pause between its completion and the next command.
    measured_ps
        What a real drive took, None if the trace does not say.
    lines
        Line of the file each stands in.
    """

    file: str
    is_read: list[bool]
    blocks: list[tuple[int, int]]
    wait_ps: list[int]
    measured_ps: list[int] | None
    lines: list[int]

    def __len__(self) -> int:
        return len(self.is_read)


def read_trace(path: Path, capacity: int) -> Trace:
    """Read a trace for a drive of `capacity` blocks.

    Lines of four columns are `R BLOCK BLOCKS WAIT`, with the wait in microseconds or with its unit.
    Lines of six are those of DiskSim's validation: `R Hit BLOCK BLOCKS MEASURED WAIT`, both times
    in microseconds. The second column of these, whether the real drive found it in its buffer, is
    not read. `#` begins a comment.

    Raises
    ------
    ScenarioError
        With the line that cannot be a command of this drive.
    """
    trace = Trace(str(path), [], [], [], [], [])
    width = 0
    for number, line in enumerate(read_text(path).splitlines(), 1):
        columns = line.partition("#")[0].replace(",", " ").split()
        if not columns:
            continue
        width = width or len(columns)
        if len(columns) not in {4, 6} or len(columns) != width:
            wanted = width if width in {4, 6} else "4 or 6"
            raise _problem(
                trace,
                number,
                f"{len(columns)} columns instead of {wanted}",
                "Write 'R BLOCK BLOCKS WAIT'",
            )
        _append(trace, number, columns, capacity)
    if not trace:
        raise _problem(
            trace, 1, "The trace has no commands", "Write 'R BLOCK BLOCKS WAIT' on a line"
        )
    measured = trace.measured_ps if width == 6 else None
    return Trace(trace.file, trace.is_read, trace.blocks, trace.wait_ps, measured, trace.lines)


def _append(trace: Trace, number: int, columns: list[str], capacity: int) -> None:
    kind = columns[0].lower()
    if kind not in _READS | _WRITES:
        raise _problem(
            trace, number, f"'{columns[0]}' is neither a read nor a write", "Write R or W"
        )
    block, blocks = (
        _whole(trace, number, text)
        for text in (columns[1:3] if len(columns) == 4 else columns[2:4])
    )
    if blocks == 0:
        raise _problem(trace, number, "The command has no blocks", "Write at least 1 block")
    if block + blocks > capacity:
        reason = f"Block {block + blocks - 1} is beyond the last one of the drive, {capacity - 1}"
        raise _problem(trace, number, reason, "Use a trace of a drive that is not larger")
    trace.is_read.append(kind in _READS)
    trace.blocks.append((block, blocks))
    trace.wait_ps.append(_time(trace, number, columns[-1]))
    if len(columns) == 6 and trace.measured_ps is not None:
        trace.measured_ps.append(_time(trace, number, columns[4]))
    trace.lines.append(number)


def _whole(trace: Trace, number: int, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise _problem(
            trace, number, f"'{text[:40]}' is not a block number", "Write a whole number"
        )
    return int(text)


def _time(trace: Trace, number: int, text: str) -> int:
    try:
        us = float(text)
    except ValueError:
        try:
            return parse_time(text)
        except QuantityError as error:
            raise _problem(trace, number, error.reason, error.remedy) from None
    if not math.isfinite(us) or not 0 <= us <= MAX_WAIT_US:
        raise _problem(
            trace, number, f"'{text[:40]}' is not a time", "Write microseconds of at least 0"
        )
    return round(us * PS_PER_US)


def _problem(trace: Trace, line: int, reason: str, remedy: str) -> ScenarioError:
    return ScenarioError([Problem(trace.file, line, None, "", reason, remedy)])
