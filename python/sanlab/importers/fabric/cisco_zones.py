"""Zoning and aliases of NX-OS, as shown and as configured."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric.facts import AliasFact, DefaultFact, Finding, SetFact, ZoneFact
from sanlab.importers.fabric.rows import WWN, expect, name_at, rows

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import Block, Facts

_SET = re.compile(r"\s*zoneset name (?P<name>\S+)(?: vsan (?P<vsan>\d+))?\s*$")
_ZONE = re.compile(r"(?P<indent>\s*)zone name (?P<name>\S+)(?: vsan (?P<vsan>\d+))?\s*$")
_FCALIAS = re.compile(r"(?P<indent>\s*)fcalias name (?P<name>\S+)(?: vsan (?P<vsan>\d+))?\s*$")
_ENABLED = re.compile(r"\s*zoneset activate name (?P<name>\S+) vsan (?P<vsan>\d+)")
_LOGGED_IN = re.compile(r"\s*\*?\s*fcid (?P<fcid>0x[0-9a-f]{6}) +\[(?P<member>[^\]]*)\]")
#: An address or an interface as a member.
_PLACE = re.compile(r"0x[0-9a-f]{6}|[a-z][a-z-]*[\d/]+")
#: A device alias behind the world-wide name of a member, with its role in a smart zone.
_NAMED = re.compile(r"\[([\w$^-]{1,64})\](?: (?:init|target|both))?\s*$")
_DEVICE_ALIAS = re.compile(r"\s*device-alias name (?P<name>\S+) pwwn (?P<wwn>\S+)\s*$")


class _Reader:
    """Zones and aliases of one output."""

    def __init__(self, block: Block, facts: Facts) -> None:
        self.block, self.facts = block, facts
        self.is_active = block.kind == "zoneset" or _shows_active(block)
        self.zone_set: SetFact | None = None
        self.zone: ZoneFact | None = None
        self.alias: AliasFact | None = None
        self.vsan = 0
        self.named: set[tuple[str, str]] = set()

    def line(self, number: int, line: str) -> None:
        """Read one line."""
        if match := _SET.match(line):
            self._begin_set(number, match)
        elif match := _ZONE.match(line):
            self._begin_zone(number, match)
        elif match := _FCALIAS.match(line):
            is_member = self.zone is not None and bool(match["indent"])
            self.alias = None
            if not is_member:
                self.zone = None
                vsan = int(match["vsan"] or self.vsan)
                source, switch = self.block.at(number), self.block.switch
                self.alias = AliasFact(source, switch, match["name"], [], vsan)
                self.facts.aliases.append(self.alias)
        elif match := _ENABLED.match(line):
            self._enable(number, match)
        elif line.strip():
            self._member(number, line)

    def _begin_set(self, number: int, match: re.Match[str]) -> None:
        self.vsan = int(match["vsan"] or 0)
        self.zone = self.alias = None
        source, switch = self.block.at(number), self.block.switch
        self.zone_set = SetFact(source, switch, match["name"], [], self.vsan, self.is_active)
        self.facts.sets.append(self.zone_set)

    def _begin_zone(self, number: int, match: re.Match[str]) -> None:
        self.alias = None
        vsan = int(match["vsan"] or self.vsan)
        source, switch = self.block.at(number), self.block.switch
        self.zone = ZoneFact(source, switch, match["name"], self.is_active, vsan)
        if self.block.kind == "config" and not match["indent"]:
            self.zone_set = None  # a configuration has zones beside its sets
        if self.zone_set is not None:
            self.zone.zone_set = self.zone_set.name
            self.zone_set.zones.append(match["name"])
        if match["name"] == "$default_zone$":
            self.zone = None
            return
        self.facts.zones.append(self.zone)

    def _enable(self, number: int, match: re.Match[str]) -> None:
        switch, vsan = self.block.switch, int(match["vsan"])
        for found in self.facts.sets:
            if (found.switch, found.vsan, found.name) == (switch, vsan, match["name"]):
                found.is_enabled = True
                return
        source = self.block.at(number)
        self.facts.sets.append(SetFact(source, switch, match["name"], [], vsan, is_enabled=True))

    def _member(self, number: int, line: str) -> None:
        listed = re.match(r"\s*member (\S+)\s*$", line)
        if self.zone is None and self.alias is None:
            if listed and self.zone_set is not None:
                self.zone_set.zones.append(listed[1])
            return
        kind, text = self._kind(number, line)
        if not kind:
            return
        named = _NAMED.search(line)
        if kind == "wwn" and named:
            self._name(number, named[1], text)
        if self.zone is not None:
            self.zone.members.append((self.block.at(number), kind, text))
        elif self.alias is not None:
            self.alias.members.append((kind, text))

    def _name(self, number: int, name: str, wwn: str) -> None:
        """Keep the device alias behind a member, once."""
        if (name, wwn) not in self.named:
            self.named.add((name, wwn))
            source, switch = self.block.at(number), self.block.switch
            fact = AliasFact(source, switch, name, [("wwn", wwn)], is_fabric_wide=True)
            self.facts.aliases.append(fact)

    def _kind(self, number: int, line: str) -> tuple[str, str]:
        text = line.strip().removeprefix("member ").removeprefix("* ").strip()
        logged_in = _LOGGED_IN.match(line)
        text = logged_in["member"] if logged_in else text
        word, _, rest = text.partition(" ")
        first = rest.split()[0] if rest.split() else ""
        match word:
            case "pwwn":
                return "wwn", name_at(self.block, number, first)
            case "device-alias" | "fcalias":
                names = rest.removeprefix("name ").split()
                return "alias", names[0] if names else ""
            case "fcid" | "interface" if _PLACE.fullmatch(first):
                return word, first
            case "fwwn" | "fcid" | "interface" | "domain-id" | "ip-address" | "symbolic-nodename":
                return "other", word
        if re.fullmatch(WWN, word):
            return "wwn", name_at(self.block, number, word)
        return "", ""


def _shows_active(block: Block) -> bool:
    return any(_LOGGED_IN.match(line) for _, line in block.lines)


def zones(block: Block, facts: Facts) -> None:
    """Read zone sets, zones and fcaliases."""
    reader = _Reader(block, facts)
    has_command = bool(block.words) or block.kind == "zoneset"
    if not has_command and not reader.is_active and block.kind != "config":
        first = next((n for n, line in block.lines if _SET.match(line)), 0)
        is_shown = block.lines and block.line == block.lines[0][0]
        if first and is_shown:
            reader.is_active = True
            text = "A zone set without its command is taken for the active one"
            facts.findings.append(Finding(text, (block.at(first),)))
    for number, line in rows(block):
        reader.line(number, line)


def device_aliases(block: Block, facts: Facts) -> None:
    """Read device aliases."""
    found = 0
    for number, line in block.lines:
        match = _DEVICE_ALIAS.match(line)
        total = re.match(r"Total number of entries = (\d+)", line)
        if match:
            found += 1
            wwn = name_at(block, number, match["wwn"])
            fact = AliasFact(block.at(number), block.switch, match["name"], [("wwn", wwn)])
            fact.is_fabric_wide = True
            facts.aliases.append(fact)
        elif total:
            expect(block, facts, number, (int(total[1]), found), "aliases")


def zone_status(block: Block, facts: Facts) -> None:
    """Read what unzoned ports may do."""
    for number, line in block.lines:
        match = re.match(r"\s*VSAN: (\d+) default-zone: (deny|permit)", line)
        if match:
            source, is_open = block.at(number), match[2] == "permit"
            facts.defaults.append(DefaultFact(source, block.switch, is_open, int(match[1])))


#: Lines of a configuration that are looked at; what is indented below them is theirs.
_CONFIGURED = re.compile(
    r"(?:zoneset (?:name|activate name)|zone name|fcalias name|device-alias (?:name|database)|"
    r"vsan database)\b"
)


def configuration(block: Block, facts: Facts) -> None:
    """Read zoning, aliases and VSANs of a configuration; no other line of it is looked at."""
    part: list[tuple[int, str]] = []
    is_wanted = False
    for number, line in block.lines:
        if line[:1].strip():
            is_wanted = bool(_CONFIGURED.match(line))
        if not is_wanted:
            continue
        member = re.match(r"\s+vsan (\d+) interface (v?fc[\d/]+)\s*$", line)
        if member:
            facts.vsans[block.switch, member[2]] = int(member[1])
        alias = _DEVICE_ALIAS.match(line)
        if alias:
            wwn = name_at(block, number, alias["wwn"])
            fact = AliasFact(block.at(number), block.switch, alias["name"], [("wwn", wwn)])
            fact.is_fabric_wide = True
            facts.aliases.append(fact)
        else:
            part.append((number, line))
    reader = _Reader(block, facts)
    reader.is_active = False
    for number, line in part:
        reader.line(number, line)
