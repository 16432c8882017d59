"""Checks of buses against the links of their adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import Problems
    from sanlab.plan.wiring import Wiring


def check_buses(boxes: Boxes, wiring: Wiring, problems: Problems) -> None:
    """Note adapters on a bus and on a loop: buses do not carry frames of loops."""
    for host in boxes.hosts:
        path = boxes.by_name[host.name].path
        for hba in host.hbas:
            ports = [f"{hba.name}.p{number}" for number in range(hba.ports.count)]
            on_loop = [port for port in ports if (host.name, port) in wiring.loop_of]
            if hba.bus is not None and on_loop:
                problems.add(
                    (*path, "hbas", hba.place, "bus"),
                    f"'{host.name}.{on_loop[0]}' is on an arbitrated loop, and 'bus' is not "
                    "supported there",
                    "Remove 'bus', or link the port to a switch",
                )
