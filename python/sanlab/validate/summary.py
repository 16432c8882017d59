"""A study on one screen: published numbers, published shapes, closed forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from sanlab.validate.metrics import title_of
from sanlab.validate.page import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sanlab.validate.execute import Validation
    from sanlab.validate.rows import Row


def summary_of(study: Validation) -> Iterator[Table | str]:
    """Yield the tables and lines that the command line prints, published figures first."""
    compared = [row for row in study.rows if row.ok is not None]
    numbers = [row for row in compared if row.error_percent is not None]
    shapes = [row for row in compared if row.is_trend]
    closed_forms = [row for row in compared if row.published is None]
    if numbers:
        yield _numbers(f"Published numbers: {_kept(numbers)} within tolerance", numbers)
    if shapes:
        yield _shapes(f"Published shapes: {_kept(shapes)} hold", shapes)
    if closed_forms:
        yield from _closed_forms(closed_forms)
    outside = sum(row.ok is False for row in compared)
    known = [row for row in compared if row.known_miss]
    yield f"{len(compared) - outside} of {len(compared)} comparisons are within tolerance."
    for row in known:
        yield f"Known miss {row.case}: {row.known_miss}"
    uncompared = len(study.rows) - len(compared)
    if uncompared:
        yield f"Figures without a published value, listed in the report only: {uncompared}."


def _numbers(title: str, rows: Sequence[Row]) -> Table:
    table = _table(title)
    table.add_column("case")
    table.add_column("figure")
    table.add_column("published", justify="right")
    table.add_column("simulated", justify="right")
    table.add_column("unit")
    table.add_column("error", justify="right")
    table.add_column("")
    for row in rows:
        table.add_row(
            row.case,
            title_of(row.metric),
            show(row.published),
            show(row.simulated),
            row.unit,
            f"{row.error_percent:+.2f} %",
            _verdict(row),
        )
    return table


def _verdict(row: Row) -> str:
    if row.ok:
        return "ok"
    return "known miss" if row.known_miss else "OUTSIDE"


def _shapes(title: str, rows: Sequence[Row]) -> Table:
    """One line for each shape; runs that differ only in a parameter share a line."""
    table = _table(title)
    for column in ("cases", "figure", "published", "simulated", ""):
        table.add_column(column)
    shapes: dict[tuple[str, str, float | str | None, float | str], list[Row]] = {}
    for row in rows:
        cases, _, _ = row.case.partition(" (")
        shapes.setdefault((cases, row.metric, row.published, row.simulated), []).append(row)
    for (cases, metric, published, simulated), group in shapes.items():
        count = f"{len(group)} x " if len(group) > 1 else ""
        table.add_row(
            cases,
            title_of(metric),
            show(published),
            f"{count}{show(simulated)}",
            _verdict(next((row for row in group if not row.ok), group[0])),
        )
    return table


def _closed_forms(rows: Sequence[Row]) -> Iterator[Table | str]:
    """A line with the count, and a table of the rows that are outside their tolerance."""
    largest = max((row.off_bound_percent or 0.0 for row in rows), key=abs)
    yield (
        f"[bold]Closed forms (not published): {_kept(rows)} within tolerance[/bold], "
        f"largest difference {largest:+.2f} %"
    )
    outside = [row for row in rows if not row.ok]
    if outside:
        table = _table("Closed forms outside their tolerance")
        for column in ("case", "figure", "difference"):
            table.add_column(column)
        for row in outside:
            table.add_row(row.case, title_of(row.metric), f"{row.off_bound_percent:+.2f} %")
        yield table


def _table(title: str) -> Table:
    return Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")


def _kept(rows: Sequence[Row]) -> str:
    return f"{sum(row.ok is True for row in rows)} of {len(rows)}"
