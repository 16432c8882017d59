"""The plots of a study: simulated lines, closed forms, and published points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.report.figures import PALETTE
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
    from sanlab.validate.study import Case, Plot

_WIDTH, _HEIGHT = 420, 260
_PANEL = 400
#: Values up to this are steps, above it a scale.
_FEW = 10
#: Symbols of a legend: a piece of each line, with its dashes.
STROKES = {"symbolType": "stroke", "symbolSize": 500, "symbolStrokeWidth": 2.5}
#: Of lines, so that those on top of each other are seen.
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
#: Points of a closed form; its corners need more than the cases give.
_STEPS = 200
_SIMULATED, _CLOSED_FORM, _PUBLISHED = "simulated", "closed form", "published"


def draw(plot: Plot, cases: Sequence[Case], rows: list[Row]) -> Chart:
    """Draw a plot; with a facet, one panel beside the other on one scale."""
    if plot.facet is None:
        return _panel(plot, cases, rows)
    points = _points(plot, cases, rows)
    top = max(max(point["y"], point["published"] or 0.0) for point in points)
    places = list(dict.fromkeys(point["x"] for point in points))
    x = ordinal("x", title=plot.x_title, axis={"labelAngle": 0, "labelOverlap": True}, sort=places)
    y = quantitative("y", title=plot.y_title, scale={"domain": [0, top], "nice": True})
    order = list(dict.fromkeys(point["series"] for point in points))
    panels = []
    for name in dict.fromkeys(point["facet"] for point in points):
        values = [point for point in points if point["facet"] == name]
        lines = _by_series(values, x, y, plot, order)
        panels.append(layer(*lines).with_properties(width=_PANEL, height=_HEIGHT, title=name))
    return concatenate("beside", *panels)


def _panel(plot: Plot, cases: Sequence[Case], rows: list[Row]) -> Chart:
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
        layers = _by_series(points, x, y, plot, order)
        if plot.published is not None:
            layers += published_rule(plot.published, y)
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


def _bound_curve(plot: Plot, cases: Sequence[Case]) -> list[dict[str, Any]]:
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


def published_rule(published: float, y: Channel) -> list[Chart]:
    """Draw a published value that belongs to no single point; its label is beside the plot."""
    value = [{"y": published, "words": f"published {published:,g}"}]
    rule = mark("rule", strokeDash=[4, 3], strokeWidth=1.5, color=PALETTE[1])
    text = mark("text", align="left", dx=5, fontSize=12, fontWeight=600, color=PALETTE[1])
    return [
        chart(value, rule, y=y),
        chart(value, text, x=constant("width"), y=y, text=nominal("words")),
    ]


def _by_series(
    points: list[dict[str, Any]], x: Channel, y: Channel, plot: Plot, order: list[str]
) -> list[Chart]:
    """Lines or bars of what was simulated, with diamonds where a value is published."""
    # More lines than colours that differ: a ramp, for what is a number.
    colours = {"range": list(PALETTE[: len(order)])}
    ramp = {"scheme": "viridis"}
    is_named = plot.series == "cases" or not set(plot.labels.values()).isdisjoint(order)
    legend: dict[str, Any] = {"orient": "top", "title": None if is_named else plot.series}
    if not plot.bars:
        legend |= STROKES
    color = nominal(
        "series",
        sort=order,
        scale={"domain": order, **(colours if len(order) <= len(PALETTE) else ramp)},
        legend=legend,
    )
    place = {"x": x}
    if plot.bars:
        place["xOffset"] = nominal("series", sort=order)
        layers = [chart(points, mark("bar"), y=y, color=color, **place)]
    else:
        dashes = nominal(
            "series",
            sort=order,
            scale={"domain": order, "range": DASHES[: len(order)]},
            legend=legend,
        )
        line = mark("line", point={"size": 45})
        layers = [chart(points, line, y=y, color=color, strokeDash=dashes, **place)]
    published = [point | {"y": it} for point in points if (it := point["published"]) is not None]
    if published:
        diamond = mark("point", shape="diamond", size=140, filled=False, strokeWidth=2)
        if plot.bars:
            diamond |= {"color": "black"}
            layers.append(chart(published, diamond, y=y, **place))
        else:
            layers.append(chart(published, diamond, y=y, color=color, **place))
    return layers


def _points(plot: Plot, cases: Sequence[Case], rows: list[Row]) -> list[dict[str, Any]]:
    found = {row.case: row for row in rows if row.metric == plot.metric}

    def of(case: Case, name: str | None) -> str | None:
        if name is None:
            return None
        text = str(case.parameters.get(name, case.group))
        return plot.labels.get(text, text)

    points = []
    for group in plot.groups:
        for case in cases:
            if not case.fits(group, plot.where):
                continue
            at, series = case.parameters[plot.x], of(case, plot.series)
            other = plot.points.get(at, {}).get(str(case.parameters.get(plot.series or "")))
            known = found[other or case.name].published
            points.append(
                {
                    "x": _size(int(at)) if plot.x_bytes else at,
                    "y": found[case.name].simulated,
                    "series": series,
                    "facet": of(case, plot.facet),
                    "published": known if isinstance(known, float) else None,
                }
            )
    if plot.best_of is None:
        return points
    best: dict[tuple[object, ...], dict[str, Any]] = {}
    for point in points:
        key = point["x"], point["series"], point["facet"]
        if key not in best or point["y"] > best[key]["y"]:
            best[key] = point
    return list(best.values())


def _size(size: int) -> str:
    """Write a size on an axis.

    >>> _size(512), _size(65536), _size(2097152)
    ('512', '64K', '2M')
    """
    for unit, letter in ((2**20, "M"), (2**10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)


def as_svg(drawing: Chart) -> str:
    """Draw a chart as SVG text, without a browser."""
    config = {
        "font": "sans-serif",
        "axis": {"labelFontSize": 12, "titleFontSize": 12, "titlePadding": 14},
        "legend": {"labelFontSize": 12, "titleFontSize": 12, "labelLimit": 320},
        "view": {"stroke": None},
        "background": "transparent",
    }
    return drawing.with_properties(config=config).to_svg()
