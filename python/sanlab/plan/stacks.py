"""Stacks of enclosures: their loops, and their disks as LUNs of an array without a controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sanlab.catalog.entries import ArrayEntry, LoopPortEntry
from sanlab.plan.defaults import Ports, ResolvedArray, given
from sanlab.plan.model_parts import ONE_CONTROLLER
from sanlab.plan.models import look_up
from sanlab.quantities import SPEEDS, counted
from sanlab.scenario.arrays import Array, Lun
from sanlab.scenario.base import overlaid, written

if TYPE_CHECKING:
    from sanlab.catalog.entries import EnclosureEntry
    from sanlab.plan.names import End, Problems
    from sanlab.scenario.document import Path
    from sanlab.scenario.stacks import LoopPort, Stack

#: Names of the loops of a stack.
LOOPS = ("a", "b")
#: Model that an unknown one is checked as.
STAND_IN = "rs-1600-jbod"
#: Ports a loop may have besides an FL_Port: there are 127 AL_PAs, and 00 is the FL_Port's.
MOST_PORTS = 126
#: How a switch port behaves on a loop; its buffers are those of the port. It is not fair: "The
#: FL_Port doesn't use the access fairness algorithm because it must control communications with the
#: attached fabric" (Seagate, Fibre Channel Interface manual, 8.3.2). Other values are estimates.
FL_PORT = LoopPortEntry(
    delay=6,
    fair=False,
    transfer=False,
    full_duplex=True,
    login_credit=0,
    buffers=16,
    tenancy=1024,
)
#: Bytes of a block on a disk of a stack, so that a LUN ends with its disk.
_BLOCK_BYTES = 512


@dataclass(frozen=True, slots=True)
class StackBox:
    """A stack with all values."""

    name: str
    path: Path
    spec: Stack
    model: EnclosureEntry
    disks_count: int
    loops: tuple[str, ...]
    speed: str
    initiator: LoopPortEntry
    target: LoopPortEntry
    devices: dict[str, LoopPortEntry]
    """Behaviour of single devices, disks and host ports by name."""

    @property
    def enclosures(self) -> int:
        """Enclosures from the top."""
        return self.spec.enclosures

    def fl_port(self, end: End, buffers: int) -> LoopPortEntry:
        """Behaviour of a port of a switch with so many buffers on a loop."""
        own = self.spec.devices.get(".".join(end))
        values = FL_PORT.model_copy(update={"buffers": buffers})
        return values if own is None else overlaid(values, written(own))

    def behaviour(self, end: End) -> LoopPortEntry:
        """Behaviour of a port on the loops: its own, or that of its kind."""
        box, port = end
        if box == self.name:
            return self.devices.get(port.partition(".")[0], self.target)
        return self.devices.get(f"{box}.{port}", self.initiator)

    def enclosure_of(self, disk: int) -> int:
        """Enclosure of a disk, both counted from 1."""
        return (disk - 1) // self.model.bays + 1

    def disks_in(self, enclosure: int) -> range:
        """Disks of an enclosure, counted from 1."""
        bays = self.model.bays
        return range((enclosure - 1) * bays + 1, min(enclosure * bays, self.disks_count) + 1)


def resolve_stack(spec: Stack, name: str, path: Path, problems: Problems) -> StackBox:
    """Fill in a stack, and check that its parts fit together."""
    model = cast("EnclosureEntry", look_up("enclosures", spec.model, STAND_IN, path, problems))
    loops = given(spec.loops, model.loops)
    if loops > model.loops:
        problems.add(
            (*path, "loops"),
            f"'{spec.model}' has {counted(model.loops, 'loop')}",
            f"Write 'loops: {model.loops}' at most",
        )
    bays = spec.enclosures * model.bays
    disks = given(spec.disks, bays)
    if disks > bays:
        problems.add(
            (*path, "disks"),
            f"{counted(spec.enclosures, 'enclosure')} of {model.bays} bays hold {bays} disks, "
            f"not {disks}",
            "Add 'enclosures', or remove disks",
        )
    speed = given(spec.speed, max(model.speeds, key=lambda name: SPEEDS[name]))
    if speed not in model.speeds:
        problems.add(
            (*path, "speed"),
            f"'{spec.model}' has no {speed}",
            f"It has {', '.join(model.speeds)}",
        )
    _check_medium(spec, model, path, problems)
    for number in spec.hard_addresses:
        if not 1 <= number <= disks:
            problems.add(
                (*path, "hard_addresses", str(number)),
                f"'{name}' has no disk {number}",
                f"It has disks 1 to {disks}" if disks else "The stack has no disks",
            )
    _check_spans(spec, name, path, problems)
    initiator = _port_of(spec.initiator, model.initiator, (*path, "initiator"), problems)
    target = _port_of(spec.target, model.target, (*path, "target"), problems)
    return StackBox(
        name=name,
        path=path,
        spec=spec,
        model=model,
        disks_count=disks,
        loops=LOOPS[:loops],
        speed=speed,
        initiator=initiator,
        target=target,
        devices={
            device: _port_of(
                own, initiator if "." in device else target, (*path, "devices", device), problems
            )
            for device, own in spec.devices.items()
        },
    )


def _check_spans(spec: Stack, name: str, path: Path, problems: Problems) -> None:
    """Note rules of `paths` for enclosures that the stack does not have."""
    last = spec.enclosures
    for number, rule in enumerate(spec.paths):
        _, dots, end = rule.enclosures.partition("..")
        if dots and int(end) > last:
            problems.add(
                (*path, "paths", number, "enclosures"),
                f"'{name}' has no enclosure {end}",
                f"It has enclosures 1 to {last}" if last > 1 else "It has one enclosure",
            )


def _check_medium(spec: Stack, model: EnclosureEntry, path: Path, problems: Problems) -> None:
    only = (
        {"strings": spec.strings, "crossbar": spec.crossbar}
        if not model.switched
        else {"bypass": spec.bypass, "retimer": spec.retimer}
    )
    what = "has no crossbar" if not model.switched else "is switched"
    for key, value in only.items():
        if value is not None:
            problems.add(
                (*path, key), f"'{spec.model}' {what}, so '{key}' has no effect", f"Remove '{key}'"
            )


def _port_of(
    spec: LoopPort | None, model: LoopPortEntry, path: Path, problems: Problems
) -> LoopPortEntry:
    if spec is None:
        return model
    changed = written(spec)
    port = overlaid(model, changed)
    if port.login_credit > port.buffers:
        problems.add(
            (*path, "login_credit" if "login_credit" in changed else "buffers"),
            f"'login_credit' is {port.login_credit} frames, and the port has only "
            f"{counted(port.buffers, 'buffer')}",
            "Raise 'buffers', or lower 'login_credit'",
        )
    return port


def disk_ports(stack: StackBox) -> list[str]:
    """Names of the ports of all disks, `disk1.a`."""
    disks = range(1, stack.disks_count + 1)
    return [f"disk{disk}.{loop}" for disk in disks for loop in stack.loops]


def ports_of_disk(stack: StackBox, disk: str) -> tuple[str, ...]:
    """Names of the ports of one disk, `disk1.a`."""
    return tuple(f"{disk}.{loop}" for loop in stack.loops)


#: Values of a stack as an array: its ports reach the disks directly.
_NO_CONTROLLER = ArrayEntry.model_validate(
    {
        "about": "Disks on a loop",
        "source": "A disk answers for itself",
        "ports": 1,
        "speeds": list(SPEEDS),
        "bb_credit": 1,
        "processors": 1,
        "command_cost": 0,
        "burst": "16MiB",
        "port_queue_depth": 1_000_000,
        "lun_queue_depth": 128,
        "media": "raid",
    }
)


def array_of(stack: StackBox) -> tuple[Array, ResolvedArray]:
    """Return the array that stands for the disks of a stack: each a LUN, on ports of its own."""
    count = stack.disks_count
    lun = Lun.model_construct(
        _fields_set={"name", "raid", "disks", "stripe_depth", "block_size", "queue_depth"},
        name=f"disk[1..{count}]",
        raid=0,
        disks=1,
        stripe_depth=_BLOCK_BYTES,
        block_size=_BLOCK_BYTES,
        queue_depth=stack.spec.queue_depth,
    )
    array = Array.model_construct(
        _fields_set={"name", "luns", "disk", "array_groups", "disks_per_group"},
        name=stack.name,
        luns=[lun] if count else [],
        disk=stack.spec.disk,
        array_groups=max(count, 1),
        disks_per_group=1,
    )
    ports = Ports(
        count=count * len(stack.loops),
        speeds=(stack.speed,),
        bb_credit=stack.target.buffers,
        tx_buffers=2,
        class3_sequences=65_535,
        interleave="sequence",
        rx_hold_ps=0,
        drain_bytes_per_s=0,
    )
    return array, ResolvedArray(ports, _NO_CONTROLLER, ONE_CONTROLLER, cache=None, pool=None)
