"""Block traces as a stream of requests, one at a time.

=========  ==================================================  =====================
format     a line                                              time, unless said
=========  ==================================================  =====================
iolog v2   `file action offset length`, no times               none
iolog v3   `time file action offset length`                    us from the start
blkparse   `dev cpu seq time pid event rwbs sector + n`        s; 512-byte sectors
MSR        `time,host,disk,type,offset,size,response`          100 ns (FILETIME)
SPC        `asu,lba,size,opcode,time`                          s; 512-byte blocks
vscsi      32 bytes: serial, length, segments, opcode,         us; 512-byte blocks
           version, block, time, little endian
=========  ==================================================  =====================
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Literal, NoReturn

from sanlab.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TraceKind = Literal["iolog-v2", "iolog-v3", "blkparse", "msr", "spc", "vscsi"]
TraceUnit = Literal["s", "ms", "us", "100ns", "ns"]
#: Picoseconds of each unit of time.
UNITS = {"s": 10**12, "ms": 10**9, "us": 10**6, "100ns": 10**5, "ns": 10**3}
_UNIT_OF = {"iolog-v3": "us", "blkparse": "s", "msr": "100ns", "spc": "s", "vscsi": "us"}
_SECTOR = 512
_MAX_REQUEST = 2**26
_MAX_ADDRESS = 2**60
_LONGEST_LINE = 4096
_MOST_DIGITS = 19
_TENS: list[int] = [10**digits for digits in range(_MOST_DIGITS + 1)]
_VSCSI = struct.Struct("<IIIHHQQ")
#: Names of columns that some copies of MSR's traces begin with.
_MSR_HEADER = re.compile(r"timestamp,host\w*,disk\w*,type,", re.IGNORECASE)
_READS, _WRITES = frozenset({0x08, 0x28, 0x88, 0xA8}), frozenset({0x0A, 0x2A, 0x8A, 0xAA})


@dataclass(slots=True)
class TraceRequest:
    """A read or write: when it was asked for and for how long it was open, where known.

    Nothing changes one. It is not frozen because that doubles the time to make one, and traces have
    millions.
    """

    line: int
    device: str
    at_ps: int | None
    is_read: bool
    offset: int
    bytes: int
    open_ps: int | None = None


def trace_kind_of(head: bytes, path: Path) -> TraceKind | None:
    """Return the kind of trace a file is by its first bytes; None for any other file."""
    if path.suffix.lower() == ".vscsi" and head:
        return "vscsi"
    lines = head.decode("utf-8", errors="replace").lstrip("\ufeff").splitlines()
    shown = [line.strip() for line in lines if line.strip()]
    if shown and _MSR_HEADER.match(shown[0]):
        shown = shown[1:]
    first = shown[0] if shown else ""
    if found := re.fullmatch(r"fio version ([23]) iolog", first):
        return "iolog-v2" if found[1] == "2" else "iolog-v3"
    if re.match(r"\d+,\d+\s+\d+\s+\d+\s+\d+\.\d+\s", first):
        return "blkparse"
    if re.match(r"\d+,[^,]*,\d+,(Read|Write),\d+,\d+,\d+$", first, re.IGNORECASE):
        return "msr"
    if re.match(r"\d+,\d+,\d+,[rw],[\d.]+", first, re.IGNORECASE):
        return "spc"
    return None


def requests_of(
    path: Path,
    kind: TraceKind,
    unit: str | None,
    left_out: dict[str, tuple[int, int]] | None = None,
) -> Iterator[TraceRequest]:
    """Yield the reads and writes of a trace.

    Parameters
    ----------
    left_out
        Takes what is neither: its name, how often it is there, and the first line.

    Raises
    ------
    ScenarioError
        At the first line that is none, or whose time is before the last one's.
    """
    scale = UNITS[unit or _UNIT_OF.get(kind, "us")]
    reader = _Reader(str(path), scale, {} if left_out is None else left_out)
    last: int | None = None
    rows = reader.records(path) if kind == "vscsi" else reader.lines(path, _PARSERS[kind])
    for one in rows:
        if one.at_ps is not None and last is not None and one.at_ps < last:
            reason = "The time runs backwards: it is before that of the request before"
            reader.refuse(one.line, "time", reason, "Sort the file by time")
        last = one.at_ps
        if one.bytes > _MAX_REQUEST or one.offset + one.bytes > _MAX_ADDRESS:
            reason = f"A request of {one.bytes} bytes at {one.offset} is out of range"
            reader.refuse(one.line, "length", reason, "Requests have up to 64 MiB, LUNs 1 EiB")
        yield one


class _Reader:
    def __init__(self, file: str, scale: int, left_out: dict[str, tuple[int, int]]) -> None:
        self.file = file
        self.scale = scale
        self.left_out = left_out

    def leave_out(self, line: int, what: str) -> None:
        """Count a line that is neither a read nor a write."""
        count, first = self.left_out.get(what, (0, line))
        self.left_out[what] = (count + 1, first)

    def refuse(self, line: int, key: str, reason: str, remedy: str) -> NoReturn:
        refuse(self.file, line, key, reason, remedy)

    def lines(self, path: Path, parse: _Parser) -> Iterator[TraceRequest]:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(_LONGEST_LINE):
                number += 1
                if b"\0" in raw or (len(raw) == _LONGEST_LINE and not raw.endswith(b"\n")):
                    reason = "The line is not text, or is longer than 4096 characters"
                    self.refuse(number, "", reason, "Name a trace in one of the formats known")
                # Only the first line may begin with a mark of its encoding.
                text = raw.decode("utf-8" if number > 1 else "utf-8-sig", "replace").strip()
                if text and not text.startswith("#"):
                    found = parse(self, number, text)
                    if found is not None:
                        yield found

    def records(self, path: Path) -> Iterator[TraceRequest]:
        with path.open("rb") as file:
            number = 0
            while raw := file.read(_VSCSI.size):
                number += 1
                if len(raw) < _VSCSI.size:
                    reason = f"The file is cut off: record {number} has {len(raw)} bytes of 32"
                    self.refuse(number, "", reason, "Copy the whole file")
                _, length, _, opcode, version, block, at = _VSCSI.unpack(raw)
                if version >> 8 != 1:
                    reason = f"Record {number} is of version {version >> 8}, not 1"
                    self.refuse(number, "version", reason, "Name a vscsi trace of version 1")
                if opcode in _READS | _WRITES and length:
                    is_read = opcode in _READS
                    at_ps = at * self.scale
                    yield TraceRequest(number, "disk", at_ps, is_read, block * _SECTOR, length)
                else:
                    self.leave_out(number, "other commands")

    def whole(self, line: int, key: str, text: str) -> int:
        if not (text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS):
            reason = f"'{text}' is not a whole number"
            self.refuse(line, key, reason, "Write digits alone")
        return int(text)

    def time(self, line: int, text: str) -> int:
        whole, _, part = text.partition(".")
        digits = whole + part
        if digits.isdecimal() and digits.isascii() and len(digits) <= _MOST_DIGITS:
            return int(digits) * self.scale // _TENS[len(part)]
        try:
            found = Decimal(text)
        except InvalidOperation:
            found = Decimal(-1)
        if not found.is_finite() or not 0 <= found < 10**20:
            self.refuse(line, "time", f"'{text}' is not a time", "Write a number of 0 or more")
        return int(found * self.scale)

    def columns(self, line: int, text: str, count: int) -> list[str]:
        columns = list(map(str.strip, text.split(",")))
        if len(columns) < count:
            reason = f"The line has {len(columns)} columns, and {count} belong"
            self.refuse(line, "", reason, "Copy the whole line; the file may be cut off")
        return columns


if TYPE_CHECKING:
    _Parser = Callable[[_Reader, int, str], TraceRequest | None]


def _direction(reader: _Reader, line: int, text: str) -> bool:
    word = text.lower()
    if word not in {"r", "w", "read", "write"}:
        reason = f"'{text}' is neither a read nor a write"
        reader.refuse(line, "operation", reason, "Write R or W")
    return word[0] == "r"


#: Actions of an iolog that are neither reads nor writes, and what they are called.
_IOLOG_OTHERS = {
    **dict.fromkeys(("add", "open", "close"), ""),
    **dict.fromkeys(("sync", "datasync"), "flushes"),
    "wait": "waits",
    "trim": "discards",
}


def _iolog(reader: _Reader, line: int, text: str, *, has_time: bool) -> TraceRequest | None:
    if line == 1:
        return None
    words = text.split()
    at = None
    if has_time:
        at = reader.time(line, words[0])
        words = words[1:]
    if len(words) < 2:
        reader.refuse(line, "", f"'{text}' is not a line of an iolog", "Copy the whole file")
    if words[1] in _IOLOG_OTHERS:
        if what := _IOLOG_OTHERS[words[1]]:
            reader.leave_out(line, what)
        return None
    if len(words) != 4:
        reason = f"'{text}' is not 'file action offset length'"
        reader.refuse(line, "", reason, "Copy the whole line; the file may be cut off")
    is_read = _direction(reader, line, words[1])
    offset, length = (reader.whole(line, "offset", word) for word in words[2:])
    return TraceRequest(line, words[0], at, is_read, offset, length) if length else None


def _blkparse(reader: _Reader, line: int, text: str) -> TraceRequest | None:
    words = text.split()
    # Behind the events stands a summary of each processor.
    if len(words) < 7 or not re.fullmatch(r"\d+,\d+", words[0]):
        return None
    if words[5] != "Q":
        return None  # another step of a request
    if not re.search("[RW]", words[6]) or "D" in words[6]:
        if words[6] != "N":
            reader.leave_out(line, "discards" if "D" in words[6] else "flushes")
        return None
    if len(words) < 10 or words[8] != "+":
        if "F" in words[6]:
            reader.leave_out(line, "flushes")
            return None
        reason = f"'{text}' has no 'sector + count'"
        reader.refuse(line, "", reason, "Copy the whole line; the file may be cut off")
    at = reader.time(line, words[3])
    sector, count = (reader.whole(line, "sector", words[place]) for place in (7, 9))
    is_read = "R" in words[6]
    return TraceRequest(line, words[0], at, is_read, sector * _SECTOR, count * _SECTOR)


def _msr(reader: _Reader, line: int, text: str) -> TraceRequest | None:
    if line == 1 and _MSR_HEADER.match(text):
        return None
    columns = reader.columns(line, text, 7)
    offset, length = (reader.whole(line, "offset", text) for text in columns[4:6])
    at, opened = reader.time(line, columns[0]), reader.time(line, columns[6])
    is_read = _direction(reader, line, columns[3])
    device = f"{columns[1]}.{columns[2]}"
    return TraceRequest(line, device, at, is_read, offset, length, opened) if length else None


def _spc(reader: _Reader, line: int, text: str) -> TraceRequest | None:
    columns = reader.columns(line, text, 5)
    block, length = (reader.whole(line, "lba", text) for text in columns[1:3])
    is_read = _direction(reader, line, columns[3])
    at = reader.time(line, columns[4])
    device = f"asu{columns[0]}"
    return TraceRequest(line, device, at, is_read, block * _SECTOR, length) if length else None


_PARSERS: dict[str, _Parser] = {
    "iolog-v2": lambda *of: _iolog(*of, has_time=False),
    "iolog-v3": lambda *of: _iolog(*of, has_time=True),
    "blkparse": _blkparse,
    "msr": _msr,
    "spc": _spc,
}
