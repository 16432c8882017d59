"""The report of a run: one HTML page that needs no network, server or other file."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from markupsafe import Markup

from sanlab.explain.findings import find
from sanlab.explain.findings import write as write_findings
from sanlab.report import fabric_tables, fault_tables, topology
from sanlab.report.cards import cards_of
from sanlab.report.figures import SERIES_SHOWN, figures
from sanlab.report.io_tables import PHASES, SLOWEST, STAGE_TIMES, WORKLOADS
from sanlab.report.loop_tables import ENCLOSURES, LOOPS, STRINGS
from sanlab.report.page import REPORT_SCRIPT, STYLE, TEMPLATES, json_in_html, template, vega
from sanlab.report.port_tables import FRAMES, PORTS, WAITING
from sanlab.report.station_tables import FILE_SYSTEMS, MIRRORS, STATIONS
from sanlab.simulation.folder import named, write_file
from sanlab.words import show_count, show_time

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.explain.findings import Finding
    from sanlab.report.tables import Table
    from sanlab.results.record import Record
    from sanlab.results.run import Run
    from sanlab.vega_lite import Chart

#: Rows of a table shown at first; a button shows the others.
ROWS_SHOWN = 25
#: Longest scenario shown in the page, in characters.
SCENARIO_SHOWN = 200_000

#: All tables of the page.
TABLES = (
    *(WORKLOADS, PHASES, STAGE_TIMES, SLOWEST, PORTS, WAITING, LOOPS, STRINGS, ENCLOSURES, FRAMES),
    *(STATIONS, MIRRORS, FILE_SYSTEMS, *fabric_tables.TABLES, *fault_tables.TABLES),
)

_CAPTIONS = {
    "response_percentiles": "Response time by percentile; each step right is ten times rarer.",
    "response_distribution": "Distribution of the response times. Two peaks mean two kinds of I/O, "
    "such as cache hits and misses.",
    "throughput_over_time": "Throughput over simulated time, the ramp included: bytes count when "
    "they arrive. Shaded: times in which a workload completed no I/O.",
    "response_over_time": "Response time over simulated time: the mean of each bin as a line, the "
    "longest of it as a dashed line. A gap is a bin without a completed I/O.",
    "streams_over_time": "Payload that each port with plain frames sends over simulated time. "
    "Plain frames have no response time: their latencies are below, under Frames.",
    "errors_over_time": "I/Os that failed in each bin, after all retries on all paths. Other "
    "figures do not include them.",
    "stages": "Mean time of an I/O in each stage along its path. The sum is the response time.",
    "stage_shares": "The same as shares of the response time.",
    "stages_over_time": "The same over simulated time, for the workloads that moved most bytes: "
    "which stage grows when the response time does.",
    "slowest_ios": "Each bar is one I/O from its call, its stages in the order of the path. "
    "sanlab ladder shows one of them frame by frame.",
    "credit_wait_over_time": "Share of the time with a frame to send and no BB credit, of the "
    "ports that waited longest. Dashed: faults.",
    "frame_latencies": "Network: from the first bit out to the last bit in. End to end: from the "
    "frame being ready in its port, so the queue is included.",
}


def build(run: Run, *, with_pictures: bool = False) -> Path:
    """Write `findings.json` and `report.html` into the run folder; return the report.

    `with_pictures` adds each plot as a picture, for readers without JavaScript.
    """
    findings = find(run)
    write_findings(run, findings)
    path = run.folder / "report.html"
    write_file(path, render(run, findings, with_pictures=with_pictures))
    return path


def render(run: Run, findings: list[Finding], *, with_pictures: bool = False) -> str:
    """Return the whole report as one HTML document."""
    drawn = figures(run)
    charts = {name: figure.specification for name, figure in drawn.items()}
    style = STYLE.read_text(encoding="utf-8")
    script = REPORT_SCRIPT.read_text(encoding="utf-8")
    scenario = run.scenario or ""
    return template(TEMPLATES, "report.html").render(
        run=run,
        manifest=run.manifest,
        cards=cards_of(run),
        findings=findings,
        topology=Markup(topology.draw(run)) if run.rows("ports") else None,
        legend=Markup(topology.legend()),
        charts=charts,
        pictures=_pictures(drawn) if with_pictures else {},
        chart_data=Markup(json_in_html(charts)),
        captions=_CAPTIONS,
        tables=_tables(run),
        rows_shown=ROWS_SHOWN,
        series_shown=SERIES_SHOWN,
        # A run with plain frames alone has no response times.
        has_io=bool(run.plan["jobs"] or run.manifest.measured or not run.plan["traffic"]),
        scenario=scenario[:SCENARIO_SHOWN],
        scenario_is_cut=len(scenario) > SCENARIO_SHOWN,
        style=Markup(style),
        script=Markup(script),
        vega=Markup(vega() if charts else ""),
        show_time=show_time,
        show_count=show_count,
    )


#: Width of the pictures in a report, in pixels; of those that stand side by side, and others.
PAIR_WIDTH, PICTURE_WIDTH = 420, 860
#: Plots that stand side by side.
PAIRS = (
    *("response_percentiles", "response_distribution"),
    *("throughput_over_time", "response_over_time"),
)


def _pictures(drawn: dict[str, Chart]) -> dict[str, Markup]:
    """The charts as SVG, drawn here."""
    config = {"background": "white", "font": "sans-serif"}
    return {
        name: Markup(
            figure.with_properties(
                width=PAIR_WIDTH if name in PAIRS else PICTURE_WIDTH, config=config
            ).to_svg()
        )
        for name, figure in drawn.items()
    }


def export(run: Run, folder: Path) -> list[Path]:
    """Write every figure as SVG and PNG and every table as CSV; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in figures(run).items():
        config = {"background": "white", "font": "sans-serif"}
        fixed = figure.with_properties(width=640, config=config)
        svg, png = folder / f"{name}.svg", folder / f"{name}.png"
        with named(svg):
            svg.write_text(fixed.to_svg(), encoding="utf-8")
        with named(png):
            png.write_bytes(fixed.to_png(scale=2))
        written += [svg, png]
    if run.rows("ports"):
        path = folder / "topology.svg"
        write_file(path, standalone_topology(run))
        written.append(path)
    for name in run.tables:
        path = folder / f"{name}.csv"
        table = run.table(name)
        with named(path), path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table.column_names)
            writer.writerows(zip(*(table[c].to_pylist() for c in table.column_names), strict=True))
        written.append(path)
    return written


def standalone_topology(run: Record) -> str:
    """Return the topology with its style sheet inside, for other viewers."""
    style = (TEMPLATES / "topology.css").read_text(encoding="utf-8")
    drawn = topology.draw(run)
    head, _, rest = drawn.partition(">")
    return f"{head}><style>{style}</style>{rest}\n"


def _tables(run: Run) -> dict[str, Table]:
    """Return the tables that have rows, by name."""
    tables = (declaration.fill(run) for declaration in TABLES)
    return {table.id: table for table in tables if table.rows}
