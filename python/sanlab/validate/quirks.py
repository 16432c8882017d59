"""Configurations that gave the evaluators trouble, and what `sanlab check` says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.errors import ScenarioError
from sanlab.plan.compile import compile_plan
from sanlab.plan.explain import remarks
from sanlab.plan.warnings import warnings
from sanlab.scenario.load import load_scenario
from sanlab.scenario.overrides import as_texts
from sanlab.validate.rows import Row

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.validate.study import Quirk, Study


def answer(quirk: Quirk, folder: Path) -> str:
    """Return the sentence of a check that says why: its refusal, or the remark that fits."""
    try:
        plan = compile_plan(load_scenario(folder / quirk.scenario, as_texts(quirk.set)))
    except ScenarioError as error:
        first = error.problems[0]
        return f"{first.key}: {first.reason}. {first.remedy}."
    sentences = [*remarks(plan), *warnings(plan)]
    return next((sentence for sentence in sentences if quirk.says in sentence), "good")


def quirk_rows(study: Study) -> list[Row]:
    """Make a row for each quirk: whether the check says its cause."""
    return [_row(study, quirk) for quirk in study.quirks]


def _row(study: Study, quirk: Quirk) -> Row:
    said = answer(quirk, study.folder)
    is_said = quirk.says in said
    return Row(
        study=study.name,
        case=quirk.name,
        metric="check",
        published="named",
        simulated="named" if is_said else "not named",
        unit="trend",
        error_percent=None,
        ok=is_said,
        note=said,
        held=quirk.met,
    )
