"""Defaults of a scenario: values of the model in the catalog, or constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from sanlab.plan.drives import contradictions
from sanlab.plan.model_parts import cache_of_model, controllers_of_model, pool_of_model
from sanlab.plan.models import look_up
from sanlab.quantities import SPEEDS
from sanlab.scenario.arrays import Disk
from sanlab.scenario.base import overlaid, written
from sanlab.scenario.fabric import BufferPool, HoldTime
from sanlab.scenario.groups import expand_names
from sanlab.scenario.hosts import Cpu, Hba, Os
from sanlab.scenario.qos import SwitchQos

if TYPE_CHECKING:
    from sanlab.catalog.entries import (
        ArrayEntry,
        DiskEntry,
        HbaEntry,
        HostEntry,
        PortEntry,
        SwitchEntry,
        SystemEntry,
    )
    from sanlab.plan.buses import ResolvedBus
    from sanlab.plan.names import Problems
    from sanlab.scenario.arrays import Array, WholePool
    from sanlab.scenario.caches import Cache
    from sanlab.scenario.controllers import CountedControllers
    from sanlab.scenario.document import Path
    from sanlab.scenario.fabric import ChannelCounts, Switch
    from sanlab.scenario.hosts import Host, Submission

Value = TypeVar("Value")

#: Generation of ports that name neither model nor speed.
DEFAULT_SPEED = "32GFC"
DEFAULT_LUN_BYTES = 2**40
DEFAULT_STRIPE_BYTES = 64 * 1024
DEFAULT_BLOCK_BYTES = 8 * 1024
#: Length of a run without an end, and longest time of a run that ends with its I/O.
DEFAULT_DURATION_PS = 10**12
LATEST_END_PS = 3600 * 10**12
#: Bin of the time series if the length of the run is unknown.
DEFAULT_INTERVAL_PS = 10**10


def given(value: Value | None, default: Value) -> Value:
    """Return the value, or the default if it is None."""
    return default if value is None else value


@dataclass(frozen=True, slots=True)
class Ports:
    """Values of every N_Port of a box."""

    count: int
    speeds: tuple[str, ...]
    bb_credit: int
    tx_buffers: int
    class3_sequences: int
    interleave: str
    rx_hold_ps: int
    drain_bytes_per_s: int


def generic(speed: str | None) -> str:
    """Name of the catalog's entry for a generation of Fibre Channel."""
    return f"generic-{given(speed, DEFAULT_SPEED).removesuffix('GFC')}g"


def _speeds(
    model: str | None,
    speed: str | None,
    known: list[str],
    path: Path,
    problems: Problems,
) -> tuple[str, ...]:
    """Speeds a port takes part in.

    A named model that is set to a speed has that one; a generic port negotiates down from it.
    """
    if speed is None or model is None:
        return tuple(known)
    if speed not in known:
        problems.add(
            (*path, "speed"),
            f"The model '{model}' has no {speed}",
            f"It has {', '.join(known)}",
        )
    return (speed,)


def _ports(spec: Hba | Array, model: PortEntry, path: Path, problems: Problems) -> Ports:
    return Ports(
        count=given(spec.ports, model.ports),
        speeds=_speeds(spec.model, spec.speed, model.speeds, path, problems),
        bb_credit=given(spec.bb_credit, model.bb_credit),
        tx_buffers=given(spec.tx_buffers, model.tx_buffers),
        class3_sequences=given(spec.class3_sequences, model.class3_sequences),
        interleave=given(spec.interleave, model.interleave),
        rx_hold_ps=given(spec.rx_hold, model.rx_hold),
        drain_bytes_per_s=given(spec.drain, 0),
    )


@dataclass(frozen=True, slots=True)
class ResolvedHba:
    """An adapter with all values."""

    name: str
    ports: Ports
    submit_ps: int
    complete_ps: int
    execution_throttle: int
    lun_queue_depth: int
    command_timeout_ps: int
    path_timeout_ps: int
    dev_loss_ps: int
    retries: int
    loop_only: bool
    npiv: tuple[str, ...]
    binding: str
    transfer_ps: int
    engine: str
    data_rate: int | None
    turnaround_ps: int
    card_latency_ps: int
    interrupt_delay_ps: int
    bus: ResolvedBus | None = None
    place: int = 0
    """Index among the adapters in the file."""


def resolve_hba(spec: Hba, name: str, path: Path, problems: Problems) -> ResolvedHba:
    """Fill in an adapter, all but its bus."""
    found = look_up("hbas", spec.model or generic(spec.speed), generic(spec.speed), path, problems)
    model = cast("HbaEntry", found)
    return ResolvedHba(
        name=name,
        ports=_ports(spec, model, path, problems),
        submit_ps=given(spec.submit, model.submit),
        complete_ps=given(spec.complete, model.complete),
        execution_throttle=given(spec.execution_throttle, model.execution_throttle),
        lun_queue_depth=given(spec.lun_queue_depth, model.lun_queue_depth),
        command_timeout_ps=spec.command_timeout,
        path_timeout_ps=given(spec.fast_io_fail, spec.dev_loss),
        dev_loss_ps=spec.dev_loss,
        retries=spec.retries,
        loop_only=spec.loop_only,
        npiv=tuple(name for group in spec.npiv for name in expand_names(group)),
        binding=spec.binding,
        transfer_ps=given(spec.transfer, model.transfer),
        engine=given(spec.engine, model.engine),
        data_rate=spec.data_rate or model.data_rate,
        turnaround_ps=given(spec.turnaround, model.turnaround),
        card_latency_ps=given(spec.card_latency, model.card_latency),
        interrupt_delay_ps=given(spec.interrupt_delay, model.interrupt_delay),
    )


@dataclass(frozen=True, slots=True)
class ResolvedCpu:
    """Processors of a host."""

    cores: int
    submit_ps: int
    complete_ps: int
    command_ps: int
    interrupt_ps: int


@dataclass(frozen=True, slots=True)
class ResolvedOs:
    """How a host splits large requests."""

    max_request_bytes: int
    submission: Submission


def resolve_os(spec: Host, path: Path, problems: Problems) -> ResolvedOs:
    """Fill in the operating system of a host; by default that of its model."""
    host = cast("HostEntry", look_up("hosts", spec.model or "generic", "generic", path, problems))
    os = spec.os or Os()
    found = look_up("systems", given(os.model, host.os), host.os, (*path, "os"), problems)
    model = cast("SystemEntry", found)
    return ResolvedOs(
        given(os.max_request, model.max_request), given(os.submission, model.submission)
    )


def resolve_cpu(spec: Host, path: Path, problems: Problems) -> ResolvedCpu:
    """Fill in the processors of a host; half of `cost_per_io` is spent on each way."""
    found = look_up("hosts", spec.model or "generic", "generic", path, problems)
    model = cast("HostEntry", found)
    cpu = spec.cpu or Cpu()
    submit, complete = given(cpu.submit, model.submit), given(cpu.complete, model.complete)
    if cpu.cost_per_io is not None:
        submit = cpu.cost_per_io // 2
        complete = cpu.cost_per_io - submit
    return ResolvedCpu(
        given(cpu.cores, model.cores),
        submit,
        complete,
        given(cpu.per_command, model.per_command),
        given(cpu.per_interrupt, model.per_interrupt),
    )


@dataclass(frozen=True, slots=True)
class ResolvedSwitch:
    """A switch with all values except its domain."""

    ports: int
    speeds: tuple[str, ...]
    bb_credit: int
    isl_bb_credit: int
    virtual_channels: ChannelCounts | None
    cut_through: bool
    latency_ps: int
    routing: str
    edge_hold_ps: int | None
    core_hold_ps: int | None
    no_credit_drop_ps: int | None
    buffer_pool: BufferPool | None
    zoning_rules: str
    zone_sets: int | None
    maker: str | None
    loop_ports: bool
    port_speeds: dict[int, tuple[str, ...]]
    """Speeds of ports with their own setting."""
    qos: SwitchQos


def resolve_switch(spec: Switch, path: Path, problems: Problems) -> ResolvedSwitch:
    """Fill in a switch."""
    found = look_up(
        "switches", spec.model or generic(spec.speed), generic(spec.speed), path, problems
    )
    model = cast("SwitchEntry", found)
    own_speeds = {
        number: tuple(group.speeds)
        for group in model.other_ports
        for number in port_numbers(group.ports)
    }
    for group in spec.port_groups:
        if group.speed is not None:
            own_speeds |= dict.fromkeys(port_numbers(group.ports), (group.speed,))
    own = given(spec.hold_time, HoldTime())
    return ResolvedSwitch(
        ports=given(spec.ports, model.ports),
        speeds=_speeds(spec.model, spec.speed, model.speeds, path, problems),
        bb_credit=given(spec.bb_credit, model.bb_credit),
        isl_bb_credit=given(
            spec.isl_bb_credit,
            given(spec.bb_credit, given(model.isl_bb_credit, model.bb_credit)),
        ),
        virtual_channels=given(spec.virtual_channels, model.virtual_channels),
        cut_through=given(spec.forwarding, model.forwarding) == "cut-through",
        latency_ps=given(spec.latency, model.latency),
        routing=given(spec.routing, model.routing).replace("-", "_"),
        edge_hold_ps=_limit(given(own.edge, model.hold_time.edge)),
        core_hold_ps=_limit(given(own.core, model.hold_time.core)),
        no_credit_drop_ps=_limit(spec.no_credit_drop),
        buffer_pool=given(spec.buffer_pool, _pool(model)),
        zoning_rules=given(spec.zoning_rules, model.zoning_rules),
        zone_sets=model.zone_sets,
        maker=model.maker,
        loop_ports=given(spec.loop_ports, model.loop_ports),
        port_speeds=own_speeds,
        qos=_qos(spec, model),
    )


def _pool(model: SwitchEntry) -> BufferPool | None:
    """Return the pool of a model, if the catalog has its size."""
    if model.buffers is None or model.pool_ports is None:
        return None
    return BufferPool(frames=model.buffers, ports=model.pool_ports)


def _limit(span: int | Literal["none"] | None) -> int | None:
    """Return a time, or nothing where there is no limit."""
    return None if span is None or span == "none" else span


def _qos(spec: Switch, model: SwitchEntry) -> SwitchQos:
    """Fill in the wheel of a switch."""
    qos = given(spec.qos, SwitchQos())
    if "wheel" in qos.model_fields_set or model.wheel is None:
        return qos
    return overlaid(qos, {"wheel": model.wheel})


def port_numbers(text: str) -> list[int]:
    """Return the numbers that `16..19` or `1,3` stands for; a range that runs backwards is empty.

    >>> port_numbers("0..2,7")
    [0, 1, 2, 7]
    """
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers


@dataclass(frozen=True, slots=True)
class ResolvedArray:
    """An array with the values of its model."""

    ports: Ports
    model: ArrayEntry
    controllers: CountedControllers
    cache: Cache | None
    pool: WholePool | None


def resolve_array(spec: Array, path: Path, problems: Problems) -> ResolvedArray:
    """Fill in the ports of an array, and what its scenario leaves out of parts of its model."""
    found = look_up(
        "arrays", spec.model or generic(spec.speed), generic(spec.speed), path, problems
    )
    model = cast("ArrayEntry", found)
    return ResolvedArray(
        _ports(spec, model, path, problems),
        model,
        controllers_of_model(spec, model, path, problems),
        cache_of_model(spec, model, path, problems),
        pool_of_model(spec, model, path, problems),
    )


def resolve_disk(spec: Disk | None, fallback: str, path: Path, problems: Problems) -> DiskEntry:
    """Fill in the kind of disk of an array, and check that its times make sense."""
    disk = spec or Disk()
    found = look_up("disks", disk.model or fallback, fallback, path, problems)
    changed = written(disk, but=("model",))
    model = overlaid(cast("DiskEntry", found), changed)
    for reason, remedy in contradictions(model):
        problems.add(path, reason, remedy)
    return model


def highest_common_speed(left: tuple[str, ...], right: tuple[str, ...]) -> str | None:
    """Return the fastest speed both have."""
    common = [speed for speed in left if speed in right]
    return max(common, key=lambda speed: SPEEDS[speed]) if common else None
