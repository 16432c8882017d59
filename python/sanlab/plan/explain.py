"""Summary of a plan in numbers and sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sanlab.plan.amounts import many_open
from sanlab.plan.schema import LoopEnd, NPortEnd, SsdDiskModel, SwitchEnd
from sanlab.quantities import PS_PER_S, format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.plan.schema import EndPlan, HostPlan, JobPlan, LinkPlan, Plan

#: Bytes around the payload of a frame: SOF 4, header 24, CRC 4, EOF 4 (FC-FS).
FRAME_OVERHEAD_BYTES = 36


def stack_names(plan: Plan) -> set[str]:
    """Return the names of the stacks: arrays of the plan with ports on loops `NAME.a`.

    An array whose controllers have loops to their disks is not a stack.
    """
    behind = {array.name for array in plan.arrays if array.back_end is not None}
    return {loop.name.rpartition(".")[0] for loop in plan.loops} - behind


def totals(plan: Plan) -> dict[str, int]:
    """Return the number of elements of each kind; disks of a stack count only as disks."""
    stacks = stack_names(plan)
    arrays = [array for array in plan.arrays if array.name not in stacks]
    drives = [disk.model for array in plan.arrays for disk in array.disks]
    ssds = sum(isinstance(model, SsdDiskModel) for model in drives)
    return {
        "hosts_count": len(plan.hosts),
        "switches_count": len(plan.switches),
        "arrays_count": len(arrays),
        "luns_count": sum(len(array.luns) for array in arrays),
        "groups_count": sum(len(array.groups) for array in plan.arrays),
        "stacks_count": len(stacks),
        "loops_count": len(plan.loops),
        "disks_count": len(drives) - ssds,
        "ssds_count": ssds,
        "mirrors_count": sum(lun.mirror is not None for a in plan.arrays for lun in a.luns),
        "links_count": len(plan.links),
        "n_ports_count": len(plan.n_ports),
        "workloads_count": len(plan.workloads),
        "jobs_count": len(plan.jobs),
        "traffic_count": len(plan.traffic),
    }


def links_by_speed(plan: Plan) -> dict[str, int]:
    """Return the number of links of each speed."""
    return dict(Counter(link.speed for link in plan.links))


def end_names(plan: Plan) -> dict[str, tuple[int, int]]:
    """Name of every port that takes part, with its link and the end of it, 0 for `a`, 1 for `b`.

    Ports on loops follow the links, two for each number, in the order of the loops.
    """
    names = {}
    for number, link in enumerate(plan.links):
        for side, (here, there) in enumerate(((link.a, link.b), (link.b, link.a))):
            if not isinstance(here, LoopEnd):
                names[end_name(plan, here, there)] = number, side
    on_loops = (port for loop in plan.loops for port in loop.ports)
    for number, port in enumerate(on_loops, start=2 * len(plan.links)):
        if port.n_port is not None:
            names[plan.n_ports[port.n_port].name] = divmod(number, 2)
    return names


def end_name(plan: Plan, here: EndPlan, there: EndPlan) -> str:
    """Name of the port at one end of a link: `host1.hba0.p0`, `sw1.f3`, `sw1.e16`.

    A switch port is an F_Port if the other end of its link is an N_Port, an FL_Port if it is on a
    loop, else an E_Port. The loop is named itself.
    """
    if isinstance(here, NPortEnd):
        return plan.n_ports[here.n_port].name
    if isinstance(here, LoopEnd):
        return plan.loops[here.loop_id].name
    role = "e" if isinstance(there, SwitchEnd) else "f" if isinstance(there, NPortEnd) else "fl"
    return f"{plan.switches[here.switch].name}.{role}{here.port}"


def pairs_of_job(hosts: Sequence[HostPlan], job: JobPlan) -> list[tuple[int, int]]:
    """Return the N_Ports at both ends of a job's paths; the first is that of its first LUN."""
    adapters = hosts[job.host].adapters
    pairs = []
    for target in job.targets:
        for path in target.paths:
            own = adapters[path.adapter].n_port
            pairs.append((own if job.initiator is None else job.initiator, path.target_n_port))
    return pairs


def credit_to_fill(link: LinkPlan, data_frame_bytes: int) -> int:
    """BB credit that keeps a fibre of this length busy with full frames.

    A credit returns after a round trip, so the port needs credit for the frames of a round trip
    and one more for the frame being sent.
    """
    bytes_per_frame = data_frame_bytes + FRAME_OVERHEAD_BYTES + link.gap_bytes
    round_trip_bytes = 2 * link.delay_ps * link.bytes_per_s
    return -(-round_trip_bytes // (PS_PER_S * bytes_per_frame)) + 1


def remarks(plan: Plan) -> list[str]:
    """Return what is valid and may still be a mistake: much open I/O, a bin beyond the end."""
    found = [sentence for sentence in [many_open(plan)] if sentence]
    if plan.interval_ps is not None and plan.interval_ps > plan.end_ps:
        found.append(
            f"measure.interval: a bin of {format_time(plan.interval_ps)} is longer than the run of "
            f"{format_time(plan.end_ps)}, so the time series have one bin"
        )
    return found


def notes(plan: Plan) -> list[str]:
    """Return the remarks, and notes on links with too little credit and parts without a link."""
    found = remarks(plan)
    for link in plan.links:
        need = link.members * credit_to_fill(link, plan.data_frame_bytes)
        least = min(link.credit_a_to_b, link.credit_b_to_a)
        if least < need:
            ends = f"{end_name(plan, link.a, link.b)} to {end_name(plan, link.b, link.a)}"
            found.append(
                f"{ends}: {least} BB credits on a delay of {format_time(link.delay_ps)}; "
                f"full frames need {need} to fill it"
            )
    idle = [host.name for host in plan.hosts if not host.adapters]
    idle += [array.name for array in plan.arrays if not array.n_ports]
    found += [f"{name}: not simulated, because it has no link" for name in idle]
    return found
