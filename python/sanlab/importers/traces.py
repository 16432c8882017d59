"""A synthetic load derived from a block trace.

The trace is read once, in memory that does not grow with its length. Of each device the load keeps
the rate over time in steps, the sizes of reads and of writes with their shares, and the share of
requests that continue where the last one ended. It does not keep the addresses: it
is not a replay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.errors import refuse
from sanlab.importers.generic_san import LeftOut, LoadImport, Work, percent, slug, unused
from sanlab.quantities import format_size, format_time
from sanlab.traces.formats import requests_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sanlab.traces.formats import TraceKind, TraceRequest

_SECTOR = 512
#: Steps of the rate over time, at most and, for a long trace, at least half of it.
_MOST_STEPS = 128
#: First length of a step; it doubles whenever the trace has more of them.
_FIRST_STEP_PS = 10**9
_MOST_DEVICES = 1000
#: Sizes of a direction that are kept apart; others join the next power of two.
_MOST_SIZES = 40
_WHOLE = 10**6
#: Longest load, less a step.
_LONGEST_PS = 99 * 10**16
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """How a trace becomes a load.

    Attributes
    ----------
    unit
        Unit of its times, that of its format where it is None.
    speed
        How many times faster than recorded.
    depth
        Requests kept open on each LUN, as fast as they complete; 0 for the depth that was recorded,
        None for the recorded rate.
    luns
        Names of LUNs by device; other devices are left out where there are any.
    interval_ps
        Of counters: time from one report to the next, where they have no times.
    is_replay
        Whether its requests are replayed, in place of a synthetic load with its figures.
    """

    unit: str | None = None
    speed: int = 1
    depth: int | None = None
    luns: Mapping[str, str] = field(default_factory=dict)
    is_replay: bool = False
    interval_ps: int | None = None


@dataclass(slots=True)
class _Sizes:
    """Requests of one direction: counts and bytes of each size, and how many are sequential."""

    counts: dict[int, list[int]] = field(default_factory=dict)
    total: int = 0
    sequential: int = 0

    def add(self, one: TraceRequest, *, goes_on: bool) -> None:
        key = one.bytes
        if key not in self.counts and len(self.counts) >= _MOST_SIZES:
            key = -(1 << (one.bytes - 1).bit_length())
        count = self.counts.setdefault(key, [0, 0])
        count[0] += 1
        count[1] += one.bytes
        self.total += 1
        self.sequential += goes_on

    def rows(self) -> list[tuple[int, int]]:
        """Return sizes in whole sectors, those of a power of two by their mean, with counts."""
        rows: dict[int, int] = {}
        for count, total in self.counts.values():
            size = max(-(-total // count // _SECTOR) * _SECTOR, _SECTOR)
            rows[size] = rows.get(size, 0) + count
        return sorted(rows.items())


@dataclass(slots=True)
class _Device:
    """What is kept of a device."""

    first: int
    last: int = 0
    of_reads: _Sizes = field(default_factory=_Sizes)
    of_writes: _Sizes = field(default_factory=_Sizes)
    steps: list[int] = field(default_factory=list)
    open_ps: int = 0
    #: Where its last request ended.
    end: int = -1

    @property
    def total(self) -> int:
        return self.of_reads.total + self.of_writes.total


class _Summary:
    """A trace as far as it was read."""

    def __init__(self) -> None:
        self.devices: dict[str, _Device] = {}
        self.step_ps = _FIRST_STEP_PS
        self.start: int | None = None
        self.end = 0
        self.has_open = True

    def add(self, one: TraceRequest) -> None:
        device = self.devices.setdefault(one.device, _Device(one.offset))
        device.first = min(device.first, one.offset)
        device.last = max(device.last, one.offset + one.bytes)
        sizes = device.of_reads if one.is_read else device.of_writes
        sizes.add(one, goes_on=one.offset == device.end)
        device.end = one.offset + one.bytes
        self.has_open = self.has_open and one.open_ps is not None
        device.open_ps += one.open_ps or 0
        if one.at_ps is None:
            return
        self.start = one.at_ps if self.start is None else self.start
        since = one.at_ps - self.start
        self.end = since
        while since // self.step_ps >= _MOST_STEPS:
            self.step_ps *= 2
            for each in self.devices.values():
                padded = [*each.steps, 0]
                each.steps = [sum(padded[at : at + 2]) for at in range(0, len(each.steps), 2)]
        place = since // self.step_ps
        device.steps += [0] * (place + 1 - len(device.steps))
        device.steps[place] += 1


def load_of_trace(path: Path, kind: TraceKind, options: TraceOptions) -> LoadImport:
    """Return the load that has the figures of a trace.

    Raises
    ------
    ScenarioError
        At the first line that is wrong, or where the trace lacks what the options ask for.
    """
    summary = _Summary()
    others: dict[str, tuple[int, int]] = {}
    for one in requests_of(path, kind, options.unit, others):
        summary.add(one)
        if len(summary.devices) > _MOST_DEVICES:
            reason = f"The trace has more than {_MOST_DEVICES} devices"
            refuse(str(path), one.line, "device", reason, "Split it by device")
    if not summary.devices:
        reason = "The trace has no read and no write"
        refuse(str(path), 1, "", reason, "Of blkparse, keep the events Q")
    _check(path, summary, options)
    count = sum(device.total for device in summary.devices.values())
    load = LoadImport(f"the trace {path.name} ({kind})", f"Load of {path.name}")
    load.remarks.append(
        f"This load is synthetic: it is derived from the {count} requests of the trace and is not "
        "their replay. Each LUN has the rate over time, the sizes of reads and of writes, and the "
        "share of sequential requests of its device. Random addresses are uniform, so the trace's "
        "reuse of blocks, which caches live on, is not kept."
    )
    for what, (number, line) in others.items():
        reason = f"{number} in the trace, first in line {line}: neither reads nor writes"
        load.left_out.append(LeftOut(str(path), line, what, reason))
    names: set[str] = set()
    for name, device in summary.devices.items():
        if not options.luns or name in options.luns:
            load.works.append(_work(load, (name, device), summary, options, names))
    return load


def _check(path: Path, summary: _Summary, options: TraceOptions) -> None:
    for name in options.luns:
        if name not in summary.devices:
            known = ", ".join(list(summary.devices)[:10])
            refuse(str(path), None, "--lun", f"The trace has no device '{name}'", f"It has {known}")
    if options.depth == 0 and not summary.has_open:
        reason = "The trace does not say how long its requests were open"
        refuse(str(path), None, "--depth", reason, "Write a number, --depth 8")
    if options.depth is None and summary.end // options.speed > _LONGEST_PS:
        reason = f"The trace lasts {summary.end // 10**12} s, and a load at most 1,000,000 s"
        refuse(str(path), None, "time", reason, "Add --speed, or check the unit with --time-unit")
    if options.depth is None and summary.start is None:
        reason = "The trace has no times"
        refuse(str(path), 1, "", reason, "Add --depth 8, requests to keep open on each LUN")


def _work(
    load: LoadImport,
    of: tuple[str, _Device],
    summary: _Summary,
    options: TraceOptions,
    names: set[str],
) -> Work:
    """Return the workload of a device."""
    device_name, device = of
    lun = load.lun(device_name)
    if device_name in options.luns:
        lun.name = options.luns[device_name]
    # Regions begin at whole MiB, and have room for the largest request.
    first = device.first // _MIB * _MIB
    span = -(-(device.last - first) // _MIB) * _MIB
    lun.bytes = first + span
    work = Work(unused(slug(device_name, "disk"), names), {"hosts": "host1"})
    work.keys["targets"] = f"array1.{lun.name}"
    if first:
        work.keys["offset"] = format_size(first)
    work.keys["size"] = format_size(span)
    work.access = _lines(device)
    length = max(summary.end, summary.step_ps) // options.speed
    if options.depth is not None:
        recorded = round(device.open_ps / max(summary.end, 1))
        work.keys["iodepth"] = str(min(max(options.depth or recorded, 1), 65_535))
        moved = sum(
            total for one in (device.of_reads, device.of_writes) for _, total in one.counts.values()
        )
        work.keys["io_size"] = format_size(max(moved // _SECTOR * _SECTOR, _SECTOR))
        return work
    step_ps = summary.step_ps // options.speed
    most = max(device.steps)
    work.keys["rate_iops"] = str(max(-(-most * 10**12 // step_ps), 1))
    work.keys["arrivals"] = "poisson"
    points = [
        f"[{format_time(place * step_ps)}, {percent(count * _WHOLE // most)}%]"
        for place, count in enumerate(device.steps)
        if place == 0 or count != device.steps[place - 1]
    ]
    if len(device.steps) * step_ps < length:
        points.append(f"[{format_time(len(device.steps) * step_ps)}, 0%]")
    work.keys["load"] = f"{{shape: steps, points: [{', '.join(points)}]}}"
    work.keys["runtime"] = format_time(max(length, step_ps))
    return work


def _lines(device: _Device) -> list[str]:
    """Lines of an access specification, one for each direction and size."""
    rows = [
        (size, count, kind, one)
        for kind, one in ((100, device.of_reads), (0, device.of_writes))
        for size, count in one.rows()
    ]
    shares = [count * _WHOLE // device.total for _, count, _, _ in rows]
    shares[shares.index(max(shares))] += _WHOLE - sum(shares)
    return [
        f"{{size: {format_size(size)}, of_size: {percent(share)}%, reads: {kind}%, "
        f"random: {percent(_WHOLE - one.sequential * _WHOLE // one.total)}%}}"
        for (size, _, kind, one), share in zip(rows, shares, strict=True)
        if share
    ]
