"""`--set path=value`: one value of a scenario changed before it is checked.

A path goes down by keys. An item of a list is named by its index, `links[0].length` or
`links.0.length`, or by its name, `hosts.host1.cpu.cores`; `hosts.*.cpu.cores` and
`hosts.host[1..4]...` mean all of them. One member of a group is taken out of its group first, so
that the others keep their value. `N` alone is the count of that name, `counts.N`. Every path in a
message of `sanlab check` is such a path.
"""

from __future__ import annotations

import copy
import fnmatch
import json
import math
import re
from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from sanlab.errors import Problem, ScenarioError
from sanlab.quantities import nearest
from sanlab.scenario.counts import KEY as COUNTS
from sanlab.scenario.counts import check_counts, counts_of, fill_counts, fill_text, is_count
from sanlab.scenario.document import Mark, MarkedList, MarkedMap, path_text, read_value
from sanlab.scenario.groups import GroupError, expand
from sanlab.scenario.scenario import Scenario
from sanlab.scenario.shape import is_list, known_keys, long_form

if TYPE_CHECKING:
    from sanlab.scenario.document import Path


def apply_overrides(
    document: MarkedMap, overrides: Mapping[str, object], *more: tuple[str, Mapping[str, object]]
) -> None:
    """Change the document as `--set` says, in its order, and fill in the counts of groups.

    `more` are overrides that another option brought in, with its name. Counts come first, those of
    all options, so that the other paths and values find every member of a group.

    Raises
    ------
    ScenarioError
        A path names nothing in the scenario, or a value cannot be in one.
    """
    layers = [(option, as_texts(found, option)) for option, found in (("--set", overrides), *more)]
    others = []
    for option, texts in layers:
        for path, text in texts.items():
            mark = Mark(f"{option} {path}={text}")
            is_short = path not in Scenario.model_fields and is_count(document, path)
            steps = [COUNTS, path] if is_short else steps_of(path, mark)
            if steps == [COUNTS]:
                document.put(COUNTS, read_value(text, mark), mark, mark)
            elif steps[0] == COUNTS and len(steps) == 2:
                _set_count(document, str(steps[1]), read_value(text, mark), mark)
            else:
                others.append((path, text, mark))
    fill_counts(document)
    counts = counts_of(document)
    try:
        for path, text, mark in others:
            steps = steps_of(fill_text(path, counts), mark)
            _Setter(mark, read_value(text, mark)).walk(document, steps, ())
    except ScenarioError:
        check_counts(document)  # the reason why a member of a group is missing
        raise
    fill_counts(document)


def _set_count(document: MarkedMap, name: str, value: object, mark: Mark) -> None:
    if not isinstance(document.get(COUNTS), MarkedMap):
        document.put(COUNTS, MarkedMap(mark), mark, mark)
    document[COUNTS].put(name, value, mark, mark)


def parse_assignment(text: str) -> tuple[str, str]:
    """Split `path=value`.

    >>> parse_assignment("workloads.writers.bs=64k")
    ('workloads.writers.bs', '64k')
    """
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise ScenarioError(
            [
                Problem(
                    f"--set {text}",
                    None,
                    None,
                    "",
                    "The argument has no '='",
                    "Write --set path=value",
                )
            ]
        )
    return path.strip(), value.strip()


def as_texts(overrides: Mapping[str, object], option: str = "--set") -> dict[str, str]:
    """Write values as they stand after `--set path=`; texts are left as they are.

    >>> as_texts({"a.b": 64, "c": True, "d": ["x", 1.5], "e": "64k"})
    {'a.b': '64', 'c': 'true', 'd': '["x", 1.5]', 'e': '64k'}

    Raises
    ------
    ScenarioError
        A value is none that a scenario can have.
    """
    if not isinstance(overrides, Mapping):
        problem = Problem(
            option, None, None, "", "Overrides are paths with values", 'Write {"path": value}'
        )
        raise ScenarioError([problem])
    texts = {}
    for path, value in overrides.items():
        if not isinstance(path, str):
            problem = Problem(
                option, None, None, "", f"The path {path!r} is not text", "Write it in quotes"
            )
            raise ScenarioError([problem])
        try:
            texts[path] = value if isinstance(value, str) else json.dumps(_plain(value))
        except (TypeError, ValueError, RecursionError) as error:
            kind = type(value).__name__
            reason = f"A value of type '{kind}' cannot be in a scenario: {error}"
            remedy = "Give a text, a number, true or false, or a list of them"
            raise ScenarioError(
                [Problem(f"{option} {path}", None, None, "", reason, remedy)]
            ) from None
    return texts


def _plain(value: object) -> object:
    """Return the value with types of JSON alone; those of NumPy count as numbers."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        if not math.isfinite(value):
            reason = f"{value} is not a number"
            raise ValueError(reason)
        return float(value)
    if hasattr(value, "tolist"):  # an array of NumPy, or its bool
        return _plain(value.tolist())
    reason = "it is not a part of YAML"
    raise TypeError(reason)


#: Parts of a path: a key in quotes, an index, the members of a group, a dot, other text.
_PART = re.compile(
    r"\['(?P<quoted>(?:[^']|'')*)'\]|\[(?P<index>[0-9]{1,9})\](?=[.\[]|$)|(?P<dot>\.)"
    r"|(?P<text>\[[^\[\]]*\]|[^.\[]+|\[)"
)


def steps_of(path: str, mark: Mark) -> list[str | int]:
    """Return the keys and indices of a path as it stands after `--set`."""
    steps: list[str | int] = []
    word = ""
    is_open = True  # a key or an index must come next
    for part in _PART.finditer(f"{path}."):
        if part["text"] is not None:
            word += part["text"]
            continue
        if word:
            steps.append(int(word) if re.fullmatch("[0-9]{1,9}", word) else word)
            word, is_open = "", False
        if part["dot"] is None:
            quoted = part["quoted"]
            steps.append(int(part["index"]) if quoted is None else quoted.replace("''", "'"))
            is_open = False
        elif is_open:
            raise _refuse(mark, (), f"The path '{path}' has an empty step", "Remove one dot")
        else:
            is_open = True
    return steps


def _refuse(mark: Mark, path: Path, reason: str, remedy: str) -> ScenarioError:
    return ScenarioError([Problem(mark.file, None, None, path_text(path), reason, remedy)])


class _Setter:
    """Walks a document along one path and sets one value wherever it leads."""

    def __init__(self, mark: Mark, value: object) -> None:
        self.mark = mark
        self.value = value

    def walk(self, node: Any, steps: list[str | int], path: Path) -> None:  # noqa: ANN401
        step, rest = steps[0], steps[1:]
        if isinstance(node, MarkedMap):
            self.walk_map(node, str(step), rest, path)
        elif isinstance(node, MarkedList):
            self.walk_list(node, step, rest, path)
        else:
            reason = f"'{path_text(path)}' has no items, so '{step}' names nothing"
            raise _refuse(self.mark, path, reason, "End the path earlier")

    def walk_map(self, node: MarkedMap, key: str, rest: list[str | int], path: Path) -> None:
        known = known_keys(Scenario, path)
        if key not in known and key not in node:
            guess = nearest(key, known)
            hint = f"Did you mean '{guess}'? " if guess else ""
            remedy = f"{hint}Valid keys are {', '.join(known)}" if known else "End the path earlier"
            raise _refuse(self.mark, (*path, key), f"The key '{key}' is unknown", remedy)
        here = (*path, key)
        if not rest:
            node.put(key, copy.deepcopy(self.value), self.mark, self.mark)
            return
        self.make_room(node, key, rest[0], here)
        self.walk(node[key], rest, here)

    def make_room(self, node: MarkedMap, key: str, step: str | int, path: Path) -> None:
        """Let a step lead below the value of a key: by its long form, or by what is to be made."""
        value = node.get(key)
        if value is not None:
            value = self.opened(value, step, path)
            node.put(key, value, node.key_marks[key], node.value_marks[key])
        if isinstance(value, MarkedMap | MarkedList):
            return
        if step == 0 and is_list(Scenario, path):
            items = MarkedList(self.mark)
            items.put(MarkedMap(self.mark), self.mark)
            node.put(key, items, self.mark, self.mark)
            return
        self.require_keys_below(path, step)
        node.put(key, MarkedMap(self.mark), self.mark, self.mark)

    def opened(self, value: object, step: str | int, path: Path) -> object:
        """Return a value in the form that has the step below it: the long one, if it is short."""
        if isinstance(value, MarkedMap):
            has_step = not (isinstance(step, int) and is_list(Scenario, path))
        else:
            is_key = isinstance(step, str) and step in known_keys(Scenario, path)
            is_short = is_key and not is_list(Scenario, path)
            has_step = isinstance(value, MarkedList) and not is_short
        return value if has_step else self.marked(long_form(Scenario, path, value))

    def marked(self, value: object) -> object:
        """Return plain data as data with places, all of them the override."""
        if isinstance(value, MarkedMap | MarkedList):
            return value
        if isinstance(value, dict):
            keys = MarkedMap(self.mark)
            for key, item in value.items():
                keys.put(key, self.marked(item), self.mark, self.mark)
            return keys
        if isinstance(value, list):
            items = MarkedList(self.mark)
            for item in value:
                items.put(self.marked(item), self.mark)
            return items
        return value

    def require_keys_below(self, path: Path, step: str | int) -> None:
        """Refuse a path below a single value, or below a list that is not in the file."""
        known = known_keys(Scenario, path)
        if not known:
            reason = f"'{path_text(path)}' is a single value without keys"
            raise _refuse(self.mark, path, reason, "End the path earlier")
        if step not in known and is_list(Scenario, path):
            reason = f"'{path_text(path)}' is not written in the file, so it has no items"
            raise _refuse(self.mark, path, reason, "Write it in the file first")

    def walk_list(
        self, node: MarkedList, step: str | int, rest: list[str | int], path: Path
    ) -> None:
        indices = [step] if isinstance(step, int) else self.select(node, step, path)
        for index in indices:
            if not 0 <= index < len(node):
                reason = f"'{path_text(path)}' has no item {index}"
                raise _refuse(self.mark, path, reason, f"It has {len(node)} items, counted from 0")
            if rest:
                here = (*path, index)
                node[index] = self.opened(node[index], rest[0], here)
                self.walk(node[index], rest, here)
            else:
                node[index] = copy.deepcopy(self.value)
                node.item_marks[index] = self.mark

    def select(self, node: MarkedList, pattern: str, path: Path) -> list[int]:
        """Return the indices of the items a name means, members taken out of their groups first."""
        if pattern == "*":
            return list(range(len(node)))
        try:
            wanted = expand(pattern)
        except GroupError as error:
            raise _refuse(self.mark, path, error.reason, error.remedy) from error
        names = [names_of(item) for item in node]
        matched: set[str] = set()
        for word in wanted:
            hits = [name for group in names for name in group if fnmatch.fnmatchcase(name, word)]
            if not hits:
                every = [name for group in names for name in group]
                guess = nearest(word, every)
                remedy = f"Did you mean '{guess}'? " if guess else ""
                shown = ", ".join(str(item["name"]) for item in node if names_of(item))
                by_number = f"write {path_text(path)}[0] for the first"
                listing = f"There is {shown}" if shown else f"Its items have no names; {by_number}"
                reason = f"'{path_text(path)}' has no item called '{word}'"
                raise _refuse(self.mark, path, reason, remedy + listing)
            matched.update(hits)
        _split_groups(node, names, matched)
        return [index for index, item in enumerate(node) if matched.intersection(names_of(item))]


def names_of(item: object) -> list[str]:
    """Return the names that an item of a list defines; none if it has no name."""
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        return []
    try:
        return expand(item["name"])
    except GroupError:
        return []


def _split_groups(node: MarkedList, names: list[list[str]], matched: set[str]) -> None:
    """Split each group that the path names only in part into single items, in place.

    A value that pairs with the group, such as the target of a mirror, is split as well.
    """
    items = list(zip(node, node.item_marks, names, strict=True))
    node.clear()
    node.item_marks.clear()
    for item, mark, group in items:
        if not matched.intersection(group) or matched.issuperset(group):
            node.put(item, mark)
            continue
        for position, name in enumerate(group):
            twin = copy.deepcopy(item)
            twin["name"] = name
            _split_mirror(twin, position, len(group))
            node.put(twin, mark)


def _split_mirror(item: MarkedMap, position: int, count: int) -> None:
    mirror = item.get("mirror")
    if isinstance(mirror, MarkedMap) and isinstance(mirror.get("to"), str):
        try:
            targets = expand(mirror["to"])
        except GroupError:
            return
        if len(targets) == count:
            mirror["to"] = targets[position]
