"""The plots of a sweep: Vega-Lite, with error bars from the repeats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from sanlab.errors import SanlabError
from sanlab.report.charts import Unit, time_unit
from sanlab.report.figures import PALETTE
from sanlab.sweeps.knee import knee
from sanlab.sweeps.result import are_sizes, order_of, ordered
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
    from collections.abc import Iterator

    from sanlab.sweeps.result import Row, Sweep

#: Series told apart by colour; more numbers get a scale of colours instead.
SERIES_SHOWN = 7
#: Most series in one plot.
MOST_SERIES = 24
#: From this factor between largest and smallest value on, an axis is logarithmic.
LOG_FACTOR = 16

_WIDTH, _HEIGHT = 420, 280
_LINE = mark("line", strokeWidth=1.8, point={"size": 34})
#: Colour of the mark at a knee.
_KNEE = "#D55E00"
#: The look of a plot that stands alone.
_CONFIG = {
    "background": "white",
    "font": "sans-serif",
    "axis": {"labelFontSize": 12, "titleFontSize": 12.5, "gridColor": "#e3e8ed"},
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "labelLimit": 220, "titleLimit": 260},
    "view": {"stroke": None},
    "padding": 12,
}


#: Unit of times that nothing else is known about.
MICROSECONDS: Final = Unit("µs", 1e6)


@dataclass(frozen=True)
class Metric:
    """How a column is shown: title, unit, and what its values are multiplied by.

    Times have another unit on axes that need one: see `shown_as`.
    """

    title: str
    unit: str
    factor: float = 1.0
    format: str = "~s"


METRICS: Final[dict[str, Metric]] = {
    "iops": Metric("I/Os per second", ""),
    "throughput_bytes_per_s": Metric("throughput", "MB/s", 1e-6, ",~r"),
    "response_mean_ps": Metric("mean response time", "µs", 1e-6, ",~r"),
    "response_p50_ps": Metric("median response time", "µs", 1e-6, ",~r"),
    "response_p95_ps": Metric("95 % response time", "µs", 1e-6, ",~r"),
    "response_p99_ps": Metric("99 % response time", "µs", 1e-6, ",~r"),
    "limiting_utilisation": Metric("utilisation of the busiest element", "", 1.0, "%"),
}


#: Words for the other columns of a summary, and for what a failed point has.
COLUMNS: Final[dict[str, str]] = {
    "repeats": "repeats",
    "failed": "failed",
    "is_impossible": "not allowed by the scenario",
    "limiting_element": "busiest element",
    "limiting_kind": "kind of element",
    "warm_up_rule": "rule of the warm-up",
    "is_settled": "settled",
    "reason": "reason",
}


def headings(sweep: Sweep) -> dict[str, str]:
    """Return the words for each column of a summary: parameters by their short names."""
    return (
        short_names(sweep.parameters)
        | {name: metric.title for name, metric in METRICS.items()}
        | COLUMNS
    )


#: Parameters wanted along x, as series and as facet; None for one that the sweep may choose.
Wishes = tuple[str | None, str | None, str | None]


@dataclass(frozen=True)
class Axes:
    """Which parameter goes where; None for one that is not used."""

    x: str
    series: str | None = None
    facet: str | None = None
    time: Unit = MICROSECONDS
    """Unit of all response times, the same for all facets."""

    def name(self, path: str) -> str:
        """A short name of a parameter, for axes and legends."""
        used = [path for path in (self.x, self.series, self.facet) if path is not None]
        return short_names(used)[path]


def choose_axes(sweep: Sweep, wanted: Wishes = (None, None, None)) -> Axes:
    """Take the parameter with most numbers along x, the next as series, the next as facet.

    Axes that are wanted stay as they are; parameters that vary fill the others.
    """
    values = {path: values_of(sweep, path) for path in sweep.parameters}
    moving = [path for path in sweep.parameters if len(values[path]) > 1] or sweep.parameters

    def rank(path: str) -> tuple[bool, int]:
        return (is_scale(values[path]) or are_sizes(values[path]), len(values[path]))

    free = [path for path in moving if path not in wanted]
    x, series, facet = wanted
    if x is None:
        x = max(free or moving, key=rank)
    others = [path for path in free if path != x]
    if series is None and others:
        series = others.pop(0)
    if facet is None and others:
        facet = others.pop(0)
    return Axes(x, series, facet, _unit_of_times(sweep))


def _unit_of_times(sweep: Sweep) -> Unit:
    """Unit for the response times of a sweep, from the longest that is drawn."""
    columns = [name for name in METRICS if name.endswith("_ps")]
    phases = (None, *sweep.phases)
    rows = [row for phase in phases for row in sweep.summary(phase=phase)]
    longest = max((row[name] or 0.0 for row in rows for name in columns), default=0.0)
    return time_unit(longest / 3) if longest else MICROSECONDS


def shown_as(metric: str, axes: Axes) -> Metric:
    """Return how a column is shown on these axes: times in their unit."""
    shown = METRICS[metric]
    if not metric.endswith("_ps"):
        return shown
    return replace(shown, unit=axes.time.name, factor=1 / axes.time.ps)


def parameter_of(sweep: Sweep, name: str) -> str:
    """Return the parameter with a name: its path, or the end of it that no other one has."""
    found = [path for path in sweep.parameters if f".{path}".endswith(f".{name}")]
    return found[0] if len(found) == 1 and name not in sweep.parameters else name


def check_axes(sweep: Sweep, axes: Axes, metric: str) -> None:
    """Refuse what the sweep does not have."""
    for option, path in (("--x", axes.x), ("--series", axes.series), ("--facet", axes.facet)):
        if path is not None and path not in sweep.parameters:
            known = ", ".join(sweep.parameters)
            reason = f"{option} {path}: the sweep does not vary it. It varies {known}"
            raise SanlabError(reason)
    if metric not in METRICS:
        reason = f"--y {metric}: there is no such metric. Metrics are {', '.join(METRICS)}"
        raise SanlabError(reason)
    used = [path for path in (axes.x, axes.series, axes.facet) if path is not None]
    if len(set(used)) < len(used):
        reason = "A parameter is used twice. Give --x, --series and --facet different ones"
        raise SanlabError(reason)


def values_of(sweep: Sweep, path: str) -> list[Any]:
    """Values of a parameter, by magnitude."""
    return ordered(row[path] for row in sweep.rows)


def is_scale(values: list[Any]) -> bool:
    """Plain numbers make a scale; quantities and words make steps."""
    return all(not isinstance(value, str) for value in values)


def facets(sweep: Sweep, axes: Axes, phase: str | None = None) -> Iterator[tuple[str, list[Row]]]:
    """Rows of a summary for each plot: by facet, the parameters without an axis at their first."""
    summary, _ = _with_held(sweep, axes, phase)
    if axes.facet is None:
        yield "", summary
        return
    for value in values_of(sweep, axes.facet):
        yield f"{axes.facet} = {value}", [row for row in summary if row[axes.facet] == value]


def held_values(sweep: Sweep, axes: Axes, phase: str | None = None) -> dict[str, Any]:
    """Parameters that a plot holds at their first value."""
    return _with_held(sweep, axes, phase)[1]


def _with_held(sweep: Sweep, axes: Axes, phase: str | None) -> tuple[list[Row], dict[str, Any]]:
    """Rows that have the first values of the parameters without an axis, and those values."""
    used = {axes.x, axes.series, axes.facet}
    summary = [row for row in sweep.summary(phase=phase) if row["iops"] is not None]
    held = {}
    for path in sweep.parameters:
        if path not in used and summary:
            held[path] = ordered(row[path] for row in summary)[0]
            summary = [row for row in summary if row[path] == held[path]]
    return summary, held


def along(rows: list[Row], axes: Axes, metrics: list[str]) -> Chart | None:
    """Draw metrics against a parameter; the second one dashed."""
    data = [point for metric in metrics for point in _points(rows, axes, metric)]
    if not data:
        return None
    shown = shown_as(metrics[0], axes)
    title = shown.title if len(metrics) == 1 else "response time"
    kinds = list(dict.fromkeys(point["what"] for point in data))
    tips = _tips(axes, title, shown)
    y = quantitative(
        "y",
        title=_with_unit(title, shown.unit),
        scale={"zero": True},
        axis={"format": shown.format},
    )
    x = _x(rows, axes)
    color = _colour(rows, axes)
    stroke: Channel = {"title": None, "symbolType": "stroke", "symbolStrokeColor": "#8c8c8c"}
    stroke |= {"symbolStrokeWidth": 2, "labelLimit": 220}
    dash = nominal(
        "what",
        sort=kinds,
        scale={"range": [[1, 0], [5, 4]]},
        legend=stroke | {"symbolSize": 300} if len(kinds) > 1 else None,
    )
    # Points of their own: as a part of the line they make the strokes of the legend transparent.
    layers = [
        chart(None, mark("line", strokeWidth=1.8), x=x, y=y, strokeDash=dash, color=color),
        chart(
            None,
            mark("point", filled=True, size=34, opacity=1),
            x=x,
            y=y,
            tooltip=tips,
            color=color,
        ),
    ]
    if any("low" in point for point in data):
        rule = mark("rule", strokeWidth=1.4)
        bars = chart(None, rule, x=x, y=quantitative("low"), y2={"field": "high"}, color=color)
        layers.append(bars.with_properties(transform=[{"filter": "isValid(datum.low)"}]))
    return _sized(layer(*layers, rows=data))


def hockey_stick(rows: list[Row], axes: Axes) -> Chart | None:
    """Mean response time against IOPS, in the order of the parameter, the knee marked."""
    data, knees = [], []
    for label, group in _by_series(rows, axes).items():
        points = [
            {
                "iops": row["iops"],
                "response": row["response_mean_ps"] / axes.time.ps,
                "at": row[axes.x],
                "order": index,
                "series": label,
            }
            for index, row in enumerate(group)
        ]
        data += points
        bend = knee([p["iops"] for p in points], [p["response"] for p in points])
        if bend is not None:
            point = points[bend]
            knees.append(point | {"words": f"{axes.name(axes.x)} {point['at']}"})
    if not data:
        return None
    load, response = "I/Os per second", f"mean response time ({axes.time.name})"
    x = quantitative("iops", title=load, scale={"zero": True}, axis={"format": "~s"})
    y = quantitative("response", title=response, scale={"zero": True}, axis={"format": ",~r"})
    tips = [
        nominal("at", title=axes.x),
        quantitative("iops", format=",.4~r", title=load),
        quantitative("response", format=",.4~r", title=response),
    ]
    order, color = quantitative("order"), _colour(rows, axes)
    layers = [chart(data, _LINE, x=x, y=y, order=order, tooltip=tips, color=color)]
    if knees:
        ring = mark("point", size=190, strokeWidth=2, filled=False, color=_KNEE)
        layers.append(chart(knees, ring, x=x, y=y))
        if len(knees) == 1:
            text = mark("text", align="right", dx=-12, dy=-12, fontSize=12, color=_KNEE)
            layers.append(chart(knees, text, x=x, y=y, text=nominal("words")))
    return _sized(layer(*layers))


def heat_map(rows: list[Row], axes: Axes, metric: str) -> Chart | None:
    """Draw a metric over two parameters, darker for more, its value in each field."""
    if axes.series is None:
        return None
    shown = shown_as(metric, axes)
    data = [
        {"x": str(row[axes.x]), "y": str(row[axes.series]), "z": row[metric] * shown.factor}
        for row in rows
        if row[metric] is not None
    ]
    if not data:
        return None
    columns = [str(value) for value in _sorted(rows, axes.x)]
    lines = [str(value) for value in _sorted(rows, axes.series)]
    if len(columns) < 2 or len(lines) < 2:
        return None
    x = ordinal("x", sort=columns, title=axes.name(axes.x), axis={"labelAngle": 0})
    y = ordinal("y", sort=lines[::-1], title=axes.name(axes.series))
    values = [point["z"] for point in data]
    is_log = min(values) > 0 and max(values) / min(values) >= LOG_FACTOR
    tips = [
        nominal("x", title=axes.x),
        nominal("y", title=axes.series),
        quantitative("z", title=shown.title, format=",.4~r"),
    ]
    color = quantitative(
        "z",
        scale={"scheme": "blues", "type": "log" if is_log else "linear", "nice": False},
        legend={
            "title": _with_unit(shown.title, shown.unit),
            "format": shown.format,
            "gradientLength": 240,  # so that long labels stay apart
            "tickCount": 5,
        },
    )
    layers = [chart(None, mark("rect"), x=x, y=y, color=color, tooltip=tips)]
    if len(columns) <= 14 and len(lines) <= 14:
        middle = (min(values) * max(values)) ** 0.5 if is_log else (min(values) + max(values)) / 2
        on_dark = {"test": f"datum.z > {middle}", "value": "white"}
        ink: Channel = {"condition": on_dark, "value": "#1b2734"}
        text = quantitative("z", format=".3~s" if shown.format == "~s" else ",.3~r")
        layers.append(chart(None, mark("text", fontSize=11), x=x, y=y, text=text, color=ink))
    return _sized(layer(*layers, rows=data))


def standalone(plots: list[tuple[str, Chart]]) -> Chart:
    """Put plots below each other at a fixed size, for a picture."""
    sized = [
        plot.with_properties(
            width=_WIDTH + 140, height=_HEIGHT, **({"title": title} if title else {})
        )
        for title, plot in plots
    ]
    return concatenate("below", *sized).with_properties(
        resolve={"scale": {"y": "shared", "color": "shared"}}, config=_CONFIG
    )


def _points(rows: list[Row], axes: Axes, metric: str) -> list[dict[str, Any]]:
    shown = shown_as(metric, axes)
    data = []
    for label, group in _by_series(rows, axes).items():
        for row in group:
            if row[metric] is None:
                continue
            value, half = row[metric] * shown.factor, row[f"{metric}_half_width"]
            point = {"x": row[axes.x], "y": _rounded(value), "what": shown.title, "series": label}
            if half:
                low, high = value - half * shown.factor, value + half * shown.factor
                point |= {"low": _rounded(max(0.0, low)), "high": _rounded(high)}
            data.append(point)
    return data


def _by_series(rows: list[Row], axes: Axes) -> dict[str, list[Row]]:
    """Rows of each series by its label, in the order of x."""
    groups: dict[str, list[Row]] = {}
    kept = set(_shown_series(rows, axes))
    places = order_of(row[axes.x] for row in rows)
    for row in sorted(rows, key=lambda row: places[row[axes.x]]):
        label = "" if axes.series is None else str(row[axes.series])
        if axes.series is None or label in kept:
            groups.setdefault(label, []).append(row)
    return groups


def _shown_series(rows: list[Row], axes: Axes) -> list[str]:
    """Labels of the series that are drawn: all, or some spread evenly where there are too many."""
    if axes.series is None:
        return []
    values = _sorted(rows, axes.series)
    labels = [str(value) for value in values]
    most = MOST_SERIES if are_sizes(values) else SERIES_SHOWN
    if len(labels) <= most:
        return labels
    step = (len(labels) - 1) / (SERIES_SHOWN - 1)
    return [labels[round(index * step)] for index in range(SERIES_SHOWN)]


def short_names(paths: list[str]) -> dict[str, str]:
    """The last words of each path, as many as it takes to tell them apart.

    >>> short_names(["workloads.a.bs", "workloads.b.bs", "seed"])
    {'workloads.a.bs': 'a.bs', 'workloads.b.bs': 'b.bs', 'seed': 'seed'}
    """
    names = {}
    for path in paths:
        words = path.split(".")
        ends = (".".join(words[-count:]) for count in range(1, len(words) + 1))
        others = [other for other in paths if other != path]
        names[path] = next(
            (end for end in ends if not any(f".{o}".endswith(f".{end}") for o in others)), path
        )
    return names


def _sorted(rows: list[Row], path: str) -> list[Any]:
    return ordered(row[path] for row in rows)


def _x(rows: list[Row], axes: Axes) -> Channel:
    path, name = axes.x, axes.name(axes.x)
    values = _sorted(rows, path)
    if not is_scale(values):
        names = [str(value) for value in values]
        return ordinal("x", sort=names, title=name, axis={"labelAngle": 0})
    # Without digits the axis takes those of even steps, which these values need not have.
    axis = {"format": ".6~r", "labelOverlap": True}
    if len(values) <= 12:
        axis["values"] = values
    if values[0] > 0 and values[-1] / values[0] >= LOG_FACTOR:
        scale = {"type": "log", "base": 2, "nice": False, "padding": 12}
        return quantitative("x", title=f"{name} (logarithmic)", scale=scale, axis=axis)
    scale = {"zero": False, "nice": False, "padding": 12}
    return quantitative("x", title=name, scale=scale, axis=axis)


def _colour(rows: list[Row], axes: Axes) -> Channel:
    if axes.series is None:
        return constant(PALETTE[0])
    labels = _shown_series(rows, axes)
    colours: dict[str, Any] = {"scheme": "viridis"}
    if len(labels) <= SERIES_SHOWN:
        colours = {"range": list(PALETTE[: len(labels)])}
    legend = {"title": axes.name(axes.series), "columns": 8}
    return nominal("series", sort=labels, scale={"domain": labels, **colours}, legend=legend)


def _tips(axes: Axes, title: str, shown: Metric) -> list[Channel]:
    tips = [nominal("x", title=axes.x)]
    if axes.series is not None:
        tips.append(nominal("series", title=axes.series))
    form = ".1%" if shown.format == "%" else ",.4~r"
    return [*tips, nominal("what"), quantitative("y", format=form, title=title)]


def _sized(plot: Chart) -> Chart:
    return plot.with_properties(width="container", height=_HEIGHT)


def _with_unit(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit else title


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
