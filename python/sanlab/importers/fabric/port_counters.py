"""Bytes at ports of switches, and the times of captures."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric.facts import ClockFact, Finding, TrafficFact

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import Block, Facts

#: Bytes of the words that Brocade counts.
_WORD = 4
#: Numbers with these are of more than 32 bits.
_SHORT = 2**32
_SUFFIX = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_COUNT = re.compile(
    r"stat(?P<wide>64)?_(?P<way>wtx|wrx)\s+(?P<value>\d+)\s+(?P<rest>.*)$", re.IGNORECASE
)


_WAY = re.compile(r"[TtRr][Xx]:?$")
_VALUE = re.compile(r"\d+(?:\.\d+)?[kmg]?")


def port_statistics(block: Block, facts: Facts) -> None:
    """Read the words that `portstatsshow` and `portstats64show` count."""
    fact: TrafficFact | None = None
    mine: list[TrafficFact] = []
    way, top = "", 0
    for number, line in block.lines:
        if begin := re.match(r"port:\s+(\d+)", line):
            fact = TrafficFact(block.at(number), block.switch, begin[1], is_short=True)
            fact.counter = "words of 32 bits"
            mine.append(fact)
        elif fact is None:
            continue
        elif row := _COUNT.match(line):
            way, top = row["way"], int(row["value"])
            fact.counter = "words of 64 bits" if row["wide"] else fact.counter
            if "top_int" not in row["rest"]:
                _add(fact, way, top, is_short=not row["wide"] and top < _SHORT)
        elif low := re.match(r"\s+(\d+)\s+bottom_int", line):
            _add(fact, way, top * _SHORT + int(low[1]), is_short=False)
            way = ""
    facts.traffic += [one for one in mine if one.is_told]


def _add(fact: TrafficFact, way: str, words: int, *, is_short: bool) -> None:
    fact.is_short, fact.is_told = fact.is_short and is_short, True
    if way == "wtx":
        fact.sent = words * _WORD
    elif way == "wrx":
        fact.received = words * _WORD


def port_rates(block: Block, facts: Facts) -> None:
    """Read `portperfshow`: rates of ports in tables of 16, repeated while it runs."""
    ports: list[str] = []
    numbers: list[str] = []
    slot = ""
    found: dict[tuple[str, str], list[float]] = {}
    lines: dict[str, int] = {}
    is_cut = False
    for number, line in block.lines:
        words = [word for word in line.replace("|", " ").split() if word != "Total"]
        way = words.pop(0).rstrip(":").lower() if words and _WAY.match(words[0]) else ""
        if place := re.match(r"\s*[Ss]lot\s*:?\s*(\d+)", line):
            slot = f"{place[1]}/"
        elif line.strip().startswith("==="):
            ports = [slot + port for port in numbers]
        elif words and all(_VALUE.fullmatch(word) for word in words):
            numbers = words
            if len(words) < len(ports) and not is_cut and not _is_header(words):
                is_cut = True
                text = f"A row of portperfshow has {len(words)} values for {len(ports)} ports"
                facts.findings.append(Finding(text, (block.at(number),)))
            for port, word in zip(ports, words, strict=False) if not _is_header(words) else ():
                found.setdefault((port, way), []).append(_bytes(word))
                lines.setdefault(port, number)
    for port, number in lines.items():
        facts.traffic.append(_mean(block, number, port, found))


def _is_header(words: list[str]) -> bool:
    """Tell a row with numbers of ports, which rise by one, from one of rates."""
    if len(words) == 1 or not all(word.isdigit() for word in words):
        return False
    numbers = [int(word) for word in words]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _bytes(text: str) -> float:
    number = text.rstrip("kmg")
    return float(number) * _SUFFIX[text[len(number) :]]


def _mean(
    block: Block, line: int, port: str, found: dict[tuple[str, str], list[float]]
) -> TrafficFact:
    fact = TrafficFact(block.at(line), block.switch, port, is_told=True)
    values = {way: found.get((port, way), []) for way in ("", "tx", "rx")}
    means = {way: sum(each) / len(each) for way, each in values.items() if each}
    count = max(map(len, values.values()))
    fact.over = f"{count} samples of portperfshow" if count > 1 else "a sample of portperfshow"
    fact.has_directions = "tx" in means or "rx" in means
    fact.sent, fact.received = means.get("tx", means.get("", 0.0)), means.get("rx", 0.0)
    if not fact.has_directions:
        fact.received = 0.0
    return fact


_RATE = re.compile(
    r"\s+(?P<span>\d+ (?:minutes?|seconds?)) (?P<way>input|output) rate [\d,]+ bits/sec,\s*"
    r"(?P<bytes>\d+) bytes/sec"
)
_TOTAL = re.compile(r"\s+\d+ frames (?P<way>input|output),\s*(?P<bytes>\d+) bytes")
#: Lines of `show interface counters detailed`, which may begin without blanks.
DETAILED = re.compile(
    r"(?:Total|Link|Loop|Congestion|Other) Stats:|[RT]x |TxWait |Percentage |BB_SC"
)
_RATE_DETAILED = re.compile(
    r"\s*(?P<way>[RT]x) (?P<span>\d+ (?:min|sec)\w*) rate bytes/sec:\s+(?P<bytes>\d+)"
)
_TOTAL_DETAILED = re.compile(r"\s*(?P<way>[RT]x) total bytes:\s+(?P<bytes>\d+)")


def interfaces(block: Block, facts: Facts) -> None:
    """Read rates and totals of `show interface` and `show interface counters`."""
    rate = total = None
    mine: list[TrafficFact] = []
    for number, line in block.lines:
        head = re.match(r"(?P<port>v?fc[\d/]+)(?: is .*)?\s*$", line)
        if head:
            rate = TrafficFact(block.at(number), block.switch, head["port"])
            total = TrafficFact(block.at(number), block.switch, head["port"])
            mine += [rate, total]
        elif re.match(r"\S", line) and not DETAILED.match(line):
            rate = total = None
        elif rate is not None and (found := _RATE.match(line) or _RATE_DETAILED.match(line)):
            rate.over = found["span"]
            _put(rate, found)
        elif total is not None and (found := _TOTAL.match(line) or _TOTAL_DETAILED.match(line)):
            _put(total, found)
    facts.traffic += [one for one in mine if one.is_told]


def _put(fact: TrafficFact, found: re.Match[str]) -> None:
    fact.is_told = True
    if found["way"] in {"output", "Tx"}:
        fact.sent = int(found["bytes"])
    else:
        fact.received = int(found["bytes"])


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = r"[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2})\s+(?P<day>\d+)"
_TIME = r"(?P<time>\d\d:\d\d:\d\d(?:\.\d+)?)"
#: `date` of Brocade, and `show clock` of Cisco.
_DATE = re.compile(rf"\s*{_DAY} {_TIME} .*?(?P<year>\d{{4}})\s*$")
_CLOCK = re.compile(rf"\s*{_TIME} \S+ {_DAY} (?P<year>\d{{4}})")


def clock(block: Block, facts: Facts) -> None:
    """Read `date` and `show clock`."""
    for number, line in block.lines:
        match = _DATE.match(line) or _CLOCK.match(line)
        if match and match["month"] in _MONTHS:
            month, (hour, minute, second) = (
                _MONTHS.index(match["month"]) + 1,
                match["time"].split(":"),
            )
            try:
                day = datetime.datetime(
                    int(match["year"]), month, int(match["day"]), tzinfo=datetime.UTC
                )
            except ValueError:
                facts.findings.append(Finding("A date is none", (block.at(number),)))
                continue
            seconds = day.timestamp() + int(hour) * 3600 + int(minute) * 60 + float(second)
            facts.clocks.append(ClockFact(block.at(number), block.switch, seconds))
