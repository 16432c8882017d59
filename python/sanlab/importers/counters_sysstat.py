"""Outputs of sysstat: `iostat -x` as text and JSON, and `sar -d`.

First reports of iostat are means since the machine started. Their columns differ by version; each
is used, listed as without meaning here, or refused.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import re
from typing import TYPE_CHECKING, Any

from sanlab.errors import refuse
from sanlab.importers.counters import Counters, Rates, Report, leave_out_layers

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_KIB, _MIB, _SECTOR = 2**10, 2**20, 512
_DAY = 86_400
_RESULT = "a time or a share that the simulation has as a result"
_FOLLOWS = "it follows from the rates"
_MERGED = "merges happen before the rates are counted"
_NO_DATA = "discards and flushes are not simulated"
#: Columns without a part in a load.
_LEFT_OUT = {
    **dict.fromkeys(("rrqm/s", "wrqm/s", "%rrqm", "%wrqm"), _MERGED),
    **dict.fromkeys(("await", "r_await", "w_await", "svctm", "%util", "util"), _RESULT),
    **dict.fromkeys(("d_await", "f_await"), _RESULT),
    **dict.fromkeys(("avgrq-sz", "areq-sz", "rareq-sz", "wareq-sz"), _FOLLOWS),
    **dict.fromkeys(("d/s", "dkB/s", "dMB/s", "drqm/s", "%drqm", "dareq-sz", "f/s"), _NO_DATA),
}
#: Bytes of a unit of each column of a direction.
_BYTES = {
    "rkB/s": _KIB, "wkB/s": _KIB, "rMB/s": _MIB, "wMB/s": _MIB,
    "rsec/s": _SECTOR, "wsec/s": _SECTOR, "rd_sec/s": _SECTOR, "wr_sec/s": _SECTOR,
}  # fmt: skip
#: Names of sadf for columns of sar.
_OF_SADF = {
    "disk-device": "disk_device", "rkB": "rkB/s", "wkB": "wkB/s", "dkB": "dkB/s",
    "rd_sec": "rd_sec/s", "wr_sec": "wr_sec/s", "util-percent": "%util",
}  # fmt: skip
_OPEN = ("aqu-sz", "avgqu-sz")
_COUNTS = ("r/s", "w/s", "tps")
#: A prompt of a shell, or the key that ended a command.
_PROMPT = re.compile(r"\^C|\[?[\w.-]+@[\w.-]+\S*.*[#$]|PS [A-Z]:|\$ |# ")
_TIMES = ("%m/%d/%Y %I:%M:%S %p", "%m/%d/%y %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%d/%m/%y %H:%M:%S")


def looks_like_iostat(text: str) -> bool:
    """Whether a text is of iostat."""
    if text.lstrip().startswith("{"):
        return '"sysstat"' in text[:400] and "disk" in text
    has_rates = re.search(r"^Device:?\s+(?:\S.*\s)?(?:r/s|tps)\s", text, re.MULTILINE)
    return bool(has_rates)


def looks_like_sar(text: str) -> bool:
    """Whether a text is of `sar -d`."""
    return bool(re.search(r"^\S+( [AP]M)?\s+DEV\s+tps\s", text, re.MULTILINE))


def counters_of_iostat(text: str, file: str, chosen: Collection[str] = ()) -> Counters:
    """Read the output of iostat; of layers above disks, only those that are chosen.

    Raises
    ------
    ScenarioError
        At the first line that is wrong.
    """
    counters = Counters(file, "the output of iostat", first_is_since_boot=True)
    if text.lstrip().startswith("{"):
        _read_json(counters, text)
    else:
        _read_text(counters, text)
    if not chosen:
        leave_out_layers(counters)
    return counters


def counters_of_sar(text: str, file: str) -> Counters:
    """Read the output of `sar -d`.

    Raises
    ------
    ScenarioError
        At the first line that is wrong.
    """
    counters = Counters(file, "the output of sar -d")
    counters.remarks.append(
        "sar counts reads and writes together: their rates have the proportion of their bytes."
    )
    columns: list[str] = []
    last: float | None = None
    now: Report | None = None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0] in {"Average:", "Linux"} or "RESTART" in line:
            if "RESTART" in line:
                refuse(file, number, "", "The machine restarted within the capture", "Cut it there")
            continue
        at, rest = _time_of_day(words, file, number)
        if rest and rest[0] == "DEV":
            columns = rest[1:]
            _check_columns(counters, number, columns, ("tps",))
            last = at if last is None else last
            continue
        if not columns:
            refuse(file, number, "", "The line stands before any header", "Copy the whole output")
        while last is not None and at < last:
            at += _DAY
        if now is None or at != now.end:
            now = Report(number, last, at)
            counters.reports.append(now)
            last = at
        values = _values(file, number, columns, rest[1:])
        now.rates[rest[0]] = _rates(values, file, number)
    return counters


def _time_of_day(words: list[str], file: str, number: int) -> tuple[float, list[str]]:
    """Return the seconds since midnight that a row begins with, and the other words."""
    found = re.fullmatch(r"(\d\d?):(\d\d):(\d\d)", words[0])
    if not found:
        refuse(file, number, "", f"'{words[0]}' is not a time", "Copy the output of sar -d")
    hour, minute, second = (int(part) for part in found.groups())
    rest = words[1:]
    if rest and rest[0] in {"AM", "PM"}:
        hour = hour % 12 + (12 if rest[0] == "PM" else 0)
        rest = rest[1:]
    return float(hour * 3600 + minute * 60 + second), rest


def _read_text(counters: Counters, text: str) -> None:
    columns: list[str] = []
    at: float | None = None
    now: Report | None = None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            columns = []
        elif words[0] in {"Device", "Device:"}:
            columns = words[1:]
            _check_columns(counters, number, columns, ("r/s", "w/s"))
            now = Report(number, end=at)
            counters.reports.append(now)
        elif _PROMPT.match(line):
            columns = []
        elif columns and now is not None:
            values = _values(counters.file, number, columns, words[1:])
            now.rates[words[0]] = _rates(values, counters.file, number)
        elif (found := _moment(line.strip())) is not None:
            at = found


def _read_json(counters: Counters, text: str) -> None:
    file = counters.file
    try:
        document = json.loads(text)
        statistics = [
            (one, [dict(disk) for disk in one.get("disk", [])])
            for host in document["sysstat"]["hosts"]
            for one in host["statistics"]
        ]
    except json.JSONDecodeError as error:
        refuse(file, error.lineno, "", f"This is not JSON: {error.msg}", "Copy the whole output")
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        reason = "The JSON has no 'sysstat.hosts[].statistics[].disk[]'"
        refuse(file, 1, "", reason, "Write it with iostat -x -o JSON")
    for entry, disks in statistics:
        report = _report(entry)
        counters.reports.append(report)
        for disk in disks:
            row = {_OF_SADF.get(str(key), str(key)): value for key, value in disk.items()}
            name = str(row.pop("disk_device", ""))
            needed = ("r/s", "w/s") if "tps" not in row else ("tps",)
            if "tps" in row:
                counters.origin, counters.first_is_since_boot = "the output of sadf -j", False
            _check_columns(counters, 1, list(row), needed)
            values = _values(file, 1, list(row), [str(value) for value in row.values()])
            report.rates[name] = _rates(values, file, 1)


def _report(entry: dict[str, Any]) -> Report:
    """Return a report with its time, which sadf writes in parts."""
    at = entry.get("timestamp", "")
    if not isinstance(at, dict):
        return Report(1, end=_moment(str(at)))
    end = _moment(f"{at.get('date', '')} {at.get('time', '')}")
    seconds = at.get("interval")
    if end is None or not isinstance(seconds, int | float):
        return Report(1, end=end)
    return Report(1, start=end - seconds, end=end)


def _moment(text: str) -> float | None:
    """Return the seconds of a date and time; None for another text."""
    with contextlib.suppress(ValueError):
        found = datetime.datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=datetime.UTC)).timestamp()
    for form in _TIMES:
        with contextlib.suppress(ValueError):
            return datetime.datetime.strptime(f"{text} +0000", f"{form} %z").timestamp()
    return None


def _check_columns(
    counters: Counters, number: int, columns: list[str], needed: tuple[str, ...]
) -> None:
    missing = [name for name in needed if name not in columns]
    if missing:
        reason = f"The report has no column '{missing[0]}', so its I/Os are not known"
        refuse(counters.file, number, missing[0], reason, "Capture with iostat -x, or sar -d")
    for name in columns:
        if name in _LEFT_OUT:
            counters.leave_out(number, name, _LEFT_OUT[name])
        elif name not in _BYTES and name not in _COUNTS and name not in _OPEN:
            reason = f"The column '{name}' is not known"
            refuse(counters.file, number, name, reason, "Remove it, if it has no rate of I/O")


def _values(file: str, number: int, columns: list[str], words: list[str]) -> dict[str, float]:
    if len(words) != len(columns):
        reason = f"The line has {len(words)} values, and the header {len(columns)} columns"
        refuse(file, number, "", reason, "Copy the whole line; the file may be cut off")
    pairs = zip(columns, words, strict=True)
    return {name: _number(file, number, name, word) for name, word in pairs}


def _number(file: str, number: int, name: str, word: str) -> float:
    if re.fullmatch(r"\d+,\d+", word):
        reason = f"'{word}' has a decimal comma"
        refuse(file, number, name, reason, "Capture with LC_ALL=C")
    if not re.fullmatch(r"\d{1,15}(\.\d+)?(e[+-]?\d\d?)?", word):
        refuse(file, number, name, f"'{word}' is not a rate", "Write a number of 0 or more")
    return float(word)


def _rates(values: Mapping[str, float], file: str, number: int) -> Rates:
    moved: dict[str, float] = {}
    for name, unit in _BYTES.items():
        if name in values:
            moved[name[0]] = values[name] * unit
    if len(moved) < 2:
        refuse(file, number, "rkB/s", "The report has no bytes per second", "Capture with -x")
    read_bytes, write_bytes = moved["r"], moved["w"]
    depth = next((values[name] for name in _OPEN if name in values), None)
    if "r/s" in values:
        return Rates(values["r/s"], values["w/s"], read_bytes, write_bytes, depth)
    both = read_bytes + write_bytes
    reads = values["tps"] * read_bytes / both if both else 0.0
    writes = values["tps"] - reads if both else 0.0
    return Rates(reads, writes, read_bytes, write_bytes, depth)
