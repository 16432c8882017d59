"""Histograms of vscsiStats as workloads: sizes, mix, share of sequential I/O, and open I/Os.

Each histogram has rows `frequency,limit`, of requests up to this limit and above the one before;
the last row repeats its limit and counts what is above it. One virtual disk is one workload.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.errors import refuse
from sanlab.importers.generic_san import LeftOut, LoadImport, Work, percent, slug, unused
from sanlab.quantities import format_size

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTOR = 512
_WHOLE = 10**6
_LARGEST = 64 * 2**20
_MOST_DEPTH = 65_535
_SIZES = {"IO lengths of Read commands": True, "IO lengths of Write commands": False}
_DISTANCES = {
    "distance (in LBNs) between successive Read commands": True,
    "distance (in LBNs) between successive Write commands": False,
}
_OPEN = "number of outstanding IOs when a new IO is issued"
_GAPS = "latency of IO interarrival time in Microseconds (us)"
_LEFT_OUT = (
    ("IO lengths of commands", "reads and writes are taken apart"),
    ("distance (in LBNs)", "the share of sequential requests is that of reads and of writes apart"),
    ("latency of IO interarrival", "arrivals follow from the open I/Os"),
    ("latency of", "response times are a result of the simulation"),
    ("number of outstanding", "the open I/Os are those of reads and writes together"),
)


@dataclass(slots=True)
class _Histogram:
    line: int
    numbers: dict[str, int] = field(default_factory=dict)
    #: Limit and frequency, the row above all limits with the maximum as its limit.
    rows: list[tuple[int, int]] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(count for _, count in self.rows)


def looks_like_vscsistats(text: str) -> bool:
    """Whether a text begins with a histogram of vscsiStats."""
    return text.lstrip().startswith("Histogram:")


def load_of_vscsistats(text: str, file: str, luns: Mapping[str, str]) -> LoadImport:
    """Return the workloads with the histograms of a capture.

    Raises
    ------
    ScenarioError
        At the first line that is wrong, or where a disk lacks the sizes of its I/Os.
    """
    load = LoadImport("histograms of vscsiStats", "Histograms of vscsiStats")
    load.remarks.append(
        "Histograms have no times and no addresses: the open I/Os are their mean, sizes are limits "
        "of buckets, and what is not sequential is uniform over the LUN, so caches find nothing."
    )
    disks = _disks(load, text, file)
    for name in luns:
        if name not in disks:
            reason, remedy = (
                f"The capture has no virtual disk '{name}'",
                f"It has {', '.join(disks)}",
            )
            refuse(file, None, "--lun", reason, remedy)
    names: set[str] = set()
    for disk, histograms in disks.items():
        if not luns or disk in luns:
            load.works.append(_work(load, (disk, luns.get(disk)), histograms, file, names))
    return load


def _disks(load: LoadImport, text: str, file: str) -> dict[str, dict[str, _Histogram]]:
    """Return the histograms of each virtual disk by title."""
    disks: dict[str, dict[str, _Histogram]] = {}
    now: _Histogram | None = None
    for number, line in enumerate(text.splitlines(), 1):
        words = [word.strip() for word in line.split(",")]
        if words[0].startswith("Histogram:"):
            title = words[0].removeprefix("Histogram:").strip()
            disk = _disk_of(words, file, number)
            now = _Histogram(number)
            if title in disks.setdefault(disk, {}):
                reason = f"'{title}' of the disk {disk} comes twice"
                refuse(file, number, "", reason, "Keep the output of one vscsiStats -p all -c")
            disks[disk][title] = now
            _note(load, file, number, title)
        elif line.strip() and not line.startswith("Frequency"):
            if now is None or len(words) != 2 or not re.fullmatch(r"-?\d{1,18}", words[1]):
                reason = f"'{line.strip()}' is not a row of a histogram"
                refuse(file, number, "", reason, "Copy the output of vscsiStats -p all -c")
            if words[0] in {"min", "max", "mean", "count"}:
                now.numbers[words[0]] = int(words[1])
            elif re.fullmatch(r"\d{1,18}", words[0]):
                limit = int(words[1])
                is_above = bool(now.rows) and now.rows[-1][0] == limit
                top = max(now.numbers.get("max", limit), limit)
                now.rows.append((top if is_above else limit, int(words[0])))
            else:
                refuse(file, number, "", f"'{words[0]}' is not a frequency", "Write a whole number")
    return disks


def _disk_of(words: list[str], file: str, number: int) -> str:
    if len(words) < 5:
        reason = "The title does not name a virtual machine and its disk"
        refuse(file, number, "", reason, "Copy the output of vscsiStats -p all -c")
    found = re.search(r"\((.+)\)", words[4])
    return f"{words[2]}.{found[1] if found else words[4]}"


def _note(load: LoadImport, file: str, number: int, title: str) -> None:
    if title in _SIZES or title in _DISTANCES or title in {_OPEN, _GAPS}:
        return
    reason = next((reason for start, reason in _LEFT_OUT if title.startswith(start)), None)
    if reason is None:
        refuse(file, number, "", f"The histogram '{title}' is not known", "Remove it")
    if not any(one.key == title for one in load.left_out):
        load.left_out.append(LeftOut(file, number, title, reason))


def _work(
    load: LoadImport,
    of: tuple[str, str | None],
    histograms: dict[str, _Histogram],
    file: str,
    names: set[str],
) -> Work:
    disk, lun_name = of
    lun = load.lun(disk)
    lun.name = lun_name or lun.name
    rows = _sizes(histograms)
    if not rows:
        reason = f"The disk {disk} has no lengths of its reads and writes"
        line = next(iter(histograms.values())).line
        refuse(file, line, "", reason, "Capture with vscsiStats -p all -c, while the load runs")
    work = Work(unused(slug(disk, "disk"), names), {"hosts": "host1"})
    work.keys["targets"] = f"array1.{lun.name}"
    work.access = _lines(rows, histograms)
    opened = histograms.get(_OPEN)
    depth = min(max(opened.numbers.get("mean", 1), 1), _MOST_DEPTH) if opened is not None else 1
    work.keys["iodepth"] = str(depth)
    work.keys["runtime"] = "10s"
    if opened is None:
        work.remarks.append("The capture has no outstanding I/Os; one is kept open.")
    gap = histograms[_GAPS].numbers.get("mean", 0) if _GAPS in histograms else 0
    if gap > 0:
        work.remarks.append(
            f"Requests came every {gap} us on average: for their rate in place of the open I/Os, "
            f"write rate_iops: {max(round(10**6 / gap), 1)} and arrivals: poisson."
        )
    return work


def _sizes(histograms: dict[str, _Histogram]) -> list[tuple[bool, int, int]]:
    """Return direction, size in whole sectors and count of the requests."""
    rows: dict[tuple[bool, int], int] = {}
    for title, is_read in _SIZES.items():
        if title in histograms:
            for limit, count in histograms[title].rows:
                size = min(max(limit // _SECTOR, 1) * _SECTOR, _LARGEST)
                if count:
                    rows[is_read, size] = rows.get((is_read, size), 0) + count
    return [(is_read, size, count) for (is_read, size), count in rows.items()]


def _lines(rows: list[tuple[bool, int, int]], histograms: dict[str, _Histogram]) -> list[str]:
    total = sum(count for _, _, count in rows)
    shares = [count * _WHOLE // total for _, _, count in rows]
    shares[shares.index(max(shares))] += _WHOLE - sum(shares)
    random = {is_read: _random(title, histograms) for title, is_read in _DISTANCES.items()}
    return [
        f"{{size: {format_size(size)}, of_size: {percent(share)}%, "
        f"reads: {100 if is_read else 0}%, random: {percent(random[is_read])}%}}"
        for (is_read, size, _), share in zip(rows, shares, strict=True)
        if share
    ]


def _random(title: str, histograms: dict[str, _Histogram]) -> int:
    """Return the share of requests that do not begin at the block behind the one before."""
    found = histograms.get(title)
    if found is None or not found.total:
        return _WHOLE
    adjacent = sum(count for limit, count in found.rows if limit == 1)
    return _WHOLE - adjacent * _WHOLE // found.total
