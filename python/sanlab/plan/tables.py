"""A plan as tables of text, for review before a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.explain import end_name, stack_names
from sanlab.plan.raid import data_units, level_number
from sanlab.plan.schema import (
    AccessPattern,
    FlashMedia,
    JournalMirrorMode,
    MemoryMedia,
    PagesCache,
    RaidMedia,
    RamMedia,
    SequentialAddress,
    SharedMedium,
    SynchronousMirrorMode,
    TracePattern,
)
from sanlab.quantities import about_size, counted, format_size, format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.plan.schema import ArrayPlan, JobPlan, LinkPlan, LoopPlan, LunPlan, Plan


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the names of columns, and rows of text; `rows_count` includes rows not shown."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    rows_count: int


def tables(plan: Plan, max_rows: int) -> list[Table]:
    """Return the tables of a plan that have rows, each with at most `max_rows`."""
    all_tables = [
        _hosts(plan, max_rows),
        _switches(plan, max_rows),
        _arrays(plan, max_rows),
        _groups(plan, max_rows),
        _luns(plan, max_rows),
        _stacks(plan, max_rows),
        _loops(plan, max_rows),
        _links(plan, max_rows),
        _jobs(plan, max_rows),
        _traffic(plan, max_rows),
    ]
    return [table for table in all_tables if table.rows_count]


def _hosts(plan: Plan, max_rows: int) -> Table:
    columns = ("host", "cores", "CPU per I/O", "ports", "HBA per I/O", "commands", "per LUN")
    rows = []
    for host in plan.hosts[:max_rows]:
        first = host.adapters[0] if host.adapters else None
        rows.append(
            (
                host.name,
                str(host.cores),
                format_time(host.cpu_submit_ps + host.cpu_complete_ps),
                str(len(host.adapters)),
                format_time(first.submit_ps + first.complete_ps) if first else "",
                str(first.max_commands) if first else "",
                str(first.lun_queue_depth) if first else "",
            )
        )
    return Table("Hosts", columns, rows, len(plan.hosts))


def _switches(plan: Plan, max_rows: int) -> Table:
    columns = ("switch", "domain", "ports", "latency", "forwarding", "routing")
    rows = [
        (
            switch.name,
            str(switch.domain),
            str(switch.ports),
            format_time(switch.forwarding_ps),
            "cut-through" if switch.cut_through else "store-and-forward",
            switch.routing.replace("_", "-"),
        )
        for switch in plan.switches[:max_rows]
    ]
    return Table("Switches", columns, rows, len(plan.switches))


def _arrays(plan: Plan, max_rows: int) -> Table:
    columns = (
        "array",
        "ports",
        "controllers",
        "processors",
        "per command",
        "burst",
        "cache",
        "disks",
    )
    stacks = stack_names(plan)
    arrays = [array for array in plan.arrays if array.name not in stacks]
    rows = [
        (
            array.name,
            str(len(array.n_ports)),
            str(len(array.controllers)),
            str(sum(controller.processors for controller in array.controllers)),
            format_time(array.command_ps),
            format_size(array.burst_bytes),
            _cache(array),
            str(len(array.disks)),
        )
        for array in arrays[:max_rows]
    ]
    return Table("Arrays", columns, rows, len(arrays))


def _cache(array: ArrayPlan) -> str:
    cache = array.cache
    if cache is None:
        return "off"
    if isinstance(cache, PagesCache):
        size = about_size(cache.pages * cache.page_bytes)
        kind = "write-back" if cache.write_back else "write-through"
        return f"{size} in pages of {format_size(cache.page_bytes)}, {kind}"
    return f"{cache.read_hit_ppm / 10_000:g} % hits in {format_time(cache.access_ps)}"


def _luns(plan: Plan, max_rows: int) -> Table:
    columns = ("LUN", "size", "queue depth", "blocks on", "mirror")
    stacks = stack_names(plan)
    luns = [(array, lun) for array in plan.arrays if array.name not in stacks for lun in array.luns]
    rows = [
        (
            lun.name,
            about_size(lun.bytes),
            str(lun.queue_depth),
            _media(lun, array),
            _mirror(plan, lun),
        )
        for array, lun in luns[:max_rows]
    ]
    return Table("LUNs", columns, rows, len(luns))


def _groups(plan: Plan, max_rows: int) -> Table:
    columns = ("RAID group", "level", "drives", "unit", "data", "fails", "rebuild", "back end")
    groups = [(array, group) for array in plan.arrays for group in array.groups]
    rows = []
    for array, group in groups[:max_rows]:
        data = data_units(level_number(group), len(group.disks)) * group.unit_bytes * group.rows
        first, last = array.disks[group.disks[0]], array.disks[group.disks[-1]]
        rebuild = "none"
        if group.rebuilds:
            rate = group.rebuilds[0].bytes_per_s
            rebuild = f"{rate / 1e6:g} MB/s" if rate else "no limit"
            spares = (array.disks[each.spare].name for each in group.rebuilds)
            rebuild += f" on {', '.join(spares)}"
        fails = [f"{failing.slot} at {format_time(failing.at_ps)}" for failing in group.failing]
        paths = 0 if array.back_end is None else len(array.back_end.initiators)
        rows.append(
            (
                group.name,
                str(level_number(group)),
                f"{first.name} to {last.name.rpartition('.')[2]}",
                format_size(group.unit_bytes),
                about_size(data),
                ", ".join(fails) or "none",
                rebuild,
                counted(paths, "loop") if paths else "direct",
            )
        )
    return Table("RAID groups", columns, rows, len(groups))


def _media(lun: LunPlan, array: ArrayPlan) -> str:
    media = lun.media
    if isinstance(media, RaidMedia):
        group = array.groups[media.group]
        level = level_number(group)
        return f"{group.name}, RAID {level}, from {format_size(media.start_bytes)}"
    if isinstance(media, FlashMedia):
        dies = media.channels * media.dies_per_channel
        return f"flash, {counted(dies, 'die')} on {counted(media.channels, 'channel')}"
    if isinstance(media, RamMedia):
        times = f"{format_time(media.command_ps)} apart, {format_time(media.latency_ps)} latency"
        return f"RAM, {counted(media.ports, 'port')}, {times}"
    if isinstance(media, MemoryMedia):
        return f"memory, {_service(media)}, {media.servers}x"
    depth = format_size(media.stripe_bytes)
    return f"{counted(len(media.disks), 'disk')} from {media.disks[0]}, stripe depth {depth}"


def _service(media: MemoryMedia) -> str:
    """Return the service time of memory, with how it varies."""
    time = format_time(media.service_ps)
    if media.variation:
        return f"{time} with a deviation of {media.variation / 1e4:g}%"
    return f"{time} {media.distribution}"


def _mirror(plan: Plan, lun: LunPlan) -> str:
    if lun.mirror is None:
        return ""
    target = plan.arrays[lun.mirror.array].luns[lun.mirror.lun].name
    mode = lun.mirror.mode
    if isinstance(mode, SynchronousMirrorMode):
        return f"{target}, synchronous"
    if isinstance(mode, JournalMirrorMode):
        journal = f"journal of {format_size(mode.bytes)}, {mode.when_full} when full"
        return f"{target}, asynchronous, {journal}"
    return f"{target}, asynchronous"


def _stacks(plan: Plan, max_rows: int) -> Table:
    columns = ("stack", "loops", "enclosures", "disks", "size of each", "queue depth")
    arrays = {array.name: array for array in plan.arrays}
    rows = []
    names = sorted(stack_names(plan))
    for name in names[:max_rows]:
        loops = [loop for loop in plan.loops if loop.name.rpartition(".")[0] == name]
        luns = arrays[name].luns if name in arrays else []
        sizes = {about_size(lun.bytes) for lun in luns}
        depths = {str(lun.queue_depth) for lun in luns}
        rows.append(
            (
                name,
                str(len(loops)),
                str(max(port.crossbar for loop in loops for port in loop.ports) + 1),
                str(len(luns)),
                ", ".join(sorted(sizes)),
                ", ".join(sorted(depths)),
            )
        )
    return Table("Stacks", columns, rows, len(names))


def _loops(plan: Plan, max_rows: int) -> Table:
    columns = ("loop", "medium", "speed", "ports", "hosts", "round trip")
    hosts = {adapter.n_port for host in plan.hosts for adapter in host.adapters}
    rows = [
        (
            loop.name,
            _medium(loop),
            loop.speed,
            str(len(loop.ports)),
            str(sum(port.n_port in hosts for port in loop.ports)),
            _round_trip(loop),
        )
        for loop in plan.loops[:max_rows]
    ]
    return Table("Loops", columns, rows, len(plan.loops))


def _medium(loop: LoopPlan) -> str:
    if isinstance(loop.medium, SharedMedium):
        return "shared"
    links = {string.links for string in loop.medium.strings}
    each = f", strings of {counted(min(links), 'link')}" if links else ""
    return f"{counted(len(loop.medium.crossbars), 'crossbar')}{each}"


def _round_trip(loop: LoopPlan) -> str:
    if isinstance(loop.medium, SharedMedium):
        return f"{sum(port.delay_ps for port in loop.ports) / 1e6:.3g}us"
    return "by pair"


def _links(plan: Plan, max_rows: int) -> Table:
    columns = ("from", "to", "speed", "delay", "credit there", "credit back")
    rows = [
        (
            end_name(plan, link.a, link.b),
            end_name(plan, link.b, link.a),
            link.speed,
            format_time(link.delay_ps),
            _credit(link, link.credit_a_to_b),
            _credit(link, link.credit_b_to_a),
        )
        for link in plan.links[:max_rows]
    ]
    return Table("Links", columns, rows, len(plan.links))


def _credit(link: LinkPlan, credit: int) -> str:
    """BB credit one way, and the virtual channels that share it."""
    channels = len(link.virtual_channels)
    return f"{credit} in {channels} channels" if channels > 1 else str(credit)


def _jobs(plan: Plan, max_rows: int) -> Table:
    columns = ("job", "through", "reads", "order", "bs", "depth", "region", "ends")
    rows = [
        (
            job.name,
            _through(plan, job),
            f"{job.read_ppm / 10_000:g} %",
            _order(job),
            format_size(job.block_bytes),
            str(job.iodepth) if job.iodepth else "open",
            f"{about_size(job.span_bytes)} at {about_size(job.offset_bytes)}",
            _end(plan, job),
        )
        for job in plan.jobs[:max_rows]
    ]
    return Table("Jobs", columns, rows, len(plan.jobs))


def _order(job: JobPlan) -> str:
    if isinstance(job.pattern, AccessPattern):
        return f"access, {counted(len(job.pattern.lines), 'line')}"
    if isinstance(job.pattern, TracePattern):
        return f"trace, {counted(job.pattern.requests, 'request')}"
    return "sequential" if isinstance(job.addresses, SequentialAddress) else "random"


def _through(plan: Plan, job: JobPlan) -> str:
    path = job.targets[0].paths[0]
    adapter = plan.hosts[job.host].adapters[path.adapter]
    others = len(job.targets) - 1
    more = f" and {counted(others, 'other LUN')}" if others > 0 else ""
    ports = plan.n_ports
    own = adapter.n_port if job.initiator is None else job.initiator
    return f"{ports[own].name} to {ports[path.target_n_port].name}{more}"


def _end(plan: Plan, job: JobPlan) -> str:
    ends = []
    befores = [plan.workloads[before].name for before in plan.workloads[job.workload].after]
    waits = f"starts after {', '.join(befores)}, ends " if befores else ""
    if job.total_bytes:
        ends.append(f"after {about_size(job.total_bytes)}")
    if job.stop_ps:
        ends.append(
            f"{format_time(job.stop_ps)} later" if befores else f"at {format_time(job.stop_ps)}"
        )
    return waits + (" or ".join(ends) or "with the run")


def _traffic(plan: Plan, max_rows: int) -> Table:
    columns = ("frames", "from", "to", "payload", "every")
    rows = [
        (
            flow.name,
            plan.n_ports[flow.source_n_port].name,
            plan.n_ports[flow.target_n_port].name,
            format_size(flow.payload_bytes),
            format_time(flow.arrivals.interval_ps) if flow.arrivals else "as fast as possible",
        )
        for flow in plan.traffic[:max_rows]
    ]
    return Table("Traffic", columns, rows, len(plan.traffic))
