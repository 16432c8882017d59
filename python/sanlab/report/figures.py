"""The plots of a report, each a chart that also stands alone in a notebook.

Charts are Vega-Lite: they show the values under the pointer, take the width they are given, and
turn into SVG and PNG without a browser.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sanlab.explain.stalls import stalls
from sanlab.report.charts import Rows, Unit, number, rounded_rows, sized, time_unit
from sanlab.report.stage_figures import slowest_ios, stage_shares, stages, stages_over_time
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
from sanlab.vega_lite import Channel, Chart, chart, layer, mark, nominal, quantitative

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from sanlab.results.run import Run

#: Okabe and Ito's palette for colour-blind readers, without yellow, which has too little contrast.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8c8c8c")
#: Percentiles of the tail plot.
PERCENTS = (50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)
#: Series drawn in one plot; the tables have all.
SERIES_SHOWN = 7
#: Ratio of values from which a time line has a logarithmic axis.
LOGARITHMIC = 20
#: Bins of a distribution for each factor of ten.
BINS_PER_DECADE = 40

#: Colour of the marks of faults, and the most marks of one plot.
_MARK = "#777777"
#: Colour of times without I/O.
_STALL = "#D55E00"
_MOST_MARKS = 60


def figures(run: Run) -> dict[str, Chart]:
    """All charts this run has data for, by name, in the order of the report."""
    makers: dict[str, Callable[[Run], Chart | None]] = {
        "response_percentiles": response_percentiles,
        "response_distribution": response_distribution,
        "throughput_over_time": throughput_over_time,
        "response_over_time": response_over_time,
        "errors_over_time": errors_over_time,
        "streams_over_time": streams_over_time,
        "stages": stages,
        "stage_shares": stage_shares,
        "slowest_ios": slowest_ios,
        "credit_wait_over_time": credit_wait_over_time,
        "frame_latencies": frame_latencies,
    }
    charts = {name: make(run) for name, make in makers.items()}
    known = {name: figure for name, figure in charts.items() if figure is not None}
    return known | stages_over_time(run)


def response_percentiles(run: Run) -> Chart | None:
    """Response time against percentile, p50 to p99.99; the axis counts nines."""
    points = []
    for label, histogram in _by_flow(run):
        for percent in PERCENTS:
            value = percentile(histogram, percent)
            if value is None or not has_percentile(histogram.total, percent):
                continue
            points.append((label, percent, value))
    if not points:
        return None
    unit = time_unit(max(value for _, _, value in points) / 3)
    rows = [
        {
            "flow": label,
            "percentile": f"p{percent:g}",
            "nines": _nines(percent),
            "time": value / unit.ps,
        }
        for label, percent, value in points
    ]
    ticks = {_nines(percent): f"p{percent:g}" for percent in (50.0, 90.0, 99.0, 99.9, 99.99)}
    spelled = " : ".join(
        f"abs(datum.value-{place})<0.01 ? '{name}'" for place, name in ticks.items()
    )
    return sized(
        chart(
            rounded_rows(rows),
            mark("line", point={"size": 36}),
            x=quantitative(
                "nines",
                title="percentile of I/Os",
                scale={"domain": [_nines(PERCENTS[0]), _nines(PERCENTS[-1])]},
                axis={"values": list(ticks), "labelExpr": f"{spelled} : ''"},
            ),
            y=quantitative(
                "time",
                title=f"response time ({unit.name})",
                scale={
                    "type": "log",
                    "domain": _decades([value / unit.ps for *_, value in points]),
                },
            ),
            color=_colour("flow", "workload"),
            tooltip=[nominal("flow"), nominal("percentile"), number("time", unit.name)],
        )
    )


def response_distribution(run: Run) -> Chart | None:
    """Share of the I/Os by response time, on a logarithmic axis."""
    return _distribution(_by_flow(run), "response time", "share of I/Os", "workload")


def frame_latencies(run: Run) -> Chart | None:
    """Share of the frames by their latency, in the network and end to end."""
    if "frame_histogram" not in run.tables:
        return None
    histograms = [
        (latency.replace("_", " "), frame_histogram(run, latency))
        for latency in ("network", "end_to_end")
    ]
    return _distribution(histograms, "frame latency", "share of frames", "latency")


def throughput_over_time(run: Run) -> Chart | None:
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
    return _time_line(
        run, rows, _Drawn("rate", "throughput (MB/s)"), [number("iops", "I/Os per s")]
    )


def response_over_time(run: Run) -> Chart | None:
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
    unit = time_unit(max((row["mean"] for row in known), default=0.0) / 3)
    for row in rows:
        # A bin without I/O has no mean: the line has a gap there.
        has_mean = not np.isnan(row["mean"])
        row["mean"] = row["mean"] / unit.ps if has_mean else None
        row["max"] = row["max"] / unit.ps if has_mean else None
    rows = rows if known else []
    longest = number("max", f"longest ({unit.name})")
    drawn = _Drawn("mean", f"response time ({unit.name})", above="max")
    return _time_line(run, rows, drawn, [longest])


def streams_over_time(run: Run) -> Chart | None:
    """Payload that each port with streams of plain frames sends, over simulated time."""
    if not run.plan["traffic"] or "port_series" not in run.tables:
        return None
    streams: dict[str, list[str]] = {}
    for stream in run.plan["traffic"]:
        port = run.plan["n_ports"][stream["source_n_port"]]["name"]
        streams.setdefault(port, []).append(stream["name"])
    table = run.table("port_series")
    ports, ends = texts(table, "port"), numbers(table, "time_ps").astype(np.float64)
    sent = numbers(table, "tx_payload_bytes").astype(np.float64)
    most = sorted(streams, key=lambda port: -float(sent[ports == port].sum()))[:SERIES_SHOWN]
    rows: Rows = []
    for port in most:
        at = ends[ports == port]
        rates = sent[ports == port] / np.diff(at, prepend=0.0) * 1e6
        label = f"{', '.join(streams[port][:3])} ({port})"
        rows += [
            {"flow": label, "at": float(time), "rate": float(rate)}
            for time, rate in zip(at, rates, strict=True)
        ]
    return _time_line(run, rows, _Drawn("rate", "payload sent (MB/s)"), [])


def errors_over_time(run: Run) -> Chart | None:
    """Failed I/Os of each workload in each bin."""
    rows: Rows = []
    failed = 0
    for label in _workloads(run):
        series = over_time(run, label)
        failed += int(series.error_count.sum())
        rows += [
            {"flow": label, "at": float(time), "errors": int(errors)}
            for time, errors in zip(series.time_ps, series.error_count, strict=True)
        ]
    return _time_line(run, rows, _Drawn("errors", "failed I/Os"), []) if failed else None


def credit_wait_over_time(run: Run) -> Chart | None:
    """Share of each bin in which ports had a frame and no BB credit: port by time, in colours."""
    waiting = [row["port"] for row in waiting_for_credit(run)[:PORTS_SHOWN]]
    if not waiting or "port_series" not in run.tables:
        return None
    table = run.table("port_series")
    names = texts(table, "port")
    rows: Rows = []
    for port in waiting:
        keep = names == port
        ends = numbers(table, "time_ps")[keep].astype(float)
        waits = numbers(table, "tx_credit_wait_ps")[keep].astype(float)
        begins = np.concatenate(([0.0], ends[:-1]))
        shares = waits / np.maximum(1.0, ends - begins)
        rows += _merged(port, begins, ends, shares)
    unit = time_unit(max(row["to"] for row in rows))
    for row in rows:
        row["at"] /= unit.ps
        row["to"] /= unit.ps
    cells = chart(
        rounded_rows(rows),
        mark("rect", tooltip=True),
        x=quantitative("at", title=f"simulated time ({unit.name})"),
        x2={"field": "to"},
        y=nominal("port", title=None, sort=waiting, axis={"labelLimit": 190}),
        color=quantitative(
            "share",
            title="share of time without credit",
            scale={"domain": [0, 1], "range": ["#f3e9d2", "#b2182b"]},
            legend={"format": "%", "direction": "horizontal"},
        ),
        tooltip=[
            nominal("port"),
            number("at", unit.name),
            quantitative("share", format=".1%", title="without credit"),
        ],
    )
    layers = [cells, *_rules(run, unit)]
    drawn = layer(*layers) if len(layers) > 1 else cells
    return sized(drawn, max(60, 24 * len(waiting)))


#: Ports in the plot of waits for credit.
PORTS_SHOWN = 16
#: Difference of shares up to which neighbouring bins are one cell of that plot.
_ALIKE = 0.01


def _merged(
    port: str,
    begins: npt.NDArray[np.float64],
    ends: npt.NDArray[np.float64],
    shares: npt.NDArray[np.float64],
) -> Rows:
    """Cells of one port; neighbours that are alike are one cell, so that the page stays small."""
    rows: Rows = []
    for begin, end, share in zip(begins, ends, shares, strict=True):
        if rows and abs(rows[-1]["share"] - share) <= _ALIKE:
            rows[-1]["to"] = float(end)
        else:
            rows.append({"port": port, "at": float(begin), "to": float(end), "share": float(share)})
    return rows


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


def _decades(values: list[float]) -> list[float]:
    """The powers of ten around values: the same axis for runs that are nearly alike."""
    low, high = float(np.log10(min(values))), float(np.log10(max(values)))
    return [10.0 ** math.floor(low), 10.0 ** max(math.ceil(high), math.floor(low) + 1)]


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
    histograms: list[tuple[str, Histogram]], x_title: str, y_title: str, legend: str
) -> Chart | None:
    histograms = [(label, histogram) for label, histogram in histograms if histogram.total]
    if not histograms:
        return None
    unit = time_unit(max(float(histogram.high_ps[-1]) for _, histogram in histograms) / 3)
    rows = [row for label, histogram in histograms for row in _density(label, histogram)]
    for row in rows:
        row["at"] /= unit.ps
    return sized(
        chart(
            rounded_rows(rows),
            mark(
                "area", interpolate="step", fillOpacity=0.25, line={"strokeWidth": 1.5}, clip=True
            ),
            x=quantitative(
                "at",
                title=f"{x_title} ({unit.name})",
                scale={"type": "log", "nice": False},
                axis={"format": ",~r"},
            ),
            y=quantitative("share", title=y_title, stack=None, axis={"format": "%"}),
            color=_colour("flow", legend),
            tooltip=[
                nominal("flow"),
                number("at", unit.name),
                quantitative("share", format=".2%"),
            ],
        )
    )


@dataclass(frozen=True)
class _Drawn:
    """The column of a time line and the title of its axis.

    `above` is a column of larger values, drawn dashed. The axis is logarithmic if values differ
    much.
    """

    column: str
    title: str
    is_share: bool = False
    above: str = ""


def _time_line(
    run: Run,
    rows: Rows,
    drawn: _Drawn,
    tips: list[Channel],
) -> Chart | None:
    """Rows of `at` in picoseconds and a value over simulated time, with the faults."""
    column, title, is_share, above = drawn.column, drawn.title, drawn.is_share, drawn.above
    if not rows:
        return None
    unit = time_unit(max(row["at"] for row in rows))
    for row in rows:
        row["at"] /= unit.ps
    axis = {"format": "%"} if is_share else {}
    value = quantitative(column, format=".1%" if is_share else ",.4~r", title=title)
    x = quantitative("at", title=f"simulated time ({unit.name})")
    spread = [row[key] for row in rows for key in (column, above) if above and row[key]]
    is_wide = spread and max(spread) > LOGARITHMIC * min(spread)
    scale: dict[str, Any] = {"type": "log"} if is_wide else {"zero": True}
    points = {"size": 14} if len(rows) < 400 else False
    line = chart(
        rounded_rows(rows),
        mark("line", strokeWidth=1.8, point=points),
        x=x,
        y=quantitative(column, title=title, scale=scale, axis=axis),
        color=_colour("flow", None),
        tooltip=[nominal("flow"), number("at", unit.name), value, *tips],
    )
    layers = [*_bands(run, unit), *_rules(run, unit), line]
    if above:
        layers.append(
            chart(
                rounded_rows(rows),
                mark("line", strokeWidth=1.1, strokeDash=[4, 3], opacity=0.7, point=points),
                x=x,
                y=quantitative(above, title=title, scale=scale),
                color=_colour("flow", None),
            )
        )
    return sized(layer(*layers) if len(layers) > 1 else line)


def _bands(run: Run, unit: Unit) -> list[Chart]:
    """The times without I/O, shaded."""
    spans: Rows = [
        {
            "at": stall.from_ps / unit.ps,
            "to": stall.to_ps / unit.ps,
            "what": f"{stall.workload} completed no I/O",
        }
        for stall in stalls(run)[:_MOST_MARKS]
    ]
    if not spans:
        return []
    x = quantitative("at", title=f"simulated time ({unit.name})")
    tips = [number("at", unit.name), number("to", unit.name), nominal("what")]
    shaded = mark("rect", color=_STALL, opacity=0.14, tooltip=True)
    return [chart(rounded_rows(spans), shaded, x=x, x2={"field": "to"}, tooltip=tips)]


def _rules(run: Run, unit: Unit) -> list[Chart]:
    """The faults, as lines across the plot."""
    marks = _marks(run, unit)
    if not marks:
        return []
    x = quantitative("at", title=f"simulated time ({unit.name})")
    return [
        chart(
            rounded_rows(marks),
            mark("rule", strokeDash=[3, 3], strokeWidth=1.2, color=_MARK, tooltip=True),
            x=x,
            tooltip=[number("at", unit.name), nominal("what")],
        )
    ]


def _marks(run: Run, unit: Unit) -> Rows:
    """Return the faults, once for each instant."""
    by_time: dict[int, list[str]] = {}
    for event in happenings(run):
        by_time.setdefault(event.at_ps, []).append(event.what)
    return [
        {"at": at / unit.ps, "what": "; ".join(events)}
        for at, events in list(by_time.items())[:_MOST_MARKS]
    ]


def _colour(column: str, title: str | None) -> Channel:
    return nominal(column, title=title, sort=None, scale={"range": list(PALETTE)})
