"""I/Os and bytes per second, in all and over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sanlab.simulation.tables import numbers, texts
from sanlab.words import show_percent, show_time

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.results.record import Record


#: Share of the bytes counted from which on open I/Os are worth a note.
OPEN_NOTED = 0.02


@dataclass(frozen=True)
class Totals:
    """All workloads of a run together.

    Attributes
    ----------
    io_count
        I/Os in the measured windows.
    error_count
        I/Os that failed there; they are not in `io_count`.
    iops, throughput_bytes_per_s
        Sums of the workloads' rates, each over its own window; where workloads wait for others, of
        all I/Os over the time from the first window to the last. None without I/O.
    open_share
        Share of the bytes that belongs to I/Os which were open at the end; None without I/O.
    response_mean_ps
        Mean over I/Os; None without I/O.
    """

    io_count: int
    error_count: int
    iops: float | None
    throughput_bytes_per_s: float | None
    open_share: float | None
    response_mean_ps: float | None


@dataclass(frozen=True)
class Series:
    """Rates over time; all arrays have the shape (bins,).

    Attributes
    ----------
    time_ps
        End of each bin.
    iops, bytes_per_s
        Rates in the bin.
    response_mean_ps
        Mean over the I/Os that completed in the bin; not a number where none did.
    response_max_ps
        Longest of them.
    error_count
        I/Os that failed in the bin.
    """

    time_ps: npt.NDArray[np.int64]
    iops: npt.NDArray[np.float64]
    bytes_per_s: npt.NDArray[np.float64]
    response_mean_ps: npt.NDArray[np.float64]
    response_max_ps: npt.NDArray[np.int64]
    error_count: npt.NDArray[np.int64]


def totals(run: Record) -> Totals:
    """I/Os, rates and mean response time of all workloads together."""
    rows = run.rows("workloads")
    count = sum(row["io_count"] for row in rows)
    errors = sum(row.get("error_count", 0) for row in rows)
    if count == 0:
        return Totals(0, errors, None, None, None, None)
    spent = sum(row["response_mean_ps"] * row["io_count"] for row in rows)
    iops = sum(row["iops"] for row in rows)
    bytes_per_s = sum(row["throughput_bytes_per_s"] for row in rows)
    if has_order(run):
        begin = min(row["from_ps"] for row in rows)
        seconds = (max(row["from_ps"] + row["window_ps"] for row in rows) - begin) / 1e12
        iops, bytes_per_s = count / seconds, sum(row["bytes"] for row in rows) / seconds
    return Totals(
        io_count=count,
        error_count=errors,
        iops=iops,
        throughput_bytes_per_s=bytes_per_s,
        open_share=_open_share(rows),
        response_mean_ps=spent / count,
    )


def _open_share(rows: list[dict[str, Any]]) -> float:
    """Share of the bytes of workloads that belongs to I/Os which were open at the end."""
    # Runs of earlier versions have no such column.
    open_bytes: int = sum(row.get("open_bytes", 0) for row in rows)
    if not open_bytes:
        return 0.0
    counted: int = sum(row["bytes"] for row in rows)
    return min(open_bytes / max(counted, 1), 1.0)


def note_on_open(open_share: float | None) -> str | None:
    """Say how much of a throughput is of I/Os that were open at the end; None where it is little.

    >>> note_on_open(0.25)
    '25 % of the bytes are of I/Os still open at the end, which IOPS omits: run longer'
    >>> note_on_open(0.02)
    """
    if open_share is None or open_share <= OPEN_NOTED:
        return None
    share = show_percent(open_share)
    return f"{share} of the bytes are of I/Os still open at the end, which IOPS omits: run longer"


#: Most workloads whose own times are named.
SPANS_SHOWN = 3


def note_on_span(run: Record) -> str | None:
    """Say which time the figures of a run are of; None where that is the whole run, or unknown."""
    spans: dict[str, tuple[int, int]] = {}
    for row in run.rows("workloads"):
        begin, end = row["from_ps"], row["from_ps"] + row["window_ps"]
        known = spans.get(row["workload"], (begin, end))
        spans[row["workload"]] = min(begin, known[0]), max(end, known[1])
    different = set(spans.values())
    if different <= {(0, run.manifest.simulated_ps)} or has_order(run):
        return None
    if len(different) == 1:
        return f"measured {_in_words(different.pop())}"
    shown = [f"{name} {_in_words(span)}" for name, span in list(spans.items())[:SPANS_SHOWN]]
    more = len(spans) - SPANS_SHOWN
    rest = f" and {more} more" if more > 0 else ""
    return f"each workload measured in its own time, rates added: {', '.join(shown)}{rest}"


def _in_words(span: tuple[int, int]) -> str:
    return f"from {show_time(span[0])} to {show_time(span[1])}"


def has_order(run: Record) -> bool:
    """Whether a workload waits for another, so that their rates belong to different times."""
    return any(workload.get("after") for workload in run.plan.get("workloads", ()))


def over_time(run: Record, workload: str | None = None, op: str | None = None) -> Series:
    """Rates and response times over time, of one workload or operation, or of all together."""
    table = run.table("workload_series")
    keep = np.ones(table.num_rows, dtype=bool)
    for name, wanted in (("workload", workload), ("op", op)):
        if wanted is not None:
            keep &= texts(table, name) == wanted
    stamps = numbers(table, "time_ps").astype(np.int64)[keep]
    times, where = np.unique(stamps, return_inverse=True)

    def summed(column: str) -> npt.NDArray[np.float64]:
        result = np.zeros(len(times))
        np.add.at(result, where, numbers(table, column)[keep].astype(np.float64))
        return result

    longest = np.zeros(len(times), dtype=np.int64)
    np.maximum.at(longest, where, numbers(table, "response_max_ps").astype(np.int64)[keep])
    count = summed("io_count")
    # Runs of earlier versions have no such column.
    failed = summed("error_count") if "error_count" in table.column_names else np.zeros(len(times))
    spans = np.diff(times, prepend=0) / 1e12
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, summed("response_sum_ps") / count, np.nan)
        rates = count / spans, summed("bytes") / spans
    return Series(times, *rates, mean, longest, failed.astype(np.int64))
