"""A drive as DiskSim 4 describes it: `.diskspecs` with its `.model`, `.seek` and `.parv`.

Names are those of the DiskSim 4.0 reference manual (CMU-PDL-08-101): the first layout and mechanics
model (`dm_layout_g1`, `dm_mech_g1`) and the disk module (`disksim_disk`). Where the manual and the
source of DiskSim differ, meanings are those of the source (`disk.modspec`, `disksim_disk.h`,
`disksim_diskctlr.c`, `disksim_diskcache.c`, `layout_g1.c`, `mech_g1.c`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from sanlab.drive.bus import Bus, bus_beside, bus_of
from sanlab.drive.parameters import Block, Text, read_blocks, read_text
from sanlab.drive.seek_file import parse_seek
from sanlab.errors import Problem, ScenarioError
from sanlab.plan.drives import plain_overheads
from sanlab.plan.schema import (
    BufferPlan,
    ConstantSeek,
    CurveSeek,
    DeparturePlan,
    DrivePlan,
    InterfacePlan,
    LineSeek,
    MappingPlan,
    OverheadsPlan,
    ReadAheadPlan,
    RequestedPlan,
    RootAndLineSeek,
    RotationPlan,
    SchedulingPlan,
    SeekPlan,
    SparingPlan,
    TableSeek,
    WriteCachePlan,
    ZonePlan,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Chosen = TypeVar("Chosen")

PS_PER_MS = 10**9
PS_PER_MINUTE = 60 * 10**12

#: Transfer of a block over the host's bus where the files say 0: DiskSim then has it from the bus
#: of its configuration, which is not part of a drive. This one is that of its validation of the HP
#: C3323A (`hp_c3323a.parv`, `BUS1`), a SCSI bus at 3.5 MB/s.
ASSUMED_BLOCK_TRANSFER_MS = 0.1455

MAPPINGS: Sequence[MappingPlan] = ("forward", "serpentine_in_zone", "serpentine_on_disk")
SPARINGS: Sequence[SparingPlan] = (
    "none",
    "tracks",
    "per_cylinder",
    "per_track",
    "per_cylinder_to_end",
    "per_cylinder_front",
    "per_cylinder_front_to_end",
    "at_end",
    "per_range",
    "per_zone",
    "per_zone_and_slips",
)
#: DiskSim's scheduling policies; policies that differ only in breaking ties are the same here.
SCHEDULINGS: dict[int, SchedulingPlan] = {
    1: "fifo",
    2: "elevator",
    3: "cyclic_elevator",
    4: "sstf",
    5: "elevator",
    6: "cyclic_elevator",
    7: "sstf",
    8: "sstf",
    9: "sstf",
    10: "sstf",
    11: "sptf",
    12: "sptf",
    13: "sptf",
    14: "sptf",
    15: "sptf",
    16: "sptf",
}
#: `disk_cont_read_t` of `disksim_disk.h`.
READ_AHEADS: Sequence[ReadAheadPlan] = ("off", "track", "cylinder", "segment", "two_tracks")
#: `disk_fastwrite_t`: levels 1 and 2 both acknowledge each write that gets a segment.
WRITE_CACHES: Sequence[WriteCachePlan] = ("off", "on", "on")
#: `disk_preseek_t`.
DEPARTURES: Sequence[DeparturePlan] = ("after_status", "with_status", "after_media")
REQUESTED: dict[int, RequestedPlan] = {0: "kept", 1: "replaced", -1: "dropped"}
#: Layouts that are not read, and why.
LISTED_LAYOUTS = {
    "dm_layout_g2": "The layout 'dm_layout_g2' lists extents of the disk in a file of its own, "
    "which sanlab does not read",
    "dm_layout_g4": "The layout 'dm_layout_g4' lists single tracks in patterns, which sanlab does "
    "not read",
}
LISTED_REMEDY = (
    "Describe its zones in 'dm_layout_g1': cylinders, blocks per track and skews; or in a YAML "
    "file with 'zones' and 'seek', as in docs/how-to/replay-a-drive.md"
)
#: Keys that are read over, and when they would matter.
IGNORED = {
    "Hold bus entire write xfer": "it matters for writes larger than a buffer segment",
    "Allow sneaky partial read hits": "it matters with several commands outstanding",
    "Allow sneaky intermediate read hits": "it matters with several commands outstanding",
}


class LoadedDrive(NamedTuple):
    """A drive, and what a reader of its results must know about how it was read."""

    plan: DrivePlan
    notes: list[str]
    #: The transfer time of a block is given, not assumed.
    is_bus_known: bool


def read_disksim(path: Path, *, block_transfer_ps: int | None = None) -> LoadedDrive:
    """Read a drive.

    Parameters
    ----------
    path
        `.diskspecs`, `.model` or `.parv`. A `.parv` beside the others gives the bus.
    block_transfer_ps
        Transfer of one block over the interface; without it that of the files.

    Raises
    ------
    ScenarioError
        With file and line of the first thing that does not fit.
    """
    blocks = read_blocks(path)
    disk = _only(blocks, "disksim_disk")
    model = _model_of(disk, blocks, path)
    bus = bus_of(blocks) or bus_beside(path)
    return _Drive(model, disk, path).loaded(bus, block_transfer_ps)


def _only(blocks: list[Block], kind: str) -> Block | None:
    found = [block for block in blocks if block.kind == kind]
    if len(found) > 1:
        reason = f"The file describes {len(found)} drives"
        raise ScenarioError(
            [Problem(found[1].file, found[1].line, None, kind, reason, "Keep one of them")]
        )
    return found[0] if found else None


def _model_of(disk: Block | None, blocks: list[Block], path: Path) -> Block:
    if disk is not None:
        value = disk.get("Model")
        if isinstance(value, Block):
            return value
        if isinstance(value, Text):
            for block in blocks:
                if block.kind == "dm_disk" and block.name == value.text:
                    return block
            disk.refuse("Model", f"No 'dm_disk' has the name '{value.text}'", "Name one")
    model = _only(blocks, "dm_disk")
    if model is None:
        if disk is not None:
            disk.refuse("Model", "The drive has no 'Model'", "Add 'Model = source FILE'")
        reason, remedy = "The file describes no drive", "Give a file with a block 'disksim_disk'"
        raise ScenarioError([Problem(str(path), 1, None, "", reason, remedy)])
    return model


class _Drive:
    def __init__(self, model: Block, disk: Block | None, path: Path) -> None:
        self.model = model
        self.disk = disk
        self.path = path
        self.notes: list[str] = []
        self.mechanics = model.block("Mechanical Model")
        self.layout = model.block("Layout Model")
        for block, kind in ((self.mechanics, "dm_mech_g1"), (self.layout, "dm_layout_g1")):
            if block.kind in LISTED_LAYOUTS:
                block.refuse("", LISTED_LAYOUTS[block.kind], LISTED_REMEDY)
            if block.kind != kind:
                block.refuse("", f"The model '{block.kind}' is not known", f"Use '{kind}'")
        rpm = self.mechanics.number("Rotation speed (in rpms)")
        if rpm <= 0:
            self.mechanics.refuse(
                "Rotation speed (in rpms)", "The drive does not turn", "Write more than 0"
            )
        self.revolution_ps = round(PS_PER_MINUTE / rpm)

    def loaded(self, bus: Bus | None, block_transfer_ps: int | None) -> LoadedDrive:
        is_bus_known = bus is not None or block_transfer_ps is not None
        plan = self._plan(0 if bus is None else _ps(bus.arbitration_ms))
        if block_transfer_ps is None:
            transfer_ps = self._block_transfer(bus)
        else:
            transfer_ps = (block_transfer_ps, block_transfer_ps)
        plan = msgspec.structs.replace(plan, block_transfer_ps=transfer_ps)
        self.notes += [] if bus is None else bus.notes
        for key, effect in IGNORED.items():
            if self.disk is not None and self.disk.whole(key, 0):
                self.notes.append(f"'{key}' is ignored: {effect}")
        return LoadedDrive(plan, self.notes, is_bus_known)

    def _plan(self, arbitration_ps: int) -> DrivePlan:
        """Return the drive on a bus that takes no time for a block."""
        mechanics, layout = self.mechanics, self.layout
        rotations: dict[str, RotationPlan] = {
            "trackSwitchPlusRotation": "exact",
            "averageRotation": "average",
            "constant": "constant",
        }
        access = mechanics.text("Access time type", "trackSwitchPlusRotation")
        if access not in rotations:
            mechanics.refuse(
                "Access time type", f"'{access}' is not known", f"Use one of {', '.join(rotations)}"
            )
        name = (self.disk or self.model).name or self.path.stem
        return DrivePlan(
            name=name,
            surfaces=self._counted(self.model, "Number of data surfaces"),
            revolution_ps=self.revolution_ps,
            mapping=self._choice(layout, "LBN-to-PBN mapping scheme", MAPPINGS),
            sparing=self._choice(layout, "Sparing scheme used", SPARINGS),
            sparing_range=max(1, layout.whole("Rangesize for sparing", 1)),
            zones=self._zones(),
            seek=self._seek(),
            head_switch_ps=_ps(mechanics.number("Head switch time", 0)),
            write_settle_ps=_ps(mechanics.number("Add. write settling delay", 0, signed=True)),
            rotation=rotations[access],
            access_ps=_ps(mechanics.number("Constant access time", 0)),
            overheads=self._overheads(arbitration_ps),
            block_transfer_ps=(0, 0),
            buffer=self._buffer(),
            scheduling=self._scheduling(),
            position_margin_ps=0,
            ageing_ppm=0,
            queue_depth=max(1, self.disk.whole("Max queue length", 1)) if self.disk else 1,
            streaming=False,
        )

    def _choice(self, block: Block, key: str, choices: Sequence[Chosen]) -> Chosen:
        number = block.whole(key, 0)
        if number >= len(choices):
            block.refuse(key, f"{number} is not known", f"Use 0 to {len(choices) - 1}")
        return choices[number]

    def _counted(self, block: Block, key: str) -> int:
        number = block.whole(key)
        if number < 1:
            block.refuse(key, "This must be at least 1", "Write 1 or more")
        return number

    def _zones(self) -> list[ZonePlan]:
        listed = self.layout.get("Zones")
        if not isinstance(listed, list) or not listed:
            self.layout.refuse("Zones", "The layout has no zones", "Add 'Zones = [ ... ]'")
        zones: list[ZonePlan] = []
        for zone in listed:
            if not isinstance(zone, Block):
                self.layout.refuse("Zones", "A zone is a block", "Write 'dm_layout_g1_zone {'")
            zones.append(self._zone(zone, zones[-1].last_cylinder + 1 if zones else 0))
        cylinders = self.model.whole("Number of cylinders", 0)
        last = zones[-1].last_cylinder
        if cylinders and last + 1 != cylinders:
            self.notes.append(
                f"The last zone ends on cylinder {last}, and 'Number of cylinders' is {cylinders}; "
                "the zones count"
            )
        return zones

    def _zone(self, zone: Block, next_cylinder: int) -> ZonePlan:
        first, last = zone.whole("First cylinder number"), zone.whole("Last cylinder number")
        if first < next_cylinder:
            zone.refuse(
                "First cylinder number",
                f"The zone overlaps the one before, which ends on cylinder {next_cylinder - 1}",
                f"Begin on cylinder {next_cylinder} or later",
            )
        if last < first:
            zone.refuse(
                "Last cylinder number", f"The zone ends before it begins, on {first}", "Swap them"
            )
        blocks = self._counted(zone, "Blocks per track")
        defects = [round(number) for number in zone.numbers("defects")]
        if len(defects) % 2:
            zone.refuse(
                "defects", "A defect has no replacement", "Write pairs of defect and replacement"
            )
        return ZonePlan(
            first_cylinder=first,
            last_cylinder=last,
            blocks_per_track=blocks,
            first_angle_ps=self._angle(zone, "Offset of first block", blocks),
            track_skew_ps=self._angle(zone, "Skew for track switch", blocks),
            cylinder_skew_ps=self._angle(zone, "Skew for cylinder switch", blocks),
            empty_front_blocks=zone.whole("Empty space at zone front", 0),
            spares=zone.whole("Number of spares", 0),
            slips=sorted(round(number) for number in zone.numbers("slips")),
            defects=list(zip(defects[::2], defects[1::2], strict=True)),
        )

    def _angle(self, zone: Block, key: str, blocks: int) -> int:
        """Return a skew, which may be negative, as part of a turn.

        It is in sectors, without a fraction as in DiskSim, or in turns if zone or layout say so.
        """
        block = zone if zone.get("Skew units") is not None else self.layout
        unit = block.text("Skew units", "sectors")
        skew = zone.number(key, 0, signed=True)
        if unit == "sectors":
            skew_ps = int(skew) * self.revolution_ps / blocks
        elif unit == "revolutions":
            skew_ps = skew * self.revolution_ps
        else:
            block.refuse("Skew units", f"'{unit}' is not known", "Use 'sectors' or 'revolutions'")
        return round(skew_ps) % self.revolution_ps

    def _seek(self) -> SeekPlan:
        mechanics = self.mechanics
        kind = mechanics.text("Seek type")
        if kind == "extracted":
            return self._measured()
        if kind == "constant":
            return ConstantSeek(ps=_ps(mechanics.number("Constant seek time")))
        if kind in {"linear", "curve"}:
            form = LineSeek if kind == "linear" else CurveSeek
            return form(
                single_ps=_ps(mechanics.number("Single cylinder seek time")),
                average_ps=_ps(mechanics.number("Average seek time")),
                full_ps=_ps(mechanics.number("Full strobe seek time")),
            )
        if kind.startswith("hpl") or "10" in kind:
            return self._root_and_line(with_first="10" in kind)
        known = "constant, linear, curve, hpl, hplplus10, extracted"
        return mechanics.refuse("Seek type", f"'{kind}' is not known", f"Use one of {known}")

    def _measured(self) -> SeekPlan:
        mechanics = self.mechanics
        name = mechanics.text("Full seek curve")
        place = Problem(
            mechanics.file, mechanics.lines["Full seek curve"], None, "Full seek curve", "", ""
        )
        file = Path(mechanics.file).parent / name
        points, notes = parse_seek(read_text(file, place), str(file))
        self.notes += notes
        return TableSeek(
            cylinders=[distance for distance, _ in points], ps=[_ps(ms) for _, ms in points]
        )

    def _root_and_line(self, *, with_first: bool) -> SeekPlan:
        mechanics = self.mechanics
        key = "HPL seek equation values"
        values = mechanics.numbers(key)
        if len(values) != 6:
            mechanics.refuse(key, f"There are {len(values)} of 6 values", "Write six")
        first = mechanics.numbers("First ten seek times") if with_first else []
        if with_first and len(first) != 10:
            reason = f"There are {len(first)} of 10 times"
            mechanics.refuse("First ten seek times", reason, "Write ten")
        single = None if values[5] < 0 else _ps(values[5])
        return RootAndLineSeek(
            bound=round(values[0]),
            root_ps=values[1] * PS_PER_MS,
            root_factor_ps=values[2] * PS_PER_MS,
            line_ps=values[3] * PS_PER_MS,
            line_factor_ps=values[4] * PS_PER_MS,
            single_ps=single,
            first_ps=[_ps(ms) for ms in first] or None,
        )

    def _scheduling(self) -> SchedulingPlan:
        if self.disk is None or self.disk.get("Scheduler") is None:
            return "fifo"
        scheduler = self.disk.block("Scheduler")
        policy = scheduler.whole("Scheduling policy", 1)
        if policy not in SCHEDULINGS:
            self.notes.append(f"Scheduling policy {policy} is taken as shortest positioning first")
        return SCHEDULINGS.get(policy, "sptf")

    def _block_transfer(self, bus: Bus | None) -> tuple[int, int]:
        """Transfer of a block by the slower of bus and drive, of a read and of a write."""
        # DiskSim takes the slower of bus and drive, so a negative time of the drive is none.
        key = "Bulk sector transfer time"
        own = max(0.0, self.disk.number(key, 0.0, signed=True)) if self.disk else 0.0
        if bus is not None:
            return _ps(max(own, bus.read_ms)), _ps(max(own, bus.write_ms))
        if own > 0 or self.disk is None:
            return _ps(own), _ps(own)
        self.notes.append(
            f"No .parv beside {self.path.name} gives the bus, '{key}' is not above 0: "
            f"sanlab assumes {ASSUMED_BLOCK_TRANSFER_MS} ms a block; use '--block-transfer'"
        )
        return _ps(ASSUMED_BLOCK_TRANSFER_MS), _ps(ASSUMED_BLOCK_TRANSFER_MS)

    def _overheads(self, arbitration_ps: int) -> OverheadsPlan:
        if self.disk is None:
            return plain_overheads(reads=((0, 0), (0, 0)), writes=((0, 0), (0, 0)))
        disk = self.disk
        scale = disk.number("Time scale for overheads", 1.0)

        def ps(key: str) -> int:
            return _ps(disk.number(key, 0.0) * scale)

        def pair(key: str) -> tuple[int, int]:
            return ps(f"{key} over. after read"), ps(f"{key} over. after write")

        extra = None
        if disk.whole("Extra write disconnect", 0) and not disk.whole("Never disconnect", 0):
            extra = [
                ps("Extradisc command overhead"),
                ps("Extradisc disconnect overhead"),
                _ps(disk.number("Extradisc inter-disconnect delay", 0.0)),  # DiskSim does not scale
                self._movement(scale),
                ps("Extradisc 2nd disconnect overhead"),
                ps("Other reselect overhead") + arbitration_ps,
            ]
        return OverheadsPlan(
            request_ps=ps("Per-request overhead time") + arbitration_ps,
            read_hit_ps=pair("Read hit"),
            read_miss_ps=pair("Read miss"),
            write_hit_ps=pair("Write hit"),
            write_miss_ps=pair("Write miss"),
            read_completion_ps=ps("Read completion overhead"),
            write_completion_ps=ps("Write completion overhead"),
            data_preparation_ps=ps("Data preparation overhead"),
            reselect_ps=ps("First reselect overhead") + arbitration_ps,
            read_disconnect_ps=(ps("Read disconnect afterread"), ps("Read disconnect afterwrite")),
            write_disconnect_ps=ps("Write disconnect overhead"),
            least_write_seek_ps=_ps(disk.number("Minimum seek delay", 0.0)),  # nor this
            extra_disconnect_ps=extra,
        )

    def _movement(self, scale: float) -> int:
        """From the command to the movement, with one more disconnection; the delta has a sign."""
        disk = self.disk or self.model
        delta = disk.number("Extradisc seek delta", 0.0, signed=True)
        return _ps(max(0.0, disk.number("Extradisc command overhead", 0.0) + delta) * scale)

    def _buffer(self) -> BufferPlan:
        disk = self.disk or Block("disksim_disk", "", str(self.path), 1)

        def flag(key: str, default: int = 0) -> bool:
            return disk.whole(key, default) != 0

        read_ahead = self._choice(disk, "Buffer continuous read", READ_AHEADS)
        least = disk.whole("Minimum read-ahead (blks)", 0) if read_ahead != "off" else 0
        return BufferPlan(
            segments=max(1, disk.whole("Number of buffer segments", 1)),
            segment_blocks=max(1, disk.whole("Segment size (in blks)", 512)),
            write_segments=max(1, disk.whole("Maximum number of write segments", 1)),
            has_write_segment=flag("Use separate write segment"),
            keeps_reads=flag("Enable caching in buffer"),
            hits_written=flag("Allow read hits on write data"),
            hits_next_block=flag("Allow almost read hits"),
            hits_overtake=flag("Allow sneaky full read hits"),
            writes_overtake=flag("Allow write prebuffering"),
            partial_hits_wait=not flag("Immed transfer partial hit", 1),
            interface=self._interface(disk),
            departure=self._choice(disk, "Preseeking level", DEPARTURES),
            requested=self._requested(disk),
            read_ahead=read_ahead,
            least_read_ahead=least,
            most_read_ahead=max(least, disk.whole("Maximum read-ahead (blks)", 0)) or None,
            reads_ahead_after_hit=flag("Read-ahead on idle hit"),
            stops_in_sector=flag("Stop prefetch in sector"),
            stops_in_seek=False,
            keeps_passing_blocks=flag("Read any free blocks"),
            reads_out_of_order=flag("Immediate buffer read"),
            writes_out_of_order=flag("Immediate buffer write"),
            read_watermark_ppm=round(disk.number("High (read) water mark", 0.0) * 1_000_000),
            watermark_of_segment=not flag("Set watermark by reqsize", 1),
            write_cache=self._choice(disk, "Fast write level", WRITE_CACHES),
            joins_writes=flag("Combine seq writes"),
            flushes_first=True,
        )

    def _interface(self, disk: Block) -> InterfacePlan:
        if disk.whole("Never disconnect", 0):
            return "held"
        return "held_in_transfer" if disk.whole("Hold bus entire read xfer", 0) else "released"

    def _requested(self, disk: Block) -> RequestedPlan:
        key = "Read-ahead over requested"
        number = disk.number(key, 0, signed=True)
        if number not in REQUESTED:
            disk.refuse(key, f"{number:g} is not known", "Use -1, 0 or 1")
        return REQUESTED[int(number)]


def _ps(ms: float) -> int:
    return round(ms * PS_PER_MS)
