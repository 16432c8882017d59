"""Tables of the report, declared as data: what each column is called, shows and means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.words import show_bytes, show_count, show_percent, show_rate, show_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sanlab.results.run import Run

#: Most rows of a table in the page; the Parquet tables have all.
ROWS_KEPT = 600
#: Smallest number of rows of a table with a filter.
_FILTERED_FROM = 9

Row = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """Text for people and the value to sort by; `bar` draws it as a share of the cell."""

    text: str
    value: float | str
    bar: float | None = None


@dataclass(frozen=True)
class Column:
    """A column: its heading, the cell of a row, and a tip with its meaning."""

    title: str
    cell: Callable[[Row], Cell]
    is_number: bool = True
    tip: str = ""


@dataclass(frozen=True)
class Declaration:
    """A table of the page before it has rows."""

    id: str
    columns: tuple[Column, ...]
    rows: Callable[[Run], Iterable[Row]]
    has_filter: bool = False

    def fill(self, run: Run) -> Table:
        """Return the table with the rows of a run."""
        rows = list(self.rows(run))
        return Table(
            self.id,
            self.columns,
            [[column.cell(row) for column in self.columns] for row in rows[:ROWS_KEPT]],
            left_out=max(0, len(rows) - ROWS_KEPT),
            has_filter=self.has_filter and len(rows) >= _FILTERED_FROM,
        )


@dataclass(frozen=True)
class Table:
    """A table of the page."""

    id: str
    columns: tuple[Column, ...]
    rows: list[list[Cell]]
    left_out: int = 0
    has_filter: bool = False


def text(title: str, key: str, tip: str = "") -> Column:
    """A column of text, sorted by itself."""
    return Column(title, lambda row: Cell(row[key], row[key]), is_number=False, tip=tip)


def number(title: str, key: str, tip: str = "") -> Column:
    """A column of means, two decimals."""
    return Column(title, lambda row: Cell(f"{row[key]:.2f}", row[key]), tip=tip)


def count(title: str, key: str, tip: str = "") -> Column:
    """A column of counts."""
    return Column(title, lambda row: Cell(show_count(row[key]), row[key]), tip=tip)


def size(title: str, key: str, tip: str = "") -> Column:
    """A column of bytes."""
    return Column(title, lambda row: Cell(show_bytes(row[key]), row[key]), tip=tip)


def rate(title: str, key: str, tip: str = "") -> Column:
    """A column of bytes per second."""
    return Column(title, lambda row: Cell(show_rate(row[key]), row[key]), tip=tip)


def time(title: str, key: str, tip: str = "") -> Column:
    """A column of spans of time, of picoseconds."""
    return Column(title, lambda row: Cell(show_time(row[key]), row[key]), tip=tip)


def share(title: str, key: str, tip: str = "") -> Column:
    """A column of shares of one, each drawn as a bar."""
    return Column(title, lambda row: share_cell(row[key]), tip=tip)


def share_cell(value: float) -> Cell:
    """A share of one as a percentage with its bar."""
    return Cell(show_percent(value), value, min(1.0, value))
