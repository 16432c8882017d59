"""When the jobs of a run may ask for I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.explain.once import once_for_each_run

if TYPE_CHECKING:
    from sanlab.results.record import Record


@dataclass(frozen=True)
class Asking:
    """A job, and the simulated time in which it may ask for I/O.

    Attributes
    ----------
    start_ps, stop_ps
        Simulated time; `stop_ps` is None for a job that asks until it is done or the run ends.
    job
        Its row of the plan.
    """

    workload: str
    start_ps: int
    stop_ps: int | None
    job: dict[str, Any]

    def asks_in(self, from_ps: int, to_ps: int) -> bool:
        """Whether it may ask in a part of this time."""
        return self.start_ps < to_ps and (self.stop_ps is None or self.stop_ps > from_ps)


@once_for_each_run
def asking(run: Record) -> list[Asking]:
    """Return the jobs of applications with their times; those that never start are left out.

    The times of a workload that waits for others count from their end, which only the run knows:
    its measured window begins with its ramp over.
    """
    if run.manifest.measured is not None:
        return _measured(run)
    plan = run.plan
    found = []
    begins: dict[str, int] = {}
    for row in run.rows("workloads"):
        if "from_ps" in row:
            begins[row["workload"]] = min(
                row["from_ps"], begins.get(row["workload"], row["from_ps"])
            )
    shifts: dict[int, int | None] = {}
    for number, workload in enumerate(plan["workloads"]):
        shifts[number] = 0
        if workload.get("after"):
            jobs = [job for job in plan["jobs"] if job["workload"] == number]
            ramps = [job["start_ps"] + job["ramp_ps"] for job in jobs]
            begin = begins.get(workload["name"])
            shifts[number] = None if begin is None or not ramps else begin - min(ramps)
    for job in plan["jobs"]:
        workload, shift = plan["workloads"][job["workload"]], shifts[job["workload"]]
        if workload["file_system"] is not None or shift is None:
            continue
        stop = job["stop_ps"]
        found.append(
            Asking(
                workload["name"],
                job["start_ps"] + shift,
                None if stop is None else stop + shift,
                job,
            )
        )
    return found


def _measured(run: Record) -> list[Asking]:
    """The same of a measurement: its time series have no ramps, and its times may be others."""
    windows: dict[str, tuple[int, int]] = {}
    for row in run.rows("workloads"):
        begin, end = row["from_ps"], row["from_ps"] + row["window_ps"]
        known = windows.get(row["workload"], (begin, end))
        windows[row["workload"]] = min(begin, known[0]), max(end, known[1])
    names = [workload["name"] for workload in run.plan["workloads"]]
    return [
        Asking(name, *windows[name], job)
        for job in run.plan["jobs"]
        if (name := names[job["workload"]]) in windows
    ]
