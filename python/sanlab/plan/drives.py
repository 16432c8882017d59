"""A drive from its data sheet: zones, tracks and skews that give its capacity and rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.schema import (
    BufferPlan,
    CurveSeek,
    DrivePlan,
    OverheadsPlan,
    ZonePlan,
)
from sanlab.quantities import PS_PER_S, format_size, format_time
from sanlab.scenario.base import SECTOR_BYTES

if TYPE_CHECKING:
    from sanlab.catalog.entries import DiskEntry

#: Longest time of a step of a drive.
LONGEST_PS = 2 * PS_PER_S
_PS_PER_MINUTE = 60 * PS_PER_S


@dataclass(frozen=True)
class _Switches:
    """Revolution time, and the times between tracks and between cylinders."""

    revolution_ps: int
    track_ps: int
    cylinder_ps: int


#: Limits of the engine for one drive.
MOST_SURFACES = 2**10
MOST_BLOCKS = 2**20
MOST_CYLINDERS = 2**26


def contradictions(disk: DiskEntry) -> list[tuple[str, str]]:
    """Return contradictions in a data sheet: reasons and remedies."""
    found = []
    if not disk.seek_single <= disk.seek_average <= disk.seek_full:
        found.append(
            (
                "The seek times of the disk are out of order",
                "Make 'seek_single' the smallest and 'seek_full' the largest",
            )
        )
    steps = {
        "seek_full": disk.seek_full,
        "overhead": disk.overhead,
        "write_settle": disk.write_settle,
        "head_switch": disk.head_switch or 0,
        "position_margin": disk.position_margin,
    }
    too_long = [f"'{name}'" for name, time in steps.items() if time > LONGEST_PS]
    if too_long:
        found.append(
            (
                f"A disk that takes longer than {format_time(LONGEST_PS)} for one step",
                f"Shorten {', '.join(too_long)}",
            )
        )
    if disk.inner_rate > disk.outer_rate:
        found.append(
            ("The disk is faster inside than outside", "Swap 'inner_rate' and 'outer_rate'")
        )
    if disk.cache_size and disk.cache_size // max(1, disk.segments) < SECTOR_BYTES:
        buffer = f"{disk.segments} segments of a buffer of {format_size(disk.cache_size)}"
        remedy = "Use fewer 'segments', or a larger 'cache_size'"
        found.append((f"{buffer} are smaller than a sector", remedy))
    return found or _beyond_limits(disk)


def _beyond_limits(disk: DiskEntry) -> list[tuple[str, str]]:
    """Return what a drive of this data sheet would need more of than the engine has."""
    drive = drive_from_sheet("", disk)
    remedy = "Change 'size', 'cylinders', 'surfaces', 'rpm' or the rates, so that they fit"
    amounts = [
        ("surfaces", drive.surfaces, MOST_SURFACES),
        ("blocks on a track", max(zone.blocks_per_track for zone in drive.zones), MOST_BLOCKS),
        ("cylinders", max(zone.last_cylinder for zone in drive.zones) + 1, MOST_CYLINDERS),
    ]
    return [
        (f"The disk would have {count} {what}, and {limit} is the limit", remedy)
        for what, count, limit in amounts
        if count > limit
    ]


def drive_from_sheet(name: str, disk: DiskEntry) -> DrivePlan:
    """Return the drive that the values of a data sheet describe.

    Sustained rate and geometry are related by
    `rate = 512 n s / (s turn + (s - 1) track_skew + cylinder_skew)` with `n` blocks on a track and
    `s` surfaces. `n` is the smallest number that reaches the rate with skews that cover the
    switches; the skew between cylinders takes up the rest, so that the rate is met exactly.
    """
    switches = _switches(disk)
    surfaces = disk.surfaces or _surfaces(disk, switches)
    zones = _zones(disk, switches, surfaces)
    seek = CurveSeek(
        single_ps=disk.seek_single, average_ps=disk.seek_average, full_ps=disk.seek_full
    )
    miss = (disk.overhead, disk.overhead)
    hit = miss if disk.hit_overhead is None else (disk.hit_overhead, disk.hit_overhead)
    return DrivePlan(
        name=name,
        surfaces=surfaces,
        revolution_ps=switches.revolution_ps,
        mapping="forward",
        sparing="per_zone",
        sparing_range=1,
        zones=zones,
        seek=seek,
        head_switch_ps=_head_switch(disk),
        write_settle_ps=disk.write_settle,
        rotation="exact",
        access_ps=0,
        overheads=plain_overheads(reads=(hit, miss), writes=(hit, miss)),
        block_transfer_ps=_block_transfer(disk),
        buffer=_buffer(disk),
        scheduling=disk.order,
        position_margin_ps=disk.position_margin,
        ageing_ppm=disk.ageing,
        queue_depth=disk.queue_depth,
        streaming=disk.streaming,
    )


#: Overhead of a command after a read and after a write.
Overhead = tuple[int, int]


def plain_overheads(
    *,
    reads: tuple[Overhead, Overhead],
    writes: tuple[Overhead, Overhead],
    completion_ps: int = 0,
) -> OverheadsPlan:
    """Return overheads of hits and misses of a drive that never releases its interface."""
    return OverheadsPlan(
        request_ps=0,
        read_hit_ps=reads[0],
        read_miss_ps=reads[1],
        write_hit_ps=writes[0],
        write_miss_ps=writes[1],
        read_completion_ps=completion_ps,
        write_completion_ps=completion_ps,
        data_preparation_ps=0,
        reselect_ps=0,
        read_disconnect_ps=(0, 0),
        write_disconnect_ps=0,
        least_write_seek_ps=0,
        extra_disconnect_ps=None,
    )


def _head_switch(disk: DiskEntry) -> int:
    """Return the head switch; by default as long as a seek to the next cylinder."""
    return disk.seek_single if disk.head_switch is None else disk.head_switch


def _switches(disk: DiskEntry) -> _Switches:
    return _Switches(
        _PS_PER_MINUTE // disk.rpm,
        _head_switch(disk) + disk.write_settle,
        max(_head_switch(disk), disk.seek_single) + disk.write_settle,
    )


def _rates(disk: DiskEntry, zones: int) -> list[int]:
    """Sustained rates on a line from outside to inside."""
    if zones == 1:
        return [(disk.outer_rate + disk.inner_rate) // 2]
    span = disk.outer_rate - disk.inner_rate
    return [disk.outer_rate - span * zone // (zones - 1) for zone in range(zones)]


def _surfaces(disk: DiskEntry, switches: _Switches) -> int:
    """Return the number of surfaces that the cylinders need for the capacity."""
    mean = (disk.outer_rate + disk.inner_rate) / 2
    per_track = mean * (switches.revolution_ps + switches.track_ps) / PS_PER_S / SECTOR_BYTES
    return max(1, round(disk.size / SECTOR_BYTES / disk.cylinders / per_track))


def _zones(disk: DiskEntry, switches: _Switches, surfaces: int) -> list[ZonePlan]:
    blocks = disk.size // SECTOR_BYTES
    rates = _rates(disk, disk.zones)
    tracks = [_track(rate, switches, surfaces) for rate in rates]
    of_one = surfaces * sum(per_track for per_track, _ in tracks)
    width = max(1, -(-blocks // of_one))
    zones: list[ZonePlan] = []
    left, first = blocks, 0
    for per_track, cylinder_skew in tracks:
        cylinders = min(width, -(-left // (surfaces * per_track)))
        held = min(left, cylinders * surfaces * per_track)
        zones.append(
            ZonePlan(
                first_cylinder=first,
                last_cylinder=first + cylinders - 1,
                blocks_per_track=per_track,
                first_angle_ps=0,
                track_skew_ps=switches.track_ps,
                cylinder_skew_ps=cylinder_skew,
                empty_front_blocks=0,
                spares=cylinders * surfaces * per_track - held,
                slips=[],
                defects=[],
            )
        )
        left, first = left - held, first + cylinders
        if left == 0:
            break
    return zones


def _track(rate: int, switches: _Switches, surfaces: int) -> tuple[int, int]:
    """Blocks of a track, and the skew between cylinders."""
    turning = surfaces * switches.revolution_ps + (surfaces - 1) * switches.track_ps
    least_ps = turning + switches.cylinder_ps
    per_track = max(1, -(-rate * least_ps // (PS_PER_S * SECTOR_BYTES * surfaces)))
    cylinder_ps = per_track * surfaces * SECTOR_BYTES * PS_PER_S // rate
    return per_track, cylinder_ps - turning


def _block_transfer(disk: DiskEntry) -> tuple[int, int]:
    if disk.interface_rate is None:
        return 0, 0
    transfer_ps = round(SECTOR_BYTES * PS_PER_S / disk.interface_rate)
    return transfer_ps, transfer_ps


def _buffer(disk: DiskEntry) -> BufferPlan:
    """A streaming drive has no buffer: it continues at its last position."""
    has_buffer = not disk.streaming
    segment_blocks = max(1, disk.cache_size // disk.segments // SECTOR_BYTES)
    return BufferPlan(
        segments=disk.segments,
        segment_blocks=segment_blocks,
        write_segments=max(1, disk.segments // 2),
        has_write_segment=False,
        keeps_reads=has_buffer,
        hits_written=has_buffer,
        hits_next_block=True,
        hits_overtake=True,
        writes_overtake=True,
        partial_hits_wait=False,
        interface="held",
        departure="after_status",
        requested="replaced",
        read_ahead="segment" if has_buffer and disk.read_ahead else "off",
        least_read_ahead=0,
        most_read_ahead=segment_blocks,
        reads_ahead_after_hit=disk.read_ahead,
        stops_in_sector=True,
        stops_in_seek=True,
        keeps_passing_blocks=False,
        reads_out_of_order=False,
        writes_out_of_order=False,
        read_watermark_ppm=0,
        watermark_of_segment=False,
        write_cache="on" if disk.write_cache else "off",
        joins_writes=True,
        flushes_first=False,
    )
