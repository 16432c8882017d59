"""The steady part of a run: its start, and confidence intervals of its means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sanlab.results.throughput import Series, has_order, over_time
from sanlab.stats.interval import Interval, batch_means
from sanlab.stats.warmup import WarmUp, mser5, steady_window

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from sanlab.results.record import Record

#: Rules that find the warm-up, by the name they are asked for.
RULES: Final[dict[str, Callable[[npt.NDArray[np.float64]], WarmUp] | None]] = {
    "mser5": mser5,
    "pts": steady_window,
    "none": None,
}
#: Fewest bins of a time series that intervals are made of.
LEAST_BINS = 20


@dataclass(frozen=True)
class Steady:
    """Means of the steady part of a run, each with its 95 % confidence interval.

    Attributes
    ----------
    rule
        Rule that found the end of the warm-up: `MSER-5`, `SNIA PTS` or `none`.
    is_settled
        False if the rule found no steady part; then all I/Os after the ramp count.
    from_ps, to_ps
        Simulated time in which I/Os count: whole bins; ramps never count.
    bin_ps
        Length of a bin.
    iops, throughput_bytes_per_s, response_mean_ps
        Means over the bins from there on, with intervals by batch means.
    """

    rule: str
    is_settled: bool
    from_ps: int
    to_ps: int
    bin_ps: int
    iops: Interval
    throughput_bytes_per_s: Interval
    response_mean_ps: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`; times in seconds and microseconds."""

        def shown(interval: Interval, factor: float = 1.0) -> dict[str, Any]:
            half = interval.half_width
            return {
                "mean": interval.mean * factor,
                "half_width": None if half is None else half * factor,
            }

        return {
            "warm_up_rule": self.rule,
            "is_settled": self.is_settled,
            "from_s": self.from_ps / 1e12,
            "to_s": self.to_ps / 1e12,
            "confidence": 0.95,
            "iops": shown(self.iops),
            "throughput_bytes_per_s": shown(self.throughput_bytes_per_s),
            "response_mean_us": shown(self.response_mean_ps, 1e-6),
        }


def steady(
    run: Record, workload: str | None = None, op: str | None = None, rule: str = "mser5"
) -> Steady | None:
    """Return the steady part of a run, of one workload or operation, or of all.

    The warm-up is looked for in I/Os per second and in the mean response time of each bin of the
    time series; the later end counts. None if there are no means to be sure of: fewer than 20
    bins, no I/O, workloads that end by themselves or wait for others, or a rate that changes.
    """
    window = _window(run, workload)
    if window is None or "workload_series" not in run.tables:
        return None
    series = _within(over_time(run, workload, op), *window)
    if len(series.time_ps) < LEAST_BINS or not series.iops.any():
        return None
    warm_up = _warm_up(series, rule)
    first = warm_up.first if warm_up.is_settled else 0
    span = int(np.diff(series.time_ps)[0])
    counts = series.iops[first:] * span
    means = np.where(counts > 0, np.nan_to_num(series.response_mean_ps[first:]), 0.0)
    return Steady(
        rule=warm_up.rule,
        is_settled=warm_up.is_settled,
        from_ps=int(series.time_ps[first]) - span,
        to_ps=int(series.time_ps[-1]),
        bin_ps=span,
        iops=batch_means(series.iops[first:]),
        throughput_bytes_per_s=batch_means(series.bytes_per_s[first:]),
        response_mean_ps=batch_means(means, weights=counts),
    )


@dataclass(frozen=True)
class HalfWidths:
    """Half the 95 % intervals of the figures of a run, over the same time as those.

    None where they are not known.
    """

    iops: float | None = None
    throughput_bytes_per_s: float | None = None
    response_mean_ps: float | None = None


def half_widths(run: Record, workload: str | None = None, op: str | None = None) -> HalfWidths:
    """Return the half widths of the figures in the table `workloads`, or of all together.

    Where workloads count in different times, the rates of each over its own time are added, and so
    are their half widths: the scatter of a sum is at most the sum of the scatters.
    """
    rows = [
        row
        for row in run.rows("workloads")
        if workload in (None, row["workload"]) and op in (None, row["op"])
    ]
    spans = {(row["from_ps"], row["from_ps"] + row["window_ps"]) for row in rows}
    if len(spans) == 1:
        return _of_one_span(steady(run, workload, op, rule="none"), *spans.pop())
    names = list(dict.fromkeys(row["workload"] for row in rows))
    if len(names) < 2 or has_order(run):
        return HalfWidths()
    own = [half_widths(run, name, op) for name in names]
    return HalfWidths(
        _sum([one.iops for one in own]),
        _sum([one.throughput_bytes_per_s for one in own]),
        _of_joint_mean([[row for row in rows if row["workload"] == name] for name in names], own),
    )


def _of_one_span(judged: Steady | None, from_ps: int, to_ps: int) -> HalfWidths:
    """The half widths of all bins of a span; nothing if they are of another one."""
    if judged is None:
        return HalfWidths()
    bin_ps = judged.bin_ps
    if abs(judged.from_ps - from_ps) >= bin_ps or abs(judged.to_ps - to_ps) >= bin_ps:
        return HalfWidths()
    return HalfWidths(
        judged.iops.half_width,
        judged.throughput_bytes_per_s.half_width,
        judged.response_mean_ps.half_width,
    )


def _of_joint_mean(rows: list[list[dict[str, Any]]], own: list[HalfWidths]) -> float | None:
    """The half width of the mean of all I/Os: of the means, and of the shares of the workloads."""
    counts = [sum(row["io_count"] for row in of) for of in rows]
    spent = [sum(row["io_count"] * row["response_mean_ps"] for row in of) for of in rows]
    rates = [sum(row["iops"] for row in of) for of in rows]
    total = sum(counts)
    found = 0.0
    for count, time, rate, one in zip(counts, spent, rates, own, strict=True):
        if not count:
            continue
        if one.iops is None or one.response_mean_ps is None:
            return None
        away = abs(time / count - sum(spent) / total)
        found += count / total * (one.response_mean_ps + away * one.iops / rate)
    return found


def _sum(halves: list[float | None]) -> float | None:
    known = [half for half in halves if half is not None]
    return sum(known) if len(known) == len(halves) else None


def _warm_up(series: Series, rule: str) -> WarmUp:
    find = RULES[rule]
    if find is None:
        return WarmUp("none", 0, is_settled=True)
    found = [find(series.iops)]
    if not np.isnan(series.response_mean_ps).any():
        found.append(find(series.response_mean_ps))
    latest = max(found, key=lambda warm_up: warm_up.first)
    return WarmUp(latest.rule, latest.first, all(warm_up.is_settled for warm_up in found))


def _window(run: Record, workload: str | None) -> tuple[int, int] | None:
    """Time in which every job counts.

    None if one ends with its bytes or changes its rate, or workloads wait for each other.
    """
    names = [row["name"] for row in run.plan["workloads"]]
    jobs = [
        job for job in run.plan["jobs"] if workload is None or names[job["workload"]] == workload
    ]
    if not jobs or has_order(run) or any(job["total_bytes"] or job.get("load") for job in jobs):
        return None
    stops = [job["stop_ps"] for job in jobs if job["stop_ps"] is not None]
    begin = max(job["start_ps"] + job["ramp_ps"] for job in jobs)
    return begin, min([run.manifest.simulated_ps, *stops])


def _within(series: Series, begin: int, end: int) -> Series:
    """The whole bins of a window: a last one that was cut short is left out."""
    spans = np.diff(series.time_ps, prepend=0)
    longest = spans.max(initial=0)
    keep = (series.time_ps - spans >= begin) & (series.time_ps <= end) & (spans == longest)
    return Series(
        series.time_ps[keep],
        series.iops[keep],
        series.bytes_per_s[keep],
        series.response_mean_ps[keep],
        series.response_max_ps[keep],
        series.error_count[keep],
    )
