"""The folder of a sweep: one growing Parquet data set, intact after any crash of its writer.

```text
sweeps/queue-depth-knee/
  sweep.json             what was asked for
  scenario.yaml          as it was written
  points/part-*.parquet  rows of finished points; together one data set
  sweep.html             for people
  lock                   held by the process that writes here
```

A finished point is a part of its own, written under a temporary name, synced and renamed: it is
there whole or not at all. Every 64 parts are merged into one of the next level, the same way, and
the small ones removed after that; what stands twice because that was cut short is removed when the
folder is opened the next time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from sanlab.errors import RunError, SanlabError
from sanlab.simulation.folder import named, names_from, refuse_unwritable, write_file
from sanlab.simulation.tables import unit_of
from sanlab.sweeps.syntax import is_integer, magnitude

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sanlab.sweeps.measure import Row

#: Version of the folder's form.
FORMAT = 1
#: Default parent of sweep folders, below the current directory.
DEFAULT_PARENT = Path("sweeps")
#: Parts of one level that are merged into one of the next.
MERGED = 64
#: Tries to read a data set whose parts are being merged.
READS = 100

_PART = re.compile(r"part-(\d)-(\d+)\.parquet")

#: Columns of a point besides its parameters: type and meaning.
COLUMNS: dict[str, tuple[pa.DataType, str]] = {
    "point": (pa.string(), "key: hash of setting, plan, seed and versions"),
    "repeat": (pa.int64(), "counts from 0"),
    "seed": (pa.uint64(), "seed of this repeat"),
    "status": (
        pa.string(),
        "`done`; `failed`; `impossible`: the scenario does not allow the setting",
    ),
    "reason": (pa.string(), "why it failed or is impossible"),
    "phase": (pa.string(), "phase of the scenario; empty for the whole measured window"),
    "workload": (pa.string(), "name in the scenario; empty for all I/Os together"),
    "op": (pa.string(), "`read` or `write`; empty for all I/Os together"),
    "io_count": (pa.int64(), "I/Os in the measured window"),
    "iops": (pa.float64(), "I/Os per second of the steady part"),
    "throughput_bytes_per_s": (pa.float64(), "bytes per second of the steady part"),
    "response_mean_ps": (pa.float64(), "mean response time in the steady part"),
    "response_p50_ps": (pa.float64(), "median response time in the measured window or the phase"),
    "response_p95_ps": (pa.float64(), "likewise, 95 %"),
    "response_p99_ps": (pa.float64(), "likewise, 99 %"),
    "iops_half_width": (pa.float64(), "half width of the 95 % interval within the run"),
    "throughput_bytes_per_s_half_width": (pa.float64(), "likewise"),
    "response_mean_ps_half_width": (pa.float64(), "likewise"),
    "warm_up_rule": (pa.string(), "what found the warm-up; empty where there is no steady part"),
    "is_settled": (pa.bool_(), "whether the rule found a steady part"),
    "steady_from_ps": (pa.int64(), "simulated time the steady part begins at"),
    "limiting_element": (pa.string(), "the busiest port or station; empty for a phase"),
    "limiting_kind": (pa.string(), "`port`, or the kind of station"),
    "limiting_utilisation": (pa.float64(), "its utilisation"),
    "fingerprint": (pa.string(), "of the run"),
    "simulated_ps": (pa.int64(), "simulated time"),
    "wall_s": (pa.float64(), "time the engine took"),
}


@dataclass(frozen=True)
class Request:
    """What was asked for; `identity` is what two sweeps of one folder must share.

    Attributes
    ----------
    identity
        Scenario, overrides, seed, versions, parameters: where they differ, it is another sweep.
    extent
        Design, repeats, rules: with `--extend` a sweep may grow by these.
    """

    identity: dict[str, Any]
    extent: dict[str, Any]
    types: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for `sweep.json`."""
        return {
            "format": FORMAT,
            "identity": self.identity,
            "extent": self.extent,
            "types": self.types,
        }


def type_of(values: Iterable[str]) -> str:
    """Type of a parameter's column: `int64`, `double`, or `string` for quantities and words."""
    kinds = set()
    for value in values:
        kind = magnitude(value)
        if kind is None or kind[0] != "number":
            return "string"
        kinds.add("int64" if is_integer(value) else "double")
    return "double" if "double" in kinds else "int64"


class Store:
    """The folder of a sweep, opened to write; a context manager that holds its lock."""

    def __init__(self, folder: Path, request: Request, scenario: str) -> None:
        self.folder = folder
        self.request = request
        self.points = folder / "points"
        self._scenario = scenario
        self._lock: int | None = None
        self._counts: dict[int, int] = {}
        self._next = 0
        #: Parts that could not be read and were put aside; their points are done again.
        self.damaged_count = 0
        self.schema = schema_of(request.types)

    def __enter__(self) -> Store:
        refuse_unwritable(self.folder.parent)
        self.points.mkdir(parents=True, exist_ok=True)
        if not os.access(self.folder, os.W_OK | os.X_OK):
            reason = (
                f"Nothing can be written to {self.folder}: permission denied. Name another folder"
                " with --out"
            )
            raise SanlabError(reason)
        self._take_lock()
        write_file(self.folder / "sweep.json", json.dumps(self.request.as_dict(), indent=2) + "\n")
        write_file(self.folder / "scenario.yaml", self._scenario)
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            os.ftruncate(self._lock, 0)
            os.close(self._lock)
            self._lock = None

    def _take_lock(self) -> None:
        """Lock the folder; the lock goes with the process, however that ends."""
        path = self.folder / "lock"
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            with contextlib.suppress(OSError, ValueError):
                holder = json.loads(path.read_text(encoding="utf-8"))
                reason = (
                    f"{self.folder} is in use: process {holder['pid']} on {holder['host']} sweeps"
                    " into it. Wait for it, or name another folder with --out"
                )
                raise SanlabError(reason) from None
            reason = f"{self.folder} is in use by another sweep. Name another folder with --out"
            raise SanlabError(reason) from None
        os.ftruncate(handle, 0)
        holder = {"pid": os.getpid(), "host": socket.gethostname()}
        with named(path):
            os.write(handle, json.dumps(holder).encode())
        self._lock = handle

    def finished(self) -> dict[str, Row]:
        """Row of all I/Os of every finished point, by key; cleans up after a writer that died."""
        for stray in self.folder.rglob(".*.partial"):
            stray.unlink(missing_ok=True)
        points: dict[str, Row] = {}
        for path in sorted(_parts(self.points), key=_place, reverse=True):
            level, number = _place(path)
            self._next = max(self._next, number + 1)
            try:
                rows = pq.ParquetFile(path).read().to_pylist()
            except (OSError, pa.ArrowInvalid):
                path.replace(path.with_suffix(".damaged"))
                self.damaged_count += 1
                continue
            keys = {row["point"] for row in rows}
            if keys <= points.keys():
                path.unlink()
                continue
            self._counts[level] = self._counts.get(level, 0) + 1
            points |= {row["point"]: row for row in rows if is_headline(row)}
        return points

    def add(self, rows: list[Row]) -> None:
        """Keep the rows of one finished point.

        Raises
        ------
        RunError
            They cannot be written.
        """
        table = pa.Table.from_pylist(rows, schema=self.schema)
        try:
            self._write(0, table)
            self._merge(0)
        except OSError as error:
            reason = (
                f"{self.points}: {error.strerror or error}. What was finished before is kept; the"
                " same command goes on from there"
            )
            raise RunError(reason) from error

    def _write(self, level: int, table: pa.Table) -> None:
        name = f"part-{level}-{self._next:07d}.parquet"
        self._next += 1
        growing = self.points / f".{name}.partial"
        try:
            with growing.open("wb") as file:
                pq.write_table(table, file, compression="zstd")
                file.flush()
                os.fsync(file.fileno())
            growing.replace(self.points / name)
        except BaseException:
            with contextlib.suppress(OSError):
                growing.unlink(missing_ok=True)
            raise
        self._counts[level] = self._counts.get(level, 0) + 1

    def _merge(self, level: int) -> None:
        if self._counts.get(level, 0) < MERGED or level == 9:
            return
        small = sorted(path for path in _parts(self.points) if _place(path)[0] == level)
        self._write(level + 1, _joined([pq.ParquetFile(path).read() for path in small]))
        for path in small:
            path.unlink()
        self._counts[level] = 0
        self._merge(level + 1)


def schema_of(types: Mapping[str, str]) -> pa.Schema:
    """Columns of the data set: the point, its parameters, its numbers."""
    names = list(COLUMNS)
    cut = names.index("status")
    fields = [pa.field(name, COLUMNS[name][0]) for name in names[:cut]]
    fields += [pa.field(path, pa.type_for_alias(kind)) for path, kind in types.items()]
    for name in names[cut:]:
        unit = unit_of(name.removesuffix("_half_width"))
        fields.append(pa.field(name, COLUMNS[name][0], metadata={"unit": unit} if unit else None))
    return pa.schema(fields)


def read(folder: Path) -> tuple[dict[str, Any], pa.Table]:
    """Read a sweep: its request and all rows, also while it is written.

    Raises
    ------
    SanlabError
        It is not a sweep, or it is one of a newer sanlab.
    """
    request = read_request(folder)
    if request is None:
        reason = f"{folder} is not a sweep: it has no sweep.json. `sanlab sweep` makes one"
        raise SanlabError(reason)
    schema = schema_of(request["types"])
    parts: dict[str, pa.Table] = {}
    for _ in range(READS):
        listed = sorted(_parts(folder / "points"))
        fresh = [path for path in listed if path.name not in parts]
        for path in fresh:
            # The rows of a part that is gone are in a larger one, which the next look finds; what
            # was read stays read.
            with contextlib.suppress(FileNotFoundError):
                part = _read_part(path)
                parts[path.name] = schema.empty_table() if part is None else part
        if all(path.name in parts for path in fresh):
            return request, _once(_joined([schema.empty_table(), *parts.values()]))
    reason = f"{folder} changes faster than it can be read. Wait for the sweep"
    raise SanlabError(reason)


def is_headline(row: Mapping[str, Any]) -> bool:
    """Whether a row is of all I/Os of the whole measured window, or of a point without a result."""
    return row["workload"] is None and row.get("phase") is None


def _joined(tables: list[pa.Table]) -> pa.Table:
    """One table; columns that parts of earlier versions lack are empty."""
    return pa.concat_tables(tables, promote_options="default")


def _once(table: pa.Table) -> pa.Table:
    """Rows without those that stand twice because parts were being merged."""
    seen: set[tuple[Any, ...]] = set()
    keep = []
    columns = [table[name].to_pylist() for name in ("point", "phase", "workload", "op")]
    for key in zip(*columns, strict=True):
        keep.append(key not in seen)
        seen.add(key)
    return table if all(keep) else table.filter(pa.array(keep, type=pa.bool_()))


def _read_part(path: Path) -> pa.Table | None:
    try:
        return pq.ParquetFile(path).read()
    except pa.ArrowInvalid:
        return None  # damaged; the next sweep into this folder puts it aside


def read_request(folder: Path) -> dict[str, Any] | None:
    """Read `sweep.json`; None if it does not exist."""
    try:
        text = (folder / "sweep.json").read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        request: dict[str, Any] = json.loads(text)
        is_ours = request["format"] <= FORMAT
    except (ValueError, KeyError, TypeError):
        reason = f"{folder / 'sweep.json'} cannot be read. Name another folder with --out"
        raise SanlabError(reason) from None
    if not is_ours:
        reason = f"{folder} was written by a newer sanlab. Use that one"
        raise SanlabError(reason)
    return request


def choose_folder(wanted: Path | None, stem: str, request: Request, *, extend: bool) -> Path:
    """Choose the folder of a sweep; a folder that holds the same sweep is resumed.

    Raises
    ------
    SanlabError
        The requested folder holds something else.
    """
    if wanted is not None:
        existing = read_request(wanted)
        if existing is None:
            if wanted.is_file() or (wanted.is_dir() and _is_foreign(wanted)):
                reason = f"{wanted} exists and is not a sweep. Name another folder"
                raise SanlabError(reason)
        elif difference := _difference(existing, request, extend=extend):
            reason = f"{wanted} holds another sweep: {difference}. Name another folder with --out"
            raise SanlabError(reason)
        return wanted
    for name in names_from(stem):
        folder = DEFAULT_PARENT / name
        existing = read_request(folder)
        if existing is None and not folder.exists():
            return folder
        if existing is not None and not _difference(existing, request, extend=extend):
            return folder
    raise AssertionError


def _is_foreign(folder: Path) -> bool:
    return any(path.name not in {"points", "lock"} for path in folder.iterdir())


def _difference(there: dict[str, Any], request: Request, *, extend: bool) -> str:
    """Say in what two sweeps differ; empty where they are one."""
    for key, value in request.identity.items():
        if there["identity"].get(key) != value:
            return _DIFFERENCES.get(key, f"it differs in {key}")
    if there["types"] != request.types:
        return "its values are of another type"
    if there["extent"] != request.extent and not extend:
        return "it has other values, repeats or rules (--extend adds to it)"
    return ""


_DIFFERENCES = {
    "scenario": "its scenario file differs",
    "traces": "a trace that it replays differs",
    "overrides": "it has other --set",
    "seed": "it has another seed",
    "parameters": "it varies other parameters",
    "versions": "it was made by another version of sanlab",
    "warm_up": "it leaves the warm-up out by another rule",
}


def _parts(points: Path) -> list[Path]:
    return [path for path in points.glob("part-*.parquet") if _PART.fullmatch(path.name)]


def _place(path: Path) -> tuple[int, int]:
    match = _PART.fullmatch(path.name)
    assert match
    return int(match[1]), int(match[2])
