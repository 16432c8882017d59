"""The map of a plan at an instant, and with the figures of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sanlab.quantities import DEFAULT_PROPAGATION_PS_PER_KM
from sanlab.results.loops import stacks, taken_share
from sanlab.results.ports import credit_wait_share
from sanlab.topology.parts import Link, Loop, Node, Port, Topology
from sanlab.topology.port_map import PortMap, is_internal, name_of_end
from sanlab.topology.sites import sites_of
from sanlab.topology.written import written_in
from sanlab.topology.zones import active_zones
from sanlab.words import show_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.results.record import Record
    from sanlab.scenario import Scenario
    from sanlab.topology.parts import Zone
    from sanlab.topology.written import Written

Plain = dict[str, Any]

#: Propagation in a metre of fibre.
PS_PER_METRE = DEFAULT_PROPAGATION_PS_PER_KM / 1000
#: States of a port that show that two switches do not fit together.
CONFLICTS = ("isolated", "speed mismatch")


def topology_of(
    plan: Plain, *, scenario: Scenario | None = None, run: Record | None = None, at_ps: int = 0
) -> Topology:
    """Return the map of a plan at an instant.

    Parameters
    ----------
    plan
        The plan as plain data.
    scenario
        What the plan was made from: it gives models, modules, aliases and zone sets.
    run
        A run of the plan: its links carry their figures, and the instant is its end.
    at_ps
        Instant of the states, without a run.
    """
    if run is not None:
        at_ps = run.manifest.simulated_ps
    written = written_in(scenario)
    zones = active_zones(plan, at_ps)
    ports = PortMap(plan, zones, at_ps)
    unordered = {port.name: port for port in ports.ports()}
    links = _links(plan, ports)
    if run is not None:
        links = _with_figures(links, run)
    loops = _loops(plan, run)
    nodes = _nodes(plan, unordered.values(), written)
    sites = sites_of((node.name for node in nodes), links)
    site_of = {name: site.name for site in sites for name in site.nodes}
    return Topology(
        at_ps=at_ps,
        sites=sites,
        nodes=tuple(replace(node, site=site_of.get(node.name)) for node in nodes),
        ports=tuple(unordered[name] for node in nodes for name in node.ports),
        links=links,
        loops=loops,
        zones=zones + _idle_zones(written.zones, zones),
        aliases=written.aliases,
        conflicts=_conflicts(plan),
    )


def _links(plan: Plain, ports: PortMap) -> tuple[Link, ...]:
    loop_nodes = {loop["name"]: _node_of_loop(plan, loop) for loop in plan["loops"]}
    found = []
    for number, link in enumerate(plan["links"]):
        if is_internal(link, ports.services):
            continue
        a, b = link["a"], link["b"]
        state, reason = _state(ports, number, link)
        found.append(
            Link(
                id=number,
                a=name_of_end(plan, a, b),
                b=name_of_end(plan, b, a),
                a_node=_node_at(plan, a, loop_nodes),
                b_node=_node_at(plan, b, loop_nodes),
                kind=_kind(link),
                speed=link["speed"],
                bytes_per_s=link["bytes_per_s"],
                length_m=link["delay_ps"] / PS_PER_METRE,
                members=link["members"],
                credit=(link["credit_a_to_b"], link["credit_b_to_a"]),
                state=state,
                reason=reason,
            )
        )
    return tuple(found)


def _kind(link: Plain) -> str:
    kinds = {link["a"]["kind"], link["b"]["kind"]}
    if "loop" in kinds:
        return "loop"
    if link["members"] > 1:
        return "trunk"
    return "isl" if kinds == {"switch"} else "edge"


def _state(ports: PortMap, number: int, link: Plain) -> tuple[str, str | None]:
    """State of a link as the map shows it, with the reason."""
    found = ports.state_of(number)
    if found is None:
        return "up", None
    if found.is_over:
        return "was_down", found.words
    is_dark = any(found.words.startswith(word) for word in ("down", "offline"))
    return "down" if is_dark or _kind(link) == "edge" else "isolated", found.words


def _node_at(plan: Plain, end: Plain, loop_nodes: dict[str, str | None]) -> str:
    if end["kind"] == "n_port":
        node: str = plan["n_ports"][end["n_port"]]["node"]
        return node
    if end["kind"] == "switch":
        switch: str = plan["switches"][end["switch"]]["name"]
        return switch
    loop: str = plan["loops"][end["loop_id"]]["name"]
    return loop_nodes[loop] or loop


def _node_of_loop(plan: Plain, loop: Plain) -> str | None:
    """Box a loop is in: a stack, or an array with its disks behind it."""
    name: str = loop["name"].rpartition(".")[0]
    return name if any(array["name"] == name for array in plan["arrays"]) else None


def _loops(plan: Plain, run: Record | None) -> tuple[Loop, ...]:
    shares: dict[str, float] = {}
    if run is not None and "loops" in run.tables:
        rows = run.rows("loops")
        shares = {row["loop"]: taken_share(row) for row in rows if row["medium"] == "shared"}
    found = []
    for loop in plan["loops"]:
        places = [place for place in loop["ports"] if place["n_port"] is not None]
        found.append(
            Loop(
                name=loop["name"],
                node=_node_of_loop(plan, loop),
                medium=loop["medium"]["kind"],
                speed=loop["speed"],
                ports=tuple(plan["n_ports"][place["n_port"]]["name"] for place in places),
                enclosures=tuple(place["crossbar"] for place in places),
                utilisation=shares.get(loop["name"]),
            )
        )
    return tuple(found)


def _nodes(plan: Plain, ports: Iterable[Port], written: Written) -> list[Node]:
    by_node: dict[str, list[Port]] = {}
    for port in ports:
        by_node.setdefault(port.node, []).append(port)
    inside = stacks(plan)
    domains = {switch["name"]: switch["domain"] for switch in plan["switches"]}
    found = []
    for kind, key in (("host", "hosts"), ("switch", "switches"), ("array", "arrays")):
        for box in plan[key]:
            name = box["name"]
            own = by_node.get(name, [])
            if kind == "switch":
                own = sorted(own, key=lambda port: int(port.label))
            found.append(
                Node(
                    name=name,
                    kind="stack" if kind == "array" and name in inside else kind,
                    model=written.models.get(name),
                    site=None,
                    domain=domains.get(name) if kind == "switch" else None,
                    modules=written.modules.get(name, 1) if kind == "switch" else None,
                    ports=tuple(port.name for port in own),
                )
            )
    return found


def _with_figures(links: tuple[Link, ...], run: Record) -> tuple[Link, ...]:
    """The same links with the figures of a run, of the busier direction."""
    ends: dict[int, list[Plain]] = {}
    for row in run.rows("ports"):
        ends.setdefault(row["link"], []).append(row)
    found = []
    for link in links:
        rows = ends.get(link.id, [])
        found.append(
            replace(
                link,
                utilisation=max((float(row["tx_utilisation"]) for row in rows), default=0.0),
                credit_wait=max((credit_wait_share(run, row) for row in rows), default=0.0),
                errors=sum(int(row["tx_dropped_count"]) for row in rows),
            )
        )
    return tuple(found)


def _idle_zones(written: tuple[Zone, ...], active: tuple[Zone, ...]) -> tuple[Zone, ...]:
    """Zones of sets that are not active."""
    sets = {zone.zone_set for zone in active}
    return tuple(zone for zone in written if zone.zone_set not in sets)


def _conflicts(plan: Plain) -> tuple[str, ...]:
    """Links that the fabrics keep out of service, at whatever time."""
    found: dict[str, None] = {}
    for row in (plan["services"] or {"ports": []})["ports"]:
        if row["kind"] == "E" and row["state"] in CONFLICTS:
            since = "" if row["at_ps"] == 0 else f" from {show_time(row['at_ps'])} on"
            switch = plan["switches"][row["switch"]]["name"]
            ends = f"{switch} port {row['port']} to {row['peer']}"
            found.setdefault(f"{ends} is {row['state']}{since}: {row['reason']}")
    return tuple(found)
