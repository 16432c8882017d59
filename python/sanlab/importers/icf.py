"""Iometer's configuration file (.icf) as plain data.

The file is text in four sections. A line that begins with `'` names what follows or is a heading of
columns; the lines after it are values, indented by a tab. The layout is that of Iometer 1.1.0 and
of the releases named by a date back to 1998.10.08 (AccessSpecList.cpp, PageSetup.cpp, Manager.cpp
of github.com/iometer-org/iometer); those before 1.1.0 lack the columns of seeds and data patterns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NoReturn, cast, get_args

from sanlab.errors import Problem, ScenarioError
from sanlab.quantities import nearest

TestType = Literal[
    "NORMAL",
    "CYCLE_TARGETS",
    "CYCLE_WORKERS",
    "INCREMENT_TARGETS_PARALLEL",
    "INCREMENT_TARGETS_SERIAL",
    "CYCLE_WORKERS_AND_TARGETS",
    "CYCLE_OUTSTANDING_IOS",
    "CYCLE_OUTSTANDING_IOS_AND_TARGETS",
]
StepType = Literal["LINEAR", "EXPONENTIAL"]

#: Name of the specification in which a worker does nothing.
IDLE = "Idle"
#: Releases whose files have this layout: 1.x, and those named by a date.
_OLDEST = (1998, 10, 8)
_FIRST_YEAR = 1990
_SECTOR_BYTES = 512
_VERSION = re.compile(r"Version(?:\s+(\d+)\.(\d+)(?:\.(\d+))?\S*)?", re.IGNORECASE)
#: Largest request, as in a scenario.
_MAX_BYTES = 2**26
_PERCENT = 100
_MAX_OUTSTANDING = 65_535
#: Columns of the settings of targets where a seed is among them, since 1.1.0.
_WITH_SEED = 5


@dataclass(frozen=True, slots=True)
class IcfLine:
    """One line of an access specification; sizes in bytes, shares in percent, delay in ms."""

    size: int
    of_size: int
    reads: int
    random: int
    delay: int
    burst: int
    align: int
    reply: int


@dataclass(frozen=True, slots=True)
class IcfSpec:
    """An access specification, and the kinds of workers it is assigned to by default."""

    name: str
    default: str
    lines: list[IcfLine]


@dataclass(slots=True)
class IcfWorker:
    """A worker: outstanding I/Os for each target, its region in sectors, what it does and where."""

    name: str
    line: int
    outstanding: int = 1
    seed: int | None = None
    maximum_sectors: int = 0
    starting_sector: int = 0
    specs: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class IcfManager:
    """A manager: the Dynamo process of one host."""

    name: str
    workers: list[IcfWorker]


@dataclass(frozen=True, slots=True)
class Cycling:
    """From where, how far and in which steps something is cycled; `end` is 0 for all there are."""

    start: int = 1
    step: int = 1
    step_type: StepType = "LINEAR"
    end: int = 0

    def values(self, most: int) -> list[int]:
        """Return the values up to `end`, or up to `most` where it has none."""
        last = self.end or most
        values = [min(self.start, last)]
        while True:
            value = values[-1]
            value = value + self.step if self.step_type == "LINEAR" else value * self.step
            if value > last or value <= values[-1]:
                return values
            values.append(value)


@dataclass(slots=True)
class IometerTest:
    """All of a file that a simulation needs."""

    file: str
    version: str
    description: str = ""
    run_s: int = 0
    ramp_s: int = 0
    test_type: TestType = "NORMAL"
    workers: Cycling = field(default_factory=Cycling)
    targets: Cycling = field(default_factory=Cycling)
    queue_depth: Cycling = field(default_factory=lambda: Cycling(1, 2, "EXPONENTIAL", 32))
    specs: dict[str, IcfSpec] = field(default_factory=dict)
    managers: list[IcfManager] = field(default_factory=list)


def read_icf(text: str, file: str) -> IometerTest:
    """Read a configuration.

    Raises
    ------
    ScenarioError
        At the first thing that is wrong, with its line.
    """
    return _Reader(text, file).read()


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the file: a key where it begins with `'`, else a value."""

    number: int
    text: str
    is_key: bool


class _Reader:
    """Goes through the lines of a file once."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        lines = text.lstrip("\ufeff").splitlines()
        self.lines_count = len(lines)
        self.rows = [
            _Row(number, line.strip().removeprefix("'").strip(), line.lstrip().startswith("'"))
            for number, line in enumerate(lines, 1)
            if line.strip() or line[:1] in {"\t", " "}
        ]
        self.next = 0
        self.section = ""
        self.test = IometerTest(file, "")

    def refuse(self, line: int, key: str, reason: str, remedy: str) -> NoReturn:
        # Of a heading of columns the first names the value well enough.
        short = key.partition(",")[0]
        raise ScenarioError([Problem(self.file, line, None, short, reason, remedy)])

    def cut_off(self) -> NoReturn:
        missing = f"'END {self.section}'" if self.section else "its access specifications"
        reason = f"The file is cut off: it ends before {missing}"
        remedy = "Save the configuration again in Iometer, or copy the whole file"
        self.refuse(max(self.lines_count, 1), self.section, reason, remedy)

    def take(self) -> _Row:
        """Return the next line."""
        if self.next >= len(self.rows):
            self.cut_off()
        row = self.rows[self.next]
        self.next += 1
        return row

    def value(self, key: str) -> _Row:
        """Return the next value; headings between are passed over, an absent one is empty."""
        start = self.next
        while self.next < len(self.rows) and self.rows[self.next].is_key:
            if not _is_heading(self.rows[self.next].text):
                break
            self.next += 1
        is_absent = self.next < len(self.rows) and self.rows[self.next].is_key
        row = _Row(self.rows[start - 1].number, "", is_key=False) if is_absent else self.take()
        if not row.text and key != "Test Description":
            self.refuse(row.number, key, "The value is missing", "Write it, indented by a tab")
        return row

    def read(self) -> IometerTest:
        self.read_version()
        sections = {
            "TEST SETUP": ("test setup", self.setup_key),
            "RESULTS DISPLAY": ("results display", None),
            "ACCESS SPECIFICATIONS": ("access specifications", self.specification_key),
            "MANAGER LIST": ("manager list", self.manager_key),
        }
        while self.next < len(self.rows):
            row = self.take()
            if not row.is_key and row.text.lower().startswith("version") and self.test.specs:
                continue  # Iometer writes it once more at the end
            heading = row.text.rstrip("= ").upper()
            if not row.is_key or heading not in sections:
                remedy = f"Sections are {', '.join(sections)}"
                self.refuse(row.number, "", f"'{row.text.rstrip('= ')}' begins no section", remedy)
            self.section, on_key = sections[heading]
            while True:
                row = self.take()
                if row.is_key and row.text.lower() == f"end {self.section}":
                    break
                if on_key is not None and row.is_key:
                    on_key(row)
            self.section = ""
        if not self.test.specs:
            self.cut_off()
        self.check_assignments()
        return self.test

    def read_version(self) -> None:
        """Take the lines before the first section; one of them is the version.

        A terminal may have added lines of its own, and a tool may have cut the number off.
        """
        first = self.rows[0] if self.rows else self.take()
        count = next((place for place, row in enumerate(self.rows) if row.is_key), 1)
        self.next = max(count, 1)
        for row in self.rows[: self.next]:
            found = re.fullmatch(
                r"Version(?:\s+(\d+)\.(\d+)(?:\.(\d+))?\S*)?", row.text, re.IGNORECASE
            )
            if found is None or row.is_key:
                continue
            if found[1] is None:
                self.test.version = "of an unknown version"
                return
            version = tuple(int(part or 0) for part in found.groups())
            is_dated = version[0] >= _FIRST_YEAR
            if version < _OLDEST if is_dated else version[0] != 1:
                reason = f"The layout of version {row.text.split()[1]} is not known"
                remedy = "Files of 1.0 and 1.1, and from 1998.10.08 on are read"
                self.refuse(row.number, "Version", reason, remedy)
            self.test.version = row.text.split()[1]
            return
        reason = f"'{first.text[:40]}' is not a version of Iometer"
        self.refuse(first.number, "", reason, "An .icf file begins with 'Version 1.1.0'")

    # Test setup.

    def setup_key(self, row: _Row) -> None:
        key = row.text
        if key == "Test Description":
            self.test.description = self.value(key).text
        elif key == "Run Time":
            hours, minutes, seconds = self.numbers(self.value(key), key, 3)
            self.test.run_s = 3600 * hours + 60 * minutes + seconds
        elif key.startswith("Ramp Up Time"):
            self.test.ramp_s = self.numbers(self.value(key), key, 1)[0]
        elif key == "Worker Cycling":
            self.test.workers = self.cycling(key)
        elif key in {"Disk Cycling", "Target Cycling"}:
            self.test.targets = self.cycling(key)
        elif key == "Queue Depth Cycling":
            self.test.queue_depth = self.cycling(key, has_end=True)
        elif key == "Test Type":
            value = self.value(key)
            self.test.test_type = cast("TestType", self.choice(value, key, get_args(TestType)))

    def cycling(self, key: str, *, has_end: bool = False) -> Cycling:
        row = self.value(key)
        words = row.text.split()
        count = 3 if has_end else 2
        numbers = self.numbers(_Row(row.number, " ".join(words[:count]), is_key=False), key, count)
        kind = words[count] if len(words) > count else "LINEAR"
        self.choice(_Row(row.number, kind, is_key=False), key, get_args(StepType))
        step_type = cast("StepType", kind)
        if min(numbers) < 1 or (has_end and numbers[1] < numbers[0]):
            reason = f"'{row.text}' cycles over nothing"
            self.refuse(
                row.number, key, reason, "Start and step are 1 or more, the end is not less"
            )
        end = numbers[1] if has_end else 0
        return Cycling(numbers[0], numbers[-1], step_type, end)

    # Access specifications.

    def specification_key(self, row: _Row) -> None:
        if row.text.startswith("Access specification name"):
            value = self.value(row.text)
            name, _, default = value.text.rpartition(",")
            if not name:
                reason = f"'{value.text}' is not a name with a default assignment"
                self.refuse(value.number, row.text, reason, "Write 'Name,NONE'")
            if name in self.test.specs:
                reason = f"A second access specification is called '{name}'"
                self.refuse(value.number, name, reason, "Give it another name")
            self.test.specs[name] = IcfSpec(name, default.strip(), self.spec_lines(value, name))

    def spec_lines(self, named: _Row, name: str) -> list[IcfLine]:
        lines: list[IcfLine] = []
        while self.next < len(self.rows):
            row = self.rows[self.next]
            if row.is_key and not row.text.startswith("size,"):
                break
            self.next += 1
            if not row.is_key:
                lines.append(self.spec_line(row, name))
        else:
            self.cut_off()
        total = sum(line.of_size for line in lines)
        if total != _PERCENT and not (not lines and name == IDLE):
            side = "more" if total > _PERCENT else "less"
            reason = f"The lines of '{name}' sum to {total}%, {side} than the whole"
            self.refuse(named.number, name, reason, "Make '% of size' sum to 100")
        return lines

    def spec_line(self, row: _Row, name: str) -> IcfLine:
        line = IcfLine(*self.numbers(row, name, 8))
        shares = {"% of size": line.of_size, "% reads": line.reads, "% random": line.random}
        for key, share in shares.items():
            if share > _PERCENT:
                self.refuse(row.number, name, f"'{key}' is {share}", "A share is 0 to 100")
        sizes = {"size": line.size, "align": line.align, "reply": line.reply}
        for key, size in sizes.items():
            if size % _SECTOR_BYTES:
                reason = f"'{key}' is {size} bytes, and a disk has sectors of {_SECTOR_BYTES}"
                self.refuse(row.number, name, reason, "Use whole sectors")
        if line.size == 0 or max(line.size, line.reply) > _MAX_BYTES:
            reason = f"A transfer of {max(line.size, line.reply)} bytes cannot be simulated"
            self.refuse(row.number, name, reason, "Sizes are 512 bytes to 64 MiB")
        if line.burst == 0:
            self.refuse(row.number, name, "'burst' is 0", "A burst has 1 transfer or more")
        return line

    # Managers.

    def manager_key(self, row: _Row) -> None:
        if row.text.startswith("Manager ID"):
            value = self.value(row.text)
            name = value.text.partition(",")[2].strip() or value.text
            self.test.managers.append(IcfManager(name, []))
        elif row.text == "Worker":
            value = self.value(row.text)
            if not self.test.managers:
                reason, remedy = "A worker stands before its manager", "Add 'Manager ID' above it"
                self.refuse(row.number, "Worker", reason, remedy)
            self.test.managers[-1].workers.append(IcfWorker(value.text, value.number))
        elif row.text in {"End worker", "End manager"} or not self.test.managers:
            return
        elif self.test.managers[-1].workers:
            self.worker_key(row, self.test.managers[-1].workers[-1])

    def worker_key(self, row: _Row, worker: IcfWorker) -> None:
        key = row.text
        if key == "Worker type":
            self.worker_type(key, worker)
        elif key.startswith("Number of outstanding IOs"):
            self.outstanding(key, worker)
        elif key.startswith("Disk maximum size"):
            value = self.value(key)
            words = [*value.text.split(","), "0"]
            worker.maximum_sectors = self.number(words[0], value, key)
            worker.starting_sector = self.number(words[1], value, key)
        elif key == "Assigned access specs":
            worker.specs += [self.assigned(value, key, worker) for value in self.values()]
        elif key == "Target":
            worker.targets.append(self.value(key).text)

    def worker_type(self, key: str, worker: IcfWorker) -> None:
        value = self.value(key)
        if value.text.upper() != "DISK":
            reason = f"'{worker.name}' is a worker of type {value.text}, which uses no disk"
            self.refuse(value.number, key, reason, "Remove that worker from the test")

    def outstanding(self, key: str, worker: IcfWorker) -> None:
        value = self.value(key)
        words = value.text.split(",")
        worker.outstanding = self.number(words[0], value, key)
        if not 1 <= worker.outstanding <= _MAX_OUTSTANDING:
            reason = f"{worker.outstanding} outstanding I/Os cannot be simulated"
            self.refuse(value.number, key, reason, f"Write 1 to {_MAX_OUTSTANDING}")
        if len(words) >= _WITH_SEED and words[3].strip().upper() == "ENABLED":
            worker.seed = self.number(words[4], value, key)

    def assigned(self, value: _Row, key: str, worker: IcfWorker) -> str:
        if value.text not in self.test.specs and value.text != IDLE:
            guess = nearest(value.text, list(self.test.specs))
            hint = f"Did you mean '{guess}'? " if guess else ""
            reason = f"'{worker.name}' is assigned '{value.text}', which the file lacks"
            remedy = f"{hint}There is {', '.join(self.test.specs)}"
            self.refuse(value.number, key, reason, remedy)
        return value.text

    def values(self) -> list[_Row]:
        """Return values up to the next key."""
        found: list[_Row] = []
        while self.next < len(self.rows) and not self.rows[self.next].is_key:
            found.append(self.take())
        return [row for row in found if row.text]

    def check_assignments(self) -> None:
        """Give workers without specifications those that are assigned by default."""
        by_default = [
            spec.name
            for spec in self.test.specs.values()
            if spec.default.upper() in {"ALL", "DISK", "1", "2"}
        ]
        for manager in self.test.managers:
            for worker in manager.workers:
                worker.specs = worker.specs or by_default
                if not worker.targets or not worker.specs:
                    what = "targets" if worker.specs else "access specifications"
                    reason = f"'{worker.name}' of '{manager.name}' has no {what}"
                    self.refuse(worker.line, "Worker", reason, "Assign some in Iometer, and save")
        workers = [worker for manager in self.test.managers for worker in manager.workers]
        if workers and all(set(worker.specs) == {IDLE} for worker in workers):
            reason = "All workers are idle"
            self.refuse(workers[0].line, "Worker", reason, "Assign access specifications, and save")

    # Values.

    def numbers(self, row: _Row, key: str, count: int) -> list[int]:
        words = re.split(r"[,\s]+", row.text)
        if len(words) != count:
            reason = f"'{row.text}' has {len(words)} values where {count} belong"
            self.refuse(row.number, key, reason, "Write all of them")
        return [self.number(word, row, key) for word in words]

    def number(self, word: str, row: _Row, key: str) -> int:
        text = word.strip()
        if not re.fullmatch(r"\d{1,18}", text):
            self.refuse(row.number, key, f"'{text}' is not a number", "Write digits alone")
        return int(text)

    def choice(self, row: _Row, key: str, choices: tuple[str, ...]) -> str:
        if row.text not in choices:
            guess = nearest(row.text, choices)
            hint = f"Did you mean '{guess}'? " if guess else ""
            remedy = f"{hint}Choices are {', '.join(choices)}"
            self.refuse(row.number, key, f"'{row.text}' is not a valid choice", remedy)
        return row.text


def _is_heading(text: str) -> bool:
    """Whether a key is only the heading of columns."""
    return bool(re.match(r"(hours\s|start\s|size,)", text))
