"""Run studies: all their cases on all cores, compared, shown on a page for each study."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import load_scenario
from sanlab.simulation.execute import simulate
from sanlab.simulation.folder import DEFAULT_PARENT
from sanlab.validate.metrics import measure, of_workload
from sanlab.validate.quirks import quirk_rows
from sanlab.validate.rows import (
    Figures,
    Row,
    comparison_rows,
    difference_rows,
    line_rate_rows,
    number_rows,
    peak_rows,
    shape_rows,
    trend_rows,
    with_known_misses,
)
from sanlab.validate.study import Run, Study, load_study, spell_out, study_names

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.validate.study import Case


#: Name of a case that is done, how many are, how many there are, seconds left.
OnCase = Callable[[str, int, int, float], None]


@dataclass(frozen=True)
class Validation:
    """The result of one study."""

    study: Study
    rows: list[Row]
    page: Path
    reports: dict[str, Path]
    bulk: frozenset[str] = frozenset()
    run_count: int = 0
    cases: tuple[Case, ...] = ()

    @property
    def listed(self) -> list[Row]:
        """Rows people read: of cases that come by the hundred only those that are compared."""
        return [row for row in self.rows if row.ok is not None or row.case not in self.bulk]

    @property
    def is_ok(self) -> bool:
        """No row is outside its tolerance but those known to be."""
        return all(row.ok is not False or row.known_miss for row in self.rows)


def validate(
    names: list[str] | None = None,
    *,
    folder: Path | None = None,
    on_case: OnCase | None = None,
) -> list[Validation]:
    """Run studies and compare them with what was published.

    Parameters
    ----------
    names
        Studies; all by default.
    folder
        Where pages and reports go; default `runs/validate`.
    on_case
        Called with the name of each case that is done, how many are done and there are, and the
        seconds left at this pace; from any thread.

    Raises
    ------
    SanlabError
        A study does not exist.
    RunError
        A run broke a law.
    """
    target = (DEFAULT_PARENT / "validate") if folder is None else folder
    studies = [load_study(name) for name in (names or study_names())]
    spelled = [spell_out(study) for study in studies]
    figures = _simulated(spelled, on_case)
    return [
        _compared(study, cases, its, target / study.name)
        for study, cases, its in zip(studies, spelled, figures, strict=True)
    ]


def _simulated(spelled: list[list[Case]], on_case: OnCase | None) -> list[Figures]:
    """Run the cases of all studies in one pool, so that no core waits for the end of a study."""
    count = sum(map(len, spelled))
    begun, done = time.perf_counter(), itertools.count(1)

    def one(case: Case) -> dict[str, float]:
        figures = run_case(case)
        number = next(done)
        if on_case is not None:
            pace = (time.perf_counter() - begun) / number
            on_case(case.name, number, count, pace * (count - number))
        return figures

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        under_way = [{case.name: pool.submit(one, case) for case in cases} for cases in spelled]
        return [{name: it.result() for name, it in of.items()} for of in under_way]


def _compared(study: Study, cases: list[Case], figures: Figures, folder: Path) -> Validation:
    """Compare a study's figures with the published ones, and write its page and reports."""
    from sanlab.validate.page import write_page

    makers = (
        peak_rows,
        comparison_rows,
        number_rows,
        difference_rows,
        trend_rows,
        shape_rows,
        line_rate_rows,
    )
    rows = [row for make in makers for row in make(study, cases, figures)] + quirk_rows(study)
    rows = with_known_misses(study, rows)
    reports = {case.name: write_report(case, folder) for case in cases if case.has_report}
    return Validation(
        study=study,
        rows=rows,
        page=write_page(study, cases, rows, reports, folder),
        reports=reports,
        bulk=frozenset(case.name for case in cases if case.in_bulk),
        cases=tuple(cases),
        run_count=sum(max(1, len(case.runs)) for case in cases),
    )


def run_case(case: Case) -> dict[str, float]:
    """Simulate a case; its metrics by name."""
    figures: dict[str, float] = {}
    for run in case.runs or [Run(overrides=case.overrides, metrics=case.metrics)]:
        plan = compile_plan(load_scenario(case.scenario, run.overrides))
        tables = simulate(plan).tables
        if case.workload is not None:
            tables = of_workload(tables, case.workload)
        figures |= {metric: measure(metric, tables) for metric in run.metrics}
    return figures


def write_report(case: Case, folder: Path) -> Path:
    """Write a run folder with the report of one case, in place of an earlier one."""
    import shutil

    from sanlab.report.build import build
    from sanlab.results.run import run

    target = folder / case.name
    if target.exists():
        shutil.rmtree(target)
    return build(run(case.scenario, overrides=case.overrides, folder=target))
