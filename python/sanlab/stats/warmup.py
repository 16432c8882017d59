"""Start of the steady part of a series: MSER-5, and the steady-state test of SNIA's PTS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

#: Values of the series in one batch of MSER-5.
BATCH = 5
#: Rounds a series is cut into for the steady-state test, and rounds of its window.
ROUNDS, WINDOW = 25, 5
#: SNIA's limits: range of the rounds in the window, and rise or fall of the line through them, as
#: shares of their mean.
EXCURSION, SLOPE = 0.20, 0.10


@dataclass(frozen=True, slots=True)
class WarmUp:
    """The start of the steady part of a series.

    Attributes
    ----------
    rule
        `MSER-5`, `SNIA PTS` or `none`.
    first
        Index of the first value that counts.
    is_settled
        False where the rule found no steady part; `first` is then its best guess.
    """

    rule: str
    first: int
    is_settled: bool


def mser5(series: npt.NDArray[np.float64]) -> WarmUp:
    """The start that makes the marginal standard error of the rest least.

    With z the means of batches of five, d minimises sum((z_i - mean)²) / (n - d)² over i >= d, d
    up to half of them. A minimum at the very end of the search means that the series does not
    settle. White, *An effective truncation heuristic for bias reduction in simulation output*,
    Simulation 69 (1997); White, Cobb and Spratt, *A comparison of five steady-state truncation
    heuristics*, Winter Simulation Conference 2000.

    >>> import numpy as np
    >>> mser5(np.array([9.0] * 20 + [1.0, 2.0] * 60)).first
    20
    """
    values = np.asarray(series, dtype=float)
    count = len(values) // BATCH
    if count < 4:
        return WarmUp("MSER-5", 0, is_settled=False)
    means = values[: count * BATCH].reshape(count, BATCH).mean(axis=1)
    best, best_error = 0, np.inf
    least = 1e-12 * float(np.abs(means).max())
    for start in range(count // 2 + 1):
        rest = means[start:]
        error = max(float(rest.std()), least) / np.sqrt(len(rest))
        if error < best_error * (1 - 1e-9):
            best, best_error = start, error
    return WarmUp("MSER-5", best * BATCH, is_settled=best < count // 2)


def steady_window(series: npt.NDArray[np.float64]) -> WarmUp:
    """The first window that passes SNIA's steady-state test.

    The series is cut into 25 rounds. A window of five is steady where their largest and smallest
    differ by no more than 20 % of their mean, and the straight line through them rises or falls by
    no more than 10 % of it: SNIA, *Solid State Storage Performance Test Specification*, "Steady
    State". Everything from the first steady window on counts.

    >>> import numpy as np
    >>> steady_window(np.concatenate((np.linspace(9, 1, 40), np.ones(60)))).first
    40
    """
    values = np.asarray(series, dtype=float)
    length = len(values) // ROUNDS
    if length == 0:
        return WarmUp("SNIA PTS", 0, is_settled=False)
    rounds = values[: ROUNDS * length].reshape(ROUNDS, length).mean(axis=1)
    for start in range(ROUNDS - WINDOW + 1):
        if _is_steady(rounds[start : start + WINDOW]):
            return WarmUp("SNIA PTS", start * length, is_settled=True)
    return WarmUp("SNIA PTS", (ROUNDS - WINDOW) * length, is_settled=False)


def _is_steady(window: npt.NDArray[np.float64]) -> bool:
    mean = abs(float(window.mean()))
    at = np.arange(len(window)) - (len(window) - 1) / 2
    slope = float((at * (window - window.mean())).sum() / (at * at).sum())
    excursion = float(window.max() - window.min())
    return excursion <= EXCURSION * mean and abs(slope) * (len(window) - 1) <= SLOPE * mean
