"""Zoning of Fabric OS: `cfgshow` and its kin, `defzone`, and the zoning of a `configupload`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric import wwn
from sanlab.importers.fabric.facts import AliasFact, DefaultFact, Finding, SetFact, ZoneFact
from sanlab.importers.fabric.rows import name_at, rows

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import Block, Facts, Source

_ENTRY = re.compile(r"\s*(?P<kind>cfg|zone|alias|qloop|fa zone):\s*(?P<rest>.*)$")
_PLACE = re.compile(r"\d+,\d+")
#: What is to be a world-wide name, even with a wrong digit.
_LIKE_A_WWN = re.compile(r"[0-9A-Za-z]{1,2}(?::[0-9A-Za-z]{1,2})+")
#: Words of newer versions among the members.
_SETTING = re.compile(r"[A-Za-z]{3,}:[A-Za-z]+")
#: What `zoneshow --peerzone` puts between the members of a zone.
_OF_PEERS = re.compile(r"\s+(?:Property Member|Created by):")
_MEMBERS = re.compile(r"^\s+(?:Principal|Peer) Member\(s\):")
_NAME = re.compile(r"[\w$^.\-]+")
_LISTED = re.compile(r"[\w$^.\-:,]+")
#: First member of a peer zone: a name of type 0, not one of a port.
_PROPERTY = re.compile(r"00:02:00:00:00:[0-9a-f:]+", re.IGNORECASE)


class _Entry:
    """One cfg, zone or alias while its lines are read."""

    def __init__(self, kind: str, source: Source, *, is_active: bool) -> None:
        self.kind, self.is_active, self.source = kind, is_active, source
        self.words: list[tuple[Source, str]] = []


def cfgshow(block: Block, facts: Facts) -> None:
    """Read defined and effective zoning; names and members may be on different lines."""
    entries: list[_Entry] = []
    is_active = False
    for number, line in rows(block):
        if re.match(r"\s*(?:Defined|Effective) configuration:", line):
            is_active = "Effective" in line
            continue
        if _OF_PEERS.match(line):
            continue
        match = _ENTRY.match(line)
        if match:
            entries.append(_Entry(match["kind"], block.at(number), is_active=is_active))
        text = match["rest"] if match else _MEMBERS.sub("", line)
        if entries and (match or line[:1].isspace() or _is_list(line, entries[-1])):
            words = [w for w in re.split(r"[;\s]+", text) if w and not _SETTING.fullmatch(w)]
            entries[-1].words += [(block.at(number), word) for word in words]
    for entry in entries:
        _keep(block, facts, entry)


def _is_list(line: str, entry: _Entry) -> bool:
    """Tell whether a line without an indent, which some captures lose, lists members."""
    words = [word for word in re.split(r"[;\s]+", line) if word]
    if not words or not all(map(_LISTED.fullmatch, words)):
        return False
    is_first = len(entry.words) == 1 and len(words) == 1
    return is_first or ";" in line or all(map(_LIKE_A_WWN.fullmatch, words))


def _keep(block: Block, facts: Facts, entry: _Entry) -> None:
    if not entry.words:
        return
    name = entry.words[0][1]
    members = [(s, *_member(block, s.line, w, is_wwn=entry.is_active)) for s, w in entry.words[1:]]
    if entry.kind == "cfg":
        zones = [word for _, word in entry.words[1:]]
        found = SetFact(entry.source, block.switch, name, zones, is_enabled=entry.is_active)
        facts.sets.append(found)
    elif entry.kind == "zone":
        kept = [member for member in members if not _PROPERTY.fullmatch(member[2])]
        fact = ZoneFact(entry.source, block.switch, name, entry.is_active, members=kept)
        fact.zone_set = _set_of(facts, block, entry)
        if name.startswith(("lsan_", "r_e_d_i_r_c__")):
            text = f"Zone '{name}' is for a router or a redirection and is left out"
            facts.findings.append(Finding(text, (entry.source,)))
            return
        facts.zones.append(fact)
    else:
        pairs = [(kind, text) for _, kind, text in members]
        facts.aliases.append(AliasFact(entry.source, block.switch, name, pairs))


def _set_of(facts: Facts, block: Block, entry: _Entry) -> str:
    if not entry.is_active:
        return ""
    enabled = [s for s in facts.sets if s.is_enabled and s.switch == block.switch]
    return enabled[-1].name if enabled else ""


def _member(block: Block, line: int, word: str, *, is_wwn: bool) -> tuple[str, str]:
    if _PROPERTY.fullmatch(word):
        return "other", word
    if _LIKE_A_WWN.fullmatch(word):
        return "wwn", name_at(block, line, word)
    if _PLACE.fullmatch(word):
        return "place", word
    if is_wwn and (found := wwn.normal(word)):
        return "wwn", found
    return ("alias", word) if _NAME.fullmatch(word) else ("other", "")


def defzone(block: Block, facts: Facts) -> None:
    """Read what unzoned ports may do."""
    for number, line in block.lines:
        match = re.search(r"committed\s*-\s*(All|No) Access", line)
        if match:
            is_open = match[1] == "All"
            facts.defaults.append(DefaultFact(block.at(number), block.switch, is_open))


def configupload(block: Block, facts: Facts) -> None:
    """Read the section on zoning; no other section is looked at."""
    is_zoning = False
    enabled = ""
    sets: list[SetFact] = []
    for number, line in block.lines:
        if line.startswith("["):
            is_zoning = line.startswith("[Zoning]")
        if not is_zoning:
            continue
        match = re.match(r"(cfg|zone|alias)\.([\w$^\-]+):(.*)$", line)
        if match:
            entry = _Entry(match[1], block.at(number), is_active=False)
            words = [match[2], *(word for word in match[3].split(";") if word)]
            entry.words = [(entry.source, word.strip()) for word in words]
            before = len(facts.sets)
            _keep(block, facts, entry)
            sets += facts.sets[before:]
        elif line.startswith("enable:"):
            enabled = line.removeprefix("enable:").strip()
        elif line.startswith("defzone:"):
            is_open = line.removeprefix("defzone:").strip().startswith("allaccess")
            facts.defaults.append(DefaultFact(block.at(number), block.switch, is_open))
    for found in sets:
        found.is_enabled = found.name == enabled
