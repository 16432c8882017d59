"""Rates that hosts and switches counted over time, as workloads.

A counter knows no single request. Of each device and interval it has the rates of reads and of
writes and their bytes; the workload has the same rates over time, one mean size of reads and one of
writes over the whole capture, Poisson arrivals and uniform random addresses, and its comments say
that these are averages.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.errors import refuse
from sanlab.importers.generic_san import (
    LeftOut,
    LoadImport,
    Work,
    percent,
    plain,
    slug,
    unused,
)
from sanlab.quantities import format_size, format_time

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTOR = 512
_WHOLE = 10**6
_PS_PER_S = 10**12
#: Steps of a rate over time; neighbours are joined where there are more intervals.
_MOST_STEPS = 128
#: Length of a load without intervals.
_ALONE_PS = 10 * _PS_PER_S
_LARGEST = 64 * 2**20
#: Devices that are not disks of a SAN.
_OTHERS = re.compile(r"(loop|ram|zram|sr|fd|md|dm-|nbd)\d+$")
_AVERAGES = (
    "These are averages: of each device the scenario has the rate of each interval, and the mean "
    "size of reads and of writes. Bursts within an interval, the order of requests and their "
    "addresses were not counted; arrivals are Poisson and addresses uniform, so caches find "
    "nothing. Where the storage was saturated, the true demand was higher than counted."
)


@dataclass(frozen=True, slots=True)
class Rates:
    """What a device did in an interval: I/Os and bytes per second, and mean open I/Os if known."""

    reads: float
    writes: float
    read_bytes: float
    write_bytes: float
    open_ios: float | None = None

    @property
    def total(self) -> float:
        """I/Os per second."""
        return self.reads + self.writes


@dataclass(slots=True)
class Report:
    """The rates of devices from one time to another, in seconds; None where they are not known."""

    line: int
    start: float | None = None
    end: float | None = None
    rates: dict[str, Rates] = field(default_factory=dict)


@dataclass(slots=True)
class Counters:
    """What was read of a capture."""

    file: str
    origin: str
    reports: list[Report] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    #: The first report is the mean since the machine started.
    first_is_since_boot: bool = False

    def leave_out(self, line: int, key: str, reason: str) -> None:
        """Note a column or device without a part in the scenario, once."""
        if not any(one.key == key for one in self.left_out):
            self.left_out.append(LeftOut(self.file, line, key, reason))


def leave_out_layers(counters: Counters) -> None:
    """Leave out devices above disks, where there are disks: their I/O is that of the disks."""
    names = dict.fromkeys(name for report in counters.reports for name in report.rates)
    others = [name for name in names if _OTHERS.match(name)]
    if len(others) == len(names):
        return
    reason = "it is not a disk, or its I/O is counted at its disks again"
    for name in others:
        counters.leave_out(counters.reports[0].line, name, reason)
        for report in counters.reports:
            report.rates.pop(name, None)


def load_of_counters(
    counters: Counters, luns: Mapping[str, str], interval_ps: int | None
) -> LoadImport:
    """Return the workloads with the rates of a capture.

    Raises
    ------
    ScenarioError
        No device did I/O, one that is named is not there, or the length of intervals is not known.
    """
    reports = _counted(counters)
    ends = _boundaries(counters, reports, interval_ps)
    devices = dict.fromkeys(name for report in reports for name in report.rates)
    for name in luns:
        if name not in devices:
            reason = f"The capture has no device '{name}'"
            shown = ", ".join(list(devices)[:10]) or "none"
            refuse(counters.file, None, "--lun", reason, f"It has {shown}")
    load = LoadImport(counters.origin, f"Rates of {plain(counters.file.rsplit('/', 1)[-1])}")
    load.left_out = counters.left_out
    load.remarks += [_AVERAGES, *counters.remarks]
    names: set[str] = set()
    for name in devices:
        if luns and name not in luns:
            continue
        rates = [report.rates.get(name, Rates(0, 0, 0, 0)) for report in reports]
        if not any(one.total for one in rates):
            counters.leave_out(reports[0].line, name, "no I/O was counted")
            continue
        load.works.append(_work(load, (name, luns.get(name)), rates, ends, names))
    if not load.works:
        reason = "No device of the capture did any I/O"
        refuse(counters.file, None, "", reason, "Capture while the load runs")
    return load


def _counted(counters: Counters) -> list[Report]:
    """Return the reports to use."""
    reports = counters.reports
    if not reports:
        refuse(counters.file, None, "", "The capture has no report of a device", "Copy all of it")
    if counters.first_is_since_boot and len(reports) > 1:
        counters.remarks.append(
            "The first report is left out: it is the mean since the machine started."
        )
        second = reports[1]
        if second.start is None:
            second.start = reports[0].end
        return reports[1:]
    if counters.first_is_since_boot:
        counters.remarks.append("The only report is the mean since the machine started.")
    return reports


def _boundaries(counters: Counters, reports: list[Report], interval_ps: int | None) -> list[int]:
    """Return the start of each interval and the end of the last one, in picoseconds from 0."""
    if interval_ps is not None:
        return [interval_ps * number for number in range(len(reports) + 1)]
    if len(reports) == 1:
        only = reports[0]
        if only.start is not None and only.end is not None and only.end > only.start:
            return [0, round((only.end - only.start) * _PS_PER_S)]
        counters.remarks.append(
            f"The capture does not say how long it lasted; {format_time(_ALONE_PS)} are simulated."
        )
        return [0, _ALONE_PS]
    ends = [report.end for report in reports]
    start = reports[0].start
    if any(end is None for end in ends):
        reason = "The reports have no times, and there are several"
        remedy = "Add --interval 10s, or capture with times: iostat -t"
        refuse(counters.file, reports[0].line, "", reason, remedy)
    known = [end for end in ends if end is not None]
    if start is None:
        start = known[0] - (known[1] - known[0])
    for report, before, after in zip(reports, [start, *known], known, strict=False):
        if after <= before:
            reason = "The time does not rise: it is not after that of the report before"
            refuse(counters.file, report.line, "", reason, "Keep one capture, in its order")
    return [round((at - start) * _PS_PER_S) for at in [start, *known]]


def _work(
    load: LoadImport,
    of: tuple[str, str | None],
    rates: list[Rates],
    ends: list[int],
    names: set[str],
) -> Work:
    name, lun_name = of
    lun = load.lun(name)
    lun.name = lun_name or lun.name
    work = Work(unused(slug(name, "disk"), names), {"hosts": "host1"})
    work.keys["targets"] = f"array1.{lun.name}"
    lengths = [after - before for before, after in itertools.pairwise(ends)]
    work.access = _lines(rates, lengths)
    # What may vary over time stays exact: the load is a share of a whole rate.
    steps = _joined([one.total for one in rates], lengths)
    most = max(rate for rate, _ in steps)
    whole = max(-int(-most // 1), 1)
    work.keys["rate_iops"] = str(whole)
    work.keys["arrivals"] = "poisson"
    at, points = 0, []
    for rate, length in steps:
        share = min(round(rate * _WHOLE / whole), _WHOLE)
        points.append(f"[{format_time(at)}, {percent(share)}%]")
        at += length
    if len(points) > 1 or most < whole:
        work.keys["load"] = f"{{shape: steps, points: [{', '.join(points)}]}}"
    work.keys["runtime"] = format_time(at)
    opens = [one.open_ios for one in rates if one.open_ios is not None]
    if opens:
        mean = sum(opens) / len(opens)
        work.remarks.append(f"Of {plain(name)} {mean:.2f} I/Os were open on average.")
    return work


def _joined(rates: list[float], lengths: list[int]) -> list[tuple[float, int]]:
    """Return rates with their lengths; neighbours are joined until there are few enough."""
    steps = list(zip(rates, lengths, strict=True))
    while len(steps) > _MOST_STEPS:
        pairs = [steps[place : place + 2] for place in range(0, len(steps), 2)]
        steps = [
            (
                sum(rate * length for rate, length in pair) / sum(length for _, length in pair),
                sum(length for _, length in pair),
            )
            for pair in pairs
        ]
    return steps


def _lines(rates: list[Rates], lengths: list[int]) -> list[str]:
    """Lines of an access specification: reads and writes with their mean sizes."""
    both = []
    for is_read in (True, False):
        count = bytes_ = 0.0
        for one, length in zip(rates, lengths, strict=True):
            count += (one.reads if is_read else one.writes) * length
            bytes_ += (one.read_bytes if is_read else one.write_bytes) * length
        both.append((is_read, count, bytes_))
    total = sum(count for _, count, _ in both)
    read_share = round(both[0][1] / total * _WHOLE)
    lines = []
    for (is_read, count, bytes_), share in zip(
        both, (read_share, _WHOLE - read_share), strict=True
    ):
        if share and count:
            size = max(round(bytes_ / count / _SECTOR), 1) * _SECTOR
            lines.append(
                f"{{size: {format_size(min(size, _LARGEST))}, of_size: {percent(share)}%, "
                f"reads: {100 if is_read else 0}%, random: 100%}}"
            )
    return lines
