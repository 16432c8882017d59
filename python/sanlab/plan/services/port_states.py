"""State of every switch port that has a cable, with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.quantities import format_time

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import End
    from sanlab.plan.services.modules import Service
    from sanlab.plan.services.timeline import Era
    from sanlab.plan.wiring import WiredLink, Wiring

ONLINE = "online"
NO_LIGHT = "no light"
ISOLATED = "isolated"
DISABLED = "disabled"
MISMATCH = "speed mismatch"
INITIALISING = "initialising"
OFFLINE = "offline"


@dataclass(frozen=True)
class PortState:
    """State of a port of a switch from an instant on.

    Attributes
    ----------
    at_ps
        Since when.
    switch, port
        The port, by the number of its switch and its own.
    kind
        `F` towards a node, `FL` towards a node on a loop, `E` towards a switch.
    peer
        The other end of its cable.
    state, reason
        `online` without a reason, or another state with its reason.
    """

    at_ps: int
    switch: int
    port: int
    kind: str
    peer: str
    state: str
    reason: str


def fault_of(link: WiredLink, boxes: Boxes, wiring: Wiring) -> tuple[str, str]:
    """Return state and reason of a link that can never come up; both are empty if it can."""
    if link.is_mismatched:
        speeds = [", ".join(boxes.port(end).speeds) for end in (link.a, link.b)]
        return MISMATCH, f"one end has {speeds[0]}, the other {speeds[1]}"
    for end in (link.a, link.b):
        if boxes.port(end).is_disabled:
            return DISABLED, f"an administrator has disabled {end[0]} port {end[1]}"
    for end, other in ((link.a, link.b), (link.b, link.a)):
        is_loop = end[0] in wiring.switches and boxes.port(other).is_loop_only
        if is_loop and not boxes.switch(end[0]).values.loop_ports:
            return ISOLATED, "the device supports only loops, and the port does not support loops"
    if is_isl(link, wiring) and not link.spec.trunking:
        vsans = [boxes.port(end).vsan for end in (link.a, link.b)]
        if vsans[0] != vsans[1]:
            return ISOLATED, f"VSAN mismatch: {vsans[0]} and {vsans[1]}"
    return "", ""


def is_isl(link: WiredLink, wiring: Wiring) -> bool:
    """Whether both ends are switches."""
    return link.a[0] in wiring.switches and link.b[0] in wiring.switches


class StateReader:
    """Reads the states of ports from the eras of their fabrics."""

    def __init__(
        self, boxes: Boxes, wiring: Wiring, isl_of: dict[int, int], down: dict[int, Service]
    ) -> None:
        self.down = down
        """When each switch is down, and why."""
        self.boxes = boxes
        self.wiring = wiring
        self.isl_of = isl_of
        """Number of each ISL, by link."""
        self.number = {switch.name: number for number, switch in enumerate(boxes.switches)}
        self.faults = [fault_of(link, boxes, wiring) for link in wiring.links]

    def all(self, eras: list[Era]) -> list[PortState]:
        """Return the first state of every port, and all that differ from the one before."""
        found: list[PortState] = []
        last: dict[tuple[int, int], tuple[str, str]] = {}
        for era in eras:
            for state in self._at(era):
                port = state.switch, state.port
                if last.get(port) != (state.state, state.reason):
                    last[port] = state.state, state.reason
                    found.append(state)
        return found

    def _at(self, era: Era) -> list[PortState]:
        states = []
        for index, link in enumerate(self.wiring.links):
            for here, there in ((link.a, link.b), (link.b, link.a)):
                if here[0] not in self.number:
                    continue
                switch = self.number[here[0]]
                state, reason = self._state(era, index)
                kind = "E" if there[0] in self.number else "F"
                if kind == "F" and self.boxes.port(there).is_loop_only:
                    kind = "FL"
                peer = ".".join(there) if kind != "E" else f"{there[0]} port {there[1]}"
                states.append(PortState(era.at_ps, switch, int(here[1]), kind, peer, state, reason))
        states += [
            PortState(era.at_ps, self.number[switch], int(port), "FL", f"loop {loop}", ONLINE, "")
            for loop, (switch, port) in self.wiring.fl_ports.items()
        ]
        return states

    def _state(self, era: Era, index: int) -> tuple[str, str]:
        link = self.wiring.links[index]
        for end in (link.a, link.b):
            switch = self.number.get(end[0])
            if switch is not None and not era.is_up[switch]:
                return OFFLINE, f"{end[0]} is down: {self._why_down(switch, era.at_ps)}"
        if self.faults[index][0]:
            return self.faults[index]
        if era.at_ps < link.spec.connected:
            return NO_LIGHT, f"nothing is plugged in until {format_time(link.spec.connected)}"
        isl = self.isl_of.get(index)
        if isl is None or isl in era.joined:
            return ONLINE, ""
        if isl in era.isolated:
            return ISOLATED, era.isolated[isl]
        return INITIALISING, "the two fabrics exchange their parameters"

    def _why_down(self, switch: int, now: int) -> str:
        notices = self.down[switch].notices
        return next((why for at, _, why in reversed(notices) if at <= now), "")

    def is_port_up(self, era: Era, end: End) -> bool:
        """Whether the link of an N_Port carries frames; a place on a loop always does."""
        link = self.wiring.link_of.get(end)
        return link is None or self.is_up(era, link)

    def is_up(self, era: Era, index: int) -> bool:
        """Whether a link carries frames, as far as the services know."""
        return self._state(era, index)[0] == ONLINE
