"""Messages for validation errors: place, reason and remedy."""

from __future__ import annotations

import typing
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

from sanlab.errors import Problem
from sanlab.quantities import nearest
from sanlab.scenario.base import OWN_ERROR
from sanlab.scenario.document import Mark, find_mark, path_text

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from sanlab.scenario.document import MarkedMap, Path


def problems_of(error: ValidationError, model: type[BaseModel], root: MarkedMap) -> list[Problem]:
    """Return all problems of a validation, in the order of the file."""
    problems = [_problem(detail, model, root) for detail in error.errors(include_url=False)]
    return sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))


def _problem(detail: ErrorDetails, model: type[BaseModel], root: MarkedMap) -> Problem:
    path: Path = detail["loc"]
    if detail["type"] == OWN_ERROR and detail["ctx"].get("key"):
        path = (*path, detail["ctx"]["key"])
    reason, remedy = _words(detail, model)
    mark = find_mark(root, path) or Mark(root.mark.file)
    return Problem(mark.file, mark.line, mark.column, path_text(path), reason, remedy)


def _words(detail: ErrorDetails, model: type[BaseModel]) -> tuple[str, str]:
    kind = detail["type"]
    context = detail.get("ctx", {})
    if kind == OWN_ERROR:
        return str(context["reason"]), str(context["remedy"])
    if kind == "extra_forbidden":
        return _unknown_key(detail["loc"], model)
    if kind == "missing":
        key = str(detail["loc"][-1])
        return f"The key '{key}' is missing", f"Add '{key}:'"
    if kind == "literal_error":
        return _not_a_choice(str(context["expected"]), detail["input"])
    return _type_or_bound(detail, _shown(detail["input"]))


def _type_or_bound(detail: ErrorDetails, value: str) -> tuple[str, str]:
    kind = detail["type"]
    if kind in _TYPE_WORDS:
        what, remedy = _TYPE_WORDS[kind]
        return f"{value} is not {what}", remedy
    if kind in _BOUND_WORDS:
        what, limit, key = _BOUND_WORDS[kind]
        return f"{value} is {what}", f"{limit} {detail['ctx'][key]}"
    return str(detail["msg"]), "See the reference of the scenario file"


_TYPE_WORDS = {
    "int_type": ("a whole number", "Write digits alone, such as 8"),
    "int_from_float": ("a whole number", "Write digits alone, such as 8"),
    "int_parsing_size": ("a number of reasonable size", "Write a smaller number"),
    "bool_type": ("true or false", "Write 'true' or 'false'"),
    "string_type": ("text", "Write a word, or put the value in quotes"),
    "list_type": ("a list", "Start each item on its own line with '- '"),
    "dict_type": ("a mapping", "Write keys below it, each 'key: value'"),
    "model_type": ("a mapping", "Write keys below it, each 'key: value'"),
}
_BOUND_WORDS = {
    "greater_than_equal": ("too small", "The least is", "ge"),
    "greater_than": ("too small", "It must be more than", "gt"),
    "less_than_equal": ("too large", "The limit is", "le"),
    "less_than": ("too large", "It must be less than", "lt"),
    "too_short": ("too short a list", "The least number of items is", "min_length"),
}


def _shown(value: object) -> str:
    if value is None:
        return "An empty value"
    if isinstance(value, bool):
        return f"'{str(value).lower()}'"
    if isinstance(value, dict):
        return "A mapping"
    if isinstance(value, list):
        return "A list"
    return f"'{value}'"


def _not_a_choice(expected: str, value: object) -> tuple[str, str]:
    choices = [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]
    guess = nearest(str(value), choices)
    hint = f"Did you mean '{guess}'? " if guess and str(value) != guess else ""
    return f"{_shown(value)} is not a valid choice", f"{hint}Choices are {', '.join(choices)}"


def _unknown_key(path: Path, model: type[BaseModel]) -> tuple[str, str]:
    key = str(path[-1])
    known = known_keys(model, path[:-1])
    guess = nearest(key, known)
    remedy = f"Did you mean '{guess}'? " if guess else ""
    return f"The key '{key}' is unknown", f"{remedy}Valid keys are {', '.join(known)}"


def known_keys(model: type[BaseModel], path: Path) -> list[str]:
    """Return the keys a scenario may have at `path`; None if a value without keys stands."""
    kind = _type_at(model, path)
    return list(_fields(_item_type(kind) or kind))


def is_list(model: type[BaseModel], path: Path) -> bool:
    """Return whether a scenario has a list at `path`."""
    return _item_type(_type_at(model, path)) is not None


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


def _item_type(kind: Any) -> Any:  # noqa: ANN401  an annotation
    bare = _bare(kind)
    return get_args(bare)[0] if get_origin(bare) is list else None


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
