"""From a scenario to a plan: names to ids, defaults filled in, everything checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from sanlab.plan import addressing
from sanlab.plan.back_ends import BackEnds
from sanlab.plan.boxes import build_boxes
from sanlab.plan.buses import check_buses
from sanlab.plan.defaults import DEFAULT_DURATION_PS, DEFAULT_INTERVAL_PS, LATEST_END_PS, given
from sanlab.plan.faults import FabricFaults, build_faults
from sanlab.plan.file_systems import with_journals
from sanlab.plan.jobs import JobMaker, build_jobs
from sanlab.plan.loop_faults import build_loop_faults
from sanlab.plan.loops import build_loops
from sanlab.plan.multipath import multipath_of
from sanlab.plan.names import Problems
from sanlab.plan.npiv import number_virtual_ports, virtual_n_ports
from sanlab.plan.qos import build_qos, channels_of, classes_of
from sanlab.plan.schema import (
    FORMAT,
    AdapterPlan,
    EndAtNPort,
    EndAtSwitch,
    HostPlan,
    LinkPlan,
    NPortPlan,
    Plan,
    SwitchEnd,
    SwitchPlan,
)
from sanlab.plan.services.apply import extra_links, with_services
from sanlab.plan.spans import outages_of
from sanlab.plan.storage import build_arrays, place_luns
from sanlab.plan.traffic import Network, build_traffic
from sanlab.plan.volumes import build_volumes
from sanlab.plan.wiring import wire
from sanlab.quantities import PS_PER_S, SPEEDS, counted, format_time
from sanlab.scenario.qos import SHARED_CLASS

if TYPE_CHECKING:
    from typing import Literal

    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import End
    from sanlab.plan.schema import EndPlan, JobPlan, LoopPlan, TrafficPlan
    from sanlab.plan.wiring import WiredLink, Wiring
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path

#: Bins of a time series.
MAX_BINS = 1_000_000
_MM_PER_KM = 1_000_000


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the length of a run follows from."""

    links_count: int
    loops_count: int
    jobs: list[JobPlan]
    traffic: list[TrafficPlan]


def compile_plan(scenario: Scenario) -> Plan:
    """Resolve a scenario.

    Raises
    ------
    ScenarioError
        With every problem found, each with its place in the file.
    """
    problems = Problems(scenario)
    boxes = build_boxes(scenario, problems)
    problems.stop_if_any()
    wiring = wire(scenario, boxes, problems)
    check_buses(boxes, wiring, problems)
    problems.stop_if_any()
    table = place_luns(boxes, wiring, problems)
    problems.stop_if_any()
    ids = _n_port_ids(boxes, wiring)
    loops = build_loops(boxes, wiring.attached, ids, problems)
    problems.stop_if_any()
    n_ports = _n_ports(boxes, wiring, ids, loops)
    loop_faults = build_loop_faults(scenario, boxes, loops, n_ports, problems)
    faults = build_faults(scenario, boxes, wiring, ids, problems)
    arrays = build_arrays(boxes, table, wiring, ids, problems)
    back_ends = BackEnds(first_n_port=len(ids))
    for index, array in enumerate(boxes.arrays):
        back_ends.add(array, table.disk_names(index, array), len(loops), problems)
    problems.stop_if_any()
    arrays = [
        array.model_copy(update={"back_end": back_ends.of_array.get(array.name)})
        for array in arrays
    ]
    flows: dict[str, Path] = {}
    virtual = number_virtual_ports(boxes, ids, len(ids) + len(back_ends.n_ports))
    volumes = build_volumes(scenario, boxes, table, problems)
    problems.stop_if_any()
    maker = JobMaker(boxes, wiring, table, ids, problems, virtual, volumes)
    workloads, jobs = build_jobs(scenario, maker, flows)
    net = Network(boxes, wiring, ids)
    traffic = build_traffic(scenario, net, flows, problems)
    qos = build_qos(scenario, net, problems)
    if not scenario.workloads and not scenario.traffic:
        problems.add((), "There is nothing to simulate", "Add 'workloads:' or 'traffic:'")
    hosts = _hosts(boxes, wiring, ids)
    on_buses = sum(adapter.bus is not None for host in hosts for adapter in host.adapters)
    clocks = len(loops) + len(back_ends.loops) + on_buses
    parts = _Parts(len(wiring.links) + extra_links(scenario, boxes), clocks, jobs, traffic)
    end_ps, interval_ps = _times(scenario, parts, problems)
    problems.stop_if_any()
    workloads, jobs = with_journals(workloads, jobs, volumes)
    plan = Plan(
        format=FORMAT,
        title=scenario.title or "untitled",
        seed=scenario.seed,
        end_ps=end_ps,
        interval_ps=interval_ps,
        data_frame_bytes=scenario.measure.data_frame,
        n_ports=[*n_ports, *back_ends.n_ports, *virtual_n_ports(virtual, n_ports, ids)],
        switches=_switches(boxes, has_priorities=_has_priorities(scenario)),
        links=[
            _with_faults(_link(link, boxes, ids), number, faults)
            for number, link in enumerate(wiring.links)
        ],
        loops=[*loops, *back_ends.loops],
        loop_faults=loop_faults,
        faults=faults.plan(scenario, has_loop_faults=bool(loop_faults)),
        hosts=hosts,
        arrays=arrays,
        workloads=workloads,
        jobs=jobs,
        file_systems=[it.file_system.plan for it in volumes.values() if it.file_system],
        traffic=traffic,
        qos=qos,
    )
    return with_services(plan, scenario, boxes, wiring, problems)


def with_seed(plan: Plan, scenario: Scenario, seed: int) -> Plan:
    """Return the plan of a scenario under another seed.

    Faults at random are drawn while planning: they are drawn anew.
    """
    if any(fault.mtbf is not None for fault in scenario.faults):
        return compile_plan(scenario.model_copy(update={"seed": seed}))
    return plan.model_copy(update={"seed": seed})


def _n_port_ids(boxes: Boxes, wiring: Wiring) -> dict[End, int]:
    """Index of every N_Port that has a link; those without one take no part."""
    ends = [(box, port) for box, port, _ in boxes.n_ports if wiring.is_linked((box, port))]
    return {end: index for index, end in enumerate(ends)}


def _n_ports(
    boxes: Boxes, wiring: Wiring, ids: dict[End, int], loops: list[LoopPlan]
) -> list[NPortPlan]:
    domains = {switch.name: switch.domain for switch in boxes.switches}
    on_loops = {
        port.n_port: addressing.fc_id_on_loop(number, port.al_pa)
        for number, loop in enumerate(loops)
        for port in loop.ports
    }
    n_ports = []
    direct_count = 0
    for box, port, values in boxes.n_ports:
        if (box, port) not in ids:
            continue
        on_loop = on_loops.get(ids[box, port])
        if on_loop is not None:
            fc_id = on_loop
        elif (peer := wiring.peer((box, port)))[0] in domains:
            fc_id = addressing.fc_id_on_switch(domains[peer[0]], int(peer[1]))
        else:
            direct_count += 1
            fc_id = addressing.fc_id_on_direct_link(direct_count)
        name = f"{box}.{port}"
        n_ports.append(
            NPortPlan(
                name=name,
                node=box,
                fc_id=fc_id,
                wwpn=addressing.wwpn_of(name),
                tx_buffers=values.tx_buffers,
                class3_sequences=values.class3_sequences,
                interleave=cast("Literal['sequence', 'frame', 'control']", values.interleave),
                rx_hold_ps=values.rx_hold_ps,
                drain_bytes_per_s=values.drain_bytes_per_s,
            )
        )
    return n_ports


def _has_priorities(scenario: Scenario) -> bool:
    """Whether frames are told apart by priority anywhere."""
    channels = [link.virtual_channels for link in scenario.links]
    has_own = any(it is not None and it.shared is None for it in channels)
    return has_own or any(it.priority is not None for it in scenario.qos)


def _switches(boxes: Boxes, *, has_priorities: bool) -> list[SwitchPlan]:
    return [
        SwitchPlan.model_validate(
            {
                "name": switch.name,
                "domain": switch.domain,
                "forwarding_ps": switch.values.latency_ps,
                "cut_through": switch.values.cut_through,
                "routing": switch.values.routing,
                "ports": switch.values.ports,
                "classes": classes_of(switch.values.qos) if has_priorities else [],
                "shared_class": SHARED_CLASS if has_priorities else 0,
            }
        )
        for switch in boxes.switches
    ]


def _link(link: WiredLink, boxes: Boxes, ids: dict[End, int]) -> LinkPlan:
    spec = link.spec
    a_grants = given(given(spec.bb_credit_from, spec.bb_credit), _credit(link.a, boxes))
    b_grants = given(given(spec.bb_credit_to, spec.bb_credit), _credit(link.b, boxes))
    longest = spec.length + given(spec.skew, 0)
    return LinkPlan(
        a=_end(link.a, boxes, ids),
        b=_end(link.b, boxes, ids),
        speed=link.speed,
        bytes_per_s=SPEEDS[link.speed],
        gap_bytes=spec.gap,
        delay_ps=round(longest * spec.propagation / _MM_PER_KM),
        credit_a_to_b=b_grants * link.members,
        credit_b_to_a=a_grants * link.members,
        fspf_cost=link.fspf_cost,
        members=link.members,
        virtual_channels=channels_of(spec, b_grants * link.members, a_grants * link.members),
    )


def _credit(end: End, boxes: Boxes) -> int:
    return boxes.by_name[end[0]].ports[end[1]].bb_credit


def _end(end: End, boxes: Boxes, ids: dict[End, int]) -> EndPlan:
    box, port = end
    if end in ids:
        return EndAtNPort(n_port=ids[end])
    index = next(i for i, switch in enumerate(boxes.switches) if switch.name == box)
    return EndAtSwitch(switch=SwitchEnd(switch=index, port=int(port)))


def _with_faults(link: LinkPlan, number: int, faults: FabricFaults) -> LinkPlan:
    return link.model_copy(
        update={
            "outages": outages_of(faults.outages.get(number, [])),
            "member_outages": sorted(
                faults.member_outages.get(number, []), key=lambda outage: outage.from_ps
            ),
            "bit_error_interval": faults.bit_errors.get(number, 0),
        }
    )


def _hosts(boxes: Boxes, wiring: Wiring, ids: dict[End, int]) -> list[HostPlan]:
    hosts = []
    for host in boxes.hosts:
        hbas = {hba.name: hba for hba in host.hbas}
        adapters = []
        for port in wiring.linked_ports(host.name):
            hba = hbas[port.partition(".")[0]]
            adapters.append(
                AdapterPlan(
                    n_port=ids[host.name, port],
                    submit_ps=hba.submit_ps,
                    complete_ps=hba.complete_ps,
                    max_commands=hba.execution_throttle,
                    lun_queue_depth=hba.lun_queue_depth,
                    command_timeout_ps=hba.command_timeout_ps,
                    path_timeout_ps=hba.path_timeout_ps,
                    retries=hba.retries,
                    transfer_ps=hba.transfer_ps,
                    latency_ps=hba.card_latency_ps,
                    interrupt_delay_ps=hba.interrupt_delay_ps,
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
                max_request_bytes=host.os.max_request_bytes,
                submission=host.os.submission,
                adapters=adapters,
                buses=[bus.plan(host.name) for bus in host.buses],
                multipath=multipath_of(host.multipath),
            )
        )
    return hosts


def latest_end(links_count: int, loops_count: int = 0) -> int:
    """Return the end of the engine's clock, which shares a 62-bit word with the fibre it is of."""
    fibres = max(2, 2 * links_count + loops_count)
    return 2**62 >> (fibres - 1).bit_length()


def _times(scenario: Scenario, parts: _Parts, problems: Problems) -> tuple[int, int]:
    """Return the latest end of the run and the length of a bin.

    Without `duration`, a run in which every job and all traffic ends by itself may take an hour of
    simulated time; any other takes one second.
    """
    measure = scenario.measure
    limit = latest_end(parts.links_count, parts.loops_count)
    ends_itself = all(job.total_bytes or job.stop_ps for job in parts.jobs) and all(
        flow.frames for flow in parts.traffic
    )
    default = min(LATEST_END_PS, limit) if ends_itself else DEFAULT_DURATION_PS
    end = given(measure.duration, default)
    if end > limit:
        problems.add(
            ("measure", "duration"),
            f"With {counted(parts.links_count, 'link')} the clock ends at "
            f"{limit // PS_PER_S} s of simulated time",
            "Make 'duration' shorter",
        )
    is_known = measure.duration is not None or not ends_itself
    interval = given(measure.interval, max(1, end // 100) if is_known else DEFAULT_INTERVAL_PS)
    if is_known and end // interval > MAX_BINS:
        problems.add(
            ("measure", "interval"),
            f"{format_time(end)} in bins of {format_time(interval)} make more than {MAX_BINS} bins",
            "Make 'interval' longer",
        )
    if measure.duration is not None:
        _check_starts(scenario, end, problems)
    return end, interval


def _check_starts(scenario: Scenario, end: int, problems: Problems) -> None:
    """Note workloads that would not count anything before the end."""
    for index, work in enumerate(scenario.workloads):
        counts_from = work.start_delay + work.ramp_time
        if counts_from >= end:
            problems.add(
                ("workloads", index, "ramp_time" if work.ramp_time else "start_delay"),
                f"Counting would start at {format_time(counts_from)}, "
                f"and the run ends at {format_time(end)}",
                "Make 'measure.duration' longer",
            )
