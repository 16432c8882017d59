"""vdbench's parameter file as definitions of storage, workloads and runs.

A definition begins with `hd=`, `sd=`, `wd=` or `rd=` and has `key=value` behind commas; a list is
in brackets, and a line that ends with a comma goes on in the next. The name `default` gives values
to the definitions behind it. Other lines are general parameters. Lines that begin with `*`, `/` or
`#` are comments, and `eof` ends the file (Vdbench Users Guide 5.04.07).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sanlab.errors import refuse
from sanlab.importers.vdbench_keys import REFUSED, full_name

KINDS = ("hd", "sd", "wd", "rd")
#: Name of definitions that only give values to others.
DEFAULT = "default"
_MOST_DEFINITIONS = 10_000


@dataclass(frozen=True, slots=True)
class VdValue:
    """A key of a definition with its values, and its place."""

    key: str
    values: tuple[str, ...]
    file: str
    line: int

    @property
    def text(self) -> str:
        """The values as one text."""
        return ",".join(self.values)


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition with what holds for it."""

    kind: str
    name: str
    line: int
    keys: dict[str, VdValue]


def looks_like_vdbench(text: str) -> bool:
    """Whether a text has a definition of storage and one of a run."""
    heads = set(re.findall(r"^\s*(sd|fsd|wd|fwd|rd)=", text, re.MULTILINE | re.IGNORECASE))
    return bool(heads & {"sd", "fsd"}) and bool(heads & {"wd", "fwd", "rd"})


def read_vdbench(text: str, file: str) -> tuple[list[Definition], list[VdValue]]:
    """Return the definitions in their order, with those of defaults, and general parameters.

    Raises
    ------
    ScenarioError
        At the first line that is wrong.
    """
    defaults: dict[str, dict[str, VdValue]] = {kind: {} for kind in KINDS}
    found: list[Definition] = []
    general: list[VdValue] = []
    for line, statement in _statements(text, file):
        keys = _keys(statement, file, line)
        first = keys[0]
        for value in keys:
            if value.key in REFUSED:
                reason, remedy = REFUSED[value.key]
                refuse(file, line, value.key, f"'{value.key}' {reason}", remedy)
        if first.key == "include":
            reason = "An 'include' names another file"
            refuse(file, line, "include", reason, "Put its lines in place of this one")
        if first.key not in KINDS:
            general += keys
            continue
        if len(found) >= _MOST_DEFINITIONS:
            refuse(file, line, first.key, f"More than {_MOST_DEFINITIONS} definitions", "Split it")
        given = {value.key: value for value in keys}
        if first.text == DEFAULT:
            defaults[first.key].update(given)
            found.append(Definition(first.key, DEFAULT, line, given))
            continue
        whole = {**defaults[first.key], **given}
        found.append(Definition(first.key, first.text, line, whole))
    return found, general


def chosen(patterns: VdValue, all_of: list[Definition], kind: str) -> list[Definition]:
    """Return the definitions that names or patterns with `*` choose, each once.

    Raises
    ------
    ScenarioError
        A name chooses none.
    """
    found: dict[str, Definition] = {}
    for pattern in patterns.values:
        fitting = [
            one for one in all_of if one.kind == kind and fnmatchcase(one.name, pattern.strip())
        ]
        if not fitting:
            names = ", ".join(one.name for one in all_of if one.kind == kind)
            reason = f"'{pattern}' is the name of no '{kind}'"
            refuse(
                patterns.file, patterns.line, patterns.key, reason, f"Names are {names or 'none'}"
            )
        found.update({one.name: one for one in fitting})
    return list(found.values())


def _statements(text: str, file: str) -> list[tuple[int, str]]:
    """Lines that belong together as one, each with the number of its first."""
    found: list[tuple[int, str]] = []
    open_line, open_text = 0, ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "*/#":
            continue
        if line.lower() == "eof":
            break
        # A blank ends the parameters; a remark may follow.
        words = line.split()
        line = words[0] if len(words) == 1 or not words[0].endswith(",") else "".join(words)
        open_line = open_line or number
        open_text += line
        if not open_text.endswith(","):
            found.append((open_line, open_text))
            open_line, open_text = 0, ""
    if open_text:
        reason = "The file is cut off: its last line ends with a comma"
        refuse(file, open_line, "", reason, "Copy the whole file")
    return found


def _keys(statement: str, file: str, line: int) -> list[VdValue]:
    found: list[VdValue] = []
    place = 0
    kind = ""
    while place < len(statement):
        match = re.compile(r"([A-Za-z_]\w*)=(\(([^()]*)\)|[^,()]*)(?:,|$)").match(statement, place)
        if match is None:
            reason = f"'{statement[place:]}' is not a list of key=value"
            refuse(file, line, "", reason, "Write key=value behind commas, lists in brackets")
        inner = match[3] if match[3] is not None else match[2]
        values = tuple(part.strip() for part in inner.split(","))
        if not all(values):
            reason = f"'{match[1]}' has an empty value"
            refuse(file, line, match[1], reason, "Write it, or remove the key")
        key = match[1].lower()
        if not found:
            key = "hd" if key == "host" else key
            kind = key if key in KINDS else ""
        found.append(VdValue(full_name(key, kind), values, file, line))
        place = match.end()
    return found
