"""The page of a sweep: one HTML file, like the report of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from sanlab.quantities import counted
from sanlab.report.page import REPORT_SCRIPT, STYLE, json_in_html, template, vega
from sanlab.simulation.folder import write_file
from sanlab.sweeps import refine
from sanlab.sweeps.figures import (
    along,
    choose_axes,
    facets,
    heat_map,
    held_values,
    hockey_stick,
    short_names,
    values_of,
)
from sanlab.sweeps.knee import RULE as KNEE_RULE
from sanlab.sweeps.knee import knee
from sanlab.sweeps.result import are_sizes
from sanlab.sweeps.store import is_headline
from sanlab.words import show_count, show_percent, show_rate, show_time

if TYPE_CHECKING:
    from sanlab.sweeps.figures import Axes
    from sanlab.sweeps.result import Row, Sweep
    from sanlab.vega_lite import Chart

_TEMPLATES = Path(__file__).parent / "templates"
#: Rows of the table shown at first.
ROWS_SHOWN = 40
#: Most rows of the table in the page; the data set has all.
ROWS_KEPT = 2000
#: Most facets drawn, and those of them that are open at first.
FACETS, FACETS_SHOWN = 6, 2
#: Most rows of a section that is open at first.
FAILED_SHOWN = 10

_CAPTIONS = {
    "iops": "I/Os per second. A bar is the 95 % confidence interval, over the repeats or, for a "
    "single one, over batches of its time series.",
    "response": "Response time. Above the knee, more load mostly adds waiting time.",
    "hockey_stick": f"Latency against load. The ring marks the knee: {KNEE_RULE}.",
    "heat_iops": "I/Os per second over both parameters.",
    "heat_response": "Mean response time over both parameters.",
}


@dataclass(frozen=True)
class Plots:
    """Charts of one facet, by name."""

    title: str
    charts: dict[str, str]


def write_page(sweep: Sweep) -> Path:
    """Write `sweep.html` into the folder of a sweep; returns it."""
    path = sweep.folder / "sweep.html"
    write_file(path, render(sweep))
    return path


def render(sweep: Sweep) -> str:
    """The whole page as one HTML document."""
    specs: dict[str, Any] = {}
    plots: list[Plots] = []
    held: dict[str, Any] = {}
    if sweep.rows:
        axes = choose_axes(sweep)
        held = held_values(sweep, axes)
        for number, (title, rows) in enumerate(facets(sweep, axes)):
            if number < FACETS:
                plots.append(_plots(number, title, rows, axes, specs))
    summary = sweep.summary()
    return template(_TEMPLATES, "sweep.html").render(
        title=title_of(sweep),
        sweep=sweep,
        request=sweep.request,
        cards=_cards(sweep, summary),
        held=held,
        plots=[plot for plot in plots if plot.charts],
        captions=_CAPTIONS,
        columns=_columns(sweep),
        rows=[_cells(sweep, row) for row in summary[:ROWS_KEPT]],
        phase_columns=_phase_columns(sweep),
        phase_rows=_phase_rows(sweep)[:ROWS_KEPT],
        left_out=max(0, len(summary) - ROWS_KEPT),
        rows_shown=ROWS_SHOWN,
        facets_shown=FACETS_SHOWN,
        failed_shown=FAILED_SHOWN,
        failed=_failures(sweep),
        rules=_rules(sweep),
        scenario=sweep.request["identity"]["scenario"],
        style=Markup(STYLE.read_text(encoding="utf-8")),
        script=Markup(REPORT_SCRIPT.read_text(encoding="utf-8")),
        vega=Markup(vega() if specs else ""),
        chart_data=Markup(json_in_html(specs)),
    )


def title_of(sweep: Sweep) -> str:
    """Title of the scenario, or the name of the folder."""
    from sanlab.scenario.document import read_document

    document = read_document(sweep.request["identity"]["scenario"], "scenario.yaml")
    return str(document.get("title") or sweep.folder.name)


def _plots(number: int, title: str, rows: list[Row], axes: Axes, specs: dict[str, Any]) -> Plots:
    drawn: dict[str, Chart | None] = {
        "iops": along(rows, axes, ["iops"]),
        "response": along(rows, axes, ["response_mean_ps", "response_p99_ps"]),
        "hockey_stick": hockey_stick(rows, axes),
        "heat_iops": heat_map(rows, axes, "iops"),
        "heat_response": heat_map(rows, axes, "response_mean_ps"),
    }
    charts = {}
    for name, chart in drawn.items():
        if chart is not None:
            charts[name] = f"{name}-{number}"
            specs[charts[name]] = chart.specification
    return Plots(title, charts)


def _cards(sweep: Sweep, summary: list[Row]) -> list[tuple[str, str, str]]:
    """Headline numbers: label, value, note."""
    good = [row for row in summary if row["iops"] is not None]
    repeats = [row["repeats"] for row in summary]
    runs = f"{sum(repeats)} simulations"
    cards = [("Settings", show_count(len(summary)), runs)]
    if good:
        most = max(good, key=lambda row: row["iops"])
        least = min(good, key=lambda row: row["response_mean_ps"])
        cards.append(("Most IOPS", show_count(round(most["iops"])), setting_text(sweep, most)))
        cards.append(
            ("Shortest response", show_time(least["response_mean_ps"]), setting_text(sweep, least))
        )
    if bend := knee_of(sweep):
        cards.append(("Knee", f"{show_count(round(bend['iops']))} IOPS", setting_text(sweep, bend)))
    failed = len(sweep.failed())
    if failed:
        cards.append(("Failed", show_count(failed), "points, see below"))
    if impossible := len(sweep.impossible()):
        cards.append(("Impossible", show_count(impossible), "combinations, see below"))
    return cards


def knee_of(sweep: Sweep) -> Row | None:
    """Return the knee of a sweep of one parameter; None without a knee or with more parameters."""
    moving = [path for path in sweep.parameters if len(values_of(sweep, path)) > 1]
    rows = [row for row in sweep.summary() if row["iops"] is not None]
    if len(moving) != 1 or not rows:
        return None
    rows.sort(key=sweep.place)
    bend = knee([row["iops"] for row in rows], [row["response_mean_ps"] for row in rows])
    return None if bend is None else rows[bend]


def setting_text(sweep: Sweep, row: Row) -> str:
    """A setting in words, the last word of each path."""
    names = short_names(sweep.parameters)
    return ", ".join(f"{name} {row[path]}" for path, name in names.items())


def _columns(sweep: Sweep) -> list[tuple[str, bool]]:
    """Headings of the table, and whether they are of numbers."""
    names = ["repeats", "IOPS", "±", "throughput", "mean", "±", "p99", "busiest element", "busy"]
    kinds = [
        (name, are_sizes(values_of(sweep, path)))
        for path, name in short_names(sweep.parameters).items()
    ]
    return kinds + [(name, name != "busiest element") for name in names]


def _cells(sweep: Sweep, row: Row) -> list[tuple[str, float | str]]:
    cells: list[tuple[str, float | str]] = [
        (str(row[path]), size if kind == 0 else str(row[path]))
        for path, (kind, size, _) in zip(sweep.parameters, sweep.place(row), strict=True)
    ]
    repeats = f"{row['repeats']} ({row['failed']} failed)" if row["failed"] else str(row["repeats"])
    if row["is_impossible"]:
        repeats = "impossible"
    cells.append((repeats, row["repeats"]))
    if row["iops"] is None:
        return cells + [("–", -1.0)] * 6 + [("–", "–"), ("–", -1.0)]
    cells.append((show_count(round(row["iops"])), row["iops"]))
    cells.append(_share(row, "iops"))
    cells.append((show_rate(row["throughput_bytes_per_s"]), row["throughput_bytes_per_s"]))
    cells.append(_time(row["response_mean_ps"]))
    cells.append(_share(row, "response_mean_ps"))
    cells.append(_time(row["response_p99_ps"]))
    element, share = row["limiting_element"] or "–", row["limiting_utilisation"] or 0.0
    return [*cells, (element, element), (show_percent(share), share)]


def _time(time_ps: float | None) -> tuple[str, float]:
    return ("–", -1.0) if time_ps is None else (show_time(time_ps), time_ps)


def _phase_columns(sweep: Sweep) -> list[tuple[str, bool]]:
    settings = _columns(sweep)[: len(sweep.parameters)]
    names = ["IOPS", "±", "throughput", "mean", "±", "p99"]
    return [*settings, ("phase", False), *((name, True) for name in names)]


def _phase_rows(sweep: Sweep) -> list[list[tuple[str, float | str]]]:
    """Rows of the phases of each setting, in the order of settings and time."""
    found = [(phase, row) for phase in sweep.phases for row in sweep.summary(phase=phase)]
    found = [(phase, row) for phase, row in found if row["iops"] is not None]
    place = len(sweep.parameters)
    rows = []
    for phase, row in sorted(found, key=lambda of: sweep.place(of[1])):
        setting, figures = _cells(sweep, row)[:place], _cells(sweep, row)[place + 1 : -2]
        rows.append([*setting, (phase, phase), *figures])
    return rows


def _share(row: Row, metric: str) -> tuple[str, float]:
    """Half width as a share of the mean."""
    half = row[f"{metric}_half_width"]
    if half is None or not row[metric]:
        return "–", -1.0
    return show_percent(half / row[metric]), half / row[metric]


def _failures(sweep: Sweep) -> list[tuple[str, str]]:
    rows = [*sweep.failed(), *sweep.impossible()]
    return [(setting_text(sweep, row), row["reason"]) for row in rows[:100]]


def _rules(sweep: Sweep) -> list[tuple[str, str]]:
    """How the numbers came about, as the page says it."""
    extent, identity = sweep.request["extent"], sweep.request["identity"]
    used = sorted({row["warm_up_rule"] for row in sweep.rows if row["warm_up_rule"]})
    unsettled = sum(row["is_settled"] is False for row in sweep.rows if is_headline(row))
    warm_up = f"{', '.join(used)} on the time series" if used else "only the scenario's own ramps"
    if unsettled:
        warm_up += f"; {counted(unsettled, 'run')} had not settled, and nothing more was left out"
    rules = [
        ("points", extent["design"]),
        ("repeats", str(extent["repeats"])),
        ("warm-up left out by", warm_up),
        ("intervals", "Student's t, 95 %, over repeats; of one repeat by batch means"),
        ("knee", KNEE_RULE),
        ("sanlab", str(identity["versions"]["sanlab"])),
    ]
    if extent["until"] is not None:
        until = (
            f"{extent['metric']} ± {show_percent(extent['until'])}, at most {extent['max_repeats']}"
        )
        rules.insert(2, ("repeats until", until))
    if extent["refine"]:
        rules.insert(1, ("points added", f"{extent['refine']}: {refine.RULE}"))
    return rules
