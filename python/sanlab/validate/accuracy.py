"""All studies on one page: every published figure beside ours, misses included."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from sanlab.report.figures import PALETTE
from sanlab.simulation.folder import write_file
from sanlab.validate.metrics import title_of
from sanlab.validate.page import show
from sanlab.validate.plots import as_svg
from sanlab.validate.study import repeat_spreads, studies_folder
from sanlab.validate.study_page import write_study
from sanlab.vega_lite import Chart, chart, layer, mark, nominal, quantitative

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.validate.execute import Validation
    from sanlab.validate.rows import Row

#: What the page aims at, in percent, over all published numbers.
TARGET_MEDIAN, TARGET_WORST = 1.5, 8.0
_SIZE = 330
_ABOUT = (
    "This page lists every published figure of the bundled studies beside the simulated figure, "
    "misses included. `sanlab validate` writes it. [Accuracy](../explanation/accuracy.md) and the "
    "README of each study explain which values were stated, chosen and fitted."
)


@dataclass(frozen=True, slots=True)
class Score:
    """How far published numbers are met, in percent of each.

    Attributes
    ----------
    count
        Published numbers.
    median_percent
        Median of the absolute errors.
    worst_percent
        Largest absolute error.
    shapes, shapes_kept
        Published shapes, and those that hold.
    """

    count: int
    median_percent: float
    worst_percent: float
    shapes: int
    shapes_kept: int


def score(rows: list[Row]) -> Score:
    """Return how far the published numbers and shapes among these rows are met."""
    errors = [abs(row.error_percent) for row in rows if row.error_percent is not None]
    shapes = [row for row in rows if row.is_trend]
    return Score(
        count=len(errors),
        median_percent=median(errors) if errors else 0.0,
        worst_percent=max(errors, default=0.0),
        shapes=len(shapes),
        shapes_kept=sum(row.ok is True for row in shapes),
    )


def accuracy_folder() -> Path:
    """Return where the page goes: `docs/accuracy` beside the studies."""
    return studies_folder().absolute().parent / "docs" / "accuracy"


def write_accuracy(done: list[Validation], folder: Path) -> Path:
    """Write the pages and their plots into a folder; returns the page of all studies."""
    folder.mkdir(parents=True, exist_ok=True)
    for study in done:
        if _numbers(study):
            write_file(folder / f"{study.study.name}.svg", as_svg(_plot(study)))
        write_study(study, folder)
    path = folder / "index.md"
    write_file(path, "\n".join(_page(done)) + "\n")
    return path


def _numbers(study: Validation) -> list[Row]:
    return [row for row in study.rows if row.error_percent is not None]


def _page(done: list[Validation]) -> list[str]:
    rows = [row for study in done for row in study.rows]
    whole = score(rows)
    headline = (
        f"**{whole.count} published numbers: median error {whole.median_percent:.1f} % "
        f"(aim {TARGET_MEDIAN:g} %), largest {whole.worst_percent:.1f} % (aim {TARGET_WORST:g} %). "
        f"{whole.shapes_kept} of {whole.shapes} published shapes hold.**"
    )
    foretold = [row for row in rows if row.first_prediction is not None]
    lines = [
        "# Accuracy: published and simulated",
        "",
        _ABOUT,
        "",
        headline,
        "",
        *_foretold(foretold),
        *_floor(done),
        "| study | numbers | median error | largest error | shapes that hold | fitted parameters |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for study in done:
        its = score(study.rows)
        shapes = f"{its.shapes_kept} of {its.shapes}" if its.shapes else "–"
        lines.append(
            f"| [{study.study.title}](#{study.study.name}) | {its.count} "
            f"| {its.median_percent:.1f} % | {its.worst_percent:.1f} % | {shapes} "
            f"| {len(study.study.fits)} |"
        )
    for study in done:
        lines += ["", *_study(study)]
    return lines


def _foretold(rows: list[Row]) -> list[str]:
    """Say how well the numbers were met that were simulated before they were known."""
    firsts = [
        100 * abs(row.first_prediction / row.published - 1)
        for row in rows
        if row.first_prediction is not None and isinstance(row.published, float)
    ]
    if not firsts:
        return []
    today = score(rows)
    text = (
        f"{len(firsts)} of these numbers were simulated before they were known. That first "
        f"prediction has a median error of {median(firsts):.1f} % and a largest of "
        f"{max(firsts):.1f} %; today's has {today.median_percent:.1f} % and "
        f"{today.worst_percent:.1f} %. The column *first* keeps it."
    )
    return [text, ""]


def _floor(done: list[Validation]) -> list[str]:
    """Say how far measurements differ that were made twice."""
    spreads = [spread for study in done for spread in repeat_spreads(study.study)]
    if not spreads:
        return []
    text = (
        f"The evaluations measured {len(spreads)} of the numbers twice: the two values differ by "
        f"{median(spreads):.1f} % (median) and {max(spreads):.1f} % (largest). No simulation can "
        "be closer than that but by chance."
    )
    return [text, ""]


def _study(study: Validation) -> list[str]:
    of = study.study
    lines = [f'<a id="{of.name}"></a>', f"## {of.title}", "", of.source.strip(), ""]
    lines += [f"[The evaluation with its figures drawn again]({of.name}.md)", ""]
    if _numbers(study):
        lines += [f"![Published against simulated]({of.name}.svg)", ""]
    if of.fits:
        lines += [
            "| fitted | value | to the row | expected |",
            "|---|---|---|---|",
            *(f"| {fit.name} | {fit.value} | {fit.row} | {fit.expected} |" for fit in of.fits),
            "",
        ]
    fitted = {(fit.row, fit.metric) for fit in of.fits}
    lines += [
        "| case | figure | published | first | simulated | unit | error | |",
        "|---|---|---:|---:|---:|---|---:|---|",
    ]
    for row in study.rows:
        if row.published is not None:
            is_fitted = {(row.case, row.metric), (row.case, "")} & fitted
            lines.append(_line(row, is_fitted=bool(is_fitted)))
    misses = [row for row in study.rows if row.known_miss]
    if misses:
        lines += ["", "Known misses:", ""]
        lines += [f"- `{row.case}`, {title_of(row.metric)}: {row.known_miss}" for row in misses]
    return lines


def _line(row: Row, *, is_fitted: bool) -> str:
    error = "" if row.error_percent is None else f"{row.error_percent:+.1f} %"
    verdict = {True: "", False: "**outside**", None: ""}[row.ok]
    if row.known_miss:
        verdict = "**known miss**"
    if is_fitted:
        verdict = f"{verdict} fitted".strip()
    cells = [
        row.case,
        title_of(row.metric),
        show(row.published),
        "" if row.first_prediction is None else show(row.first_prediction),
        show(row.simulated),
        row.unit,
        error,
        verdict,
    ]
    return f"| {' | '.join(cells)} |"


def _plot(study: Validation) -> Chart:
    """Draw published against simulated numbers; on the line they are equal."""
    points = [
        {"published": row.published, "simulated": row.simulated, "figure": title_of(row.metric)}
        for row in _numbers(study)
        if isinstance(row.published, float) and row.published > 0
    ]
    least = 0.8 * min(min(float(p["published"]), float(p["simulated"])) for p in points)
    most = 1.25 * max(max(float(p["published"]), float(p["simulated"])) for p in points)
    scale = {"type": "log", "domain": [least, most], "nice": False}
    ends = [{"x": at, "y": at * k, "k": k} for at in (least, most) for k in (0.9, 1.0, 1.1)]
    lines = chart(
        ends,
        mark("line", color="#999999", strokeWidth=1, clip=True),
        x=quantitative("x", scale=scale, title="published"),
        y=quantitative("y", scale=scale, title="simulated"),
        detail=nominal("k"),
        strokeDash={"condition": {"test": "datum.k == 1", "value": [1, 0]}, "value": [4, 4]},
    )
    marks = chart(
        points,
        mark("point", filled=True, size=45, opacity=0.8),
        x=quantitative("published", scale=scale),
        y=quantitative("simulated", scale=scale),
        color=nominal("figure", title=None, scale={"range": list(PALETTE)}),
        shape=nominal("figure", title=None),
    )
    # A legend is as wide as the font it is drawn with, which is the viewer's.
    padding = {"right": 40, "left": 5, "top": 5, "bottom": 5}
    return layer(lines, marks).with_properties(width=_SIZE, height=_SIZE, padding=padding)
