"""The requests of a job, and the job in the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.schema import (
    ArrivalsPlan,
    BlocksPattern,
    JobPlan,
    LoadPlan,
    LoadPointPlan,
    SequentialAddress,
    UniformAddress,
    ZipfAddress,
)
from sanlab.quantities import PS_PER_S

if TYPE_CHECKING:
    from sanlab.plan.job_paths import Region
    from sanlab.plan.schema import (
        AddressPlan,
        FileSystemUsePlan,
        PatternPlan,
        TargetPlan,
        VolumePlan,
    )
    from sanlab.scenario.load_curve import Load
    from sanlab.scenario.workload import Workload


@dataclass(frozen=True, slots=True)
class JobIds:
    """Name of a job, and the ids of its workload and host in the plan."""

    name: str
    workload: int
    host: int
    initiator: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """LUN and region of a job."""

    targets: list[TargetPlan]
    region: Region
    volume: VolumePlan | None = None
    file_system: FileSystemUsePlan | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """Requests of a job."""

    read_ppm: int
    block_bytes: int
    addresses: AddressPlan
    iodepth: int | None
    total_bytes: int | None
    arrivals: ArrivalsPlan | None
    pattern: PatternPlan


def job_of(spec: Workload, ids: JobIds, place: Place, asked: Asked) -> JobPlan:
    """Return a job of a workload."""
    stop = None
    if spec.runtime is not None:
        stop = (spec.start_delay + spec.ramp_time + spec.runtime) or None
    return JobPlan(
        name=ids.name,
        workload=ids.workload,
        host=ids.host,
        targets=place.targets,
        initiator=ids.initiator,
        offset_bytes=place.region.offset,
        span_bytes=place.region.span,
        read_ppm=asked.read_ppm,
        block_bytes=asked.block_bytes,
        addresses=asked.addresses,
        iodepth=asked.iodepth,
        total_bytes=asked.total_bytes,
        start_ps=spec.start_delay,
        ramp_ps=spec.ramp_time,
        stop_ps=stop,
        arrivals=asked.arrivals,
        load=load_of(spec.load),
        think_ps=spec.thinktime,
        pattern=asked.pattern,
        volume=place.volume,
        file_system=place.file_system,
    )


def blocks_of(spec: Workload, region: Region) -> Asked:
    """Return the requests of a workload of blocks of one size."""
    return Asked(
        read_ppm=spec.read_ppm,
        block_bytes=spec.bs,
        addresses=_addresses(spec),
        iodepth=depth_of(spec),
        total_bytes=_total(spec, region),
        arrivals=arrivals_of(spec),
        pattern=BlocksPattern(),
    )


def depth_of(spec: Workload) -> int | None:
    """Return the requests a workload keeps open; None for an open loop."""
    return spec.iodepth if spec.arrivals == "closed" else None


def arrivals_of(spec: Workload) -> ArrivalsPlan | None:
    """Return the rate of submissions, or None."""
    if spec.rate is not None:
        interval = spec.bs * PS_PER_S / spec.rate
    elif spec.rate_iops is not None:
        interval = PS_PER_S / spec.rate_iops
    else:
        return None
    return ArrivalsPlan(
        interval_ps=max(1, round(interval)),
        distribution="exponential" if spec.arrivals == "poisson" else "constant",
    )


def load_of(load: Load | None) -> LoadPlan | None:
    """Return a rate over time, or None if it is constant."""
    if load is None:
        return None
    return LoadPlan(
        points=[LoadPointPlan(at_ps=at, share_ppm=share) for at, share in load.table],
        repeats=load.repeat,
    )


def _addresses(spec: Workload) -> AddressPlan:
    if not spec.is_random:
        return SequentialAddress()
    if not spec.random_distribution:
        return UniformAddress()
    return ZipfAddress(theta_milli=spec.random_distribution)


def _total(spec: Workload, region: Region) -> int | None:
    if spec.io_size is not None:
        return max(spec.io_size // spec.bs, 1) * spec.bs
    if spec.size is not None and not spec.time_based:
        return region.span * spec.loops
    return None
