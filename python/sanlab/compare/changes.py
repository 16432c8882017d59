"""What differs between the scenarios of two runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.results.run import Run


@dataclass(frozen=True)
class Change:
    """A value that differs; a side without it is None."""

    path: str
    before: str | None
    after: str | None


def changes(before: Run, after: Run) -> list[Change]:
    """Return the values of two scenarios that differ, with overrides and the seed."""
    one, other = _values(before), _values(after)
    paths = list(dict.fromkeys((*one, *other)))
    return [
        Change(path, one.get(path), other.get(path))
        for path in paths
        if one.get(path) != other.get(path)
    ]


def _values(run: Run) -> dict[str, str]:
    """Every value of a scenario as text, by its path."""
    try:
        document = YAML(typ="safe", pure=True).load(run.scenario or "")
    except YAMLError:
        document = None
    found = dict(_leaves("", document)) if isinstance(document, dict) else {}
    found.pop("title", None)
    for path, value in run.manifest.overrides.items():
        place = _place(document, str(path))
        found = {key: old for key, old in found.items() if not _is_below(key, place)}
        found |= dict(_leaves(place, _loaded(str(value))))
    return found | {"seed": str(run.manifest.seed)}


def _loaded(text: str) -> Any:  # noqa: ANN401  any YAML
    """A value of an override that has values inside; else its text, nothing for an empty one."""
    try:
        value = YAML(typ="safe", pure=True).load(text)
    except YAMLError:
        return text
    return value if isinstance(value, (dict, list)) or value is None else text


def _place(document: Any, path: str) -> str:  # noqa: ANN401  any YAML
    """The path of an override as the values of the scenario are named: items by their names."""
    node, place = document, ""
    for word, number in _STEP.findall(path):
        if number and isinstance(node, list):
            node = node[int(number)] if int(number) < len(node) else None
            name = node.get("name") if isinstance(node, dict) else None
            place += f".{name}" if name else f"[{number}]"
        elif number:  # a single item that is not written as a list
            place += "" if int(number) == 0 and isinstance(node, dict) else f"[{number}]"
        else:
            place += f".{word}" if place else word
            node = _below(node, word)
    return place


#: A key of a path, or a place in a list.
_STEP = re.compile(r"([^.\[\]]+(?:\[[^\]]*\.\.[^\]]*\])?)(?=[.\[]|$)|\[(\d+)\]")


def _below(node: Any, word: str) -> Any:  # noqa: ANN401
    if isinstance(node, dict):
        return node.get(word)
    rows = node if isinstance(node, list) else []
    named = [row for row in rows if isinstance(row, dict) and row.get("name") == word]
    return named[0] if named else None


def _is_below(path: str, place: str) -> bool:
    """Whether a path is a place, or inside it."""
    return path == place or path.startswith((f"{place}.", f"{place}["))


def _leaves(path: str, value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401  any YAML
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _leaves(f"{path}.{key}" if path else str(key), below)
    elif isinstance(value, list) and any(isinstance(row, dict) for row in value):
        for number, row in enumerate(value):
            name = row.get("name", number) if isinstance(row, dict) else number
            yield from _leaves(f"{path}.{name}" if "name" in _keys(row) else f"{path}[{name}]", row)
    elif value not in (None, []):
        yield path, str(value)


def _keys(value: Any) -> set[str]:  # noqa: ANN401
    return set(value) if isinstance(value, dict) else set()
