"""The additions of fabric services to a plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan import addressing
from sanlab.plan.explain import pairs_of_job
from sanlab.plan.schema import ApartPlan, HappeningPlan, ServicesPlan, VisibilityPlan
from sanlab.plan.services.build import Ground, are_used, build_services
from sanlab.plan.services.logins import service_links, service_ports

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import (
        ArrayPlan,
        HostPlan,
        JobPlan,
        LinkPlan,
        NPortPlan,
        TrafficPlan,
    )
    from sanlab.plan.services.build import Apart, Services
    from sanlab.plan.spans import Span
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Talkers:
    """Parts of a plan whose ports exchange frames."""

    hosts: Sequence[HostPlan]
    arrays: Sequence[ArrayPlan]
    jobs: Sequence[JobPlan]
    traffic: Sequence[TrafficPlan]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of N_Ports that exchange frames."""
        for job in self.jobs:
            yield from pairs_of_job(self.hosts, job)
        for array in self.arrays:
            for lun in array.luns:
                if lun.mirror is not None:
                    yield lun.mirror.source_n_port, lun.mirror.target_n_port
        for flow in self.traffic:
            yield flow.source_n_port, flow.target_n_port


@dataclass(frozen=True, slots=True)
class ServiceFaults:
    """Changes of the fabric by its services."""

    visibility: list[VisibilityPlan] = field(default_factory=list)
    happenings: list[HappeningPlan] = field(default_factory=list)
    route_updates: list[int] = field(default_factory=list)
    are_any: bool = False
    """Whether anything changes, so that timers are needed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The additions of services to a plan; empty without services."""

    outages: dict[int, list[Span]] = field(default_factory=dict)
    """For each link the times without frames."""
    faults: ServiceFaults = field(default_factory=ServiceFaults)
    n_ports: list[NPortPlan] = field(default_factory=list)
    """Internal ports of switches for their services."""
    links: list[LinkPlan] = field(default_factory=list)
    """Links to these ports, each at a further port of its switch."""
    services: ServicesPlan | None = None


@dataclass(frozen=True, slots=True)
class Wired:
    """The fabric of the services."""

    scenario: Scenario
    boxes: Boxes
    wiring: Wiring
    n_ports: Sequence[NPortPlan]
    down: dict[int, list[Span]]
    """For each link with faults the times without frames."""
    end_ps: int


def outcome_of(wired: Wired, talkers: Talkers, problems: Problems) -> Outcome:
    """Return the additions of a scenario's fabric services to its plan."""
    if not are_used(wired.scenario, wired.boxes):
        return Outcome()
    down = {link: spans for link, spans in wired.down.items() if spans}
    ground = Ground(
        wired.scenario, wired.boxes, wired.wiring, wired.n_ports, problems, down, wired.end_ps
    )
    decided = build_services(ground, list(talkers.pairs()))
    problems.stop_if_any()
    switches = wired.boxes.switches if wired.scenario.fabric.logins else []
    n_ports = service_ports(switches)
    names = [addressing.wwpn_of(port.node) for port in (*wired.n_ports, *n_ports)]
    return Outcome(
        outages=decided.outages,
        faults=_faults(decided),
        n_ports=n_ports,
        links=service_links(switches, len(wired.n_ports)),
        services=_plan(decided, wired.scenario, names if switches else []),
    )


def extra_links(scenario: Scenario, boxes: Boxes) -> int:
    """Links that the services add to those that are wired."""
    return len(boxes.switches) if scenario.fabric.logins else 0


def _plan(decided: Services, scenario: Scenario, node_names: list[int]) -> ServicesPlan:
    facts = decided.facts
    return ServicesPlan(
        ports=facts.ports,
        zones=facts.zones,
        sights=facts.sights,
        apart=[
            ApartPlan(at_ps=change.at_ps, a=change.a, b=change.b, reason=change.reason or None)
            for change in decided.apart
        ],
        node_names=node_names,
        service_ps=scenario.fabric.service_time if scenario.fabric.logins else 0,
        dialogues=decided.dialogues,
    )


def _faults(decided: Services) -> ServiceFaults:
    visibility = [
        VisibilityPlan(
            at_ps=change.at_ps,
            told_ps=change.told_ps,
            a=change.a,
            b=change.b,
            visible=change.visible,
        )
        for change in _changes(decided.apart)
    ]
    happenings = [
        HappeningPlan(at_ps=event.at_ps, what=event.what, place=event.place, reason=event.reason)
        for event in decided.notices
    ]
    are_any = bool(decided.outages or visibility)
    return ServiceFaults(visibility, happenings, decided.route_updates, are_any)


def _changes(apart: list[Apart]) -> Iterator[Apart]:
    """Yield the changes that separate or join a pair, without changes of only the reason."""
    visible: dict[tuple[int, int], bool] = {}
    for change in apart:
        pair = change.a, change.b
        if visible.get(pair, True) != change.visible:
            visible[pair] = change.visible
            yield change
