"""How long a run will take: the engine runs the first moments of it, and that is scaled up."""

from __future__ import annotations

import resource
import struct
import time
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sanlab.plan.schema import Plan

FIRST_END_PS = 10_000_000
GROWTH = 4
WALL_LIMIT_S = 0.2
#: Bytes one row of the time series of a port takes: five columns of eight bytes.
SERIES_ROW_BYTES = 40


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will cost; None where the pilot could not tell."""

    is_available: bool
    basis: str
    simulated_ps: int | None = None
    events: int | None = None
    wall_s: float | None = None
    memory_bytes: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return asdict(self)


def estimate(plan: Plan) -> Estimate:
    """Run the beginning of a plan, longer and longer, until 0.2 s have passed; extrapolate."""
    try:
        native = import_module("sanlab._native")
    except ImportError:
        return Estimate(is_available=False, basis="The simulation engine is not built")
    end = min(FIRST_END_PS, plan.end_ps)
    spent = 0.0
    while True:
        begin = time.perf_counter()
        try:
            result = native.run(plan.model_copy(update={"end_ps": end}).to_json())
        except (native.PlanError, native.RunError) as error:
            return Estimate(is_available=False, basis=f"The pilot run stopped: {error}")
        took = time.perf_counter() - begin
        spent += took
        summary = result["summary"]
        is_whole = end >= plan.end_ps or int(summary["simulated_ps"]) < end
        if is_whole or spent > WALL_LIMIT_S:
            return _scaled(plan, result, took, is_whole=is_whole)
        end = min(end * GROWTH, plan.end_ps)


def _scaled(plan: Plan, result: dict[str, Any], took: float, *, is_whole: bool) -> Estimate:
    summary = result["summary"]
    simulated = max(int(summary["simulated_ps"]), 1)
    events = int(summary["events"])
    if is_whole:
        return Estimate(
            is_available=True,
            basis="The whole run was short enough to be done",
            simulated_ps=simulated,
            events=events,
            wall_s=took,
            memory_bytes=_memory(plan, simulated),
        )
    end = _likely_end(plan, result, simulated)
    if end is None:
        return Estimate(
            is_available=False, basis="No I/O completed in the pilot run, so its end is unknown"
        )
    factor = end / simulated
    return Estimate(
        is_available=True,
        basis=f"Scaled up from a pilot run of {simulated / 1e9:.4g} ms of simulated time",
        simulated_ps=end,
        events=round(events * factor),
        wall_s=took * factor,
        memory_bytes=_memory(plan, end),
    )


def _likely_end(plan: Plan, result: dict[str, Any], simulated: int) -> int | None:
    """Return when the run ends: as told, or when its jobs have moved all their bytes."""
    ends_itself = all(job.total_bytes for job in plan.jobs) and all(f.frames for f in plan.traffic)
    if not plan.jobs or not ends_itself:
        is_bounded = plan.jobs and all(job.total_bytes or job.stop_ps for job in plan.jobs)
        last_stop = max((job.stop_ps for job in plan.jobs), default=0)
        return min(plan.end_ps, last_stop) if is_bounded and last_stop else plan.end_ps
    moved = sum(_integers(result["tables"].get("workloads", {}).get("bytes")))
    if moved == 0:
        return None
    wanted = sum(job.total_bytes for job in plan.jobs)
    return min(plan.end_ps, max(simulated, wanted * simulated // moved))


def _integers(column: object) -> list[int]:
    if isinstance(column, tuple) and column[0] == "u64":
        data = bytes(column[1])
        return list(struct.unpack(f"<{len(data) // 8}Q", data))
    return []


def _memory(plan: Plan, end: int) -> int:
    """Memory of this process after the pilot run, and room for the series of the whole run."""
    bins = end // plan.interval_ps if plan.interval_ps else 0
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return resident + bins * 2 * len(plan.links) * SERIES_ROW_BYTES
