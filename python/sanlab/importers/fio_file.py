"""fio's job file as sections of keys; include files are read, nothing is run.

A file is sections of `key=value` lines. `[global]` holds defaults of the jobs behind it and may
occur again. `;` and `#` begin comments. `include FILE` inserts a file, relative to the one it
stands in (init.c of github.com/axboe/fio).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.errors import refuse
from sanlab.importers.source_text import read_source

if TYPE_CHECKING:
    from pathlib import Path

#: Include files within each other, as in fio.
_MAX_DEPTH = 16
#: Lines with all include files.
_MAX_LINES = 100_000
_MAX_JOBS = 1000


@dataclass(frozen=True, slots=True)
class FioKey:
    """A key with its value, None where it stands without one, and its place."""

    key: str
    value: str | None
    file: str
    line: int


@dataclass(slots=True)
class FioJob:
    """A section other than [global], with the defaults that hold for it."""

    section: str
    file: str
    line: int
    keys: dict[str, FioKey] = field(default_factory=dict)


def looks_like_fio(text: str) -> bool:
    """Whether a text is a job file: it begins with a section or a key, comments aside."""
    for line in text.lstrip("\ufeff").splitlines():
        words = re.split(r"[;#]", line, maxsplit=1)[0].strip()
        if words:
            section = re.fullmatch(r"\[.+\]", words)
            return bool(section or re.match(r"(include\s+\S|[a-z_]+\s*=)", words))
    return False


def read_fio(text: str, path: Path) -> list[FioJob]:
    """Return the jobs of a file in their order.

    Raises
    ------
    ScenarioError
        At the first line that is wrong.
    """
    reader = _Reader()
    reader.read(text, path, 0)
    if not reader.jobs:
        reason = "The file has no job, only defaults" if reader.globals else "The file has no job"
        refuse(str(path), max(reader.lines_count, 1), "", reason, "Add a section, [job1]")
    return reader.jobs


class _Reader:
    def __init__(self) -> None:
        self.jobs: list[FioJob] = []
        self.globals: dict[str, FioKey] = {}
        self.current: dict[str, FioKey] | None = None
        self.lines_count = 0

    def read(self, text: str, path: Path, depth: int) -> None:
        for number, raw in enumerate(text.lstrip("\ufeff").splitlines(), 1):
            self.lines_count += 1
            if self.lines_count > _MAX_LINES:
                reason = f"The file has more than {_MAX_LINES} lines with what it includes"
                refuse(str(path), number, "", reason, "Split it")
            line = re.split(r"[;#]", raw, maxsplit=1)[0].strip()
            if "{{" in line or "{%" in line:
                reason = "The file is a template of Jinja, not yet a job file"
                refuse(str(path), number, "", reason, "Import the file that the template gives")
            if line.startswith("["):
                self.section(line, path, number)
            elif re.match(r"include\s", line):
                self.include(line.split(maxsplit=1)[1], path, number, depth)
            elif line:
                self.key(line, path, number)

    def section(self, line: str, path: Path, number: int) -> None:
        if not line.endswith("]") or not line[1:-1].strip():
            reason = f"'{line}' is not a section"
            refuse(str(path), number, "", reason, "Write [global] or [job1]")
        name = line[1:-1].strip()
        if name.lower() == "global":
            self.current = self.globals
            return
        if len(self.jobs) >= _MAX_JOBS:
            refuse(str(path), number, name, f"The file has more than {_MAX_JOBS} jobs", "Split it")
        self.jobs.append(FioJob(name, str(path), number, dict(self.globals)))
        self.current = self.jobs[-1].keys

    def include(self, name: str, path: Path, number: int, depth: int) -> None:
        inner = path.parent / name
        if depth >= _MAX_DEPTH:
            reason = f"Files include each other more than {_MAX_DEPTH} times"
            refuse(str(path), number, "include", reason, "Remove the circle")
        if not inner.is_file():
            reason = f"The include file '{name}' does not exist beside this file"
            refuse(str(path), number, "include", reason, "Copy it there, or correct its name")
        self.read(read_source(inner), inner, depth + 1)

    def key(self, line: str, path: Path, number: int) -> None:
        name, equals, value = (part.strip() for part in line.partition("="))
        if not re.fullmatch(r"[A-Za-z][\w-]*", name):
            refuse(str(path), number, "", f"'{line}' is not a key of fio", "Write key=value")
        if self.current is None:
            reason = f"'{name}' stands before any section"
            remedy = "Write [global] or [job1] above it, or import the file that includes this one"
            refuse(str(path), number, name, reason, remedy)
        if equals and not value:
            refuse(str(path), number, name, f"'{name}' has no value", "Write it, or remove the key")
        unquoted = value[1:-1] if re.fullmatch(r'".*"', value) else value
        key = name.lower()
        self.current[key] = FioKey(key, unquoted if equals else None, str(path), number)
