"""Counts: numbers with a name that groups use, `host[1..N]` with `counts: {N: 4}`.

They are filled in before a scenario is checked, so that `--set N=8` and `sweep -p N=1,2,4` change
every group, link and pattern that is written with them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from sanlab.errors import Problem, ScenarioError
from sanlab.scenario.document import Mark, MarkedList, MarkedMap, path_text
from sanlab.scenario.groups import GROUP, MAX_GROUP, RANGE

if TYPE_CHECKING:
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

    An unknown name is left as it is: the check of the group refuses it.

    Raises
    ------
    ScenarioError
        A count is not a whole number in its range, or a group has no names with it.
    """
    counts = _checked(document)
    if counts:
        for key, value in document.items():
            if key not in _PROSE and key != KEY:
                document[key] = _filled(value, counts, document.value_marks[key], (key,))


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


def counts_of(document: MarkedMap) -> dict[str, int]:
    """Return the counts of a document; none if they are not whole numbers by name."""
    counts = document.get(KEY)
    if not isinstance(counts, dict):
        return {}
    return {name: value for name, value in counts.items() if type(value) is int}


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


def _checked(document: MarkedMap) -> dict[str, int]:
    """Return the counts of a document that may stand in its groups."""
    counts = document.get(KEY)
    if not isinstance(counts, MarkedMap):
        return {}
    for name, value in counts.items():
        path = (KEY, name)
        if not NAME.fullmatch(name):
            reason = f"'{name}' cannot be the name of a count"
            remedy = "A name starts with a letter, followed by letters, digits and '_'"
            _refuse(counts.key_marks[name], path, reason, remedy)
        if type(value) is not int or not 1 <= value <= MAX_GROUP:
            reason = f"'{value}' is not a whole number from 1 to {MAX_GROUP}"
            _refuse(counts.value_marks[name], path, reason, "Write digits alone, such as 8")
    return dict(counts)


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
