"""A drive in sanlab's own form: values of a data sheet, or zones and a seek table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from pydantic import BeforeValidator, Field, ValidationError, model_validator

from sanlab.catalog.load import UnknownEntryError, entry
from sanlab.drive.disksim import LoadedDrive, read_disksim
from sanlab.drive.parameters import read_text
from sanlab.errors import Problem, ScenarioError
from sanlab.plan.drives import contradictions, drive_from_sheet, plain_overheads
from sanlab.plan.schema import (
    BufferPlan,
    ConstantSeek,
    CurveSeek,
    DrivePlan,
    LineSeek,
    SeekPlan,
    TableSeek,
    ZonePlan,
)
from sanlab.scenario.arrays import Disk
from sanlab.scenario.base import (
    SECTOR_BYTES,
    ScenarioModel,
    Share,
    Size,
    Time,
    overlaid,
    refusal,
    written,
)
from sanlab.scenario.document import read_document
from sanlab.scenario.messages import problems_of

if TYPE_CHECKING:
    from sanlab.catalog.entries import DiskEntry

Counted = Annotated[int, Field(ge=1, lt=2**32)]
Number = Annotated[int, Field(ge=0, lt=2**32)]
PS_PER_MINUTE = 60 * 10**12
DISKSIM_SUFFIXES = {".diskspecs", ".model", ".parv"}


class ZoneSpec(ScenarioModel):
    """Cylinders with equally many blocks on each track."""

    first_cylinder: Number
    """First cylinder. Cylinders between two zones are spare."""
    last_cylinder: Number
    """Last cylinder."""
    blocks_per_track: Counted
    """Blocks of a track."""
    track_skew: Annotated[float, Field(ge=0)] = 0
    """Sectors from the first one of a track to that of the next surface."""
    cylinder_skew: Annotated[float, Field(ge=0)] = 0
    """Sectors from the first one of a cylinder's last track to that of the next cylinder."""
    first_angle: Annotated[float, Field(ge=0)] = 0
    """Sectors from the index mark to the first one of the zone."""
    spares: Number = 0
    """Spares, in the unit of the sparing scheme."""
    slips: list[Number] = Field(default_factory=list)
    """Sectors passed over, from the start of the zone."""


class SeekSpec(ScenarioModel):
    """Arm movement: three points, one constant, or a table."""

    single: Time | None = None
    """Over one cylinder."""
    average: Time | None = None
    """Mean over random pairs of cylinders."""
    full: Time | None = None
    """Over all cylinders."""
    constant: Time | None = None
    """The same over any distance."""
    table: list[Annotated[list[object], Field(min_length=2, max_length=2)]] | None = None
    """Pairs of distance in cylinders, which rise, and time."""
    form: Literal["curve", "line"] = "curve"
    """Lee's curve through the three points, or two lines."""

    @model_validator(mode="after")
    def _is_one_of_three(self) -> SeekSpec:
        points = [self.single, self.average, self.full]
        given = [
            any(point is not None for point in points),
            self.constant is not None,
            self.table is not None,
        ]
        if sum(given) != 1 or (given[0] and None in points):
            raise refusal(
                reason="A seek is 'single', 'average' and 'full', or 'constant', or 'table'",
                remedy="Write one of them",
            )
        if given[0] and sorted(point or 0 for point in points) != points:
            raise refusal(
                reason="The seek times are out of order", remedy="Let them rise", key="average"
            )
        return self


def _time(value: object) -> object:
    return {"after_read": value, "after_write": value} if not isinstance(value, dict) else value


class OverheadSpec(ScenarioModel):
    """An overhead that depends on the command before."""

    after_read: Time = 0
    """After a read."""
    after_write: Time = 0
    """After a write."""

    def pair(self) -> tuple[int, int]:
        """Both times."""
        return self.after_read, self.after_write


Overhead = Annotated[OverheadSpec, BeforeValidator(_time)]


class OverheadsSpec(ScenarioModel):
    """What the controller takes for a command."""

    read_hit: Overhead = OverheadSpec()
    """A read from the buffer; one time, or `after_read` and `after_write`."""
    read_miss: Overhead = OverheadSpec()
    """A read from the media."""
    write_hit: Overhead = OverheadSpec()
    """A write to the buffer."""
    write_miss: Overhead = OverheadSpec()
    """A write to the media."""
    completion: Time = 0
    """Status of a command."""


class BufferSpec(ScenarioModel):
    """Buffer of the drive."""

    segments: Counted = 16
    """Segments."""
    segment_size: Annotated[Size, Field(ge=SECTOR_BYTES)] = 2**19
    """Size of each."""
    write_segments: Counted = 1
    """Segments that may hold data not written yet."""
    read_ahead: Literal["off", "track", "cylinder", "segment"] = "segment"
    """How far it reads on behind a read."""
    write_cache: bool = False
    """Whether writes are answered from the buffer."""
    zero_latency: bool = False
    """Whether it begins in the middle of a transfer where the head lands there."""


class DriveSpec(ScenarioModel):
    """A drive by its zones."""

    name: str = "drive"
    """Its name."""
    rpm: Annotated[int, Field(ge=100, le=100_000)]
    """Revolutions per minute."""
    surfaces: Annotated[int, Field(ge=1, le=64)]
    """Surfaces with data."""
    zones: Annotated[list[ZoneSpec], Field(min_length=1)]
    """Zones from the outside in."""
    mapping: Literal["forward", "serpentine_in_zone", "serpentine_on_disk"] = "forward"
    """Order of the surfaces of a cylinder."""
    sparing: Literal["none", "tracks", "per_track", "per_cylinder", "per_zone"] = "per_zone"
    """Where spares lie."""
    seek: SeekSpec
    """Arm movement."""
    head_switch: Time = 0
    """To another surface of the cylinder."""
    write_settle: Time = 0
    """Added to a movement before a write."""
    overheads: OverheadsSpec = OverheadsSpec()
    """What the controller takes."""
    block_transfer: Time = 0
    """Transfer of one block of 512 bytes over the interface."""
    buffer: BufferSpec = BufferSpec()
    """Buffer."""
    order: Literal["fifo", "sstf", "sptf", "elevator", "cyclic_elevator"] = "fifo"
    """Order of commands that wait."""
    position_margin: Time = 0
    """With `sptf`, how much longer than expected a movement may take."""
    ageing: Share = 0
    """With `sptf`, share of its waiting time by which a command is preferred."""
    queue_depth: Annotated[int, Field(ge=1, le=65_535)] = 64
    """Commands among which it chooses."""

    @model_validator(mode="after")
    def _zones_follow(self) -> DriveSpec:
        next_cylinder = 0
        for index, zone in enumerate(self.zones):
            if zone.first_cylinder < next_cylinder or zone.last_cylinder < zone.first_cylinder:
                raise refusal(
                    reason=f"Zone {index + 1} overlaps the one before, or ends before it begins",
                    remedy=f"Let it begin on cylinder {next_cylinder} or later",
                    key="zones",
                )
            next_cylinder = zone.last_cylinder + 1
        return self

    def plan(self) -> DrivePlan:
        """The drive as the engine reads it."""
        overheads = self.overheads
        return DrivePlan(
            name=self.name,
            surfaces=self.surfaces,
            revolution_ps=PS_PER_MINUTE // self.rpm,
            mapping=self.mapping,
            sparing=self.sparing,
            sparing_range=1,
            zones=[self._zone(zone) for zone in self.zones],
            seek=self._seek(),
            head_switch_ps=self.head_switch,
            write_settle_ps=self.write_settle,
            rotation="exact",
            access_ps=0,
            overheads=plain_overheads(
                reads=(overheads.read_hit.pair(), overheads.read_miss.pair()),
                writes=(overheads.write_hit.pair(), overheads.write_miss.pair()),
                completion_ps=overheads.completion,
            ),
            block_transfer_ps=(self.block_transfer, self.block_transfer),
            buffer=self._buffer(),
            scheduling=self.order,
            position_margin_ps=self.position_margin,
            ageing_ppm=self.ageing,
            queue_depth=self.queue_depth,
            streaming=False,
        )

    def _zone(self, zone: ZoneSpec) -> ZonePlan:
        sector = PS_PER_MINUTE / self.rpm / zone.blocks_per_track
        return ZonePlan(
            first_cylinder=zone.first_cylinder,
            last_cylinder=zone.last_cylinder,
            blocks_per_track=zone.blocks_per_track,
            first_angle_ps=round(zone.first_angle * sector),
            track_skew_ps=round(zone.track_skew * sector),
            cylinder_skew_ps=round(zone.cylinder_skew * sector),
            empty_front_blocks=0,
            spares=zone.spares,
            slips=sorted(zone.slips),
            defects=[],
        )

    def _seek(self) -> SeekPlan:
        seek = self.seek
        if seek.constant is not None:
            return ConstantSeek(ps=seek.constant)
        if seek.table is not None:
            points = [TablePoint(cylinders=row[0], time=row[1]) for row in seek.table]  # type: ignore[arg-type]
            return TableSeek(
                cylinders=[point.cylinders for point in points],
                ps=[point.time for point in points],
            )
        kind = CurveSeek if seek.form == "curve" else LineSeek
        return kind(
            single_ps=seek.single or 0, average_ps=seek.average or 0, full_ps=seek.full or 0
        )

    def _buffer(self) -> BufferPlan:
        spec = self.buffer
        return BufferPlan(
            segments=spec.segments,
            segment_blocks=spec.segment_size // SECTOR_BYTES,
            write_segments=min(spec.write_segments, spec.segments),
            has_write_segment=False,
            keeps_reads=True,
            hits_written=True,
            hits_next_block=True,
            hits_overtake=True,
            writes_overtake=True,
            partial_hits_wait=False,
            interface="held",
            departure="after_status",
            requested="replaced",
            read_ahead=spec.read_ahead,
            least_read_ahead=0,
            most_read_ahead=spec.segment_size // SECTOR_BYTES,
            reads_ahead_after_hit=spec.read_ahead != "off",
            stops_in_sector=True,
            stops_in_seek=True,
            keeps_passing_blocks=False,
            reads_out_of_order=spec.zero_latency,
            writes_out_of_order=spec.zero_latency,
            read_watermark_ppm=0,
            watermark_of_segment=False,
            write_cache="on" if spec.write_cache else "off",
            joins_writes=True,
            flushes_first=False,
        )


class TablePoint(ScenarioModel):
    """A distance and its time."""

    cylinders: Counted
    """Distance."""
    time: Time
    """Time."""


def load_drive(text: str, *, block_transfer_ps: int | None = None) -> LoadedDrive:
    """Return the drive that a name of the catalog, a YAML file or DiskSim's files give.

    Raises
    ------
    ScenarioError
        The drive is unknown, or its values contradict each other.
    """
    path = Path(text)
    if path.suffix in DISKSIM_SUFFIXES:
        return read_disksim(path, block_transfer_ps=block_transfer_ps)
    if path.suffix in {".yaml", ".yml"}:
        plan = _from_yaml(path)
    elif path.suffix or "/" in text:
        known = "a name of the catalog, .yaml, .diskspecs, .model or .parv"
        reason = f"'{path.suffix or text}' is not a drive file"
        raise ScenarioError([Problem(text, None, None, "", reason, f"Give {known}")])
    else:
        plan = drive_from_sheet(text, _entry(text, Problem(text, None, None, "", "", "")))
    if block_transfer_ps is not None:
        both = (block_transfer_ps, block_transfer_ps)
        plan = msgspec.structs.replace(plan, block_transfer_ps=both)
    return LoadedDrive(plan, [], is_bus_known=True)


def _entry(name: str, place: Problem) -> DiskEntry:
    try:
        return entry("disks", name)  # type: ignore[return-value]
    except UnknownEntryError as error:
        problem = Problem(place.file, place.line, None, place.key, error.reason, error.remedy)
        raise ScenarioError([problem]) from None


def _from_yaml(path: Path) -> DrivePlan:
    document = read_document(read_text(path), str(path))
    # A drive by its zones lists them; a disk of the catalog has a number of zones.
    has_list = "zones" in document and not isinstance(document["zones"], int | str)
    by_zones = "model" not in document and (has_list or "seek" in document)
    model: type[DriveSpec | Disk] = DriveSpec if by_zones else Disk
    try:
        spec = model.model_validate(document)
        if isinstance(spec, DriveSpec):
            return spec.plan()
    except ValidationError as error:
        raise ScenarioError(problems_of(error, model, document)) from None
    sheet = spec
    base = _entry(sheet.model or "generic-10k", Problem(str(path), 1, None, "model", "", ""))
    changed = written(sheet, but=("model",))
    disk = overlaid(base, changed)
    wrong = contradictions(disk)
    if wrong:
        raise ScenarioError([Problem(str(path), 1, None, "", *words) for words in wrong])
    return drive_from_sheet(path.stem, disk)
