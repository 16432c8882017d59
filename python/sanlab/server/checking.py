"""The check of a text as an answer."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from sanlab.errors import ScenarioError
from sanlab.scenario.load import parse_scenario
from sanlab.server import models
from sanlab.topology import topology_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sanlab.errors import Problem
    from sanlab.results.run import Run
    from sanlab.topology import Topology

#: Most problems in an answer.
MAX_PROBLEMS = 200


def checked(text: str, path: str | None, root: Path) -> models.CheckAnswer:
    """Check a text as `sanlab check` does; it names no file out of `root`."""
    from sanlab.plan.compile import compile_plan
    from sanlab.plan.explain import remarks, totals
    from sanlab.plan.warnings import warnings

    try:
        file = path or "scenario.yaml"
        scenario = parse_scenario(text, file)
        scenario.confine((root / file).parent, root)
        plan = compile_plan(scenario)
    except ScenarioError as error:
        found = problems(error.problems)
        return models.CheckAnswer(problems=found, warnings=[], notes=[], totals={}, topology=None)
    return models.CheckAnswer(
        problems=[],
        warnings=warnings(plan),
        notes=remarks(plan),
        totals=totals(plan),
        topology=topology_of(json.loads(plan.to_json()), scenario=scenario),
    )


def map_of_run(run: Run, at_ps: int | None) -> Topology:
    """Return the map of a run: at its end with its figures, or at a time without them."""
    scenario = None
    if run.scenario is not None:
        with contextlib.suppress(ScenarioError):  # one that only an earlier version accepts
            scenario = parse_scenario(run.scenario, overrides=run.manifest.overrides)
    if at_ps is None:
        return topology_of(run.plan, scenario=scenario, run=run)
    return topology_of(run.plan, scenario=scenario, at_ps=at_ps)


def problems(found: Iterable[Problem]) -> list[models.Problem]:
    """Return problems as the answers have them."""
    return [
        models.Problem(
            line=one.line, column=one.column, key=one.key, message=one.reason, remedy=one.remedy
        )
        for one in list(found)[:MAX_PROBLEMS]
    ]
