"""Estimate of the time of a run, from the speed of a short pilot run.

Only the second half of the pilot run counts: at first all queues fill at once and caches are empty.
"""

from __future__ import annotations

import resource
import threading
import time
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sanlab.plan.amounts import many_open
from sanlab.traces.table import tables_folder

if TYPE_CHECKING:
    from sanlab.plan.schema import Plan

#: Wall time of the pilot run, and interval of its samples.
WALL_LIMIT_S = 0.5
LOOK_S = 0.01
#: Bytes of one row in the time series of a port: five columns of eight bytes.
SERIES_ROW_BYTES = 40


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated cost of a run; None if the pilot run gives no estimate."""

    is_available: bool
    basis: str
    simulated_ps: int | None = None
    events: int | None = None
    wall_s: float | None = None
    memory_bytes: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Look:
    """Progress of the pilot run after some wall time."""

    wall_s: float
    simulated_ps: int
    events: int


def estimate(plan: Plan) -> Estimate:
    """Run the beginning of a plan for half a second, and extrapolate."""
    if (much := many_open(plan)) is not None:
        return Estimate(is_available=False, basis=f"No pilot run was made: {much}")
    try:
        native = import_module("sanlab._native")
    except ImportError:
        return Estimate(is_available=False, basis="The simulation engine is not built")
    control, is_over = native.Control(), threading.Event()
    looks: list[Look] = []
    begin = time.perf_counter()

    def watch() -> None:
        running_since = None
        while not is_over.wait(LOOK_S):
            look = Look(time.perf_counter() - begin, control.now_ps, control.events)
            looks.append(look)
            if not look.events:  # still being set up
                continue
            running_since = look.wall_s if running_since is None else running_since
            if look.wall_s - running_since > WALL_LIMIT_S:
                control.stop()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        result = native.run(plan.to_json(), control, traces=str(tables_folder()))
    except (native.PlanError, native.RunError) as error:
        return Estimate(is_available=False, basis=f"The pilot run stopped: {error}")
    finally:
        is_over.set()
        watcher.join()
    summary = result["summary"]
    last = Look(
        time.perf_counter() - begin, max(int(summary["simulated_ps"]), 1), int(summary["events"])
    )
    if summary["is_complete"]:
        return _estimate(plan, last, "The whole run was simulated")
    end = _likely_end(plan, result, last.simulated_ps)
    if end is None:
        return Estimate(
            is_available=False, basis="No I/O completed in the pilot run, so its end is unknown"
        )
    basis = f"Scaled up from a pilot run of {last.simulated_ps / 1e9:.4g} ms of simulated time"
    return _estimate(plan, _at(end, looks, last), basis)


def _at(end: int, looks: list[Look], last: Look) -> Look:
    """Extrapolate to the end at the speed of the second half of the pilot run."""
    started = next((look for look in looks if look.events), last)
    half = (started.wall_s + last.wall_s) / 2
    middle = next((look for look in looks if look.wall_s >= half), last)
    passed = last.simulated_ps - middle.simulated_ps
    if passed <= 0:
        middle, passed = Look(started.wall_s, 0, 0), last.simulated_ps
    factor = max(0, end - last.simulated_ps) / passed
    return Look(
        last.wall_s + factor * (last.wall_s - middle.wall_s),
        max(end, last.simulated_ps),
        last.events + round(factor * (last.events - middle.events)),
    )


def _estimate(plan: Plan, look: Look, basis: str) -> Estimate:
    return Estimate(
        is_available=True,
        basis=basis,
        simulated_ps=look.simulated_ps,
        events=look.events,
        wall_s=look.wall_s,
        memory_bytes=_memory(plan, look.simulated_ps),
    )


def _likely_end(plan: Plan, result: dict[str, Any], simulated: int) -> int | None:
    """Return when the run ends: at its limit, or when its jobs have moved all their bytes."""
    ends_itself = all(job.total_bytes is not None for job in plan.jobs) and all(
        flow.frames is not None for flow in plan.traffic
    )
    if not plan.jobs or not ends_itself:
        is_bounded = plan.jobs and all(
            job.total_bytes is not None or job.stop_ps is not None for job in plan.jobs
        )
        last_stop = _last_stop(plan)
        return min(plan.end_ps, last_stop) if is_bounded and last_stop else plan.end_ps
    moved = sum(_integers(result["tables"].get("workloads", {}).get("bytes")))
    if moved == 0:
        return None
    wanted = sum(job.total_bytes or 0 for job in plan.jobs)
    return min(plan.end_ps, max(simulated, wanted * simulated // moved))


def _last_stop(plan: Plan) -> int:
    """Return when the last job stops, of workloads that wait for others after these."""
    longest = [0] * len(plan.workloads)
    for job in plan.jobs:
        longest[job.workload] = max(longest[job.workload], job.stop_ps or 0)
    stops: dict[int, int] = {}
    left = set(range(len(longest)))
    while left:
        ready = {number for number in left if stops.keys() >= set(plan.workloads[number].after)}
        for number in ready:
            befores = [stops[before] for before in plan.workloads[number].after]
            stops[number] = max(befores, default=0) + longest[number]
        left -= ready
    return max(stops.values(), default=0)


def _integers(column: object) -> list[int]:
    return column.tolist() if isinstance(column, memoryview) else []


def _memory(plan: Plan, end: int) -> int:
    """Return the memory of this process after the pilot run plus the series of the whole run."""
    bins = end // plan.interval_ps if plan.interval_ps else 0
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    transmitters = 2 * len(plan.links) + sum(len(loop.ports) for loop in plan.loops)
    return resident + bins * transmitters * SERIES_ROW_BYTES
