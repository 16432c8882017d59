"""Parts of a table: filtered, sorted, and cut into pages."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from sanlab.errors import SanlabError
from sanlab.quantities import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FILTER = re.compile(r"(?P<column>\w+)(?P<test>!=|<=|>=|=|<|>|~)(?P<value>.*)", re.DOTALL)
_TESTS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


@dataclass(frozen=True)
class Page:
    """Rows `offset` and following of those that pass the filters, `total` of them."""

    total: int
    offset: int
    table: pa.Table

    def rows(self) -> list[list[Any]]:
        """Return the rows as plain data; numbers that are none are None."""
        columns = [column.to_pylist() for column in self.table.columns]
        return [[_plain(value) for value in row] for row in zip(*columns, strict=True)]


def page(
    table: pa.Table, offset: int, limit: int, sort: str = "", filters: Sequence[str] = ()
) -> Page:
    """Return a part of a table.

    Parameters
    ----------
    sort
        A column; with `-` before it, the greatest first.
    filters
        `port~sw1` (contains, any case), `op=read`, `tx_bytes>1000`; a row must pass all.

    Raises
    ------
    SanlabError
        A column is not in the table, or a filter compares numbers with text.
    """
    for text in filters:
        table = _filtered(table, text)
    if sort:
        column = sort.removeprefix("-")
        _require(table, column)
        order = "descending" if sort.startswith("-") else "ascending"
        table = table.take(pc.sort_indices(table, [(column, order)]))
    return Page(table.num_rows, offset, table.slice(offset, limit))


def _filtered(table: pa.Table, text: str) -> pa.Table:
    match = _FILTER.fullmatch(text)
    if match is None:
        reason = f"'{text}' is not a filter. Write port~sw1, op=read or tx_bytes>1000"
        raise SanlabError(reason)
    column, test, value = match["column"], match["test"], match["value"]
    _require(table, column)
    values = table[column]
    if test == "~":
        mask = pc.match_substring(pc.cast(values, pa.string()), value, ignore_case=True)
    elif pa.types.is_string(values.type):
        mask = _TESTS[test](values, value)
    else:
        mask = _TESTS[test](pc.cast(values, pa.float64(), safe=False), _number(value, text))
    return table.filter(mask)


def _number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        reason = f"the filter '{text}' compares a column of numbers with '{value}'. Write a number"
        raise SanlabError(reason) from None


def _require(table: pa.Table, column: str) -> None:
    if column not in table.column_names:
        guess = nearest(column, table.column_names)
        hint = f"Did you mean '{guess}'?" if guess else f"Columns: {', '.join(table.column_names)}"
        reason = f"the table has no column '{column}'. {hint}"
        raise SanlabError(reason)


def _plain(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
