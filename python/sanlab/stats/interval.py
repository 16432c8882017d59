"""Confidence intervals of means, over repeats and over batches of one run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sanlab.stats.student import t_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

#: Confidence of every interval that is printed.
CONFIDENCE = 0.95
#: Numbers of batches to try, most first.
BATCH_COUNTS = (32, 24, 16, 10)
#: Range that few Brownian bridges are below: 2.2 %.
LEAST_RANGE = 0.8


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its confidence interval.

    Attributes
    ----------
    mean
        The mean of the values.
    half_width
        The true mean lies within `mean` ± `half_width` with 95 % confidence; None if there are
        too few values to tell.
    count
        How many independent values it rests on: repeats, or batches of one run.
    """

    mean: float
    half_width: float | None
    count: int

    @property
    def relative(self) -> float | None:
        """Half width as a share of the mean; None if either is missing or the mean is 0."""
        if self.half_width is None or self.mean == 0:
            return None
        return self.half_width / abs(self.mean)


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Student's interval of the mean of independent values, such as repeats.

    >>> found = mean_interval([9.0, 10.0, 11.0])
    >>> found.mean, round(found.half_width, 3)
    (10.0, 2.484)
    """
    array = np.asarray(values, dtype=float)
    mean = float(array.mean())
    if len(array) < 2:
        return Interval(mean, None, len(array))
    error = float(array.std(ddof=1)) / math.sqrt(len(array))
    half = t_quantile((1 + confidence) / 2, len(array) - 1) * error
    return Interval(mean, half, len(array))


def batch_means(
    series: npt.NDArray[np.float64], confidence: float = CONFIDENCE, weights: object = None
) -> Interval:
    """Interval of the mean of one correlated series, by non-overlapping batch means.

    Neighbours of a series are alike, which makes the plain interval too narrow. The series is cut
    into batches, so long that the means of neighbouring batches are no longer alike: of 32, 24, 16
    and 10 batches the first whose lag-one autocorrelation is not significant at 10 %. Where even
    10 are, 10 are taken. What likeness is left widens the interval by sqrt((1 + r) / (1 - r)),
    exact where it decays geometrically (Tafazzoli, Steiger and Wilson, *N-Skart*, IEEE Transactions
    on Automatic Control 56, 2011). The interval is never wider than the wandering of the sum
    allows: see `_widest`. Where `weights` are given, each value counts that many times.
    """
    values = np.asarray(series, dtype=float)
    counts = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    total = float(counts.sum())
    mean = float((values * counts).sum() / total) if total else math.nan
    wanted = [count for count in BATCH_COUNTS if len(values) >= 2 * count]
    if not wanted or not total:
        return Interval(mean, None, 0)
    means = np.empty(0)
    for count in wanted:
        means = _batches(values, counts, count)
        if _lag_one(means) < 1.645 / math.sqrt(count):
            break
    half = mean_interval([float(value) for value in means], confidence).half_width
    likeness = min(0.9, max(0.0, _lag_one(means)))
    widened = None if half is None else half * math.sqrt((1 + likeness) / (1 - likeness))
    widest = _widest((values - mean) * counts, confidence) / total
    return Interval(mean, None if widened is None else min(widened, widest), len(means))


def _widest(steps: npt.NDArray[np.float64], confidence: float) -> float:
    """Largest half width of a sum that its path from the first step to the last allows.

    Whole I/Os in bins of a fraction more than one alternate: 1, 2, 1, 2. Batches of few bins differ
    by an I/O each, although the sum never leaves its straight line by more than one. Around that
    line a sum of random steps is a Brownian bridge, and its range over s * sqrt(n) has Kuiper's
    distribution (Kuiper, *Tests concerning random points on a circle*, Indagationes Mathematicae
    22, 1960). 2.2 % are below `LEAST_RANGE`, so the range gives an upper bound of s. The range
    does not depend on the end of the sum, so the bound keeps the confidence.
    Between the ends of bins the path goes 0.58 of a step further, twice (Siegmund, *Sequential
    Analysis*, 1985).
    """
    path = np.concatenate(([0.0], np.cumsum(steps)))
    reach = float(path.max() - path.min()) + 2 * 0.5826 * float(steps.std())
    return t_quantile((1 + confidence) / 2, len(steps) - 1) * reach / LEAST_RANGE


def _batches(
    values: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], count: int
) -> npt.NDArray[np.float64]:
    """Means of `count` batches that hold all values; lengths differ by one at most.

    A batch that were left out would take what is in it, such as a burst at the beginning, out of
    the interval of a mean that includes it.
    """
    begins = np.arange(count) * len(values) // count
    sums = np.add.reduceat(values * counts, begins)
    sizes = np.add.reduceat(counts, begins)
    kept = sizes > 0
    return np.asarray(sums[kept] / sizes[kept])


def _lag_one(means: npt.NDArray[np.float64]) -> float:
    """Correlation of each batch with the next."""
    off = means - means.mean()
    spread = float((off * off).sum())
    # What differs only by rounding is constant.
    if spread <= 1e-18 * float((means * means).sum()):
        return 0.0
    return float((off[1:] * off[:-1]).sum()) / spread
