"""What the readers of outputs share: wrapped rows, world-wide names, announced totals, speeds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric import wwn
from sanlab.importers.fabric.facts import Finding, SettingFact
from sanlab.importers.fabric.texts import problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.importers.fabric.facts import Block, Facts, LoginFact, Source

WWN = wwn.SPELLED
_WIDE_GAP = re.compile(r"((?:\b[0-9a-fA-F]{2}:){1,7}) {8,}(?=[0-9a-fA-F]{2}\b)")
_CUT_WWN = re.compile(
    r"(?<![0-9a-fA-F:])(?:[0-9a-fA-F]{2}:){1,7}[0-9a-fA-F]?$|(?<![0-9a-fA-F:])(?:[0-9a-fA-F]{2}:){1,6}[0-9a-fA-F]{2}$"
)
#: The end of a row of `switchshow` whose neighbour is on the next line.
_PORT_END = (" E-Port", " F-Port", " L-Port")
_REST = re.compile(r"\s*:?[0-9a-fA-F]{1,2}(?::[0-9a-fA-F]{2})*(?![0-9a-zA-Z:])")
_SAFE = re.compile(r"[0-9A-Za-z:.\-]{1,40}")
_DIGITS = 16
#: What people put in place of digits that are not to be seen.
_MASKED = re.compile(r"(?:^|:)(?:[xXyYzZ*#?]{2})(?::|$)")
#: Largest numbers in the values of ports: kilometres, buffers, Gb/s.
_MOST = {"distance": 10_000, "length": 10_000, "credit": 65_535, "speed": 256}
#: What every wide gap has, and the most characters of a cut name with the one before it.
_GAP, _MOST_CUT = ":" + 8 * " ", 24


def rows(block: Block) -> Iterator[tuple[int, str]]:
    """Return numbered lines with world-wide names that a terminal cut in one piece."""
    kept: tuple[int, str] | None = None
    for number, line in block.lines:
        text = _WIDE_GAP.sub(r"\1", line) if _GAP in line else line
        if kept is not None:
            joined = _joined(kept[1], text)
            if joined is not None:
                yield kept[0], joined
                kept = None
                continue
            yield kept
            kept = None
        if _CUT_WWN.search(text, max(0, len(text) - _MOST_CUT)) or text.endswith(_PORT_END):
            kept = (number, text)
        else:
            yield number, text
    if kept is not None:
        yield kept


def _joined(first: str, second: str) -> str | None:
    """Return a row with the rest of its last name from the next line, if that fits."""
    if first.endswith(_PORT_END):
        return f"{first} {second.lstrip()}" if re.match(rf"\s*{WWN}", second) else None
    cut, rest = _CUT_WWN.search(first), _REST.match(second)
    if cut is None or rest is None:
        return None
    digits = re.sub(r"[^0-9a-fA-F]", "", cut[0] + rest[0])
    return first + second.lstrip() if len(digits) == _DIGITS else None


def name_at(block: Block, line: int, text: str) -> str:
    """Return the normal form of a world-wide name; raises a ScenarioError if it is none."""
    found = wwn.normal(text)
    if found is None:
        shown = f"'{text}'" if _SAFE.fullmatch(text) else "The text in the place of one"
        reason = f"{shown} is not a world-wide name"
        remedy = "A world-wide name has 16 hexadecimal digits; capture the output again"
        if _MASKED.search(text):
            remedy = "Put digits in place of those that are masked, the same ones everywhere"
        raise problem(block.file, line, reason, remedy)
    return found


def keep(block: Block, facts: Facts, at: tuple[int, str], name: str, value: str) -> None:
    """Keep a value of a port; `at` is its line and its port. One that no port has is noted."""
    source, most = block.at(at[0]), _MOST.get(name)
    if most is not None and gigabits(value) > most:
        facts.findings.append(
            Finding(f"Port {at[1]} has a {name} above {most}; left out", (source,))
        )
        return
    facts.settings.append(SettingFact(source, block.switch, at[1], name, value))


def expect(block: Block, facts: Facts, line: int, counts: tuple[int, int], what: str) -> None:
    """Refuse an output that announces more than it has, `counts`, or note it."""
    announced, found = counts
    if found >= announced:
        return
    reason = f"The output announces {announced} {what} and has {found}"
    if facts.is_partial_accepted:
        facts.findings.append(Finding(reason, (block.at(line),)))
        return
    remedy = "It was cut off: capture it again, or add --partial to use what it has"
    raise problem(block.file, line, reason, remedy)


def refuse_cut(block: Block, facts: Facts, line: int, reason: str) -> None:
    """Refuse an output that ends early, or note it."""
    if facts.is_partial_accepted:
        facts.findings.append(Finding(reason, (block.at(line),)))
        return
    remedy = "It was cut off: capture it again, or add --partial to use what it has"
    raise problem(block.file, line, reason, remedy)


def gigabits(text: str) -> int:
    """Return the whole number in a speed, 0 without any.

    >>> gigabits("N32"), gigabits("16G"), gigabits("AN"), gigabits("8.000G")
    (32, 16, 0, 8)
    """
    match = re.search(r"\d+", text)
    return int(match[0]) if match else 0


def model_in(text: str) -> str:
    """Return the model of an adapter in a symbolic name, or nothing."""
    match = re.search(r"\b(QL[AE]\d{4}|LPe\d{4,5}|QMH\d{4})", text)
    return match[1] if match else ""


def host_in(text: str) -> str:
    """Return the name of a host in a symbolic name, or nothing."""
    match = re.search(r"\bHN:([A-Za-z0-9][\w.-]*)", text)
    return match[1] if match else ""


def symbols(login: LoginFact, source: Source, text: str) -> None:
    """Take host and model of a device from a symbolic name, which is not kept as a whole."""
    host, model = host_in(text), model_in(text)
    if host and not login.host:
        login.host, login.lines["host"] = host, source
    if model and not login.model:
        login.model, login.lines["model"] = model, source
