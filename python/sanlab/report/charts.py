"""Parts that the charts of reports share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.vega_lite import quantitative

if TYPE_CHECKING:
    from sanlab.vega_lite import Channel, Chart

Rows = list[dict[str, Any]]

#: Height of a chart in pixels.
HEIGHT = 240


@dataclass(frozen=True)
class Unit:
    """A unit of time and how many picoseconds it has."""

    name: str
    ps: float


def time_unit(longest_ps: float) -> Unit:
    """Return the largest unit of time that is not larger than this time."""
    units = (Unit("s", 1e12), Unit("ms", 1e9), Unit("µs", 1e6))
    return next((unit for unit in units if longest_ps >= unit.ps), Unit("ns", 1e3))


def number(column: str, title: str) -> Channel:
    """A number of a tooltip, four digits."""
    return quantitative(column, format=",.4~r", title=title)


def sized(figure: Chart, height: int = HEIGHT) -> Chart:
    """Return a chart as wide as the page."""
    return figure.with_properties(width="container", height=height)


def rounded_rows(rows: Rows) -> Rows:
    """Rows with as many digits as a drawing needs."""
    return [{key: _rounded(value) for key, value in row.items()} for row in rows]


def _rounded(value: Any) -> Any:  # noqa: ANN401  whatever a row holds
    return float(f"{value:.6g}") if isinstance(value, float) else value
