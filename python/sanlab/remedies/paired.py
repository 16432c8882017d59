"""Two runs of the same scenario and seed compared bin by bin.

Both runs draw the same random numbers and meet the same events, so what differs in a bin is due to
the change: the differences scatter less than the runs (common random numbers; Law, *Simulation
Modeling and Analysis*, 2015, section 11.2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sanlab.compare.figures import Figure
from sanlab.compare.verdict import TOLERANCE, Line, judge, line_of
from sanlab.results.steady import LEAST_BINS
from sanlab.results.throughput import over_time
from sanlab.stats.interval import batch_means, mean_interval

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.explain.window import Window
    from sanlab.results.record import Record


@dataclass(frozen=True)
class Bins:
    """A workload over time; all arrays have the shape (bins,).

    Attributes
    ----------
    end_ps
        Ends of the bins.
    bytes, io_count
        Of the I/Os in each bin.
    response_ps
        Sum of the response times of the I/Os that completed in each bin.
    """

    end_ps: npt.NDArray[np.float64]
    bytes: npt.NDArray[np.float64]
    io_count: npt.NDArray[np.float64]
    response_ps: npt.NDArray[np.float64]

    @classmethod
    def of(cls, run: Record, workload: str) -> Bins:
        """The bins of a workload of a run."""
        series = over_time(run, workload)
        spans = np.diff(series.time_ps, prepend=0) / 1e12
        counts = series.iops * spans
        means = np.nan_to_num(series.response_mean_ps)
        return cls(
            series.time_ps.astype(np.float64), series.bytes_per_s * spans, counts, means * counts
        )

    def as_lists(self) -> dict[str, list[float]]:
        """As JSON can hold it."""
        return {name: getattr(self, name).tolist() for name in self.__dataclass_fields__}

    @classmethod
    def from_lists(cls, lists: dict[str, Any]) -> Bins:
        """The inverse of `as_lists`."""
        return cls(**{name: np.asarray(values, dtype=float) for name, values in lists.items()})

    def within(self, from_ps: float, to_ps: float, count: int) -> Bins:
        """The bins that lie in a time, of the first `count`."""
        starts = np.concatenate(([0.0], self.end_ps[:-1]))
        keep = (starts >= from_ps) & (self.end_ps <= to_ps)
        keep[count:] = False
        return Bins(*(getattr(self, name)[keep] for name in self.__dataclass_fields__))


def paired(
    workload: str, before: Bins, after: Bins, window: Window, measured: tuple[int, int]
) -> tuple[Line | None, Line | None]:
    """Compare throughput and mean response time of a workload in a window.

    Parameters
    ----------
    measured
        Simulated time in which its I/Os count: ramps do not.

    Returns
    -------
    Two lines, of throughput and of the mean response; None without I/O, and without an interval
    where there are fewer than 20 bins.
    """
    count = min(len(before.end_ps), len(after.end_ps))
    if not np.array_equal(before.end_ps[: count - 1], after.end_ps[: count - 1]):
        return None, None
    # The last bin of a run that ends with its work is shorter than that of the other.
    count -= int(before.end_ps[count - 1] != after.end_ps[count - 1])
    begin, end = max(window.from_ps, measured[0]), min(window.to_ps, measured[1])
    one, other = before.within(begin, end, count), after.within(begin, end, count)
    bins = min(len(one.end_ps), len(other.end_ps))
    if not bins:
        return None, None
    span = float(np.diff(before.end_ps, prepend=0.0)[0]) / 1e12
    throughput = _line(
        workload,
        "throughput",
        (float(one.bytes.mean()) / span, float(other.bytes.mean()) / span),
        batch_means((other.bytes - one.bytes) / span).half_width if bins >= LEAST_BINS else None,
    )
    return throughput, _mean(workload, one, other)


def repeated(lines: list[Line | None]) -> Line | None:
    """One line for pairs of runs with different seeds: Student's interval of the differences.

    The figures are those of the first pair. Events at fixed times make the bins of a run so unlike
    that they cannot tell what a change does; the same events in other seeds can.
    """
    known = [line for line in lines if line is not None and line.difference is not None]
    if len(known) < len(lines) or not known:
        return lines[0]
    interval = mean_interval([line.difference or 0.0 for line in known])
    gain = interval.mean if known[0].metric == "throughput" else -interval.mean
    verdict = judge(gain, interval.half_width, TOLERANCE)
    return replace(
        known[0], difference=interval.mean, half_width=interval.half_width, verdict=verdict
    )


def _mean(workload: str, before: Bins, after: Bins) -> Line | None:
    """The mean response time, a ratio of two sums; its interval by linearisation.

    Bin by bin (S - m N) / mean(N) has the mean 0, and the scatter of the ratio m = S / N to the
    first order (Cochran, *Sampling Techniques*, 1977, section 2.11).
    """
    means, parts = [], []
    for one in (before, after):
        ios = float(one.io_count.sum())
        if not ios:
            return None
        mean = float(one.response_ps.sum()) / ios
        means.append(mean)
        parts.append((one.response_ps - mean * one.io_count) / float(one.io_count.mean()))
    is_long = len(before.end_ps) >= LEAST_BINS
    half = batch_means(parts[1] - parts[0]).half_width if is_long else None
    return _line(workload, "mean", (means[0], means[1]), half)


def _line(
    workload: str,
    metric: Literal["throughput", "mean"],
    values: tuple[float, float],
    half: float | None,
) -> Line:
    """The line of two figures with an interval of their difference, known from pairs of bins."""
    before, after = values
    line = line_of(workload, metric, Figure(before), Figure(after), TOLERANCE)
    if half is None or line.difference is None:
        return line
    share = half / before
    gain = line.difference if metric == "throughput" else -line.difference
    return replace(line, half_width=share, verdict=judge(gain, share, TOLERANCE))
