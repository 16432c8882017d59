"""Response times and frame latencies, as distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.results.record import Record

#: Percentiles of a tail, as a report shows them.
TAIL = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)


@dataclass(frozen=True)
class Histogram:
    """Counts in bins that grow with the value.

    Attributes
    ----------
    low_ps, high_ps
        Bounds of the bins in picoseconds, shape (bins,), ascending; `high_ps` is not included.
    count
        How many, shape (bins,).
    """

    low_ps: npt.NDArray[np.uint64]
    high_ps: npt.NDArray[np.uint64]
    count: npt.NDArray[np.uint64]

    @property
    def total(self) -> int:
        """How many there are in all."""
        return int(self.count.sum())


def merged_histogram(run: Record, workload: str | None = None, op: str | None = None) -> Histogram:
    """Response times of all I/Os of a run, or of one workload or operation."""
    table = run.table("response_histogram")
    keep = np.ones(table.num_rows, dtype=bool)
    for name, wanted in (("workload", workload), ("op", op)):
        if wanted is not None:
            keep &= texts(table, name) == wanted
    return _merge(
        numbers(table, "low_ps")[keep],
        numbers(table, "high_ps")[keep],
        numbers(table, "io_count")[keep],
    )


def frame_histogram(run: Record, latency: str = "network") -> Histogram:
    """Latencies of all frames; `latency` is `network` or `end_to_end`."""
    table = run.table("frame_histogram")
    keep = texts(table, "latency") == latency
    return _merge(
        numbers(table, "low_ps")[keep],
        numbers(table, "high_ps")[keep],
        numbers(table, "frames_count")[keep],
    )


def has_percentile(io_count: int, percent: float) -> bool:
    """Whether there are enough I/Os to have one beyond this percentile.

    >>> has_percentile(9_999, 99.99), has_percentile(10_000, 99.99)
    (False, True)
    """
    return io_count * (100 - percent) >= 100 - 1e-6


def percentile(histogram: Histogram, percent: float) -> float | None:
    """Value in picoseconds that `percent` of the counts do not exceed; None without counts.

    The value is the middle of the bin of the percentile, so its error is half the width of a bin.

    >>> three = np.array([10, 20, 40], dtype=np.uint64)
    >>> counts = np.array([98, 1, 1], dtype=np.uint64)
    >>> percentile(Histogram(three, three + np.uint64(2), counts), 99)
    20.5
    """
    total = histogram.total
    if total == 0:
        return None
    rank = max(1, int(np.ceil(total * percent / 100 - 1e-9)))
    index = int(np.searchsorted(np.cumsum(histogram.count), rank))
    low, high = int(histogram.low_ps[index]), int(histogram.high_ps[index])
    return (low + max(low, high - 1)) / 2


def response_percentiles(
    run: Record,
    percents: tuple[float, ...] = TAIL,
    *,
    workload: str | None = None,
    op: str | None = None,
) -> dict[float, float]:
    """Response time in picoseconds at each of `percents` with enough I/Os beyond it."""
    histogram = merged_histogram(run, workload, op)
    found = {
        percent: percentile(histogram, percent)
        for percent in percents
        if has_percentile(histogram.total, percent)
    }
    return {percent: value for percent, value in found.items() if value is not None}


def _merge(
    low: npt.NDArray[np.uint64], high: npt.NDArray[np.uint64], count: npt.NDArray[np.uint64]
) -> Histogram:
    """Add up the counts of equal bins; the engine cuts all its histograms at the same places."""
    lows, first, where = np.unique(low, return_index=True, return_inverse=True)
    counts = np.zeros(len(lows), dtype=np.uint64)
    np.add.at(counts, where, count.astype(np.uint64))
    return Histogram(lows, high[first], counts)
