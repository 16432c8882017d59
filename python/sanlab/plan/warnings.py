"""Warnings of plans that run in a degraded state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.explain import pairs_of_job
from sanlab.quantities import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.plan.schema import Plan

#: States of a port that are intended.
_MEANT = ("online", "no light", "initialising")


def warnings(plan: Plan) -> list[str]:
    """Return sentences on ports that stay down and on workloads that do not see their target."""
    if plan.services is None:
        return []
    return [*_ports(plan), *_workloads(plan)]


def _ports(plan: Plan) -> Iterator[str]:
    if plan.services is None:
        return
    said: set[str] = set()
    for port in plan.services.ports:
        if port.state in _MEANT:
            continue
        since = f" at {format_time(port.at_ps)}" if port.at_ps else ""
        name = f"{plan.switches[port.switch].name} port {port.port}"
        if port.kind == "E":
            # Both ends of a link have the same reason.
            first, second = sorted((name, port.peer))
            name = f"{first} to {second}"
        sentence = f"{name}: {port.state}{since}: {port.reason}"
        if sentence not in said:
            said.add(sentence)
            yield sentence


def _workloads(plan: Plan) -> Iterator[str]:
    """Return workloads that cannot reach a target at the start or permanently."""
    if plan.services is None:
        return
    users: dict[tuple[int, int], list[str]] = {}
    for job in plan.jobs:
        for pair in pairs_of_job(plan.hosts, job):
            names = users.setdefault(pair, [])
            name = plan.workloads[job.workload].name
            if name not in names:
                names.append(name)
    for apart in plan.services.apart:
        if not apart.reason:
            continue
        back = [
            other.at_ps
            for other in plan.services.apart
            if (other.a, other.b) == (apart.a, apart.b) and other.at_ps > apart.at_ps
        ]
        until = f" until {format_time(min(back))}" if back else ""
        since = f" from {format_time(apart.at_ps)} on" if apart.at_ps and not back else ""
        ends = f"{plan.n_ports[apart.a].name} does not see {plan.n_ports[apart.b].name}"
        for name in users.get((apart.a, apart.b), []):
            yield f"{name}: {ends}{since}{until}: {apart.reason}"
