"""The results of a run as fio writes its own: JSON with histograms, and logs over time.

Tools that plot results of fio then read simulated and measured runs. A workload of the run is a
job. Only what a run knows is written; fio's submission latency (`slat`) is 0.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sanlab.errors import SanlabError
from sanlab.exporters.fio_job import options, refusal
from sanlab.plan.presets import workloads_by_name
from sanlab.quantities import PS_PER_S
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.results.run import Run
    from sanlab.scenario.workload import Workload

#: Numbers of the directions in logs.
_DIRECTIONS: Final[dict[str, int]] = {"read": 0, "write": 1}
#: Percentiles that fio writes unless others are asked for.
_PERCENTILES: Final = (
    1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99,
)  # fmt: skip
#: Bits of the index of a bin of fio's histograms (FIO_IO_U_PLAT_BITS).
_PLAT_BITS: Final = 6
_PS_PER_NS, _PS_PER_MS = 1000, 1_000_000_000
#: The document; each log has the name of its workload before it.
RESULT: Final = "result.json"


def fio_results(run: Run) -> dict[str, str]:
    """Return the files by name: the JSON, and for each workload `_bw`, `_iops` and `_lat` logs.

    Raises
    ------
    SanlabError
        The run has no I/O.
    """
    rows = run.rows("workloads")
    if not rows:
        reason = f"{run.folder} has no I/O, so there are no results to write"
        raise SanlabError(reason)
    jobs: dict[str, dict[str, Any]] = {}
    works = _workloads(run)
    for row in rows:
        job = jobs.setdefault(row["workload"], _job(row["workload"], works, run))
        job[row["op"]] = _direction(run, row)
        job["job_runtime"] = max(job["job_runtime"], job[row["op"]]["runtime"])
    measured, version = run.manifest.measured, run.manifest.sanlab_version
    document = {
        "fio version": f"fio-{measured['fio']}" if measured else f"sanlab-{version}",
        "sanlab": {
            "version": version,
            "title": run.title,
            "is_simulated": measured is None,
        },
        "jobs": list(jobs.values()),
        "disk_util": [],
    }
    files = {RESULT: json.dumps(document, indent=2) + "\n"}
    for name in jobs:
        files |= dict(_logs(run, name, [row["op"] for row in rows if row["workload"] == name]))
    return files


def _workloads(run: Run) -> dict[str, Workload]:
    """The workloads of the scenario; none where the run has no scenario."""
    file = run.folder / "scenario.yaml"
    if not file.is_file():
        return {}
    scenario = parse_scenario(file.read_text("utf-8"), str(file), run.manifest.overrides)
    return workloads_by_name(scenario)


def _job(name: str, works: dict[str, Workload], run: Run) -> dict[str, Any]:
    work = works.get(name)
    known = [] if work is None or refusal(work) else list(options(work))
    told = dict(option.split("=", 1) for option in known if not option.startswith("filename="))
    return {
        "jobname": name,
        "groupid": 0,
        "error": 0,
        "elapsed": -(-run.manifest.simulated_ps // PS_PER_S),
        "job options": {"name": name, **told},
        "read": _nothing(),
        "write": _nothing(),
        "trim": _nothing(),
        "job_runtime": 0,
    }


def _nothing() -> dict[str, Any]:
    return {
        "io_bytes": 0, "io_kbytes": 0, "bw_bytes": 0, "bw": 0, "iops": 0.0, "runtime": 0,
        "total_ios": 0, "short_ios": 0, "drop_ios": 0,
        "slat_ns": _no_latency(), "clat_ns": _no_latency(), "lat_ns": _no_latency(),
    }  # fmt: skip


def _no_latency() -> dict[str, Any]:
    return {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}


def _direction(run: Run, row: dict[str, Any]) -> dict[str, Any]:
    latency = _latency(run, row)
    return _nothing() | {
        "io_bytes": row["bytes"],
        "io_kbytes": row["bytes"] // 1024,
        "bw_bytes": round(row["throughput_bytes_per_s"]),
        "bw": round(row["throughput_bytes_per_s"] / 1024),
        "iops": row["iops"],
        "runtime": round(row["window_ps"] / _PS_PER_MS),
        "total_ios": row["io_count"],
        "drop_ios": row["error_count"],
        # Nothing is spent before the request is submitted, so both are the response time.
        "clat_ns": latency,
        "lat_ns": latency,
    }


def _latency(run: Run, row: dict[str, Any]) -> dict[str, Any]:
    bins: dict[int, int] = {}
    for one in run.rows("response_histogram"):
        if (one["workload"], one["op"]) == (row["workload"], row["op"]):
            value = plat_value((one["low_ps"] + one["high_ps"]) // 2 // _PS_PER_NS)
            bins[value] = bins.get(value, 0) + one["io_count"]
    values = np.array(sorted(bins), dtype=float)
    counts = np.array([bins[value] for value in sorted(bins)], dtype=float)
    mean = row["response_mean_ps"] / _PS_PER_NS
    total = counts.sum()
    upto = np.cumsum(counts)
    ranks = np.ceil(np.array(_PERCENTILES) / 100 * total - 1e-9).clip(1)
    found = values[np.searchsorted(upto, ranks).clip(max=len(values) - 1)] if total else []
    spread = float(np.sqrt((counts * (values - mean) ** 2).sum() / total)) if total else 0.0
    return {
        "min": row["response_min_ps"] // _PS_PER_NS,
        "max": row["response_max_ps"] // _PS_PER_NS,
        "mean": mean,
        "stddev": spread,
        "N": int(total),
        "percentile": {
            f"{percent:.6f}": int(value)
            for percent, value in zip(_PERCENTILES, found, strict=bool(total))
        },
        "bins": {str(value): bins[value] for value in sorted(bins)},
    }


def plat_value(nanoseconds: int) -> int:
    """Return the name of the bin of fio that holds a time: its middle, as fio rounds it.

    >>> plat_value(100), plat_value(130), plat_value(1000)
    (100, 131, 1004)
    """
    bits = max(0, nanoseconds.bit_length() - 1 - _PLAT_BITS)
    return (nanoseconds >> bits << bits) + (1 << bits >> 1)


def _logs(run: Run, name: str, ops: list[str]) -> Iterator[tuple[str, str]]:
    """Logs of a workload: milliseconds, value, direction, 0 for sizes and priorities."""
    lines: dict[str, list[tuple[int, int, int]]] = {"bw": [], "iops": [], "lat": []}
    for op in ops:
        direction = _DIRECTIONS[op]
        for begin, end, count, moved, spent in _intervals(run, name, op):
            seconds = (end - begin) / 1000
            lines["bw"].append((end, direction, round(moved / 1024 / seconds)))
            lines["iops"].append((end, direction, round(count / seconds)))
            if count:
                lines["lat"].append((end, direction, round(spent / count / _PS_PER_NS)))
    for kind, found in lines.items():
        text = "".join(f"{time}, {value}, {op}, 0, 0\n" for time, op, value in sorted(found))
        yield f"{name}_{kind}.log", text


def _intervals(run: Run, name: str, op: str) -> Iterator[tuple[int, int, int, int, int]]:
    """Begin and end in milliseconds, I/Os, bytes and their time of each bin.

    fio's logs have whole milliseconds: shorter bins are joined until one has passed.
    """
    begin = count = moved = spent = 0
    for row in run.rows("workload_series"):
        if (row["workload"], row["op"]) != (name, op):
            continue
        count += row["io_count"]
        moved += row["bytes"]
        spent += row["response_sum_ps"]
        end = row["time_ps"] // _PS_PER_MS
        if end > begin:
            yield begin, end, count, moved, spent
            begin, count, moved, spent = end, 0, 0, 0
