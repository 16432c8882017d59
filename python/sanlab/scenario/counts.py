"""Counts: numbers with a name that groups use, `host[1..N]` with `counts: {N: 4}`.

They are filled in before a scenario is checked, so that `--set N=8` and `sweep -p N=1,2,4` change
every group, link and pattern that is written with them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn, TypeGuard

from sanlab.errors import Problem, ScenarioError
from sanlab.scenario.document import Mark, MarkedList, MarkedMap, path_text
from sanlab.scenario.groups import GROUP, MAX_GROUP, RANGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sanlab.scenario.document import Path

#: Key of a scenario that gives the counts.
KEY = "counts"
#: What can be the name of a count.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: A count within a group: `N`, `N-1`, `2*N`, `2*N+1`.
_TERM = re.compile(rf"(?:([0-9]{{1,6}})\*)?\b({NAME.pattern})([+-][0-9]{{1,6}})?")
#: Keys whose text is for people.
_PROSE = {"title", "description"}


def fill_counts(document: MarkedMap) -> None:
    """Put the counts of a document in place of their names in its groups.

    A name without a number is left as it is: the check of the counts or of the group refuses it.

    Raises
    ------
    ScenarioError
        A group has no names with the counts there are.
    """
    counts = counts_of(document)
    if counts:
        for key, value in document.items():
            if key not in _PROSE and key != KEY:
                document[key] = _filled(value, counts, document.value_marks[key], (key,))


def check_counts(document: MarkedMap) -> None:
    """Refuse counts that cannot stand in a group.

    Raises
    ------
    ScenarioError
        The name of a count is not a name, or its number is not a whole number in its range.
    """
    counts = document.get(KEY)
    if not isinstance(counts, MarkedMap):
        return
    for name, value in counts.items():
        path = (KEY, name)
        if not NAME.fullmatch(name):
            reason = f"'{name}' cannot be the name of a count"
            remedy = "A name starts with a letter, followed by letters, digits and '_'"
            _refuse(counts.key_marks[name], path, reason, remedy)
        if not _is_number(value):
            reason = f"'{value}' is not a whole number from 1 to {MAX_GROUP}"
            remedy = "Write digits alone, such as 8"
            if type(value) is int:
                remedy = "Write 1 or more" if value < 1 else f"Write {MAX_GROUP} or less"
            _refuse(counts.value_marks[name], path, reason, remedy)


def counts_of(data: Mapping[str, object]) -> dict[str, int]:
    """Return the counts of a document or of plain data; those that cannot be used are left out."""
    counts = data.get(KEY)
    if not isinstance(counts, dict):
        return {}
    return {name: value for name, value in counts.items() if _is_number(value)}


def _is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and 1 <= value <= MAX_GROUP


def filled(data: Mapping[str, object]) -> dict[str, object]:
    """Return plain data with its counts in place of their names."""
    counts = counts_of(data)
    return {
        key: value if key in {*_PROSE, KEY} else _plain_filled(value, counts)
        for key, value in data.items()
    }


def _plain_filled(node: object, counts: dict[str, int]) -> object:
    if isinstance(node, str):
        return fill_text(node, counts)
    if isinstance(node, dict):
        return {key: _plain_filled(value, counts) for key, value in node.items()}
    return [_plain_filled(item, counts) for item in node] if isinstance(node, list) else node


def fill_text(text: str, counts: dict[str, int]) -> str:
    """Put counts in place of their names in the groups of a text.

    >>> fill_text("dev1.lun[1..2*N]", {"N": 4}), fill_text("sw1.p[0..N-1]", {"N": 4})
    ('dev1.lun[1..8]', 'sw1.p[0..3]')
    """

    def number(match: re.Match[str]) -> str:
        factor, name, more = match.groups()
        if name not in counts:
            return match[0]
        return str(int(factor or 1) * counts[name] + int(more or 0))

    return GROUP.sub(lambda group: f"[{_TERM.sub(number, group[1])}]", text)


def is_count(document: MarkedMap, name: str) -> bool:
    """Return whether a document has a count of this name, or a group that needs one."""
    if not NAME.fullmatch(name):
        return False
    counts = document.get(KEY)
    return (isinstance(counts, dict) and name in counts) or any(
        _uses(value, name) for key, value in document.items() if key not in _PROSE
    )


def _uses(node: object, name: str) -> bool:
    if isinstance(node, str):
        groups = GROUP.findall(node) if "[" in node else ()
        return any(found[1] == name for group in groups for found in _TERM.findall(group))
    if isinstance(node, dict):
        return any(_uses(value, name) for value in node.values())
    return isinstance(node, list) and any(_uses(item, name) for item in node)


def _filled(node: object, counts: dict[str, int], mark: Mark, path: Path) -> object:
    if isinstance(node, str):
        text = fill_text(node, counts) if "[" in node else node
        if text != node:
            _refuse_empty(node, text, mark, path)
        return text
    if isinstance(node, MarkedMap):
        for key, value in node.items():
            node[key] = _filled(value, counts, node.value_marks[key], (*path, key))
    elif isinstance(node, MarkedList):
        for index, item in enumerate(node):
            node[index] = _filled(item, counts, node.item_marks[index], (*path, index))
    return node


def _refuse_empty(written: str, text: str, mark: Mark, path: Path) -> None:
    """Refuse a range that has no numbers with the counts there are."""
    pairs = zip(GROUP.findall(written), GROUP.findall(text), strict=True)
    for before, after in pairs:
        parts = zip(before.split(","), after.split(","), strict=True)
        for asked, part in parts:
            found = RANGE.fullmatch(part.strip())
            is_empty = int(found[1]) > int(found[2]) if found else "-" in part
            if asked != part and is_empty:
                reason = f"'[{asked.strip()}]' in '{written}' has no names: it is [{part.strip()}]"
                names = [f"'{KEY}.{name}'" for _, name, _ in _TERM.findall(asked)]
                _refuse(mark, path, reason, f"Make {' or '.join(names)} larger")


def _refuse(mark: Mark, path: Path, reason: str, remedy: str) -> NoReturn:
    raise ScenarioError(
        [Problem(mark.file, mark.line, mark.column, path_text(path), reason, remedy)]
    )
