"""A scenario that replays a block trace, request by request."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sanlab.errors import refuse
from sanlab.importers.generic_san import LoadImport, Work, quoted, slug, unused
from sanlab.quantities import format_size
from sanlab.traces.table import tables_of

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.importers.traces import TraceOptions
    from sanlab.traces.formats import TraceKind
    from sanlab.traces.table import DeviceTable, TraceTables

_MIB = 2**20


#: Traces that may have more than reads and writes.
_WITH_OTHERS = {"iolog-v2", "iolog-v3", "blkparse", "vscsi"}


def replay_of_trace(path: Path, kind: TraceKind, options: TraceOptions, output: Path) -> LoadImport:
    """Return the load that replays a trace, to be saved as `output`.

    Raises
    ------
    ScenarioError
        At the first line that is wrong, or where the trace lacks what the options ask for.
    """
    tables = tables_of(path, kind, options.unit)
    _check(path, tables, options)
    count = sum(device.count for device in tables.devices)
    load = LoadImport(f"the trace {path.name} ({kind})", f"Replay of {path.name}")
    load.remarks.append(
        f"The {count} requests of the trace are replayed with their addresses and sizes, each "
        "device on a LUN that ends behind its last address. What the recorded storage made its "
        "hosts wait for is in the recorded times: faster storage would have been asked for more."
    )
    if kind in _WITH_OTHERS:
        load.remarks.append("Only reads and writes are replayed: discards and flushes are not.")
    names: set[str] = set()
    file = os.path.relpath(path, output.parent)
    for device in tables.devices:
        if not options.luns or device.name in options.luns:
            load.works.append(_work(load, device, options, file, names))
    return load


def _check(path: Path, tables: TraceTables, options: TraceOptions) -> None:
    known = [device.name for device in tables.devices]
    for name in options.luns:
        if name not in known:
            reason = f"The trace has no device '{name}'"
            refuse(str(path), None, "--lun", reason, f"It has {', '.join(known[:10])}")
    if options.depth is None and not tables.has_times:
        reason = "The trace has no times"
        refuse(str(path), 1, "", reason, "Add --depth 8, requests to keep open on each LUN")
    if options.depth == 0 and not all(device.deepest for device in tables.devices):
        reason = "The trace does not say how long its requests were open"
        refuse(str(path), None, "--depth", reason, "Write a number, --depth 8")
    if options.depth is not None and options.speed != 1:
        reason = "--speed scales recorded times, and --depth does without them"
        refuse(str(path), None, "--speed", reason, "Remove one of them")


def _work(
    load: LoadImport, device: DeviceTable, options: TraceOptions, file: str, names: set[str]
) -> Work:
    lun = load.lun(device.name)
    lun.name = options.luns.get(device.name, lun.name)
    lun.bytes = -(-device.end // _MIB) * _MIB
    work = Work(unused(slug(device.name, "disk"), names), {"hosts": "host1"})
    work.keys["targets"] = f"array1.{lun.name}"
    parts = [f"file: {quoted(file)}", f"devices: {quoted(device.name)}"]
    if options.unit is not None:
        parts.append(f"time_unit: {options.unit}")
    if options.depth is not None:
        parts.append(f"replay: {'asap' if options.depth else 'closed'}")
    elif options.speed != 1:
        parts.append(f"speed: {options.speed}")
    work.keys["trace"] = f"{{{', '.join(parts)}}}"
    if options.depth:
        work.keys["iodepth"] = str(options.depth)
    size = format_size(device.bytes)
    work.remarks.append(f"{device.count} requests, {device.reads} of them reads, {size} together.")
    return work
