"""A study as one page: tables, and the plots of the evaluation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from sanlab.report.page import STYLE
from sanlab.simulation.folder import write_file
from sanlab.validate.metrics import title_of, unit_of
from sanlab.validate.plots import as_svg, draw
from sanlab.words import show_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.validate.rows import Row
    from sanlab.validate.study import Case, Study

_TEMPLATES = Path(__file__).parent / "templates"
#: Figures from here on are shown without decimals.
_WHOLE = 1000


def write_page(
    study: Study, cases: list[Case], rows: list[Row], reports: dict[str, Path], folder: Path
) -> Path:
    """Write `report.html` of a study into a folder; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True
    )
    drawings = [(plot, Markup(as_svg(draw(plot, cases, rows)))) for plot in study.plots]
    names = {case.name for case in cases}
    text = environment.get_template("study.html").render(
        study=study,
        style=Markup(STYLE.read_text(encoding="utf-8")),
        cards=_cards(cases, rows),
        numbers=[row for row in rows if row.error_percent is not None],
        trends=[row for row in rows if row.is_trend],
        derived=[row for row in rows if row.published is None and row.case not in names],
        bounded=[row for row in rows if row.published is None and row.bound is not None],
        grids=_grids(cases, rows),
        drawings=drawings,
        reports={name: os.path.relpath(path, folder) for name, path in reports.items()},
        show=show,
        title_of=title_of,
    )
    path = folder / "report.html"
    write_file(path, text)
    return path


def _cards(cases: list[Case], rows: list[Row]) -> list[tuple[str, str, str]]:
    """Headline numbers: label, value, note."""
    numbers = [row for row in rows if row.error_percent is not None]
    trends = [row for row in rows if row.is_trend]
    bounded = [row for row in rows if row.published is None and row.bound is not None]
    cards = [("Comparisons", _kept([row for row in rows if row.ok is not None]), "hold")]
    if numbers:
        worst = max((row.error_percent or 0.0 for row in numbers), key=abs)
        cards.append(("Published numbers", _kept(numbers), f"largest error {worst:+.2f} %"))
    if trends:
        cards.append(("Published shapes", _kept(trends), "rise or fall as published"))
    if bounded:
        worst = max((row.off_bound_percent or 0.0 for row in bounded), key=abs)
        cards.append(("Closed forms", _kept(bounded), f"farthest off {worst:+.2f} %"))
    cards.append(("Simulations", str(len(cases)), "one for each case"))
    return cards


def _kept(rows: Sequence[Row]) -> str:
    return f"{sum(row.ok is True for row in rows)} of {len(rows)}"


def _grids(cases: list[Case], rows: list[Row]) -> list[dict[str, Any]]:
    """Figures nothing is known to compare with: a table for each group, a line for each case."""
    alone = {(row.case, row.metric): row for row in rows if row.ok is None}
    grids: dict[str, dict[str, Any]] = {}
    for case in cases:
        if case.in_bulk:
            continue
        cells = [alone.get((case.name, metric)) for metric in case.metrics]
        if any(cells):
            heads = [f"{title_of(metric)} ({unit_of(metric)})" for metric in case.metrics]
            grid = grids.setdefault(case.group, {"heads": heads, "lines": []})
            grid["lines"].append((case.name, [row and show(row.simulated) for row in cells]))
    return list(grids.values())


def show(value: float | str | None) -> str:
    """Show a figure with four digits at least; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value.replace("_", " ")
    return show_count(round(value)) if abs(value) >= _WHOLE else f"{value:.4g}"
