"""Workloads in fio's words or Iometer's, SPC-1-like ones, and plain frames below SCSI."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from sanlab import quantities
from sanlab.quantities import QuantityError
from sanlab.scenario.base import (
    MAX_BLOCK_BYTES,
    MAX_LUN_BYTES,
    SECTOR_BYTES,
    BlockSize,
    LunSize,
    Name,
    Patterns,
    Rate,
    ScenarioModel,
    Size,
    Span,
    Time,
    also,
    refusal,
    refuse_parts_of_sectors,
)
from sanlab.scenario.load_curve import Load
from sanlab.scenario.replay import WITHOUT_TRACE, Trace, as_trace

ReadWrite = Literal["read", "write", "randread", "randwrite", "rw", "readwrite", "randrw"]
Arrivals = Literal["closed", "constant", "poisson"]


#: Unit in which SPC-1 addresses its storage.
SPC1_BLOCK_BYTES = 4096

#: Largest exponent of a Zipf distribution, in thousandths.
MAX_THETA = 10_000


def _read_mix(value: object) -> object:
    """Accept 70 as fio does, and 70%."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"{value}%"
    try:
        return quantities.parse_share(value)
    except QuantityError as error:
        raise refusal(reason=error.reason, remedy=error.remedy) from error


def _read_distribution(value: object) -> object:
    """Accept `random` and `zipf:THETA`; return THETA in thousandths, 0 for uniform."""
    remedy = "Write 'random' (every block alike) or 'zipf:1.2'"
    if value == "random":
        return 0
    if not isinstance(value, str) or not value.startswith("zipf:"):
        raise refusal(reason=f"'{value}' is not a distribution of addresses", remedy=remedy)
    try:
        theta = round(float(value.removeprefix("zipf:")) * 1000)
    except (ValueError, OverflowError) as error:
        raise refusal(reason=f"'{value}' has no number after 'zipf:'", remedy=remedy) from error
    if not 1 <= theta <= MAX_THETA:
        raise refusal(reason=f"The exponent of '{value}' is out of range", remedy="Write 0.001..10")
    return theta


Mix = Annotated[
    int,
    BeforeValidator(_read_mix),
    WithJsonSchema({"type": ["integer", "string"], "examples": [70, "70%"]}),
]
Addresses = Annotated[
    int,
    BeforeValidator(_read_distribution),
    WithJsonSchema({"type": "string", "examples": ["random", "zipf:1.2"]}),
]


#: Shares of a whole sum to this.
_WHOLE_PPM = 1_000_000


def _as_load(value: object) -> object:
    return {"points": value} if isinstance(value, list) else value


def _as_lines(value: object) -> object:
    return [value] if isinstance(value, dict) else value


class AccessLine(ScenarioModel):
    """One line of an Iometer access specification."""

    size: BlockSize
    """Transfer request size."""
    of_size: Mix = _WHOLE_PPM
    """Percent of access specification: share of bursts that use this line."""
    reads: Mix
    """Percent read of its transactions."""
    random: Mix
    """Percent random of its I/Os; a sequential one starts where the last I/O ended."""
    delay: Time = 0
    """Transfer delay: pause before each burst of the worker."""
    burst: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Burst length, in transactions."""
    align: Annotated[Size, Field(le=2**40)] = 0
    """Addresses are rounded up to multiples of it; 0 means sectors."""
    reply: Annotated[Size, Field(le=MAX_BLOCK_BYTES)] = 0
    """Size of a second transfer in the opposite direction; 0 means no reply."""

    @property
    def align_bytes(self) -> int:
        """Alignment, that of sectors where it is 0."""
        return self.align or SECTOR_BYTES

    @model_validator(mode="after")
    def _is_in_sectors(self) -> AccessLine:
        refuse_parts_of_sectors(self, "size", "align", "reply")
        return self


class Spc1(ScenarioModel):
    """A load like that of SPC-1: eight streams on three application storage units."""

    bsus: Annotated[int, Field(ge=1, le=100_000)]
    """Business scaling units, each 50 I/Os per second."""
    iops_per_bsu: Annotated[int, Field(ge=1, le=100_000)] = 50
    """I/Os per second of one unit; 50 in SPC-1, 5 in SPC-1C."""
    layout: Literal["concatenated", "striped"] = "concatenated"
    """How the targets become one volume; ASU-1, 2 and 3 are 45, 45 and 10% of it."""
    stripe: BlockSize | None = None
    """Bytes on one target before the next of a striped volume; 1MiB by default."""

    @model_validator(mode="after")
    def _has_stripes(self) -> Spc1:
        if self.stripe is not None and self.layout != "striped":
            raise refusal(
                reason="'stripe' has no effect with 'layout: concatenated'",
                remedy="Add 'layout: striped'",
                key="stripe",
            )
        if self.stripe is not None and self.stripe % SPC1_BLOCK_BYTES != 0:
            raise refusal(
                reason="'stripe' is not a multiple of 4KiB, the unit of SPC-1",
                remedy="Write 64KiB or 1MiB",
                key="stripe",
            )
        return self


class Workload(ScenarioModel):
    """Streams of I/O from hosts to LUNs, in the words of fio or of Iometer."""

    name: Name
    """Its name, which results are reported under."""
    hosts: Patterns
    """Hosts it runs on."""
    targets: Patterns
    """LUNs it uses, `dev1.lun[1..4]`; or one volume or file system."""
    first_write: bool = False
    """Whether its writes to a file system allocate blocks, like those of a new file."""
    spread: Literal["pair", "all", "paths"] | None = None
    """Pair hosts with targets one to one, every host with all, or each target with the port that
    the `paths` of its stack name; pair where numbers are equal."""
    preset: str | None = None
    """A workload of the catalog, which gives the keys below that are not written here."""
    access: Annotated[
        Annotated[list[AccessLine], Field(min_length=1, max_length=100)] | None,
        BeforeValidator(_as_lines),
        also({"type": "object"}),
    ] = None
    """Lines of an Iometer access specification, instead of `rw` and `bs`.

    Each of `numjobs` workers of a host keeps `iodepth` I/Os outstanding on each of its targets.
    """
    spc1: Spc1 | None = None
    """A load like that of SPC-1 on all targets together, instead of `rw` and `bs`."""
    trace: Annotated[Trace | None, BeforeValidator(as_trace), also({"type": "string"})] = None
    """A block trace to replay, instead of `rw` and `bs`: a file, or a mapping."""
    rw: ReadWrite = "read"
    """Direction and order of addresses."""
    bs: BlockSize = 4096
    """Size of a request."""
    iodepth: Annotated[int, Field(ge=1, le=65_535)] = 1
    """Requests each job keeps open; of a trace that is replayed as timed, no bound by default."""
    numjobs: Annotated[int, Field(ge=1, le=4096)] = 1
    """Equal jobs for each pair; sequential jobs on a LUN use adjacent regions."""
    size: LunSize | None = None
    """Region of each job and the bytes it moves; by default the rest of the LUN, without a limit
    of bytes."""
    io_size: Annotated[Size, Field(ge=512)] | None = None
    """Bytes a job moves, if not `size`."""
    loops: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Times a job moves its `size`, over the same region: passes of xdd."""
    time_based: bool = False
    """Whether jobs continue until `runtime` after they have moved `size`."""
    runtime: Span | None = None
    """Time a job runs, after its ramp time."""
    ramp_time: Time = 0
    """Time a job runs before its I/O is counted."""
    after: Patterns | None = None
    """Workloads that end before it starts, like `stonewall` in fio; its times count from then."""
    start_delay: Time = 0
    """Time before a job starts."""
    offset: Size = 0
    """First byte of the region."""
    rate: Rate | None = None
    """Most bytes per second of a job."""
    rate_iops: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None
    """Most I/Os per second of a job."""
    load: Annotated[Load | None, BeforeValidator(_as_load), also({"type": "array"})] = None
    """Rate over time, as shares of `rate_iops`, of `rate` or of the I/Os of `spc1`: steps, ramps or
    a table that repeats."""
    arrivals: Arrivals = "closed"
    """A closed loop of `iodepth`, or an open one at a constant or Poisson rate."""
    rwmixread: Mix | None = None
    """Share of reads of a mixed workload; 50% by default."""
    thinktime: Time = 0
    """Pause after a completion before the next request takes its place."""
    random_distribution: Addresses | None = None
    """Distribution of random addresses."""
    host_port: str | None = None
    """Port of each host it uses, `hba0.p1`; all in turn by default."""
    target_port: str | None = None
    """Port of each array it uses, `p0`. By default the LUN's number alone selects one of the ports
    that export the LUN and that the host's port reaches, whichever that is: the first LUN uses the
    first, the second LUN the second, and so on in turn."""

    @property
    def is_random(self) -> bool:
        """Whether addresses are random, so that equal jobs may share a region."""
        return self.rw.startswith("rand")

    @property
    def is_mixed(self) -> bool:
        """Whether it reads and writes."""
        return self.rw in {"rw", "readwrite", "randrw"}

    @property
    def read_ppm(self) -> int:
        """Share of reads."""
        if self.is_mixed:
            return 500_000 if self.rwmixread is None else self.rwmixread
        return 1_000_000 if self.rw in {"read", "randread"} else 0

    @model_validator(mode="after")
    def _holds_together(self) -> Workload:
        # What a preset gives is known only later.
        if self.preset is None:
            for key, reason, remedy in contradictions(self):
                raise refusal(reason=reason, remedy=remedy, key=key)
        return self


def contradictions(work: Workload) -> list[tuple[str, str, str]]:
    """Return keys that contradict each other: key, reason and remedy."""
    if work.trace is not None:
        return _beside_trace(work)
    if work.access is not None or work.spc1 is not None:
        return _beside_pattern(work)
    given = work.model_fields_set
    is_open = work.arrivals != "closed"
    rules = [
        (
            "rate_iops",
            work.rate is not None and work.rate_iops is not None,
            "'rate' and 'rate_iops' exclude each other",
            "Keep one of them",
        ),
        (
            "arrivals",
            is_open and work.rate is None and work.rate_iops is None,
            f"'arrivals: {work.arrivals}' is an open loop and needs a rate",
            "Add 'rate_iops', or 'rate'",
        ),
        (
            "load",
            work.load is not None and work.rate is None and work.rate_iops is None,
            _LOAD_WITHOUT_RATE,
            "Add 'rate_iops', or 'rate'",
        ),
        (
            "iodepth",
            is_open and "iodepth" in given,
            f"'arrivals: {work.arrivals}' is an open loop, which 'iodepth' does not bound",
            "Remove 'iodepth', or write 'arrivals: closed'",
        ),
        (
            "thinktime",
            is_open and work.thinktime > 0,
            f"'arrivals: {work.arrivals}' is an open loop, which does not wait for completions",
            "Remove 'thinktime', or write 'arrivals: closed'",
        ),
        (
            "rwmixread",
            work.rwmixread is not None and not work.is_mixed,
            f"'rwmixread' has no effect with 'rw: {work.rw}'",
            "Write 'rw: randrw' or 'rw: rw', or remove 'rwmixread'",
        ),
        (
            "random_distribution",
            work.random_distribution is not None and not work.is_random,
            f"'random_distribution' has no effect with 'rw: {work.rw}'",
            "Write 'rw: randread', 'randwrite' or 'randrw', or remove it",
        ),
        (
            "first_write",
            work.first_write and work.read_ppm == _WHOLE_PPM,
            f"'first_write' has no effect with 'rw: {work.rw}', which writes nothing",
            "Write 'rw: write' or 'rw: randwrite', or remove 'first_write'",
        ),
        (
            "time_based",
            work.time_based and work.runtime is None,
            "'time_based' needs a 'runtime'",
            "Add 'runtime: 1s'",
        ),
        (
            "time_based",
            work.time_based and work.io_size is not None,
            "'time_based' and 'io_size' exclude each other",
            "Keep one of them",
        ),
        (
            "loops",
            work.loops > 1 and work.size is None,
            f"'loops: {work.loops}' repeats 'size', which is missing",
            "Add 'size: 1GiB'",
        ),
        (
            "loops",
            work.loops > 1 and work.io_size is not None,
            "'loops' and 'io_size' both say how much is moved",
            "Keep one of them, or write 'loops: 1'",
        ),
        (
            "loops",
            work.loops > 1 and work.time_based,
            "'loops' and 'time_based' both say when a job ends",
            "Keep one of them, or write 'loops: 1'",
        ),
        (
            "loops",
            work.loops * (work.size or 0) > MAX_LUN_BYTES,
            f"'loops: {work.loops}' would move more than {quantities.format_size(MAX_LUN_BYTES)}",
            "Reduce 'loops' or 'size'",
        ),
        (
            "size",
            work.size is not None and work.size < work.bs,
            "'size' is less than one request of 'bs'",
            f"Give at least {quantities.format_size(work.bs)}",
        ),
    ]
    rules += [
        (
            key,
            value % SECTOR_BYTES != 0,
            f"'{key}' is not a multiple of {SECTOR_BYTES} bytes",
            "Use whole sectors",
        )
        for key, value in (("bs", work.bs), ("offset", work.offset))
    ]
    return [(key, reason, remedy) for key, is_wrong, reason, remedy in rules if is_wrong]


#: A load that is a share of nothing.
_LOAD_WITHOUT_RATE = "'load' is a share of a rate, which is missing"

#: Keys that `access` and `spc1` exclude.
_WITHOUT_ACCESS = (
    *("rw", "bs", "rwmixread", "random_distribution", "thinktime", "time_based", "rate"),
    *("first_write", "loops"),
)
_WITHOUT_SPC1 = (
    *("access", "rw", "bs", "rwmixread", "random_distribution", "thinktime", "time_based"),
    *("rate", "rate_iops", "arrivals", "iodepth", "numjobs", "size", "io_size", "offset", "spread"),
    *("first_write", "loops"),
)


def _beside_pattern(work: Workload) -> list[tuple[str, str, str]]:
    """What contradicts `access` or `spc1`."""
    pattern, others = ("spc1", _WITHOUT_SPC1) if work.spc1 else ("access", _WITHOUT_ACCESS)
    found = [
        (key, f"'{key}' and '{pattern}' exclude each other", "Remove one")
        for key in others
        if key in work.model_fields_set
    ]
    total = sum(line.of_size for line in work.access or ())
    if work.access is not None and total != _WHOLE_PPM:
        side = "more than" if total > _WHOLE_PPM else "less than"
        reason = f"The shares 'of_size' sum to {quantities.format_share(total)}, {side} the whole"
        found.append(("access", reason, "Make them sum to 100%"))
    is_open = work.arrivals != "closed"
    if is_open and work.rate_iops is None:
        reason = f"'arrivals: {work.arrivals}' is an open loop and needs a rate"
        found.append(("arrivals", reason, "Add 'rate_iops'"))
    if is_open and "iodepth" in work.model_fields_set:
        reason = f"'arrivals: {work.arrivals}' is an open loop, which 'iodepth' does not bound"
        found.append(("iodepth", reason, "Remove 'iodepth', or write 'arrivals: closed'"))
    if work.load is not None and work.spc1 is None and work.rate_iops is None:
        found.append(("load", _LOAD_WITHOUT_RATE, "Add 'rate_iops'"))
    if work.offset % SECTOR_BYTES != 0:
        reason = f"'offset' is not a multiple of {SECTOR_BYTES} bytes"
        found.append(("offset", reason, "Use whole sectors"))
    return found


def _beside_trace(work: Workload) -> list[tuple[str, str, str]]:
    """What contradicts `trace`."""
    found = [
        (key, f"'{key}' and 'trace' exclude each other", "Remove one")
        for key in WITHOUT_TRACE
        if key in work.model_fields_set
    ]
    trace = work.trace
    if trace is not None and trace.replay == "closed" and "iodepth" in work.model_fields_set:
        reason = "'replay: closed' keeps the recorded depth, and 'iodepth' says another"
        found.append(("iodepth", reason, "Remove 'iodepth', or write 'replay: asap'"))
    if work.offset % SECTOR_BYTES != 0:
        reason = f"'offset' is not a multiple of {SECTOR_BYTES} bytes"
        found.append(("offset", reason, "Use whole sectors"))
    return found


class Traffic(ScenarioModel):
    """Plain frames from N_Port to N_Port, without a SCSI exchange above them.

    Each frame is an exchange of its own: switches with `routing: exchange` choose a path for each
    frame, and frames of one stream may arrive out of order.
    """

    name: Name
    """Its name, which results are reported under."""
    from_: Patterns = Field(alias="from")
    """Port of a host or an array, or a box, whose first linked port it is."""
    to: Patterns
    """Where the frames go. Equal numbers pair one to one; a single end pairs with all others."""
    payload: Annotated[Size, Field(le=2112)] = 2048
    """Payload of each frame."""
    frames: Annotated[int, Field(ge=1, le=10**15)] | None = None
    """Frames to send; unlimited by default."""
    rate: Rate | None = None
    """Payload bytes per second."""
    interval: Span | None = None
    """Mean time between frames."""
    saturate: bool = False
    """Send as fast as credit and fibre allow."""
    load: Annotated[Load | None, BeforeValidator(_as_load), also({"type": "array"})] = None
    """Rate over time, as shares of `rate` or of that of `interval`: steps, ramps or a table that
    repeats."""
    arrivals: Literal["constant", "poisson"] = "constant"
    """Distribution of the time between frames."""
    start_delay: Time = 0
    """When it starts."""

    @model_validator(mode="after")
    def _has_one_pace(self) -> Traffic:
        paces = [self.rate is not None, self.interval is not None, self.saturate]
        if sum(paces) != 1:
            found = "The stream has no rate" if not any(paces) else "The stream has several rates"
            raise refusal(
                reason=found, remedy="Give one of 'rate', 'interval' and 'saturate: true'"
            )
        if self.saturate and self.arrivals == "poisson":
            raise refusal(
                reason="'saturate' has no random times", remedy="Remove 'arrivals: poisson'"
            )
        if self.saturate and self.load is not None:
            raise refusal(
                reason="'load' is a share of a rate, and 'saturate' has none",
                remedy="Give 'rate' or 'interval' instead of 'saturate: true'",
                key="load",
            )
        if self.rate is not None and self.payload == 0:
            raise refusal(
                reason="Frames without payload have no 'rate'", remedy="Give 'interval' instead"
            )
        return self
