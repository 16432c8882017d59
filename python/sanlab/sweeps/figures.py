"""The plots of a sweep: Vega-Lite by way of Altair, with error bars from the repeats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from sanlab.errors import SanlabError
from sanlab.report.figures import PALETTE
from sanlab.sweeps.knee import knee
from sanlab.sweeps.result import order_of

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


@dataclass(frozen=True)
class Metric:
    """How a column is shown: title, unit, and what its values are multiplied by."""

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


@dataclass(frozen=True)
class Axes:
    """Which parameter goes where; None for one that is not used."""

    x: str
    series: str | None = None
    facet: str | None = None

    def name(self, path: str) -> str:
        """A short name of a parameter, for axes and legends."""
        used = [path for path in (self.x, self.series, self.facet) if path is not None]
        return short_names(used)[path]


def choose_axes(sweep: Sweep) -> Axes:
    """Take the parameter with most numbers along x, the next as series, the next as facet."""
    values = {path: values_of(sweep, path) for path in sweep.parameters}
    moving = [path for path in sweep.parameters if len(values[path]) > 1] or sweep.parameters

    def rank(path: str) -> tuple[bool, int]:
        return (is_scale(values[path]) or order_of(values[path][0])[0] == 0, len(values[path]))

    x = max(moving, key=rank)
    others = [path for path in moving if path != x]
    return Axes(x, *others[:2])


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
    found: list[Any] = list(dict.fromkeys(row[path] for row in sweep.rows))
    return sorted(found, key=order_of)


def is_scale(values: list[Any]) -> bool:
    """Plain numbers make a scale; quantities and words make steps."""
    return all(not isinstance(value, str) for value in values)


def facets(sweep: Sweep, axes: Axes) -> Iterator[tuple[str, list[Row]]]:
    """Rows of a summary for each plot: by facet, the parameters without an axis at their first."""
    used = {axes.x, axes.series, axes.facet}
    summary = [row for row in sweep.summary() if row["iops"] is not None]
    for path in sweep.parameters:
        if path not in used and summary:
            first = min((row[path] for row in summary), key=order_of)
            summary = [row for row in summary if row[path] == first]
    if axes.facet is None:
        yield "", summary
        return
    for value in values_of(sweep, axes.facet):
        yield f"{axes.facet} = {value}", [row for row in summary if row[axes.facet] == value]


def held_values(sweep: Sweep, axes: Axes) -> dict[str, Any]:
    """Parameters that a plot holds at their first value."""
    used = {axes.x, axes.series, axes.facet}
    return {p: values_of(sweep, p)[0] for p in sweep.parameters if p not in used}


def along(rows: list[Row], axes: Axes, metrics: list[str]) -> alt.LayerChart | None:
    """Draw metrics against a parameter; the second one dashed."""
    data = [point for metric in metrics for point in _points(rows, axes, metric)]
    if not data:
        return None
    shown = METRICS[metrics[0]]
    title = shown.title if len(metrics) == 1 else "response time"
    kinds = list(dict.fromkeys(point["what"] for point in data))
    tips = _tips(axes, title, shown)
    y = alt.Y("y:Q").title(_with_unit(title, shown.unit)).scale(zero=True).axis(format=shown.format)
    x = _x(rows, axes)
    color = _colour(rows, axes)
    dash = alt.StrokeDash("what:N").sort(kinds).scale(range=[[1, 0], [5, 4]])
    dash = dash.legend(
        alt.Legend(title=None, symbolType="stroke", symbolStrokeColor="#8c8c8c", symbolSize=300)
        if len(kinds) > 1
        else None
    )
    base = alt.Chart(alt.InlineData(values=data))
    line = base.mark_line(strokeWidth=1.8, point=alt.OverlayMarkDef(size=34))
    layers: list[alt.Chart] = [line.encode(x=x, y=y, strokeDash=dash, tooltip=tips, **color)]
    if any("low" in point for point in data):
        bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.4)
        layers.append(bars.encode(x=x, y=alt.Y("low:Q"), y2="high:Q", **color))
    return _finish(layers)


def hockey_stick(rows: list[Row], axes: Axes) -> alt.LayerChart | None:
    """Mean response time against IOPS, in the order of the parameter, the knee marked."""
    data, knees = [], []
    for label, group in _by_series(rows, axes).items():
        points = [
            {
                "iops": row["iops"],
                "response": row["response_mean_ps"] / 1e6,
                "at": row[axes.x],
                "order": index,
                "series": label,
            }
            for index, row in enumerate(group)
        ]
        data += points
        found = knee([p["iops"] for p in points], [p["response"] for p in points])
        if found is not None:
            point = points[found]
            knees.append(point | {"words": f"{axes.name(axes.x)} {point['at']}"})
    if not data:
        return None
    x = alt.X("iops:Q").title("I/Os per second").scale(zero=True).axis(format="~s")
    y = alt.Y("response:Q").title("mean response time (µs)").scale(zero=True).axis(format=",~r")
    color = _colour(rows, axes)
    tips = [
        alt.Tooltip("at:N", title=axes.x),
        alt.Tooltip("iops:Q", format=",.4~r", title="I/Os per second"),
        alt.Tooltip("response:Q", format=",.4~r", title="mean response time (µs)"),
    ]
    base = alt.Chart(alt.InlineData(values=data))
    line = base.mark_line(strokeWidth=1.8, point=alt.OverlayMarkDef(size=34))
    layers = [line.encode(x=x, y=y, order="order:Q", tooltip=tips, **color)]
    if knees:
        mark = alt.Chart(alt.InlineData(values=knees))
        ring = mark.mark_point(size=190, strokeWidth=2, filled=False, color="#D55E00")
        layers.append(ring.encode(x=x, y=y))
        if len(knees) == 1:
            text = mark.mark_text(align="right", dx=-12, dy=-12, fontSize=12, color="#D55E00")
            layers.append(text.encode(x=x, y=y, text="words:N"))
    return _finish(layers)


def heat_map(rows: list[Row], axes: Axes, metric: str) -> alt.LayerChart | None:
    """Draw a metric over two parameters, darker for more, its value in each field."""
    if axes.series is None:
        return None
    shown = METRICS[metric]
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
    x = alt.X("x:O").sort(columns).title(axes.name(axes.x)).axis(labelAngle=0)
    y = alt.Y("y:O").sort(lines[::-1]).title(axes.name(axes.series))
    values = [point["z"] for point in data]
    is_log = min(values) > 0 and max(values) / min(values) >= LOG_FACTOR
    scale = alt.Scale(scheme="blues", type="log" if is_log else "linear", nice=False)
    legend = alt.Legend(title=_with_unit(shown.title, shown.unit), format=shown.format)
    base = alt.Chart(alt.InlineData(values=data))
    tips = [
        alt.Tooltip("x:N", title=axes.x),
        alt.Tooltip("y:N", title=axes.series),
        alt.Tooltip("z:Q", title=shown.title, format=",.4~r"),
    ]
    color = alt.Color("z:Q").scale(scale).legend(legend)
    layers = [base.mark_rect().encode(x=x, y=y, color=color, tooltip=tips)]
    if len(columns) <= 14 and len(lines) <= 14:
        middle = (min(values) * max(values)) ** 0.5 if is_log else (min(values) + max(values)) / 2
        text = base.mark_text(fontSize=11).encode(
            x=x,
            y=y,
            text=alt.Text("z:Q", format=".3~s"),
            color=alt.condition(f"datum.z > {middle}", alt.value("#ffffff"), alt.value("#1b2734")),
        )
        layers.append(text)
    return _finish(layers)


def standalone(charts: list[tuple[str, alt.LayerChart]]) -> alt.VConcatChart:
    """Put plots below each other at a fixed size, for a picture."""
    sized = [
        chart.properties(width=_WIDTH + 140, height=_HEIGHT, title=title)
        if title
        else chart.properties(width=_WIDTH + 140, height=_HEIGHT)
        for title, chart in charts
    ]
    joined = alt.vconcat(*sized).resolve_scale(y="shared", color="shared")
    configured: alt.VConcatChart = joined.configure(
        background="white",
        font="sans-serif",
        axis=alt.AxisConfig(labelFontSize=12, titleFontSize=12.5, gridColor="#e3e8ed"),
        legend=alt.LegendConfig(labelFontSize=12, titleFontSize=12, labelLimit=220, titleLimit=260),
        view=alt.ViewConfig(stroke=None),
        padding=12,
    )
    return configured


def _points(rows: list[Row], axes: Axes, metric: str) -> list[dict[str, Any]]:
    shown = METRICS[metric]
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
    found: dict[str, list[Row]] = {}
    kept = set(_shown_series(rows, axes))
    for row in sorted(rows, key=lambda row: order_of(row[axes.x])):
        label = "" if axes.series is None else str(row[axes.series])
        if axes.series is None or label in kept:
            found.setdefault(label, []).append(row)
    return found


def _shown_series(rows: list[Row], axes: Axes) -> list[str]:
    """Labels of the series that are drawn: all, or some spread evenly where there are too many."""
    if axes.series is None:
        return []
    labels = [str(value) for value in _sorted(rows, axes.series)]
    most = MOST_SERIES if order_of(rows[0][axes.series])[0] == 0 else SERIES_SHOWN
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
    return sorted(dict.fromkeys(row[path] for row in rows), key=order_of)


def _x(rows: list[Row], axes: Axes) -> alt.X:
    path, name = axes.x, axes.name(axes.x)
    values = _sorted(rows, path)
    if not is_scale(values):
        names = [str(value) for value in values]
        return alt.X("x:O").sort(names).title(name).axis(labelAngle=0)
    axis = alt.Axis(format="~r", labelOverlap=True)
    if len(values) <= 12:
        axis = alt.Axis(format="~r", values=values, labelOverlap=True)
    if values[0] > 0 and values[-1] / values[0] >= LOG_FACTOR:
        scale = alt.Scale(type="log", base=2, nice=False, padding=12)
        return alt.X("x:Q").title(f"{name} (logarithmic)").scale(scale).axis(axis)
    return alt.X("x:Q").title(name).scale(zero=False, nice=False, padding=12).axis(axis)


def _colour(rows: list[Row], axes: Axes) -> dict[str, Any]:
    if axes.series is None:
        return {"color": alt.value(PALETTE[0])}
    labels = _shown_series(rows, axes)
    scale = (
        alt.Scale(domain=labels, range=list(PALETTE[: len(labels)]))
        if len(labels) <= SERIES_SHOWN
        else alt.Scale(domain=labels, scheme="viridis")
    )
    legend = alt.Legend(title=axes.name(axes.series), columns=8)
    return {"color": alt.Color("series:N").sort(labels).scale(scale).legend(legend)}


def _tips(axes: Axes, title: str, shown: Metric) -> list[alt.Tooltip]:
    tips = [alt.Tooltip("x:N", title=axes.x)]
    if axes.series is not None:
        tips.append(alt.Tooltip("series:N", title=axes.series))
    form = ".1%" if shown.format == "%" else ",.4~r"
    return [*tips, alt.Tooltip("what:N"), alt.Tooltip("y:Q", format=form, title=title)]


def _finish(layers: list[alt.Chart]) -> alt.LayerChart:
    chart: alt.LayerChart = alt.LayerChart(layer=layers)
    return chart.properties(width="container", height=_HEIGHT)


def _with_unit(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit else title


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def without_facet(axes: Axes) -> Axes:
    """Use the axes of one plot of many."""
    return replace(axes, facet=None)
