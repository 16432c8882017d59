"""What may stand at a path of a scenario: keys, lists, and short forms of either."""

from __future__ import annotations

import typing
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel, BeforeValidator
from pydantic_core import PydanticCustomError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.scenario.document import Path


def known_keys(model: type[BaseModel], path: Path) -> list[str]:
    """Return the keys a scenario may have at `path`; None if a value without keys stands."""
    kind = _type_at(model, path)
    return list(_fields(_item_type(kind) or kind))


def is_list(model: type[BaseModel], path: Path) -> bool:
    """Return whether a scenario has a list at `path`."""
    return _item_type(_type_at(model, path)) is not None


def long_form(model: type[BaseModel], path: Path, value: object) -> object:
    """Return what a short form at `path` stands for: a list of one item, or keys with values.

    `os: windows-2003` stands for `os: {model: windows-2003}`, and a single adapter for a list of
    one. A value that is not a short form is returned as it is.
    """
    for validator in _before(model, path):
        try:
            found = validator(value)
        except (PydanticCustomError, TypeError, ValueError):
            continue
        if isinstance(found, dict | list) and type(found) is not type(value):
            return found
    return value


def _before(model: type[BaseModel], path: Path) -> Iterator[Any]:
    """Yield the functions that a value at `path` passes before it is checked."""
    above, step = path[:-1], path[-1]
    kind = _type_at(model, above)
    if isinstance(step, int):
        yield from _functions(_item_type(kind))
        return
    bare = _bare(_item_type(kind) or kind)
    if isinstance(bare, type) and issubclass(bare, BaseModel):
        for name, field in bare.model_fields.items():
            if step == (field.alias or name):
                yield from (
                    validator.func
                    for validator in field.metadata
                    if isinstance(validator, BeforeValidator)
                )
                yield from _functions(field.annotation)


def _functions(kind: Any) -> Iterator[Any]:  # noqa: ANN401  an annotation
    if get_origin(kind) is typing.Annotated:
        yield from (
            validator.func
            for validator in get_args(kind)[1:]
            if isinstance(validator, BeforeValidator)
        )


def _item_type(kind: Any) -> Any:  # noqa: ANN401  an annotation
    bare = _bare(kind)
    return get_args(bare)[0] if get_origin(bare) is list else None


def _type_at(model: type[BaseModel], path: Path) -> Any:  # noqa: ANN401  an annotation
    kind: Any = model
    for step in path:
        if isinstance(step, int):
            kind = _item_type(kind)
        else:
            # A single item may be written without its list.
            kind = _fields(_item_type(kind) or kind).get(step)
    return kind


def _fields(kind: Any) -> dict[str, Any]:  # noqa: ANN401  an annotation
    bare = _bare(kind)
    if not (isinstance(bare, type) and issubclass(bare, BaseModel)):
        return {}
    return {field.alias or name: field.annotation for name, field in bare.model_fields.items()}


def _bare(kind: Any) -> Any:  # noqa: ANN401  an annotation
    """Strip `Annotated` and `| None`."""
    while kind is not None:
        origin = get_origin(kind)
        if origin is typing.Annotated:
            kind = get_args(kind)[0]
        elif origin in (UnionType, typing.Union):
            kind = next(arg for arg in get_args(kind) if arg is not type(None))
        else:
            return kind
    return None
