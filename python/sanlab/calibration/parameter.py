"""A value of the scenario that is fitted, within bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from sanlab.errors import SanlabError, ScenarioError
from sanlab.sweeps.syntax import parse_parameter

if TYPE_CHECKING:
    from sanlab.sweeps.syntax import Span

#: Significant digits of the values that are tried.
DIGITS = 6


@dataclass(frozen=True)
class Parameter:
    """A path and its bounds; fitted in its logarithm, since times and rates scale.

    Attributes
    ----------
    low, high
        Bounds, in `unit`.
    reason
        Why these are the bounds, if no range was given.
    """

    path: str
    low: float
    high: float
    unit: str
    reason: str = ""

    @property
    def bounds(self) -> tuple[float, float]:
        """Logarithms of the bounds."""
        return math.log(self.low), math.log(self.high)

    @property
    def ends(self) -> tuple[str, str]:
        """The bounds as texts."""
        low, high = self.bounds
        return self.text(low), self.text(high)

    def text(self, position: float) -> str:
        """The value at a logarithm, as the scenario takes it."""
        return f"{float(f'{math.exp(position):.{DIGITS}g}'):.12g}{self.unit}"


def parse_free(text: str) -> Parameter:
    """Read `path=low..high`.

    >>> parse_free("arrays.dev1.command_cost=1us..100us")
    Parameter(path='arrays.dev1.command_cost', low=1.0, high=100.0, unit='us', reason='')

    Raises
    ------
    SanlabError
        It is not a range above 0.
    """
    try:
        found = parse_parameter(text if text.endswith(":log") else f"{text}:log")
    except ScenarioError as error:
        problem = error.problems[0]
        reason = f"--free {text}: {problem.reason}. Write a range above 0, --free path=1us..100us"
        raise SanlabError(reason) from None
    span: Span | None = found.span
    if span is None or span.low <= Fraction(0):
        reason = f"--free {text}: write a range above 0, --free path=1us..100us"
        raise SanlabError(reason)
    return Parameter(found.path, float(span.low), float(span.high), span.unit)
