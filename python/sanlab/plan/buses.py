"""I/O buses of hosts: buses shared by name, and buses of a single adapter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sanlab.catalog import names_of
from sanlab.plan.models import look_up
from sanlab.plan.names import define
from sanlab.plan.schema import BusPlan
from sanlab.quantities import nearest
from sanlab.scenario.base import overlaid
from sanlab.scenario.hosts import Bus

if TYPE_CHECKING:
    from sanlab.catalog.entries import BusEntry
    from sanlab.plan.names import Problems
    from sanlab.scenario.document import Path
    from sanlab.scenario.hosts import Host

#: A bus with only a name.
DEFAULT_BUS = "pcie-3-x8"


@dataclass(frozen=True, slots=True)
class ResolvedBus:
    """A bus with all values."""

    name: str
    rate: int
    burst: int
    fetch_overhead_ps: int
    store_overhead_ps: int
    full_duplex: bool

    def plan(self, host: str) -> BusPlan:
        """Return the bus of a host as the engine reads it."""
        return BusPlan(
            name=f"{host}.{self.name}",
            bytes_per_s=self.rate,
            burst_bytes=self.burst,
            fetch_overhead_ps=self.fetch_overhead_ps,
            store_overhead_ps=self.store_overhead_ps,
            full_duplex=self.full_duplex,
        )


def resolve_buses(spec: Host, path: Path, problems: Problems) -> list[ResolvedBus]:
    """Fill in the buses that a host names."""
    resolved: list[ResolvedBus] = []
    taken: dict[str, Path] = {}
    used = {hba.bus for hba in spec.hbas or []}
    for index, bus in enumerate(spec.buses):
        here: Path = (*path, "buses", index)
        for name in define(bus.name, (*here, "name"), taken, problems):
            if name not in used:
                problems.add(
                    (*here, "name"),
                    f"No adapter of '{spec.name}' is on the bus '{name}'",
                    f"Add 'bus: {name}' to an adapter, or remove the bus",
                )
            resolved.append(_resolve(bus, name, here, problems))
    return resolved


def bus_of_hba(
    wanted: str, hba: str, buses: list[ResolvedBus], path: Path, problems: Problems
) -> ResolvedBus | None:
    """Return the bus an adapter names: one of the host's, or a new one of a model."""
    for bus in buses:
        if bus.name == wanted:
            return bus
    if wanted in names_of("buses"):
        return _resolve(Bus(name=f"{hba}-bus", model=wanted), f"{hba}-bus", path, problems)
    known = [bus.name for bus in buses] + names_of("buses")
    guess = nearest(wanted, known)
    hint = f"Did you mean '{guess}'? " if guess else ""
    problems.hold(
        (*path, "bus"),
        f"Neither the host nor the catalog has a bus '{wanted}'",
        f"{hint}Buses are {', '.join(known)}",
    )
    return None


def _resolve(spec: Bus, name: str, path: Path, problems: Problems) -> ResolvedBus:
    model = cast(
        "BusEntry", look_up("buses", spec.model or DEFAULT_BUS, DEFAULT_BUS, path, problems)
    )
    written = spec.model_dump(exclude_none=True, exclude={"name", "model"})
    bus = overlaid(model, written)
    return ResolvedBus(
        name, bus.rate, bus.burst, bus.fetch_overhead, bus.store_overhead, bus.full_duplex
    )
