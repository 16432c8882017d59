"""Outputs in JSON: the REST interface of Fabric OS, and rows of NX-API."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from sanlab.importers.fabric.facts import (
    AliasFact,
    IslFact,
    LoginFact,
    PortFact,
    SetFact,
    SwitchFact,
    ZoneFact,
)
from sanlab.importers.fabric.rows import gigabits, host_in, model_in, name_at
from sanlab.importers.fabric.texts import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sanlab.importers.fabric.facts import Block, Facts

Row = dict[str, Any]
_JSON = re.compile(r"\s*(?:\{\s*(?:\"|\})|\[\s*[\{\]])")
_PLACE = re.compile(r"\d+,\d+")


def is_json(lines: list[str]) -> bool:
    """Tell whether lines are one JSON document."""
    return bool(_JSON.match("\n".join(lines[:4])))


class _Document:
    """A JSON document with the lines of its texts."""

    def __init__(self, block: Block) -> None:
        self.block = block
        text = "\n".join(line for _, line in block.lines)
        first = block.lines[0][0] if block.lines else block.line
        try:
            self.value, _ = json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip()))
        except (json.JSONDecodeError, RecursionError) as error:
            at = first + getattr(error, "lineno", 1) - 1
            reason = "The JSON document is not complete or not valid"
            raise problem(block.file, at, reason, "Capture it again") from None
        self.lines: dict[str, int] = {}
        for number, shown in block.lines:
            for quoted in re.findall(r"\"([^\"]+)\"", shown):
                self.lines.setdefault(quoted.lower(), number)

    def line(self, text: object) -> int:
        """Return the line of a text."""
        return self.lines.get(str(text).lower(), self.block.line)

    def name(self, row: Row, *keys: str) -> str:
        """Return a world-wide name of a row in normal form, or nothing."""
        text = next((str(row[key]) for key in keys if row.get(key)), "")
        return name_at(self.block, self.line(text), text) if text else ""


def _listed(value: object) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _number(value: object, base: int = 10) -> int:
    """Return a whole number in a row, 0 for any other text."""
    try:
        return int(str(value), base)
    except ValueError:
        return 0


def _rows(value: object, key: str) -> Iterator[Row]:
    """Return the mappings below a key, at any depth."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name == key:
                yield from (row for row in _listed(part) if isinstance(row, dict))
            else:
                yield from _rows(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from _rows(part, key)


def document(block: Block, facts: Facts) -> None:
    """Read what is known of a JSON document."""
    found = _Document(block)
    before = facts.count()
    for key, read in _READERS.items():
        for row in _rows(found.value, key):
            read(found, facts, row)
    if facts.count() == before:
        block.kind = ""


def _switch(found: _Document, facts: Facts, row: Row) -> None:
    wwn = found.name(row, "name", "switch-name")
    name = str(row.get("user-friendly-name") or row.get("switch-user-friendly-name") or "")
    fact = SwitchFact(found.block.at(found.line(name)), name, wwn, vendor="brocade")
    fact.domain = _number(row.get("domain-id")) or None
    fact.type, fact.is_own = str(row.get("model", "")), "model" in row
    if not fact.is_own:
        fact.fabric = found.block.switch
    facts.switches.append(fact)


def _interface(found: _Document, facts: Facts, row: Row) -> None:
    port = str(row.get("default-index", row.get("index", "")))
    if not port:
        port = str(row.get("name", "")).rpartition("/")[2]
    source = found.block.at(found.line(row.get("wwn") or row.get("name")))
    fact = PortFact(source, found.block.switch, port)
    fact.speed = _number(row.get("speed")) // 10**9
    fact.state = "up" if str(row.get("operational-status")) == "2" else "down"
    if str(row.get("is-enabled-state", "true")).lower() == "false":
        fact.state = "disabled"
    facts.ports.append(fact)


def _device(found: _Document, facts: Facts, row: Row) -> None:
    wwpn = found.name(row, "port-name")
    if not wwpn:
        return
    login = LoginFact(found.block.at(found.line(row["port-name"])), wwpn, found.block.switch)
    login.wwnn, login.base = found.name(row, "node-name"), found.name(row, "permanent-port-name")
    login.fabric_port = found.name(row, "fabric-port-name")
    login.fcid = _number(row.get("port-id"), 16)
    login.port = str(row.get("port-index", ""))
    login.speed = gigabits(str(row.get("link-speed", "")))
    features = str(row.get("fc4-features", "")) + str(row.get("name-server-device-type", ""))
    is_target, is_init = "arget" in features, "nitiator" in features
    login.role = "both" if is_target and is_init else "target" if is_target else ""
    login.role = login.role or ("init" if is_init else "")
    symbols = f"{row.get('node-symbolic-name', '')} {row.get('port-symbolic-name', '')}"
    login.host, login.model = host_in(symbols), model_in(symbols)
    facts.logins.append(login)


def _effective(found: _Document, facts: Facts, row: Row) -> None:
    name = str(row.get("cfg-name", ""))
    source, switch = found.block.at(found.line(name)), found.block.switch
    zones = [zone for zone in _listed(row.get("enabled-zone")) if isinstance(zone, dict)]
    names = [str(zone.get("zone-name", "")) for zone in zones]
    facts.sets.append(SetFact(source, switch, name, names, is_enabled=True))
    for zone in zones:
        fact = _zone(found, zone, is_active=True)
        fact.zone_set = name
        facts.zones.append(fact)


def _zone(found: _Document, row: Row, *, is_active: bool) -> ZoneFact:
    name = str(row.get("zone-name", ""))
    source = found.block.at(found.line(name))
    fact = ZoneFact(source, found.block.switch, name, is_active)
    entries = row.get("member-entry")
    words = []
    for entry in _listed(entries):
        if isinstance(entry, dict):
            words += _listed(entry.get("entry-name"))
            words += _listed(entry.get("principal-entry-name"))
    for word in map(str, words):
        fact.members.append((found.block.at(found.line(word)), *_member(found, word)))
    return fact


def _member(found: _Document, word: str) -> tuple[str, str]:
    if ":" in word:
        return "wwn", name_at(found.block, found.line(word), word)
    return ("place", word) if _PLACE.fullmatch(word) else ("alias", word)


def _defined(found: _Document, facts: Facts, row: Row) -> None:
    for zone in _listed(row.get("zone")):
        if isinstance(zone, dict):
            facts.zones.append(_zone(found, zone, is_active=False))
    for alias in _listed(row.get("alias")):
        entries = alias.get("member-entry", {}) if isinstance(alias, dict) else {}
        words = _listed(entries.get("alias-entry-name")) if isinstance(entries, dict) else []
        if words:
            name = str(alias.get("alias-name", ""))
            members = [_member(found, str(word)) for word in words]
            source = found.block.at(found.line(name))
            facts.aliases.append(AliasFact(source, found.block.switch, name, members))


def _flogi(found: _Document, facts: Facts, row: Row) -> None:
    wwpn = found.name(row, "port_name", "pwwn")
    port = str(row.get("interface", ""))
    if not wwpn or not port or port.startswith("sup-fc"):
        return
    login = LoginFact(found.block.at(found.line(row.get("port_name"))), wwpn, found.block.switch)
    login.port, login.wwnn = port, found.name(row, "node_name")
    login.vsan, login.fcid = _number(row.get("vsan")), _number(row.get("fcid"), 16)
    facts.logins.append(login)


def _fcns(found: _Document, facts: Facts, row: Row) -> None:
    for vsan_row in [row]:
        vsan = _number(vsan_row.get("vsan_id"))
        for device in _rows(vsan_row, "ROW_fcns_database"):
            _fcns_entry(found, facts, device, vsan)


def _fcns_entry(found: _Document, facts: Facts, row: Row, vsan: int) -> None:
    wwpn = found.name(row, "pwwn", "port_name")
    text = str(row.get("fc4_type_feature") or row.get("fc4_types_fc4_features") or "")
    if not wwpn or "ipfc" in text:
        return
    login = LoginFact(found.block.at(found.line(row.get("pwwn"))), wwpn, found.block.switch)
    login.vsan, login.fcid = vsan, _number(row.get("fcid"), 16)
    role = re.search(r"\b(init|target|both)\b", text)
    login.role, login.vendor = role[1] if role else "", str(row.get("vendor", ""))
    facts.logins.append(login)


def _device_alias(found: _Document, facts: Facts, row: Row) -> None:
    wwn, name = found.name(row, "pwwn"), str(row.get("dev_alias_name", ""))
    if wwn and name:
        source = found.block.at(found.line(name))
        fact = AliasFact(source, found.block.switch, name, [("wwn", wwn)], is_fabric_wide=True)
        facts.aliases.append(fact)


def _topology(found: _Document, facts: Facts, row: Row) -> None:
    vsan = _number(row.get("vsan_id"))
    for link in _rows(row, "ROW_fctopo"):
        peer = str(link.get("peer_switch_name") or link.get("peer_ip_addr") or "")
        name = re.search(r"\(([^)]+)\)", peer)
        source = found.block.at(found.line(peer))
        port = str(link.get("if_id") or link.get("interface") or "")
        fact = IslFact(source, found.block.switch, port, name[1] if name else peer, vsan=vsan)
        fact.peer_port = str(link.get("peer_if_id") or link.get("peer_interface") or "")
        fact.is_bundle = "port-channel" in port
        if port and peer:
            facts.isls.append(fact)


_READERS: dict[str, Callable[[_Document, Facts, Row], None]] = {
    "fibrechannel-switch": _switch,
    "fabric-switch": _switch,
    "fibrechannel": _interface,
    "fibrechannel-name-server": _device,
    "effective-configuration": _effective,
    "defined-configuration": _defined,
    "ROW_flogi_entry": _flogi,
    "ROW_fcns_vsan": _fcns,
    "ROW_device_alias_database": _device_alias,
    "ROW_fctopo_vsan": _topology,
}
