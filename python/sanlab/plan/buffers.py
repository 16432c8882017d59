"""Receive buffers that ports of a switch share, and the credit of long links."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

from sanlab.plan.defaults import given
from sanlab.quantities import DEFAULT_PROPAGATION_PS_PER_KM, counted

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes, SwitchBox
    from sanlab.plan.names import End, Problems
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.fabric import LongDistance

#: A frame with a payload of 2112 bytes, for which the rule of long links counts one buffer.
_FULL_FRAME_BYTES = 2148
_MM_PER_KM = 1_000_000

#: Credit that an end grants on a link, by the number of the link and the end.
Grants = dict[tuple[int, "End"], int]


def credit_for_distance(link: LongDistance, length: int, propagation: int, speed: str) -> int:
    """Return the credit that a link needs: half a buffer for each km and Gb/s, and some besides.

    This is the rule of Brocade (Fabric OS Administrator's Guide, buffer credit management): 50 km
    at 2 Gb/s need 56 buffers, with 6 of them for other traffic. Smaller frames need more in
    proportion.
    """
    km = given(link.distance, length) / _MM_PER_KM * propagation / DEFAULT_PROPAGATION_PS_PER_KM
    gbps = int(speed.removesuffix("GFC"))
    return ceil(km * gbps / 2 * _FULL_FRAME_BYTES / link.frame) + link.extra


@dataclass(slots=True)
class _Pool:
    """One pool: what is left of it."""

    free: int
    reserved: int


@dataclass(slots=True)
class _Pools:
    """All pools of a scenario."""

    boxes: Boxes
    problems: Problems
    pools: dict[tuple[str, int], _Pool] = field(default_factory=dict)

    def add(self, switch: SwitchBox) -> None:
        """Divide the ports of a switch among its pools, each with its reserved buffers."""
        pool = switch.values.buffer_pool
        if pool is None:
            return
        ports = switch.values.ports
        size = given(pool.ports, ports)
        reserved = given(pool.reserved, switch.values.bb_credit)
        for group, first in enumerate(range(0, ports, size)):
            count = min(size, ports - first)
            if reserved * count > pool.frames:
                self.problems.add(
                    (*switch.path, "buffer_pool"),
                    f"{counted(count, 'port')} with {reserved} reserved buffers each need "
                    f"{reserved * count}, and the pool has {pool.frames}",
                    "Make the pool larger, or 'reserved' smaller",
                )
                return
            self.pools[switch.name, group] = _Pool(pool.frames - reserved * count, reserved)

    def of(self, end: End) -> _Pool | None:
        """Return the pool of a port."""
        if self.boxes.by_name[end[0]].kind != "switch":
            return None
        switch = self.boxes.switch(end[0])
        pool = switch.values.buffer_pool
        if pool is None:
            return None
        size = given(pool.ports, switch.values.ports)
        return self.pools.get((switch.name, int(end[1]) // size))

    def take(self, end: End, buffers: int, path: Path) -> None:
        """Give a port so many buffers, those beyond its reserved ones from the pool."""
        pool = self.of(end)
        if pool is None:
            return
        more = max(0, buffers - pool.reserved)
        is_written = path[-1] != "long_distance"
        if is_written and self.boxes.switch(end[0]).spec.buffer_pool is None:
            # A credit that is written may exceed what the catalog says of the model.
            more = min(more, pool.free)
        if more > pool.free:
            self.problems.add(
                path,
                f"The link needs {buffers} buffers at {end[0]}.{end[1]}. The port has "
                f"{pool.reserved} of its own, and {pool.free} are left in the pool",
                "Make 'buffer_pool' of the switch larger, or give the link a shorter "
                "'long_distance.distance' or a 'bb_credit'",
            )
            return
        pool.free -= more


def grant_buffers(scenario: Scenario, boxes: Boxes, wiring: Wiring, problems: Problems) -> Grants:
    """Return what the ends of long links grant; the links take it in the order of the file."""
    pools = _Pools(boxes, problems)
    for switch in boxes.switches:
        pools.add(switch)
    grants: Grants = {}
    places = {id(spec): ("links", index) for index, spec in enumerate(scenario.links)}
    for number, link in enumerate(wiring.links):
        path = places[id(link.spec)]
        if link.spec.long_distance is None:
            for end, credit in zip((link.a, link.b), link.credit, strict=True):
                pools.take(end, credit * link.members, path)
            continue
        ends = [end for end in (link.a, link.b) if pools.of(end) is not None]
        if not ends:
            problems.add(
                (*path, "long_distance"),
                "Neither end is on a switch with a 'buffer_pool', of its own or of its model",
                "Add 'buffer_pool' to a switch, or give the link a 'bb_credit'",
            )
            continue
        spec = link.spec
        credit = credit_for_distance(
            link.spec.long_distance, spec.length, spec.propagation, link.speed
        )
        for end in ends:
            credit = max(credit, boxes.port(end).bb_credit)
            pools.take(end, credit * link.members, (*path, "long_distance"))
            grants[number, end] = credit
    for attached in wiring.attached:
        if attached.spec.long_distance is not None:
            problems.add(
                (*attached.path, "long_distance"),
                "The link leads to a loop, whose ports buffer no frames",
                "Remove 'long_distance'",
            )
    return grants
