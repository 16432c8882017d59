"""Output of fio as the tables that a simulated run has: workloads, time series, histograms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from sanlab.results.columns import PERCENTILES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy.typing as npt

    from sanlab.measurement.job import Section

#: Directions of fio's logs.
_DIRECTIONS: Final[dict[str, int]] = {"read": 0, "write": 1}
#: Bits of the index of a bin of fio's histograms (FIO_IO_U_PLAT_BITS).
_PLAT_BITS = 6
PS_PER_NS, PS_PER_MS = 1000, 1_000_000_000
_FLOATS = ("iops", "throughput_bytes_per_s", "response_mean_ps")


@dataclass
class _Flow:
    """One workload and operation, over all its sections."""

    io_count: int = 0
    bytes: int = 0
    spent_ns: float = 0.0
    least_ns: float = float("inf")
    longest_ns: float = 0.0
    seconds: float = 0.0
    rate_iops: float = 0.0
    rate_bytes: float = 0.0
    from_ms: int = 0
    window_ms: int = 0
    histogram: dict[int, int] = field(default_factory=dict)


def tables_of(
    document: dict[str, Any], sections: list[Section], folder: Path, interval_ms: int
) -> dict[str, pa.Table]:
    """Return the tables of a measurement.

    Parameters
    ----------
    document
        JSON of fio, with the histograms of `json+`.
    folder
        Where its logs are.
    interval_ms
        Length of a bin.
    """
    jobs = {job["jobname"]: job for job in document["jobs"]}
    flows: dict[tuple[str, str], _Flow] = {}
    for section in sections:
        for op in _DIRECTIONS:
            data = jobs[section.name][op]
            if data["total_ios"]:
                _add(flows.setdefault((section.workload, op), _Flow()), section, data)
    return {
        "workloads": _table("workloads", [_row(*key, flow) for key, flow in flows.items()]),
        "workload_series": _table(
            "workload_series", list(_series(flows, sections, Logs(folder, jobs), interval_ms))
        ),
        "response_histogram": _table(
            "response_histogram",
            [
                {"workload": workload, "op": op, "low_ps": low, "high_ps": high, "io_count": count}
                for (workload, op), flow in flows.items()
                for (low, high), count in sorted(
                    (_limits_ps(value), count) for value, count in flow.histogram.items()
                )
            ],
        ),
    }


def _add(flow: _Flow, section: Section, data: dict[str, Any]) -> None:
    latency = data["lat_ns"]
    # With a ramp, fio's total has the I/Os that began after it, and the histogram and the bytes all
    # that ended after it, some of them after the last one began. Only the first are those of a time
    # that is known: of the one in which I/Os begin.
    count = _count(data)
    seconds = data["runtime"] / 1000
    began = 1.0
    if section.ramp_ms and data["total_ios"] < count:
        began = data["total_ios"] / count
        seconds = min(seconds, section.run_ms / 1000)
    flow.io_count += count
    flow.bytes += data["io_bytes"]
    flow.spent_ns += latency["mean"] * count
    flow.least_ns = min(flow.least_ns, latency["min"])
    flow.longest_ns = max(flow.longest_ns, latency["max"])
    flow.rate_iops += began * count / seconds if seconds else 0.0
    flow.rate_bytes += began * data["io_bytes"] / seconds if seconds else 0.0
    flow.from_ms = section.start_ms + section.ramp_ms
    flow.window_ms = max(flow.window_ms, data["runtime"])
    for value, count in (latency.get("bins") or {}).items():
        flow.histogram[int(value)] = flow.histogram.get(int(value), 0) + count


def _count(data: dict[str, Any]) -> int:
    """I/Os that ended in the measured time."""
    return sum((data["lat_ns"].get("bins") or {}).values()) or int(data["total_ios"])


def _limits_ps(value: int) -> tuple[int, int]:
    """Limits of the bin of fio whose value this is, in picoseconds.

    Bins of fio have 64 steps for each power of two, and are named by their middle.

    >>> _limits_ps(100), _limits_ps(130)
    ((100000, 101000), (130000, 132000))
    """
    bits = max(0, value.bit_length() - 1 - _PLAT_BITS)
    low = value >> bits << bits
    return low * PS_PER_NS, (low + (1 << bits)) * PS_PER_NS


def _row(workload: str, op: str, flow: _Flow) -> dict[str, Any]:
    percentiles = {
        column: _percentile_ps(flow.histogram, percent) for percent, column in PERCENTILES.items()
    }
    return {
        "workload": workload,
        "op": op,
        "io_count": flow.io_count,
        "bytes": flow.bytes,
        "from_ps": flow.from_ms * PS_PER_MS,
        "window_ps": flow.window_ms * PS_PER_MS,
        "iops": flow.rate_iops,
        "throughput_bytes_per_s": flow.rate_bytes,
        "response_mean_ps": flow.spent_ns / flow.io_count * PS_PER_NS,
        "response_min_ps": round(flow.least_ns * PS_PER_NS),
        "response_max_ps": round(flow.longest_ns * PS_PER_NS),
        **percentiles,
        "queue_full_count": 0,
        "error_count": 0,
        "retried_count": 0,
        "delayed_count": 0,
        "command_count": flow.io_count,
        "open_bytes": 0,
    }


def _percentile_ps(histogram: dict[int, int], percent: float) -> int:
    """Middle of the bin that holds a percentile."""
    rank = max(1, int(np.ceil(sum(histogram.values()) * percent / 100 - 1e-9)))
    below = 0
    for value in sorted(histogram):
        below += histogram[value]
        if below >= rank:
            low, high = _limits_ps(value)
            return (low + high) // 2
    return 0


def _series(
    flows: Iterable[tuple[str, str]], sections: list[Section], logs: Logs, interval_ms: int
) -> Iterable[dict[str, Any]]:
    """Bins of equal length from the start; logs have bins of nearly that length."""
    end_ms = max(section.end_ms for section in sections)
    edges: npt.NDArray[np.float64] = np.arange(end_ms // interval_ms + 1, dtype=np.float64)
    edges *= interval_ms
    for workload, op in flows:
        sums = np.zeros((3, len(edges)))
        for section in sections:
            if section.workload == workload:
                sums += _cumulative(logs, section, op, edges)
        counts, moved, spent = np.diff(sums, axis=1)
        for place, end in enumerate(edges[1:]):
            ios = round(float(counts[place]))
            mean = float(spent[place] / counts[place]) if counts[place] >= 1 else 0.0
            yield {
                "workload": workload,
                "op": op,
                "time_ps": int(end) * PS_PER_MS,
                "io_count": ios,
                "bytes": round(float(moved[place])),
                "response_sum_ps": round(mean * ios * PS_PER_NS),
                "response_max_ps": round(mean * PS_PER_NS) if ios else 0,
                # fio logs means of intervals: their percentiles are not known.
                "response_p50_ps": 0,
                "response_p99_ps": 0,
                "error_count": 0,
                "delayed_count": 0,
            }


def _cumulative(
    logs: Logs, section: Section, op: str, edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """I/Os, bytes and nanoseconds of a section up to each edge, shape (3, edges)."""
    rates = logs.read(section.name, "iops", op)
    bandwidths = logs.read(section.name, "bw", op)
    latencies = logs.read(section.name, "lat", op)
    data = logs.jobs[section.name][op]
    begin = float(section.start_ms + section.ramp_ms)
    found = np.zeros((3, len(edges)))
    if not len(rates):
        return found
    spans = np.diff(rates[:, 0], prepend=0.0)
    counts = _scaled(rates[:, 1] * spans, _count(data))
    found[0] = np.interp(edges, [begin, *(begin + rates[:, 0])], [0.0, *np.cumsum(counts)])
    if len(bandwidths):
        spans = np.diff(bandwidths[:, 0], prepend=0.0)
        moved = _scaled(bandwidths[:, 1] * spans, data["io_bytes"])
        found[1] = np.interp(edges, [begin, *(begin + bandwidths[:, 0])], [0.0, *np.cumsum(moved)])
    if len(latencies):
        # Each mean counts for the I/Os up to its stamp.
        stamps = begin + latencies[:, 0]
        upto = np.interp(stamps, [begin, *(begin + rates[:, 0])], [0.0, *np.cumsum(counts)])
        spent = latencies[:, 1] * np.diff(upto, prepend=0.0)
        found[2] = np.interp(edges, [begin, *stamps], [0.0, *np.cumsum(spent)])
    return found


def _scaled(amounts: npt.NDArray[np.float64], total: int) -> npt.NDArray[np.float64]:
    """Amounts in proportion, with a sum that is known.

    A log has the rate of an interval, but no row for one without I/O, so the time since the row
    before may be longer than the interval.
    """
    summed = float(amounts.sum())
    return amounts * (total / summed) if summed else amounts


@dataclass(frozen=True)
class Logs:
    """The logs of the sections, and what fio says of them in all.

    Attributes
    ----------
    folder
        Where the logs are.
    jobs
        JSON of each section, by its name.
    """

    folder: Path
    jobs: dict[str, dict[str, Any]]

    def read(self, name: str, kind: str, op: str) -> npt.NDArray[np.float64]:
        """Stamps in milliseconds and values of a log, shape (rows, 2)."""
        rows = []
        for file in sorted(self.folder.glob(f"{name}_{kind}.*.log")):
            for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
                parts = line.split(",")
                if len(parts) >= 3 and int(parts[2]) == _DIRECTIONS[op]:
                    rows.append((float(parts[0]), float(parts[1])))
        return np.asarray(sorted(rows), dtype=float).reshape(-1, 2)


_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "workloads": (
        "workload", "op", "io_count", "bytes", "open_bytes", "from_ps", "window_ps", "iops",
        "throughput_bytes_per_s", "response_mean_ps", "response_min_ps", "response_max_ps",
        *PERCENTILES.values(), "queue_full_count", "error_count", "retried_count",
        "delayed_count", "command_count",
    ),
    "workload_series": (
        "workload", "op", "time_ps", "io_count", "bytes", "response_sum_ps", "response_max_ps",
        "response_p50_ps", "response_p99_ps", "error_count", "delayed_count",
    ),
    "response_histogram": ("workload", "op", "low_ps", "high_ps", "io_count"),
}  # fmt: skip


def _table(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    """A table with the columns and types of the simulated one."""
    arrays = {}
    for column in _COLUMNS[name]:
        kind = pa.string() if column in ("workload", "op") else pa.uint64()
        kind = pa.float64() if column in _FLOATS else kind
        arrays[column] = pa.array([row[column] for row in rows], type=kind)
    return pa.table(arrays)
