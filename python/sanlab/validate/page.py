"""A study as one page: tables, and the plots of the evaluation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import altair as alt
import jinja2
import vl_convert
from markupsafe import Markup

from sanlab.report.figures import PALETTE
from sanlab.run.folder import write_file
from sanlab.validate.metrics import title_of

if TYPE_CHECKING:
    from sanlab.validate.rows import Row
    from sanlab.validate.study import Case, Plot, Study

_TEMPLATES = Path(__file__).parent / "templates"
_WIDTH, _HEIGHT = 400, 260
#: Values up to this are steps, above it a scale.
_FEW = 10
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]


def write_page(
    study: Study, cases: list[Case], rows: list[Row], reports: dict[str, Path], folder: Path
) -> Path:
    """Write `report.html` of a study into a folder; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True
    )
    drawings = [(plot, Markup(as_svg(chart(plot, cases, rows)))) for plot in study.plots]
    text = environment.get_template("study.html").render(
        study=study,
        compared=[row for row in rows if row.published is not None],
        predicted=[row for row in rows if row.published is None],
        drawings=drawings,
        reports={name: os.path.relpath(path, folder) for name, path in reports.items()},
        show=show,
        title_of=title_of,
    )
    path = folder / "report.html"
    write_file(path, text)
    return path


def show(value: float | str | None) -> str:
    """Show a figure with four digits; a dash for none."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.4g}"


def chart(plot: Plot, cases: list[Case], rows: list[Row]) -> alt.LayerChart:
    """Draw a metric against a parameter, with closed form and published figure where there are."""
    data = _points(plot, cases, rows)
    is_wide = max(point["x"] for point in data) > _FEW
    kind: Literal["quantitative", "ordinal"] = "quantitative" if is_wide else "ordinal"
    axis = alt.Axis(labelAngle=0)
    x = alt.X("x", type=kind, title=plot.x_title, axis=axis)
    y = alt.Y("y:Q", title=plot.y_title, scale=alt.Scale(zero=True))
    base = alt.Chart(alt.InlineData(values=data))
    if plot.series is None:
        simulated = base.mark_line(point=alt.OverlayMarkDef(size=45), color=PALETTE[0])
        layers = [simulated.encode(x=x, y=y)]
    else:
        order = list(dict.fromkeys(point["series"] for point in data))
        layers = [_by_series(base, x, y, plot.series, order)]
    if any(point["bound"] is not None for point in data):
        bound = base.mark_line(strokeDash=[5, 4], color=PALETTE[1], strokeWidth=1.5)
        layers.insert(0, bound.encode(x=x, y=alt.Y("bound:Q", title=plot.y_title)))
    if plot.published is not None:
        published = alt.Chart(alt.InlineData(values=[{"y": plot.published}]))
        layers.append(published.mark_rule(color="#555555", strokeDash=[2, 2]).encode(y="y:Q"))
    drawing: alt.LayerChart = alt.LayerChart(layer=layers)
    return drawing.properties(width=_WIDTH, height=_HEIGHT)


def _by_series(base: alt.Chart, x: alt.X, y: alt.Y, title: str, order: list[str]) -> alt.Chart:
    shown = len(order)
    colours = alt.Scale(domain=order, range=list(PALETTE[:shown]))
    dashes = alt.Scale(domain=order, range=_DASHES[:shown])
    legend = alt.Legend(orient="top", title=title)
    drawn: alt.Chart = base.mark_line(point=alt.OverlayMarkDef(size=45)).encode(
        x=x,
        y=y,
        color=alt.Color("series:N", sort=order, scale=colours, legend=legend),
        strokeDash=alt.StrokeDash("series:N", sort=order, scale=dashes, legend=legend),
    )
    return drawn


def _points(plot: Plot, cases: list[Case], rows: list[Row]) -> list[dict[str, Any]]:
    found = {row.case: row for row in rows if row.metric == plot.metric}
    return [
        {
            "x": case.parameters[plot.x],
            "y": found[case.name].simulated,
            "bound": found[case.name].bound,
            "series": None if plot.series is None else str(case.parameters[plot.series]),
        }
        for case in cases
        if case.group == plot.cases
    ]


def as_svg(drawing: alt.LayerChart) -> str:
    """Draw a chart as SVG text, without a browser."""
    axis = alt.AxisConfig(labelFontSize=12, titleFontSize=12, titlePadding=14)
    specification = drawing.configure(font="sans-serif", axis=axis).to_dict()
    svg: str = vl_convert.vegalite_to_svg(specification)
    return svg
