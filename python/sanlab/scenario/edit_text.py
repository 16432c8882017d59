"""Characters of a YAML text that belong to a value: replaced, added, removed."""

from __future__ import annotations

import json
import re
from typing import Any

from sanlab.errors import ScenarioError
from sanlab.scenario.document import Mark, read_value

Node = Any  #: of either parser, untyped

_PLAIN = re.compile(r"[\w./%+-]+(?: [\w./%+-]+)*", re.ASCII)
_SCALAR_BLOCKS = ("|", ">")


def replace_value(text: str, above: Node, node: Node, step: str | int, value: object) -> str | None:
    """Replace the value of a key or an item."""
    begin, end = _offset(text, node.start_mark), _end(text, node)
    written = flow(value)
    if begin >= end:  # nothing is written: the key alone
        begin = end = _after_colon(text, above, str(step))
        written = f" {written}"
    if _is_block(node):
        if isinstance(step, str) and _rows(value) and type(above).__name__ == "MappingNode":
            written = _block(value, node.start_mark.column)
        else:
            return _beside_key(text, begin, end, written)
    return text[:begin] + written + text[end:]


def put_key(text: str, node: Node, key: str, value: object) -> str | None:
    """Add a key at the end of a mapping."""
    if type(node).__name__ != "MappingNode":
        return None
    name = flow(key)
    if node.flow_style:
        if not node.value:
            inside = text.find("{", _offset(text, node.start_mark)) + 1
            return f"{text[:inside]}{name}: {flow(value)}{text[inside:]}"
        at = _end(text, node.value[-1][1])
        return f"{text[:at]}, {name}: {flow(value)}{text[at:]}"
    indent = " " * node.value[0][0].start_mark.column
    written = flow(value)
    if not indent and _rows(value):
        written = f"\n  {_block(value, 2)}"
        return _with_line(text, _last(text, node), f"\n{name}:{written}")
    return _with_line(text, _last(text, node), f"{indent}{name}: {written}")


def insert_item(text: str, node: Node, index: int, value: object) -> str | None:
    """Put an item into a list."""
    if type(node).__name__ != "SequenceNode":
        return None
    items = node.value
    if node.flow_style:
        if not items:
            inside = text.find("[", _offset(text, node.start_mark)) + 1
            return f"{text[:inside]}{flow(value)}{text[inside:]}"
        if index < len(items):
            at = _offset(text, items[index].start_mark)
            return f"{text[:at]}{flow(value)}, {text[at:]}"
        at = _end(text, items[-1])
        return f"{text[:at]}, {flow(value)}{text[at:]}"
    return _insert_line(text, node, index, value)


def _insert_line(text: str, node: Node, index: int, value: object) -> str | None:
    """Put an item into a list with a line for each."""
    items, column = node.value, node.start_mark.column
    line = f"{' ' * column}- {flow(value)}"
    if index == len(items):
        return _with_line(text, _last(text, node), line)
    dash = _dash(text, _offset(text, items[index].start_mark))
    begin = text.rfind("\n", 0, dash) + 1
    if text[begin:dash].strip():  # the first item begins on the line of something else
        return None
    begin = _above_comments(text, begin, column)
    return f"{text[:begin]}{line}\n{text[begin:]}"


def remove_part(text: str, node: Node, step: str | int) -> str | None:
    """Take a key or an item out; what is left empty is written as `{}` or `[]`."""
    is_map = type(node).__name__ == "MappingNode"
    parts = [(key, value) for key, value in node.value] if is_map else [(v, v) for v in node.value]
    place = next(
        (
            n
            for n, (key, _) in enumerate(parts)
            if (str(key.value) == step if is_map else n == step)
        ),
        None,
    )
    if place is None:
        return None
    begin, end = _offset(text, parts[place][0].start_mark), _end_of_pair(text, *parts[place])
    if node.flow_style:
        if place + 1 < len(parts):
            end = _offset(text, parts[place + 1][0].start_mark)
        elif place:
            begin = _end_of_pair(text, *parts[place - 1])
        return text[:begin] + text[end:]
    if not is_map:
        begin = _dash(text, begin)
    if len(parts) == 1:
        return _emptied(text, node, begin, end, is_map=is_map)
    start = text.rfind("\n", 0, begin) + 1
    if text[start:begin].strip():
        # On the line of a dash: the next key takes its place.
        if place + 1 == len(parts):
            return None
        following = _offset(text, parts[place + 1][0].start_mark)
        return text[:begin] + text[following:]
    stop = text.find("\n", end)
    return text[:start] + ("" if stop < 0 else text[stop + 1 :])


def _emptied(text: str, node: Node, begin: int, end: int, *, is_map: bool) -> str | None:
    """Return the text with the only part of a block gone."""
    if node.start_mark.column == 0 and is_map:
        return None  # a scenario without any key
    return _beside_key(text, begin, end, "{}" if is_map else "[]")


def flow(value: object) -> str:
    """Return a value on one line.

    >>> flow({"kind": "link-down", "between": ["sw1", "sw[2]"], "at": "1.5s", "number": 2})
    '{kind: link-down, between: [sw1, "sw[2]"], at: 1.5s, number: 2}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(str(k))}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str):
        return value if _is_plain(value) else _quoted(value)
    return json.dumps(value)


def _quoted(text: str) -> str:
    """Return a text in quotes, what cannot be seen as numbers."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    number = ord(letter)
    return f"\\U{number:08x}" if number > 0xFFFF else f"\\u{number:04x}"


def _is_plain(text: str) -> bool:
    """Whether a text is itself without quotes."""
    if not _PLAIN.fullmatch(text) or text.startswith("-"):
        return False
    try:
        return bool(read_value(text, Mark("value")) == text)
    except ScenarioError:
        return False


def _rows(value: object) -> bool:
    """Whether a value is better written as a list with a line for each item."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _block(value: Any, column: int) -> str:  # noqa: ANN401  plain data
    return f"\n{' ' * column}".join(f"- {flow(item)}" for item in value)


def _is_block(node: Node) -> bool:
    return type(node).__name__ != "ScalarNode" and not node.flow_style


def _offset(text: str, mark: Any) -> int:  # noqa: ANN401  of either parser
    """Return the index of a place in the text."""
    begin = 0
    for _ in range(mark.line):
        begin = text.index("\n", begin) + 1
    return begin + int(mark.column)


def _end(text: str, node: Node) -> int:
    """Return the index after the last character of a value."""
    if _is_block(node) and node.value:
        return _last(text, node)
    end = _offset(text, node.end_mark)
    if type(node).__name__ == "ScalarNode" and getattr(node, "style", None) in _SCALAR_BLOCKS:
        return len(text[:end].rstrip())
    return end


def _last(text: str, node: Node) -> int:
    """Return the index after the last character of the last part of a block."""
    last = node.value[-1]
    if type(node).__name__ == "MappingNode":
        return _end_of_pair(text, *last)
    return _end(text, last)


def _end_of_pair(text: str, key: Node, value: Node) -> int:
    end = _end(text, value)
    if key is not value and end <= _offset(text, key.end_mark):
        return text.index(":", _offset(text, key.end_mark)) + 1
    if _offset(text, value.start_mark) >= end:  # nothing is written
        return text.index(":", _offset(text, key.end_mark)) + 1 if key is not value else end
    return end


def _after_colon(text: str, above: Node, step: str) -> int:
    key = next(key for key, _ in above.value if str(key.value) == step)
    return text.index(":", _offset(text, key.end_mark)) + 1


def _dash(text: str, begin: int) -> int:
    """Return the index of the dash of an item."""
    return text.rfind("-", 0, begin)


def _beside_key(text: str, begin: int, end: int, written: str) -> str:
    """Put a value beside its key or dash, in place of the block below; comments between stay."""
    line = text.rfind("\n", 0, begin) + 1
    if text[line:begin].strip():  # on the line of its dash
        return text[:begin] + written + text[end:]
    stop = text.find("\n", end)
    rest = "" if stop < 0 else text[stop + 1 :]
    start = line
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        owner = text[above : start - 1]
        if owner.strip() and not owner.lstrip().startswith("#"):
            at = above + len(re.sub(r"\s+#.*$", "", owner).rstrip())
            return f"{text[:at]} {written}{text[at:line]}{rest}"
        start = above
    return text[:begin] + written + text[end:]


def _above_comments(text: str, begin: int, column: int) -> int:
    """Return the begin of the comments directly above a line, at its column."""
    while begin:
        start = text.rfind("\n", 0, begin - 1) + 1
        line = text[start : begin - 1]
        if not line.startswith(" " * column + "#"):
            break
        begin = start
    return begin


def _with_line(text: str, end: int, line: str) -> str:
    """Add a line after the one that a value ends on."""
    stop = text.find("\n", end)
    if stop < 0:
        return f"{text}\n{line}\n"
    return f"{text[: stop + 1]}{line}\n{text[stop + 1 :]}"
