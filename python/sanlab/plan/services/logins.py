"""Logins of ports, their order, and notifications of changes.

A host logs in to the fabric and to the name server, registers, queries targets, registers for state
changes, and logs in to every target it sees; an array omits the last steps (FC-LS, FC-GS). When the
targets of a host change, the fabric controller sends it an RSCN; the host queries the name server
again and logs in to new targets. It verifies existing logins with ADISC (FC-LS, "ADISC"), also
after its own link was dark. A host sends LOGO to a target that zoning removes, or that has been
lost for `dev_loss`. It does not wait for a response (nor does libfc in Linux) and gets none,
because the target is not reachable.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan import addressing
from sanlab.plan.schema import (
    DialoguePlan,
    LinkPlan,
    NPortEnd,
    NPortPlan,
    StepPlan,
    SwitchEnd,
)
from sanlab.quantities import SPEEDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sanlab.plan.boxes import SwitchBox
    from sanlab.plan.schema import VerbPlan
    from sanlab.plan.services.sight import Sight
    from sanlab.plan.spans import Span
    from sanlab.scenario.services import FabricServices

#: Well-known addresses (FC-FS).
NAME_SERVER = 0xFFFFFC
FABRIC_CONTROLLER = 0xFFFFFD
#: Address of the controller of a domain (FC-SW): the domain is in the last byte.
DOMAIN_CONTROLLER = 0xFFFC00
#: From light on a link to FLOGI: OLS, LR, LRR, Idle, without speed negotiation. Uncertain.
LINK_INITIALISATION_PS = 10**9
#: Receive buffers of the port of a switch's services. Internal to the switch: uncertain.
_SERVICE_CREDIT = 16


def service_ports(switches: Sequence[SwitchBox]) -> list[NPortPlan]:
    """Return the internal port of each switch for its services."""
    return [
        NPortPlan(
            name=f"{switch.name}.services",
            node=switch.name,
            fc_id=DOMAIN_CONTROLLER | switch.domain,
            wwpn=addressing.wwpn_of(f"{switch.name}.services"),
            tx_buffers=2,
            class3_sequences=255,
            interleave="sequence",
            rx_hold_ps=0,
            drain_bytes_per_s=None,
            shares=None,
        )
        for switch in switches
    ]


def service_links(switches: Sequence[SwitchBox], first_n_port: int) -> list[LinkPlan]:
    """Return the links to the services, each at a further port of its switch."""
    links = []
    for number, switch in enumerate(switches):
        speed = max(switch.values.speeds, key=lambda name: SPEEDS[name])
        links.append(
            LinkPlan(
                a=NPortEnd(n_port=first_n_port + number),
                b=SwitchEnd(switch=number, port=switch.values.ports),
                speed=speed,
                bytes_per_s=SPEEDS[speed],
                gap_bytes=24,
                delay_ps=0,
                credit_a_to_b=_SERVICE_CREDIT,
                credit_b_to_a=_SERVICE_CREDIT,
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


@dataclass(frozen=True)
class Moment:
    """A period without changes for any N_Port."""

    at_ps: int
    era: int
    dark: frozenset[int]
    """Links that a fault keeps dark."""


def moments_of(sight: Sight, down: Mapping[int, Sequence[Span]], end_ps: int) -> list[Moment]:
    """Return the eras of the fabrics, split where a fault of a link begins or ends.

    The last begins with the end of the run.
    """
    wiring = sight.reader.wiring
    ends = {facts.end for facts in sight.ports if facts is not None}
    own = {wiring.link_of[end] for end in ends if end in wiring.link_of}
    spans = {link: down[link] for link in sorted(own & down.keys())}
    edges = {at for of in spans.values() for span in of for at in span}
    begins = [era.at_ps for era in sight.eras]
    return [
        Moment(
            at,
            bisect_right(begins, at) - 1,
            frozenset(
                link for link, of in spans.items() if any(start <= at < end for start, end in of)
            ),
        )
        for at in sorted({*begins, *edges, end_ps})
        if at <= end_ps
    ]


@dataclass
class _Logins:
    """Targets that a port of a host is logged in to."""

    domains: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Domains of host and target at the time of each login."""
    lost: dict[int, int] = field(default_factory=dict)
    """When the host learned that a target is not reachable."""

    def forget(self, target: int) -> None:
        self.domains.pop(target, None)
        self.lost.pop(target, None)


class Dialogues:
    """Makes the dialogues of all ports that are on switches."""

    def __init__(
        self,
        sight: Sight,
        n_ports: Sequence[NPortPlan],
        moments: list[Moment],
        fabric: FabricServices,
    ) -> None:
        self.sight = sight
        self.n_ports = n_ports
        self.moments = moments
        self.first_service = len(n_ports)
        self.fabric = fabric
        self.facts = {port: fact for port, fact in enumerate(sight.ports) if fact is not None}
        self.targets = [port for port, fact in self.facts.items() if not fact.is_host]
        self.logins = {port: _Logins() for port, fact in self.facts.items() if fact.is_host}
        self.found: list[DialoguePlan] = []
        self.last: dict[int, int] = {}
        """The latest dialogue of each port."""
        self.in_era: dict[tuple[int, int], list[int]] = {}

    def all(self) -> list[DialoguePlan]:
        """Return the dialogues, those of each port in the order of time."""
        before: Moment | None = None
        for now in self.moments:
            for port in (*self.targets, *self.logins):
                is_up = self._is_up(now, port)
                was_up = before is not None and self._is_up(before, port)
                self._give_up(port, now.at_ps, is_up=was_up)
                if is_up and not was_up:
                    self._log_in(now, port)
                elif is_up and port in self.logins and before is not None:
                    self._tell(before, now, port)
                elif not is_up:
                    self._lose_all(now, port)
            before = now
        return self.found

    def _is_up(self, now: Moment, port: int) -> bool:
        reader = self.sight.reader
        end = self.facts[port].end
        is_dark = reader.wiring.link_of.get(end) in now.dark
        return not is_dark and reader.is_port_up(self.sight.eras[now.era], end)

    def _seen(self, now: Moment, host: int) -> list[int]:
        key = now.era, host
        if key not in self.in_era:
            self.in_era[key] = self.sight.targets_of(now.era, host)
        return [target for target in self.in_era[key] if self._is_up(now, target)]

    def _services_of(self, port: int) -> int:
        return self.first_service + self.sight.reader.number[self.facts[port].switch]

    def _log_in(self, now: Moment, port: int) -> None:
        services = self._services_of(port)
        parent = self.n_ports[port].shares

        def ask(verb: VerbPlan, service: int | None = None, ports: Sequence[int] = ()) -> StepPlan:
            return _step(verb, port, services, service, ports)

        steps = [ask("flogi" if parent is None else "fdisc"), ask("plogi", NAME_SERVER)]
        steps += [ask("rft_id"), ask("rff_id"), ask("rspn_id"), ask("rsnn_nn")]
        if port in self.logins:
            found = self._seen(now, port)
            steps += [ask("gid_ft", ports=found), ask("scr")]
            steps += self._reach(now, port, found)
        else:
            steps.append(ask("scr"))
        before = self.last.get(port)
        self._add(
            port,
            DialoguePlan(
                at_ps=now.at_ps + LINK_INITIALISATION_PS if now.at_ps else 0,
                after=None if parent is None else self.last.get(parent),
                # A dialogue that was open when its link went dark has failed.
                replaces=before,
                logs_in=port if before is None else None,
                steps=steps,
            ),
        )

    def _reach(self, now: Moment, host: int, targets: Iterable[int]) -> list[StepPlan]:
        """Return the requests of a host to targets: verification or login."""
        logins = self.logins[host]
        steps = []
        for target in targets:
            domains = self.sight.domains(now.era, host, target)
            is_known = logins.domains.get(target) == domains
            verbs: tuple[VerbPlan, ...] = ("adisc",) if is_known else ("plogi", "prli")
            steps += [_step(verb, host, target) for verb in verbs]
            logins.forget(target)
            logins.domains[target] = domains
        return steps

    def _tell(self, before: Moment, now: Moment, host: int) -> None:
        """Add an RSCN and its consequences if the targets of a host have changed."""
        old, new = self._seen(before, host), self._seen(now, host)
        changed = sorted(set(old) ^ set(new))
        if not changed:
            return
        services, told_at = self._services_of(host), now.at_ps + self.fabric.rscn_delay
        steps = [
            _step("rscn", services, host, FABRIC_CONTROLLER, changed),
            _step("gid_ft", host, services, None, new),
        ]
        for target in changed:
            if target in new:
                steps += self._reach(now, host, [target])
            elif self.sight.is_taken_away(now.era, host, target):
                steps.append(self._log_out(host, target))
            else:
                self.logins[host].lost[target] = told_at
        self._add(host, _dialogue(told_at, self.last.get(host), steps))

    def _lose_all(self, now: Moment, port: int) -> None:
        """Drop all logins of a port without light."""
        if port in self.logins:
            logins = self.logins[port]
            for target in self._cut_short(now, port):
                logins.forget(target)
            logins.lost = dict.fromkeys(logins.domains, now.at_ps) | logins.lost

    def _cut_short(self, now: Moment, port: int) -> list[int]:
        """Return targets without a completed login, judged by response times alone."""
        if port not in self.last:
            return []
        dialogue = self.found[self.last[port]]
        return [
            step.answers
            for number, step in enumerate(dialogue.steps, start=1)
            if step.verb == "prli"
            and dialogue.at_ps + number * self.fabric.service_time > now.at_ps
        ]

    def _give_up(self, port: int, until: int, *, is_up: bool) -> None:
        """Log out of targets that have been lost for too long."""
        if port not in self.logins:
            return
        patience = self.facts[port].dev_loss_ps
        for target, since in list(self.logins[port].lost.items()):
            if since + patience > until:
                continue
            steps = [self._log_out(port, target)]
            if is_up:
                at, after = since + patience, self.last.get(port)
                self._add(port, _dialogue(at, after, steps))

    def _log_out(self, host: int, target: int) -> StepPlan:
        """Send LOGO to an unreachable target; the host's switch discards it."""
        self.logins[host].forget(target)
        address = self.n_ports[target].fc_id
        return StepPlan(
            verb="logo",
            asks=host,
            answers=self._services_of(host),
            service=address,
            ports=[],
            is_discarded=True,
        )

    def _add(self, port: int, dialogue: DialoguePlan) -> None:
        self.last[port] = len(self.found)
        self.found.append(dialogue)


def _step(
    verb: VerbPlan,
    asks: int,
    answers: int,
    service: int | None = None,
    ports: Sequence[int] = (),
) -> StepPlan:
    return StepPlan(
        verb=verb,
        asks=asks,
        answers=answers,
        service=service,
        ports=list(ports),
        is_discarded=False,
    )


def _dialogue(at_ps: int, after: int | None, steps: list[StepPlan]) -> DialoguePlan:
    """Return a dialogue of a port that is logged in."""
    return DialoguePlan(at_ps=at_ps, after=after, replaces=None, logs_in=None, steps=steps)
