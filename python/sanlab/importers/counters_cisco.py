"""Tables of Cisco's SAN analytics (`ShowAnalytics --top`), by initiator, target and LUN.

Each table has one metric. IOPS and the size of I/Os, or the throughput, make a workload; times and
errors are results. Tables of the same time belong together.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field

from sanlab.errors import refuse
from sanlab.importers.counters import Counters, Rates, Report

_HEADER = re.compile(r"VSAN\|Initiator\|Target\|LUN")
_ROW = re.compile(r"\d+\|0x[0-9a-f]{6}\|0x[0-9a-f]{6}\|[0-9a-f-]{4,19}", re.IGNORECASE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?")
_UNITS = {"": 1, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}
_METRICS = {"IOPS": "IOPS", "IO SIZE": "size", "THROUGHPUT": "bytes", "THPUT": "bytes"}
_RESULT = "a time or a count of errors, which the simulation has as a result"
#: Tables that belong to one time, in seconds.
_TOGETHER_S = 5.0


@dataclass(slots=True)
class _Metrics:
    """Read and write values of one path by metric."""

    values: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, columns: list[str], cells: list[str], file: str, number: int) -> None:
        if len(cells) != 2 * len(columns):
            reason = f"The row has {len(cells)} values, and {2 * len(columns)} belong"
            refuse(file, number, "", reason, "Copy the whole line; it may be wrapped")
        for place, name in enumerate(columns):
            metric = _METRICS.get(name.upper())
            if metric is not None:
                both = cells[2 * place : 2 * place + 2]
                read, write = (_value(cell, file, number, name) for cell in both)
                self.values[metric] = (read, write)


@dataclass(slots=True)
class _Group:
    """Tables of one time: first line, seconds, and the metrics of paths."""

    line: int
    at: float | None
    paths: dict[str, _Metrics] = field(default_factory=dict)

    def is_over(self, at: float | None) -> bool:
        return at != self.at and (at is None or self.at is None or abs(at - self.at) > _TOGETHER_S)


def looks_like_analytics(text: str) -> bool:
    """Whether a text has tables of SAN analytics."""
    return _HEADER.search(text) is not None


def counters_of_analytics(text: str, file: str) -> Counters:
    """Read tables of SAN analytics.

    Raises
    ------
    ScenarioError
        At the first line that is wrong, or where no table has rates.
    """
    counters = Counters(file, "tables of Cisco SAN analytics")
    counters.remarks.append(
        "Each workload is of one initiator, target and LUN by their addresses. The tables list the "
        "busiest alone, so the whole load of the fabric is higher."
    )
    for group in _groups(counters, text, file):
        rates = {}
        for name, metrics in group.paths.items():
            found = _rates(metrics)
            if found is None:
                counters.leave_out(group.line, name, "its IOPS or its bytes are not in the tables")
            else:
                rates[name] = found
        if rates:
            counters.reports.append(Report(group.line, end=group.at, rates=rates))
    if not counters.reports:
        reason = "No table has the IOPS of a path together with its I/O size or its throughput"
        remedy = "Capture ShowAnalytics --top with --key IOPS and with --key THPUT"
        refuse(file, None, "", reason, remedy)
    return counters


def _groups(counters: Counters, text: str, file: str) -> list[_Group]:
    """Return the values by time."""
    groups: list[_Group] = []
    at: float | None = None
    columns: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if found := _TIME.match(line.strip()):
            at = _seconds(found[0])
        if _HEADER.search(line):
            columns = _columns(counters, line, number)
            if not groups or groups[-1].is_over(at):
                groups.append(_Group(number, at))
        elif (row := _ROW.search(line)) and columns:
            cells = [cell.strip() for cell in line[row.end() :].strip().strip("|").split("|")]
            metrics = groups[-1].paths.setdefault(row[0], _Metrics())
            metrics.add(columns, cells, file, number)
    return groups


def _columns(counters: Counters, line: str, number: int) -> list[str]:
    """Return the metrics of a header; each has a read and a write in a row."""
    cells = [cell.strip() for cell in re.split(r"\s\|\s|\s\||\|\s", line.strip("| \t"))]
    columns = [cell for cell in cells if cell and not _HEADER.search(cell)]
    columns = [cell for cell in columns if cell.upper() != "PORT"]
    for name in columns:
        if name.upper() not in _METRICS:
            counters.leave_out(number, name, _RESULT)
    return columns


def _seconds(text: str) -> float:
    found = datetime.datetime.fromisoformat(text)
    return found.replace(tzinfo=datetime.UTC).timestamp()


def _value(cell: str, file: str, number: int, key: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?B)?(?:/s|ps)?", cell, re.IGNORECASE)
    if not found:
        reason = f"'{cell}' is not a count or a size"
        refuse(file, number, key, reason, "Copy the table as the switch has printed it")
    return float(found[1]) * _UNITS[(found[2] or "").upper()]


def _rates(metrics: _Metrics) -> Rates | None:
    iops = metrics.values.get("IOPS")
    if iops is None:
        return None
    reads, writes = iops
    if "bytes" in metrics.values:
        return Rates(reads, writes, *metrics.values["bytes"])
    if "size" in metrics.values:
        read_size, write_size = metrics.values["size"]
        return Rates(reads, writes, reads * read_size, writes * write_size)
    return None
