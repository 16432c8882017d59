"""An index of the runs and sweeps of a workspace, so that a list needs no folder to be read twice.

It is a cache: a row counts while its file has the same time and size, and an index that is damaged
or of another version is made again.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

from sanlab.errors import SanlabError
from sanlab.results.run import Run
from sanlab.server.workspace import modified
from sanlab.sweeps.result import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sanlab.server.workspace import Workspace

#: Version of the rows; an index of another one is made again.
VERSION = 2
FOLDER = ".sanlab"
FILE = "index.sqlite"

Row = dict[str, Any]


class Index:
    """Rows of runs and sweeps, kept in `.sanlab/index.sqlite` of the workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._file = workspace.root / FOLDER / FILE
        self._lock = threading.Lock()

    def runs(self) -> list[Row]:
        """Return the runs of the workspace, the newest first."""
        return self._rows("manifest.json", _run_row)

    def sweeps(self) -> list[Row]:
        """Return the sweeps of the workspace, the newest first."""
        return self._rows("sweep.json", _sweep_row)

    def _rows(self, marker: str, row_of: Callable[[Path], Row]) -> list[Row]:
        with self._lock:
            found = self._found(marker, row_of)
        return sorted(found, key=lambda row: (row["created"], row["id"]), reverse=True)

    def _found(self, marker: str, row_of: Callable[[Path], Row]) -> list[Row]:
        """Return the rows, with the file where it can be used; a damaged one is made again."""
        for _ in range(2):
            try:
                return self._refreshed(marker, row_of, self._file)
            except sqlite3.OperationalError:  # the disk is full, or the file cannot be written
                self._remove(only_empty=True)
                break
            except sqlite3.DatabaseError:
                self._remove(only_empty=False)
        return self._refreshed(marker, row_of, None)

    def _remove(self, *, only_empty: bool) -> None:
        with contextlib.suppress(OSError):
            if not only_empty or self._file.stat().st_size == 0:
                self._file.unlink()

    def _refreshed(
        self, marker: str, row_of: Callable[[Path], Row], file: Path | None
    ) -> list[Row]:
        with closing(_opened(file)) as base, base:
            known = {
                name: (stamp, text)
                for name, stamp, text in base.execute(
                    "SELECT name, stamp, row FROM results WHERE marker = ?", (marker,)
                )
            }
            found = []
            for folder in self._workspace.results(marker):
                name, stamp = self._workspace.name(folder), _stamp(folder, marker)
                before, text = known.pop(name, ("", ""))
                if before != stamp:
                    text = json.dumps(_made(folder, marker, row_of))
                    base.execute(
                        "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)",
                        (marker, name, stamp, text),
                    )
                row = json.loads(text)
                if row is not None:
                    found.append(row | {"id": self._workspace.identifier(folder)})
            for name in known:
                base.execute("DELETE FROM results WHERE marker = ? AND name = ?", (marker, name))
            return found


def _opened(file: Path | None) -> sqlite3.Connection:
    """Return the data base, with its table; in memory where the folder cannot be written."""
    try:
        if file is not None:
            file.parent.mkdir(exist_ok=True)
        base = sqlite3.connect(file or ":memory:")
    except (OSError, sqlite3.OperationalError):
        base = sqlite3.connect(":memory:")
    try:
        (version,) = base.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            base.execute("DROP TABLE IF EXISTS results")
            base.execute(f"PRAGMA user_version = {VERSION}")
        base.execute(
            "CREATE TABLE IF NOT EXISTS results"
            " (marker TEXT, name TEXT, stamp TEXT, row TEXT, PRIMARY KEY (marker, name))"
        )
    except BaseException:
        base.close()
        raise
    return base


def _stamp(folder: Path, marker: str) -> str:
    """Return what changes when a folder gets other results; a sweep grows by its parts."""
    file = (folder / marker).stat()
    stamp = f"{file.st_mtime_ns} {file.st_size}"
    parts = folder / "points"
    return f"{stamp} {parts.stat().st_mtime_ns}" if parts.is_dir() else stamp


def _made(folder: Path, marker: str, row_of: Callable[[Path], Row]) -> Row | None:
    """Return the row of a folder; None for one that cannot be read."""
    try:
        return row_of(folder) | {"created": modified(folder / marker)}
    except (SanlabError, OSError, ValueError, KeyError):
        return None


def _run_row(folder: Path) -> Row:
    run = Run.open(folder)
    summary = run.summary()
    times = {
        name: None if summary[key] is None else summary[key] * 1e6
        for name, key in (("mean_ps", "response_mean_us"), ("p99_ps", "response_p99_us"))
    }
    return {
        "title": run.title,
        "seed": run.manifest.seed,
        "fingerprint": run.manifest.fingerprint,
        "is_complete": run.manifest.is_complete,
        "is_measured": run.manifest.measured is not None,
        "simulated_ps": run.manifest.simulated_ps,
        "planned_end_ps": None if run.manifest.is_complete else run.planned_end_ps,
        "workloads": list(dict.fromkeys(row["workload"] for row in run.rows("workloads"))),
        "iops": summary["iops"],
        "bytes_per_s": summary["throughput_bytes_per_s"],
        "error_count": summary["error_count"],
        **times,
    }


def _sweep_row(folder: Path) -> Row:
    sweep = Sweep.open(folder)
    points = {row["point"] for row in sweep.rows}
    return {
        "title": folder.name,
        "parameters": sweep.parameters,
        "points": len(points),
        "failed": len(sweep.failed()),
    }
