"""Published and simulated, side by side."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from sanlab import theory
from sanlab.quantities import SPEEDS
from sanlab.validate.metrics import unit_of

if TYPE_CHECKING:
    from sanlab.validate.study import (
        Bound,
        Case,
        Comparison,
        LineRate,
        Published,
        Shape,
        Study,
        Trend,
    )


class Row(BaseModel):
    """One comparison; `ok` is None if nothing is published to compare with."""

    model_config = ConfigDict(frozen=True)

    study: str
    case: str
    metric: str
    published: float | str | None
    simulated: float | str
    unit: str
    error_percent: float | None
    ok: bool | None
    bound: float | None = None
    first_prediction: float | None = None
    #: Why a row outside its tolerance stays there; empty if that is not known.
    known_miss: str = ""
    note: str = ""
    #: Of a trend: what it is along, and the parameters held.
    held: str = ""

    @property
    def is_trend(self) -> bool:
        """The row compares a shape, not a number."""
        return isinstance(self.published, str)

    @property
    def off_bound_percent(self) -> float | None:
        """How far the simulated figure is off the closed form."""
        if self.bound is None or isinstance(self.simulated, str):
            return None
        return 100 * (self.simulated / self.bound - 1)


#: Figures by case and metric.
Figures = dict[str, dict[str, float]]


def number_rows(study: Study, cases: list[Case], figures: Figures) -> list[Row]:
    """Make a row for each metric of each case."""
    return [
        _number_row(study.name, case, metric, figures[case.name][metric])
        for case in cases
        for metric in case.metrics
    ]


def _number_row(study: str, case: Case, metric: str, simulated: float) -> Row:
    published = case.published.get(metric)
    row = _compared(study, case.name, metric, simulated, published)
    if case.bound is None:
        return row
    bound = bound_of(case.bound)
    if published is not None:
        return row.model_copy(update={"bound": bound})
    off = simulated / bound - 1
    note = f"closed form {bound:.2f}, {100 * off:+.2f} % off it"
    ok = abs(off) <= case.bound.tolerance
    return row.model_copy(update={"bound": bound, "ok": ok, "note": note})


def peak_rows(study: Study, cases: list[Case], figures: Figures) -> list[Row]:
    """Make a row for each peak, and for each ratio of two."""
    peaks: dict[str, float] = {}
    rows = []
    for peak in study.peaks:
        found = {
            case.name: figures[case.name][peak.metric]
            for case in cases
            if case.fits(peak.cases, peak.where)
        }
        best = max(found, key=lambda name: found[name])
        peaks[peak.name] = found[best]
        row = _compared(study.name, peak.name, peak.metric, found[best], peak.published)
        rows.append(row.model_copy(update={"note": f"{row.note}, at {best}".lstrip(", ")}))
    for ratio in study.ratios:
        value = peaks[ratio.of[0]] / peaks[ratio.of[1]]
        rows.append(_compared(study.name, ratio.name, "ratio", value, ratio.published))
    return rows


def difference_rows(study: Study, _: list[Case], figures: Figures) -> list[Row]:
    """Make a row for each difference of two cases; errors are in percentage points."""
    rows = []
    for difference in study.differences:
        one, other = (figures[name][difference.metric] for name in difference.of)
        simulated = 100 * (one / other - 1)
        error, ok, note = None, None, f"{difference.of[0]} over {difference.of[1]}"
        if difference.published is not None:
            error = simulated - difference.published.value
            ok = abs(error) <= 100 * difference.published.tolerance
            note += f", tolerance {100 * difference.published.tolerance:g} points"
        rows.append(
            Row(
                study=study.name,
                case=difference.name,
                metric=f"{difference.metric} difference",
                published=None if difference.published is None else difference.published.value,
                simulated=simulated,
                unit="%",
                error_percent=error,
                ok=ok,
                note=note,
            )
        )
    return rows


def comparison_rows(study: Study, cases: list[Case], figures: Figures) -> list[Row]:
    """Make a row for each comparison."""
    return [
        _comparison_row(study.name, comparison, cases, figures) for comparison in study.comparisons
    ]


def _comparison_row(study: str, comparison: Comparison, cases: list[Case], figures: Figures) -> Row:
    metric, along = comparison.metric, comparison.along

    def line(group: str, where: dict[str, int | str]) -> dict[int | str, float]:
        return {
            case.parameters[along]: figures[case.name][metric]
            for case in cases
            if case.fits(group, where)
        }

    over = line(comparison.over, comparison.over_where)
    ratios = {
        at: value / over[at]
        for at, value in line(comparison.cases, comparison.where).items()
        if at in over
    }
    if comparison.closes:
        first, *_, last = ratios.values()
        return Row(
            study=study,
            case=comparison.name,
            metric=metric,
            published="below 1, closing",
            simulated=f"{first:.3f} to {last:.3f}",
            unit="trend",
            error_percent=None,
            ok=max(ratios.values()) == last and last < 1,
            held=f"{metric} along {along}",
        )
    if comparison.at_least is not None:
        lowest = min(ratios, key=lambda at: ratios[at])
        return Row(
            study=study,
            case=comparison.name,
            metric=metric,
            published=f"at least {comparison.at_least:g}",
            simulated=f"{ratios[lowest]:.3f} at {lowest}",
            unit="x",
            error_percent=None,
            ok=ratios[lowest] >= comparison.at_least,
            held=f"{metric} along {along}",
        )
    aim = 1.0 if comparison.published is None else comparison.published.value
    worst = max(ratios, key=lambda at: abs(ratios[at] - aim))
    row = _compared(study, comparison.name, metric, ratios[worst], comparison.published)
    spread = f"{min(ratios.values()):.3f} to {max(ratios.values()):.3f}, farthest at {worst}"
    note = f"{row.note}, {spread}".lstrip(", ")
    return row.model_copy(update={"unit": "x", "note": note, "held": f"{metric} along {along}"})


def _compared(
    study: str, case: str, metric: str, simulated: float, published: Published | None
) -> Row:
    error, ok, note = None, None, ""
    if published is not None:
        # A published 0 has no relative error, so the difference itself counts.
        error = 100 * (simulated - published.value) / (published.value or 1)
        ok = abs(error) <= 100 * published.tolerance
        note = f"tolerance {100 * published.tolerance:g} %"
    return Row(
        study=study,
        case=case,
        metric=metric,
        published=None if published is None else published.value,
        simulated=simulated,
        unit="x" if metric == "ratio" else unit_of(metric),
        error_percent=error,
        ok=ok,
        first_prediction=None if published is None else published.first_prediction,
        note=note,
    )


def with_known_misses(study: Study, rows: list[Row]) -> list[Row]:
    """Add to rows outside their tolerance why they stay there, where the study says so."""
    whys = {(miss.row, miss.metric): miss.why for miss in study.known_misses}

    def why(row: Row) -> str:
        return whys.get((row.case, row.metric)) or whys.get((row.case, "")) or ""

    return [
        row.model_copy(update={"known_miss": why(row)}) if row.ok is False else row for row in rows
    ]


def shape_rows(study: Study, cases: list[Case], figures: Figures) -> list[Row]:
    """Make a row for each shape."""
    return [_shape_row(study, shape, cases, figures) for shape in study.shapes]


def _shape_row(study: Study, shape: Shape, cases: list[Case], figures: Figures) -> Row:
    line = best_along(shape.cases, shape, cases, figures)
    other = {} if shape.below is None else best_along(shape.below, shape, cases, figures)
    if shape.than:
        beside = shape.model_copy(update={"where": shape.than})
        other = best_along(shape.cases, beside, cases, figures)
    seen, note = _SHAPES[shape.expect](shape, line, other)
    published = str(shape.expect)
    simulated = published if seen else f"not {published}"
    if shape.between is not None:
        published, simulated, note = _step(shape.between), note, ""
    return Row(
        study=study.name,
        case=shape.name,
        metric=f"{shape.metric} along {shape.along}",
        published=published,
        simulated=simulated,
        unit="trend",
        error_percent=None,
        ok=seen,
        held=", ".join(f"{key} {value}" for key, value in shape.where.items()),
        note=note,
    )


def best_along(
    group: str, shape: Shape, cases: list[Case], figures: Figures
) -> dict[int | str, float]:
    """The largest value of a metric for each value of a parameter."""
    best: dict[int | str, float] = {}
    for case in cases:
        if case.fits(group, shape.where):
            at = case.parameters[shape.along]
            best[at] = max(best.get(at, 0.0), figures[case.name][shape.metric])
    return best


def _is_flat(
    shape: Shape, line: dict[int | str, float], _: dict[int | str, float]
) -> tuple[bool, str]:
    last, most = list(line.values())[-1], max(line.values())
    return last >= (1 - shape.tolerance) * most, f"last {last:.4g}, largest {most:.4g}"


def _is_linear(
    shape: Shape, line: dict[int | str, float], _: dict[int | str, float]
) -> tuple[bool, str]:
    each = [value / float(at) for at, value in line.items() if float(at) >= shape.since]
    first, last = each[0], each[-1]
    return last >= (1 - shape.tolerance) * first, f"{first:.4g} each at first, {last:.4g} at last"


def _rolls_off(
    shape: Shape, line: dict[int | str, float], other: dict[int | str, float]
) -> tuple[bool, str]:
    last, most = list(line.values())[-1], max(line.values())
    beside = list(other.values())[-1] if other else float("inf")
    below = (1 - shape.tolerance) * min(most, beside)
    return last < below, f"last {last:.4g}, largest {most:.4g}, the others' last {beside:.4g}"


def _is_sooner(
    shape: Shape, line: dict[int | str, float], other: dict[int | str, float]
) -> tuple[bool, str]:
    def place(values: dict[int | str, float]) -> int:
        enough = (1 - shape.tolerance) * max(line.values())
        return next((at for at, value in enumerate(values.values()) if value >= enough), len(line))

    names = [*map(str, line), "never"]
    mine, theirs = place(line), place(other)
    return mine < theirs, f"at {names[mine]}, the others at {names[theirs]}"


def _is_earlier(
    _: Shape, line: dict[int | str, float], other: dict[int | str, float]
) -> tuple[bool, str]:
    mine, theirs = (
        list(curve).index(max(curve, key=lambda at: curve[at])) for curve in (line, other)
    )
    names = list(line)
    return mine < theirs, f"at {names[mine]}, the others at {names[theirs]}"


def _steps(
    shape: Shape, line: dict[int | str, float], _: dict[int | str, float]
) -> tuple[bool, str]:
    steps = list(pairwise(line))
    most = max(steps, key=lambda step: line[step[1]] / line[step[0]])
    return most == shape.between, _step(most)


def _step(between: tuple[int | str, int | str]) -> str:
    return f"step from {between[0]} to {between[1]}"


_SHAPES = {
    "flat": _is_flat,
    "linear": _is_linear,
    "rolls_off": _rolls_off,
    "sooner": _is_sooner,
    "earlier": _is_earlier,
    "steps": _steps,
}


def bound_of(bound: Bound) -> float:
    """Tell the closed form of a case, in MiB/s."""
    rate = theory.credit_limited_copy(
        credit=int(bound.credit),
        distance_km=float(bound.distance_km),
        bytes_per_s=SPEEDS[bound.speed],
    )
    return rate / 2**20


def line_rate_rows(study: Study, _: list[Case], figures: Figures) -> list[Row]:
    """Make a row for each case that fills its links."""
    return [_line_rate_row(study.name, line, figures) for line in study.line_rates]


def _line_rate_row(study: str, line: LineRate, figures: Figures) -> Row:
    frame = theory.frame_time_s(theory.DATA_BYTES, SPEEDS[line.speed])
    bound = line.links * theory.DATA_BYTES / frame / 2**20
    simulated = figures[line.case][line.metric]
    off = simulated / bound - 1
    return Row(
        study=study,
        case=line.name,
        metric=line.metric,
        published=None,
        simulated=simulated,
        unit=unit_of(line.metric),
        error_percent=None,
        ok=abs(off) <= line.tolerance,
        bound=bound,
        note=f"{line.about}: {bound:.1f}, {100 * off:+.2f} % off it",
    )


def trend_rows(study: Study, cases: list[Case], figures: Figures) -> list[Row]:
    """Make a row for each trend and each setting of the other parameters."""
    return [row for trend in study.trends for row in _trend(study, trend, cases, figures)]


def _trend(study: Study, trend: Trend, cases: list[Case], figures: Figures) -> list[Row]:
    lines: dict[str, list[float]] = defaultdict(list)
    for case in cases:
        if case.group == trend.cases:
            others = [
                f"{name} {value}" for name, value in case.parameters.items() if name != trend.along
            ]
            lines[", ".join(others)].append(figures[case.name][trend.metric])
    rows = []
    for held, values in lines.items():
        seen = direction(values)
        rows.append(
            Row(
                study=study.name,
                case=f"{trend.cases}-* ({held})",
                metric=f"{trend.metric} along {trend.along}",
                published=trend.expect,
                simulated=seen,
                unit="trend",
                held=held,
                error_percent=None,
                ok=seen == trend.expect,
                note=" < ".join(f"{value:.4g}" for value in values)
                if seen == "increasing"
                else ", ".join(f"{value:.4g}" for value in values),
            )
        )
    return rows


def direction(values: list[float]) -> str:
    """Whether values rise or fall strictly.

    >>> direction([1, 2, 4]), direction([3, 2]), direction([1, 1, 2])
    ('increasing', 'decreasing', 'mixed')
    """
    steps = [later - earlier for earlier, later in pairwise(values)]
    if all(step > 0 for step in steps):
        return "increasing"
    return "decreasing" if all(step < 0 for step in steps) else "mixed"
