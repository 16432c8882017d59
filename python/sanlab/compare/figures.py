"""Figures of a run that a comparison shows, with confidence intervals where there are any."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from sanlab.results.latency import has_percentile, merged_histogram, percentile
from sanlab.results.ports import on_links
from sanlab.results.steady import half_widths
from sanlab.results.throughput import totals

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.results.latency import Histogram
    from sanlab.results.record import Record

#: Quantile of the normal distribution for intervals of 95 %.
_Z = 1.96


@dataclass(frozen=True)
class Figure:
    """A value, and half the width of its 95 % confidence interval; None if that is not known."""

    value: float
    half_width: float | None = None


@dataclass(frozen=True)
class Metric:
    """What a figure means.

    Attributes
    ----------
    title
        In words.
    unit
        `B/s`, `1/s`, `ps` or `1` (a share).
    is_better
        1 if more is better, -1 if less is, 0 if neither is.
    """

    title: str
    unit: str
    is_better: int


METRICS: Final[dict[str, Metric]] = {
    "throughput": Metric("throughput", "B/s", 1),
    "iops": Metric("I/Os per second", "1/s", 1),
    "mean": Metric("mean response", "ps", -1),
    "p50": Metric("p50 response", "ps", -1),
    "p99": Metric("p99 response", "ps", -1),
    "p99_9": Metric("p99.9 response", "ps", -1),
    "worst": Metric("longest response", "ps", -1),
    "stall": Metric("longest stall", "ps", -1),
    "errors": Metric("failed I/Os", "", -1),
    "cpu": Metric("processors of hosts", "1", 0),
    "credit_wait": Metric("longest credit wait of a port", "1", 0),
}
#: Metrics that decide the verdict of a workload.
DECISIVE = ("throughput", "mean", "p99", "errors")
_PERCENTS = {"p50": 50.0, "p99": 99.0, "p99_9": 99.9}


def figures(run: Record, workload: str | None, op: str | None = None) -> dict[str, Figure]:
    """Return the figures of a workload or one of its operations, or of all together, by metric.

    Intervals of rates and means are by batch means over the bins of the time that the figures are
    of; see `sanlab.results.steady.half_widths` where workloads count in different times. Those of
    percentiles are by order statistics, made wider by what the likeness of neighbours does to the
    interval of the mean. The longest response has none.
    """
    rows = [
        row
        for row in run.rows("workloads")
        if workload in (None, row["workload"]) and op in (None, row["op"])
    ]
    count = sum(row["io_count"] for row in rows)
    bytes_per_s = sum(row["throughput_bytes_per_s"] for row in rows)
    iops = sum(row["iops"] for row in rows)
    if workload is None and op is None:
        together = totals(run)  # rates of jobs that follow one another are not added
        bytes_per_s, iops = together.throughput_bytes_per_s or 0.0, together.iops or 0.0
    found = {
        "throughput": Figure(bytes_per_s),
        "iops": Figure(iops),
        "errors": Figure(float(sum(row["error_count"] for row in rows)), 0.0),
    }
    halves = half_widths(run, workload, op)
    found["throughput"] = replace(found["throughput"], half_width=halves.throughput_bytes_per_s)
    found["iops"] = replace(found["iops"], half_width=halves.iops)
    if count:
        half = halves.response_mean_ps
        spent = sum(row["response_mean_ps"] * row["io_count"] for row in rows)
        found["mean"] = Figure(spent / count, half)
        histogram = merged_histogram(run, workload, op)
        for name, percent in _PERCENTS.items():
            if has_percentile(count, percent):
                found[name] = _percentile(histogram, percent, half)
        found["worst"] = Figure(float(max(row["response_max_ps"] for row in rows)))
    if workload is None:
        found |= _of_the_san(run)
    return found


def _of_the_san(run: Record) -> dict[str, Figure]:
    processors = [row for row in run.rows("stations") if row["kind"] == "cpu"]
    servers = sum(row["servers"] for row in processors)
    busy = sum(row["utilisation"] * row["servers"] for row in processors)
    waits = [row["tx_credit_wait_ps"] for row in on_links(run)]
    span = max(1, run.manifest.simulated_ps)
    found = {"credit_wait": Figure(max(waits) / span)} if waits else {}
    return found | ({"cpu": Figure(busy / servers)} if servers else {})


def _percentile(histogram: Histogram, percent: float, mean_half_width: float | None) -> Figure:
    """A percentile and the half width between its order statistics.

    Of n independent values the rank of the p-quantile has the standard deviation
    sqrt(n p (1 - p)) (David and Nagaraja, *Order Statistics*, 2003, section 7.1). Response times of
    neighbours are alike. That makes the interval of their mean wider than that of n independent
    values by a factor, the square root of the design effect, which is applied to the rank too.
    Without an interval of the mean the percentile has no interval either.
    """
    value = percentile(histogram, percent) or 0.0
    if mean_half_width is None:
        return Figure(value)
    middles = (histogram.low_ps.astype(float) + histogram.high_ps.astype(float)) / 2
    counts = histogram.count.astype(float)
    count, share = histogram.total, percent / 100
    mean = float(middles @ counts) / count
    deviation = math.sqrt(float((middles - mean) ** 2 @ counts) / count)
    alone = _Z * deviation / math.sqrt(count)
    wider = max(1.0, mean_half_width / alone) if alone else 1.0
    spread = wider * _Z * math.sqrt(count * share * (1 - share))
    ranks = [max(1.0, min(count, count * share + sign * spread)) for sign in (-1, 1)]
    sums = np.cumsum(histogram.count)
    low, high = (
        float(histogram.high_ps[min(int(np.searchsorted(sums, rank)), len(sums) - 1)])
        for rank in ranks
    )
    return Figure(value, max(0.0, (high - low) / 2))


def show(metric: str) -> Callable[[float], str]:
    """Return the function that writes a figure of a metric."""
    from sanlab.words import show_count, show_percent, show_rate, show_time

    unit = METRICS[metric].unit
    if unit == "ps":
        return show_time
    if unit == "B/s":
        return show_rate
    return show_percent if unit == "1" else lambda value: show_count(round(value))


def show_figure(metric: str, figure: Figure | None, *, is_relative: bool) -> str:
    """Write a figure with half of its interval, as a share of it or in its own unit."""
    from sanlab.words import show_half_width

    if figure is None:
        return "–"
    write = show(metric)
    shown = write(figure.value)
    if not figure.half_width or not figure.value:
        return shown
    if is_relative:
        return f"{shown} {show_half_width(figure.half_width / figure.value)}"
    return f"{shown} ± {write(figure.half_width)}"
