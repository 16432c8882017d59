"""Files to facts: each file is split into blocks, and each block is read by what printed it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric import (
    brocade,
    brocade_ports,
    brocade_zones,
    cisco,
    cisco_ports,
    cisco_zones,
    documents,
    hosts,
    nxapi,
    port_counters,
    rest,
)
from sanlab.importers.fabric.answers import name_answers
from sanlab.importers.fabric.blocks import HOST_KINDS, dedented, name_owners, split
from sanlab.importers.fabric.commands import UNREAD
from sanlab.importers.fabric.facts import Block, Facts, Finding, Skipped, Source
from sanlab.importers.fabric.texts import problem, read_lines, wrapped_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

#: What is said of an error of a switch.
ERROR = "an error of the switch in place of an output"


def document(block: Block, facts: Facts) -> None:
    """Read a document in JSON or XML, and the outputs in text within it."""
    found = documents.Document(block, facts)
    before = facts.count()
    rest.read(found, facts)
    nxapi.read(found, facts)
    for command, line, text in nxapi.texts(found):
        part = nxapi.text_block(block, command, line)
        part.lines = [(line, one) for one in text.splitlines()]
        _read(part, facts)
    if facts.count() == before:
        block.kind = ""
        block.words = ERROR if documents.is_error(found.value) else "a document of no known form"


READERS: dict[str, Callable[[Block, Facts], None]] = {
    "switchshow": brocade.switchshow,
    "fabricshow": brocade.fabricshow,
    "islshow": brocade.islshow,
    "trunkshow": brocade.trunkshow,
    "nsshow": brocade.name_server,
    "nscamshow": brocade.name_server,
    "porterrshow": brocade.porterrshow,
    "portstats": brocade.portstats,
    "portbuffer": brocade_ports.port_buffers,
    "portperf": port_counters.port_rates,
    "clock": port_counters.clock,
    "portcfg": brocade_ports.port_configuration,
    "portshow": brocade_ports.port_show,
    "sfpshow": brocade_ports.optics,
    "topologyshow": brocade_ports.topology,
    "lsdbshow": brocade_ports.link_states,
    "cfgshow": brocade_zones.cfgshow,
    "defzone": brocade_zones.defzone,
    "configupload": brocade_zones.configupload,
    "flogi": cisco.flogi,
    "fcns": cisco.fcns,
    "topology": cisco.topology,
    "intbrief": cisco.interface_brief,
    "counters": cisco.counters,
    "portchannel": cisco.port_channel,
    "membership": cisco.membership,
    "showversion": cisco.show_version,
    "switchname": cisco.switch_name,
    "fcdomain": cisco.fcdomain,
    "domainlist": cisco.fcdomain,
    "fdmi": cisco.fdmi,
    "transceiver": cisco_ports.transceivers,
    "fspf": cisco_ports.link_states,
    "zoneset": cisco_zones.zones,
    "zones": cisco_zones.zones,
    "devicealias": cisco_zones.device_aliases,
    "zonestatus": cisco_zones.zone_status,
    "config": cisco_zones.configuration,
    "systool": hosts.systool,
    "sysfs": hosts.sysfs,
    "multipath": hosts.multipath,
    "lsscsi": hosts.lsscsi,
    "esxcli": hosts.esxcli,
    "esxports": hosts.esx_ports,
    "mpclaim": hosts.mpclaim,
    "initiatorport": hosts.initiator_ports,
    "json": document,
}

#: Outputs that always have something for a scenario, or say that there is nothing.
_TELLING = HOST_KINDS | {"nsshow", "nscamshow", "islshow", "trunkshow", "fcns", "fdmi", "cfgshow"}
_NOTHING = re.compile(r"\b[Nn]o\b|\bcount 0\b|\bhas 0\b")


def read_files(paths: Sequence[Path], *, partial: bool = False) -> Facts:
    """Return the facts of some files, or of the files below some folders.

    Raises
    ------
    ScenarioError
        A file is not a text, or an output in it is cut off; with `partial` that is only noted.
    """
    blocks: list[Block] = []
    facts = Facts(is_partial_accepted=partial)
    for path in _files(paths):
        blocks += _blocks(path, facts)
    name_answers(blocks)
    name_owners(blocks)
    for block in blocks:
        _read(block, facts)
    return facts


def _files(paths: Sequence[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(part for part in path.rglob("*") if part.is_file())
        inside = [part for part in inside if not part.name.startswith(".")]
        if not inside:
            raise problem(str(path), None, "The folder has no files", "Name files with outputs")
        found += inside
    return list(dict.fromkeys(found))


def _blocks(path: Path, facts: Facts) -> list[Block]:
    lines = dedented(read_lines(path))
    if documents.is_document(lines):
        return [Block("json", str(path), list(enumerate(lines, start=1)))]
    if broken := wrapped_at(lines):
        text = f"Lines seem to be broken at column {broken[0]}; wide tables may have lost values"
        text += ": capture with 'terminal width 511' or a wider window"
        facts.findings.append(Finding(text, (Source(str(path), broken[1]),)))
    blocks = split(lines, str(path))
    blocks[-1].is_last = True
    for block in blocks:
        if documents.is_document([text for _, text in block.lines if text.strip()]):
            block.kind, block.output = "json", block.kind
    return blocks


def _read(block: Block, facts: Facts) -> None:
    source = Source(block.file, block.line)
    reader = READERS.get(block.kind)
    if reader is None:
        is_empty = not any(text.strip() for _, text in block.lines)
        if block.kind != "container" and not (is_empty and block.words in {"", "a command"}):
            _skip(block, facts)
        return
    before = facts.count()
    reader(block, facts)
    if not block.kind:
        facts.skipped.append(Skipped(source, block.words))
        return
    facts.kinds.append((source, block.kind))
    texts = [text for _, text in block.lines if text.strip()]
    if facts.count() > before:
        return
    if texts and block.kind in _TELLING and not any(map(_NOTHING.search, texts)):
        facts.skipped.append(Skipped(source, f"{block.kind}: nothing in it is recognised"))
    elif not texts:
        facts.skipped.append(Skipped(source, f"{block.kind}: nothing printed"))


def _skip(block: Block, facts: Facts) -> None:
    """Note a block that was not read; a command that is known is noted once for each file."""
    source = block.at(block.line)
    if not block.words or block.kind:
        facts.skipped.append(Skipped(source, "an output of no known form"))
    elif block.words in UNREAD or block.words.startswith(("show ", "esxcli")):
        facts.skip(source, f"{block.words}: known, not used")
    else:
        facts.skipped.append(Skipped(source, block.words))
