"""A YAML text as plain data that remembers where each value stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.errors import Problem, ScenarioError
from sanlab.scenario.compose import compose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Values in one document, aliases counted each time; more is a mistake or an attack.
MAX_VALUES = 500_000
#: Nesting; a scenario needs six levels.
MAX_DEPTH = 50

_KINDS = {"int": int, "float": float}
_TAG = "tag:yaml.org,2002:"

#: Keys that a path shows without quotes.
_PLAIN_STEP = re.compile(r"[^.\[\]='\s]+")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Where something stands: a file, a line and a column, counted from 1."""

    file: str
    line: int | None = None
    column: int | None = None


class MarkedMap(dict[str, Any]):
    """A mapping with the place of each of its keys and values."""

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.key_marks: dict[str, Mark] = {}
        self.value_marks: dict[str, Mark] = {}

    def put(self, key: str, value: object, key_mark: Mark, value_mark: Mark) -> None:
        """Set a value and where it stands."""
        self[key] = value
        self.key_marks[key] = key_mark
        self.value_marks[key] = value_mark

    def copy(self) -> MarkedMap:
        """Copy one level, marks included."""
        twin = MarkedMap(self.mark)
        twin.update(self)
        twin.key_marks = dict(self.key_marks)
        twin.value_marks = dict(self.value_marks)
        return twin


class MarkedList(list[Any]):
    """A list with the place of each of its items."""

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.item_marks: list[Mark] = []

    def put(self, value: object, mark: Mark) -> None:
        """Append a value and where it stands."""
        self.append(value)
        self.item_marks.append(mark)


def find_mark(root: object, path: Iterable[str | int]) -> Mark | None:
    """Place of the value at `path`, or of the nearest thing above it that exists."""
    mark: Mark | None = getattr(root, "mark", None)
    node = root
    for step in path:
        if isinstance(node, MarkedMap) and step in node:
            mark = node.key_marks.get(str(step), mark)
            node = node[str(step)]
        elif isinstance(node, MarkedList) and isinstance(step, int) and 0 <= step < len(node):
            mark = node.item_marks[step]
            node = node[step]
        elif step == 0 and isinstance(node, MarkedMap):
            continue  # a single item may be written without its list
        else:
            break
    return mark


def path_text(path: Sequence[str | int]) -> str:
    """Text of a path, as `--set` takes it.

    >>> path_text(("links", 3, "from")), path_text(("zoning", "zones", "a.b"))
    ('links[3].from', "zoning.zones['a.b']")

    A quote within a key is written twice.
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_STEP.fullmatch(step):
            text += f".{step}" if text else step
        else:
            quoted = step.replace("'", "''")
            text += f"['{quoted}']"
    return text


def read_document(text: str, file: str) -> MarkedMap:
    """Parse a YAML text whose top level is a mapping.

    Raises
    ------
    ScenarioError
        Where the text is not YAML, repeats a key or holds something else than a mapping.
    """
    node = compose(text, file)
    reader = _Reader(file)
    value = reader.read(node, (), 0) if node is not None else None
    if isinstance(value, MarkedMap) and not reader.problems:
        return value
    if not reader.problems:
        found = "is empty" if value is None else "does not hold keys with values at its top level"
        reader.problems.append(
            Problem(
                file, 1, 1, "", f"The file {found}", "Start with 'hosts:', 'switches:' and so on"
            )
        )
    raise ScenarioError(reader.problems)


def read_value(text: str, mark: Mark) -> Any:  # noqa: ANN401  any value YAML can hold
    """Parse the text of one value, as an override gives it; every part gets the same mark."""
    node = compose(text, mark.file)
    reader = _Reader(mark.file, mark)
    value = reader.read(node, (), 0) if node is not None else None
    if reader.problems:
        raise ScenarioError(reader.problems)
    return value


class _Reader:
    """Turns composed nodes into marked data and collects what is wrong on the way."""

    def __init__(self, file: str, mark: Mark | None = None) -> None:
        self.file = file
        self.fixed_mark = mark
        self.problems: list[Problem] = []
        self.values_count = 0

    def mark_of(self, node: Any) -> Mark:  # noqa: ANN401  a node, untyped
        if self.fixed_mark is not None:
            return self.fixed_mark
        return Mark(self.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def refuse(self, node: Any, path: Path, reason: str, remedy: str) -> None:  # noqa: ANN401
        mark = self.mark_of(node)
        self.problems.append(
            Problem(mark.file, mark.line, mark.column, path_text(path), reason, remedy)
        )

    def read(self, node: Any, path: Path, depth: int) -> Any:  # noqa: ANN401
        self.values_count += 1
        if depth > MAX_DEPTH or self.values_count > MAX_VALUES:
            mark = self.mark_of(node)
            reason = f"The file repeats itself beyond {MAX_VALUES} values"
            remedy = "Use groups such as host[1..500] instead of aliases"
            if depth > MAX_DEPTH:
                reason = f"This is nested more than {MAX_DEPTH} levels deep"
                remedy = "Remove brackets or indentation; an alias cannot be inside what it names"
            raise ScenarioError([Problem(mark.file, mark.line, mark.column, "", reason, remedy)])
        kind = type(node).__name__
        if kind == "MappingNode":
            return self.read_map(node, path, depth)
        if kind == "SequenceNode":
            items = MarkedList(self.mark_of(node))
            for index, item in enumerate(node.value):
                items.put(self.read(item, (*path, index), depth + 1), self.mark_of(item))
            return items
        return self.read_scalar(node, path)

    def read_map(self, node: Any, path: Path, depth: int) -> MarkedMap:  # noqa: ANN401
        result = MarkedMap(self.mark_of(node))
        for key_node, value_node in node.value:
            if type(key_node).__name__ != "ScalarNode":
                self.refuse(key_node, path, "A key must be a plain word", "Remove the brackets")
                continue
            key = str(key_node.value)
            here = (*path, key)
            if key in result:
                first = result.key_marks[key].line
                reason = f"The key '{key}' is here twice; the first is on line {first}"
                self.refuse(key_node, here, reason, "Keep one of them")
                continue
            value = self.read(value_node, here, depth + 1)
            result.put(key, value, self.mark_of(key_node), self.mark_of(value_node))
        return result

    def read_scalar(self, node: Any, path: Path) -> Any:  # noqa: ANN401
        text = str(node.value)
        tag = str(node.tag).removeprefix(_TAG)
        if tag == "null":
            return None
        if tag == "bool":
            return text.lower() in {"true", "yes", "on"}
        if tag in {"str", "timestamp", "merge", "value"}:
            return text
        if tag in _KINDS:
            try:
                return int(text.replace("_", ""), 0) if tag == "int" else float(text)
            except ValueError:
                return text
        self.refuse(node, path, f"The tag '{node.tag}' is not supported", "Remove it")
        return text
