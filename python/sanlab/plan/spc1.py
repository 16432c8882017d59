"""Jobs of an SPC-1-like load: eight streams on three application storage units (ASUs).

Intensities, shares, regions and sizes are those of the open implementation of SPC-1 by NetApp
(spc1.c in github.com/lpabon/spc1, 2009; it does not claim strict conformance), and agree with the
mix that Gill and Modha, "WOW: Wise Ordering for Writes", FAST 2005, give for SPC-1: 40 % reads,
61 % random I/O. Each stream of each BSU is a Poisson process; the sum of those of several BSUs is
again Poisson, and each arrival belongs to any BSU with equal probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sanlab.plan.job_parts import Asked
from sanlab.plan.job_paths import Region
from sanlab.plan.schema import (
    ArrivalsPlan,
    RunsStream,
    SequentialAddress,
    SizePlan,
    StreamPattern,
    UniformAddress,
    UniformStream,
    WalkStream,
)
from sanlab.quantities import PS_PER_S, format_size
from sanlab.scenario.workload import SPC1_BLOCK_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.plan.luns import PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import StreamPlan
    from sanlab.scenario.document import Path
    from sanlab.scenario.workload import Spc1

#: Shares of the capacity that are ASU-1, ASU-2 and ASU-3, in percent.
ASU_PERCENT = (45, 45, 10)
#: Sizes of sequential requests (SMIX) in bytes, with their shares in parts per million.
SMIX = {4096: 400_000, 8192: 240_000, 16_384: 200_000, 32_768: 80_000, 65_536: 80_000}
#: Least size of all targets: a hot region, 5 % of 45 %, has the 64 leaves of 32 KiB of one step.
LEAST_BYTES = 100 * 2**20
#: Largest size, because of the memory for the state of the hot regions.
MOST_BYTES = 256 * 2**40
DEFAULT_STRIPE_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """One stream: `region` is where it starts within its ASU and how long it is, in percent."""

    name: str
    asu: int
    kind: Literal["uniform", "walk", "runs"]
    intensity_milli: int
    read_ppm: int
    region: tuple[int, int]
    align_bytes: int = SPC1_BLOCK_BYTES
    run_percent: int = 0


STREAMS = (
    StreamSpec("asu1-1", 1, "uniform", 35, 500_000, (0, 100)),
    StreamSpec("asu1-2", 1, "walk", 281, 500_000, (15, 5)),
    StreamSpec("asu1-3", 1, "runs", 70, 1_000_000, (20, 50), run_percent=10),
    StreamSpec("asu1-4", 1, "walk", 210, 500_000, (70, 5)),
    StreamSpec("asu2-1", 2, "uniform", 18, 300_000, (0, 100), align_bytes=2 * SPC1_BLOCK_BYTES),
    StreamSpec("asu2-2", 2, "walk", 70, 300_000, (47, 5)),
    StreamSpec("asu2-3", 2, "runs", 35, 1_000_000, (20, 50), run_percent=10),
    StreamSpec("asu3-1", 3, "runs", 281, 0, (0, 100), run_percent=30),
)


@dataclass(frozen=True, slots=True)
class VolumeSpec:
    """LUNs as one range of addresses."""

    bytes_each: list[int]
    stripe_bytes: int | None
    bytes: int


def make_volume(
    load: Spc1, luns: list[PlacedLun], path: Path, problems: Problems
) -> VolumeSpec | None:
    """Combine LUNs; None and a problem if they are too small or too large."""
    is_striped = load.layout == "striped"
    stripe = (load.stripe or DEFAULT_STRIPE_BYTES) if is_striped else None
    unit = stripe or SPC1_BLOCK_BYTES
    sizes = [lun.bytes // unit * unit for lun in luns]
    if is_striped:
        sizes = [min(sizes)] * len(sizes)
    whole = sum(sizes)
    if not LEAST_BYTES <= whole <= MOST_BYTES or not min(sizes):
        limit = "at least" if whole < LEAST_BYTES or not min(sizes) else "at most"
        bound = LEAST_BYTES if limit == "at least" else MOST_BYTES
        problems.add(
            (*path, "targets"),
            f"The targets hold {format_size(whole)}, and an SPC-1-like load needs {limit} "
            f"{format_size(bound)}",
            "Use larger LUNs, or more" if limit == "at least" else "Use fewer LUNs",
        )
        return None
    return VolumeSpec(sizes, stripe, whole)


def spc1_streams(
    load: Spc1, volume: VolumeSpec, units: int
) -> Iterator[tuple[StreamSpec, Region, Asked]]:
    """Yield each stream of `units` BSUs with its region of the volume and its requests."""
    for stream in STREAMS:
        first, size = asu_of(volume.bytes, stream.asu)
        region = Region(first + _part(size, stream.region[0]), _part(size, stream.region[1]))
        rate_milli = load.iops_per_bsu * units * stream.intensity_milli
        asked = Asked(
            read_ppm=stream.read_ppm,
            block_bytes=SPC1_BLOCK_BYTES,
            addresses=SequentialAddress() if stream.kind == "runs" else UniformAddress(),
            iodepth=None,
            total_bytes=None,
            arrivals=ArrivalsPlan(
                interval_ps=max(1, round(1000 * PS_PER_S / rate_milli)),
                distribution="exponential",
            ),
            pattern=StreamPattern(
                stripe_bytes=volume.stripe_bytes, requests=_requests(stream, size, units)
            ),
        )
        yield stream, region, asked


def asu_of(whole: int, number: int) -> tuple[int, int]:
    """Return the first byte and the size of ASU 1, 2 or 3 in a volume."""
    first = sum(_part(whole, percent) for percent in ASU_PERCENT[: number - 1])
    return first, _part(whole, ASU_PERCENT[number - 1])


def _part(size: int, percent: int) -> int:
    """Return a part of a size, in whole blocks."""
    return size // SPC1_BLOCK_BYTES * percent // 100 * SPC1_BLOCK_BYTES


def _requests(stream: StreamSpec, asu_bytes: int, units: int) -> StreamPlan:
    if stream.kind == "uniform":
        return UniformStream(align_bytes=stream.align_bytes)
    if stream.kind == "walk":
        return WalkStream(walkers=units)
    sizes = [SizePlan(bytes=size, share_ppm=share) for size, share in SMIX.items()]
    run_bytes = _part(asu_bytes, stream.run_percent)
    return RunsStream(runs=units, run_bytes=run_bytes, sizes=sizes)
