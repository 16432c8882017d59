"""Jobs that replay a trace: one for each device, on the LUN that stands for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sanlab.errors import ScenarioError
from sanlab.plan.job_parts import Asked
from sanlab.plan.schema import AsapReplay, ClosedReplay, TimedReplay, TracePattern, UniformAddress
from sanlab.quantities import counted, format_size
from sanlab.traces.table import KEPT, as_data, from_data, tables_of

if TYPE_CHECKING:
    from pathlib import Path as FilePath

    from sanlab.plan.luns import PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import ReplayPlan
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.replay import Trace
    from sanlab.scenario.workload import Workload
    from sanlab.traces.table import DeviceTable, TraceTables

_WHOLE_PPM = 1_000_000
#: Devices that a message lists.
_SHOWN = 8


def devices_of(
    spec: Workload, trace: Trace, luns: list[PlacedLun], path: Path, problems: Problems
) -> list[DeviceTable]:
    """Return the device that is replayed on each LUN; none after a problem."""
    here: Path = (*path, "trace")
    tables = _tables(trace, here, problems)
    if tables is None or _lacks(trace, tables, here, problems):
        return []
    by_name = {device.name: device for device in tables.devices}
    names = trace.devices if trace.devices is not None else list(by_name)
    shown = ", ".join(list(by_name)[:_SHOWN]) + (", ..." if len(by_name) > _SHOWN else "")
    unknown = next((name for name in names if name not in by_name), None)
    if unknown is not None:
        reason = f"The trace has no device '{unknown}'"
        problems.add((*here, "devices"), reason, f"It has {shown}")
        return []
    if len(names) != len(luns):
        problems.add(
            (*path, "targets"),
            f"{counted(len(names), 'device')} cannot be replayed on {counted(len(luns), 'LUN')}",
            f"Name a LUN for each device, or choose among them with 'devices': {shown}",
        )
        return []
    devices = [by_name[name] for name in names]
    for device, lun in zip(devices, luns, strict=True):
        if not _fits(spec, device, lun, path, problems):
            return []
    return devices


def kept_traces(scenario: Scenario) -> str | None:
    """Return what the plan needs to know of a scenario's traces, for its run folder; None if none.

    The folder has no trace. With this, its scenario is compiled again while the tables are there.
    """
    found: dict[str, Any] = {}
    for work in scenario.workloads:
        path = scenario.beside(work.trace.file) if work.trace is not None else None
        if work.trace is not None and path is not None:
            tables = _kept(scenario, path, work.trace)
            if tables is None:
                tables = tables_of(path, work.trace.format, work.trace.time_unit)
            found[_key(work.trace)] = as_data(tables)
    return json.dumps(found, indent=1) + "\n" if found else None


def _key(trace: Trace) -> str:
    return json.dumps([trace.file, trace.format, trace.time_unit])


def _kept(scenario: Scenario, path: FilePath, trace: Trace) -> TraceTables | None:
    """Return the tables of a trace that is not there, where a run folder tells them."""
    index = scenario.beside(KEPT)
    if path.exists() or index is None or not index.is_file():
        return None
    try:
        return from_data(json.loads(index.read_text(encoding="utf-8"))[_key(trace)])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def asked_of_trace(spec: Workload, trace: Trace, device: DeviceTable) -> Asked:
    """Return the requests of a device; besides their table, what summarises them for readers."""
    is_bounded = trace.replay == "asap" or "iodepth" in spec.model_fields_set
    depth = spec.iodepth if is_bounded else None
    return Asked(
        read_ppm=device.reads * _WHOLE_PPM // device.count,
        block_bytes=device.largest,
        addresses=UniformAddress(),
        iodepth=device.deepest if trace.replay == "closed" else depth,
        total_bytes=device.bytes,
        arrivals=None,
        pattern=TracePattern(
            digest=device.digest,
            requests=device.count,
            length_ps=device.length_ps,
            replay=_replay(trace),
        ),
    )


def _replay(trace: Trace) -> ReplayPlan:
    if trace.replay == "timed":
        return TimedReplay(speed_ppm=trace.speed_ppm)
    return AsapReplay() if trace.replay == "asap" else ClosedReplay()


def _tables(trace: Trace, here: Path, problems: Problems) -> TraceTables | None:
    found = problems.scenario.beside(trace.file)
    if found is None:
        reason = f"'{trace.file}' is outside of the folder that is served"
        problems.add((*here, "file"), reason, "Name a file within it")
        return None
    kept = _kept(problems.scenario, found, trace)
    if kept is not None:
        return kept
    if not found.is_file():
        what = "is not a regular file" if found.exists() else "is not there"
        reason = f"The trace '{trace.file}' {what}"
        remedy = "A relative name begins at the folder of the scenario"
        problems.add((*here, "file"), reason, remedy)
        return None
    try:
        return tables_of(found, trace.format, trace.time_unit)
    except ScenarioError as error:
        problems.found.extend(error.problems)
        return None


def _lacks(trace: Trace, tables: TraceTables, here: Path, problems: Problems) -> bool:
    """Note that a trace does not say what its replay needs."""
    if trace.replay == "timed" and not tables.has_times:
        reason, remedy = "The trace has no times", "Write 'replay: asap', and an 'iodepth'"
        problems.add((*here, "replay"), reason, remedy)
        return True
    if trace.replay == "closed" and not all(device.deepest for device in tables.devices):
        reason = "The trace does not say how long its requests were open"
        remedy = "Write 'replay: asap', and an 'iodepth'"
        problems.add((*here, "replay"), reason, remedy)
        return True
    return False


def _fits(
    spec: Workload, device: DeviceTable, lun: PlacedLun, path: Path, problems: Problems
) -> bool:
    end = spec.offset + device.end
    if end <= lun.bytes:
        return True
    problems.add(
        (*path, "targets"),
        f"The requests to '{device.name}' end at {format_size(end)}, beyond '{lun.name}' "
        f"({format_size(lun.bytes)})",
        f"Make the LUN {format_size(end)} or larger",
    )
    return False
