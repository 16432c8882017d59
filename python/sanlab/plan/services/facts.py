"""Facts about fabric services for the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.schema import ActiveZonePlan, PortStatePlan, SightPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.plan.schema import NPortPlan
    from sanlab.plan.services.port_states import PortState
    from sanlab.plan.services.sight import Sight
    from sanlab.plan.services.zone_db import Member, ZoneDb

#: Most pairs of ports evaluated over all eras; a larger fabric shows only its first hosts.
MAX_LOOKS = 100_000


@dataclass(frozen=True, slots=True)
class Facts:
    """Ports, zones and visible targets over time."""

    ports: list[PortStatePlan]
    zones: list[ActiveZonePlan]
    sights: list[SightPlan]


def facts_of(states: list[PortState], sight: Sight, n_ports: Sequence[NPortPlan]) -> Facts:
    """Return ports, zones and visible targets over time."""
    ports = [
        PortStatePlan(
            at_ps=state.at_ps,
            switch=state.switch,
            port=state.port,
            kind=state.kind,
            peer=state.peer,
            state=state.state,
            reason=state.reason,
        )
        for state in states
    ]
    return Facts(ports, _zones(sight, n_ports), _sights(sight))


def _zones(sight: Sight, n_ports: Sequence[NPortPlan]) -> list[ActiveZonePlan]:
    """Return the active zones of each fabric, at each change."""
    names = {
        facts.wwpn: port.name for facts, port in zip(sight.ports, n_ports, strict=True) if facts
    }
    found: list[ActiveZonePlan] = []
    before: dict[tuple[int, int], ZoneDb] = {}
    for era in sight.eras:
        now: dict[tuple[int, int], ZoneDb] = {}
        for switch, fabric in enumerate(era.fabric_of):
            if switch != fabric:
                continue
            for vsan, db in era.zoning[switch].items():
                now[fabric, vsan] = db
                if before.get((fabric, vsan)) == db:
                    continue
                found += [
                    ActiveZonePlan(
                        at_ps=era.at_ps,
                        switch=fabric,
                        vsan=vsan or None,
                        zone_set=db.active or None,
                        zone=zone,
                        members=[_shown(member, names) for member in members],
                    )
                    for zone, members in db.zones or ((None, ()),)
                ]
        before = now
    return found


def _shown(member: Member, names: dict[int, str]) -> str:
    if isinstance(member, tuple):
        return f"{member[0]},{member[1]}"
    return names.get(member, f"{member:016x}")


def _sights(sight: Sight) -> list[SightPlan]:
    """Return the array ports that each host port sees, at each change."""
    eras = sight.eras
    hosts = [number for number, port in enumerate(sight.ports) if port and port.is_host]
    arrays = [number for number, port in enumerate(sight.ports) if port and not port.is_host]
    found: list[SightPlan] = []
    hosts = hosts[: max(1, MAX_LOOKS // max(1, len(arrays) * len(eras)))]
    for host in hosts:
        before: list[int] | None = None
        seen: dict[int, list[int]] = {era.at_ps: [] for era in eras}
        for array in arrays:
            for era, sees in sight.over_time(host, array):
                if sees:
                    seen[era.at_ps].append(array)
        for at, targets in seen.items():
            if targets != before:
                found.append(SightPlan(at_ps=at, n_port=host, targets=targets))
                before = targets
    return sorted(found, key=lambda fact: (fact.at_ps, fact.n_port))
