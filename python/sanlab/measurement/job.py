"""The job file of a measurement: one section of fio for each job of the plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sanlab.errors import SanlabError
from sanlab.exporters.fio_job import options, refusal
from sanlab.measurement.iscsi import MOST_OPEN
from sanlab.measurement.places import Use
from sanlab.plan.presets import workloads_by_name

if TYPE_CHECKING:
    from sanlab.measurement.places import Place
    from sanlab.plan.schema import Plan
    from sanlab.scenario.scenario import Scenario
    from sanlab.scenario.workload import Workload

#: Shortest time that is measured, in milliseconds.
LEAST_MS = 1000
#: Picoseconds in a millisecond.
PS_PER_MS = 1_000_000_000


@dataclass(frozen=True)
class Section:
    """A section of a job file: one job of the plan.

    Attributes
    ----------
    files
        Files that fio makes for it on another machine.
    start_ms, ramp_ms, run_ms
        When it starts, how long it runs before its I/O counts, and how long its I/O counts.
    """

    name: str
    workload: str
    host: str
    text: str
    start_ms: int
    ramp_ms: int
    run_ms: int
    files: tuple[str, ...] = ()

    @property
    def end_ms(self) -> int:
        """When it ends, from the start of the measurement."""
        return self.start_ms + self.ramp_ms + self.run_ms


def luns_of(plan: Plan, scenario: Scenario) -> dict[str, Use]:
    """Return the LUNs that are used, and by whom.

    Raises
    ------
    SanlabError
        A workload cannot be measured.
    """
    used: dict[str, Use] = {}
    works = workloads_by_name(scenario)
    for job in plan.jobs:
        name = plan.workloads[job.workload].name
        if plan.workloads[job.workload].file_system is not None or name not in works:
            continue
        why = refusal(works[name]) or _refusal(works[name], job)
        if why:
            reason = f"{name} cannot be measured: {why}"
            raise SanlabError(reason)
        for target in job.targets:
            use = used.setdefault(plan.arrays[target.array].luns[target.lun].name, Use())
            host = plan.hosts[job.host].name
            if host not in use.hosts:
                use.hosts.append(host)
            use.is_written |= job.read_ppm < 1_000_000
    if not used:
        reason = "the scenario has no workload that could be measured"
        raise SanlabError(reason)
    return used


def _refusal(work: Workload, job: Any) -> str:  # noqa: ANN401  one of the plan's unions
    if work.after:
        return "it waits for another workload; measure them one after the other"
    if job.volume is not None or job.file_system is not None:
        return "it uses a volume or a file system of the scenario; name LUNs as its targets"
    return ""


def sections_of(
    plan: Plan, scenario: Scenario, places: dict[str, Place], run_ms: int | None
) -> list[Section]:
    """Return the sections of the job file.

    Parameters
    ----------
    run_ms
        How long to measure; None for the time that the scenario says.

    Raises
    ------
    SanlabError
        The scenario says less than a second.
    """
    works = workloads_by_name(scenario)
    found = []
    for number, job in enumerate(plan.jobs):
        name = plan.workloads[job.workload].name
        if name not in works:
            continue
        span = plan.end_ps if job.stop_ps is None else job.stop_ps
        asked_ms = (span - job.start_ps - job.ramp_ps) // PS_PER_MS
        if run_ms is None and asked_ms < LEAST_MS:
            reason = (
                f"{name} runs for {asked_ms} ms, too short for a measurement: add --runtime 10s"
            )
            raise SanlabError(reason)
        timing = job.start_ps // PS_PER_MS, job.ramp_ps // PS_PER_MS, run_ms or asked_ms
        luns = [plan.arrays[target.array].luns[target.lun] for target in job.targets]
        own = [places[lun.name] for lun in luns]
        region = _region(job, min(lun.bytes for lun in luns), min(place.bytes for place in own))
        host = plan.hosts[job.host].name
        where = _where(works[name], host, own)
        text = "\n".join([*where, *_text(works[name], region, timing)])
        files = tuple(place.files[host] for place in own if host in place.files)
        found.append(Section(f"job{number}", name, host, text, *timing, files))
    return _unlinked(found)


def _unlinked(sections: list[Section]) -> list[Section]:
    """The sections; the last one on a file that fio makes removes it."""
    last: dict[str, Section] = {}
    for section in sections:
        for file in section.files:
            last[file] = max(last.get(file, section), section, key=lambda one: one.end_ms)
    ends = {section.name for section in last.values()}
    return [
        replace(one, text=f"{one.text}\nunlink=1") if one.name in ends else one for one in sections
    ]


def _region(job: Any, whole: int, room: int) -> tuple[str, str]:  # noqa: ANN401  one of the plan's unions
    """First byte and length of a job's region, both in proportion if there is less room.

    Of a device whose size is not known they are percentages.
    """
    if not room:
        percent = max(1, 100 * job.span_bytes // whole)
        return f"{min(100 * job.offset_bytes // whole, 100 - percent)}%", f"{percent}%"
    part = min(1.0, room / whole)
    block = job.block_bytes
    span = max(block, int(job.span_bytes * part) // block * block)
    offset = min(int(job.offset_bytes * part), room - span)
    return str(max(0, offset) // block * block), str(span)


def _text(work: Workload, region: tuple[str, str], timing: tuple[int, int, int]) -> list[str]:
    """Options of a section but its place: of the workload, with the times of the measurement."""
    start_ms, ramp_ms, run_ms = timing
    skipped = {"filename", "numjobs", "size", "io_size", "offset", "offset_increment", "loops"}
    skipped |= {"runtime", "ramp_time", "startdelay", "time_based"}
    kept = [line for line in options(work) if line.split("=", 1)[0] not in skipped]
    return [
        *kept,
        f"offset={region[0]}",
        f"size={region[1]}",
        "time_based=1",
        f"runtime={run_ms}ms",
        *([f"ramp_time={ramp_ms}ms"] if ramp_ms else []),
        *([f"startdelay={start_ms}ms"] if start_ms else []),
    ]


def _where(work: Workload, host: str, places: list[Place]) -> list[str]:
    """Options that say where a section's I/O goes.

    Raises
    ------
    SanlabError
        fio cannot spread a job over these places, or not with as many open requests.
    """
    if not any(place.is_nbd for place in places):
        paths = [_escaped(place.address_for(host)) for place in places]
        return [f"filename={':'.join(paths)}"]
    if len(places) > 1:
        reason = (
            f"{work.name} cannot be measured: a job of fio drives one network block device, and"
            " this one has several LUNs. Give each LUN a workload of its own"
        )
        raise SanlabError(reason)
    if places[0].relays and work.arrivals == "closed" and work.iodepth > MOST_OPEN:
        reason = (
            f"{work.name} cannot be measured with iodepth {work.iodepth}: over iSCSI a job has"
            f" {MOST_OPEN} open requests at most. Write iodepth: {MOST_OPEN}, and numjobs for more"
        )
        raise SanlabError(reason)
    return ["ioengine=nbd", f"uri={places[0].address_for(host)}"]


def _escaped(path: str) -> str:
    """A path as `filename` takes it: a colon separates files there."""
    return path.replace("\\", "\\\\").replace(":", "\\:")


def job_text(sections: list[Section], interval_ms: int, *, is_buffered: bool) -> str:
    """Return the whole job file."""
    head = [
        "[global]",
        "ioengine=libaio",
        f"direct={0 if is_buffered else 1}",
        "thread=1",
        "lat_percentiles=1",
        "clat_percentiles=0",
        f"log_avg_msec={interval_ms}",
        "per_job_logs=1",
    ]
    parts = ["\n".join(head)]
    for one in sections:
        logs = [f"write_{kind}_log={one.name}" for kind in ("iops", "bw", "lat")]
        parts.append("\n".join([f"[{one.name}]", f"; {one.workload}", one.text, *logs]))
    return "\n\n".join(parts) + "\n"
