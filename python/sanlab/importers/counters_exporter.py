"""Scrapes of Prometheus' node_exporter, in its text format, as rates of disks.

A scrape has counters: rates follow from two or more of them in one file. The time of each is its
`node_time_seconds`; where that is missing, the time between scrapes is to be given.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.errors import refuse
from sanlab.importers.counters import Counters, Rates, Report, leave_out_layers

if TYPE_CHECKING:
    from collections.abc import Collection

_READS, _READ_BYTES = "reads", "bytes of reads"
_WRITES, _WRITTEN_BYTES = "writes", "bytes of writes"
#: Counters of disks, under their names since version 0.16 and those of before.
_COUNTERS = {
    "node_disk_reads_completed_total": _READS,
    "node_disk_read_bytes_total": _READ_BYTES,
    "node_disk_writes_completed_total": _WRITES,
    "node_disk_written_bytes_total": _WRITTEN_BYTES,
    "node_disk_io_time_weighted_seconds_total": "open",
    "node_disk_reads_completed": _READS,
    "node_disk_bytes_read": _READ_BYTES,
    "node_disk_writes_completed": _WRITES,
    "node_disk_bytes_written": _WRITTEN_BYTES,
}
_NEEDED = (_READS, _READ_BYTES, _WRITES, _WRITTEN_BYTES)
_TIMES = {"node_time_seconds", "node_time"}
_BOOT = {"node_boot_time_seconds", "node_boot_time"}
_SAMPLE = re.compile(
    r"(?P<name>[A-Za-z_:][\w:]*)(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)(?:\s+(?P<at>-?\d+))?\s*$"
)
_LABEL = re.compile(r"(\w+)=\"((?:[^\"\\]|\\.)*)\"")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
_MS = 1000


@dataclass(slots=True)
class _Scrape:
    """What one scrape has counted."""

    line: int
    time: float | None = None
    boot: float | None = None
    values: dict[tuple[str, str], float] = field(default_factory=dict)

    def devices(self) -> list[str]:
        """Return the devices that have all counters which are needed."""
        names = dict.fromkeys(device for device, _ in self.values)
        return [name for name in names if all((name, key) in self.values for key in _NEEDED)]


def looks_like_exporter(text: str) -> bool:
    """Whether a text is of an exporter of Prometheus."""
    return bool(re.search(r"^# (?:HELP|TYPE) \w+ |^node_disk_\w+\{", text, re.MULTILINE))


def counters_of_exporter(
    text: str, file: str, interval: float | None, chosen: Collection[str] = ()
) -> Counters:
    """Read scrapes, `interval` seconds apart where that is given; of layers only those chosen.

    Raises
    ------
    ScenarioError
        At the first line that is wrong; also where counters or times are missing.
    """
    scrapes = [one for one in _scrapes(text, file) if one.devices()]
    if not scrapes:
        reason = "No scrape has node_disk_reads_completed_total and its kin of a disk"
        refuse(file, 1, "", reason, "Scrape node_exporter with its collector 'diskstats'")
    counters = Counters(file, "scrapes of node_exporter")
    if len(scrapes) == 1:
        scrapes = [_since_boot(file, scrapes[0], counters), *scrapes]
    for before, after in itertools.pairwise(scrapes):
        counters.reports.append(_report(file, before, after, interval))
    if not chosen:
        leave_out_layers(counters)
    return counters


def _scrapes(text: str, file: str) -> list[_Scrape]:
    """Return the scrapes of a file; one begins where a counter comes a second time."""
    found: list[_Scrape] = []
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        name = re.match(r"node_(?:disk|time|boot)\w*", line)
        sample = _SAMPLE.match(line) if name else None
        if name is None or name[0] not in _COUNTERS.keys() | _TIMES | _BOOT:
            continue
        if sample is None:
            refuse(file, number, name[0], "The line is cut off", "Scrape again, and keep all lines")
        series = f"{sample['name']}{{{sample['labels']}}}"
        if not found or series in seen:
            found.append(_Scrape(number))
            seen = set()
        seen.add(series)
        _keep(found[-1], file, number, sample)
    return found


def _keep(scrape: _Scrape, file: str, number: int, sample: re.Match[str]) -> None:
    name, labels = sample["name"], dict(_LABEL.findall(sample["labels"] or ""))
    if not _NUMBER.fullmatch(sample["value"]):
        reason = f"'{sample['value']}' is not a count"
        refuse(file, number, name, reason, "Scrape again: counters are numbers of 0 or more")
    value = float(sample["value"])
    if name in _TIMES:
        scrape.time = value
    elif name in _BOOT:
        scrape.boot = value
    elif "device" in labels:
        host = f"{labels['instance']}." if "instance" in labels else ""
        scrape.values[f"{host}{labels['device']}", _COUNTERS[name]] = value
        if sample["at"] and scrape.time is None:
            scrape.time = int(sample["at"]) / _MS


def _since_boot(file: str, scrape: _Scrape, counters: Counters) -> _Scrape:
    """Return the scrape that the machine would have given when it started."""
    if scrape.boot is None or scrape.time is None:
        reason = "One scrape has counters, and rates need two"
        remedy = "Scrape twice into one file; node_boot_time_seconds would give the mean since then"
        refuse(file, scrape.line, "", reason, remedy)
    counters.remarks.append("The only scrape gives the mean since the machine started.")
    return _Scrape(scrape.line, scrape.boot, None, dict.fromkeys(scrape.values, 0.0))


def _report(file: str, before: _Scrape, after: _Scrape, interval: float | None) -> Report:
    seconds = interval
    if seconds is None:
        if before.time is None or after.time is None:
            reason = "The scrapes have no times: node_time_seconds is missing"
            refuse(file, after.line, "", reason, "Add --interval 60s, the time between two scrapes")
        seconds = after.time - before.time
    if seconds <= 0:
        reason = "The scrape is not later than the one before"
        refuse(file, after.line, "node_time_seconds", reason, "Put scrapes in their order")
    has_times = interval is None
    report = Report(after.line, *((before.time, after.time) if has_times else (None, None)))
    for device in after.devices():
        if (device, _READS) in before.values:
            rates = [_rate(file, (before, after), (device, key), seconds) for key in _NEEDED]
            reads, read_bytes, writes, written_bytes = rates
            has_open = (device, "open") in before.values and (device, "open") in after.values
            opened = _rate(file, (before, after), (device, "open"), seconds) if has_open else None
            report.rates[device] = Rates(reads, writes, read_bytes, written_bytes, opened)
    return report


def _rate(file: str, of: tuple[_Scrape, _Scrape], key: tuple[str, str], seconds: float) -> float:
    before, after = (scrape.values.get(key, 0.0) for scrape in of)
    if after < before:
        reason = f"The {key[1]} of {key[0]} are fewer than in the scrape before: it began anew"
        refuse(file, of[1].line, key[0], reason, "Leave out the scrapes from before the restart")
    return (after - before) / seconds
