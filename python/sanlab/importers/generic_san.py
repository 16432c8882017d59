"""A scenario around a load: its hosts and LUNs on a generic switch and array.

A file that describes a load says nothing of the storage behind it. The scenario that is written
here runs at once, and its comments say which of its parts are generic, and what of the file was
left out and why.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.quantities import format_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Size of a LUN whose use a file does not bound.
LUN_BYTES = 100 * 2**30
#: Names of what stands around the hosts.
TAKEN = ("sw1", "array1")
_WIDTH = 100
#: User and password within an address.
_USER = re.compile(r"//[^/@\s]*@")
#: Words that YAML takes for something else.
NO_TEXTS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A key of a file that has no part in the scenario, and why."""

    file: str
    line: int
    key: str
    reason: str


@dataclass(slots=True)
class Lun:
    """A LUN and what it is in the file."""

    name: str
    meaning: str
    bytes: int = LUN_BYTES


@dataclass(slots=True)
class Work:
    """A workload: its keys as YAML texts, the lines of its `access`, and remarks on both."""

    name: str
    keys: dict[str, str]
    access: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class LoadImport:
    """Everything of a file that a scenario is written from."""

    origin: str
    title: str
    seed: int = 1
    hosts: list[str] = field(default_factory=lambda: ["host1"])
    luns: list[Lun] = field(default_factory=list)
    works: list[Work] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    duration: str | None = None

    def lun(self, meaning: str) -> Lun:
        """Return the LUN that stands for something of the file, a new one at its first use.

        User and password of an address are not kept.
        """
        meaning = _USER.sub("//", meaning)
        for lun in self.luns:
            if lun.meaning == meaning:
                return lun
        self.luns.append(Lun(f"lun{len(self.luns) + 1}", meaning))
        return self.luns[-1]


def slug(text: str, fallback: str) -> str:
    """Return a text as a name in a scenario."""
    word = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    is_text = re.match(r"[a-z]", word) and word not in NO_TEXTS
    return word if is_text else f"{fallback}-{word}".strip("-")


def unused(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, with a number where it would be, and take it."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    taken.add(found)
    return found


def name_list(names: Iterable[str]) -> str:
    """Return names as a list of YAML; those of groups, `job[1..4]`, need quotes there."""
    words = [f'"{name}"' if "[" in name else name for name in names]
    return f"[{', '.join(words)}]"


def quoted(text: str) -> str:
    """Return a text as YAML reads it back, whatever is in it."""
    return "'" + plain(text).replace("'", "''") + "'"


def plain(text: str) -> str:
    """Return a text as it can stand in a comment."""
    return re.sub(r"[^\x20-\x7e]", " ", text)


def percent(ppm: int) -> str:
    """Return parts per million as a number of percent.

    >>> percent(123_400), percent(1_000_000)
    ('12.34', '100')
    """
    return f"{ppm // 10_000}.{ppm % 10_000:04}".rstrip("0").rstrip(".")


def scenario_around(load: LoadImport) -> str:
    """Return the scenario, a YAML text with comments."""
    return "\n".join(_lines(load)) + "\n"


def _lines(load: LoadImport) -> Iterator[str]:
    yield from _comment(f"Imported from {load.origin}.")
    yield "#"
    yield from _comment(
        "The array, its LUNs and the fabric are generic, since the file does not describe them. "
        "Give the array a 'model' of `sanlab catalog arrays`, put LUNs on disks with 'raid: 0' and "
        "'disks: 8', and set their sizes. Beside each LUN stands what it is in the file."
    )
    counts = Counter(remark for work in load.works for remark in dict.fromkeys(work.remarks))
    several = [remark for remark, count in counts.items() if count > 1]
    for remark in load.remarks:
        yield from _comment(remark)
    for remark in several:
        yield from _comment(f"Of {counts[remark]} workloads: {remark}")
    yield from _left_out(load.left_out)
    yield f"title: {quoted(load.title)}"
    yield f"seed: {load.seed}"
    yield ""
    yield "hosts:"
    for host in load.hosts:
        yield f"  - name: {host}"
    yield ""
    yield "switches:"
    yield "  - name: sw1"
    yield f"    ports: {len(load.hosts) + 2}"
    yield ""
    yield "arrays:"
    yield "  - name: array1"
    yield "    ports: 2"
    yield "    luns:"
    for lun in load.luns:
        yield f"      - {{name: {lun.name}, size: {format_size(lun.bytes)}}} # {plain(lun.meaning)}"
    yield ""
    yield "links:"
    for host in load.hosts:
        yield f"  - {{from: {host}, to: sw1}}"
    yield "  - {from: array1.p0, to: sw1}"
    yield "  - {from: array1.p1, to: sw1}"
    yield ""
    yield "workloads:"
    for work in load.works:
        yield from _workload(work, several)
    if load.duration is not None:
        yield ""
        yield f"measure: {{duration: {load.duration}}}"


def _workload(work: Work, said: list[str]) -> Iterator[str]:
    for remark in work.remarks:
        if remark not in said:
            yield from _comment(remark, indent="  ")
    for index, (key, value) in enumerate({"name": work.name, **work.keys}.items()):
        yield f"  {'-' if index == 0 else ' '} {key}: {value}"
    if work.access:
        yield "    access:"
        for line in work.access:
            yield f"      - {line}"


def _left_out(left_out: list[LeftOut]) -> Iterator[str]:
    """Keys without a part in the scenario, gathered by reason."""
    if not left_out:
        return
    yield "#"
    yield "# Left out of the file, each with its reason:"
    reasons: dict[str, dict[str, None]] = {}
    for one in left_out:
        reasons.setdefault(one.reason, {})[one.key] = None
    for reason, keys in reasons.items():
        yield from _comment(f"{', '.join(keys)}: {reason}.", hang="  ")


def _comment(text: str, indent: str = "", hang: str = "") -> Iterator[str]:
    """Yield a text as lines of a comment, broken between words."""
    line = f"{indent}# {hang}"
    is_empty = True
    for word in plain(text).split():
        if not is_empty and len(line) + 1 + len(word) > _WIDTH:
            yield line
            line, is_empty = f"{indent}# {hang}{'  ' if hang else ''}", True
        line, is_empty = line + ("" if is_empty else " ") + word, False
    yield line
