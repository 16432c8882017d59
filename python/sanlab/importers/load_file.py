"""Files of other tools by their contents, each as a scenario."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sanlab.errors import refuse
from sanlab.importers.counters import load_of_counters
from sanlab.importers.counters_cisco import counters_of_analytics, looks_like_analytics
from sanlab.importers.counters_esxtop import counters_of_esxtop, looks_like_esxtop
from sanlab.importers.counters_exporter import counters_of_exporter, looks_like_exporter
from sanlab.importers.counters_sysstat import (
    counters_of_iostat,
    counters_of_sar,
    looks_like_iostat,
    looks_like_sar,
)
from sanlab.importers.diskspd import load_of_diskspd
from sanlab.importers.diskspd_file import looks_like_diskspd
from sanlab.importers.fio import load_of_fio
from sanlab.importers.fio_file import looks_like_fio
from sanlab.importers.generic_san import scenario_around
from sanlab.importers.icf import read_icf
from sanlab.importers.iometer import expand, scenario_text
from sanlab.importers.replays import replay_of_trace
from sanlab.importers.source_text import head_of, read_source
from sanlab.importers.traces import TraceOptions, load_of_trace
from sanlab.importers.vdbench import load_of_vdbench
from sanlab.importers.vdbench_file import looks_like_vdbench
from sanlab.importers.vscsistats import load_of_vscsistats, looks_like_vscsistats
from sanlab.quantities import PS_PER_S, QuantityError, parse_time
from sanlab.traces.formats import trace_kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sanlab.importers.generic_san import LeftOut, LoadImport

Kind = Literal["iometer", "fio", "vdbench", "diskspd"]


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A scenario, the points of its test series, and what of the file it leaves out."""

    text: str
    points: list[dict[str, str]]
    left_out: list[LeftOut] = field(default_factory=list)


_OF_FIO = "-D and --job are for job files of fio, and this is none"
_OF_TRACES = "--replay, --speed, --depth, --time-unit, --lun and --interval"
#: What only counters of switch ports have.
_PORTS = re.compile(
    r"\d+ frames (input|output)|(input|output) rate \d+ bits/sec|^\s*frames\s+enc\b|\bstat_wtx\b",
    re.MULTILINE,
)
#: Results of fio (JSON, text) and of Iometer.
_RESULTS = re.compile(
    r"\"fio version\"\s*:|^\S+: \(groupid=\d+, jobs=\d+\)|^'Test Type,Test Description",
    re.MULTILINE,
)
#: Largest capture of counters that is read at once.
_MOST_COUNTED = 256 * 2**20
_OF_ONE_FILE = {"vdbench": load_of_vdbench, "diskspd": load_of_diskspd}


def interval_of(text: str, key: str) -> int:
    """Return a time between reports in picoseconds.

    Raises
    ------
    ScenarioError
        At `key`, if the text is not a time longer than 0.
    """
    try:
        found = parse_time(text)
    except QuantityError as error:
        refuse(key, None, "", error.reason, error.remedy)
    if found <= 0:
        refuse(key, None, "", f"'{text}' is not longer than 0", "Write 10s")
    return found


def kind_of(text: str, path: Path) -> Kind:
    """Return the tool whose file this is.

    Raises
    ------
    ScenarioError
        It is of none that is known.
    """
    if path.suffix.lower() == ".fio":
        return "fio"
    if _RESULTS.search(text):
        reason = "The file has results of a load, not the load"
        remedy = "Import the job, configuration or profile that gave them"
        refuse(str(path), 1, "", reason, remedy)
    if re.search(
        r"^'?\s*(Version\b|'TEST SETUP)", text.lstrip("\ufeff"), re.MULTILINE | re.IGNORECASE
    ):
        return "iometer"
    if looks_like_diskspd(text):
        return "diskspd"
    if looks_like_vdbench(text):
        return "vdbench"
    if looks_like_fio(text):
        return "fio"
    if path.suffix.lower() != ".icf":
        reason = "The file is of no tool whose loads are known"
        remedy = (
            "Name a file of Iometer, fio, vdbench or diskspd, a block trace, or counters: "
            "iostat -x, sar -d, esxtop, vscsiStats, node_exporter"
        )
        refuse(str(path), 1, "", reason, remedy)
    return "iometer"


def _load_of_requests(
    path: Path, head: bytes, output: str, options: TraceOptions
) -> LoadImport | None:
    """Return the load of a trace; None for another file."""
    kind = trace_kind_of(head, path)
    if kind is None:
        return None
    if options.interval_ps is not None:
        reason = "--interval is for counters without times, and this is a trace"
        refuse(str(path), None, "--interval", reason, "Remove it")
    if options.is_replay:
        return replay_of_trace(path, kind, options, Path(output))
    return load_of_trace(path, kind, options)


def _load_of_counts(path: Path, head: bytes, options: TraceOptions) -> LoadImport | None:
    """Return the load of counters or histograms; None for another file."""
    name, luns = str(path), options.luns
    if looks_like_esxtop(head):
        counters = counters_of_esxtop(path)
    else:
        start = head.decode("utf-8", errors="replace").lstrip("\ufeff")
        if looks_like_vscsistats(start):
            _refuse_but_luns(options, name, with_interval=False)
            return load_of_vscsistats(read_source(path), name, luns)
        if _PORTS.search(start):
            reason = "Counters of switch ports have bytes and frames, but no I/Os"
            remedy = (
                "Import counters of the hosts, or tables of SAN analytics; or give these to "
                "'sanlab import fabric', with the other outputs of the switches"
            )
            refuse(name, 1, "", reason, remedy)
        if looks_like_analytics(start):
            counters = counters_of_analytics(read_source(path), name)
        elif looks_like_exporter(start):
            text = read_source(path, most=_MOST_COUNTED)
            seconds = None if options.interval_ps is None else options.interval_ps / PS_PER_S
            counters = counters_of_exporter(text, name, seconds, luns)
        elif looks_like_sar(start):
            counters = counters_of_sar(read_source(path, most=_MOST_COUNTED), name)
        elif looks_like_iostat(start):
            counters = counters_of_iostat(read_source(path, most=_MOST_COUNTED), name, luns)
        else:
            return None
    _refuse_but_luns(options, name, with_interval=True)
    return load_of_counters(counters, luns, options.interval_ps)


def _refuse_but_luns(options: TraceOptions, name: str, *, with_interval: bool) -> None:
    """Refuse what only a trace has."""
    interval = options.interval_ps if with_interval else None
    if options != TraceOptions(luns=options.luns, interval_ps=interval):
        reason = "--replay, --speed, --depth and --time-unit need the requests of a trace"
        refuse(name, None, "", reason, "Remove them; --lun and --interval are for counters")


def import_file(
    path: Path,
    output: str,
    defined: Mapping[str, str],
    jobs: Collection[str] = (),
    trace: TraceOptions | None = None,
) -> ImportedFile:
    """Return the scenario of a file, to be saved as `output`.

    Raises
    ------
    ScenarioError
        With file, line, key, reason and remedy.
    """
    options = trace or TraceOptions()
    name = str(path)
    head = head_of(path)
    load = _load_of_requests(path, head, output, options) or _load_of_counts(path, head, options)
    if load is not None:
        if defined or jobs:
            refuse(name, None, "", _OF_FIO, "Remove them")
        return ImportedFile(scenario_around(load), [{}], load.left_out)
    if options != TraceOptions():
        refuse(name, None, "", f"{_OF_TRACES} are for traces, and this is none", "Remove them")
    text = read_source(path)
    found = kind_of(text, path)
    if (defined or jobs) and found != "fio":
        refuse(str(path), None, "", _OF_FIO, "Remove them")
    if found == "iometer":
        test = read_icf(text, str(path))
        return ImportedFile(scenario_text(test, output), expand(test))
    if found == "fio":
        load = load_of_fio(text, path, defined, jobs)
    else:
        load = _OF_ONE_FILE[found](text, path)
    return ImportedFile(scenario_around(load), [{}], load.left_out)
