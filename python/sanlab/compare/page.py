"""The page of a comparison: one HTML file, like the report of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from sanlab.compare.figures import METRICS, show
from sanlab.compare.verdict import difference_text
from sanlab.report.figures import PALETTE, PERCENTS
from sanlab.report.page import REPORT_SCRIPT, STYLE, json_in_html, template, vega
from sanlab.results.latency import has_percentile, merged_histogram, percentile
from sanlab.results.throughput import over_time
from sanlab.simulation.folder import write_file
from sanlab.vega_lite import chart, mark, nominal, quantitative
from sanlab.words import show_percent

if TYPE_CHECKING:
    from sanlab.compare.comparison import Comparison
    from sanlab.compare.verdict import Line
    from sanlab.results.run import Run
    from sanlab.vega_lite import Chart

_TEMPLATES = Path(__file__).parent / "templates"
_CAPTIONS = {
    "percentiles": "Response time of all workloads by percentile.",
    "throughput": "Throughput of all workloads over simulated time.",
    "response": "Mean response time of all workloads over simulated time. A gap is a bin without a "
    "completed I/O.",
}


def write_page(found: list[Comparison], file: str, tolerance: float) -> Path:
    """Write the comparisons with one first run as one HTML page; return it."""
    runs = [found[0].before, *(one.after for one in found)]
    labels = _labels(runs)
    charts = {name: drawn.specification for name, drawn in _charts(runs, labels).items() if drawn}
    text = template(_TEMPLATES, "compare.html").render(
        runs=[(label, run.title) for label, run in zip(labels, runs, strict=True)],
        parts=[
            {
                "name": label,
                "verdict": one.verdict,
                "rows": _rows(one.lines),
                "phases": [
                    {"title": phase.title, "verdict": phase.verdict, "rows": _rows(phase.lines)}
                    for phase in one.phases
                ],
                "changes": one.changes,
            }
            for label, one in zip(labels[1:], found, strict=True)
        ],
        tolerance=show_percent(tolerance),
        charts=list(charts),
        captions=_CAPTIONS,
        chart_data=Markup(json_in_html(charts)),
        style=Markup(STYLE.read_text(encoding="utf-8")),
        script=Markup(REPORT_SCRIPT.read_text(encoding="utf-8")),
        vega=Markup(vega() if charts else ""),
    )
    path = Path(file)
    write_file(path, text)
    return path


def _labels(runs: list[Run]) -> list[str]:
    """Names of the folders, made distinct by a number where two are alike."""
    names = [run.folder.resolve().name for run in runs]
    return [
        name if names.count(name) == 1 else f"{name} ({place})"
        for place, name in enumerate(names, 1)
    ]


def _rows(lines: list[Line]) -> list[Any]:
    """Rows of cells, and a heading before those of each workload."""
    rows: list[Any] = []
    workload: str | None = ""
    for line in lines:
        if line.workload != workload:
            workload = line.workload
            rows.append(workload or "all workloads")
        write = show(line.metric)
        sides = ["–" if side is None else write(side.value) for side in (line.before, line.after)]
        cells = [METRICS[line.metric].title, *sides, difference_text(line), line.verdict or ""]
        rows.append(cells)
    return rows


def _charts(runs: list[Run], labels: list[str]) -> dict[str, Chart | None]:
    return {
        "percentiles": _percentiles(runs, labels),
        "throughput": _time_line(runs, labels, "throughput"),
        "response": _time_line(runs, labels, "response"),
    }


def _percentiles(runs: list[Run], labels: list[str]) -> Chart | None:
    rows = []
    for label, run in zip(labels, runs, strict=True):
        histogram = merged_histogram(run)
        for percent in PERCENTS:
            value = percentile(histogram, percent)
            if value is not None and has_percentile(histogram.total, percent):
                rows.append({"run": label, "percentile": f"p{percent:g}", "ms": value / 1e9})
    if not rows:
        return None
    order = [f"p{percent:g}" for percent in PERCENTS]
    return chart(
        rows,
        mark("line", point={"size": 36}),
        x=nominal("percentile", title="percentile of I/Os", sort=order, axis={"labelAngle": 0}),
        y=quantitative("ms", title="response time (ms)", scale={"type": "log"}),
        color=_colour(),
        tooltip=[nominal("run"), nominal("percentile"), quantitative("ms", format=",.4~r")],
    ).with_properties(width="container", height=240)


def _time_line(runs: list[Run], labels: list[str], what: str) -> Chart | None:
    rows = []
    for label, run in zip(labels, runs, strict=True):
        if "workload_series" not in run.tables:
            continue
        series = over_time(run)
        values = series.bytes_per_s / 1e6 if what == "throughput" else series.response_mean_ps / 1e9
        rows += [
            {
                "run": label,
                "s": float(at) / 1e12,
                "value": None if np.isnan(value) else float(value),
            }
            for at, value in zip(series.time_ps, values, strict=True)
        ]
    if not rows:
        return None
    title = "throughput (MB/s)" if what == "throughput" else "mean response time (ms)"
    return chart(
        rows,
        mark("line", strokeWidth=1.8),
        x=quantitative("s", title="simulated time (s)"),
        y=quantitative("value", title=title, scale={"zero": True}),
        color=_colour(),
        tooltip=[nominal("run"), quantitative("s"), quantitative("value", format=",.4~r")],
    ).with_properties(width="container", height=240)


def _colour() -> dict[str, Any]:
    return nominal("run", title=None, sort=None, scale={"range": list(PALETTE)})
