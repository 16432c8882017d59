"""How much a scenario asks for: jobs, open I/Os, and service times beyond the clock.

Each is counted before it is made, so that a scenario that no machine can hold is refused with the
number it asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from sanlab.plan.schema import AccessPattern, StripeVolume, TracePattern
from sanlab.quantities import about_size, counted, format_time
from sanlab.scenario.groups import expand_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.plan.job_paths import JobMaker
    from sanlab.plan.names import Names, Problems
    from sanlab.plan.schema import HostPlan, JobPlan, Plan
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.workload import Workload

#: Jobs of one scenario.
MAX_JOBS = 200_000
#: LUNs of all jobs together; a job on a volume has several.
MAX_LUNS_OF_JOBS = 1_000_000
#: I/Os that may be open at once; a run that gets there fails.
MAX_OPEN = 10_000_000
#: Memory of an open I/O, as the engine's records take it (measured: 363 to 424 bytes).
OPEN_BYTES = 400
#: I/Os that may be open from which on their memory is said.
MANY_OPEN = 1_000_000
#: Streams of an SPC-1-like load on one host.
SPC1_STREAMS = 8
#: Requests of an open loop that memory can hold at once; more are never waiting together.
MOST_WAITING = 2**27
#: Time that the requests waiting for a station may take together; the engine counts to 2^64.
MOST_WORK_PS = 2**62

#: Keys of times that a part of the model is busy with one request.
_BUSY = {
    "cost_per_io", "submit", "complete", "per_command", "per_interrupt", "transfer",
    "fetch_overhead", "store_overhead", "command_cost", "service", "read", "program", "erase",
    "time", "access", "overhead", "hit_overhead", "head_switch", "write_settle", "seek_single",
    "seek_average", "seek_full", "allocation", "message",
}  # fmt: skip
#: Parts of a scenario that serve I/O.
_SERVING = ("hosts", "arrays", "stacks", "filesystems")


def refuse_many_jobs(scenario: Scenario, maker: JobMaker) -> bool:
    """Note the first workload with which the jobs are too many; return whether there is one."""
    jobs = luns = 0
    for index, spec in enumerate(scenario.workloads):
        new_jobs, new_luns = _jobs_and_luns(spec, maker)
        jobs, luns = jobs + new_jobs, luns + new_luns
        key = "numjobs" if "numjobs" in spec.model_fields_set else "targets"
        path: Path = ("workloads", index, key)
        if jobs > MAX_JOBS:
            maker.problems.add(
                path,
                f"The workloads make {jobs} jobs, and {MAX_JOBS} is the limit",
                "Use fewer hosts, targets or jobs",
            )
            return True
        if luns > MAX_LUNS_OF_JOBS:
            maker.problems.add(
                path,
                f"The jobs of the workloads have {luns} LUNs, each counted for every job, and "
                f"{MAX_LUNS_OF_JOBS} is the limit",
                "Use fewer hosts, targets or jobs",
            )
            return True
    return False


def _jobs_and_luns(spec: Workload, maker: JobMaker) -> tuple[int, int]:
    """Return the jobs of a workload, and the LUNs of all its jobs together."""
    names = len(expand_names(spec.name))
    hosts = _matches(maker.boxes.host_names, spec.hosts)
    volume = maker.volumes.get(spec.targets[0]) if len(spec.targets) == 1 else None
    if volume is not None:
        jobs = names * hosts * spec.numjobs
        return jobs, jobs * len(volume.luns)
    luns = _matches(maker.table.by_name, spec.targets)
    if spec.spc1 is not None:
        jobs = names * hosts * SPC1_STREAMS
        return jobs, jobs * luns
    pairs = luns if spec.spread == "paths" else max(hosts, luns)
    if spec.spread == "all":
        pairs = hosts * luns
    pairs *= names * spec.numjobs
    return (names * hosts * spec.numjobs if spec.access is not None else pairs), pairs


def _matches(names: Names[Any], patterns: list[str]) -> int:
    return sum(len(names.match(pattern)) for pattern in patterns)


def open_ios(jobs: list[JobPlan]) -> int:
    """Return how many I/Os closed loops keep open together; an open loop counts one."""
    total = 0
    for job in jobs:
        lanes = len(job.targets) if isinstance(job.pattern, AccessPattern) else 1
        total += (job.iodepth or 1) * lanes
    return total


def refuse_many_open(scenario: Scenario, jobs: list[JobPlan], problems: Problems) -> None:
    """Note that more I/Os may be open than the engine holds."""
    count = open_ios(jobs)
    if count <= MAX_OPEN:
        return
    deepest = max(jobs, key=lambda job: job.iodepth or 1).workload
    names = [
        (index, name)
        for index, spec in enumerate(scenario.workloads)
        for name in expand_names(spec.name)
    ]
    problems.add(
        ("workloads", names[deepest][0], "iodepth"),
        f"{count} I/Os may be open at once, which would take about "
        f"{about_size(count * OPEN_BYTES)} of memory, and {MAX_OPEN} is the limit",
        "Reduce 'iodepth', or use fewer hosts, targets or jobs",
    )


def many_open(plan: Plan) -> str | None:
    """Return a sentence on the memory of open I/Os if it is much."""
    count = open_ios(plan.jobs)
    if count < MANY_OPEN:
        return None
    return (
        f"up to {count} I/Os may be open at once, which take about "
        f"{about_size(count * OPEN_BYTES)} of memory"
    )


def refuse_long_services(
    scenario: Scenario, jobs: list[JobPlan], hosts: list[HostPlan], end_ps: int, problems: Problems
) -> None:
    """Note service times with which the requests that wait for a part exceed the clock."""
    waiting = max(1, sum(_most_waiting(job, hosts[job.host], end_ps) for job in jobs))
    longest = MOST_WORK_PS // waiting
    for kind in _SERVING:
        for index, part in enumerate(getattr(scenario, kind)):
            for path, busy_ps in _busy_times(part, (kind, index)):
                if busy_ps > longest:
                    problems.add(
                        path,
                        f"The {counted(waiting, 'command')} that may wait, {format_time(busy_ps)} "
                        "each, would take longer than the clock counts",
                        f"Make it {about_time(longest)} or less, or keep fewer requests open",
                    )


def about_time(ps: int) -> str:
    """Return rounded text for a time, not more than it.

    >>> about_time(72_057_594_037_927_936)
    '72057s'
    """
    unit = max((unit for unit in (1, 10**3, 10**6, 10**9, 10**12) if unit <= ps), default=1)
    return format_time(ps // unit * unit)


def _most_waiting(job: JobPlan, host: HostPlan, end_ps: int) -> int:
    """Return how many commands of a job may wait together."""
    lanes = len(job.targets) if isinstance(job.pattern, AccessPattern) else 1
    count = (job.iodepth or 1) * lanes
    if job.iodepth is None and job.arrivals is not None:
        # A Poisson process may have more than its mean.
        count = min(2 * end_ps // job.arrivals.interval_ps, MOST_WAITING)
    if job.iodepth is None and isinstance(job.pattern, TracePattern):
        count = min(job.pattern.requests, MOST_WAITING)
    largest = [job.block_bytes, host.max_request_bytes or job.block_bytes]
    if isinstance(job.volume, StripeVolume):
        largest.append(job.volume.stripe_bytes)
    return max(1, count) * -(-job.block_bytes // min(largest))


def _busy_times(part: BaseModel, path: Path) -> Iterator[tuple[Path, int]]:
    """Yield every time in a part that something is busy with one request, with its place."""
    for key in part.model_fields_set:
        value = getattr(part, key)
        if isinstance(value, BaseModel):
            yield from _busy_times(value, (*path, key))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, BaseModel):
                    yield from _busy_times(item, (*path, key, index))
        elif key in _BUSY and isinstance(value, int):
            yield (*path, key), value
