"""Metrics over simulated time: of workloads, ports, hosts, stations, caches and mirrors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow.compute as pc

from sanlab.errors import SanlabError
from sanlab.simulation.tables import numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    import pyarrow as pa

    from sanlab.results.record import Record

PS_PER_S = 1e12


@dataclass(frozen=True)
class Metric:
    """A metric of one kind of thing.

    Attributes
    ----------
    unit
        `1/s`, `B/s`, `B`, `ps`, `1` (a share or a number), or a count.
    columns
        Columns of the table that it is made of; rows of one bin are added.
    value
        From the sums of the columns and the lengths of the bins in seconds.
    is_of_peer
        The rows are those of the port at the other end of the cable.
    op
        Only rows of this operation; percentiles of reads and writes do not add.
    """

    unit: str
    columns: tuple[str, ...]
    value: Callable[..., Any]
    is_of_peer: bool = False
    op: str | None = None


@dataclass(frozen=True)
class Source:
    """A table with a row for each thing and bin."""

    table: str
    key: str
    metrics: dict[str, Metric]


@dataclass(frozen=True)
class Series:
    """A metric over time; `values` are NaN in bins where it has no value."""

    unit: str
    at_s: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]


def _rate(total: Any, span: Any) -> Any:  # noqa: ANN401  arrays
    return total / span


def _itself(total: Any, _span: Any) -> Any:  # noqa: ANN401
    return total


def _share(spent_ps: Any, span: Any) -> Any:  # noqa: ANN401
    return spent_ps / (span * PS_PER_S)


def _mean(total: Any, count: Any, _span: Any) -> Any:  # noqa: ANN401
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _sum_rate(one: Any, other: Any, span: Any) -> Any:  # noqa: ANN401
    return (one + other) / span


def _mean_of_both(total: Any, one: Any, other: Any, _span: Any) -> Any:  # noqa: ANN401
    return _mean(total, one + other, _span)


def _percentile(column: str, op: str) -> Metric:
    """A percentile of one operation in each bin; none in a bin without I/O."""
    return Metric("ps", (column, "io_count"), _if_any, op=op)


def _if_any(value: Any, count: Any, _span: Any) -> Any:  # noqa: ANN401
    return np.where(count > 0, value, np.nan)


def _bin_mean(column: str, unit: str) -> Metric:
    """A column that is a mean over its bin already."""
    return Metric(unit, (column,), _itself)


_PORT: Final = {
    "sent": Metric("B/s", ("tx_bytes",), _rate),
    "received": Metric("B/s", ("tx_bytes",), _rate, is_of_peer=True),
    "utilisation": _bin_mean("tx_utilisation", "1"),
    "credit_wait": Metric("1", ("tx_credit_wait_ps",), _share),
    "queue": _bin_mean("tx_queue_mean_frames", "frames"),
    "dropped": Metric("frames", ("tx_dropped_count",), _itself),
}
_WORKLOAD: Final = {
    "iops": Metric("1/s", ("io_count",), _rate),
    "throughput": Metric("B/s", ("bytes",), _rate),
    "mean": Metric("ps", ("response_sum_ps", "io_count"), _mean),
    "p50_read": _percentile("response_p50_ps", "read"),
    "p99_read": _percentile("response_p99_ps", "read"),
    "p50_write": _percentile("response_p50_ps", "write"),
    "p99_write": _percentile("response_p99_ps", "write"),
    "worst": Metric("ps", ("response_max_ps",), _itself),
    "errors": Metric("I/Os", ("error_count",), _itself),
    "delayed": Metric("I/Os", ("delayed_count",), _itself),
}
_STATION: Final = {
    "utilisation": _bin_mean("utilisation", "1"),
    "in_system": _bin_mean("mean_in_system", "requests"),
    "arrivals": Metric("1/s", ("arrivals_count",), _rate),
}
#: Kinds of things with series; kinds of stations are beside them.
SOURCES: Final[dict[str, Source]] = {
    "workload": Source("workload_series", "workload", _WORKLOAD),
    "port": Source("port_series", "port", _PORT),
    "lun": Source(
        "lun_series",
        "lun",
        {
            "iops": Metric("1/s", ("read_count", "write_count"), _sum_rate),
            "throughput": Metric("B/s", ("read_bytes", "write_bytes"), _sum_rate),
            "mean": Metric("ps", ("open_ps", "read_count", "write_count"), _mean_of_both),
            "open": _bin_mean("mean_open", "commands"),
            "queue_full": Metric("commands", ("queue_full_count",), _itself),
        },
    ),
    "cache": Source(
        "cache_series",
        "controller",
        {
            "dirty": _bin_mean("dirty_bytes", "B"),
            "full": Metric("1", ("full_ps",), _share),
            "room_waits": Metric("writes", ("room_waits_count",), _itself),
        },
    ),
    "mirror": Source(
        "mirror_series",
        "source",
        {
            "lag": _bin_mean("max_lag_ps", "ps"),
            "lag_bytes": _bin_mean("max_lag_bytes", "B"),
        },
    ),
    "rebuild": Source("rebuild_series", "drive", {"rebuilt": _bin_mean("rebuilt_bytes", "B")}),
}
#: A host is the sum of its ports.
HOST_METRICS: Final = ("sent", "received", "queue", "dropped")
#: Columns whose rows of one bin are not added: the greatest counts.
_GREATEST: Final = {"response_max_ps", "max_lag_ps", "max_lag_bytes"}


def listed(run: Record) -> list[tuple[str, str, list[str]]]:
    """Return kind, name and metrics of everything that has series, hosts by their ports."""
    found = []
    cabled = {row["port"] for row in run.rows("ports") if row["kind"] != "nl_port"}
    # A measured run has no percentiles of its bins.
    done = {
        (row["workload"], row["op"])
        for row in run.rows("workload_series")
        if row["response_p50_ps"]
    }
    for kind, source in SOURCES.items():
        for name in _names(run, source):
            metrics = [
                metric
                for metric, made_of in source.metrics.items()
                if (not made_of.is_of_peer or name in cabled)
                and (made_of.op is None or (name, made_of.op) in done)
            ]
            found.append((kind, name, metrics))
        if kind == "workload":
            found += [("host", name, list(HOST_METRICS)) for name in _host_ports(run)]
    kinds = {row["station"]: row["kind"] for row in run.rows("stations")}
    if "station_series" in run.tables:
        there = set(pc.unique(run.table("station_series")["station"]).to_pylist())
        found += [(kind, name, list(_STATION)) for name, kind in kinds.items() if name in there]
    return found


def series(run: Record, kind: str, name: str, metric: str) -> Series:
    """Return one metric of a thing over time.

    Raises
    ------
    SanlabError
        The run has no such thing or metric.
    """
    if kind == "host":
        source, names = SOURCES["port"], _host_ports(run).get(name, [])
        known: tuple[str, ...] = HOST_METRICS
    elif kind in SOURCES:
        source, names, known = SOURCES[kind], [name], tuple(SOURCES[kind].metrics)
    else:
        source, names = Source("station_series", "station", _STATION), [name]
        known = tuple(_STATION)
    if metric not in known:
        reason = f"a {kind} has no metric '{metric}'; its metrics are {', '.join(known)}"
        raise SanlabError(reason)
    made_of = source.metrics[metric]
    rows = _rows_of(run, source, _peers(run, names) if made_of.is_of_peer else names)
    if rows is not None and made_of.op is not None:
        rows = rows.filter(pc.field("op") == made_of.op)
    if rows is None or not rows.num_rows:
        reason = f"the run has no series of the {kind} '{name}'"
        raise SanlabError(reason)
    return _made(run, rows, made_of)


def _made(run: Record, rows: pa.Table, metric: Metric) -> Series:
    times, places = np.unique(numbers(rows, "time_ps"), return_inverse=True)
    ends = times.astype(np.float64) / PS_PER_S
    spans = np.diff(ends, prepend=_begin(run, rows, ends))
    sums = []
    for column in metric.columns:
        values = numbers(rows, column).astype(np.float64)
        total = np.zeros(len(times))
        if column in _GREATEST:
            np.maximum.at(total, places, values)
        else:
            np.add.at(total, places, values)
        sums.append(total)
    safe = np.where(spans > 0, spans, np.nan)
    return Series(metric.unit, ends, np.asarray(metric.value(*sums, safe), dtype=np.float64))


def _begin(run: Record, rows: pa.Table, ends: npt.NDArray[np.float64]) -> float:
    """Begin of the first bin: bins have one length, and the last may be shorter."""
    if "span_ps" in rows.column_names:
        return float(ends[0] - numbers(rows, "span_ps")[0] / PS_PER_S)
    interval = run.plan["interval_ps"] / PS_PER_S
    return max(0.0, float(ends[0]) - float(interval))


def _rows_of(run: Record, source: Source, names: list[str]) -> pa.Table | None:
    if source.table not in run.tables or not names:
        return None
    table = run.table(source.table)
    rows = table.filter(pc.field(source.key).isin(names))
    return rows if rows.num_rows else None


def _names(run: Record, source: Source) -> list[str]:
    if source.table not in run.tables:
        return []
    names: list[str] = pc.unique(run.table(source.table)[source.key]).to_pylist()
    return names


def _peers(run: Record, ports: list[str]) -> list[str]:
    """Return the ports at the other ends; a port on a loop has none."""
    return [row["peer"] for row in run.rows("ports") if row["port"] in ports]


def _host_ports(run: Record) -> dict[str, list[str]]:
    """Return the ports of each host."""
    ports = run.plan["n_ports"]
    return {
        host["name"]: [ports[adapter["n_port"]]["name"] for adapter in host["adapters"]]
        for host in run.plan["hosts"]
    }
