"""Pairs of N_Ports that see each other, by era."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.services.timeline import EVERY_VSAN
from sanlab.plan.services.zone_db import ZoneDb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sanlab.plan.names import End
    from sanlab.plan.services.port_states import StateReader
    from sanlab.plan.services.timeline import Era

_UNZONED = ZoneDb()


@dataclass(frozen=True)
class NPortFacts:
    """An N_Port on a switch."""

    end: End
    switch: str
    wwpn: int
    port: int
    """Number of the switch's port."""
    vsan: int
    is_host: bool
    binding: str = "wwpn"
    dev_loss_ps: int = 0
    """Time after which a host drops a lost target."""


class Sight:
    """Decides whether two N_Ports see each other, with the reason if not."""

    def __init__(
        self, ports: Sequence[NPortFacts | None], reader: StateReader, eras: list[Era]
    ) -> None:
        self.ports = ports
        self.reader = reader
        self.eras = eras
        self._zones: dict[tuple[int, int], frozenset[str]] = {}
        self._db: dict[tuple[int, int], ZoneDb] = {}
        self._targets: dict[int, dict[str | None, list[int]]] = {}

    def over_time(self, a: int, b: int) -> Iterator[tuple[Era, bool]]:
        """Yield for each era whether `a` and `b` may exchange frames.

        With soft zoning a pair that has seen each other stays joined until its path is lost.
        """
        was = False
        for number, era in enumerate(self.eras):
            reason = self.reason(number, a, b)
            keeps = was and reason.startswith(_NO_ZONE) and self._is_soft(number, a)
            was = not reason or keeps
            yield era, was

    def reason(self, era: int, a: int, b: int) -> str:
        """Return why two N_Ports do not see each other; empty if they do.

        The fabric does not decide about ports that are not on a switch.
        """
        left, right = self.ports[a], self.ports[b]
        if left is None or right is None:
            return ""
        apart = self._apart(self.eras[era], left, right)
        if apart:
            return apart
        zones = self._zones_of(era, a), self._zones_of(era, b)
        if not self._db_of(era, a).joins(*zones):
            return _NO_ZONE
        for initiator, target in ((left, right), (right, left)):
            if initiator.binding == "fc_id" and self._has_moved(era, target):
                return f"{'.'.join(initiator.end)} is bound to an address that is gone"
        return ""

    def targets_of(self, era: int, host: int) -> list[int]:
        """Ports of arrays that a port of a host sees.

        Only those that share a zone with it are looked at: there may be thousands of others.
        """
        by_zone = self._targets_by_zone(era)
        zones = self._zones_of(era, host)
        if zones:
            near = sorted({target for zone in zones for target in by_zone.get(zone, ())})
        elif self._db_of(era, host).default_all:
            near = by_zone.get(None, [])
        else:
            near = []
        return [target for target in near if not self.reason(era, host, target)]

    def is_taken_away(self, era: int, host: int, target: int) -> bool:
        """Whether zoning alone separates a host from a target."""
        is_unzoned = self.reason(era, host, target).startswith(_NO_ZONE)
        return is_unzoned and not self._is_soft(era, host)

    def domains(self, era: int, a: int, b: int) -> tuple[int, int]:
        """Return the domains of the switches that two N_Ports are on."""
        switches = [port.switch for port in (self.ports[a], self.ports[b]) if port is not None]
        left, right = (self.eras[era].domain_of[self.reader.number[switch]] for switch in switches)
        return left, right

    def _apart(self, now: Era, left: NPortFacts, right: NPortFacts) -> str:
        """Return why there is no path between two ports; empty if there is one."""
        for port in (left, right):
            if not self.reader.is_port_up(now, port.end):
                return f"the link of {'.'.join(port.end)} is down"
        if left.vsan != right.vsan:
            return f"they are in VSANs {left.vsan} and {right.vsan}"
        fabrics = [now.fabric_of[self.reader.number[port.switch]] for port in (left, right)]
        if fabrics[0] != fabrics[1]:
            return f"{left.switch} and {right.switch} are in different fabrics"
        return ""

    def _has_moved(self, era: int, port: NPortFacts) -> bool:
        """Whether the address of a port has changed since the start."""
        number = self.reader.number[port.switch]
        return self.eras[era].domain_of[number] != self.eras[0].domain_of[number]

    def _is_soft(self, era: int, port: int) -> bool:
        return self._db_of(era, port).is_soft

    def _db_of(self, era: int, port: int) -> ZoneDb:
        key = era, port
        if key not in self._db:
            facts = self.ports[port]
            assert facts is not None
            held = self.eras[era].zoning[self.reader.number[facts.switch]]
            self._db[key] = held.get(facts.vsan, held.get(EVERY_VSAN, _UNZONED))
        return self._db[key]

    def _targets_by_zone(self, era: int) -> dict[str | None, list[int]]:
        """Ports of arrays by their zones; those in no zone are under None."""
        if era not in self._targets:
            by_zone: dict[str | None, list[int]] = {}
            for port, facts in enumerate(self.ports):
                if facts is not None and not facts.is_host:
                    for zone in self._zones_of(era, port) or (None,):
                        by_zone.setdefault(zone, []).append(port)
            self._targets[era] = by_zone
        return self._targets[era]

    def _zones_of(self, era: int, port: int) -> frozenset[str]:
        key = era, port
        if key not in self._zones:
            facts = self.ports[port]
            assert facts is not None
            domain = self.eras[era].domain_of[self.reader.number[facts.switch]]
            place = domain, facts.port
            self._zones[key] = self._db_of(era, port).zones_of(facts.wwpn, place)
        return self._zones[key]


_NO_ZONE = "no active zone has both"
