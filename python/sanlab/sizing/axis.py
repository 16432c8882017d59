"""What is varied: the values of a path in order, as positions from 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from sanlab.errors import SanlabError, ScenarioError
from sanlab.sweeps.syntax import parse_parameter

if TYPE_CHECKING:
    from sanlab.sweeps.syntax import Span

#: Values of a range with fractions, or of a logarithmic range.
STEPS = 200
#: Significant digits of such values.
DIGITS = 3


@dataclass(frozen=True)
class Axis:
    """A path and its values from the first to the last; `--vary path=low..high`."""

    path: str
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        """Short name: the last step of the path."""
        return self.path.rsplit(".", maxsplit=1)[-1]


def parse_axis(text: str) -> Axis:
    """Read a range, or a list of values in order.

    >>> parse_axis("links[0].length=1km..4km").values
    ('1km', '2km', '3km', '4km')
    >>> parse_axis("N=1,2,4").values, parse_axis("rate=1..1000:log").values[-3:]
    (('1', '2', '4'), ('933', '966', '1000'))

    Raises
    ------
    SanlabError
        It is not a range or a list of at least two values.
    """
    try:
        parameter = parse_parameter(text)
    except ScenarioError as error:
        problem = error.problems[0]
        reason = f"--vary {text}: {problem.reason}. Write a range, --vary path=1..64"
        raise SanlabError(reason) from None
    values = parameter.values or _steps(parameter.span)
    if len(values) < 2:
        reason = f"--vary {text}: this is one value. Write a range, --vary path=1..64"
        raise SanlabError(reason)
    return Axis(parameter.path, values)


def _steps(span: Span | None) -> tuple[str, ...]:
    """Values of a range, evenly spaced or in its logarithm, rounded; each once."""
    if span is None:
        return ()
    low, high = float(span.low), float(span.high)
    found = []
    for step in range(STEPS):
        share = step / (STEPS - 1)
        value = low * (high / low) ** share if span.is_log else low + (high - low) * share
        if 0 < step < STEPS - 1 and value:
            value = round(value, DIGITS - 1 - math.floor(math.log10(abs(value))))
        amount = Fraction(str(value))
        if span.is_whole:
            amount = Fraction(round(amount))
        found.append(span.text(amount))
    return tuple(dict.fromkeys(found))
