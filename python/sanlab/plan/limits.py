"""Limits of LUNs and hosts at an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.names import Names
from sanlab.plan.schema import HostLimited, LunLimited, ServiceLimitPlan

if TYPE_CHECKING:
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.luns import PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import LimitedPlan
    from sanlab.plan.traffic import Network
    from sanlab.scenario.document import Path
    from sanlab.scenario.limits import Limit


def build_limits(
    net: Network, array: ArrayBox, luns: list[PlacedLun], problems: Problems
) -> list[ServiceLimitPlan]:
    """Return the limits of an array: those of its LUNs, then those of hosts."""
    limits = [
        _limit_plan(lun.name, LunLimited(lun=place), lun.spec.limit)
        for place, lun in enumerate(luns)
        if lun.spec.limit is not None
    ]
    if not array.spec.host_limits:
        return limits
    known: Names[None] = Names("host")
    known.items.update({host.name: None for host in net.boxes.hosts})
    taken: set[str] = set()
    for place, spec in enumerate(array.spec.host_limits):
        path: Path = (*array.path, "host_limits", place, "hosts")
        for host in known.resolve(spec.hosts, path, problems):
            if host in taken:
                problems.add(
                    path,
                    f"'{host}' has a second limit at '{array.name}'",
                    "Keep one limit for each host",
                )
                continue
            taken.add(host)
            ports = net.wiring.linked_ports(host)
            initiators = [net.n_port_ids[host, port] for port in ports]
            name = f"{host} at {array.name}"
            limits.append(_limit_plan(name, HostLimited(initiators=initiators), spec))
    return limits


def _limit_plan(name: str, of: LimitedPlan, limit: Limit) -> ServiceLimitPlan:
    return ServiceLimitPlan(
        name=name,
        of=of,
        commands_per_s=limit.iops,
        bytes_per_s=limit.rate or None,
        burst_ps=limit.burst,
    )
