"""The JSON Schema of the scenario file, each key with the words that stand below its field.

Pydantic could take these words itself, but would read the source of every class each time the
package is imported.
"""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sanlab.scenario.base import ScenarioModel
from sanlab.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel


def scenario_schema() -> dict[str, Any]:
    """Return the JSON Schema of a scenario."""
    schema = Scenario.model_json_schema(by_alias=True)
    models = {model.__name__: model for model in _subclasses(ScenarioModel)}
    for name, definition in ((Scenario.__name__, schema), *schema["$defs"].items()):
        if name in models:
            _describe(definition["properties"], models[name])
    return schema


def _subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for subclass in model.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _describe(properties: dict[str, dict[str, Any]], model: type[BaseModel]) -> None:
    """Add to each property the words below its field, in place."""
    words: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, ScenarioModel):
            words |= _words_below_fields(base)
    for name, field in model.model_fields.items():
        key = field.alias or name
        if name in words:
            described = properties[key] | {"description": words[name]}
            properties[key] = dict(sorted(described.items()))


def _words_below_fields(model: type[BaseModel]) -> dict[str, str]:
    (definition,) = ast.parse(inspect.getsource(model)).body
    assert isinstance(definition, ast.ClassDef)
    return {
        field.target.id: inspect.cleandoc(words.value.value)
        for field, words in pairwise(definition.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(words, ast.Expr)
        and isinstance(words.value, ast.Constant)
        and isinstance(words.value.value, str)
    }
