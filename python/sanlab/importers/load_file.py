"""Files of other tools by their contents, each as a scenario."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sanlab.errors import refuse
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
from sanlab.traces.formats import trace_kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sanlab.importers.generic_san import LeftOut

Kind = Literal["iometer", "fio", "vdbench", "diskspd"]


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A scenario, the points of its test series, and what of the file it leaves out."""

    text: str
    points: list[dict[str, str]]
    left_out: list[LeftOut] = field(default_factory=list)


_OF_FIO = "-D and --job are for job files of fio, and this is none"
_OF_ONE_FILE = {"vdbench": load_of_vdbench, "diskspd": load_of_diskspd}


def kind_of(text: str, path: Path) -> Kind:
    """Return the tool whose file this is; that of an .icf where nothing else fits."""
    if path.suffix.lower() == ".fio":
        return "fio"
    if re.search(
        r"^'?\s*(Version\b|'TEST SETUP)", text.lstrip("\ufeff"), re.MULTILINE | re.IGNORECASE
    ):
        return "iometer"
    if looks_like_diskspd(text):
        return "diskspd"
    if looks_like_vdbench(text):
        return "vdbench"
    return "fio" if looks_like_fio(text) else "iometer"


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
    trace_kind = trace_kind_of(head_of(path), path)
    if trace_kind is not None:
        if defined or jobs:
            refuse(str(path), None, "", _OF_FIO, "Remove them")
        options = trace or TraceOptions()
        if options.is_replay:
            load = replay_of_trace(path, trace_kind, options, Path(output))
        else:
            load = load_of_trace(path, trace_kind, options)
        return ImportedFile(scenario_around(load), [{}])
    if trace is not None and trace != TraceOptions():
        reason = (
            "--replay, --speed, --depth, --time-unit and --lun are for traces, and this is none"
        )
        refuse(str(path), None, "", reason, "Remove them")
    text = read_source(path)
    if text.startswith("Histogram:"):
        reason = "Histograms of vscsiStats have no times, and no requests"
        refuse(str(path), 1, "", reason, "Import a trace, or write the sizes as 'access'")
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
