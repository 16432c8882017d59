"""Changes of a scenario's text that keep its comments and layout.

Each change touches only the characters of its value, found by the marks of the parser. The result
is read again and compared with the data that the change should give; where it differs, ruamel.yaml
writes the whole text instead, which keeps comments but may move spaces.
"""

from __future__ import annotations

import copy
import difflib
import json
from typing import TYPE_CHECKING, Any, Literal

from sanlab.errors import Problem, ScenarioError
from sanlab.quantities import nearest
from sanlab.scenario.compose import compose
from sanlab.scenario.document import Mark, MarkedList, MarkedMap, path_text, read_document
from sanlab.scenario.edit_text import insert_item, put_key, remove_part, replace_value
from sanlab.scenario.overrides import steps_of
from sanlab.scenario.scenario import Scenario
from sanlab.scenario.shape import is_list, long_form

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.scenario.document import Path

Operation = Literal["set", "insert", "remove"]
#: An operation, its path as after `--set`, and its value.
Edit = tuple[Operation, str, Any]

#: Name that problems of a changed text are reported under.
FILE = "scenario"


def edited(text: str, edits: Iterable[Edit]) -> str:
    r"""Return a text after changes, made in their order.

    `set` replaces the value at a path or adds its key. `insert` puts a value into a list: before
    the item at the path, or at the end of the list that the path names; a list that is not there is
    made. `remove` takes a key or an item out.

    >>> print(edited("hosts:\n  - name: h1  # first\n", [("set", "hosts.h1.cpu.cores", 2)]), end="")
    hosts:
      - name: h1  # first
        cpu: {cores: 2}

    Raises
    ------
    ScenarioError
        The text is not YAML, or a path names nothing in it.
    """
    for operation, path, value in edits:
        text = _edited(text, operation, path, value)
    return text


def difference(before: str, after: str, file: str) -> str:
    r"""Return the difference of two texts in unified form; empty where they are equal.

    >>> print(difference("a: 1\nb: 2\n", "a: 1\nb: 3\n", "san.yaml"), end="")
    --- san.yaml
    +++ san.yaml
    @@ -1,2 +1,2 @@
     a: 1
    -b: 2
    +b: 3
    """
    lines = difflib.unified_diff(_lines(before), _lines(after), file, file)
    return "".join(lines)


def _lines(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def _edited(text: str, operation: Operation, path: str, value: object) -> str:
    document = plain(read_document(text, FILE))
    steps = steps_of(path, Mark(path))
    found = _found(document, steps, path, operation)
    expected, operation, found, value = _expected(document, operation, found, value)
    changed = _by_marks(text, operation, found, value)
    if changed is None or not _gives(changed, expected):
        changed = _by_ruamel(text, operation, found, value)
    if not _gives(changed, expected):
        reason = "The text cannot be changed here: an anchor or an alias is part of it"
        raise _refusal(path, reason, "Change it by hand")
    return changed


def _gives(text: str, expected: object) -> bool:
    """Whether a text has this data."""
    try:
        found = plain(read_document(text, FILE))
    except ScenarioError:
        return False
    # 1, 1.0 and true are equal in Python.
    return json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)


def _found(document: object, steps: list[str | int], path: str, operation: Operation) -> Path:
    """Return the path with indices for names; what is missing at its end stays as it is written."""
    found: list[str | int] = []
    node: object = document
    for number, step in enumerate(steps):
        if isinstance(node, list):
            index = step if isinstance(step, int) else _item(node, step, path)
            is_last = number == len(steps) - 1
            if index > len(node) or (
                index == len(node) and not (is_last and operation == "insert")
            ):
                reason = f"'{path_text(found)}' has no item {index}"
                raise _refusal(path, reason, f"It has {len(node)} items, counted from 0")
            found.append(index)
            node = node[index] if index < len(node) else None
        elif isinstance(node, dict):
            if step == 0 and is_list(Scenario, tuple(found)):
                continue  # a single item may be written without its list
            key = str(step)
            if operation == "remove" and key not in node:
                guess = nearest(key, list(node))
                remedy = f"Did you mean '{guess}'?" if guess else "Choose another path"
                raise _refusal(path, f"'{path_text((*found, key))}' is not in the file", remedy)
            found.append(key)
            node = node.get(key)
        else:
            found.append(step)
            node = None
    return tuple(found)


def _item(items: list[Any], name: str, path: str) -> int:
    names = [item.get("name") if isinstance(item, dict) else None for item in items]
    if name in names:
        return names.index(name)
    known = [one for one in names if isinstance(one, str)]
    guess = nearest(name, known)
    remedy = f"Did you mean '{guess}'? " if guess else ""
    remedy += f"There is {', '.join(known)}" if known else "Name an item by its number, [0]"
    raise _refusal(path, f"No item is called '{name}'", remedy)


def _expected(
    document: Any,  # noqa: ANN401  plain data
    operation: Operation,
    found: Path,
    value: object,
) -> tuple[Any, Operation, Path, object]:
    """Return the data that a change gives, and the change itself with what is missing made."""
    data = copy.deepcopy(document)
    if operation == "remove":
        above = _at(data, found[:-1])
        del above[found[-1]]
        return data, operation, found, value
    depth = _depth(data, found)
    if operation == "insert":
        target = _at(data, found) if depth == len(found) else None
        if isinstance(target, list):
            found = (*found, len(target))
        elif not (found and isinstance(found[-1], int) and isinstance(_at(data, found[:-1]), list)):
            # Nothing there, or a single item without its list.
            operation = "set"
            value = [value] if target is None else [target, value]
            if target is not None and not is_list(Scenario, found):
                raise _refusal(path_text(found), "This is not a list", "Use 'set'")
        if operation == "insert":
            _at(data, found[:-1]).insert(found[-1], value)
            return data, operation, found, value
    if depth < len(found) - 1 or (depth < len(found) and not _has_keys(data, found)):
        found, value = _completed(data, found, depth, value)
    above = _at(data, found[:-1])
    above[found[-1]] = value
    return data, operation, found, value


def _has_keys(data: object, found: Path) -> bool:
    return isinstance(_at(data, found[:-1]), dict)


def _depth(data: object, found: Path) -> int:
    """Return how many steps of a path are there."""
    for number, step in enumerate(found):
        is_there = (isinstance(data, dict) and step in data) or (
            isinstance(data, list) and isinstance(step, int) and step < len(data)
        )
        if not is_there:
            return number
        data = data[step]  # type: ignore[index]  # checked above
    return len(found)


def _completed(data: object, found: Path, depth: int, value: object) -> tuple[Path, object]:
    """Return a shorter path that is there, with a value that has what the longer one needs."""
    here = found[:depth]
    present = _at(data, here)
    if isinstance(present, dict):
        here, rest = found[: depth + 1], found[depth + 1 :]
        present = None
    else:
        rest = found[depth:]
    base: object = {}
    if present is not None:
        base = long_form(Scenario, here, present)
        if isinstance(base, list) and len(base) == 1 and rest and rest[0] != 0:
            base = base[0]
        if not isinstance(base, dict):
            reason = f"'{path_text(here)}' is a single value without keys"
            raise _refusal(path_text(found), reason, "End the path earlier")
    node: Any = base
    for step in rest[:-1]:
        if step == 0:
            continue
        node = node.setdefault(str(step), {})
        if not isinstance(node, dict):
            raise _refusal(path_text(found), "A single value has no keys", "End the path earlier")
    node[str(rest[-1])] = value
    return here, base


def _at(data: Any, path: Path) -> Any:  # noqa: ANN401  plain data
    for step in path:
        data = data[step]
    return data


def _by_marks(text: str, operation: Operation, path: Path, value: object) -> str | None:
    """Change the characters of a value alone; None where its place is not sure."""
    above, node = None, compose(text, FILE)
    for number, step in enumerate(path):
        if type(node).__name__ == "MappingNode":
            inner = next((v for k, v in node.value if str(k.value) == step), None)
        else:
            inner = node.value[step] if step < len(node.value) else None  # type: ignore[operator]
        if inner is None and number < len(path) - 1:
            return None
        above, node = node, inner
    if operation == "insert":
        return insert_item(text, above, int(path[-1]), value)
    if operation == "remove":
        return remove_part(text, above, path[-1])
    if node is None:
        return put_key(text, above, str(path[-1]), value)
    return replace_value(text, above, node, path[-1], value)


def _by_ruamel(text: str, operation: Operation, path: Path, value: object) -> str:
    """Change the data and write the whole text, comments kept."""
    import io

    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 4096
    out = io.StringIO()
    try:
        data = yaml.load(text)
        above = _at(data, path[:-1])
        if operation == "insert":
            above.insert(path[-1], value)
        elif operation == "remove":
            del above[path[-1]]
        else:
            above[path[-1]] = value
        yaml.dump(data, out)
    except (YAMLError, LookupError, TypeError, RecursionError) as error:
        reason = f"The text cannot be changed here: {type(error).__name__}"
        raise _refusal(path_text(path), reason, "Change it by hand") from None
    return out.getvalue()


def plain(node: object) -> Any:  # noqa: ANN401  plain data
    """Return a document as plain data."""
    if isinstance(node, MarkedMap | dict):
        return {key: plain(value) for key, value in node.items()}
    if isinstance(node, MarkedList | list):
        return [plain(value) for value in node]
    return node


def _refusal(path: str, reason: str, remedy: str) -> ScenarioError:
    return ScenarioError([Problem(FILE, None, None, path, reason, remedy)])
