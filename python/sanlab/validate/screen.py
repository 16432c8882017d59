"""All studies on one screen: a line for each, and a line for each figure that is not met."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from sanlab.validate.metrics import title_of
from sanlab.validate.page import show
from sanlab.words import show_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sanlab.validate.execute import Validation
    from sanlab.validate.rows import Row


def screen_of(done: Sequence[Validation]) -> Iterator[Table | str]:
    """Yield a table with a line for each study, and a line for each miss."""
    yield _table(done)
    misses = [row for study in done for row in study.rows if row.ok is False]
    if misses:
        yield f"[bold]Misses: {len(misses)}[/bold], with their reasons in the details"
        yield from (_miss(row) for row in misses)
    else:
        yield "Every figure is within its tolerance."
    yield "Details: sanlab validate STUDY, or sanlab validate --details"


def _table(done: Sequence[Validation]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("study")
    for name in ("numbers", "median", "worst", "shapes", "closed forms", "known misses", "runs"):
        table.add_column(name, justify="right")
    for study in done:
        table.add_row(study.study.name, *_cells(study.rows), show_count(study.run_count))
    if len(done) > 1:
        table.add_section()
        rows = [row for study in done for row in study.rows]
        table.add_row("all", *_cells(rows), show_count(sum(study.run_count for study in done)))
    return table


def _cells(rows: Sequence[Row]) -> list[str]:
    errors = [abs(row.error_percent) for row in rows if row.error_percent is not None]
    shapes = [row for row in rows if row.is_trend]
    closed = [row for row in rows if row.published is None and row.ok is not None]
    return [
        str(len(errors)),
        f"{median(errors):.1f} %" if errors else "–",
        f"{max(errors):.1f} %" if errors else "–",
        _kept(shapes),
        _kept(closed),
        str(sum(bool(row.known_miss) for row in rows)),
    ]


def _kept(rows: Sequence[Row]) -> str:
    return f"{sum(row.ok is True for row in rows)} of {len(rows)}" if rows else "–"


def _miss(row: Row) -> str:
    error = "" if row.error_percent is None else f", {row.error_percent:+.1f} %"
    verdict = "known" if row.known_miss else "[bold]OUTSIDE[/bold]"
    aim = show(row.published if row.published is not None else row.bound)
    unit = "" if row.unit == "trend" else f" {row.unit}"
    return (
        f"  {row.study} {row.case}, {title_of(row.metric)}: "
        f"published {aim}, simulated {show(row.simulated)}{unit}{error} ({verdict})"
    )
