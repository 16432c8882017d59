"""Faults of the fabric as outages of links, changes of ports and new routes."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan.controllers import failed_controllers, ports_by_controller
from sanlab.plan.schema import (
    CreditLossPlan,
    DrainPlan,
    FaultsPlan,
    MemberOutagePlan,
)
from sanlab.plan.spans import NEVER, is_in_time, merged
from sanlab.quantities import counted, nearest

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import End, Problems
    from sanlab.plan.services.outcome import ServiceFaults
    from sanlab.plan.spans import Span
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.faults import Fault

#: Most outages of one recurring fault.
MAX_OUTAGES = 10_000


@dataclass(slots=True)
class FabricFaults:
    """Effects of the faults of a scenario, by number of the link."""

    outages: dict[int, list[Span]] = field(default_factory=dict)
    member_outages: dict[int, list[MemberOutagePlan]] = field(default_factory=dict)
    bit_errors: dict[int, int] = field(default_factory=dict)
    controllers: dict[tuple[str, int], list[Span]] = field(default_factory=dict)
    """Outages of controllers, by array and number."""
    drains: list[DrainPlan] = field(default_factory=list)
    credit_losses: list[CreditLossPlan] = field(default_factory=list)
    route_changes: list[int] = field(default_factory=list)

    @property
    def are_any(self) -> bool:
        """Whether there are any faults."""
        parts = (self.outages, self.member_outages, self.bit_errors, self.controllers)
        return any(parts) or bool(self.drains or self.credit_losses)

    def plan(
        self, scenario: Scenario, services: ServiceFaults, *, has_loop_faults: bool
    ) -> FaultsPlan:
        """Return the part of the plan that does not belong to a single link."""
        fabric = scenario.fabric
        # Until the new routes are in use; with in-order delivery old frames are waited for.
        delay = fabric.reroute + (fabric.in_order_hold or 0)
        routes = {at + delay for at in self.route_changes} | set(services.route_updates)
        return FaultsPlan(
            is_armed=self.are_any or services.are_any or has_loop_faults,
            route_updates_ps=sorted(routes),
            visibility=sorted(services.visibility, key=lambda change: change.at_ps),
            drains=sorted(self.drains, key=lambda drain: drain.at_ps),
            credit_losses=sorted(self.credit_losses, key=lambda loss: loss.at_ps),
            happenings=sorted(services.happenings, key=lambda event: event.at_ps),
            notice_ps=fabric.rscn_delay,
            login_ps=fabric.login_time,
            e_d_tov_ps=fabric.e_d_tov,
            r_a_tov_ps=fabric.r_a_tov,
            credit_timeout_ps=fabric.credit_timeout,
            bb_sc_n=fabric.bb_sc_n or None,
        )


@dataclass(slots=True)
class _Reader:
    """Reads the faults of a scenario one after another."""

    scenario: Scenario
    boxes: Boxes
    wiring: Wiring
    ids: dict[End, int]
    problems: Problems
    found: FabricFaults = field(default_factory=FabricFaults)

    def read(self, fault: Fault, path: Path) -> None:
        """Add one fault."""
        if not is_in_time(fault.at or 0, "The fault is", (*path, "at"), self.problems):
            return
        match fault.kind:
            case "slow-drain":
                self._slow_drain(fault, path)
            case "lost-credit":
                self._lost_credit(fault, path)
            case "bit-errors":
                for link in self._links(fault, path):
                    self.found.bit_errors[link] = fault.ber or 0
            case "trunk-member":
                self._trunk_member(fault, path)
            case "module-failure" | "pull-module" | "drive-failure":
                pass  # Not a link: fabric services and RAID groups handle these.
            case "controller-failure":
                self._controller_failure(fault, path)
            case _:
                self._outage(self._links(fault, path), self._spans(fault, path))

    def _controller_failure(self, fault: Fault, path: Path) -> None:
        """A controller fails with its ports."""
        arrays = {array.name: array for array in self.boxes.arrays if array.stack is None}
        array = arrays.get(fault.array or "")
        if array is None:
            self._of_box(fault, fault.array or "", "array", (*path, "array"))
            return
        spans = self._spans(fault, path)
        owned = ports_by_controller(array)
        for number in failed_controllers(fault, array, self.wiring, path, self.problems):
            before = self.found.controllers.get((array.name, number), [])
            self.found.controllers[array.name, number] = merged([*before, *spans])
            ends = [(array.name, port) for port in owned[number]]
            links = [self.wiring.link_of[end] for end in ends if end in self.wiring.link_of]
            self._outage(links, spans)

    def _outage(self, links: list[int], spans: list[Span]) -> None:
        for link in links:
            self.found.outages[link] = merged([*self.found.outages.get(link, []), *spans])
        ends = [
            end for link in links for end in (self.wiring.links[link].a, self.wiring.links[link].b)
        ]
        if any(box in self.wiring.switches for box, _ in ends):
            for start, stop in spans:
                self.found.route_changes += [start] if stop == NEVER else [start, stop]

    def _trunk_member(self, fault: Fault, path: Path) -> None:
        member = (fault.member or 1) - 1
        for link in self._links(fault, path):
            wired = self.wiring.links[link]
            if not wired.spec.trunk:
                self.problems.add(
                    path,
                    "The link is not a trunk and has no members",
                    "Use 'link-down', or add 'trunk: true' to the link",
                )
                return
            if member >= wired.members:
                self.problems.add(
                    (*path, "member"),
                    f"The trunk has no cable {fault.member}",
                    f"It has {counted(wired.members, 'cable')}",
                )
                return
            outage = MemberOutagePlan(member=member, from_ps=fault.at or 0, until_ps=fault.until)
            self.found.member_outages.setdefault(link, []).append(outage)

    def _slow_drain(self, fault: Fault, path: Path) -> None:
        end = self._end(fault.port or "", (*path, "port"))
        if end is None:
            return
        if end not in self.ids:
            self.problems.add(
                (*path, "port"),
                f"'{fault.port}' is a port of a switch, which cannot be a slow drain",
                "Name a port of a host or an array",
            )
            return
        port = self.ids[end]
        at = fault.at or 0
        self.found.drains.append(DrainPlan(at_ps=at, n_port=port, bytes_per_s=fault.rate or None))
        if fault.until is not None:
            self.found.drains.append(DrainPlan(at_ps=fault.until, n_port=port, bytes_per_s=None))

    def _lost_credit(self, fault: Fault, path: Path) -> None:
        end = self._end(fault.port or "", (*path, "port"))
        if end is None:
            return
        link = self.wiring.link_of[end]
        fibre = 2 * link + int(self.wiring.links[link].b == end)
        loss = CreditLossPlan(at_ps=fault.at or 0, fibre=fibre, count=fault.count)
        self.found.credit_losses.append(loss)

    def _spans(self, fault: Fault, path: Path) -> list[Span]:
        if fault.mtbf is None or fault.mttr is None:
            return [(fault.at or 0, NEVER if fault.until is None else fault.until)]
        end = self.scenario.measure.duration
        if end is None:
            self.problems.add(
                (*path, "mtbf"),
                "Random outages need the length of the run, which is missing",
                "Add 'measure.duration'",
            )
            return []
        # Each fault has its own draws, so that a new fault changes no others.
        draws = random.Random(f"{self.scenario.seed}/{path}")
        spans: list[Span] = []
        at = 0
        while len(spans) < MAX_OUTAGES:
            at += max(1, round(draws.expovariate(1 / fault.mtbf)))
            if at >= end:
                return spans
            until = at + max(1, round(draws.expovariate(1 / fault.mttr)))
            spans.append((at, until))
            at = until
        self.problems.add(
            (*path, "mtbf"), f"The fault has more than {MAX_OUTAGES} outages", "Make 'mtbf' longer"
        )
        return []

    def _links(self, fault: Fault, path: Path) -> list[int]:
        """Return the numbers of the links that a fault affects."""
        if fault.between is not None:
            return self._between(fault, path)
        if fault.port is not None:
            end = self._end(fault.port, (*path, "port"))
            return [] if end is None else [self.wiring.link_of[end]]
        for key, kind in (("switch", "switch"), ("host", "host"), ("array", "array")):
            name = getattr(fault, key)
            if name is not None:
                return self._of_box(fault, name, kind, (*path, key))
        return []

    def _of_box(self, fault: Fault, name: str, kind: str, path: Path) -> list[int]:
        names = [box for box in self.boxes.by_name if self.boxes.by_name[box].kind == kind]
        if name not in names:
            guess = nearest(name, names)
            known = ", ".join(names) or "none"
            self.problems.add(
                path,
                f"There is no {kind} called '{name}'",
                f"Did you mean '{guess}'?" if guess else f"Names are: {known}",
            )
            return []
        on_loops = [loop for loop, end in self.wiring.fl_ports.items() if end[0] == name]
        if on_loops:
            self.problems.add(
                path,
                f"'{name}' has a port on the loop '{on_loops[0]}', and a loop at a switch that "
                "goes down is not simulated",
                "Let links of the switch fail instead, with 'port' or 'between'",
            )
            return []
        ports = self.wiring.linked_ports(name)
        if fault.hba is not None:
            ports = [port for port in ports if port.partition(".")[0] == fault.hba]
            if not ports:
                self.problems.add(
                    (*path[:-1], "hba"),
                    f"'{name}' has no HBA '{fault.hba}' with a link",
                    "HBAs are named in 'hosts'; the default is hba0",
                )
        return [
            self.wiring.link_of[name, port] for port in ports if (name, port) in self.wiring.link_of
        ]

    def _between(self, fault: Fault, path: Path) -> list[int]:
        boxes = fault.between or []
        for name in boxes:
            if name not in self.boxes.by_name:
                self.problems.add((*path, "between"), *self.boxes.by_name.unknown(name))
                return []
        links = [
            number
            for number, link in enumerate(self.wiring.links)
            if sorted((link.a[0], link.b[0])) == sorted(boxes)
        ]
        if not links:
            self.problems.add(
                (*path, "between"),
                f"No link joins '{boxes[0]}' and '{boxes[1]}'",
                "Name two boxes that a link joins, or a 'port'",
            )
        elif fault.number is not None:
            if fault.number > len(links):
                self.problems.add(
                    (*path, "number"),
                    f"'{boxes[0]}' and '{boxes[1]}' have no link {fault.number} between them",
                    f"They have {counted(len(links), 'link')}",
                )
                return []
            return [links[fault.number - 1]]
        return links

    def _end(self, name: str, path: Path) -> End | None:
        box, _, port = name.partition(".")
        if box not in self.boxes.by_name:
            self.problems.add(path, *self.boxes.by_name.unknown(box))
            return None
        if (box, port) not in self.wiring.link_of:
            linked = ", ".join(self.wiring.linked_ports(box)) or "none"
            self.problems.add(
                path,
                f"'{name}' is not a port with a link",
                f"Ports of '{box}' with a link: {linked}",
            )
            return None
        return box, port


def build_faults(
    scenario: Scenario, boxes: Boxes, wiring: Wiring, ids: dict[End, int], problems: Problems
) -> FabricFaults:
    """Return the events of links and ports."""
    reader = _Reader(scenario, boxes, wiring, ids, problems)
    for index, fault in enumerate(scenario.faults):
        if not fault.is_of_stack:
            reader.read(fault, ("faults", index))
    return reader.found
