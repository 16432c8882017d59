"""Hosts of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.multipath import multipath_of
from sanlab.plan.schema import AdapterPlan, EnginePlan, HostPlan

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.defaults import ResolvedHba
    from sanlab.plan.names import End
    from sanlab.plan.wiring import Wiring


def build_hosts(boxes: Boxes, wiring: Wiring, ids: dict[End, int]) -> list[HostPlan]:
    """Return the hosts of the plan."""
    hosts = []
    for host in boxes.hosts:
        hbas = {hba.name: hba for hba in host.hbas}
        adapters = []
        engines: dict[str, EnginePlan] = {}
        for port in wiring.linked_ports(host.name):
            hba = hbas[port.partition(".")[0]]
            driven_by = f"{host.name}.{hba.name if hba.engine == 'card' else port}"
            engines.setdefault(driven_by, _engine_of(hba, driven_by))
            adapters.append(
                AdapterPlan(
                    n_port=ids[host.name, port],
                    engine=list(engines).index(driven_by),
                    submit_ps=hba.submit_ps,
                    complete_ps=hba.complete_ps,
                    max_commands=hba.execution_throttle,
                    lun_queue_depth=hba.lun_queue_depth,
                    command_timeout_ps=hba.command_timeout_ps or None,
                    path_timeout_ps=hba.path_timeout_ps,
                    retries=hba.retries,
                    transfer_ps=hba.transfer_ps,
                    latency_ps=hba.card_latency_ps,
                    interrupt_delay_ps=hba.interrupt_delay_ps or None,
                    bus=None if hba.bus is None else host.buses.index(hba.bus),
                )
            )
        hosts.append(
            HostPlan(
                name=host.name,
                cores=host.cpu.cores,
                cpu_submit_ps=host.cpu.submit_ps,
                cpu_complete_ps=host.cpu.complete_ps,
                cpu_command_ps=host.cpu.command_ps,
                cpu_interrupt_ps=host.cpu.interrupt_ps,
                max_request_bytes=host.os.max_request_bytes or None,
                submission=host.os.submission,
                engines=list(engines.values()),
                adapters=adapters,
                buses=[bus.plan(host.name) for bus in host.buses],
                multipath=multipath_of(host.multipath),
            )
        )
    return hosts


def _engine_of(hba: ResolvedHba, name: str) -> EnginePlan:
    return EnginePlan(name=name, bytes_per_s=hba.data_rate, turnaround_ps=hba.turnaround_ps)
