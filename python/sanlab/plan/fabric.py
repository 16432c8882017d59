"""Ports, switches and links of the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sanlab.plan import addressing
from sanlab.plan.defaults import given
from sanlab.plan.qos import channel_plans, classes_of
from sanlab.plan.schema import (
    ClassesPlan,
    LinkPlan,
    LoopEnd,
    NPortEnd,
    NPortPlan,
    SwitchEnd,
    SwitchPlan,
)
from sanlab.plan.spans import outages_of
from sanlab.quantities import SPEEDS
from sanlab.scenario.qos import SHARED_CLASS

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.buffers import Grants
    from sanlab.plan.faults import FabricFaults
    from sanlab.plan.names import End
    from sanlab.plan.schema import (
        EndPlan,
        Interleave,
        LoopPlan,
        LoopPortPlan,
        MemberOutagePlan,
        RoutePolicy,
    )
    from sanlab.plan.spans import Span
    from sanlab.plan.traffic import Network
    from sanlab.plan.wiring import WiredLink, Wiring
    from sanlab.scenario import Scenario

_MM_PER_KM = 1_000_000


def n_port_ids(boxes: Boxes, wiring: Wiring) -> dict[End, int]:
    """Index of every N_Port that has a link; other N_Ports are not simulated."""
    ends = [(box, port) for box, port, _ in boxes.n_ports if wiring.is_linked((box, port))]
    return {end: index for index, end in enumerate(ends)}


def build_n_ports(
    boxes: Boxes, wiring: Wiring, ids: dict[End, int], loops: list[LoopPlan]
) -> list[NPortPlan]:
    """Return the N_Ports that have a link."""
    domains = {switch.name: switch.domain for switch in boxes.switches}
    on_loops = {
        port.n_port: _fc_id_on_loop(number, loop, port, wiring, domains)
        for number, loop in enumerate(loops)
        for port in loop.ports
        if port.n_port is not None
    }
    n_ports = []
    direct_count = 0
    for box, port, values in boxes.n_ports:
        if (box, port) not in ids:
            continue
        on_loop = on_loops.get(ids[box, port])
        if on_loop is not None:
            fc_id = on_loop
        elif (peer := wiring.peer((box, port)))[0] in domains:
            fc_id = addressing.fc_id_on_switch(domains[peer[0]], int(peer[1]))
        else:
            direct_count += 1
            fc_id = addressing.fc_id_on_direct_link(direct_count)
        name = f"{box}.{port}"
        n_ports.append(
            NPortPlan(
                name=name,
                node=box,
                fc_id=fc_id,
                wwpn=addressing.wwpn_of(name),
                tx_buffers=values.tx_buffers,
                class3_sequences=values.class3_sequences,
                interleave=cast("Interleave", values.interleave),
                rx_hold_ps=values.rx_hold_ps,
                drain_bytes_per_s=values.drain_bytes_per_s or None,
                shares=None,
            )
        )
    return n_ports


def _fc_id_on_loop(
    number: int, loop: LoopPlan, port: LoopPortPlan, wiring: Wiring, domains: dict[str, int]
) -> int:
    fl_port = wiring.fl_ports.get(loop.name)
    if fl_port is None or not port.is_public:
        return addressing.fc_id_on_loop(number, port.al_pa)
    return addressing.fc_id_on_fl_port(domains[fl_port[0]], int(fl_port[1]), port.al_pa)


def fl_links(net: Network, loops: list[LoopPlan]) -> list[LinkPlan]:
    """Return the links by which loops join their switches; their cables are parts of the loops."""
    switches = {switch.name: index for index, switch in enumerate(net.boxes.switches)}
    links = []
    for number, loop in enumerate(loops):
        end = net.wiring.fl_ports.get(loop.name)
        if end is None:
            continue
        buffers = next(port.buffers for port in loop.ports if port.n_port is None)
        links.append(
            LinkPlan(
                a=LoopEnd(loop_id=number),
                b=SwitchEnd(switch=switches[end[0]], port=int(end[1])),
                speed=loop.speed,
                bytes_per_s=loop.bytes_per_s,
                gap_bytes=loop.gap_bytes,
                delay_ps=0,
                credit_a_to_b=buffers,
                credit_b_to_a=buffers,
                fspf_cost=1,
                outages=[],
                member_outages=[],
                bit_error_interval=None,
                members=1,
                virtual_channels=[],
                write_acceleration_bytes=None,
            )
        )
    return links


def _has_priorities(scenario: Scenario, wiring: Wiring) -> bool:
    """Whether any switch or link has classes of frames, one for each priority."""
    has_channels = any(link.channels is not None for link in wiring.links)
    return has_channels or any(entry.priority is not None for entry in scenario.qos)


def build_switches(scenario: Scenario, boxes: Boxes, wiring: Wiring) -> list[SwitchPlan]:
    """Return the switches of the plan, each with a further port for its services."""
    has_priorities = _has_priorities(scenario, wiring)
    services_ports = 1 if scenario.fabric.logins else 0
    return [
        SwitchPlan(
            name=switch.name,
            domain=switch.domain,
            forwarding_ps=switch.values.latency_ps,
            cut_through=switch.values.cut_through,
            routing=cast("RoutePolicy", switch.values.routing),
            ports=switch.values.ports + services_ports,
            classes=(
                ClassesPlan(classes=classes_of(switch.values.qos), shared=SHARED_CLASS)
                if has_priorities
                else None
            ),
            edge_hold_ps=switch.values.edge_hold_ps,
            core_hold_ps=switch.values.core_hold_ps,
            no_credit_drop_ps=switch.values.no_credit_drop_ps,
        )
        for switch in boxes.switches
    ]


def build_links(
    net: Network,
    faults: FabricFaults,
    outages: dict[int, list[Span]],
    grants: Grants,
    rooms: dict[int, int],
) -> list[LinkPlan]:
    """Return the links of the plan; faults, outages, credit, room for writes are by number."""
    switches = {switch.name: index for index, switch in enumerate(net.boxes.switches)}

    def end(where: End) -> EndPlan:
        if where in net.n_port_ids:
            return NPortEnd(n_port=net.n_port_ids[where])
        return SwitchEnd(switch=switches[where[0]], port=int(where[1]))

    return [
        _link(
            link,
            (
                grants.get((number, link.a), link.credit[0]),
                grants.get((number, link.b), link.credit[1]),
            ),
            (end(link.a), end(link.b)),
            _Faults(
                [*faults.outages.get(number, []), *outages.get(number, [])],
                faults.member_outages.get(number, []),
                faults.bit_errors.get(number),
            ),
            rooms.get(number),
        )
        for number, link in enumerate(net.wiring.links)
    ]


@dataclass(frozen=True, slots=True)
class _Faults:
    """Faults of one link."""

    outages: list[Span]
    member_outages: list[MemberOutagePlan]
    bit_error_interval: int | None


def _link(
    link: WiredLink,
    grants: tuple[int, int],
    ends: tuple[EndPlan, EndPlan],
    faults: _Faults,
    room: int | None,
) -> LinkPlan:
    spec = link.spec
    a_grants, b_grants = grants
    longest = spec.length + given(spec.skew, 0)
    return LinkPlan(
        a=ends[0],
        b=ends[1],
        speed=link.speed,
        bytes_per_s=SPEEDS[link.speed],
        gap_bytes=spec.gap,
        delay_ps=round(longest * spec.propagation / _MM_PER_KM),
        credit_a_to_b=b_grants * link.members,
        credit_b_to_a=a_grants * link.members,
        fspf_cost=link.fspf_cost,
        outages=outages_of(faults.outages),
        member_outages=sorted(faults.member_outages, key=lambda outage: outage.from_ps),
        bit_error_interval=faults.bit_error_interval or None,
        members=link.members,
        virtual_channels=channel_plans(
            link.channels, b_grants * link.members, a_grants * link.members
        ),
        write_acceleration_bytes=room,
    )
