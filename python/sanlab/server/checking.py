"""The check of a text as an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.errors import ScenarioError
from sanlab.server import models

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.errors import Problem

#: Most problems in an answer.
MAX_PROBLEMS = 200


def checked(text: str, path: str | None) -> models.CheckAnswer:
    """Check a text as `sanlab check` does."""
    from sanlab.plan.compile import compile_plan
    from sanlab.plan.explain import remarks, totals
    from sanlab.plan.warnings import warnings
    from sanlab.scenario.load import parse_scenario

    try:
        plan = compile_plan(parse_scenario(text, path or "scenario.yaml"))
    except ScenarioError as error:
        return models.CheckAnswer(
            problems=problems(error.problems), warnings=[], notes=[], totals={}
        )
    return models.CheckAnswer(
        problems=[], warnings=warnings(plan), notes=remarks(plan), totals=totals(plan)
    )


def problems(found: Iterable[Problem]) -> list[models.Problem]:
    """Return problems as the answers have them."""
    return [
        models.Problem(
            line=one.line, column=one.column, key=one.key, message=one.reason, remedy=one.remedy
        )
        for one in list(found)[:MAX_PROBLEMS]
    ]
