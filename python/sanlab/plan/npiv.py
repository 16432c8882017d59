"""Virtual ports: N_Ports with their own names and addresses that share the link of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan import addressing
from sanlab.plan.schema import NPortPlan

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import End


@dataclass(frozen=True, slots=True)
class VirtualPort:
    """A virtual port of a host: the port whose link it shares, and its number in the plan."""

    host: str
    label: str
    parent: str
    n_port: int


def number_virtual_ports(
    boxes: Boxes, ids: dict[End, int], first_n_port: int
) -> dict[End, VirtualPort]:
    """Return the virtual ports whose adapter has a link, numbered from `first_n_port`."""
    found: dict[End, VirtualPort] = {}
    for host in boxes.hosts:
        for hba in host.hbas:
            parent = f"{hba.name}.p0"
            if (host.name, parent) not in ids:
                continue
            for name in hba.npiv:
                label = f"{hba.name}.{name}"
                number = first_n_port + len(found)
                found[host.name, label] = VirtualPort(host.name, label, parent, number)
    return found


def virtual_n_ports(
    virtual: dict[End, VirtualPort], n_ports: list[NPortPlan], ids: dict[End, int]
) -> list[NPortPlan]:
    """Return the virtual ports of the plan; the fabric numbers their addresses (FDISC)."""
    nth: dict[int, int] = {}
    found = []
    for port in virtual.values():
        parent = ids[port.host, port.parent]
        nth[parent] = nth.get(parent, 0) + 1
        name = f"{port.host}.{port.label}"
        owner = n_ports[parent]
        found.append(
            NPortPlan(
                name=name,
                node=owner.node,
                fc_id=owner.fc_id + nth[parent],
                wwpn=addressing.wwpn_of(name),
                tx_buffers=owner.tx_buffers,
                class3_sequences=owner.class3_sequences,
                interleave=owner.interleave,
                rx_hold_ps=owner.rx_hold_ps,
                drain_bytes_per_s=owner.drain_bytes_per_s,
                shares=parent,
            )
        )
    return found
