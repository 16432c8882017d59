"""vdbench's runs as workloads, one run after another.

A run (`rd`) takes workload definitions (`wd`) on storage definitions (`sd`). Each `wd` of a run
becomes a workload, and each of several rates, thread counts or sizes a run of its own. `iorate=max`
is a closed loop of `threads`; a number is an open one whose arrivals are Poisson's, vdbench's
`distribution=exponential`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, NoReturn

from sanlab.errors import refuse
from sanlab.importers.generic_san import LeftOut, LoadImport, Lun, Work, name_list, slug, unused
from sanlab.importers.vdbench_file import DEFAULT, Definition, VdValue, chosen, read_vdbench
from sanlab.importers.vdbench_keys import GENERAL, LEFT_OUT, REFUSED_IN, USED
from sanlab.quantities import format_size, nearest

if TYPE_CHECKING:
    from pathlib import Path

#: Defaults of vdbench: threads of an `sd`, seconds of an `rd`, and bytes of a transfer.
_THREADS, _ELAPSED, _XFERSIZE = 8, 30, "4k"
_MOST_RUNS = 100
_SECTOR = 512
_MAX_BLOCK = 2**26
_CURVE = "the points of a curve are shares of a maximum that is known only after its first run"
_FOR = {"forthreads": "threads", "forxfersize": "xfersize", "forrdpct": "rdpct"} | {
    "forseekpct": "seekpct"
}


def load_of_vdbench(text: str, path: Path) -> LoadImport:
    """Return the load of a parameter file.

    Raises
    ------
    ScenarioError
        At the first key that a scenario cannot express, with its line and the reason.
    """
    definitions, general = read_vdbench(text, str(path))
    importer = _Importer(definitions, general, str(path), path.name)
    runs = [one for one in importer.all if one.kind == "rd"]
    if not runs:
        lines = max(len(text.splitlines()), 1)
        refuse(str(path), lines, "rd", "The file has no run", "Add 'rd=run1,wd=*,iorate=max'")
    for run in runs:
        importer.add(run)
    return importer.load


@dataclass(slots=True)
class _Point:
    """One run: the values that hold in it for all its workloads."""

    name: str
    rate: str
    keys: dict[str, VdValue] = field(default_factory=dict)


class _Importer:
    def __init__(
        self, definitions: list[Definition], general: list[VdValue], file: str, name: str
    ) -> None:
        self.all = [one for one in definitions if one.name != DEFAULT]
        self.file = file
        self.load = LoadImport(f"vdbench's parameter file {name}", f"Load of {name}", hosts=[])
        self.names: set[str] = set()
        self.hosts: dict[str, str] = {}
        self.before: list[str] = []
        self.runs_count = 0
        self.noted: set[tuple[int, str]] = set()
        self.sort_general(general)
        for one in definitions:
            self.sort_keys(one)

    def sort_keys(self, one: Definition) -> None:
        """Note the keys of a definition that have no part here; refuse those that are unknown."""
        for value in one.keys.values():
            if (one.kind, value.key) in REFUSED_IN:
                reason, remedy = REFUSED_IN[one.kind, value.key]
                wrong(value, f"'{value.key}' of a '{one.kind}' {reason}", remedy)
            if value.key in USED[one.kind]:
                continue
            if value.key not in LEFT_OUT:
                reason = f"'{value.key}' of '{one.kind}' is not a key that sanlab can follow"
                wrong(value, reason, "Remove it, if the load is the same without it")
            self.leave_out(value, LEFT_OUT[value.key])

    def sort_general(self, values: list[VdValue]) -> None:
        """Note the parameters beside definitions; refuse those that are unknown."""
        for value in values:
            if value.key == "concatenatesds":
                if value.values[0][0].lower() != "n":
                    reason = "'concatenatesds' makes one device of several 'sd's"
                    wrong(value, reason, "Write one 'sd' with the size of all, without this line")
                self.leave_out(value, "the 'sd's are devices of their own, as here")
            elif value.key not in GENERAL:
                guess = nearest(value.key, [*GENERAL, *USED])
                hint = f"Did you mean '{guess}'? If not, remove it" if guess else "Remove it"
                wrong(value, f"'{value.key}' is not a parameter of vdbench that is known", hint)
            else:
                self.leave_out(value, GENERAL[value.key])

    def leave_out(self, value: VdValue, reason: str) -> None:
        if (value.line, value.key) not in self.noted:
            self.noted.add((value.line, value.key))
            self.load.left_out.append(LeftOut(self.file, value.line, value.key, reason))

    def add(self, run: Definition) -> None:
        """Add the workloads of a run, once for each of its points."""
        names = run.keys.get("wd")
        if names is None:
            refuse(self.file, run.line, "wd", f"'rd={run.name}' names no 'wd'", "Add 'wd=*'")
        works = chosen(names, self.all, "wd")
        for point in self.points(run):
            self.runs_count += 1
            if self.runs_count > _MOST_RUNS:
                reason = f"The file has more than {_MOST_RUNS} runs"
                refuse(self.file, run.line, run.name, reason, "Import a part of them")
            shares = _skews(works)
            added = [
                self.workload(run, point, work, share)
                for work, share in zip(works, shares, strict=True)
            ]
            self.load.works += added
            self.before = [one.name for one in added]

    def points(self, run: Definition) -> list[_Point]:
        rate = run.keys.get("iorate")
        rates = ["max"] if rate is None else _spread(rate)
        lists = [(name, run.keys[name]) for name in _FOR if name in run.keys]
        lists += [
            (name, run.keys[name])
            for name in _FOR.values()
            if name in run.keys and name != "xfersize" and len(run.keys[name].values) > 1
        ]
        found = []
        for text, *row in product(rates, *(_spread(value) for _, value in lists)):
            keys = {name: run.keys[name] for name in _FOR.values() if name in run.keys}
            parts = [run.name]
            if rate is not None and len(rates) > 1:
                parts.append(text)
            for (name, value), one in zip(lists, row, strict=True):
                key = _FOR.get(name, name)
                keys[key] = VdValue(key, (one,), value.file, value.line)
                parts.append(f"{key}-{one}")
            if rate is not None and text == "curve":
                left = LeftOut(self.file, rate.line, "curve", _CURVE)
                self.load.left_out.append(left)
            found.append(_Point("-".join(parts), "max" if text == "curve" else text, keys))
        return found

    def workload(self, run: Definition, point: _Point, work: Definition, share: float) -> Work:
        keys = {**work.keys, **point.keys}
        name = unused(slug(f"{point.name}-{work.name}", "run"), self.names)
        stores = self.stores(work)
        made = Work(name, {"hosts": self.host_of(work, stores)})
        targets = [f"array1.{self.lun_of(one).name}" for one in stores]
        made.keys["targets"] = targets[0] if len(targets) == 1 else f"[{', '.join(targets)}]"
        sizes = _sizes(keys.get("xfersize"))
        reads = _percent(keys.get("rdpct"), 100)
        random, stops = _seeks(keys.get("seekpct"))
        for hit in ("rhpct", "whpct"):
            if hit in keys and _percent(keys[hit], 0):
                wrong(keys[hit], f"'{hit}' repeats addresses to find them in a cache", "Write 0")
        is_plain = len(sizes) == 1 and random in {0, 100}
        if is_plain:
            prefix = "rand" if random else ""
            kind = {100: "read", 0: "write"}.get(reads, "rw")
            made.keys["rw"] = f"{prefix}{kind}"
            made.keys["bs"] = format_size(sizes[0][0])
            if kind == "rw":
                made.keys["rwmixread"] = f"{reads}%"
        else:
            made.access = [
                f"{{size: {format_size(size)}, of_size: {part}%, reads: {reads}%, "
                f"random: {random}%, align: {format_size(min(one for one, _ in sizes))}}}"
                for size, part in sizes
            ]
        parts = len(targets) if is_plain else 1
        self.pace(made, run, point, (share, parts), self.depth(keys, stores, share, made))
        self.times(made, run)
        if stops:
            least = min(self.lun_of(one).bytes for one in stores)
            made.keys["size" if is_plain else "io_size"] = format_size(least)
        if self.before:
            made.keys["after"] = name_list(self.before)
        return made

    def stores(self, work: Definition) -> list[Definition]:
        names = work.keys.get("sd")
        if names is None:
            refuse(self.file, work.line, "sd", f"'wd={work.name}' names no 'sd'", "Add 'sd=*'")
        return chosen(names, self.all, "sd")

    def lun_of(self, store: Definition) -> Lun:
        path = store.keys.get("lun")
        meaning = f"{store.name} {path.text}" if path is not None else store.name
        lun = self.load.lun(meaning)
        if "size" in store.keys:
            lun.bytes = max(_bytes(store.keys["size"]) // _SECTOR * _SECTOR, _SECTOR)
        if "offset" in store.keys and _bytes(store.keys["offset"]):
            wrong(store.keys["offset"], "'offset' of an 'sd' moves its LUN", "Remove it")
        return lun

    def host_of(self, work: Definition, stores: list[Definition]) -> str:
        named = [one.keys.get("host") or one.keys.get("hd") for one in (work, *stores)]
        texts = list(dict.fromkeys(one.text for one in named if one is not None))
        known = [one.name for one in self.all if one.kind == "hd"]
        if texts == ["*"]:
            texts = known[:1] if len(known) == 1 else []
        if len(texts) > 1 or (not texts and len(known) > 1):
            reason = f"'wd={work.name}' runs on several hosts"
            refuse(self.file, work.line, "host", reason, "Write one 'wd' for each with 'host='")
        text = texts[0] if texts else (known or ["localhost"])[0]
        if text not in known and text != "localhost":
            place = next(one for one in named if one is not None)
            wrong(
                place, f"'{text}' is the name of no 'hd'", f"Names are {', '.join(known) or 'none'}"
            )
        if text not in self.hosts:
            self.hosts[text] = unused(slug(text, "host"), {"sw1", "array1", *self.hosts.values()})
            self.load.hosts.append(self.hosts[text])
        return self.hosts[text]

    def depth(
        self, keys: dict[str, VdValue], stores: list[Definition], share: float, made: Work
    ) -> int:
        """Return the threads on each LUN: those of the `sd`, or what a run or workload says."""
        given = keys.get("threads")
        each = {
            _THREADS if "threads" not in one.keys else _count(one.keys["threads"]) for one in stores
        }
        if given is None and len(each) > 1:
            value = next(one.keys["threads"] for one in stores if "threads" in one.keys)
            wrong(value, "The 'sd's of one 'wd' have different 'threads'", "Give one 'wd' to each")
        threads = each.pop() if given is None else _count(given)
        if share < 1:
            made.remarks.append(
                "Workloads of one run share the threads of an 'sd' here by their 'skew'."
            )
        return max(round(threads * share), 1)

    def pace(
        self, made: Work, run: Definition, point: _Point, part: tuple[float, int], depth: int
    ) -> None:
        share, targets_count = part
        if point.rate.lower() == "max":
            made.keys["iodepth"] = str(depth)
            return
        rate = run.keys["iorate"]
        if not re.fullmatch(r"\d{1,9}", point.rate) or int(point.rate) == 0:
            wrong(rate, f"'{point.rate}' is not a rate", "Write max, curve, or I/Os per second")
        made.keys["rate_iops"] = str(max(round(int(point.rate) * share / targets_count), 1))
        kind = run.keys.get("distribution")
        word = "exponential" if kind is None else kind.values[0].lower()
        if word[0] not in "ed":
            reason = f"'distribution={word}' has no counterpart here"
            wrong(kind or rate, reason, "Write exponential or deterministic")
        made.keys["arrivals"] = "poisson" if word[0] == "e" else "constant"
        made.remarks.append("Requests come at the given rate; 'threads' does not hold them back.")

    def times(self, made: Work, run: Definition) -> None:
        warmup = run.keys.get("warmup")
        if warmup is not None and _seconds(warmup):
            made.keys["ramp_time"] = f"{_seconds(warmup)}s"
        elapsed = run.keys.get("elapsed")
        made.keys["runtime"] = f"{_ELAPSED if elapsed is None else _seconds(elapsed) or 1}s"


def wrong(value: VdValue, reason: str, remedy: str) -> NoReturn:
    """Refuse the value of a key."""
    refuse(value.file, value.line, value.key, reason, remedy)


def _spread(value: VdValue) -> list[str]:
    """Return the values of a list, or of `(from-to,step)`."""
    found = re.fullmatch(r"(\d+)-(\d+)", value.values[0])
    if found is None:
        return list(value.values)
    first, last = int(found[1]), int(found[2])
    words = value.values[1:] or ("1",)
    if words[0].lower() == "d":
        numbers = [first << power for power in range(64) if first << power <= last and first]
    else:
        step = _count(VdValue(value.key, words, value.file, value.line))
        numbers = list(range(first, last + 1, step))[: _MOST_RUNS + 1]
    return [str(number) for number in numbers]


def _skews(works: list[Definition]) -> list[float]:
    """Return the share of each workload: its `skew`, or an equal part of the rest."""
    given = [_percent(one.keys["skew"], 0) if "skew" in one.keys else None for one in works]
    total = sum(one for one in given if one is not None)
    blank = sum(1 for one in given if one is None)
    if total > 100 or (not blank and total != 100):
        value = next(one.keys["skew"] for one in works if "skew" in one.keys)
        wrong(value, f"The 'skew's of one run sum to {total} %", "Make them sum to 100")
    rest = (100 - total) / blank if blank else 0
    if blank and not rest:
        value = next(one.keys["skew"] for one in works if "skew" in one.keys)
        wrong(value, "The 'skew's leave nothing for a workload without one", "Give it its 'skew'")
    return [(rest if one is None else one) / 100 for one in given]


def _sizes(value: VdValue | None) -> list[tuple[int, str]]:
    """Return sizes in bytes and their percentages."""
    value = value or VdValue("xfersize", (_XFERSIZE,), "", 0)
    texts = value.values
    if len(texts) == 1:
        return [(_block(value, texts[0]), "100")]
    if len(texts) % 2:
        reason = f"'xfersize=({value.text})' draws any size of a range"
        wrong(value, reason, "Write sizes with percentages, (4k,50,8k,50)")
    pairs = [
        (_block(value, size), _percent(VdValue(value.key, (share,), value.file, value.line), 0))
        for size, share in zip(texts[::2], texts[1::2], strict=True)
    ]
    total = sum(share for _, share in pairs)
    if total != 100:
        wrong(value, f"The shares of 'xfersize' sum to {total} %", "Make them sum to 100")
    return [(size, str(share)) for size, share in pairs if share]


def _seeks(value: VdValue | None) -> tuple[int, bool]:
    """Return the percentage of random addresses, and whether the end of the LUN is the end."""
    word = "100" if value is None else value.text.lower()
    if word in {"rand", "random", "seq", "sequential", "seqnz", "eof", "-1"}:
        return (100 if word.startswith("rand") else 0), word in {"eof", "-1"}
    return _percent(value, 100), False


def _block(value: VdValue, text: str) -> int:
    size = _bytes(VdValue(value.key, (text,), value.file, value.line))
    if size == 0 or size % _SECTOR or size > _MAX_BLOCK:
        reason = f"'{text}' is not a number of whole sectors of {_SECTOR} bytes up to 64MiB"
        wrong(value, reason, "Write a size such as 8k")
    return size


def _bytes(value: VdValue) -> int:
    found = re.fullmatch(r"(\d{1,15})([bkmgt]?)", value.text.lower())
    if found is None:
        wrong(value, f"'{value.text}' is not a size", "Write a number with k, m, g or t")
    return int(found[1]) << 10 * "bkmgt".index(found[2] or "b")


def _percent(value: VdValue | None, default: int) -> int:
    if value is None:
        return default
    if not re.fullmatch(r"\d{1,3}", value.text) or int(value.text) > 100:
        wrong(value, f"'{value.text}' is not a percentage", "Write 0 to 100")
    return int(value.text)


def _count(value: VdValue) -> int:
    if not re.fullmatch(r"\d{1,5}", value.text) or int(value.text) == 0:
        wrong(value, f"'{value.text}' is not a number of 1 or more", "Write digits alone")
    return int(value.text)


def _seconds(value: VdValue) -> int:
    found = re.fullmatch(r"(\d{1,6})([smh]?)", value.text.lower())
    if found is None:
        wrong(value, f"'{value.text}' is not a time", "Write seconds, or a number with m or h")
    return int(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]
