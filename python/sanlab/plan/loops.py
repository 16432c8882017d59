"""Loops of stacks: their ports in order, with AL_PAs and delays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.schema import (
    LoopPlan,
    LoopPortPlan,
    SharedMedium,
    StringPlan,
    SwitchedMedium,
)
from sanlab.plan.stacks import MOST_PORTS
from sanlab.quantities import DEFAULT_PROPAGATION_PS_PER_KM, PS_PER_S, SPEEDS, counted, nearest

if TYPE_CHECKING:
    from sanlab.catalog.entries import LoopPortEntry
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import End, Problems
    from sanlab.plan.stacks import StackBox
    from sanlab.scenario.document import Path
    from sanlab.scenario.fabric import Link

_MM_PER_KM = 1_000_000
#: Bytes of a transmission word before coding.
WORD_BYTES = 4
#: The 8-bit values of neutral disparity in both runs, by falling priority (INCITS 332, table of
#: AL_PAs); 00 belongs to the FL_Port.
AL_PAS = bytes.fromhex(
    "01 02 04 08 0F 10 17 18 1B 1D 1E 1F 23 25 26 27 29 2A 2B 2C 2D 2E 31 32 33 34 35 36 39 3A 3C "
    "43 45 46 47 49 4A 4B 4C 4D 4E 51 52 53 54 55 56 59 5A 5C 63 65 66 67 69 6A 6B 6C 6D 6E 71 72 "
    "73 74 75 76 79 7A 7C 80 81 82 84 88 8F 90 97 98 9B 9D 9E 9F A3 A5 A6 A7 A9 AA AB AC AD AE B1 "
    "B2 B3 B4 B5 B6 B9 BA BC C3 C5 C6 C7 C9 CA CB CC CD CE D1 D2 D3 D4 D5 D6 D9 DA DC E0 E1 E2 E4 "
    "E8 EF"
)
#: Address of the FL_Port on its loop.
FL_AL_PA = 0
#: AL_PAs as written in scenarios.
_BY_TEXT = {f"{al_pa:02X}": al_pa for al_pa in AL_PAS}


@dataclass(frozen=True, slots=True)
class Attachment:
    """A port of a host, an array or a switch that is plugged into a stack."""

    end: End
    stack: str
    loop: str
    enclosure: int
    spec: Link
    path: Path
    kind: str = "host"

    @property
    def is_fl_port(self) -> bool:
        """Whether it is a port of a switch."""
        return self.kind == "switch"


def find_place(
    stack: StackBox, port: str, path: Path, problems: Problems
) -> tuple[str, int] | None:
    """Return the loop and the enclosure that the end of a link names, `a.top`, `b.2`."""
    loop, _, where = port.partition(".")
    if not loop:
        problems.add(
            path,
            f"'{stack.name}' is a stack, and the link does not name a loop",
            f"Write '{stack.name}.{stack.loops[0]}.top', for example",
        )
        return None
    if loop not in stack.loops:
        guess = nearest(loop, list(stack.loops))
        hint = f"Did you mean '{stack.name}.{guess}'? " if guess else ""
        known = " and ".join(f"'{stack.name}.{loop}'" for loop in stack.loops)
        problems.add(
            path, f"The stack '{stack.name}' has no loop '{loop}'", f"{hint}It has {known}"
        )
        return None
    last = stack.enclosures
    named = {"": 1, "top": 1, "bottom": last}
    enclosure = named.get(where, int(where) if re.fullmatch("[0-9]{1,9}", where) else 0)
    if not 1 <= enclosure <= last:
        problems.add(
            path,
            f"The stack '{stack.name}' has no enclosure '{where}'",
            f"Write 'top', 'bottom' or a number from 1 to {last}",
        )
        return None
    if not stack.model.switched and enclosure not in (1, last):
        problems.add(
            path,
            f"A shared loop is cabled through enclosure {enclosure} of '{stack.name}' and has no "
            "free end there",
            "Plug hosts in at the top or at the bottom",
        )
        return None
    return loop, enclosure


def check_room(attached: list[Attachment], boxes: Boxes, problems: Problems) -> None:
    """Note enclosures with more links from outside than they take."""
    taken: dict[tuple[str, str, int], int] = {}
    for attachment in attached:
        key = attachment.stack, attachment.loop, attachment.enclosure
        taken[key] = taken.get(key, 0) + 1
        most = boxes.stack(attachment.stack).model.host_ports
        if taken[key] == most + 1:
            problems.add(
                attachment.path,
                f"Enclosure {attachment.enclosure} of '{attachment.stack}' takes"
                f" {counted(most, 'link')} from outside on loop '{attachment.loop}'",
                "Plug in at another enclosure or loop",
            )


def can_be_fl_port(
    attachment: Attachment, boxes: Boxes, others: dict[str, End], problems: Problems
) -> bool:
    """Whether a port of a switch can be on a loop; note a problem if not."""
    name, loop = ".".join(attachment.end), f"{attachment.stack}.{attachment.loop}"
    stack, switch = boxes.stack(attachment.stack), boxes.switch(attachment.end[0])
    own = stack.spec.devices.get(name)
    if stack.model.switched:
        why = (
            f"'{attachment.stack}' has crossbars, and an FL_Port is simulated on shared loops only"
        )
        remedy = "Choose a model with shared loops, such as 'rs-1600-jbod'"
    elif loop in others:
        why = f"'{'.'.join(others[loop])}' is on the loop '{loop}', and a loop has one FL_Port"
        remedy = "Link the switch to the other loop, or remove one of the links"
    elif not switch.values.loop_ports:
        why = f"The ports of '{switch.name}' cannot be on a loop"
        remedy = "Write 'loop_ports: true' for the switch, or choose a model that has FL_Ports"
    elif boxes.port(attachment.end).is_disabled:
        why, remedy = f"The port '{name}' is disabled", "Choose another port of the switch"
    elif switch.spec.modules is not None or switch.spec.new_domain is not None:
        why = f"'{switch.name}' goes down, and a loop at a switch that does is not simulated"
        remedy = "Remove 'modules' and 'new_domain', or link the loop to another switch"
    elif own is not None and own.public is not None:
        why, remedy = f"'{name}' is a port of a switch, and devices log in to it", "Remove 'public'"
    elif attachment.spec.al_pa is not None:
        why, remedy = "The AL_PA of a switch on a loop is 00", "Remove 'al_pa'"
    else:
        return True
    problems.add(attachment.path, why, remedy)
    return False


def private_devices(boxes: Boxes, loop_of: dict[End, str]) -> frozenset[End]:
    """Devices on loops that do not log in to a fabric."""
    stacks = {f"{stack.name}.{loop}": stack for stack in boxes.stacks for loop in stack.loops}
    return frozenset(end for end, loop in loop_of.items() if not stacks[loop].behaviour(end).public)


def build_loops(
    boxes: Boxes, attached: list[Attachment], ids: dict[End, int], problems: Problems
) -> list[LoopPlan]:
    """Return the loops of all stacks."""
    loops = []
    for stack in boxes.stacks:
        _check_devices(stack, attached, problems)
        for loop in stack.loops:
            hosts = [
                attachment
                for attachment in attached
                if (attachment.stack, attachment.loop) == (stack.name, loop)
            ]
            count = sum(not attachment.is_fl_port for attachment in hosts) + stack.disks_count
            others = counted(count - stack.disks_count, "host port")
            if count > MOST_PORTS:
                problems.add(
                    stack.path,
                    f"Loop '{loop}' of '{stack.name}' would have {count} ports, those of "
                    f"{stack.disks_count} disks and {others}; a loop "
                    f"has addresses for {MOST_PORTS}",
                    "Divide the disks among several stacks",
                )
                break  # the other loop has the same disks
            if count and count + any(attachment.is_fl_port for attachment in hosts) >= 2:
                loops.append(_Loop(stack, loop, hosts, (ids, boxes), problems).plan())
            else:
                _too_few(stack, loop, problems)
    return loops


def _check_devices(stack: StackBox, attached: list[Attachment], problems: Problems) -> None:
    """Note behaviour of devices that are on no loop of the stack."""
    hosts = {".".join(attachment.end) for attachment in attached if attachment.stack == stack.name}
    known = [*(f"disk{disk}" for disk in range(1, stack.disks_count + 1)), *sorted(hosts)]
    for device in stack.devices:
        if device not in known:
            guess = nearest(device, known)
            disks = f"disk1 to disk{stack.disks_count}" if stack.disks_count else "no disks"
            problems.add(
                (*stack.path, "devices", device),
                f"No device '{device}' is on a loop of '{stack.name}'",
                f"Did you mean '{guess}'?"
                if guess
                else f"It has {', '.join([disks, *sorted(hosts)])}",
            )


def _too_few(stack: StackBox, loop: str, problems: Problems) -> None:
    problems.add(
        stack.path,
        f"Loop '{loop}' of '{stack.name}' has fewer than two ports",
        f"Link a host to '{stack.name}.{loop}.top'",
    )


class _Loop:
    """One loop on its way into the plan."""

    def __init__(
        self,
        stack: StackBox,
        loop: str,
        hosts: list[Attachment],
        known: tuple[dict[End, int], Boxes],
        problems: Problems,
    ) -> None:
        self.stack = stack
        self.loop = loop
        self.hosts = hosts
        self.ids, self.boxes = known
        self.problems = problems
        self.rate = SPEEDS[stack.speed]
        self.taken: dict[int, str] = {}

    def plan(self) -> LoopPlan:
        """Return the loop."""
        switched = self.stack.model.switched
        hosts, disks = self._addresses()
        return LoopPlan(
            name=f"{self.stack.name}.{self.loop}",
            speed=self.stack.speed,
            bytes_per_s=self.rate,
            gap_bytes=24,
            medium=self._crossbars() if switched else SharedMedium(),
            ports=self._on_crossbars(hosts, disks) if switched else self._on_ring(hosts, disks),
        )

    def words(self, count: int) -> int:
        """Return the time of a number of transmission words."""
        return round(count * WORD_BYTES * PS_PER_S / self.rate)

    def _addresses(self) -> tuple[list[int], list[int]]:
        """Assign AL_PAs: hosts take the highest free priorities, disks the lowest, switches 00."""
        hosts = [
            FL_AL_PA
            if attachment.is_fl_port
            else self._wanted(attachment.spec.al_pa, attachment.path, ".".join(attachment.end))
            for attachment in self.hosts
        ]
        hard = self.stack.spec.hard_addresses
        disks = [
            self._wanted(
                hard.get(disk),
                (*self.stack.path, "hard_addresses", str(disk)),
                f"{self.stack.name}.disk{disk}",
            )
            for disk in range(1, self.stack.disks_count + 1)
        ]
        free = [al_pa for al_pa in AL_PAS if al_pa not in self.taken]
        first, last = iter(free), iter(reversed(free))
        return (
            [next(first) if al_pa is None else al_pa for al_pa in hosts],
            [next(last) if al_pa is None else al_pa for al_pa in disks],
        )

    def _wanted(self, text: str | None, path: Path, owner: str) -> int | None:
        if text is None:
            return None
        al_pa = _BY_TEXT.get(text.upper())
        key = "al_pa" if path[0] == "links" else path[-1]
        here = (*path, key) if path[0] == "links" else path
        if al_pa is None:
            self.problems.add(
                here,
                f"'{text}' is not an AL_PA of a device",
                "The 126 values are in the table of FC-AL, 01 to EF; 00 is the switch's",
            )
            return None
        if al_pa in self.taken:
            first = self.taken[al_pa]
            # Two disks collide on every loop of the stack: this is one error.
            are_disks = all(end.startswith(f"{self.stack.name}.") for end in (owner, first))
            where = "in" if are_disks else f"on loop '{self.loop}' of"
            self.problems.add(
                here,
                f"'{owner}' and '{first}' both have AL_PA {al_pa:02X} {where} '{self.stack.name}'",
                "Give one of them another",
            )
            return None
        self.taken[al_pa] = owner
        return al_pa

    def _behaviour(self, end: End) -> LoopPortEntry:
        if self.boxes.by_name[end[0]].kind == "switch":
            return self.stack.fl_port(end, self.boxes.port(end).bb_credit)
        return self.stack.behaviour(end)

    def _port(self, end: End, al_pa: int, delay: int, crossbar: int) -> LoopPortPlan:
        policy = self._behaviour(end)
        return LoopPortPlan(
            n_port=self.ids.get(end),
            is_public=policy.public and end in self.ids,
            al_pa=al_pa,
            delay_ps=max(1, delay),
            crossbar=crossbar,
            is_fair=policy.fair,
            uses_transfer=policy.transfer,
            is_full_duplex=policy.full_duplex,
            login_credit=policy.login_credit,
            buffers=policy.buffers,
            tenancy_frames=policy.tenancy,
            repeat_ps=self.words(policy.delay),
        )

    def _on_ring(self, host_al_pas: list[int], disk_al_pas: list[int]) -> list[LoopPortPlan]:
        """Hosts at the top, disks from the top down, hosts at the bottom, and back up."""
        stack, spec, model = self.stack, self.stack.spec, self.stack.model
        retimer = self.words(model.retimer if spec.retimer is None else spec.retimer)
        bypass = self.words(model.bypass if spec.bypass is None else spec.bypass)
        between = _cable(spec.cable) + retimer
        down: list[tuple[End, int, int, int]] = []
        pending = 0
        at_top = [
            (attachment, pa)
            for attachment, pa in zip(self.hosts, host_al_pas, strict=True)
            if attachment.enclosure == 1
        ]
        at_bottom = [
            (attachment, pa)
            for attachment, pa in zip(self.hosts, host_al_pas, strict=True)
            if attachment.enclosure != 1
        ]
        for attachment, al_pa in at_top:
            cable = _fibre(attachment.spec)
            down.append((attachment.end, al_pa, pending + cable, 1))
            pending = cable
        for enclosure in range(1, stack.enclosures + 1):
            pending += retimer if enclosure == 1 else between
            for disk in stack.disks_in(enclosure):
                end = stack.name, f"disk{disk}.{self.loop}"
                down.append((end, disk_al_pas[disk - 1], pending, enclosure))
                pending = 0
            pending += (model.bays - len(stack.disks_in(enclosure))) * bypass
        for attachment, al_pa in at_bottom:
            cable = _fibre(attachment.spec)
            down.append((attachment.end, al_pa, pending + cable, stack.enclosures))
            pending = cable
        # The way back up passes the retimers and cables only.
        pending += between * (stack.enclosures - 1) + retimer
        ports = []
        for index, (end, al_pa, before, enclosure) in enumerate(down):
            repeat = self.words(self._behaviour(end).delay)
            delay = before + repeat + (pending if index == 0 else 0)
            ports.append(self._port(end, al_pa, delay, enclosure - 1))
        return ports

    def _crossbars(self) -> SwitchedMedium:
        spec, model = self.stack.spec, self.stack.model
        hop = self.words(model.crossbar if spec.crossbar is None else spec.crossbar)
        names = [f"{self.stack.name}.e{number + 1}" for number in range(self.stack.enclosures)]
        links = model.strings if spec.strings is None else spec.strings
        strings = [
            StringPlan(a=number, b=number + 1, links=links, delay_ps=_cable(spec.cable) + hop)
            for number in range(self.stack.enclosures - 1)
        ]
        return SwitchedMedium(crossbars=names, strings=strings)

    def _on_crossbars(self, host_al_pas: list[int], disk_al_pas: list[int]) -> list[LoopPortPlan]:
        """Half of a crossbar's delay is counted with each of the two ports it joins."""
        stack, spec, model = self.stack, self.stack.spec, self.stack.model
        hop = self.words(model.crossbar if spec.crossbar is None else spec.crossbar)
        ports = []
        for attachment, al_pa in zip(self.hosts, host_al_pas, strict=True):
            delay = (
                self.words(stack.behaviour(attachment.end).delay)
                + _fibre(attachment.spec)
                + hop // 2
            )
            ports.append(self._port(attachment.end, al_pa, delay, attachment.enclosure - 1))
        for disk, al_pa in enumerate(disk_al_pas, start=1):
            end = stack.name, f"disk{disk}.{self.loop}"
            delay = self.words(stack.behaviour(end).delay) + hop - hop // 2
            ports.append(self._port(end, al_pa, delay, stack.enclosure_of(disk) - 1))
        return ports


def _fibre(link: Link) -> int:
    """Propagation along a link."""
    return round(link.length * link.propagation / _MM_PER_KM)


def _cable(length_mm: int) -> int:
    return round(length_mm * DEFAULT_PROPAGATION_PS_PER_KM / _MM_PER_KM)
