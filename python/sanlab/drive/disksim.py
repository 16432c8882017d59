"""A drive as DiskSim 4 describes it: `.diskspecs` with its `.model` and `.seek`, or a `.parv`.

Names and meanings are those of the DiskSim 4.0 reference manual (CMU-PDL-08-101): the first layout
and mechanics model (`dm_layout_g1`, `dm_mech_g1`) and the disk module (`disksim_disk`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sanlab.drive.parameters import Block, Text, read_blocks, read_text
from sanlab.drive.seek_file import parse_seek
from sanlab.errors import Problem, ScenarioError
from sanlab.plan.drives import plain_overheads
from sanlab.plan.schema import (
    BufferPlan,
    ConstantSeek,
    CurveSeek,
    DrivePlan,
    LineSeek,
    MappingPlan,
    OverheadsPlan,
    ReadAheadPlan,
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
READ_AHEADS: Sequence[ReadAheadPlan] = (
    "off",
    "off",
    "track",
    "cylinder",
    "segment",
    "two_tracks",
)
WRITE_CACHES: Sequence[WriteCachePlan] = ("off", "sequential", "on")


def read_disksim(
    path: Path, *, block_transfer_ms: float | None = None
) -> tuple[DrivePlan, list[str]]:
    """Read a drive, and what a reader of its results must know about how it was read.

    Parameters
    ----------
    path
        `.diskspecs`, `.model` or `.parv`.
    block_transfer_ms
        Transfer of one block over the interface; without it that of the files.

    Raises
    ------
    ScenarioError
        With file and line of the first thing that does not fit.
    """
    blocks = read_blocks(path)
    disk = _only(blocks, "disksim_disk")
    model = _model_of(disk, blocks, path)
    return _Drive(model, disk, path).plan(
        _bus_ms(blocks) if block_transfer_ms is None else block_transfer_ms
    )


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


def _bus_ms(blocks: list[Block]) -> float | None:
    """The slowest bus of a `.parv`, ms a block."""
    buses = [block for block in blocks if block.kind == "disksim_bus"]
    if not buses:
        return None
    return max(bus.number("Read block transfer time", 0.0) for bus in buses)


class _Drive:
    def __init__(self, model: Block, disk: Block | None, path: Path) -> None:
        self.model = model
        self.disk = disk
        self.path = path
        self.notes: list[str] = []
        self.mechanics = model.block("Mechanical Model")
        self.layout = model.block("Layout Model")
        for block, kind in ((self.mechanics, "dm_mech_g1"), (self.layout, "dm_layout_g1")):
            if block.kind != kind:
                block.refuse("", f"The model '{block.kind}' is not known", f"Use '{kind}'")
        rpm = self.mechanics.number("Rotation speed (in rpms)")
        if rpm <= 0:
            self.mechanics.refuse(
                "Rotation speed (in rpms)", "The drive does not turn", "Write more than 0"
            )
        self.revolution_ps = round(PS_PER_MINUTE / rpm)

    def plan(self, bus_ms: float | None) -> tuple[DrivePlan, list[str]]:
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
        plan = DrivePlan(
            name=name,
            surfaces=self._counted(self.model, "Number of data surfaces"),
            revolution_ps=self.revolution_ps,
            mapping=self._choice(layout, "LBN-to-PBN mapping scheme", MAPPINGS),
            sparing=self._choice(layout, "Sparing scheme used", SPARINGS),
            sparing_range=max(1, layout.whole("Rangesize for sparing", 1)),
            zones=self._zones(),
            seek=self._seek(),
            head_switch_ps=_ps(mechanics.number("Head switch time", 0)),
            write_settle_ps=_ps(mechanics.number("Add. write settling delay", 0)),
            rotation=rotations[access],
            access_ps=_ps(mechanics.number("Constant access time", 0)),
            overheads=self._overheads(),
            block_transfer_ps=_ps(self._block_transfer(bus_ms)),
            buffer=self._buffer(),
            scheduling=self._scheduling(),
            queue_depth=max(1, self.disk.whole("Max queue length", 1)) if self.disk else 1,
            streaming=False,
        )
        return plan, self.notes

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
        if cylinders and last >= cylinders:
            self.model.refuse(
                "Number of cylinders",
                f"The last zone ends on cylinder {last}, and there are {cylinders} from 0 on",
                "Make the last zone end on the last cylinder",
            )
        if last + 1 < cylinders:
            self.notes.append(f"Cylinders {last + 1} to {cylinders - 1} are in no zone")
        return zones

    def _zone(self, zone: Block, next_cylinder: int) -> ZonePlan:
        first, last = zone.whole("First cylinder number"), zone.whole("Last cylinder number")
        if first != next_cylinder:
            what = "overlaps" if first < next_cylinder else "leaves a gap behind"
            zone.refuse(
                "First cylinder number",
                f"The zone {what} the one before, which ends on cylinder {next_cylinder - 1}",
                f"Begin on cylinder {next_cylinder}",
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
        """Skews are in sectors, or in turns where the layout says so."""
        unit = self.layout.text("Skew units", "sectors")
        whole = {"sectors": blocks, "revolutions": 1}.get(unit)
        if whole is None:
            self.layout.refuse(
                "Skew units", f"'{unit}' is not known", "Use 'sectors' or 'revolutions'"
            )
        return round(zone.number(key, 0) * self.revolution_ps / whole)

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
        points = parse_seek(read_text(file, place), str(file))
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

    def _block_transfer(self, bus_ms: float | None) -> float:
        """The slower of bus and drive, ms a block."""
        own = self.disk.number("Bulk sector transfer time", 0.0) if self.disk else 0.0
        if bus_ms is not None:
            return max(own, bus_ms)
        if own > 0 or self.disk is None:
            return own
        self.notes.append(
            f"The files give no time for the bus; {ASSUMED_BLOCK_TRANSFER_MS} ms a block is "
            "assumed, '--block-transfer' gives another"
        )
        return ASSUMED_BLOCK_TRANSFER_MS

    def _overheads(self) -> OverheadsPlan:
        if self.disk is None:
            return plain_overheads(reads=((0, 0), (0, 0)), writes=((0, 0), (0, 0)))
        disk = self.disk
        scale = disk.number("Time scale for overheads", 1.0)

        def ps(key: str) -> int:
            return _ps(disk.number(key, 0.0) * scale)

        def pair(key: str) -> tuple[int, int]:
            return ps(f"{key} over. after read"), ps(f"{key} over. after write")

        extra = None
        if disk.whole("Extra write disconnect", 0):
            extra = [
                ps("Extradisc command overhead"),
                ps("Extradisc disconnect overhead"),
                ps("Extradisc inter-disconnect delay"),
                self._movement(scale),
                ps("Other reselect overhead"),
            ]
        return OverheadsPlan(
            request_ps=ps("Per-request overhead time"),
            read_hit_ps=pair("Read hit"),
            read_miss_ps=pair("Read miss"),
            write_hit_ps=pair("Write hit"),
            write_miss_ps=pair("Write miss"),
            read_completion_ps=ps("Read completion overhead"),
            write_completion_ps=ps("Write completion overhead"),
            data_preparation_ps=ps("Data preparation overhead"),
            reselect_ps=ps("First reselect overhead"),
            read_disconnect_ps=(ps("Read disconnect afterread"), ps("Read disconnect afterwrite")),
            least_write_seek_ps=ps("Minimum seek delay"),
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

        overtakes = flag("Allow sneaky full read hits") or flag("Allow write prebuffering")
        return BufferPlan(
            segments=max(1, disk.whole("Number of buffer segments", 1)),
            segment_blocks=max(1, disk.whole("Segment size (in blks)", 512)),
            write_segments=max(1, disk.whole("Maximum number of write segments", 1)),
            has_write_segment=flag("Use separate write segment"),
            keeps_reads=flag("Enable caching in buffer"),
            hits_written=flag("Allow read hits on write data"),
            hits_next_block=flag("Allow almost read hits"),
            hits_overtake=overtakes,
            read_ahead=self._choice(disk, "Buffer continuous read", READ_AHEADS),
            least_read_ahead=disk.whole("Minimum read-ahead (blks)", 0),
            most_read_ahead=disk.whole("Maximum read-ahead (blks)", 0) or None,
            reads_ahead_after_hit=flag("Read-ahead on idle hit"),
            stops_in_sector=flag("Stop prefetch in sector"),
            stops_in_seek=flag("Disconnect write if seek"),
            keeps_passing_blocks=flag("Read any free blocks"),
            reads_out_of_order=flag("Immediate buffer read"),
            writes_out_of_order=flag("Immediate buffer write"),
            read_watermark_ppm=round(disk.number("High (read) water mark", 0.0) * 1_000_000),
            watermark_of_segment=not flag("Set watermark by reqsize", 1),
            write_cache=self._choice(disk, "Fast write level", WRITE_CACHES),
            joins_writes=flag("Combine seq writes"),
        )


def _ps(ms: float) -> int:
    return round(ms * PS_PER_MS)
