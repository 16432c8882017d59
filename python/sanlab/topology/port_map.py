"""Every port of every box with its state, its cable and the ports that are logged in there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.results.link_states import link_states
from sanlab.topology.parts import Port
from sanlab.topology.zones import zones_by_member
from sanlab.words import show_wwn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.results.link_states import LinkState
    from sanlab.topology.parts import Zone

Plain = dict[str, Any]

#: State of a port that carries frames, in the words of the fabric services.
ONLINE = "online"
#: State of a port of a switch that nothing is plugged into.
NO_LIGHT = "no light"


class PortMap:
    """The ports of a plan at an instant.

    Parameters
    ----------
    plan
        The plan as plain data.
    zones
        Zones that are active then.
    at_ps
        The instant.
    """

    def __init__(self, plan: Plain, zones: tuple[Zone, ...], at_ps: int) -> None:
        self._plan = plan
        self._at_ps = at_ps
        self._zones = zones_by_member(zones)
        self._states = link_states(plan, at_ps + 1)
        self._decided = _decided(plan, at_ps)
        self._riders = _riders(plan)
        self.services = service_ports(plan)
        """N_Ports of the services within switches, which no cable leads to."""

    def ports(self) -> tuple[Port, ...]:
        """Return the ports: ends of links, ports on loops, virtual ports, ports without a cable."""
        found = [*self._on_links(), *self._on_loops(), *self._virtual()]
        taken = {(port.node, port.label) for port in found}
        found += self._unplugged(taken)
        return tuple(found)

    def state_of(self, link: int) -> LinkState | None:
        """Return what kept a link from carrying frames, if anything did."""
        return self._states.get(link)

    def _on_links(self) -> Iterator[Port]:
        for number, link in enumerate(self._plan["links"]):
            if is_internal(link, self.services):
                continue
            for here, there in ((link["a"], link["b"]), (link["b"], link["a"])):
                peer = name_of_end(self._plan, there, here)
                if here["kind"] == "n_port":
                    yield self._n_port(here["n_port"], "n_port", link["speed"], peer, number)
                elif here["kind"] == "switch":
                    yield self._switch_port(here, there, link["speed"], peer, number)

    def _on_loops(self) -> Iterator[Port]:
        for loop in self._plan["loops"]:
            for place in loop["ports"]:
                if place["n_port"] is not None:
                    yield self._n_port(
                        place["n_port"], "nl_port", loop["speed"], loop["name"], None
                    )

    def _virtual(self) -> Iterator[Port]:
        links = {
            end["n_port"]: number
            for number, link in enumerate(self._plan["links"])
            for end in (link["a"], link["b"])
            if end["kind"] == "n_port"
        }
        for number, port in enumerate(self._plan["n_ports"]):
            if port["shares"] is not None:
                link = links.get(port["shares"])
                speed = None if link is None else self._plan["links"][link]["speed"]
                peer = self._plan["n_ports"][port["shares"]]["name"]
                yield self._n_port(number, "n_port", speed, peer, link)

    def _n_port(
        self, number: int, kind: str, speed: str | None, peer: str, link: int | None
    ) -> Port:
        port = self._plan["n_ports"][number]
        state, reason = self._state_of_link(link)
        return Port(
            name=port["name"],
            node=port["node"],
            label=port["name"].removeprefix(f"{port['node']}."),
            kind=kind,
            speed=speed,
            state=state,
            reason=reason,
            peer=peer,
            link=link,
            wwpn=show_wwn(f"{port['wwpn']:016x}"),
            fc_id=f"0x{port['fc_id']:06x}",
            logins=(),
            zones=self._zones.get(port["name"], ()),
        )

    def _switch_port(self, here: Plain, there: Plain, speed: str, peer: str, link: int) -> Port:
        switch = self._plan["switches"][here["switch"]]
        place = here["switch"], here["port"]
        state, reason = self._decided.get(place) or self._state_of_link(link)
        if state == ONLINE:
            state, reason = self._state_of_link(link)
        role = {"n_port": "f_port", "switch": "e_port", "loop": "fl_port"}[there["kind"]]
        logins: tuple[str, ...] = ()
        if there["kind"] == "n_port" and state == ONLINE:
            logins = tuple(self._riders.get(there["n_port"], ()))
        elif there["kind"] == "loop" and state == ONLINE:
            logins = tuple(self._public_on(there["loop_id"]))
        named = f"{switch['domain']},{here['port']}"
        return Port(
            name=name_of_end(self._plan, here, there),
            node=switch["name"],
            label=str(here["port"]),
            kind=role,
            speed=speed,
            state=state,
            reason=reason,
            peer=peer,
            link=link,
            wwpn=None,
            fc_id=None,
            logins=logins,
            zones=self._zones.get(named, ()),
        )

    def _public_on(self, loop_id: int) -> Iterator[str]:
        for place in self._plan["loops"][loop_id]["ports"]:
            if place["n_port"] is not None and place["is_public"]:
                yield self._plan["n_ports"][place["n_port"]]["name"]

    def _state_of_link(self, link: int | None) -> tuple[str, str | None]:
        state = None if link is None else self._states.get(link)
        if state is None or state.is_over:
            return ONLINE, None
        return "offline", state.words

    def _unplugged(self, taken: set[tuple[str, str]]) -> Iterator[Port]:
        for number, switch in enumerate(self._plan["switches"]):
            for port in range(switch["ports"]):
                if (switch["name"], str(port)) in taken:
                    continue
                state, reason = self._decided.get((number, port)) or (NO_LIGHT, None)
                yield Port(
                    name=f"{switch['name']}.g{port}",
                    node=switch["name"],
                    label=str(port),
                    kind="g_port",
                    speed=None,
                    state=state,
                    reason=reason or "nothing is plugged in",
                    peer=None,
                    link=None,
                    wwpn=None,
                    fc_id=None,
                    logins=(),
                    zones=self._zones.get(f"{switch['domain']},{port}", ()),
                )


def name_of_end(plan: Plain, here: Plain, there: Plain) -> str:
    """Return the name of the port at an end of a link, or of the loop it leads to."""
    if here["kind"] == "n_port":
        name: str = plan["n_ports"][here["n_port"]]["name"]
        return name
    if here["kind"] == "loop":
        loop: str = plan["loops"][here["loop_id"]]["name"]
        return loop
    role = {"n_port": "f", "switch": "e", "loop": "fl"}[there["kind"]]
    return f"{plan['switches'][here['switch']]['name']}.{role}{here['port']}"


def service_ports(plan: Plain) -> set[int]:
    """N_Ports that stand for the services of switches."""
    switches = {switch["name"] for switch in plan["switches"]}
    return {number for number, port in enumerate(plan["n_ports"]) if port["node"] in switches}


def is_internal(link: Plain, services: set[int]) -> bool:
    """Whether a link of the plan joins a switch with its own services, without a cable."""
    ends = (link["a"], link["b"])
    return any(end["kind"] == "n_port" and end["n_port"] in services for end in ends)


def _decided(plan: Plain, at_ps: int) -> dict[tuple[int, int], tuple[str, str | None]]:
    """State and reason of each port of a switch that the fabric services decided on."""
    if plan["services"] is None:
        return {}
    return {
        (row["switch"], row["port"]): (row["state"], row["reason"] or None)
        for row in plan["services"]["ports"]
        if row["at_ps"] <= at_ps
    }


def _riders(plan: Plain) -> dict[int, list[str]]:
    """For each N_Port with a link its name and those of the virtual ports that share its link."""
    found: dict[int, list[str]] = {}
    for number, port in enumerate(plan["n_ports"]):
        carrier = number if port["shares"] is None else port["shares"]
        found.setdefault(carrier, []).append(port["name"])
    return found
