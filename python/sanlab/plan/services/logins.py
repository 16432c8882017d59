"""Who logs in where, in which order, and who is told of changes.

A host logs in to the fabric and to the name server, registers, asks for targets, registers for
notices, and logs in to every target it sees; an array does without the last steps (FC-LS, FC-GS).
When a host sees others than before, the fabric controller sends it an RSCN; it asks the name server
again, and logs in to what is new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sanlab.plan import addressing
from sanlab.plan.schema import (
    DialoguePlan,
    EndAtNPort,
    EndAtSwitch,
    LinkPlan,
    NPortPlan,
    StepPlan,
    SwitchEnd,
)
from sanlab.quantities import SPEEDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.plan.boxes import SwitchBox
    from sanlab.plan.services.sight import Sight

#: Well-known addresses (FC-FS).
NAME_SERVER = 0xFFFFFC
FABRIC_CONTROLLER = 0xFFFFFD
#: Address of the controller of a domain (FC-SW): the domain is in the last byte.
DOMAIN_CONTROLLER = 0xFFFC00
#: From light on a link to FLOGI: OLS, LR, LRR, Idle; speed negotiation is left out. Uncertain.
LINK_INITIALISATION_PS = 10**9
#: Receive buffers of the port behind which the services of a switch are. Its own affair: uncertain.
_SERVICE_CREDIT = 16

Verb = Literal[
    "flogi", "fdisc", "plogi", "prli", "adisc", "scr", "rscn", "rft_id", "rff_id", "rspn_id",
    "rsnn_nn", "gid_ft",
]  # fmt: skip


def service_ports(switches: Sequence[SwitchBox]) -> list[NPortPlan]:
    """Return the port within each switch at which its services are."""
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
            drain_bytes_per_s=0,
        )
        for switch in switches
    ]


def service_links(switches: Sequence[SwitchBox], first_n_port: int) -> list[LinkPlan]:
    """Return the links to them, each at one more port of its switch."""
    links = []
    for number, switch in enumerate(switches):
        speed = max(switch.values.speeds, key=lambda it: SPEEDS[it])
        links.append(
            LinkPlan(
                a=EndAtNPort(n_port=first_n_port + number),
                b=EndAtSwitch(switch=SwitchEnd(switch=number, port=switch.values.ports)),
                speed=speed,
                bytes_per_s=SPEEDS[speed],
                gap_bytes=24,
                delay_ps=0,
                credit_a_to_b=_SERVICE_CREDIT,
                credit_b_to_a=_SERVICE_CREDIT,
                fspf_cost=1,
            )
        )
    return links


class Dialogues:
    """Makes the dialogues of all ports that are on switches."""

    def __init__(self, sight: Sight, n_ports: Sequence[NPortPlan], delay: int) -> None:
        self.sight = sight
        self.n_ports = n_ports
        self.first_service = len(n_ports)
        self.delay = delay
        """From a change to the RSCN that tells of it."""
        ports = [number for number, it in enumerate(sight.ports) if it is not None]
        self.hosts = [number for number in ports if self._is_host(number)]
        self.targets = [number for number in ports if not self._is_host(number)]
        self.found: list[DialoguePlan] = []
        self.last: dict[int, int] = {}
        """The latest dialogue of each port."""
        self.seen = {
            host: [self._seen(era, host) for era in range(len(sight.eras))] for host in self.hosts
        }

    def all(self) -> list[DialoguePlan]:
        """Return the dialogues in the order of time."""
        for era, now in enumerate(self.sight.eras):
            for port in (*self.targets, *self.hosts):
                is_up = self._is_up(era, port)
                was_up = era > 0 and self._is_up(era - 1, port)
                if is_up and not was_up:
                    self._log_in(era, port, now.at_ps)
                elif is_up and port in self.seen:
                    self._tell(era, port, now.at_ps + self.delay)
        return self.found

    def _is_host(self, port: int) -> bool:
        facts = self.sight.ports[port]
        return facts is not None and facts.is_host

    def _is_up(self, era: int, port: int) -> bool:
        facts = self.sight.ports[port]
        reader = self.sight.reader
        assert facts is not None
        return reader.is_up(self.sight.eras[era], reader.wiring.link_of[facts.end])

    def _seen(self, era: int, host: int) -> list[int]:
        return [target for target in self.targets if not self.sight.reason(era, host, target)]

    def _services_of(self, port: int) -> int:
        facts = self.sight.ports[port]
        assert facts is not None
        return self.first_service + self.sight.reader.number[facts.switch]

    def _log_in(self, era: int, port: int, at: int) -> None:
        services = self._services_of(port)
        parent = self.n_ports[port].shares

        def ask(verb: Verb, service: int | None = None, ports: Sequence[int] = ()) -> StepPlan:
            return _step(verb, port, services, service, ports)

        steps = [ask("flogi" if parent is None else "fdisc"), ask("plogi", NAME_SERVER)]
        steps += [ask("rft_id"), ask("rff_id"), ask("rspn_id"), ask("rsnn_nn")]
        if port in self.seen:
            found = self.seen[port][era]
            steps += [ask("gid_ft", ports=found), ask("scr")]
            steps += [_step(verb, port, target) for target in found for verb in ("plogi", "prli")]
        else:
            steps.append(ask("scr"))
        is_first = port not in self.last
        begins = at + LINK_INITIALISATION_PS if at else 0
        after = self.last.get(port if parent is None else parent)
        self._add(port, begins, after, steps, logs_in=port if is_first else None)

    def _tell(self, era: int, host: int, at: int) -> None:
        """An RSCN, and what follows from it, where a host sees others than before."""
        before, now = self.seen[host][era - 1], self.seen[host][era]
        changed = [port for port in self.targets if (port in before) != (port in now)]
        if not changed:
            return
        services = self._services_of(host)
        steps = [
            _step("rscn", services, host, FABRIC_CONTROLLER, changed),
            _step("gid_ft", host, services, None, now),
        ]
        steps += [
            _step(verb, host, target)
            for target in now
            if target in changed
            for verb in ("plogi", "prli")
        ]
        self._add(host, at, self.last.get(host), steps, logs_in=None)

    def _add(
        self, port: int, at: int, after: int | None, steps: list[StepPlan], *, logs_in: int | None
    ) -> None:
        self.last[port] = len(self.found)
        self.found.append(DialoguePlan(at_ps=at, after=after, logs_in=logs_in, steps=steps))


def _step(
    verb: Verb, asks: int, answers: int, service: int | None = None, ports: Sequence[int] = ()
) -> StepPlan:
    return StepPlan(verb=verb, asks=asks, answers=answers, service=service, ports=list(ports))
