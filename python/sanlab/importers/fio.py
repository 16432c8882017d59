"""fio's jobs as workloads.

Each job becomes a workload, each file or device it names a LUN, and `stonewall` and `wait_for`
become `after`. A job with several block sizes, or a share of random addresses, becomes lines of
`access`. Every other key is in the tables of `fio_keys.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sanlab.errors import refuse
from sanlab.importers.fio_blocks import blocks_of, mean_bytes
from sanlab.importers.fio_file import read_fio
from sanlab.importers.fio_keys import (
    DEVICES,
    FILES_IN_A_ROW,
    FILES_NAMED,
    FLAGS,
    NO_DISK,
    REFUSED,
    SAME_KEY,
    SYNCHRONOUS,
    UNEVEN,
    USED,
    WITHOUT_MEANING,
)
from sanlab.importers.fio_reading import Reading
from sanlab.importers.fio_region import write_region
from sanlab.importers.fio_values import Values, percent, wrong
from sanlab.importers.generic_san import LeftOut, LoadImport, Work, name_list, slug, unused
from sanlab.quantities import format_rate, format_size, format_time, nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from sanlab.importers.fio_blocks import Blocks
    from sanlab.importers.fio_file import FioJob, FioKey

_MAX_NUMJOBS = 4096
#: Lowest rate of a scenario, in bytes per second.
_LEAST_RATE = 1000
_WITHOUT_JOB = "Remove the job, or import the others with --job"
_PS_PER_US = 10**6
_DIRECTIONS = {
    "read": "read",
    "write": "write",
    "randread": "randread",
    "randwrite": "randwrite",
    "rw": "rw",
    "readwrite": "rw",
    "randrw": "randrw",
}


def load_of_fio(
    text: str, path: Path, defined: Mapping[str, str], wanted: Collection[str] = ()
) -> LoadImport:
    """Return the load of a job file, or only of the sections that are wanted.

    Raises
    ------
    ScenarioError
        At the first key that a scenario cannot express, with its line and the reason.
    """
    jobs = read_fio(text, path)
    sections = list(dict.fromkeys(job.section for job in jobs))
    for name in wanted:
        if name not in sections:
            remedy = f"Jobs are {', '.join(sections)}"
            refuse(str(path), None, "", f"The file has no job '{name}'", remedy)
    load = LoadImport(f"fio's job file {path.name}", f"Load of {path.name}")
    importer = _Importer(load, defined)
    for job in jobs:
        if not wanted or job.section in wanted:
            importer.add(job)
    return load


class _Importer:
    def __init__(self, load: LoadImport, defined: Mapping[str, str]) -> None:
        self.load = load
        self.defined = defined
        self.names: set[str] = set()
        self.left_out: set[tuple[str, int, str]] = set()
        #: Workloads of each job by its section; those since the last stonewall, and before it.
        self.of_section: dict[str, list[str]] = {}
        self.group: list[str] = []
        self.before: list[str] = []

    def add(self, job: FioJob) -> None:
        keys = self.sorted_keys(job)
        base = keys.get("kb_base")
        values = Values(self.defined)
        if base is not None:
            found = values.number(base)
            if found not in {1000, 1024}:
                wrong(base, f"'{base.value}' is not a base of units", "Write 1000 or 1024")
            values = Values(self.defined, found)
        title = values.text(keys["name"]) if "name" in keys else job.section
        name = unused(slug(title, "job"), self.names)
        one = Reading(job, keys, values, Work(name, {}))
        self.check_engine(one)
        one.rw = _direction(one)
        one.numjobs = one.number("numjobs", 1, low=1)
        if one.numjobs > _MAX_NUMJOBS:
            wrong(keys["numjobs"], f"{one.numjobs} jobs are too many", f"At most {_MAX_NUMJOBS}")
        one.is_timed = values.is_on(keys.get("time_based"))
        if one.is_timed and "runtime" not in keys:
            key = keys["time_based"]
            wrong(key, "'time_based' has no 'runtime', so the job never ends", "Add 'runtime=10'")
        self.place(one)
        self.check_files(one)
        blocks = blocks_of(one.keys, one.values, one.rw)
        self.write(one, self.mixed_by_rates(one, blocks))

    def sorted_keys(self, job: FioJob) -> dict[str, FioKey]:
        """Return the keys that count, under one name each; the others are noted or refused."""
        found: dict[str, FioKey] = {}
        for key in job.keys.values():
            name = SAME_KEY.get(key.key, key.key)
            if key.key in REFUSED:
                reason, remedy = REFUSED[key.key]
                wrong(key, f"'{key.key}' {reason}", remedy)
            if key.key in USED:
                if key.value is None and name not in FLAGS:
                    wrong(key, f"'{key.key}' has no value", "Write it, or remove the key")
                found[name] = key
            is_device = key.key in DEVICES and "filename" not in job.keys
            if is_device and key.value:
                continue  # the name of a LUN
            if key.key in WITHOUT_MEANING:
                self.leave_out(key, WITHOUT_MEANING[key.key])
            elif key.key not in USED:
                guess = nearest(key.key, [*USED, *WITHOUT_MEANING])
                hint = f"Did you mean '{guess}'? If not, remove it" if guess else "Remove it"
                wrong(key, f"'{key.key}' is not a key of fio that sanlab knows", hint)
        for name in ("ioengine", "directory", "sync", *DEVICES):
            if name in job.keys:
                found[name] = job.keys[name]
        return found

    def leave_out(self, key: FioKey, reason: str) -> None:
        place = (key.file, key.line, key.key)
        if place not in self.left_out:
            self.left_out.add(place)
            self.load.left_out.append(LeftOut(key.file, key.line, key.key, reason))

    def check_engine(self, one: Reading) -> None:
        """Refuse engines without I/O; note what the engine does to the depth."""
        key = one.keys.get("ioengine")
        depth = one.number("iodepth", 1, low=1)
        engine = "" if key is None or "${" in (key.value or "") else (key.value or "")
        if key is not None and (engine in NO_DISK or engine.startswith("external:")):
            reason = f"'ioengine={engine}' does no I/O to a disk that can be simulated"
            wrong(key, reason, _WITHOUT_JOB)
        if depth > 1 and engine in SYNCHRONOUS:
            one.keys.pop("iodepth")
            one.remark(f"ioengine={engine} keeps one request open whatever iodepth={depth} says.")
        elif depth > 1 and key is None:
            one.remark(
                "No ioengine is named: on Linux fio would take psync, which keeps one request "
                "open. Here iodepth holds, as with an asynchronous engine."
            )
        direct, buffered = one.keys.get("direct"), one.keys.get("buffered")
        is_direct = one.values.is_on(direct) or (
            direct is None and buffered is not None and not one.values.is_on(buffered)
        )
        if not is_direct:
            one.remark(
                "Without direct=1 the page cache of the host serves a part of this I/O; here all "
                "of it goes to the SAN."
            )

    def place(self, one: Reading) -> None:
        """Find the LUNs of a job: one for each file, or one of its own."""
        key = one.keys.get("filename")
        device = next((one.keys[name] for name in DEVICES if name in one.keys), None)
        if key is None and device is not None:
            one.luns = [self.load.lun(one.values.text(device))]
            return
        if key is None:
            size = one.keys.get("size")
            one.is_shared = "directory" not in one.keys and (
                size is None or percent(one.values.text(size)) is not None
            )
            meaning = f"files of job {one.job.section} ({one.work.name})"
            if one.is_shared:
                meaning = "the file that the command line of fio names"
            one.luns = [self.load.lun(meaning)]
            return
        text = one.values.text(key).replace("\\:", "\0")
        files = [part.replace("\0", ":").strip() for part in text.split(":")]
        if not all(files):
            wrong(key, f"'{key.value}' has a file without a name", "Write names between colons")
        one.luns = [self.load.lun(name) for name in dict.fromkeys(files)]

    def check_files(self, one: Reading) -> None:
        """Note a number of files that has no part; refuse files with shares of their own."""
        key, order = one.keys.get("nrfiles"), one.job.keys.get("file_service_type")
        is_named = "filename" in one.keys or any(name in one.keys for name in DEVICES)
        count = len(one.luns) if is_named else one.number("nrfiles", 1, low=1)
        if key is not None and (is_named or "filesize" not in one.keys):
            self.leave_out(key, FILES_NAMED if is_named else FILES_IN_A_ROW)
        if order is not None and count > 1 and (order.value or "").startswith(UNEVEN):
            reason = f"'file_service_type={order.value}' gives each file a share of its own"
            wrong(order, reason, "Give each file a job with its own 'filename'")

    def write(self, one: Reading, blocks: Blocks) -> None:
        """Write the keys of the workload."""
        work, keys, values = one.work, one.keys, one.values
        work.keys["hosts"] = "host1"
        targets = [f"array1.{lun.name}" for lun in one.luns]
        work.keys["targets"] = targets[0] if len(targets) == 1 else f"[{', '.join(targets)}]"
        if blocks.is_plain:
            work.keys["rw"] = one.rw
            work.keys["bs"] = format_size(blocks.reads[0].bytes)
            if one.is_mixed:
                work.keys["rwmixread"] = f"{blocks.read_percent}%"
        else:
            work.access = blocks.lines(one.rw)
        is_open = self.rates(one, blocks)
        if not is_open:
            self.depth(one)
        self.think(one, blocks, is_open=is_open)
        offsets = write_region(one, blocks)
        distribution = keys.get("random_distribution")
        if distribution is not None:
            self.distribution(one, distribution)
        self.times(one)
        self.order(one)
        seed = keys.get("randseed")
        if seed is not None:
            self.load.seed = values.number(seed) % 2**63
        self.finish(one, offsets)

    def finish(self, one: Reading, offsets: list[int]) -> None:
        """Add the workload, once for each of the offsets where its jobs begin apart."""
        work = one.work
        if len(offsets) == 1 or len(set(offsets)) == 1:
            if len(offsets) > 1:
                work.remarks.append(
                    f"All {len(offsets)} jobs go through the same blocks, each from the first."
                )
                work.name = f"{work.name}[1..{len(offsets)}]"
            works = [work]
        else:
            works = [
                Work(
                    f"{work.name}-{number}",
                    {**work.keys, "offset": format_size(offset)},
                    work.access,
                    work.remarks if number == 1 else [],
                )
                for number, offset in enumerate(offsets, 1)
            ]
        self.load.works += works
        names = [each.name for each in works]
        self.of_section[one.job.section] = names
        self.group += names

    def depth(self, one: Reading) -> None:
        depth = one.number("iodepth", 1, low=1)
        count = len(one.luns)
        if count > 1:
            each = -(-depth // count)
            one.remark(
                f"The {count} files of the job are used in turn; here each has {each} of its "
                f"{depth} requests."
            )
            depth = each
        one.work.keys["iodepth"] = str(depth)
        if one.numjobs > 1:
            one.work.keys["numjobs"] = str(one.numjobs)

    def rates(self, one: Reading, blocks: Blocks) -> bool:
        """Write the rate; return whether arrivals do not wait for completions."""
        keys, work = one.keys, one.work
        process = keys.get("rate_process")
        kind = "linear" if process is None else one.values.text(process)
        if process is not None and kind not in {"linear", "poisson"}:
            wrong(process, f"'{kind}' is not a process of fio", "Write linear or poisson")
        given = [keys[name] for name in ("rate", "rate_iops") if name in keys]
        if len(given) == 2:
            wrong(given[1], "'rate' and 'rate_iops' limit the same job", "Keep one of them")
        if not given:
            if process is not None and kind == "poisson":
                wrong(process, "'rate_process=poisson' has no 'rate_iops'", "Add it")
            return False
        key = given[0]
        total = self.total_rate(one, key)
        if total == 0:
            return False
        # One job has all files of a workload with lines of 'access'.
        per_lun = total // (len(one.luns) if blocks.is_plain else 1)
        if key.key == "rate" and blocks.is_plain:
            work.keys["rate"] = format_rate(max(per_lun, _LEAST_RATE))
        else:
            iops = per_lun if key.key == "rate_iops" else round(per_lun / mean_bytes(blocks))
            work.keys["rate_iops"] = str(max(iops, 1))
            if key.key == "rate":
                one.remark("'rate' is given as I/Os of the mean size.")
        if kind == "poisson":
            work.keys["arrivals"] = "poisson"
            if one.numjobs > 1:
                work.keys["numjobs"] = str(one.numjobs)
            one.remark("Requests arrive as a Poisson process, which 'iodepth' does not hold back.")
            return True
        return False

    def both_rates(self, one: Reading, key: FioKey) -> tuple[int, int]:
        """Return the rates of reads and of writes, which have their own limit in fio."""
        texts = one.values.texts(key)
        of_reads = one.values.number(key, texts[0]) if texts[0] else 0
        of_writes = of_reads
        if len(texts) > 1:
            of_writes = one.values.number(key, texts[1]) if texts[1] else 0
        rates = of_reads, of_writes
        if one.is_mixed and not all(rates) and any(rates):
            reason = f"'{key.key}={key.value}' limits one direction of a job that mixes both"
            wrong(key, reason, "Give both rates, or split the job")
        least = min((rate for rate in rates if rate), default=_LEAST_RATE)
        if key.key == "rate" and least < _LEAST_RATE:
            wrong(key, f"'{key.value}' is less than 1 kB/s", "Write a higher rate, or 'rate_iops'")
        return rates

    def total_rate(self, one: Reading, key: FioKey) -> int:
        of_reads, of_writes = self.both_rates(one, key)
        if one.is_mixed:
            return of_reads + of_writes
        return of_reads if one.rw.endswith("read") else of_writes

    def mixed_by_rates(self, one: Reading, blocks: Blocks) -> Blocks:
        """Return the requests with the share of reads that two rates give."""
        key = one.keys.get("rate_iops") or one.keys.get("rate")
        if key is None or not one.is_mixed:
            return blocks
        of_reads, of_writes = self.both_rates(one, key)
        if not of_reads:
            return blocks
        if key.key == "rate":  # bytes, which reads and writes may have different numbers of
            of_reads *= round(mean_bytes(replace(blocks, read_percent=0)))
            of_writes *= round(mean_bytes(replace(blocks, read_percent=100)))
        share = round(100 * of_reads / (of_reads + of_writes))
        if share != blocks.read_percent:
            one.remark(f"The rates of reads and of writes give the share of reads, {share}%.")
        return replace(blocks, read_percent=share)

    def think(self, one: Reading, blocks: Blocks, *, is_open: bool) -> None:
        key = one.keys.get("thinktime")
        if key is None:
            return
        pause = one.values.time_us(key, "us")
        count = one.number("thinktime_blocks", 1, low=1)
        if "thinktime_iotime" in one.keys:
            wrong(
                one.keys["thinktime_iotime"],
                "'thinktime_iotime' pauses after a time, not after a number of requests",
                "Use 'thinktime_blocks'",
            )
        if pause == 0 or is_open:
            return
        text = format_time(pause * _PS_PER_US)
        if count == 1 and blocks.is_plain:
            one.work.keys["thinktime"] = text
            return
        if blocks.is_plain:
            one.work.access = blocks.lines(one.rw)
            for name in ("rw", "bs", "rwmixread"):
                one.work.keys.pop(name, None)
        one.work.access = [
            f"{line[:-1]}, delay: {text}, burst: {count}}}" for line in one.work.access
        ]

    def distribution(self, one: Reading, key: FioKey) -> None:
        text = one.values.text(key)
        kind, _, rest = text.partition(":")
        if kind == "random" or not one.is_random:
            return
        theta = rest.partition("/")[0] or "1.1"
        if kind != "zipf":
            reason = f"'random_distribution={text}' has no counterpart: addresses are uniform or "
            wrong(key, f"{reason}Zipf's", "Write 'random' or 'zipf:1.2'")
        if work_access := one.work.access:
            reason = (
                f"Zipf's addresses of '{text}' and {len(work_access)} kinds of requests of one "
            )
            wrong(key, f"{reason}job cannot be combined", "Keep one of them, or split the job")
        try:
            is_number = 0.001 <= float(theta) <= 10
        except ValueError:
            is_number = False
        if not is_number:
            wrong(key, f"'{theta}' is not an exponent of Zipf's law", "Write zipf:1.2")
        one.work.keys["random_distribution"] = f"zipf:{theta}"

    def times(self, one: Reading) -> None:
        for name, target in (
            ("ramp_time", "ramp_time"),
            ("runtime", "runtime"),
            ("startdelay", "start_delay"),
        ):
            key = one.keys.get(name)
            if key is None:
                continue
            if name == "startdelay" and "-" in (key.value or ""):
                wrong(key, "'startdelay' is a range, from which fio draws", "Write one time")
            us = one.values.time_us(key, "s")
            if us:
                one.work.keys[target] = format_time(us * _PS_PER_US)
            elif name == "runtime" and one.is_timed:
                wrong(key, "'runtime=0' with 'time_based' never ends", "Write 'runtime=10'")

    def order(self, one: Reading) -> None:
        """Write `after`: a job waits for those before the last stonewall, and for `wait_for`."""
        if one.values.is_on(one.keys.get("stonewall")) and self.group:
            self.before, self.group = self.group, []
        names = list(self.before)
        waits = one.keys.get("wait_for")
        if waits is not None:
            name = one.values.text(waits)
            if name not in self.of_section:
                reason = f"'wait_for={name}' names no job before this one"
                wrong(waits, reason, f"Jobs are {', '.join(self.of_section) or 'none'}")
            names += self.of_section[name]
        if names:
            one.work.keys["after"] = name_list(dict.fromkeys(names))


def _direction(one: Reading) -> str:
    key = one.keys.get("rw")
    if key is None:
        return "read"
    text = one.values.text(key)
    kind, colon, rest = text.lower().partition(":")
    if "trim" in kind:
        wrong(key, f"'rw={text}' trims blocks, and LUNs here have no UNMAP", _WITHOUT_JOB)
    if kind not in _DIRECTIONS:
        guess = nearest(kind, list(_DIRECTIONS))
        hint = f"Did you mean '{guess}'?" if guess else f"Choices are {', '.join(_DIRECTIONS)}"
        wrong(key, f"'{text}' is not a direction of fio", hint)
    if colon and rest not in {"", "1"}:
        reason = f"'rw={text}' mixes an order of its own: runs of blocks, or holes between them"
        wrong(key, reason, "Write the direction alone, or 'percentage_random'")
    order = one.keys.get("rw_sequencer")
    if order is not None and one.values.text(order) != "sequential":
        wrong(order, f"'rw_sequencer={order.value}' repeats addresses", "Remove it")
    if one.values.is_on(one.keys.get("bs_is_seq_rand")):
        reason = "'bs_is_seq_rand' gives sequential and random requests sizes of their own"
        wrong(one.keys["bs_is_seq_rand"], reason, "Split the job")
    _refuse_zones(one)
    return _DIRECTIONS[kind]


def _refuse_zones(one: Reading) -> None:
    mode = one.keys.get("zonemode")
    skip = one.keys.get("zoneskip")
    if mode is None and "zonesize" in one.keys and skip is None:
        mode = one.keys["zonesize"]  # fio takes strided zones then
    elif mode is None and skip is not None:
        mode = skip
    if mode is None or (mode.key == "zonemode" and one.values.text(mode) == "none"):
        return
    if mode.key == "zonemode" and one.values.text(mode) == "zbd":
        wrong(mode, "'zonemode=zbd' needs a zoned device, and LUNs here have no zones", "Remove it")
    reason = f"'{mode.key}={mode.value}' moves a window of addresses over the device"
    wrong(mode, reason, "Give the window with 'offset' and 'size', one job for each")
