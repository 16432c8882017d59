"""A study as one page: tables, and the plots of the evaluation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from sanlab.report.figures import PALETTE
from sanlab.report.page import STYLE
from sanlab.simulation.folder import write_file
from sanlab.validate.metrics import title_of, unit_of
from sanlab.validate.rows import bound_of
from sanlab.vega_lite import (
    Channel,
    Chart,
    chart,
    concatenate,
    constant,
    layer,
    mark,
    nominal,
    ordinal,
    quantitative,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.validate.rows import Row
    from sanlab.validate.study import Case, Plot, Study

_TEMPLATES = Path(__file__).parent / "templates"
_WIDTH, _HEIGHT = 420, 260
_PANEL = 400
#: Figures from here on are shown without decimals.
_WHOLE = 1000
#: Values up to this are steps, above it a scale.
_FEW = 10
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
#: Points of a closed form; its corners need more than the cases give.
_STEPS = 200
_SIMULATED, _CLOSED_FORM, _PUBLISHED = "simulated", "closed form", "published"


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
    return f"{value:,.0f}" if abs(value) >= _WHOLE else f"{value:.4g}"


def draw(plot: Plot, cases: list[Case], rows: list[Row]) -> Chart:
    """Draw a plot; with a facet, one panel beside the other on one scale."""
    if plot.facet is None:
        return _panel(plot, cases, rows)
    points = _points(plot, cases, rows)
    top = max(point["y"] for point in points)
    x = ordinal("x", title=plot.x_title, axis={"labelAngle": 0})
    y = quantitative("y", title=plot.y_title, scale={"domain": [0, top], "nice": True})
    order = list(dict.fromkeys(point["series"] for point in points))
    panels = []
    for name in dict.fromkeys(point["facet"] for point in points):
        values = [point for point in points if point["facet"] == name]
        lines = _by_series(values, x, y, plot.series or "", order)
        panels.append(lines.with_properties(width=_PANEL, height=_HEIGHT, title=name))
    return concatenate("beside", *panels)


def _panel(plot: Plot, cases: list[Case], rows: list[Row]) -> Chart:
    """Draw a metric against a parameter, with closed form and published figure where there are."""
    points = _points(plot, cases, rows)
    places = list(dict.fromkeys(point["x"] for point in points))
    are_words = any(isinstance(place, str) for place in places)
    if are_words:
        places = [str(place) for place in places]
        points = [point | {"x": str(point["x"])} for point in points]
    is_wide = not are_words and max(places) > _FEW and not plot.log_x
    axis = {"labelAngle": 0, "labelOverlap": True}
    x = (quantitative if is_wide else ordinal)("x", title=plot.x_title, axis=axis)
    if are_words:
        x["sort"] = places
    y = quantitative("y", title=plot.y_title, scale={"zero": True})
    if plot.series is not None:
        order = list(dict.fromkeys(point["series"] for point in points))
        layers = [_by_series(points, x, y, plot.series, order)]
    else:
        layers = _against_known(plot, x, y, points, _bound_curve(plot, cases))
    return layer(*layers).with_properties(width=_WIDTH, height=_HEIGHT)


def _against_known(
    plot: Plot, x: Channel, y: Channel, points: list[dict[str, Any]], curve: list[dict[str, Any]]
) -> list[Chart]:
    """Simulated points on the closed form, under the published value."""
    kinds = [_SIMULATED]
    kinds += [_CLOSED_FORM] if curve else []
    kinds += [_PUBLISHED] if plot.published is not None else []
    colour_of = {_SIMULATED: PALETTE[0], _CLOSED_FORM: PALETTE[4], _PUBLISHED: PALETTE[1]}
    scale = {"domain": kinds, "range": [colour_of[kind] for kind in kinds]}
    legend = {"orient": "top", "title": None, "symbolType": "circle", "symbolOpacity": 1}
    color = nominal("kind", scale=scale, legend=legend)

    def labelled(kind: str, values: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [value | {"kind": kind} for value in values]

    layers = []
    if curve:
        line = mark("line", strokeWidth=2.5)
        layers.append(chart(labelled(_CLOSED_FORM, curve), line, x=x, y=y, color=color))
    dot = mark("point", filled=True, size=55, opacity=1)
    layers.append(chart(labelled(_SIMULATED, points), dot, x=x, y=y, color=color))
    if plot.published is not None:
        words = f"published {plot.published:g}"
        value = labelled(_PUBLISHED, [{"y": plot.published, "words": words}])
        rule = mark("rule", strokeDash=[4, 3], strokeWidth=1.5)
        layers.append(chart(value, rule, y=y, color=color))
        text = mark("text", align="left", dx=4, dy=13, fontSize=12, fontWeight=600)
        layers.append(chart(value, text, x=constant(0), y=y, text=nominal("words"), color=color))
    return layers


def _bound_curve(plot: Plot, cases: list[Case]) -> list[dict[str, Any]]:
    """The closed form between the smallest and the largest value of the parameter."""
    known = [case for case in cases if case.group in plot.groups and case.bound is not None]
    if not known:
        return []
    bounds = [case.bound for case in known if case.bound is not None]
    along = [float(case.parameters[plot.x]) for case in known]
    moves = "credit" if len({bound.credit for bound in bounds}) > 1 else "distance_km"
    low, high = min(along), max(along)
    curve = []
    for step in range(_STEPS + 1):
        at = low + (high - low) * step / _STEPS
        value = round(at) if moves == "credit" else at
        curve.append({"x": value, "y": bound_of(bounds[0].model_copy(update={moves: value}))})
    return curve


def _by_series(
    points: list[dict[str, Any]], x: Channel, y: Channel, title: str, order: list[str]
) -> Chart:
    # More lines than colours that differ: a ramp, for what is a number.
    colours = {"range": list(PALETTE[: len(order)])}
    ramp = {"scheme": "viridis"}
    legend = {"orient": "top", "title": title}
    return chart(
        points,
        mark("line", point={"size": 45}),
        x=x,
        y=y,
        color=nominal(
            "series",
            sort=order,
            scale={"domain": order, **(colours if len(order) <= len(PALETTE) else ramp)},
            legend=legend,
        ),
        strokeDash=nominal(
            "series",
            sort=order,
            scale={"domain": order, "range": _DASHES[: len(order)]},
            legend=legend,
        ),
    )


def _points(plot: Plot, cases: list[Case], rows: list[Row]) -> list[dict[str, Any]]:
    found = {row.case: row for row in rows if row.metric == plot.metric}

    def of(case: Case, name: str | None) -> str | None:
        if name is None:
            return None
        return case.group if name == "cases" else str(case.parameters[name])

    points = [
        {
            "x": case.parameters[plot.x],
            "y": found[case.name].simulated,
            "series": of(case, plot.series),
            "facet": of(case, plot.facet),
        }
        for group in plot.groups
        for case in cases
        if case.fits(group, plot.where)
    ]
    if plot.best_of is None:
        return points
    best: dict[tuple[object, ...], dict[str, Any]] = {}
    for point in points:
        key = point["x"], point["series"], point["facet"]
        if key not in best or point["y"] > best[key]["y"]:
            best[key] = point
    return list(best.values())


def as_svg(drawing: Chart) -> str:
    """Draw a chart as SVG text, without a browser."""
    config = {
        "font": "sans-serif",
        "axis": {"labelFontSize": 12, "titleFontSize": 12, "titlePadding": 14},
        "legend": {"labelFontSize": 12, "titleFontSize": 12},
        "view": {"stroke": None},
        "background": "transparent",
    }
    return drawing.with_properties(config=config).to_svg()
