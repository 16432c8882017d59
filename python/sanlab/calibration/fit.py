"""Least squares with the simulator as the model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sanlab.compare.figures import figures
from sanlab.errors import SanlabError
from sanlab.plan.compile import compile_plan
from sanlab.scenario.document import read_document
from sanlab.scenario.load import check_document
from sanlab.scenario.overrides import apply_overrides
from sanlab.stats.student import t_quantile
from sanlab.trials.variants import in_parallel, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from sanlab.calibration.parameter import Parameter
    from sanlab.results.record import Record
    from sanlab.results.run import Run
    from sanlab.trials.places import Seat

#: Figures that are fitted unless others are named.
FIGURES: Final = ("throughput", "mean")
#: Smallest relative error of a figure: of two runs in other conditions.
FLOOR = 0.01
#: Step of a parameter's logarithm for its derivatives: larger than what a whole I/O more or less
#: does to the rates of a short run.
STEP = 0.1
#: Half of an interval, in the logarithm, from which the data cannot tell a parameter.
UNKNOWN = 0.7
#: Most rounds of the search.
ROUNDS = 60


@dataclass(frozen=True)
class Row:
    """One figure of one workload in one run.

    Attributes
    ----------
    error
        Its relative standard error, as far as it is known.
    is_fitted
        False for runs that are only predicted.
    """

    run: str
    workload: str
    metric: str
    measured: float
    simulated: float
    error: float
    is_fitted: bool

    @property
    def difference(self) -> float:
        """Simulated over measured, less one."""
        return self.simulated / self.measured - 1


@dataclass(frozen=True)
class Fitted:
    """A parameter and its value.

    Attributes
    ----------
    low, high
        95 % confidence interval; None where there are as many parameters as figures.
    is_known
        False if the data cannot tell it: its interval is wider than a factor of two each way.
    bound
        The bound that the search ended at: `lower`, `upper`, or empty.
    """

    parameter: Parameter
    value: str
    low: str | None
    high: str | None
    is_known: bool
    bound: str

    @property
    def is_at_bound(self) -> bool:
        """Whether the search ended at a bound: a better value may be beyond it."""
        return bool(self.bound)


@dataclass(frozen=True)
class Fit:
    """The result: parameters, the correlation of each two, and all figures."""

    parameters: list[Fitted]
    correlations: list[tuple[str, str, float]]
    rows: list[Row]
    evaluations: int

    @property
    def overrides(self) -> dict[str, str]:
        """The values by path, as `--set` takes them."""
        return {one.parameter.path: one.value for one in self.parameters}


@dataclass(frozen=True)
class _Target:
    run: Run
    name: str
    is_fitted: bool
    figures: list[tuple[str, str, float, float]]
    """Workload, metric, value, relative standard error."""


@dataclass(frozen=True)
class Question:
    """What is fitted to what.

    Attributes
    ----------
    scenario
        Text of the scenario.
    runs
        Runs that are fitted.
    checks
        Further runs, which are only predicted.
    metrics
        Figures of each workload, as in `sanlab.compare.figures.METRICS`.
    """

    scenario: str
    runs: Sequence[Run]
    parameters: Sequence[Parameter]
    checks: Sequence[Run] = ()
    metrics: Sequence[str] = FIGURES


def calibrate(
    question: Question,
    *,
    cache: Path | None = None,
    on_round: Callable[[int], None] | None = None,
) -> Fit:
    """Fit values of a scenario to the figures of runs.

    Each run says by its own overrides which point of the scenario it is. What is least is the sum
    of the squares of log(simulated / measured) over its standard error, which is `FLOOR` at least.

    Parameters
    ----------
    cache
        Folder that keeps each simulation, so that an interrupted fit goes on.
    on_round
        Called with the number of the round.

    Raises
    ------
    SanlabError
        There are more parameters than figures, a figure is missing, or scipy is not installed.
    """
    optimize = _scipy()
    parameters, metrics = list(question.parameters), question.metrics
    targets = [
        *(_target(run, metrics, is_fitted=True) for run in question.runs),
        *(_target(run, metrics, is_fitted=False) for run in question.checks),
    ]
    fitted = [target for target in targets if target.is_fitted]
    count = sum(len(target.figures) for target in fitted)
    if count < len(parameters):
        reason = f"{len(parameters)} parameters cannot be fitted to {count} figures: name more runs"
        raise SanlabError(reason)
    model = _Model(question.scenario, parameters, cache)
    low, high = np.array([parameter.bounds for parameter in parameters]).T
    rounds = 0

    def residuals(position: Any) -> Any:  # noqa: ANN401  of scipy
        return _residuals(fitted, model.answers(fitted, [position])[0])

    def slopes(position: Any) -> Any:  # noqa: ANN401  of scipy
        nonlocal rounds
        rounds += 1
        if on_round is not None:
            on_round(rounds)
        signs = np.where(position + STEP <= high, 1.0, -1.0)
        steps = [position + STEP * signs[place] * row for place, row in enumerate(np.eye(len(low)))]
        base, *moved = (
            _residuals(fitted, answer) for answer in model.answers(fitted, [position, *steps])
        )
        return np.array(
            [(one - base) / (STEP * sign) for one, sign in zip(moved, signs, strict=True)]
        ).T

    found = optimize.least_squares(
        residuals,
        (low + high) / 2,
        jac=slopes,
        bounds=(low, high),
        x_scale="jac",  # figures react to some parameters much more than to others
        xtol=1e-6,
        ftol=1e-8,
        max_nfev=ROUNDS,
    )
    spread, correlations = _spread(found.jac, found.fun, [one.path for one in parameters])
    answers = model.answers(targets, [found.x])[0]
    return Fit(
        [
            _fitted(parameter, float(at), half, (float(begin), float(end)))
            for parameter, at, half, begin, end in zip(
                parameters, found.x, spread, low, high, strict=True
            )
        ],
        correlations,
        [
            Row(target.name, workload, metric, value, simulated, error, target.is_fitted)
            for target, answer in zip(targets, answers, strict=True)
            for (workload, metric, value, error), simulated in zip(
                target.figures, answer, strict=True
            )
        ],
        model.evaluations,
    )


def _scipy() -> Any:  # noqa: ANN401  a module without types
    try:
        from scipy import optimize
    except ImportError:
        reason = "calibration needs scipy: pip install 'sanlab[calibrate]'"
        raise SanlabError(reason) from None
    return optimize


def _target(run: Run, metrics: Sequence[str], *, is_fitted: bool) -> _Target:
    names = list(dict.fromkeys(row["workload"] for row in run.rows("workloads")))
    found = []
    for name in names:
        known = figures(run, name)
        for metric in metrics:
            figure = known.get(metric)
            if figure is None or figure.value <= 0:
                reason = f"{run.folder} has no {metric} of {name}: name others with --figures"
                raise SanlabError(reason)
            half = (figure.half_width or 0.0) / figure.value
            found.append((name, metric, figure.value, max(FLOOR, half / 1.96)))
    if not found:
        reason = f"{run.folder} has no I/O to fit to"
        raise SanlabError(reason)
    return _Target(run, run.folder.name, is_fitted, found)


class _Model:
    """The simulator: figures of each run's point for values of the parameters."""

    def __init__(self, scenario: str, parameters: list[Parameter], cache: Path | None) -> None:
        self._scenario = scenario
        self._parameters = parameters
        self._cache = cache
        self._known: dict[str, dict[str, dict[str, float]]] = {}
        self.evaluations = 0

    def answers(
        self, targets: list[_Target], positions: Sequence[npt.NDArray[np.float64]]
    ) -> list[list[list[float]]]:
        """Figures by position and target, in the order of the target's figures."""
        plans = [[self._plan(target, position) for target in targets] for position in positions]
        new = [plan for plan in {plan for row in plans for plan in row} if plan not in self._known]

        def one(plan: str, seat: Seat) -> dict[str, dict[str, float]]:
            found: dict[str, dict[str, float]] = judged(
                plan, "values of figures", _values, self._cache, seat
            )
            return found

        self._known.update(zip(new, in_parallel(new, one), strict=True))
        self.evaluations += len(new)
        return [
            [
                [
                    self._known[plan].get(workload, {}).get(metric, 0.0)
                    for workload, metric, _, _ in target.figures
                ]
                for target, plan in zip(targets, row, strict=True)
            ]
            for row in plans
        ]

    def _plan(self, target: _Target, position: npt.NDArray[np.float64]) -> str:
        document = read_document(self._scenario, "scenario")
        values: Mapping[str, str] = {
            parameter.path: parameter.text(float(at))
            for parameter, at in zip(self._parameters, position, strict=True)
        }
        apply_overrides(document, target.run.manifest.overrides, ("--free", values))
        return compile_plan(check_document(document)).to_json()


def _values(run: Record) -> dict[str, dict[str, float]]:
    names = dict.fromkeys(row["workload"] for row in run.rows("workloads"))
    return {
        name: {metric: figure.value for metric, figure in figures(run, name).items()}
        for name in names
    }


def _residuals(targets: list[_Target], answers: list[list[float]]) -> npt.NDArray[np.float64]:
    found = []
    for target, answer in zip(targets, answers, strict=True):
        for (_, _, measured, error), simulated in zip(target.figures, answer, strict=True):
            # Nothing simulated is far off, in a way that a search can use.
            found.append(math.log(max(simulated, 1e-6 * measured) / measured) / error)
    return np.array(found)


def _spread(
    slopes: npt.NDArray[np.float64], residuals: npt.NDArray[np.float64], names: list[str]
) -> tuple[list[float | None], list[tuple[str, str, float]]]:
    """Half widths of 95 % intervals of the logarithms, and correlations of each two.

    The covariance is s² (JᵀJ)⁻¹, with s² the sum of squares over the degrees of freedom, 1 at
    least: the stated errors of the figures count in full.
    """
    free = len(residuals) - len(names)
    inverse = np.linalg.pinv(slopes.T @ slopes)
    scale = max(1.0, float(residuals @ residuals) / free) if free > 0 else 1.0
    deviations = np.sqrt(np.maximum(0.0, np.diag(inverse)) * scale)
    blind = np.linalg.norm(slopes, axis=0) < 1e-6
    factor = t_quantile(0.975, free) if free > 0 else None
    halves: list[float | None] = [
        math.inf if unseen else None if factor is None else float(factor * deviation)
        for deviation, unseen in zip(deviations, blind, strict=True)
    ]
    plain = np.sqrt(np.maximum(1e-300, np.diag(inverse)))
    correlations = [
        (names[one], names[other], float(inverse[one, other] / plain[one] / plain[other]))
        for one in range(len(names))
        for other in range(one + 1, len(names))
    ]
    return halves, correlations


def _fitted(
    parameter: Parameter, at: float, half: float | None, bounds: tuple[float, float]
) -> Fitted:
    near = 1e-3 * (bounds[1] - bounds[0])
    is_wide = half is not None and half > UNKNOWN
    return Fitted(
        parameter,
        parameter.text(at),
        None if half is None or math.isinf(half) else parameter.text(max(at - half, bounds[0])),
        None if half is None or math.isinf(half) else parameter.text(min(at + half, bounds[1])),
        not is_wide,
        "lower" if at - bounds[0] < near else "upper" if bounds[1] - at < near else "",
    )
