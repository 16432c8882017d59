"""Ports of arrays that a port of a host reaches at an instant."""

from __future__ import annotations

from typing import Any

from sanlab.results.link_states import link_states
from sanlab.topology.joined import Groups
from sanlab.topology.zones import active_zones, zones_by_member


class Reach:
    """Sight from host ports to array ports at an instant.

    With fabric services the plan lists what each port sees. Without them nothing but the cables
    separates two ports. Ports of one loop always see each other.
    """

    def __init__(self, plan: dict[str, Any], at_ps: int) -> None:
        self._plan = plan
        self._targets = {port for array in plan["arrays"] for port in array["n_ports"]}
        self._sights: dict[int, set[int]] | None = None
        services = plan["services"]
        if services is not None:
            self._sights = {}
            for row in services["sights"]:
                if row["at_ps"] <= at_ps:
                    self._sights[row["n_port"]] = set(row["targets"])
        self._zones = zones_by_member(active_zones(plan, at_ps))
        self._groups = self._joined(at_ps)

    def targets_of(self, n_port: int) -> set[int]:
        """Return the ports of arrays that a port of a host sees."""
        near = self._groups.members_of(("n_port", self._carrier(n_port)))
        joined = {number for kind, number in near if kind == "n_port"} & self._targets
        if self._sights is None or self._is_off_fabric(n_port):
            return joined
        seen = self._sights.get(n_port)
        return self._zoned(n_port, joined) if seen is None else seen

    def _zoned(self, n_port: int, joined: set[int]) -> set[int]:
        """Those of `joined` that share a zone with a port.

        Of a large fabric the plan lists only so many pairs.
        """
        names = self._plan["n_ports"]
        own = set(self._zones.get(names[n_port]["name"], ()))
        return {port for port in joined if own & set(self._zones.get(names[port]["name"], ()))}

    def _carrier(self, n_port: int) -> int:
        shared: int | None = self._plan["n_ports"][n_port]["shares"]
        return n_port if shared is None else shared

    def _is_off_fabric(self, n_port: int) -> bool:
        """Whether no switch is joined with a port, so that no service decides about it."""
        near = self._groups.members_of(("n_port", self._carrier(n_port)))
        return all(kind != "switch" for kind, _ in near)

    def _joined(self, at_ps: int) -> Groups[tuple[str, int]]:
        groups: Groups[tuple[str, int]] = Groups()
        states = link_states(self._plan, at_ps + 1)
        for number, link in enumerate(self._plan["links"]):
            if number not in states or states[number].is_over:
                groups.join(_place(link["a"]), _place(link["b"]))
        for number, loop in enumerate(self._plan["loops"]):
            for port in loop["ports"]:
                if port["n_port"] is not None:
                    groups.join(("loop", number), ("n_port", port["n_port"]))
        return groups


def _place(end: dict[str, Any]) -> tuple[str, int]:
    """The thing at an end of a link."""
    if end["kind"] == "n_port":
        return "n_port", end["n_port"]
    if end["kind"] == "switch":
        return "switch", end["switch"]
    return "loop", end["loop_id"]
