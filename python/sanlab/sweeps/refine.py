"""More points where a curve bends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from sanlab.sweeps.syntax import show_number, split_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sanlab.sweeps.design import Setting

#: The rule, as it is named in output.
RULE = (
    "the sharpest turn of the curve, both axes scaled to one and the parameter logarithmic where it"
    " spans a factor of 16: a point halfway into each of the two intervals beside it"
)
#: From this factor between largest and smallest value on, a parameter is taken as its logarithm.
LOG_FACTOR = 16
#: Intervals shorter than this share of the whole are fine enough.
FINE = 0.01


@dataclass(frozen=True)
class Curve:
    """A metric along one parameter, the others held; `at` ascending, amounts in `unit`."""

    held: Setting
    path: str
    unit: str
    at: list[Fraction]
    value: list[float]


def halfway_points(curve: Curve) -> list[Setting]:
    """Settings to add to a curve: halfway into the intervals beside its sharpest turn.

    None are left where those intervals cannot be halved: neighbouring whole numbers, or less than
    1 % of the range.
    """
    if len(curve.at) < 3:
        return []
    is_log = curve.at[0] > 0 and curve.at[-1] / curve.at[0] >= LOG_FACTOR
    x = [math.log(value) if is_log else float(value) for value in curve.at]
    turns = _turns(_scaled(x), _scaled(curve.value))
    is_whole = all(value.denominator == 1 for value in curve.at)
    order = sorted(range(len(turns)), key=lambda index: (-turns[index], index))
    for index in order[:1] if turns[order[0]] > 0 else []:
        knee = index + 1
        found = [
            middle
            for low, high in ((knee - 1, knee), (knee, knee + 1))
            if x[high] - x[low] > FINE * (x[-1] - x[0])
            and (middle := _middle(curve.at[low], curve.at[high], is_log, is_whole)) is not None
        ]
        return [curve.held | {curve.path: f"{show_number(m)}{curve.unit}"} for m in found]
    return []


def _middle(low: Fraction, high: Fraction, is_log: bool, is_whole: bool) -> Fraction | None:  # noqa: FBT001
    value = math.sqrt(low * high) if is_log else float(low + high) / 2
    middle = Fraction(round(value)) if is_whole else Fraction(f"{value:.6g}")
    return middle if low < middle < high else None


def _scaled(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _turns(x: list[float], y: list[float]) -> list[float]:
    """Angle by which the curve turns at each of its inner points, in radians."""
    headings = [
        math.atan2(y[i + 1] - y[i], x[i + 1] - x[i]) if x[i + 1] > x[i] else 0.0
        for i in range(len(x) - 1)
    ]
    return [abs(after - before) for before, after in pairwise(headings)]


def curves(path: str, values: Mapping[tuple[tuple[str, str], ...], float]) -> list[Curve]:
    """Cut values by setting into one curve for each setting of the other parameters."""
    groups: dict[tuple[tuple[str, str], ...], list[tuple[Fraction, float]]] = {}
    unit = ""
    for setting, value in values.items():
        mine = dict(setting)
        parts = split_number(mine.pop(path))
        if parts is None:
            return []
        at, unit = parts
        groups.setdefault(tuple(mine.items()), []).append((at, value))
    return [
        Curve(
            dict(held), path, unit, [at for at, _ in sorted(pairs)], [v for _, v in sorted(pairs)]
        )
        for held, pairs in groups.items()
    ]
