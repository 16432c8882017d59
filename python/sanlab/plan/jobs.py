"""Workloads become jobs: one for each pair of host and LUN, times `numjobs`.

An access specification makes one job of each worker of a host, with all LUNs the host is paired
with; an SPC-1-like load makes eight streams of each host, with all LUNs.

Hosts and targets pair one to one where their numbers are equal, else one side is single, or
`spread: all` gives every host every target. Jobs of one workload on one LUN share its region when
addresses are random. When they are sequential each job has a region of its own, one after the
other: of `size` bytes where that is given, else an equal part of what is left of the LUN.

The nth pair of a host uses its nth linked HBA port, and further jobs of a pair the next ones, in
turn. A LUN is reached by the port of its array that its number points at, shifted by the HBA port,
among those that export it and can be reached.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sanlab.plan.access import access_keys, access_target, fits_access
from sanlab.plan.multipath import other_paths, preferred_ports, refuse_one_path
from sanlab.plan.names import define, pair_up
from sanlab.plan.presets import with_preset
from sanlab.plan.schema import JobPlan, OnZipf, TargetPlan, WorkloadPlan, ZipfAddress
from sanlab.plan.spc1 import make_volume, spc1_streams
from sanlab.plan.volumes import misuses_volumes
from sanlab.quantities import PS_PER_S, counted, format_size, nearest

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import Problems
    from sanlab.plan.npiv import VirtualPort
    from sanlab.plan.schema import AddressPlan
    from sanlab.plan.storage import LunTable, PlacedLun
    from sanlab.plan.volumes import PlacedVolume
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.workload import Workload

#: Jobs of one scenario.
MAX_JOBS = 200_000


@dataclass(slots=True)
class JobMaker:
    """What jobs are made from."""

    boxes: Boxes
    wiring: Wiring
    table: LunTable
    n_port_ids: dict[tuple[str, str], int]
    problems: Problems
    virtual: dict[tuple[str, str], VirtualPort] = field(default_factory=dict)
    """Virtual ports of hosts."""
    volumes: dict[str, PlacedVolume] = field(default_factory=dict)
    """Volumes and file systems."""


@dataclass(frozen=True, slots=True)
class _Region:
    """Part of a LUN."""

    offset: int
    span: int


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where a job belongs, as ids of the plan."""

    workload: int
    host: int
    adapter: int
    target_n_port: int


def build_jobs(
    scenario: Scenario, maker: JobMaker, flows: dict[str, Path]
) -> tuple[list[WorkloadPlan], list[JobPlan]]:
    """Return the workloads and jobs of the plan."""
    workloads: list[WorkloadPlan] = []
    jobs: list[JobPlan] = []
    for index, spec in enumerate(scenario.workloads):
        path: Path = ("workloads", index)
        work = with_preset(spec, path, maker.problems)
        for name in define(spec.name, (*path, "name"), flows, maker.problems):
            made = _jobs_of(work, name, len(workloads), path, maker) if work else []
            workloads.append(WorkloadPlan(name=name))
            made = [_on_all_paths(job, work, path, maker) for job in made] if work else made
            jobs.extend(_from_virtual_ports(made, work, maker))
        if len(jobs) > MAX_JOBS:
            maker.problems.add(
                (*path, "numjobs"),
                f"The workloads make more than {MAX_JOBS} jobs",
                "Use fewer hosts, targets or jobs",
            )
            break
    return workloads, jobs


def _on_all_paths(job: JobPlan, spec: Workload, path: Path, maker: JobMaker) -> JobPlan:
    """The job with every path to its LUNs, where its host has `multipath`: the best comes first."""
    host = maker.boxes.hosts[job.host]
    if host.multipath is None:
        return job
    targets, paths = list(job.targets), []
    places = [(it.array, it.lun) for it in targets] or [(job.array, job.lun)]
    for number, (array, lun_number) in enumerate(places):
        lun = maker.table.luns[array][lun_number]
        ways = _ways(spec, host.name, lun, path, maker)
        if len(ways) == 1:
            refuse_one_path(host.name, lun.name, (*path, "hosts"), maker.problems)
        paths += other_paths(ways, number)
        if ways and targets:
            update = {"adapter": ways[0][0], "target_n_port": ways[0][1]}
            targets[number] = targets[number].model_copy(update=update)
        if ways and number == 0:
            job = job.model_copy(update={"adapter": ways[0][0], "target_n_port": ways[0][1]})
    return job.model_copy(update={"targets": targets, "paths": paths})


def _ways(
    spec: Workload, host: str, lun: PlacedLun, path: Path, maker: JobMaker
) -> list[tuple[int, int, int]]:
    """Return adapter, N_Port and group of every path to a LUN, the best group first."""
    array = maker.boxes.arrays[lun.array].name
    preferred = preferred_ports(lun, maker.problems)
    found = [
        (0 if port in preferred else 1, adapter, maker.n_port_ids[array, port])
        for adapter, label in _chosen_host_ports(spec, host, path, maker)
        for port in _chosen_target_ports(spec, array, lun, path, maker)
        if maker.wiring.is_reachable((host, label), (array, port))
    ]
    best = min((group for group, _, _ in found), default=0)
    return [(adapter, port, group - best) for group, adapter, port in sorted(found)]


def _from_virtual_ports(
    jobs: list[JobPlan], spec: Workload | None, maker: JobMaker
) -> list[JobPlan]:
    """The jobs, with commands that come from the virtual port their workload names."""
    if spec is None or spec.host_port is None or not maker.virtual:
        return jobs
    names = [host.name for host in maker.boxes.hosts]
    found = []
    for job in jobs:
        virtual = maker.virtual.get((names[job.host], spec.host_port))
        update = {} if virtual is None else {"initiator": virtual.n_port}
        found.append(job.model_copy(update=update))
    return found


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
                f"No path of a stack says who drives '{lun}'",
                "Add it to the 'paths' of the stack, or write another 'spread'",
            )
            return []
        if via[0] not in hosts:
            maker.problems.add(
                (*path, "hosts"),
                f"By the paths of its stack '{via[0]}' drives '{lun}', and it is no host of this "
                "workload",
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
    if spec.access is not None:
        return _access_jobs(spec, name, workload, path, maker)
    volume = maker.volumes.get(spec.targets[0]) if len(spec.targets) == 1 else None
    if volume is not None:
        return _volume_jobs(spec, (name, workload), volume, path, maker)
    if spec.first_write:
        maker.problems.add(
            (*path, "first_write"),
            "Only a file system allocates blocks at the first write",
            "Let 'targets' name one of 'filesystems', or remove 'first_write'",
        )
    pairs = _pairs(spec, path, maker)
    parts = Counter(lun for _, lun in pairs)
    regions = {
        lun: _regions(spec, maker.table.by_name[lun], count * spec.numjobs, path, maker.problems)
        for lun, count in parts.items()
    }
    host_ids = maker.boxes.host_names
    next_part: Counter[str] = Counter()
    pair_of_host: Counter[str] = Counter()
    jobs = []
    for host, lun in pairs:
        paths = _paths(spec, host, maker.table.by_name[lun], path, maker)
        turn = pair_of_host[host]
        pair_of_host[host] += 1
        if not paths:
            continue
        for number in range(spec.numjobs):
            region = regions[lun][next_part[lun]] if regions[lun] else None
            next_part[lun] += 1
            if region is None:
                break
            suffix = f"/{number}" if spec.numjobs > 1 else ""
            adapter, port = paths[(turn + number) % len(paths)]
            ends = _Ends(workload, host_ids[host], adapter, port)
            job_name = f"{name}/{host}/{lun}{suffix}"
            jobs.append(_job(spec, job_name, ends, maker.table.by_name[lun], region))
    return jobs


def _volume_jobs(
    spec: Workload, of: tuple[str, int], volume: PlacedVolume, path: Path, maker: JobMaker
) -> list[JobPlan]:
    """Return the jobs of a workload on a volume, each with a part of it of its own."""
    name, workload = of
    hosts = maker.boxes.host_names.resolve(spec.hosts, (*path, "hosts"), maker.problems)
    if spec.first_write and volume.file_system is None:
        maker.problems.add(
            (*path, "first_write"),
            f"'{volume.name}' is no file system, and allocates nothing",
            "Let 'targets' name one of 'filesystems', or remove 'first_write'",
        )
        return []
    whole = replace(volume.luns[0], bytes=volume.bytes, name=volume.name)
    regions = _regions(spec, whole, len(hosts) * spec.numjobs, path, maker.problems)
    jobs: list[JobPlan] = []
    for host in hosts:
        routes = _routes(spec, host, [lun.name for lun in volume.luns], path, maker)
        if not routes or not regions:
            return jobs
        for number in range(spec.numjobs):
            targets = [
                TargetPlan(
                    adapter=paths[(turn + number) % len(paths)][0],
                    target_n_port=paths[(turn + number) % len(paths)][1],
                    array=lun.array,
                    lun=lun.number,
                    offset_bytes=0,
                    span_bytes=volume.bytes_each[turn],
                )
                for turn, (lun, paths) in enumerate(routes)
            ]
            region = regions[len(jobs)]
            suffix = f"/{number}" if spec.numjobs > 1 else ""
            first = targets[0]
            ends = _Ends(workload, maker.boxes.host_names[host], first.adapter, first.target_n_port)
            job = _job(spec, f"{name}/{host}/{volume.name}{suffix}", ends, volume.luns[0], region)
            file_system = volume.file_system
            update = {
                "targets": targets,
                "volume": volume.plan,
                "file_system": None if file_system is None else file_system.number,
                "first_write": spec.first_write,
            }
            jobs.append(job.model_copy(update=update))
    return jobs


def _routes(
    spec: Workload, host: str, luns: list[str], path: Path, maker: JobMaker
) -> list[tuple[PlacedLun, list[tuple[int, int]]]]:
    """LUNs of a host with the ways to each; empty where one cannot be reached."""
    placed = [maker.table.by_name[lun] for lun in luns]
    found = [(lun, _paths(spec, host, lun, path, maker)) for lun in placed]
    return found if all(paths for _, paths in found) else []


def _access_jobs(
    spec: Workload, name: str, workload: int, path: Path, maker: JobMaker
) -> list[JobPlan]:
    """Return one job for each worker of a host, with all LUNs the host is paired with."""
    pairs = _pairs(spec, path, maker)
    for lun in {lun: None for _, lun in pairs}:
        if not fits_access(spec, maker.table.by_name[lun], path, maker.problems):
            return []
    luns_of: dict[str, list[str]] = {}
    for host, lun in pairs:
        luns_of.setdefault(host, []).append(lun)
    jobs = []
    for host, luns in luns_of.items():
        routes = _routes(spec, host, luns, path, maker)
        if not routes:
            continue
        for number in range(spec.numjobs):
            targets = [
                access_target(spec, lun, paths[(turn + number) % len(paths)])
                for turn, (lun, paths) in enumerate(routes)
            ]
            suffix = f"/{number}" if spec.numjobs > 1 else ""
            job = _on_targets(spec, f"{name}/{host}{suffix}", (workload, host), targets, maker)
            jobs.append(job.model_copy(update=access_keys(spec, targets)))
    return jobs


def _spc1_jobs(
    spec: Workload, name: str, workload: int, path: Path, maker: JobMaker
) -> list[JobPlan]:
    """Return eight streams for each host, its units of load being an equal part of all."""
    hosts = maker.boxes.host_names.resolve(spec.hosts, (*path, "hosts"), maker.problems)
    luns = maker.table.by_name.resolve(spec.targets, (*path, "targets"), maker.problems)
    jobs: list[JobPlan] = []
    load = spec.spc1
    if load is None or not luns:
        return jobs
    for index, host in enumerate(hosts):
        units = (load.bsus + len(hosts) - 1 - index) // len(hosts)
        routes = _routes(spec, host, luns, path, maker)
        if not units or not routes:
            continue
        ways = [(lun, paths[turn % len(paths)]) for turn, (lun, paths) in enumerate(routes)]
        volume = make_volume(load, ways, path, maker.problems)
        if volume is None:
            return []
        job = _on_targets(spec, f"{name}/{host}", (workload, host), volume.targets, maker)
        jobs.extend(
            job.model_copy(update={"name": f"{job.name}/{stream.name}", **keys})
            for stream, keys in spc1_streams(load, volume, units)
        )
    return jobs


def _on_targets(
    spec: Workload, name: str, of: tuple[int, str], targets: list[TargetPlan], maker: JobMaker
) -> JobPlan:
    """Return a job of `(workload, host)` on several LUNs, its pattern still to be set."""
    first = targets[0]
    ends = _Ends(of[0], maker.boxes.host_names[of[1]], first.adapter, first.target_n_port)
    lun = maker.table.luns[first.array][first.lun]
    region = _Region(first.offset_bytes, first.span_bytes)
    return _job(spec, name, ends, lun, region).model_copy(update={"targets": targets})


def _regions(
    spec: Workload, lun: PlacedLun, count: int, path: Path, problems: Problems
) -> list[_Region]:
    """Return the region of each of `count` jobs on a LUN; empty where they do not fit."""
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
                f"'{lun.name}' ({format_size(lun.bytes)}) has no room for a request of "
                f"{format_size(spec.bs)} of each job",
                "Reduce 'offset', 'bs' or 'numjobs', or enlarge the LUN",
            )
            return []
    step = span if separate else 0
    return [_Region(spec.offset + step * number, span) for number in range(count)]


def _paths(
    spec: Workload, host: str, lun: PlacedLun, path: Path, maker: JobMaker
) -> list[tuple[int, int]]:
    """Adapter and target N_Port of each HBA port that reaches a LUN."""
    array = maker.boxes.arrays[lun.array].name
    host_ports = _chosen_host_ports(spec, host, path, maker)
    if spec.spread == "paths" and lun.via is not None:
        host_ports = [it for it in host_ports if it[1] == lun.via[1]]
    targets = _chosen_target_ports(spec, array, lun, path, maker)
    if not host_ports or not targets:
        return []
    if lun.initiators is not None:
        host_ports = [it for it in host_ports if (host, it[1]) in lun.initiators]
        if not host_ports:
            maker.problems.add(
                (*path, "targets"),
                f"'{lun.name}' is masked from '{host}'",
                f"Add '{host}' to the 'initiators' of the LUN, or choose another target",
            )
            return []
    found = []
    for adapter, label in host_ports:
        reached = [
            port for port in targets if maker.wiring.is_reachable((host, label), (array, port))
        ]
        if reached:
            port = reached[(lun.number + adapter) % len(reached)]
            found.append((adapter, maker.n_port_ids[array, port]))
    if not found:
        maker.problems.add(
            (*path, "targets"),
            f"No path leads from '{host}' to '{lun.name}'",
            f"Link '{host}' and '{array}' to the same fabric",
        )
    return found


def _chosen_host_ports(
    spec: Workload, host: str, path: Path, maker: JobMaker
) -> list[tuple[int, str]]:
    linked = list(enumerate(maker.wiring.linked_ports(host)))
    if not linked:
        maker.problems.add(
            (*path, "hosts"), f"'{host}' has no link", f"Add a link from '{host}' to a switch"
        )
        return []
    if spec.host_port is None:
        return linked
    virtual = maker.virtual.get((host, spec.host_port))
    wanted = spec.host_port if virtual is None else virtual.parent
    chosen = [(adapter, label) for adapter, label in linked if label == wanted]
    if not chosen:
        labels = [label for _, label in linked]
        labels += [label for owner, label in maker.virtual if owner == host]
        _refuse_port(spec.host_port, host, labels, (*path, "host_port"), maker.problems)
    return chosen


def _chosen_target_ports(
    spec: Workload, array: str, lun: PlacedLun, path: Path, maker: JobMaker
) -> list[str]:
    if not lun.ports:
        linked = maker.wiring.linked_ports(array)
        remedy = (
            f"Link a port in its 'ports', or export it by {', '.join(linked)}"
            if linked
            else f"Add a link from '{array}' to a switch"
        )
        maker.problems.add((*path, "targets"), f"No port with a link exports '{lun.name}'", remedy)
        return []
    if spec.target_port is None:
        return list(lun.ports)
    label = spec.target_port.removeprefix(f"{array}.")
    if label not in lun.ports:
        _refuse_port(label, array, list(lun.ports), (*path, "target_port"), maker.problems)
        return []
    return [label]


def _refuse_port(label: str, box: str, known: list[str], path: Path, problems: Problems) -> None:
    guess = nearest(label, known)
    hint = f"Did you mean '{guess}'? " if guess else ""
    problems.add(
        path, f"'{box}' has no linked port '{label}' for this", f"{hint}There is {', '.join(known)}"
    )


def _job(
    spec: Workload,
    name: str,
    ends: _Ends,
    lun: PlacedLun,
    region: _Region,
) -> JobPlan:
    is_open = spec.arrivals != "closed"
    stop = 0
    if spec.runtime is not None:
        stop = spec.start_delay + spec.ramp_time + spec.runtime
    return JobPlan(
        name=name,
        workload=ends.workload,
        host=ends.host,
        adapter=ends.adapter,
        target_n_port=ends.target_n_port,
        array=lun.array,
        lun=lun.number,
        read_ppm=spec.read_ppm,
        random=spec.is_random,
        address=_address(spec),
        block_bytes=spec.bs,
        iodepth=0 if is_open else spec.iodepth,
        total_bytes=_total(spec, region),
        offset_bytes=region.offset,
        span_bytes=region.span,
        start_ps=spec.start_delay,
        ramp_ps=spec.ramp_time,
        stop_ps=stop,
        interval_ps=_interval(spec),
        interval_distribution="exponential" if spec.arrivals == "poisson" else "constant",
        think_ps=spec.thinktime,
    )


def _address(spec: Workload) -> AddressPlan:
    if not spec.random_distribution:
        return "uniform"
    return OnZipf(zipf=ZipfAddress(theta_milli=spec.random_distribution))


def _total(spec: Workload, region: _Region) -> int:
    if spec.io_size is not None:
        return max(spec.io_size // spec.bs, 1) * spec.bs
    return region.span * spec.loops if spec.size is not None and not spec.time_based else 0


def _interval(spec: Workload) -> int:
    """Return the mean time between submissions of a job; 0 where it has no rate."""
    if spec.rate is not None:
        return max(1, round(spec.bs * PS_PER_S / spec.rate))
    if spec.rate_iops is not None:
        return max(1, round(PS_PER_S / spec.rate_iops))
    return 0
