"""Tables of traces for the engine, one for each device, kept in a cache under their digests.

A trace is read once, in memory that does not grow with its length. Each request becomes a record of
24 bytes, little endian: picoseconds since the first request of the trace (8), first byte on its
device (8), length in the lower 31 bits and a bit for a read (4), requests of the device that were
open when it had come (4; 0 where the trace does not tell). A second look at the same file, size,
time of change, format and unit finds the tables in the cache; `sanlab check` writes them again
after the cache was emptied.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import os
import stat
import struct
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sanlab.errors import refuse
from sanlab.traces.formats import requests_of, trace_kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.traces.formats import TraceKind, TraceRequest

#: File of a run folder with the tables of its traces.
KEPT = "traces.json"
#: First bytes of a table, as the engine expects them.
MAGIC = b"sanlab trace 1\n\0"
_RECORD = struct.Struct("<QQII")
_READ_BIT = 1 << 31
_SECTOR = 512
#: Latest request: 106 days.
_LATEST_PS = 2**63
#: Form of the index of a trace; another one is read again.
_INDEX_FORMAT = 1
_FLUSH_BYTES = 1 << 16
_HEAD_BYTES = 4096
_HASHED_BYTES = 1 << 20
#: Devices of one trace.
MOST_DEVICES = 1000
#: Requests of a device that may be open at once.
MOST_OPEN = 65_535


@dataclass(frozen=True, slots=True)
class DeviceTable:
    """The requests of one device of a trace.

    Attributes
    ----------
    digest
        Name of its table in the cache: BLAKE2b with 128 bits.
    count, reads
        Requests, and the reads among them.
    bytes
        Bytes of all requests.
    largest
        Bytes of the largest request.
    end
        First byte behind all requests.
    length_ps
        When the last request came, since the first one of the trace.
    deepest
        Most requests open at once; 0 where the trace does not tell.
    """

    name: str
    digest: str
    count: int
    reads: int
    bytes: int
    largest: int
    end: int
    length_ps: int
    deepest: int


@dataclass(frozen=True, slots=True)
class TraceTables:
    """The tables of a trace, its devices in the order of their first requests."""

    has_times: bool
    devices: tuple[DeviceTable, ...]


def tables_folder() -> Path:
    """Return the cache of tables, `sanlab/traces` in the user's."""
    parent = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(parent) / "sanlab" / "traces"


def table_path(digest: str) -> Path:
    """Return the file of a table."""
    return tables_folder() / f"{digest}.trace"


def tables_of(path: Path, kind: TraceKind | None, unit: str | None) -> TraceTables:
    """Return the tables of a trace, read now or before; its format is found where none is given.

    Raises
    ------
    ScenarioError
        The file cannot be read or is not a trace, or a line of it is wrong.
    """
    name = str(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            refuse(name, None, "", "This is not a regular file", "Name the file of a trace")
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        refuse(name, None, "", f"The file cannot be read: {error.strerror}", "Check its name")
    found = kind or trace_kind_of(head, path)
    if found is None:
        reason = "The file is not a trace in a format that is recognised"
        refuse(name, 1, "", reason, "Name its format: spc, msr, blkparse, vscsi or an iolog")
    key = json.dumps(
        [str(path.resolve()), status.st_size, status.st_mtime_ns, found, unit or "", _INDEX_FORMAT]
    )
    index = tables_folder() / f"{hashlib.blake2b(key.encode(), digest_size=16).hexdigest()}.json"
    kept = _kept(index)
    if kept is not None:
        return kept
    try:
        tables = _written(path, found, unit)
        text = json.dumps(as_data(tables), indent=1)
        _replace(index, text.encode())
    except OSError as error:
        place = error.filename or str(tables_folder())
        reason = f"The tables of the trace cannot be written to {place}: {error.strerror}"
        refuse(name, None, "", reason, "Make room there, or let XDG_CACHE_HOME name another folder")
    return tables


def as_data(tables: TraceTables) -> dict[str, Any]:
    """Return tables as plain data."""
    return asdict(tables)


def from_data(data: dict[str, Any]) -> TraceTables | None:
    """Return tables from plain data, where all of them are in the cache.

    Raises
    ------
    KeyError, TypeError
        The data are not those of tables.
    """
    devices = tuple(DeviceTable(**one) for one in data["devices"])
    tables = TraceTables(bool(data["has_times"]), devices)
    return tables if all(is_whole(one) for one in tables.devices) else None


def is_whole(table: DeviceTable) -> bool:
    """Whether the cache has this table as it was written."""
    path = table_path(table.digest)
    try:
        status = path.stat()
    except OSError:
        return False
    return (
        status.st_size == len(MAGIC) + table.count * _RECORD.size
        and _digest(path, status.st_size, status.st_mtime_ns) == table.digest
    )


@lru_cache(maxsize=4096)
def _digest(path: Path, _size: int, _mtime_ns: int) -> str:
    """Return the digest of a file that has this size and time of change."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(_HASHED_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _kept(index: Path) -> TraceTables | None:
    """Return tables that were written before, where all of them are still there."""
    try:
        return from_data(json.loads(index.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=".growing-", dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    Path(name).replace(path)


@dataclass(slots=True)
class _Growing:
    """The table of a device while its trace is read."""

    name: str
    path: Path
    buffer: bytearray = field(default_factory=lambda: bytearray(MAGIC))
    digest: Any = field(default_factory=lambda: hashlib.blake2b(digest_size=16))
    count: int = 0
    reads: int = 0
    bytes: int = 0
    largest: int = 0
    end: int = 0
    last_ps: int = 0
    deepest: int = 0
    #: When the requests that are open end.
    ends: list[int] = field(default_factory=list)

    def add(self, one: TraceRequest, at_ps: int, file: str) -> None:
        if (one.offset | one.bytes) % _SECTOR:
            reason = f"A request of {one.bytes} bytes at {one.offset} is not of whole sectors"
            refuse(file, one.line, "offset", reason, f"Use multiples of {_SECTOR} bytes")
        if at_ps > _LATEST_PS:
            reason = (
                f"The request comes {at_ps // 10**12} s after the first one, too long for a run"
            )
            refuse(
                file, one.line, "time", reason, "Check the unit of its times, or split the trace"
            )
        depth = 0
        if one.open_ps is not None:
            while self.ends and self.ends[0] <= at_ps:
                heapq.heappop(self.ends)
            heapq.heappush(self.ends, at_ps + one.open_ps)
            depth = len(self.ends)
            if depth > MOST_OPEN:
                reason = f"More than {MOST_OPEN} requests of '{self.name}' are open"
                refuse(file, one.line, "", reason, "Check the unit of its response times")
        word = one.bytes | (_READ_BIT if one.is_read else 0)
        self.buffer += _RECORD.pack(at_ps, one.offset, word, depth)
        self.count += 1
        self.reads += one.is_read
        self.bytes += one.bytes
        self.largest = max(self.largest, one.bytes)
        self.end = max(self.end, one.offset + one.bytes)
        self.last_ps = at_ps
        self.deepest = max(self.deepest, depth)
        if len(self.buffer) >= _FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        # Open only now: a trace may have more devices than files may be open.
        with self.path.open("ab") as file:
            file.write(self.buffer)
        self.digest.update(self.buffer)
        self.buffer.clear()

    def done(self) -> DeviceTable:
        self.flush()
        digest = self.digest.hexdigest()
        self.path.replace(table_path(digest))
        return DeviceTable(
            name=self.name,
            digest=digest,
            count=self.count,
            reads=self.reads,
            bytes=self.bytes,
            largest=self.largest,
            end=self.end,
            length_ps=self.last_ps,
            deepest=self.deepest,
        )


def _written(path: Path, kind: TraceKind, unit: str | None) -> TraceTables:
    """Read a trace and write its tables."""
    folder = tables_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        growing_in = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix=".growing-", dir=folder))
        )
        tables: dict[str, _Growing] = {}
        has_times = False
        for one, at_ps in _since_first(requests_of(path, kind, unit)):
            has_times = one.at_ps is not None
            table = tables.get(one.device)
            if table is None:
                if len(tables) >= MOST_DEVICES:
                    reason = f"The trace has more than {MOST_DEVICES} devices"
                    refuse(str(path), one.line, "device", reason, "Split it by device")
                table = tables[one.device] = _Growing(one.device, growing_in / str(len(tables)))
            table.add(one, at_ps, str(path))
        if not tables:
            reason = "The trace has no read and no write"
            refuse(str(path), 1, "", reason, "Of blkparse, keep the events Q")
        return TraceTables(has_times, tuple(table.done() for table in tables.values()))


def _since_first(requests: Iterator[TraceRequest]) -> Iterator[tuple[TraceRequest, int]]:
    """Yield requests with their times since the first one; 0 without times."""
    first: int | None = None
    for one in requests:
        if one.at_ps is None:
            yield one, 0
            continue
        if first is None:
            first = one.at_ps
        yield one, one.at_ps - first
