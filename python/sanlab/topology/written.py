"""What only the scenario has of its boxes: models, modules, aliases, and zone sets not active."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.scenario.groups import expand_names
from sanlab.topology.parts import Alias, Zone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.scenario import Scenario
    from sanlab.scenario.arrays import Array
    from sanlab.scenario.fabric import Switch
    from sanlab.scenario.hosts import Host
    from sanlab.scenario.zoning import Zoning


@dataclass(frozen=True, slots=True)
class Written:
    """Facts of a scenario that a plan does not carry."""

    models: dict[str, str] = field(default_factory=dict)
    modules: dict[str, int] = field(default_factory=dict)
    aliases: tuple[Alias, ...] = ()
    zones: tuple[Zone, ...] = ()
    """Every zone of every set, none of them marked as active."""


def written_in(scenario: Scenario | None) -> Written:
    """Return what a scenario tells besides its plan; nothing without one."""
    if scenario is None:
        return Written()
    boxes: tuple[Host | Switch | Array, ...] = (
        *scenario.hosts,
        *scenario.switches,
        *scenario.arrays,
    )
    models = {name: box.model for box in boxes if box.model for name in expand_names(box.name)}
    modules = {
        name: switch.modules.count
        for switch in scenario.switches
        if switch.modules is not None
        for name in expand_names(switch.name)
    }
    zonings = scenario.zoning or []
    aliases = tuple(
        Alias(name, tuple(members))
        for zoning in zonings
        for name, members in zoning.aliases.items()
    )
    zones = tuple(zone for zoning in zonings for zone in _zones(zoning))
    return Written(models, modules, aliases, zones)


def _zones(zoning: Zoning) -> Iterator[Zone]:
    for zone_set, names in zoning.sets.items():
        for name in names:
            members = tuple(zoning.zones.get(name, ()))
            yield Zone(name, None, zoning.vsan, zone_set, False, members)
