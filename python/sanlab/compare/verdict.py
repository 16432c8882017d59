"""Better, the same, worse, or too uncertain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sanlab.compare.figures import METRICS
from sanlab.words import show_difference

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sanlab.compare.figures import Figure

Verdict = Literal["better", "same", "worse", "can't tell", "mixed"]

#: Difference up to which figures count as the same.
TOLERANCE = 0.02


@dataclass(frozen=True)
class Line:
    """One figure of one workload in two runs.

    Attributes
    ----------
    workload
        None for all together.
    difference
        Relative difference, signed; None if the first value is 0 or one is missing.
    half_width
        Of the difference, with 95 % confidence; None if it is not known.
    verdict
        None for figures that are neither good nor bad.
    """

    workload: str | None
    metric: str
    before: Figure | None
    after: Figure | None
    difference: float | None
    half_width: float | None
    verdict: Verdict | None


def joined(verdicts: list[Verdict]) -> Verdict:
    """Return one verdict for several.

    >>> joined(["same", "better"]), joined(["worse", "better"]), joined(["same", "can't tell"])
    ('better', 'mixed', "can't tell")
    """
    found = set(verdicts)
    if {"better", "worse"} <= found:
        return "mixed"
    for verdict in ("worse", "better", "can't tell"):
        if verdict in found:
            return verdict
    return "same"


def decided(lines: Iterable[Line], decisive: Collection[str]) -> Verdict:
    """Return one verdict for the figures that decide."""
    return joined(
        [line.verdict for line in lines if line.metric in decisive and line.verdict is not None]
    )


def lines_of(
    workload: str | None,
    metrics: Iterable[str],
    before: Mapping[str, Figure],
    after: Mapping[str, Figure],
    tolerance: float,
) -> list[Line]:
    """Compare the figures of one workload that either run has, in the order of `metrics`."""
    return [
        line_of(workload, metric, before.get(metric), after.get(metric), tolerance)
        for metric in metrics
        if metric in before or metric in after
    ]


def line_of(
    workload: str | None,
    metric: str,
    before: Figure | None,
    after: Figure | None,
    tolerance: float,
) -> Line:
    """Compare one figure of a workload in two runs."""
    if before is None or after is None:
        return Line(workload, metric, before, after, None, None, None)
    if before == after:
        equal: Verdict | None = "same" if METRICS[metric].is_better else None
        return Line(workload, metric, before, after, 0.0, 0.0, equal)
    sign = METRICS[metric].is_better
    if before.value == 0:
        verdict: Verdict | None = None
        if sign:
            verdict = "same" if after.value == 0 else ("better" if sign > 0 else "worse")
        return Line(workload, metric, before, after, None, None, verdict)
    difference = after.value / before.value - 1
    half = None
    if before.half_width is not None and after.half_width is not None:
        ratio = after.value / before.value
        half = math.hypot(after.half_width, ratio * before.half_width) / abs(before.value)
    verdict = judge(sign * difference, half, tolerance) if sign else None
    return Line(workload, metric, before, after, difference, half, verdict)


def judge(gain: float, half_width: float | None, tolerance: float) -> Verdict:
    """Judge a relative gain; a loss is negative.

    It is the same if its interval lies within the tolerance, better or worse if the interval lies
    beyond it or, without reaching 0, the gain does. Without an interval only equal values are
    judged.

    >>> judge(0.1, 0.02, 0.02), judge(0.1, 0.2, 0.02), judge(-0.05, 0.01, 0.02)
    ('better', "can't tell", 'worse')
    >>> judge(0.001, 0.002, 0.02), judge(0.0, None, 0.02), judge(0.1, None, 0.02)
    ('same', 'same', "can't tell")
    """
    if gain == 0 and not half_width:
        return "same"
    if half_width is None:
        return "can't tell"
    if abs(gain) + half_width <= tolerance:
        return "same"
    if abs(gain) > half_width and abs(gain) > tolerance:
        return "better" if gain > 0 else "worse"
    return "can't tell"


def difference_text(line: Line) -> str:
    """The signed difference with its interval; empty if it is not known."""
    return "" if line.difference is None else show_difference(line.difference, line.half_width)
