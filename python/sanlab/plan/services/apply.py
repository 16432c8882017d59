"""The outcome of the services as part of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan import addressing
from sanlab.plan.explain import pairs_of_job
from sanlab.plan.schema import ApartPlan, HappeningPlan, VisibilityPlan
from sanlab.plan.services.build import Ground, are_used, build_services
from sanlab.plan.services.logins import service_links, service_ports
from sanlab.plan.spans import outages_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import LinkPlan, Plan
    from sanlab.plan.services.build import Apart
    from sanlab.plan.spans import Span
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario import Scenario


def with_services(
    plan: Plan, scenario: Scenario, boxes: Boxes, wiring: Wiring, problems: Problems
) -> Plan:
    """Return the plan with what follows from its services; as it is where it uses none."""
    if not are_used(scenario, boxes):
        return plan
    down = {
        number: [(it.from_ps, it.until_ps) for it in link.outages]
        for number, link in enumerate(plan.links)
        if link.outages
    }
    ground = Ground(scenario, boxes, wiring, plan.n_ports, problems, down, plan.end_ps)
    found = build_services(ground, list(_pairs(plan)))
    problems.stop_if_any()
    faults = plan.faults
    apart = [
        VisibilityPlan(at_ps=it.at_ps, told_ps=it.told_ps, a=it.a, b=it.b, visible=it.visible)
        for it in _changes(found.apart)
    ]
    reasons = [ApartPlan(at_ps=it.at_ps, a=it.a, b=it.b, reason=it.reason) for it in found.apart]
    told = [
        HappeningPlan(at_ps=it.at_ps, what=it.what, place=it.place, reason=it.reason)
        for it in found.told
    ]
    is_armed = faults.is_armed or bool(found.outages or apart)
    changed = plan.model_copy(
        update={
            "links": [
                _with_outages(link, found.outages.get(number, []))
                for number, link in enumerate(plan.links)
            ],
            "faults": faults.model_copy(
                update={
                    "is_armed": is_armed,
                    "route_updates_ps": sorted({*faults.route_updates_ps, *found.route_updates}),
                    "visibility": sorted([*faults.visibility, *apart], key=lambda it: it.at_ps),
                    "happenings": sorted([*faults.happenings, *told], key=lambda it: it.at_ps),
                }
            ),
            "services": found.facts.model_copy(update={"apart": reasons}),
        }
    )
    return _with_service_ports(changed, boxes) if scenario.fabric.logins else changed


def extra_links(scenario: Scenario, boxes: Boxes) -> int:
    """Links that the services add to those that are wired."""
    return len(boxes.switches) if scenario.fabric.logins else 0


def _with_service_ports(plan: Plan, boxes: Boxes) -> Plan:
    """The plan with a port in each switch that its services answer at."""
    n_ports = [*plan.n_ports, *service_ports(boxes.switches)]
    names = [addressing.wwpn_of(port.node) for port in n_ports]
    return plan.model_copy(
        update={
            "n_ports": n_ports,
            "links": [*plan.links, *service_links(boxes.switches, len(plan.n_ports))],
            "switches": [
                switch.model_copy(update={"ports": switch.ports + 1}) for switch in plan.switches
            ],
            "services": plan.services and plan.services.model_copy(update={"node_names": names}),
        }
    )


def _changes(apart: list[Apart]) -> Iterator[Apart]:
    """Those by which a pair is parted or joined, without those that only give another reason."""
    visible: dict[tuple[int, int], bool] = {}
    for it in apart:
        if visible.get((it.a, it.b), True) != it.visible:
            visible[it.a, it.b] = it.visible
            yield it


def _pairs(plan: Plan) -> Iterator[tuple[int, int]]:
    """N_Ports that want to talk to each other."""
    for job in plan.jobs:
        yield from pairs_of_job(plan, job)
    for array in plan.arrays:
        for lun in array.luns:
            if lun.mirror is not None:
                yield lun.mirror.source_n_port, lun.mirror.target_n_port
    for flow in plan.traffic:
        yield flow.source_n_port, flow.target_n_port


def _with_outages(link: LinkPlan, spans: list[Span]) -> LinkPlan:
    """The link with these outages beside those it has, one after the other."""
    if not spans:
        return link
    before = [(it.from_ps, it.until_ps) for it in link.outages]
    return link.model_copy(update={"outages": outages_of([*before, *spans])})
