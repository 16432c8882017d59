"""The plots of a report, each a chart that also stands alone in a notebook.

Charts are Vega-Lite by way of Altair: they show the values under the pointer, take the width they
are given, and turn into SVG and PNG without a browser.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from sanlab.results.columns import STAGES
from sanlab.results.happenings import happenings
from sanlab.results.latency import (
    Histogram,
    frame_histogram,
    has_percentile,
    merged_histogram,
    percentile,
)
from sanlab.results.ports import waiting_for_credit
from sanlab.results.throughput import over_time
from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.results.run import Run

Rows = list[dict[str, Any]]
Drawn = alt.Chart | alt.LayerChart

#: Okabe and Ito's palette, told apart by colour-blind people too; yellow left out for its contrast.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8c8c8c")
#: Percentiles of the tail plot.
PERCENTS = (50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)
#: Series drawn in one plot; the rest is left to the tables.
SERIES_SHOWN = 7
#: Bars of stages in one plot.
FLOWS_STACKED = 14
#: Bins of a distribution for each factor of ten.
BINS_PER_DECADE = 40

_HEIGHT = 240
#: Colour of what went wrong, and how many marks one plot has at most.
_MARK = "#777777"
_MOST_MARKS = 60


def figures(run: Run) -> dict[str, alt.Chart | alt.LayerChart]:
    """All charts this run has data for, by name, in the order of the report."""
    makers: dict[str, Callable[[Run], alt.Chart | alt.LayerChart | None]] = {
        "response_percentiles": response_percentiles,
        "response_distribution": response_distribution,
        "throughput_over_time": throughput_over_time,
        "response_over_time": response_over_time,
        "errors_over_time": errors_over_time,
        "stages": stages,
        "credit_wait_over_time": credit_wait_over_time,
        "frame_latencies": frame_latencies,
    }
    made = {name: make(run) for name, make in makers.items()}
    return {name: chart for name, chart in made.items() if chart is not None}


def response_percentiles(run: Run) -> alt.Chart | None:
    """Response time against percentile, p50 to p99.99; the axis counts nines."""
    found = []
    for label, histogram in _by_flow(run):
        for percent in PERCENTS:
            value = percentile(histogram, percent)
            if value is None or not has_percentile(histogram.total, percent):
                continue
            found.append((label, percent, value))
    if not found:
        return None
    unit = _unit(max(value for _, _, value in found) / 3)
    rows = [
        {
            "flow": label,
            "percentile": f"p{percent:g}",
            "nines": _nines(percent),
            "time": value / unit.ps,
        }
        for label, percent, value in found
    ]
    ticks = {_nines(percent): f"p{percent:g}" for percent in (50.0, 90.0, 99.0, 99.9, 99.99)}
    spelled = " : ".join(
        f"abs(datum.value-{place})<0.01 ? '{name}'" for place, name in ticks.items()
    )
    return _finish(
        alt.Chart(_data(rows))
        .mark_line(point=alt.OverlayMarkDef(size=36))
        .encode(
            x=alt.X("nines:Q")
            .title("percentile of I/Os")
            .axis(values=list(ticks), labelExpr=f"{spelled} : ''"),
            y=alt.Y("time:Q").title(f"response time ({unit.name})").scale(type="log", nice=False),
            color=_colour("flow", "workload"),
            tooltip=["flow:N", "percentile:N", _number("time", unit.name)],
        )
    )


def response_distribution(run: Run) -> alt.Chart | None:
    """Share of the I/Os by response time, on a logarithmic axis."""
    return _distribution(_by_flow(run), "response time", "share of I/Os", "workload")


def frame_latencies(run: Run) -> alt.Chart | None:
    """Share of the frames by their latency, in the network and end to end."""
    if "frame_histogram" not in run.tables:
        return None
    found = [
        (latency.replace("_", " "), frame_histogram(run, latency))
        for latency in ("network", "end_to_end")
    ]
    return _distribution(found, "frame latency", "share of frames", "latency")


def throughput_over_time(run: Run) -> Drawn | None:
    """Throughput of each workload over simulated time."""
    rows: Rows = []
    for label in _workloads(run):
        series = over_time(run, label)
        rows += [
            {"flow": label, "at": float(time), "rate": float(rate) / 1e6, "iops": float(iops)}
            for time, rate, iops in zip(
                series.time_ps, series.bytes_per_s, series.iops, strict=True
            )
        ]
    return _time_line(run, rows, ("rate", "throughput (MB/s)"), [_number("iops", "I/Os per s")])


def response_over_time(run: Run) -> Drawn | None:
    """Mean response time of each workload over simulated time."""
    rows: Rows = []
    for label in _workloads(run):
        series = over_time(run, label)
        rows += [
            {"flow": label, "at": float(time), "mean": float(mean), "max": float(most)}
            for time, mean, most in zip(
                series.time_ps, series.response_mean_ps, series.response_max_ps, strict=True
            )
        ]
    known = [row for row in rows if not np.isnan(row["mean"])]
    unit = _unit(max((row["mean"] for row in known), default=0.0) / 3)
    for row in rows:
        # A bin without I/O has no mean: the line has a gap there.
        has_mean = not np.isnan(row["mean"])
        row["mean"] = row["mean"] / unit.ps if has_mean else None
        row["max"] = row["max"] / unit.ps if has_mean else None
    rows = rows if known else []
    longest = _number("max", f"longest ({unit.name})")
    return _time_line(run, rows, ("mean", f"mean response time ({unit.name})"), [longest])


def errors_over_time(run: Run) -> Drawn | None:
    """Failed I/Os of each workload in each bin; none where nothing failed."""
    rows: Rows = []
    failed = 0
    for label in _workloads(run):
        series = over_time(run, label)
        failed += int(series.error_count.sum())
        rows += [
            {"flow": label, "at": float(time), "errors": int(errors)}
            for time, errors in zip(series.time_ps, series.error_count, strict=True)
        ]
    return _time_line(run, rows, ("errors", "failed I/Os"), []) if failed else None


def stages(run: Run) -> alt.Chart | None:
    """Mean time of an I/O in each stage, one bar for each workload and operation."""
    order = {name: index for index, name in enumerate(STAGES)}
    rows = [
        {
            "flow": f"{row['workload']} {row['op']}",
            "stage": row["stage"],
            "what": STAGES.get(row["stage"], ""),
            "order": order.get(row["stage"], len(order)),
            "time": row["mean_ps"],
            "share": row["share"],
        }
        for row in run.rows("stages")
        if row["total_ps"] > 0
    ]
    if not rows:
        return None
    flows = [f"{row['workload']} {row['op']}" for row in run.rows("workloads")][:FLOWS_STACKED]
    rows = [row for row in rows if row["flow"] in flows]
    unit = _unit(max(row["response_mean_ps"] for row in run.rows("workloads")) / 3)
    for row in rows:
        row["time"] /= unit.ps
    shown = sorted({row["stage"] for row in rows}, key=lambda name: order.get(name, len(order)))
    chart = _finish(
        alt.Chart(_data(rows))
        .mark_bar(height=alt.RelativeBandSize(0.7), stroke="#ffffff", strokeWidth=0.5)
        .encode(
            y=alt.Y("flow:N").title(None).sort(flows).axis(labelLimit=190),
            x=alt.X("time:Q")
            .title(f"mean time of an I/O ({unit.name})")
            .axis(tickCount=10)
            .stack("zero"),
            order=alt.Order("order:Q"),
            color=alt.Color("stage:N")
            .title("stage")
            .sort(shown)
            .scale(domain=shown, range=[_STAGE_COLOURS[name] for name in shown]),
            tooltip=[
                "flow:N",
                "stage:N",
                "what:N",
                _number("time", unit.name),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
    )
    return chart.properties(height=max(70, 42 * len(flows)))


def credit_wait_over_time(run: Run) -> Drawn | None:
    """Share of each bin in which the ports that waited longest had no BB credit."""
    waiting = [row["port"] for row in waiting_for_credit(run)[:SERIES_SHOWN]]
    if not waiting or "port_series" not in run.tables:
        return None
    table = run.table("port_series")
    names = texts(table, "port")
    rows: Rows = []
    for port in waiting:
        keep = names == port
        times = numbers(table, "time_ps")[keep].astype(float)
        waits = numbers(table, "tx_credit_wait_ps")[keep].astype(float)
        shares = waits / np.maximum(1.0, np.diff(times, prepend=0.0))
        rows += [
            {"flow": port, "at": float(time), "share": float(share)}
            for time, share in zip(times, shares, strict=True)
        ]
    return _time_line(run, rows, ("share", "share of time without credit"), [], is_share=True)


_STAGE_COLOURS = dict(
    zip(
        STAGES,
        (
            "#999999", "#3f51b5", "#D55E00", "#bdbdbd", "#c7a76c", "#F0A860", "#a3b100", "#B2182B",
            "#0072B2", "#56B4E9", "#ff3d00", "#7a3b00", "#009E73", "#66C2A5", "#E69F00", "#8856a7",
            "#b39ddb", "#5e3c99", "#C51B7D", "#CC79A7", "#4d4d4d", "#6b8e9e",
        ),
        strict=True,
    )
)  # fmt: skip


def _by_flow(run: Run) -> list[tuple[str, Histogram]]:
    """Histograms of the workloads and operations that moved most bytes."""
    rows = run.rows("workloads")
    most = sorted(rows, key=lambda row: -row["bytes"])[:SERIES_SHOWN]
    flows = [(row["workload"], row["op"]) for row in rows if row in most]
    return [(f"{name} {op}", merged_histogram(run, name, op)) for name, op in flows]


def _workloads(run: Run) -> list[str]:
    """The workloads that moved most bytes, in the order of the scenario."""
    moved: dict[str, int] = {}
    for row in run.rows("workload_series"):
        moved[row["workload"]] = moved.get(row["workload"], 0) + row["bytes"]
    most = sorted(moved, key=lambda name: -moved[name])[:SERIES_SHOWN]
    return [name for name in moved if name in most]


@dataclass(frozen=True)
class _Unit:
    """A unit of time and how many picoseconds it has."""

    name: str
    ps: float


def _unit(longest_ps: float) -> _Unit:
    """Largest unit of time of which this is one or more."""
    units = (_Unit("s", 1e12), _Unit("ms", 1e9), _Unit("µs", 1e6))
    return next((unit for unit in units if longest_ps >= unit.ps), _Unit("ns", 1e3))


def _nines(percent: float) -> float:
    return round(float(-np.log10(1 - percent / 100)), 6)


def _density(label: str, histogram: Histogram) -> Rows:
    """Counts in equal steps of the logarithm, as shares of all; `at` is in picoseconds."""
    low = np.log10(np.maximum(1, histogram.low_ps.astype(float)))
    high = np.log10(np.maximum(1, histogram.high_ps.astype(float)))
    below = np.concatenate(([0.0], np.cumsum(histogram.count.astype(float))))
    # Counts below any time: flat between bins, even (in the logarithm) within one.
    at = np.stack((low, high), axis=1).ravel()
    upto = np.stack((below[:-1], below[1:]), axis=1).ravel()
    first = np.floor(low[0] * BINS_PER_DECADE) - 1
    edges = np.arange(first, np.ceil(high[-1] * BINS_PER_DECADE) + 2) / BINS_PER_DECADE
    shares = np.diff(np.interp(edges, at, upto)) / histogram.total
    return [
        {"flow": label, "at": float(10**edge), "share": float(share)}
        for edge, share in zip((edges[:-1] + edges[1:]) / 2, shares, strict=True)
    ]


def _distribution(
    found: list[tuple[str, Histogram]], x_title: str, y_title: str, legend: str
) -> alt.Chart | None:
    found = [(label, histogram) for label, histogram in found if histogram.total]
    if not found:
        return None
    unit = _unit(max(float(histogram.high_ps[-1]) for _, histogram in found) / 3)
    rows = [row for label, histogram in found for row in _density(label, histogram)]
    for row in rows:
        row["at"] /= unit.ps
    return _finish(
        alt.Chart(_data(rows))
        .mark_area(interpolate="step", fillOpacity=0.25, line={"strokeWidth": 1.5}, clip=True)
        .encode(
            x=alt.X("at:Q")
            .title(f"{x_title} ({unit.name})")
            .scale(type="log", nice=False)
            .axis(format=",~r"),
            y=alt.Y("share:Q").title(y_title).stack(None).axis(format="%"),
            color=_colour("flow", legend),
            tooltip=["flow:N", _number("at", unit.name), alt.Tooltip("share:Q", format=".2%")],
        )
    )


def _time_line(
    run: Run,
    rows: Rows,
    drawn: tuple[str, str],
    tips: list[alt.Tooltip],
    *,
    is_share: bool = False,
) -> Drawn | None:
    """Rows of `at` in picoseconds and a value over simulated time, with what went wrong.

    `drawn` is the column of the value and the title of its axis.
    """
    column, title = drawn
    if not rows:
        return None
    unit = _unit(max(row["at"] for row in rows))
    for row in rows:
        row["at"] /= unit.ps
    axis = alt.Axis(format="%") if is_share else alt.Axis()
    value = alt.Tooltip(f"{column}:Q", format=".1%" if is_share else ",.4~r", title=title)
    x = alt.X("at:Q").title(f"simulated time ({unit.name})")
    line = (
        alt.Chart(_data(rows))
        .mark_line(strokeWidth=1.8, point=alt.OverlayMarkDef(size=14) if len(rows) < 400 else False)
        .encode(
            x=x,
            y=alt.Y(f"{column}:Q").title(title).scale(zero=True).axis(axis),
            color=_colour("flow", None),
            tooltip=["flow:N", _number("at", unit.name), value, *tips],
        )
    )
    marks = _marks(run, unit)
    if not marks:
        return _finish(line)
    rules = (
        alt.Chart(_data(marks))
        .mark_rule(strokeDash=[3, 3], strokeWidth=1.2, color=_MARK, tooltip=True)
        .encode(x=x, tooltip=[_number("at", unit.name), alt.Tooltip("what:N")])
    )
    together: alt.LayerChart = alt.LayerChart(layer=[rules, line])
    return together.properties(width="container", height=_HEIGHT)


def _marks(run: Run, unit: _Unit) -> Rows:
    """What went wrong, once for each instant."""
    found: dict[int, list[str]] = {}
    for it in happenings(run):
        found.setdefault(it.at_ps, []).append(it.what)
    return [
        {"at": at / unit.ps, "what": "; ".join(what)}
        for at, what in list(found.items())[:_MOST_MARKS]
    ]


def _number(column: str, title: str) -> alt.Tooltip:
    return alt.Tooltip(f"{column}:Q", format=",.4~r", title=title)


def _colour(column: str, title: str | None) -> alt.Color:
    return alt.Color(f"{column}:N").title(title).sort(None).scale(range=list(PALETTE))


def _finish(chart: alt.Chart) -> alt.Chart:
    return chart.properties(width="container", height=_HEIGHT)


def _data(rows: Rows) -> alt.InlineData:
    """Rows as they are: no guesses at types, the same text for the same run."""
    return alt.InlineData(
        values=[{key: _rounded(value) for key, value in row.items()} for row in rows]
    )


def _rounded(value: Any) -> Any:  # noqa: ANN401  whatever a row holds
    return float(f"{value:.6g}") if isinstance(value, float) else value


def specification(chart: alt.Chart | alt.LayerChart) -> dict[str, Any]:
    """A chart as Vega-Lite for the page, which brings its own colours for light and dark."""
    spec: dict[str, Any] = json.loads(chart.to_json(validate=False))
    spec.pop("config", None)
    return spec
