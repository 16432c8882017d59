"""diskspd's targets as workloads, one time span after another.

Each thread keeps `RequestCount` requests open on each of its targets: `iodepth` of `numjobs`.
Sequential threads begin at the same block, `ThreadStride` apart, or share one stream
(`InterlockedSequential`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from sanlab.errors import refuse
from sanlab.importers.diskspd_file import Setting, Target, TimeSpan, read_diskspd
from sanlab.importers.generic_san import LeftOut, LoadImport, Work, name_list, slug, unused
from sanlab.quantities import format_rate, format_size

if TYPE_CHECKING:
    from pathlib import Path

_SECTOR = 512
_MAX_BLOCK = 2**26
_MOST_THREADS = 4096
#: Defaults of diskspd: bytes, requests, threads, seconds of warm-up and of measurement.
_BLOCK, _REQUESTS, _WARMUP, _DURATION = 65536, 2, 5, 10
_USED = {
    *("Path", "BlockSize", "BaseFileOffset", "RandomAccess", "Random", "RandomRatio", "StrideSize"),
    *("InterlockedSequential", "ThreadStride", "MaxFileSize", "FileSize", "RequestCount"),
    *("WriteRatio", "Throughput", "ThreadsPerFile", "BurstSize", "ThinkTime", "Duration", "Warmup"),
    *("RandSeed", "ThreadCount", "DisableOSCache", "DisableAllCache", "Distribution"),
    *("MemoryMappedIo", "ThreadTargets", "Weight"),
}
_CACHED = (
    "Without -Sh the cache of the host serves a part of this I/O; here all of it goes to the SAN."
)
_HOST = "it shapes diskspd's output, its processors or the cache of its host"


def load_of_diskspd(text: str, path: Path) -> LoadImport:
    """Return the load of a profile or of command lines.

    Raises
    ------
    ScenarioError
        At the first setting that a scenario cannot express, with its line and the reason.
    """
    importer = _Importer(str(path), path.name)
    for span in read_diskspd(text, str(path)):
        importer.add(span)
    return importer.load


class _Importer:
    def __init__(self, file: str, name: str) -> None:
        self.file = file
        self.load = LoadImport(f"diskspd's load of {name}", f"Load of {name}")
        self.names: set[str] = set()
        self.before: list[str] = []
        self.noted: set[str] = set()

    def add(self, span: TimeSpan) -> None:
        if not span.targets:
            refuse(self.file, span.line, "Targets", "The time span has no target", "Add a Target")
        self.note(span.settings)
        seed = span.settings.get("RandSeed")
        if seed is not None:
            self.load.seed = _number(seed)
        works: list[Work] = []
        for target in span.targets:
            self.note(target.settings)
            works += self.works(span, target)
        self.load.works += works
        self.before = [work.name for work in works]

    def note(self, settings: dict[str, Setting]) -> None:
        for setting in settings.values():
            is_off = setting.text.lower() in {"false", "", "0"}
            if setting.key in _USED or setting.key in self.noted or is_off:
                continue
            self.noted.add(setting.key)
            left = LeftOut(self.file, setting.line, setting.key, _HOST)
            self.load.left_out.append(left)

    def works(self, span: TimeSpan, target: Target) -> list[Work]:
        """Return the workload of a target, or one for each thread that begins elsewhere."""
        settings = target.settings
        path = settings.get("Path")
        if path is None or not path.text:
            line = target.line if path is None else path.line
            refuse(self.file, line, "Path", "The target names no file or disk", "Write its path")
        for key in ("Distribution", "MemoryMappedIo"):
            setting = settings.get(key)
            if setting is not None and (key == "Distribution" or _is_on(setting)):
                reason = f"'{key}' has no counterpart: requests here are commands to blocks"
                wrong(setting, reason, "Remove it")
        _refuse_uneven(span, settings)
        word = re.split(r"[\\/]", path.text.rstrip("\\/"))[-1] or "target"
        work = Work(unused(slug(word, "target"), self.names), {"hosts": "host1"})
        work.keys["targets"] = f"array1.{self.load.lun(path.text).name}"
        if not _is_direct(settings):
            work.remarks.append(_CACHED)
        block = _size(settings.get("BlockSize"), _BLOCK)
        self.pattern(work, settings, block)
        self.pace(work, settings)
        threads, depth = _threads(span, settings)
        if _of_all(span) and len(span.targets) > 1:
            work.remarks.append(
                f"The {len(span.targets)} targets share the {_of_all(span)} requests of each "
                f"thread; here each has {depth}."
            )
        offset = _size(settings.get("BaseFileOffset"), 0)
        works = self.spread(work, settings, (threads, depth, offset))
        times = {
            "ramp_time": f"{_number(span.settings.get('Warmup'), _WARMUP)}s",
            "runtime": f"{_number(span.settings.get('Duration'), _DURATION) or 1}s",
        }
        for one in works:
            self.region(one, settings, (offset if one is work else int(one.keys["offset"]), block))
            one.keys.update(times)
            if self.before:
                one.keys["after"] = name_list(self.before)
        return works

    def region(self, work: Work, settings: dict[str, Setting], of: tuple[int, int]) -> None:
        """Write where a thread works, from its first byte to the end of the file."""
        first, block = of
        place = settings.get("MaxFileSize") or settings.get("FileSize")
        whole = _size(place, 0)
        if place is not None and whole:
            if whole - first < block:
                wrong(place, "The file has no room for a request", "Enlarge it")
            work.keys["size"] = format_size(whole - first)
            if not work.access:
                work.keys["time_based"] = "true"
        lun = self.load.lun(settings["Path"].text)
        lun.bytes = max(lun.bytes, whole, first + block)
        if first:
            work.keys["offset"] = format_size(first)

    def pattern(self, work: Work, settings: dict[str, Setting], block: int) -> None:
        """Write direction, size and order of requests."""
        if block == 0 or block % _SECTOR or block > _MAX_BLOCK:
            reason = f"'{block}' is not a number of whole sectors of {_SECTOR} bytes up to 64MiB"
            wrong(settings["BlockSize"], reason, "Write a size such as 65536")
        writes = _number(settings.get("WriteRatio"), 0)
        if writes > 100:
            wrong(settings["WriteRatio"], f"'{writes}' is not a percentage", "Write 0 to 100")
        align_setting = settings.get("Random")
        is_random = _is_on(settings.get("RandomAccess")) or align_setting is not None
        ratio = settings.get("RandomRatio")
        percent = _number(ratio, 0) if ratio is not None else 100 * is_random
        if percent > 100:
            wrong(ratio or settings["Path"], f"'{percent}' is not a percentage", "Write 0 to 100")
        align = _size(align_setting, 0) or block
        if align % _SECTOR:
            reason = f"'Random' {align} is not a multiple of {_SECTOR} bytes"
            wrong(align_setting or settings["Path"], reason, "Use whole sectors")
        stride = settings.get("StrideSize")
        if stride is not None and percent < 100 and _size(stride, block) != block:
            reason = "'StrideSize' leaves holes between sequential requests"
            wrong(stride, reason, "Make it the block size, or use random addresses")
        burst, pause = settings.get("BurstSize"), settings.get("ThinkTime")
        pause_ms = _number(pause, 0)
        if percent in {0, 100} and (percent == 0 or align == block) and not pause_ms:
            prefix = "rand" if percent else ""
            kind = {0: "read", 100: "write"}.get(writes, "rw")
            work.keys |= {"rw": f"{prefix}{kind}", "bs": format_size(block)}
            if kind == "rw":
                work.keys["rwmixread"] = f"{100 - writes}%"
            return
        delay = f", delay: {pause_ms}ms, burst: {max(_number(burst, 1), 1)}" if pause_ms else ""
        order = f"reads: {100 - writes}%, random: {percent}%, align: {format_size(align)}{delay}"
        work.access = [f"{{size: {format_size(block)}, {order}}}"]

    def spread(
        self, work: Work, settings: dict[str, Setting], of: tuple[int, int, int]
    ) -> list[Work]:
        """Write threads and depth; sequential threads have places of their own."""
        threads, depth, offset = of
        work.keys["iodepth"] = str(depth)
        is_sequential = work.keys.get("rw") in {"read", "write", "rw"}
        stride = _size(settings.get("ThreadStride"), 0)
        if threads == 1:
            return [work]
        if is_sequential and _is_on(settings.get("InterlockedSequential")):
            work.keys["iodepth"] = str(depth * threads)
        elif is_sequential and stride:
            places = [offset + number * stride for number in range(threads)]
            return [work] + [
                Work(
                    unused(f"{work.name}-{number}", self.names),
                    {**work.keys, "offset": str(place)},
                )
                for number, place in enumerate(places[1:], 2)
            ]
        elif is_sequential:
            text = f"All {threads} threads go through the same blocks, each from the first."
            work.remarks.append(text)
            work.name = f"{work.name}[1..{threads}]"
        else:
            work.keys["numjobs"] = str(threads)
        return [work]

    def pace(self, work: Work, settings: dict[str, Setting]) -> None:
        """Write the limit of a thread: bytes per millisecond, or I/Os per second."""
        setting = settings.get("Throughput")
        if setting is None or not _number(setting):
            return
        rate = _number(setting)
        if setting.unit.upper() == "IOPS":
            work.keys["rate_iops"] = str(rate)
        elif work.access:
            size = _size(settings.get("BlockSize"), _BLOCK)
            work.keys["rate_iops"] = str(max(rate * 1000 // size, 1))
        else:
            work.keys["rate"] = format_rate(rate * 1000)


def _of_all(span: TimeSpan) -> int:
    """Return the requests that a thread keeps open on all targets together, 0 if on each."""
    has_total = _number(span.settings.get("ThreadCount"), 0) > 0
    return _number(span.settings.get("RequestCount"), 0) if has_total else 0


def _refuse_uneven(span: TimeSpan, settings: dict[str, Setting]) -> None:
    """Refuse targets that only some of the threads have, or that have shares of their own."""
    threads = settings.get("ThreadTargets")
    if threads is not None and _is_on(threads):
        reason = "'ThreadTargets' gives the target to some of the threads alone"
        wrong(threads, reason, "Give each target 'ThreadsPerFile', and the span no 'ThreadCount'")
    weights = {_number(one.settings.get("Weight"), 1) for one in span.targets}
    weight = settings.get("Weight")
    if weight is not None and len(weights) > 1 and _of_all(span):
        reason = "The 'Weight's of the targets differ, and give each a share of its own"
        wrong(weight, reason, "Give each target 'ThreadsPerFile', and the span no 'ThreadCount'")


def _threads(span: TimeSpan, settings: dict[str, Setting]) -> tuple[int, int]:
    """Return threads of a target and requests that each keeps open on it."""
    total = _number(span.settings.get("ThreadCount"), 0)
    threads = total or _number(settings.get("ThreadsPerFile"), 1) or 1
    of_all = -(-_of_all(span) // len(span.targets))
    depth = of_all or _number(settings.get("RequestCount"), _REQUESTS) or 1
    if threads > _MOST_THREADS:
        setting = span.settings.get("ThreadCount") if total else settings["ThreadsPerFile"]
        wrong(setting or settings["Path"], f"{threads} threads are too many", "At most 4096")
    return threads, depth


def wrong(setting: Setting, reason: str, remedy: str) -> NoReturn:
    """Refuse a setting."""
    refuse(setting.file, setting.line, setting.key, reason, remedy)


def _is_direct(settings: dict[str, Setting]) -> bool:
    caches = (settings.get("DisableOSCache"), settings.get("DisableAllCache"))
    return any(map(_is_on, caches)) or any(re.match(r"-(h|S(?!b|m))", key) for key in settings)


def _is_on(setting: Setting | None) -> bool:
    return setting is not None and setting.text.lower() in {"true", "1"}


def _number(setting: Setting | None, default: int = 0) -> int:
    if setting is None:
        return default
    if not re.fullmatch(r"\d{1,9}", setting.text):
        reason = f"'{setting.text}' is not a number of '{setting.key}'"
        wrong(setting, reason, "Write digits alone")
    return int(setting.text)


def _size(setting: Setting | None, default: int) -> int:
    if setting is None:
        return default
    if not re.fullmatch(r"\d{1,18}", setting.text):
        wrong(setting, f"'{setting.text}' is not a number of bytes", "Write digits alone")
    size = int(setting.text)
    if size % _SECTOR and setting.key in {"BaseFileOffset", "ThreadStride"}:
        reason = f"'{size}' is not a multiple of {_SECTOR} bytes"
        wrong(setting, reason, "Use whole sectors")
    return size
