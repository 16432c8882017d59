"""A page of the manual for each study: the evaluation with its figures drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.simulation.folder import write_file
from sanlab.validate.metrics import title_of
from sanlab.validate.plots import as_svg, draw
from sanlab.validate.slots import draw_slots

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.validate.execute import Validation
    from sanlab.validate.study import Plot, Slots

_LEGEND = (
    "Lines and bars are simulated. Diamonds and dashed rules are published values. A figure "
    "without them had a curve or a statement in the evaluation, and no readable numbers."
)


def write_study(study: Validation, folder: Path) -> Path:
    """Write the page of a study and its figures; remove figures that it no longer has."""
    of = study.study
    for old in folder.glob(f"{of.name}-*.svg"):
        old.unlink()
    drawings = [draw_slots(slots, study.cases) for slots in of.slots]
    drawings += [draw(plot, study.cases, study.rows) for plot in of.plots]
    for number, drawing in enumerate(drawings, start=1):
        write_file(_figure(folder, of.name, number), as_svg(drawing))
    path = folder / f"{of.name}.md"
    write_file(path, "\n".join(_page(study)) + "\n")
    return path


def _figure(folder: Path, name: str, number: int) -> Path:
    return folder / f"{name}-{number}.svg"


def _page(study: Validation) -> list[str]:
    of = study.study
    lines = [f"# {of.title}", "", of.source.strip(), ""]
    lines += [f"[All its figures in a table](index.md#{of.name})", ""]
    for heading, text in (("The question", of.question), ("The bench", of.bench)):
        if text:
            lines += [f"## {heading}", "", text.strip(), ""]
    lines += ["## Figures", "", _LEGEND, ""]
    pictures: list[Slots | Plot] = [*of.slots, *of.plots]
    for number, plot in enumerate(pictures, start=1):
        lines += [f"### {plot.title}", "", f"![{plot.title}]({of.name}-{number}.svg)", ""]
        if plot.caption:
            lines += [plot.caption.strip(), ""]
    lines += _listed("What one learns", of.learned)
    misses = [
        f"`{row.case}`, {title_of(row.metric)} ({row.error_percent:+.1f} %): {row.known_miss}"
        for row in study.rows
        if row.known_miss and row.error_percent is not None
    ]
    lines += _listed("What is wrong or open", [*of.wrong, *misses])
    return lines[:-1]


def _listed(heading: str, items: list[str]) -> list[str]:
    if not items:
        return []
    return [f"## {heading}", "", *(f"- {item.strip()}" for item in items), ""]
