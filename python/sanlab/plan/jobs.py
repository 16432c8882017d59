"""Workloads become jobs: one for each pair of host and LUN, times `numjobs`.

An access specification has one job for each worker of a host, with all LUNs of that host; an
SPC-1-like load has eight streams for each host, with all LUNs.

Hosts and targets pair one to one if their numbers are equal; otherwise one side is single, or
`spread: all` gives every host every target. Random jobs of one workload on one LUN share a region.
Sequential jobs have adjacent regions: of `size` bytes, or by default equal parts of the rest of the
LUN.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from sanlab.plan.access import access_region, asked_of_access, fits_access
from sanlab.plan.amounts import refuse_many_jobs
from sanlab.plan.job_parts import JobIds, Place, blocks_of, job_of
from sanlab.plan.job_paths import Region, TargetMaker, initiator_of, routes_of, ways_to
from sanlab.plan.names import define, pair_up
from sanlab.plan.order import in_order
from sanlab.plan.presets import with_preset
from sanlab.plan.replay import asked_of_trace, devices_of
from sanlab.plan.schema import DataFileSystemUse, WorkloadPlan
from sanlab.plan.spc1 import make_volume, spc1_streams
from sanlab.plan.volumes import misuses_volumes
from sanlab.quantities import counted, format_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.plan.job_paths import JobMaker
    from sanlab.plan.luns import PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import JobPlan
    from sanlab.plan.volumes import PlacedVolume
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.workload import Workload


def build_jobs(
    scenario: Scenario, maker: JobMaker, flows: dict[str, Path]
) -> tuple[list[WorkloadPlan], list[JobPlan]]:
    """Return the workloads and jobs of the plan."""
    workloads: list[WorkloadPlan] = []
    jobs: list[JobPlan] = []
    if refuse_many_jobs(scenario, maker):
        return workloads, jobs
    for index, spec in enumerate(scenario.workloads):
        path: Path = ("workloads", index)
        work = with_preset(spec, path, maker.problems)
        for name in define(spec.name, (*path, "name"), flows, maker.problems):
            if work is not None:
                jobs.extend(_jobs_of(work, name, len(workloads), path, maker))
            workloads.append(WorkloadPlan(name=name, file_system=None, after=[]))
    return in_order(scenario, workloads, jobs, maker.problems), jobs


def _pairs(spec: Workload, path: Path, maker: JobMaker) -> list[tuple[str, str]]:
    hosts = maker.boxes.host_names.resolve(spec.hosts, (*path, "hosts"), maker.problems)
    luns = maker.table.by_name.resolve(spec.targets, (*path, "targets"), maker.problems)
    if not hosts or not luns:
        return []
    if spec.spread == "paths":
        return _driven(hosts, luns, path, maker)
    if spec.spread == "all":
        return [(host, lun) for host in hosts for lun in luns]
    if spec.spread == "pair" and len(hosts) != len(luns):
        maker.problems.add(
            (*path, "spread"),
            f"{counted(len(hosts), 'host')} and {counted(len(luns), 'LUN')} do not pair one to one",
            "Give equal numbers, or 'spread: all'",
        )
        return []
    if 1 not in (len(hosts), len(luns)) and len(hosts) != len(luns):
        maker.problems.add(
            (*path, "targets"),
            f"{len(hosts)} hosts cannot pair with {len(luns)} LUNs",
            "Give equal numbers, or 'spread: all' for every host with all LUNs",
        )
        return []
    return pair_up(hosts, luns, (*path, "targets"), ("hosts", "LUNs"), maker.problems)


def _driven(
    hosts: list[str], luns: list[str], path: Path, maker: JobMaker
) -> list[tuple[str, str]]:
    """Pair each LUN with the host that its stack's `paths` name."""
    pairs = []
    for lun in luns:
        via = maker.table.by_name[lun].via
        if via is None:
            maker.problems.add(
                (*path, "spread"),
                f"No 'paths' of a stack name a host port for '{lun}'",
                "Add it to the 'paths' of the stack, or write another 'spread'",
            )
            return []
        if via[0] not in hosts:
            maker.problems.add(
                (*path, "hosts"),
                f"The 'paths' of the stack assign '{lun}' to '{via[0]}', which is not a host of"
                " this workload",
                f"Add '{via[0]}' to 'hosts', or change the 'paths' of the stack",
            )
            return []
        pairs.append((via[0], lun))
    return pairs


def _jobs_of(
    spec: Workload, name: str, workload: int, path: Path, maker: JobMaker
) -> list[JobPlan]:
    if misuses_volumes(spec, maker.volumes, path, maker.problems):
        return []
    if spec.spc1 is not None:
        return _spc1_jobs(spec, name, workload, path, maker)
    if spec.trace is not None:
        return list(_trace_jobs(spec, name, workload, path, maker))
    if spec.access is not None:
        return _access_jobs(spec, name, workload, path, maker)
    volume = maker.volumes.get(spec.targets[0]) if len(spec.targets) == 1 else None
    if volume is not None:
        return _volume_jobs(spec, (name, workload), volume, path, maker)
    if spec.first_write:
        maker.problems.add(
            (*path, "first_write"),
            "'first_write' needs a file system, which allocates blocks",
            "Let 'targets' name one of 'filesystems', or remove 'first_write'",
        )
    return list(_block_jobs(spec, name, workload, path, maker))


def _ids(spec: Workload, name: str, of: tuple[int, str], maker: JobMaker) -> JobIds:
    """Return the ids of a job of `(workload, host)`."""
    workload, host = of
    initiator = initiator_of(spec, host, maker)
    return JobIds(name, workload, maker.boxes.host_names[host], initiator)


def _suffix(spec: Workload, number: int) -> str:
    """Return the suffix of the names of several jobs of a pair."""
    return f"/{number}" if spec.numjobs > 1 else ""


def _block_jobs(
    spec: Workload, name: str, workload: int, path: Path, maker: JobMaker
) -> Iterator[JobPlan]:
    """Yield the jobs of a workload on LUNs, each with its region."""
    pairs = _pairs(spec, path, maker)
    parts = Counter(lun for _, lun in pairs)
    regions = {
        lun: _regions(spec, maker.table.by_name[lun], count * spec.numjobs, path, maker.problems)
        for lun, count in parts.items()
    }
    next_part: Counter[str] = Counter()
    pair_of_host: Counter[str] = Counter()
    for host, lun in pairs:
        placed = maker.table.by_name[lun]
        ways = ways_to(spec, host, placed, path, maker)
        turn = pair_of_host[host]
        pair_of_host[host] += 1
        if not ways or not regions[lun]:
            continue
        targets = TargetMaker(spec, host, path, maker)
        for number in range(spec.numjobs):
            region = regions[lun][next_part[lun]]
            next_part[lun] += 1
            target = targets.target(placed, ways[(turn + number) % len(ways)], region)
            job_name = f"{name}/{host}/{lun}{_suffix(spec, number)}"
            ids = _ids(spec, job_name, (workload, host), maker)
            yield job_of(spec, ids, Place([target], region), blocks_of(spec, region))


def _trace_jobs(
    spec: Workload, name: str, workload: int, path: Path, maker: JobMaker
) -> Iterator[JobPlan]:
    """Yield one job for each device of a trace and each host that replays it."""
    pairs = _pairs(spec, path, maker)
    luns = [maker.table.by_name[lun] for lun in dict.fromkeys(lun for _, lun in pairs)]
    if spec.trace is None or not luns:
        return
    devices = devices_of(spec, spec.trace, luns, path, maker.problems)
    of_lun = dict(zip((lun.name for lun in luns), devices, strict=False))
    for host, lun in pairs:
        placed = maker.table.by_name[lun]
        ways = ways_to(spec, host, placed, path, maker)
        device = of_lun.get(placed.name)
        if not ways or device is None:
            continue
        region = Region(spec.offset, device.end)
        target = TargetMaker(spec, host, path, maker).target(placed, ways[0], region)
        ids = _ids(spec, f"{name}/{host}/{lun}", (workload, host), maker)
        asked = asked_of_trace(spec, spec.trace, device)
        yield job_of(spec, ids, Place([target], region), asked)


def _volume_jobs(
    spec: Workload, of: tuple[str, int], volume: PlacedVolume, path: Path, maker: JobMaker
) -> list[JobPlan]:
    """Return the jobs of a workload on a volume, each with its own part of the volume."""
    name, workload = of
    hosts = maker.boxes.host_names.resolve(spec.hosts, (*path, "hosts"), maker.problems)
    if spec.first_write and volume.file_system is None:
        maker.problems.add(
            (*path, "first_write"),
            f"'{volume.name}' is not a file system, so 'first_write' has no effect",
            "Let 'targets' name one of 'filesystems', or remove 'first_write'",
        )
        return []
    if not hosts:
        return []
    whole = replace(volume.luns[0], bytes=volume.bytes, name=volume.name)
    regions = _regions(spec, whole, len(hosts) * spec.numjobs, path, maker.problems)
    use = None
    if volume.file_system is not None:
        use = DataFileSystemUse(file_system=volume.file_system.number, first_write=spec.first_write)
    jobs: list[JobPlan] = []
    for host in hosts:
        routes = routes_of(spec, host, [lun.name for lun in volume.luns], path, maker)
        if not routes or not regions:
            return jobs
        targets = TargetMaker(spec, host, path, maker)
        for number in range(spec.numjobs):
            members = [
                targets.target(
                    lun, ways[(turn + number) % len(ways)], Region(0, volume.bytes_each[turn])
                )
                for turn, (lun, ways) in enumerate(routes)
            ]
            region = regions[len(jobs)]
            job_name = f"{name}/{host}/{volume.name}{_suffix(spec, number)}"
            ids = _ids(spec, job_name, (workload, host), maker)
            place = Place(members, region, volume.plan, use)
            jobs.append(job_of(spec, ids, place, blocks_of(spec, region)))
    return jobs


def _access_jobs(
    spec: Workload, name: str, workload: int, path: Path, maker: JobMaker
) -> list[JobPlan]:
    """Return one job for each worker of a host, with all LUNs of that host."""
    pairs = _pairs(spec, path, maker)
    for lun in {lun: None for _, lun in pairs}:
        if not fits_access(spec, maker.table.by_name[lun], path, maker.problems):
            return []
    luns_of: dict[str, list[str]] = {}
    for host, lun in pairs:
        luns_of.setdefault(host, []).append(lun)
    jobs = []
    for host, luns in luns_of.items():
        routes = routes_of(spec, host, luns, path, maker)
        if not routes:
            continue
        targets = TargetMaker(spec, host, path, maker)
        for number in range(spec.numjobs):
            regions = [access_region(spec, placed) for placed, _ in routes]
            members = [
                targets.target(placed, ways[(turn + number) % len(ways)], region)
                for turn, ((placed, ways), region) in enumerate(zip(routes, regions, strict=True))
            ]
            job_name = f"{name}/{host}{_suffix(spec, number)}"
            ids = _ids(spec, job_name, (workload, host), maker)
            place = Place(members, regions[0])
            jobs.append(job_of(spec, ids, place, asked_of_access(spec)))
    return jobs


def _spc1_jobs(
    spec: Workload, name: str, workload: int, path: Path, maker: JobMaker
) -> list[JobPlan]:
    """Return eight streams for each host, with an equal part of the units of load."""
    hosts = maker.boxes.host_names.resolve(spec.hosts, (*path, "hosts"), maker.problems)
    luns = maker.table.by_name.resolve(spec.targets, (*path, "targets"), maker.problems)
    jobs: list[JobPlan] = []
    load = spec.spc1
    if load is None or not luns:
        return jobs
    for index, host in enumerate(hosts):
        units = (load.bsus + len(hosts) - 1 - index) // len(hosts)
        routes = routes_of(spec, host, luns, path, maker)
        if not units or not routes:
            continue
        volume = make_volume(load, [lun for lun, _ in routes], path, maker.problems)
        if volume is None:
            return []
        targets = TargetMaker(spec, host, path, maker)
        members = [
            targets.target(lun, ways[turn % len(ways)], Region(0, volume.bytes_each[turn]))
            for turn, (lun, ways) in enumerate(routes)
        ]
        for stream, region, asked in spc1_streams(load, volume, units):
            ids = _ids(spec, f"{name}/{host}/{stream.name}", (workload, host), maker)
            jobs.append(job_of(spec, ids, Place(members, region), asked))
    return jobs


def _regions(
    spec: Workload, lun: PlacedLun, count: int, path: Path, problems: Problems
) -> list[Region]:
    """Return the region of each of `count` jobs on a LUN; empty if they do not fit."""
    room = lun.bytes - spec.offset
    separate = not spec.is_random
    if spec.size is not None:
        span = spec.size // spec.bs * spec.bs
        needed = span * count if separate else span
        if needed > room:
            of_jobs = f" of {count} jobs" if separate and count > 1 else ""
            problems.add(
                (*path, "size"),
                f"The region{of_jobs} ends at {format_size(spec.offset + needed)}, beyond "
                f"'{lun.name}' ({format_size(lun.bytes)})",
                "Reduce 'size', 'offset' or 'numjobs', or enlarge the LUN",
            )
            return []
    else:
        span = max(room, 0) // (count if separate else 1) // spec.bs * spec.bs
        if span < spec.bs:
            problems.add(
                (*path, "offset" if spec.offset else "bs"),
                f"'{lun.name}' ({format_size(lun.bytes)}) has no space for a request of "
                f"{format_size(spec.bs)} of each job",
                "Reduce 'offset', 'bs' or 'numjobs', or enlarge the LUN",
            )
            return []
    step = span if separate else 0
    return [Region(spec.offset + step * number, span) for number in range(count)]
