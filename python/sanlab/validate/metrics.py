"""One figure from one run."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from sanlab.errors import SanlabError
from sanlab.theory import DATA_BYTES, frame_time_s

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    Tables = dict[str, pa.Table]

_PS_PER_US = 1e6
_PS_PER_MS = 1e9
_PS_PER_S = 1e12
_MIB = 2**20
_MB = 1_000_000

#: Share of all bytes between which a transfer counts as sustained.
_SUSTAINED = (0.1, 0.9)


def network_latency_mean_us(tables: Tables) -> float:
    """Mean network latency of the frames of workloads, in microseconds.

    From the first bit out of the source N_Port to the last bit into the destination N_Port.
    """
    return _frame_mean(tables, "network_mean_ps")


def end_to_end_latency_mean_us(tables: Tables) -> float:
    """Mean end-to-end latency of the frames of workloads, in microseconds.

    From FC-2 of the source beginning with the frame to FC-2 of the destination holding it whole.
    """
    return _frame_mean(tables, "end_to_end_mean_ps")


def response_time_mean_us(tables: Tables) -> float:
    """Mean response time of all I/Os, in microseconds."""
    table = tables["workloads"]
    counts = _floats(table, "io_count")
    return float(np.average(_floats(table, "response_mean_ps"), weights=counts)) / _PS_PER_US


def throughput_mib_per_s(tables: Tables) -> float:
    """Bytes of all workloads over their windows, in MiB/s."""
    return float(_floats(tables["workloads"], "throughput_bytes_per_s").sum()) / _MIB


def throughput_mb_per_s(tables: Tables) -> float:
    """Bytes of all workloads over their windows, in MB/s of 10^6 bytes."""
    return float(_floats(tables["workloads"], "throughput_bytes_per_s").sum()) / _MB


def write_throughput_mib_per_s(tables: Tables) -> float:
    """Bytes written by all workloads over their windows, in MiB/s."""
    return _of_op(tables, "write")


def read_throughput_mib_per_s(tables: Tables) -> float:
    """Bytes read by all workloads over their windows, in MiB/s."""
    return _of_op(tables, "read")


def _of_op(tables: Tables, op: str) -> float:
    work = tables["workloads"].filter(pc.equal(tables["workloads"]["op"], op))
    return float(_floats(work, "throughput_bytes_per_s").sum()) / _MIB


def response_max_ms(tables: Tables) -> float:
    """Longest response time of an I/O, in milliseconds."""
    return float(_floats(tables["workloads"], "response_max_ps").max()) / _PS_PER_MS


def io_error_count(tables: Tables) -> float:
    """I/Os that failed at the application."""
    return float(_floats(tables["workloads"], "error_count").sum())


def iops(tables: Tables) -> float:
    """I/Os of all workloads per second of their windows."""
    return float(_floats(tables["workloads"], "iops").sum())


def hba_utilisation_percent(tables: Tables) -> float:
    """Share of the run that the busiest adapter's engine worked, in percent."""
    return 100 * float(_floats(tables["adapters"], "engine_utilisation").max())


def duplex_wire_percent(tables: Tables) -> float:
    """Throughput over what the busiest port's link carries both ways in full data frames."""
    ports = tables["ports"]
    rate = float(_floats(ports, "bytes_per_s").max())
    both = 2 * DATA_BYTES / frame_time_s(DATA_BYTES, rate) / _MIB
    return 100 * throughput_mib_per_s(tables) / both


def mirroring_throughput_mib_per_s(tables: Tables) -> float:
    """Sustained rate of third-party copies, in MiB/s of payload that reached the far array.

    Taken between a tenth and nine tenths of all data, so that neither the first round trips nor the
    last ones count. Copies end at the array whose ports receive what mirrors send.
    """
    mirrors = tables["mirrors"].filter(pc.greater(tables["mirrors"]["copies_count"], 0))
    far = {name.split(".")[0] for name in mirrors["target"].to_pylist()}
    ports = tables["ports"]
    into = [
        peer
        for peer, node in zip(ports["peer"].to_pylist(), ports["node"].to_pylist(), strict=True)
        if node in far
    ]
    series = tables["port_series"]
    series = series.filter(pc.is_in(series["port"], value_set=_strings(into)))
    times = np.unique(_floats(series, "time_ps"))
    index = np.searchsorted(times, _floats(series, "time_ps"))
    received = np.cumsum(np.bincount(index, weights=_floats(series, "tx_payload_bytes")))
    if received.size == 0 or received[-1] == 0:
        return 0.0
    low, high = (share * received[-1] for share in _SUSTAINED)
    since, until = np.interp([low, high], received, times)
    return float((high - low) / ((until - since) / _PS_PER_S)) / _MIB


@dataclass(frozen=True)
class Metric:
    """A figure of a run: its function, unit and name."""

    take: Callable[[Tables], float]
    title: str
    unit: str


METRICS = {
    "network_latency_mean_us": Metric(network_latency_mean_us, "mean network latency", "µs"),
    "end_to_end_latency_mean_us": Metric(
        end_to_end_latency_mean_us, "mean end-to-end latency", "µs"
    ),
    "response_time_mean_us": Metric(response_time_mean_us, "mean I/O response time", "µs"),
    "throughput_mib_per_s": Metric(throughput_mib_per_s, "throughput", "MiB/s"),
    "throughput_mb_per_s": Metric(throughput_mb_per_s, "throughput", "MB/s"),
    "write_throughput_mib_per_s": Metric(write_throughput_mib_per_s, "write throughput", "MiB/s"),
    "read_throughput_mib_per_s": Metric(read_throughput_mib_per_s, "read throughput", "MiB/s"),
    "response_max_ms": Metric(response_max_ms, "longest response", "ms"),
    "io_error_count": Metric(io_error_count, "failed I/Os", "I/Os"),
    "iops": Metric(iops, "I/O rate", "IOPS"),
    "hba_utilisation_percent": Metric(hba_utilisation_percent, "HBA utilisation", "%"),
    "duplex_wire_percent": Metric(duplex_wire_percent, "share of the duplex wire", "%"),
    "mirroring_throughput_mib_per_s": Metric(
        mirroring_throughput_mib_per_s, "mirroring throughput", "MiB/s"
    ),
}


def of_workload(tables: Tables, name: str) -> Tables:
    """Leave of the table of workloads what belongs to one of them, or to all that `name-*` fits."""
    work = tables["workloads"]
    ours = [fnmatchcase(workload, name) for workload in work["workload"].to_pylist()]
    return tables | {"workloads": work.filter(ours)}


def measure(metric: str, tables: Tables) -> float:
    """Take a metric by name.

    Raises
    ------
    SanlabError
        No metric has this name.
    """
    if metric not in METRICS:
        reason = f"there is no metric '{metric}'; metrics are {', '.join(METRICS)}"
        raise SanlabError(reason)
    return METRICS[metric].take(tables)


def unit_of(metric: str) -> str:
    """Tell the unit of a metric, as it is printed."""
    return METRICS[metric].unit


def title_of(metric: str) -> str:
    """Name a metric as people say it; what follows its first word stays, `along size`."""
    name, _, rest = metric.partition(" ")
    title = METRICS[name].title if name in METRICS else name
    return f"{title} {rest}".rstrip()


def _frame_mean(tables: Tables, column: str) -> float:
    table = tables["frames"].filter(pc.equal(tables["frames"]["kind"], "workload"))
    counts = _floats(table, "frames_count")
    return float(np.average(_floats(table, column), weights=counts)) / _PS_PER_US


def _floats(table: pa.Table, column: str) -> np.ndarray:
    return np.asarray(table[column].to_numpy(), dtype=float)


def _strings(values: list[str]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, type=pa.string())
