"""The batch output of esxtop: a CSV with a column for each counter, read row by row.

A host has thousands of columns. Of the objects that count the same I/O one is used: SCSI devices,
else disks, else adapters. A megabyte is taken as 2^20 bytes, which VMware does not say.
"""

from __future__ import annotations

import csv
import datetime
import re
from typing import TYPE_CHECKING

from sanlab.errors import refuse
from sanlab.importers.counters import Counters, Rates, Report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MIB = 2**20
_COLUMN = re.compile(r"\\\\[^\\]*\\(?P<object>[^\\(]*)\((?P<instance>.*)\)\\(?P<counter>[^\\]*)")
_PLAIN = re.compile(r"\\\\[^\\]*\\(?P<object>[^\\]*)\\[^\\]*")
#: Objects with the I/O of a host, the best one first.
_OBJECTS = ("Physical Disk SCSI Device", "Physical Disk", "Physical Disk Adapter")
_USED = ("Reads/sec", "Writes/sec", "MBytes Read/sec", "MBytes Written/sec")
_RESULT = "a time, a depth or a count that the simulation has as a result"
_AGAIN = "it has the same I/O again, or none"
_LONGEST_LINE = 8 * 2**20


def looks_like_esxtop(head: bytes) -> bool:
    """Whether a file begins like a batch output of esxtop."""
    return head.lstrip(b"\xef\xbb\xbf").startswith(b'"(PDH-CSV')


def counters_of_esxtop(path: Path) -> Counters:
    """Read a batch output of esxtop.

    Raises
    ------
    ScenarioError
        At the first line that is wrong.
    """
    file = str(path)
    counters = Counters(file, "the batch output of esxtop", first_is_since_boot=True)
    rows = csv.reader(_lines(path))
    header = next(rows, [])
    places = _places(counters, header)
    for number, row in enumerate(rows, 2):
        if not row:
            continue
        if len(row) != len(header):
            reason = f"The line has {len(row)} values, and the header {len(header)} columns"
            refuse(file, number, "", reason, "Copy the whole line; the file may be cut off")
        report = Report(number, end=_moment(row[0], file, number))
        counters.reports.append(report)
        for name, columns in places.items():
            reads, writes, read, written = (
                _number(row[columns[counter]], file, number, counter) for counter in _USED
            )
            report.rates[name] = Rates(reads, writes, read * _MIB, written * _MIB)
    return counters


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(_LONGEST_LINE):
            number += 1
            if len(raw) == _LONGEST_LINE or b"\0" in raw:
                reason = "The line is not text, or is longer than 8 MiB"
                refuse(str(path), number, "", reason, "Capture fewer counters")
            yield raw.decode("utf-8-sig", errors="replace")


def _places(counters: Counters, header: list[str]) -> dict[str, dict[str, int]]:
    """Return the places of the columns that are used, by instance and counter."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for place, column in enumerate(header[1:], 1):
        named = _COLUMN.fullmatch(column)
        if named is None:
            plain = _PLAIN.fullmatch(column)
            counters.leave_out(1, plain["object"] if plain else column, _AGAIN)
            continue
        if named["object"] not in _OBJECTS:
            counters.leave_out(1, named["object"], _AGAIN)
        elif named["counter"] not in _USED:
            counters.leave_out(1, named["counter"], _RESULT)
        else:
            of_object = found.setdefault(named["object"], {})
            of_object.setdefault(named["instance"], {})[named["counter"]] = place
    whole = {kind: _whole(found.get(kind, {})) for kind in _OBJECTS}
    chosen = next((kind for kind in _OBJECTS if whole[kind]), None)
    if chosen is None:
        reason = f"The header has no disk with {', '.join(_USED)}"
        remedy = "Select the fields of reads and writes (o and f) before esxtop -b"
        refuse(counters.file, 1, "", reason, remedy)
    for other in found.keys() - {chosen}:
        counters.leave_out(1, other, _AGAIN)
    return whole[chosen]


def _whole(instances: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Return the instances that have every counter that is used."""
    return {name: places for name, places in instances.items() if len(places) == len(_USED)}


def _moment(text: str, file: str, number: int) -> float:
    try:
        found = datetime.datetime.strptime(f"{text} +0000", "%m/%d/%Y %H:%M:%S %z")
    except ValueError:
        reason = f"'{text}' is not a time such as 11/21/2026 00:00:05"
        refuse(file, number, "time", reason, "Copy the file as esxtop has written it")
    return found.timestamp()


def _number(text: str, file: str, number: int, key: str) -> float:
    if not re.fullmatch(r"\d{1,15}(\.\d+)?", text):
        refuse(file, number, key, f"'{text}' is not a rate", "Write a number of 0 or more")
    return float(text)
