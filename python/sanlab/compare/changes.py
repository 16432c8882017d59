"""What differs between the scenarios of two runs."""

from __future__ import annotations

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
    found |= {str(path): str(value) for path, value in run.manifest.overrides.items()}
    return found | {"seed": str(run.manifest.seed)}


def _leaves(path: str, value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401  any YAML
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _leaves(f"{path}.{key}" if path else str(key), below)
    elif isinstance(value, list) and any(isinstance(row, dict) for row in value):
        for number, row in enumerate(value):
            name = row.get("name", number) if isinstance(row, dict) else number
            yield from _leaves(f"{path}.{name}" if "name" in _keys(row) else f"{path}[{name}]", row)
    else:
        yield path, str(value)


def _keys(value: Any) -> set[str]:  # noqa: ANN401
    return set(value) if isinstance(value, dict) else set()
