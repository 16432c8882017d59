"""A page of the manual for each study: the evaluation with its figures drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.report.build import standalone_topology
from sanlab.results.run import Run
from sanlab.simulation.folder import write_file
from sanlab.theory import DATA_BYTES, FULL_FRAME_BYTES
from sanlab.validate.metrics import title_of
from sanlab.validate.page import show
from sanlab.validate.plots import as_svg, draw
from sanlab.validate.slots import draw_slots
from sanlab.validate.study import Plot, Slots, Timeline
from sanlab.validate.timelines import draw_timeline

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.validate.execute import Validation
    from sanlab.validate.rows import Row
    from sanlab.validate.study import Study
    from sanlab.vega_lite import Chart

_COLOURS = (
    "Cables have the colour of their busier direction: grey up to 10 % of the time, light blue up "
    "to 40 %, blue up to 70 %, orange up to 90 %, red above; a diamond marks waits for credit."
)

_LEGEND = (
    "Lines and bars are simulated. Diamonds and dashed rules are published values. A figure "
    "without them had a curve or a statement in the evaluation, and no readable numbers."
)


Figure = Slots | Plot | Timeline


def write_study(study: Validation, folder: Path) -> Path:
    """Write the page of a study and its figures; remove figures that it no longer has."""
    of = study.study
    for old in folder.glob(f"{of.name}-*.svg"):
        old.unlink()
    for number, bench in enumerate(of.benches, start=1):
        drawing = standalone_topology(_run(study, bench.case))
        write_file(folder / _bench_name(of, number), drawing)
    for number, figure in enumerate(_figures(of), start=1):
        write_file(folder / _figure_name(of, number), as_svg(_drawn(figure, study)))
    path = folder / f"{of.name}.md"
    write_file(path, "\n".join(_page(study)) + "\n")
    return path


def _figures(study: Study) -> list[Figure]:
    """Return the figures of a study in the order of its page."""
    return [*study.slots, *study.plots, *study.timelines]


def _drawn(figure: Figure, study: Validation) -> Chart:
    """Draw a figure."""
    match figure:
        case Slots():
            return draw_slots(figure, study.cases)
        case Plot():
            return draw(figure, study.cases, study.rows)
        case Timeline():
            return draw_timeline(figure, _run(study, figure.case))


def _run(study: Validation, case: str) -> Run:
    """Open the run of a case that has a report."""
    return Run.open(study.reports[case].parent)


def _bench_name(study: Study, number: int) -> str:
    return f"{study.name}-bench-{number}.svg"


def _figure_name(study: Study, number: int) -> str:
    return f"{study.name}-{number}.svg"


def _page(study: Validation) -> list[str]:
    of = study.study
    lines = [f"# {of.title}", "", of.source.strip(), ""]
    lines += [f"[All its figures in a table](index.md#{of.name})", ""]
    for heading, text in (("The question", of.question), ("The bench", of.bench)):
        if text:
            lines += [f"## {heading}", "", text.strip(), ""]
    for number, bench in enumerate(of.benches, start=1):
        words = f"*{bench.title}.* {bench.caption.strip()}".rstrip()
        lines += [f"![{bench.title}]({_bench_name(of, number)})", "", words, ""]
    lines += [_COLOURS, ""] if of.benches else []
    lines += ["## Figures", "", _LEGEND, ""]
    for number, figure in enumerate(_figures(of), start=1):
        picture = f"![{figure.title}]({_figure_name(of, number)})"
        lines += [f"### {figure.title}", "", picture, ""]
        if figure.caption:
            lines += [figure.caption.strip(), ""]
    lines += _line_rates(study)
    lines += _quirks(study)
    lines += _listed("What one learns", of.learned)
    misses = [_miss(row) for row in study.rows if row.known_miss]
    lines += _listed("What is wrong or open", [*of.wrong, *misses])
    return lines[:-1]


def _miss(row: Row) -> str:
    """Say what a known miss is and why it stays."""
    off = show(row.simulated) if row.error_percent is None else f"{row.error_percent:+.1f} %"
    return f"`{row.case}`, {title_of(row.metric)} ({off}): {row.known_miss}"


def _line_rates(study: Validation) -> list[str]:
    """Tabulate the cases that fill their links."""
    if not study.study.line_rates:
        return []
    rows = {row.case: row for row in study.rows}
    lines = [
        "## Beside what the wire carries",
        "",
        f"Links carry {DATA_BYTES} bytes of data in {FULL_FRAME_BYTES}. These cases fill theirs.",
        "",
        "| links | carry, MiB/s | simulated | difference |",
        "|---|---:|---:|---:|",
    ]
    for line in study.study.line_rates:
        row = rows[line.name]
        off = f"{row.off_bound_percent or 0.0:+.1f} %"
        lines.append(f"| {line.about} | {show(row.bound)} | {show(row.simulated)} | {off} |")
    return [*lines, ""]


def _quirks(study: Validation) -> list[str]:
    """Tabulate what a check says of configurations with which the evaluators had trouble."""
    if not study.study.quirks:
        return []
    said = {row.case: row.note for row in study.rows}
    return [
        "## What the evaluators met, and what `sanlab check` says",
        "",
        "| met | answer |",
        "|---|---|",
        *(f"| {quirk.met} | {said[quirk.name]} |" for quirk in study.study.quirks),
        "",
    ]


def _listed(heading: str, items: list[str]) -> list[str]:
    if not items:
        return []
    return [f"## {heading}", "", *(f"- {item.strip()}" for item in items), ""]
