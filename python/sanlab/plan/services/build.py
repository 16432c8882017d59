"""The services of all fabrics: from a wired scenario to the facts for the engine and the report."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from sanlab.plan.defaults import given
from sanlab.plan.services.facts import facts_of
from sanlab.plan.services.faults import check_new_domains, module_losses
from sanlab.plan.services.logins import Dialogues, moments_of
from sanlab.plan.services.members import ZoningAtStart, resolve_zoning
from sanlab.plan.services.modules import Service, service
from sanlab.plan.services.port_states import StateReader, is_isl
from sanlab.plan.services.sight import NPortFacts, Sight
from sanlab.plan.services.timeline import IslFacts, SwitchFacts, Times, history
from sanlab.plan.spans import NEVER, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import DialoguePlan, NPortPlan
    from sanlab.plan.services.facts import Facts
    from sanlab.plan.services.timeline import Era
    from sanlab.plan.spans import Span
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario import Scenario
    from sanlab.scenario.services import FabricServices


@dataclass(frozen=True)
class Apart:
    """Two N_Ports that cannot communicate from an instant on, or can again.

    A later entry for the same pair may differ only in its reason.
    """

    at_ps: int
    told_ps: int
    a: int
    b: int
    visible: bool
    reason: str
    """Reason of the separation."""


@dataclass(frozen=True)
class Notice:
    """A fact for the time line."""

    at_ps: int
    what: str
    place: str
    reason: str


@dataclass
class Services:
    """Results of the fabric services.

    Attributes
    ----------
    outages
        For each link the times without frames.
    route_updates
        Instants at which switches recompute their routes.
    apart
        Pairs that cannot communicate, in order of time.
    notices
        Events for the time line, in order of time.
    facts
        Ports, zones and visible targets for the report.
    dialogues
        Logins, registrations and notifications.
    """

    outages: dict[int, list[Span]]
    route_updates: list[int]
    apart: list[Apart]
    notices: list[Notice]
    facts: Facts
    dialogues: list[DialoguePlan]


@dataclass(frozen=True)
class Ground:
    """Input of the services."""

    scenario: Scenario
    boxes: Boxes
    wiring: Wiring
    n_ports: Sequence[NPortPlan]
    problems: Problems
    down: dict[int, list[Span]]
    """For each link with faults the times without frames."""
    end_ps: int


def are_used(scenario: Scenario, boxes: Boxes) -> bool:
    """Whether a scenario needs the fabric services."""
    links = any(link.connected or link.optional or not link.trunking for link in scenario.links)
    switches = any(
        switch.port_groups
        or switch.modules
        or switch.model_fields_set
        & {"domain_fixed", "e_d_tov", "r_a_tov", "max_domains", "new_domain"}
        for switch in scenario.switches
    )
    ports = any(
        port.is_loop_only for name in boxes.by_name for port in boxes.by_name[name].ports.values()
    )
    others = any(hba.npiv for host in boxes.hosts for hba in host.hbas)
    lost = any(fault.module is not None for fault in scenario.faults)
    return (
        bool(scenario.zoning)
        or lost
        or scenario.fabric.logins
        or links
        or switches
        or ports
        or others
    )


def build_services(ground: Ground, pairs: Iterable[tuple[int, int]]) -> Services:
    """Evaluate the eras of the fabrics.

    `pairs` are the N_Ports that exchange frames.
    """
    scenario, boxes, problems = ground.scenario, ground.boxes, ground.problems
    private = {".".join(end) for end in ground.wiring.private if ground.wiring.fl_ports}
    zoning = resolve_zoning(scenario, boxes, private, problems)
    down = _downtimes(scenario, boxes, problems)
    check_new_domains(boxes, problems)
    problems.stop_if_any()
    reader, isls = _isls(ground, down)
    switches = _switches(boxes, down, scenario.fabric)
    edges = frozenset(link.spec.connected for link in ground.wiring.links)
    times = Times(scenario.fabric.build_time, edges)
    eras = history(switches, isls, zoning.of_switch, zoning.changes, times)
    sight = Sight(n_port_facts(ground), reader, eras)
    facts = facts_of(reader.all(eras), sight, ground.n_ports)
    dialogues: list[DialoguePlan] = []
    if scenario.fabric.logins:
        moments = moments_of(sight, ground.down, ground.end_ps)
        dialogues = Dialogues(sight, ground.n_ports, moments, scenario.fabric).all()
    return Services(
        outages=_outages(reader, eras),
        route_updates=_route_updates(eras, scenario.fabric),
        apart=_apart(sight, pairs, scenario.fabric.rscn_delay),
        notices=[*_notices_of_switches(boxes, zoning, down), *_notices_of_links(reader, eras)],
        facts=facts,
        dialogues=dialogues,
    )


def _downtimes(scenario: Scenario, boxes: Boxes, problems: Problems) -> dict[int, Service]:
    """When each switch is down: for its modules, and while it gets another domain."""
    found: dict[int, Service] = {}
    losses = module_losses(boxes, problems)
    for number, switch in enumerate(boxes.switches):
        modules, new = switch.spec.modules, switch.spec.new_domain
        if modules is not None:
            found[number] = service(modules, losses.get(switch.name, []))
        if new is not None:
            before = found.get(number, Service((), ()))
            back = new.at + scenario.fabric.build_time
            why = f"it gets domain {new.domain} instead of {switch.domain}"
            notices = (
                (new.at, "goes offline", why),
                (back, "is back", f"it has domain {new.domain}"),
            )
            found[number] = Service(
                (*before.down, (new.at, back)), tuple(sorted((*before.notices, *notices)))
            )
    return found


def _switches(boxes: Boxes, down: dict[int, Service], fabric: FabricServices) -> list[SwitchFacts]:
    return [
        SwitchFacts(
            name=switch.name,
            domain=switch.domain,
            rules=switch.values.zoning_rules,
            e_d_tov_ps=given(switch.spec.e_d_tov, fabric.e_d_tov),
            r_a_tov_ps=given(switch.spec.r_a_tov, fabric.r_a_tov),
            bb_credit=switch.values.bb_credit,
            max_domains=switch.spec.max_domains,
            down=down[number].down if number in down else (),
            new_domain=None if new is None else (new.at, new.domain),
        )
        for number, switch in enumerate(boxes.switches)
        for new in (switch.spec.new_domain,)
    ]


def _isls(ground: Ground, down: dict[int, Service]) -> tuple[StateReader, list[IslFacts]]:
    wiring, boxes = ground.wiring, ground.boxes
    links = [index for index, link in enumerate(wiring.links) if is_isl(link, wiring)]
    isl_of = {index: number for number, index in enumerate(links)}
    reader = StateReader(boxes, wiring, isl_of, down)
    isls = []
    for index, number in isl_of.items():
        link = wiring.links[index]
        isls.append(
            IslFacts(
                number=number,
                a=reader.number[link.a[0]],
                b=reader.number[link.b[0]],
                connected_ps=link.spec.connected,
                reason=reader.faults[index][1],
            )
        )
    return reader, isls


def n_port_facts(ground: Ground) -> list[NPortFacts | None]:
    """Return the facts for zoning of each N_Port on a switch; None for other N_Ports."""
    wiring, boxes = ground.wiring, ground.boxes
    hosts = {host.name: host for host in boxes.hosts}
    facts: list[NPortFacts | None] = []
    for port in ground.n_ports:
        owner = port if port.shares is None else ground.n_ports[port.shares]
        end = port.node, owner.name.removeprefix(f"{port.node}.")
        logs_in_at = wiring.switch_port_of(end) if wiring.is_linked(end) else None
        if logs_in_at is None:
            facts.append(None)
            continue
        switch, number = logs_in_at
        hbas = hosts[port.node].hbas if port.node in hosts else []
        hba = {hba.name: hba for hba in hbas}.get(end[1].partition(".")[0])
        facts.append(
            NPortFacts(
                end=end,
                switch=switch,
                wwpn=port.wwpn,
                port=int(number),
                vsan=boxes.port((switch, number)).vsan,
                is_host=port.node in hosts,
                binding="wwpn" if hba is None else hba.binding,
                dev_loss_ps=0 if hba is None else hba.dev_loss_ps,
            )
        )
    return facts


def _outages(reader: StateReader, eras: list[Era]) -> dict[int, list[Span]]:
    """Times in which the services block frames on a link to a switch."""
    found: dict[int, list[Span]] = {}
    for index, link in enumerate(reader.wiring.links):
        if reader.number.keys().isdisjoint((link.a[0], link.b[0])):
            continue
        spans: list[Span] = []
        for number, era in enumerate(eras):
            until = eras[number + 1].at_ps if number + 1 < len(eras) else NEVER
            if not reader.is_up(era, index):
                spans.append((era.at_ps, until))
        if spans:
            found[index] = merged(spans)
    return found


def _route_updates(eras: list[Era], fabric: FabricServices) -> list[int]:
    """Return when routes change: with links between switches, or a separation at the start."""
    delay = fabric.reroute + (fabric.in_order_hold or 0)
    found = [0] if eras[0].isolated else []
    changes = [after.at_ps for before, after in pairwise(eras) if before.joined != after.joined]
    return found + [at + delay for at in changes]


def _apart(sight: Sight, pairs: Iterable[tuple[int, int]], delay: int) -> list[Apart]:
    found: list[Apart] = []
    for a, b in dict.fromkeys(pairs):
        last = ""
        for number, (era, sees) in enumerate(sight.over_time(a, b)):
            reason = "" if sees else sight.reason(number, a, b)
            if reason != last:
                known_at = 0 if era.at_ps == 0 else era.at_ps + delay
                found.append(Apart(era.at_ps, known_at, a, b, sees, reason))
                last = reason
    return sorted(found, key=lambda apart: (apart.at_ps, apart.a, apart.b))


def _notices_of_switches(
    boxes: Boxes, zoning: ZoningAtStart, down: dict[int, Service]
) -> Iterator[Notice]:
    for number, switch in down.items():
        for at, what, why in switch.notices:
            yield Notice(at, what, boxes.switches[number].name, why)
    for change in zoning.changes:
        names = ", ".join(boxes.switches[number].name for number in sorted(change.switches))
        yield Notice(change.at_ps, f"zone set '{change.db.active}' is active", names, "")


def _notices_of_links(reader: StateReader, eras: list[Era]) -> Iterator[Notice]:
    """Return links between switches that are isolated or start to carry frames."""
    for before, era in zip([None, *eras], eras, strict=False):
        for index, number in reader.isl_of.items():
            link = reader.wiring.links[index]
            place = f"{link.a[0]} port {link.a[1]} to {link.b[0]} port {link.b[1]}"
            reason = era.isolated.get(number)
            if reason and (before is None or number not in before.isolated):
                yield Notice(era.at_ps, "isolated", place, reason)
            if before is not None and number in era.joined - before.joined:
                yield Notice(era.at_ps, "carries frames", place, "its ends agree")
