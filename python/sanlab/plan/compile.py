"""From a scenario to a plan: names to ids, defaults filled in, everything checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sanlab.plan.acceleration import accelerate
from sanlab.plan.amounts import refuse_long_services, refuse_many_open
from sanlab.plan.arrays import build_arrays
from sanlab.plan.back_ends import BackEnds
from sanlab.plan.boxes import build_boxes
from sanlab.plan.buffers import grant_buffers
from sanlab.plan.bus_checks import check_buses
from sanlab.plan.controllers import check_controllers
from sanlab.plan.fabric import build_links, build_n_ports, build_switches, fl_links, n_port_ids
from sanlab.plan.faults import build_faults
from sanlab.plan.host_plans import build_hosts
from sanlab.plan.job_paths import JobMaker
from sanlab.plan.jobs import build_jobs
from sanlab.plan.journals import with_journals
from sanlab.plan.loop_faults import build_loop_faults
from sanlab.plan.loops import build_loops
from sanlab.plan.luns import place_luns
from sanlab.plan.names import Problems
from sanlab.plan.npiv import number_virtual_ports, virtual_n_ports
from sanlab.plan.phases import build_phases
from sanlab.plan.qos import build_qos
from sanlab.plan.schema import FORMAT, Plan
from sanlab.plan.services.outcome import Talkers, Wired, extra_links, outcome_of
from sanlab.plan.times import Parts, times_of
from sanlab.plan.traffic import Network, build_traffic
from sanlab.plan.volumes import build_volumes
from sanlab.plan.wiring import wire
from sanlab.scenario.base import overlaid

if TYPE_CHECKING:
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path


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
    grants = grant_buffers(scenario, boxes, wiring, problems)
    rooms = accelerate(scenario, boxes, wiring, problems)
    check_buses(boxes, wiring, problems)
    check_controllers(boxes.arrays, problems)
    problems.stop_if_any()
    table = place_luns(boxes, wiring, problems)
    problems.stop_if_any()
    ids = n_port_ids(boxes, wiring)
    loops = build_loops(boxes, wiring.attached, ids, problems)
    problems.stop_if_any()
    linked = build_n_ports(boxes, wiring, ids, loops)
    loop_faults = build_loop_faults(scenario, boxes, loops, linked, problems)
    faults = build_faults(scenario, boxes, wiring, ids, problems)
    back_ends = BackEnds(first_n_port=len(ids))
    for index, array in enumerate(boxes.arrays):
        back_ends.add(array, table.disk_names(index, array), len(loops), problems)
    net = Network(boxes, wiring, ids)
    arrays = build_arrays(net, table, back_ends, faults.controllers, problems)
    problems.stop_if_any()
    flows: dict[str, Path] = {}
    virtual = number_virtual_ports(boxes, ids, len(ids) + len(back_ends.n_ports))
    volumes = build_volumes(scenario, boxes, table, problems)
    problems.stop_if_any()
    maker = JobMaker(boxes, wiring, table, ids, problems, virtual, volumes)
    workloads, jobs = build_jobs(scenario, maker, flows)
    traffic = build_traffic(scenario, net, flows, problems)
    qos = build_qos(scenario, net, problems)
    if not scenario.workloads and not scenario.traffic:
        problems.add((), "The scenario has no load to simulate", "Add 'workloads:' or 'traffic:'")
    hosts = build_hosts(boxes, wiring, ids)
    on_buses = sum(adapter.bus is not None for host in hosts for adapter in host.adapters)
    joints = fl_links(net, loops)
    clocks = len(loops) + len(back_ends.loops) + on_buses
    links_count = len(wiring.links) + len(joints) + extra_links(scenario, boxes)
    parts = Parts(links_count, clocks, jobs, traffic)
    end_ps, interval_ps = times_of(scenario, parts, problems)
    phases = build_phases(scenario, end_ps, problems)
    refuse_many_open(scenario, jobs, problems)
    refuse_long_services(scenario, jobs, hosts, end_ps, problems)
    problems.stop_at_end()
    workloads, jobs = with_journals(workloads, jobs, volumes)
    n_ports = [*linked, *back_ends.n_ports, *virtual_n_ports(virtual, linked, ids)]
    services = outcome_of(
        Wired(scenario, boxes, wiring, n_ports, faults.outages, end_ps),
        Talkers(hosts, arrays, jobs, traffic),
        problems,
    )
    return Plan(
        format=FORMAT,
        title=scenario.title or "",
        seed=scenario.seed,
        end_ps=end_ps,
        interval_ps=interval_ps,
        data_frame_bytes=scenario.measure.data_frame,
        n_ports=[*n_ports, *services.n_ports],
        switches=build_switches(scenario, boxes, wiring),
        links=[
            *build_links(net, faults, services.outages, grants, rooms),
            *services.links,
            *joints,
        ],
        loops=[*loops, *back_ends.loops],
        loop_faults=loop_faults,
        faults=faults.plan(scenario, services.faults, has_loop_faults=bool(loop_faults)),
        hosts=hosts,
        arrays=arrays,
        workloads=workloads,
        phases=phases,
        jobs=jobs,
        file_systems=[volume.file_system.plan for volume in volumes.values() if volume.file_system],
        traffic=traffic,
        qos=qos,
        r_rdy_waits=scenario.fabric.r_rdy_waits,
        services=services.services,
    )


def with_seed(plan: Plan, scenario: Scenario, seed: int) -> Plan:
    """Return the plan of a scenario under another seed.

    Random faults are drawn during planning, so they are drawn again.
    """
    if any(fault.mtbf is not None for fault in scenario.faults):
        return compile_plan(overlaid(scenario, {"seed": seed}))
    return msgspec.structs.replace(plan, seed=seed)
