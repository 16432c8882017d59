"""Answers of the REST interface of Fabric OS, in JSON or XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric.documents import listed, mappings, number, rows_of, word
from sanlab.importers.fabric.facts import (
    AliasFact,
    BundleFact,
    CounterFact,
    DefaultFact,
    IslFact,
    LoginFact,
    PortFact,
    SetFact,
    SwitchFact,
    TrafficFact,
    ZoneFact,
)
from sanlab.importers.fabric.rows import gigabits, host_in, model_in, name_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.importers.fabric.documents import Document, Row
    from sanlab.importers.fabric.facts import Facts

_PLACE = re.compile(r"\d+,\d+")
#: Types of ports that are not given as words.
_TYPES = {"7": "E", "15": "F", "16": "L"}
#: Rates that are not used: the schema of Brocade calls them instantaneous rates of bytes, and names
#: no unit of them as it does of other values (brocade-interface.yang of FOS 8.2.1b and 9.1.0b).
_RATES = ("in-rate", "out-rate", "in-peak-rate", "out-peak-rate")
#: Counters that show trouble. The unit of `bb-credit-zero` differs between versions.
_TROUBLE = {
    "crc-errors": "CRC errors",
    "class3-discards": "discards of class 3",
    "class-3-discards": "discards of class 3",
    "class3-out-discards": "discards of class 3, transmitted",
}


def read(found: Document, facts: Facts) -> None:
    """Read what is known of a document."""
    for key, reader in _READERS.items():
        for row in rows_of(found.value, key):
            reader(found, facts, row)
    _trunks(found, facts)


def _switch(found: Document, facts: Facts, row: Row) -> None:
    wwn = found.name(row, "name", "switch-name")
    name = word(row, "user-friendly-name", "switch-user-friendly-name")
    fact = SwitchFact(found.at(name), name, wwn, vendor="brocade")
    fact.domain = number(row.get("domain-id")) or None
    fact.type, fact.is_own = str(row.get("model", "")), "model" in row
    if not fact.is_own:
        fact.fabric = found.block.switch
    facts.switches.append(fact)


def _place(row: Row) -> tuple[str, str]:
    """Return index of a port, and slot and port on a director."""
    slot, _, port = str(row.get("name", "")).rpartition("/")
    place = f"{slot}/{port}" if slot not in {"", "0"} else ""
    return word(row, "default-index", "index") or place or port, place


def _interface(found: Document, facts: Facts, row: Row) -> None:
    port, place = _place(row)
    fact = PortFact(found.at(row.get("wwn") or row.get("name")), found.block.switch, port)
    fact.place, fact.wwn = place, found.name(row, "wwn")
    fact.fcid = number(row.get("fcid-hex"), 16)
    fact.speed = number(row.get("speed")) // 10**9
    fact.state = "up" if str(row.get("operational-status")) == "2" else "down"
    if str(row.get("is-enabled-state", "true")).lower() == "false":
        fact.state = "disabled"
    kind = word(row, "port-type-string", "port-type").lower()
    fact.kind = _TYPES.get(kind) or kind.removesuffix("-port").upper()
    facts.ports.append(fact)
    if fact.state != "up":
        return
    if fact.kind == "E":
        _neighbour(found, facts, fact, row)
    neighbour = row.get("neighbor")
    names = listed(neighbour.get("wwn")) if isinstance(neighbour, dict) else []
    for text in names if fact.kind in {"F", "L"} else []:
        wwpn = name_at(found.block, found.line(text), str(text))
        login = LoginFact(found.at(text), wwpn, fact.switch, port=port, speed=fact.speed)
        login.fcid = fact.fcid if len(names) == 1 else 0
        facts.logins.append(login)


def _neighbour(found: Document, facts: Facts, fact: PortFact, row: Row) -> None:
    fact.peer_wwn = found.name(row, "neighbor-node-wwn")
    fact.peer_name = word(row, "neighbor-switch-user-friendly-name")
    far = word(row, "neighbor-port-index")
    if far and (fact.peer_wwn or fact.peer_name):
        link = IslFact(fact.source, fact.switch, fact.port, fact.peer_name, fact.peer_wwn, far)
        link.speed = fact.speed
        facts.isls.append(link)


def _trunks(found: Document, facts: Facts) -> None:
    """Read trunks, whose rows are their members."""
    groups: dict[str, BundleFact] = {}
    for row in rows_of(found.value, "trunk"):
        port, wwn = word(row, "source-port"), found.name(row, "neighbor-wwn")
        group = word(row, "group", "trunk-group")
        if not port or not wwn:
            continue
        source, switch = found.at(row.get("neighbor-wwn")), found.block.switch
        if group not in groups:
            groups[group] = BundleFact(source, switch, port, [], [], wwn)
            facts.bundles.append(groups[group])
        bundle = groups[group]
        bundle.members.append(port)
        bundle.deskews.append(number(row.get("deskew")))
        if str(row.get("master")).lower() in {"true", "1"}:
            bundle.name = port
            link = IslFact(source, switch, port, word(row, "neighbor-switch-name"), wwn)
            link.peer_port, link.is_bundle = word(row, "destination-port"), True
            link.peer_domain = number(row.get("neighbor-domain-id")) or None
            facts.isls.append(link)


def _statistics(found: Document, facts: Facts, row: Row) -> None:
    """Read the bytes of a port so far, and when they were counted."""
    port, _ = _place(row)
    fact = TrafficFact(found.at(row.get("name")), found.block.switch, port, counter="octets")
    fact.sent, fact.received = number(row.get("out-octets")), number(row.get("in-octets"))
    fact.seconds = float(number(row.get("time-generated"))) or None
    fact.is_told = "out-octets" in row or "in-octets" in row
    if fact.is_told:
        facts.traffic.append(fact)
    if shown := [key for key in _RATES if key in row]:
        what = f"{', '.join(shown)} of fibrechannel-statistics: Brocade's schema names no unit"
        facts.skip(fact.source, f"{what}; two answers make a rate of what they count")
    for key, name in _TROUBLE.items():
        if value := number(row.get(key)):
            facts.counters.append(CounterFact(fact.source, fact.switch, port, name, str(value)))


def _device(found: Document, facts: Facts, row: Row) -> None:
    wwpn = found.name(row, "port-name")
    if not wwpn:
        return
    login = LoginFact(found.at(row["port-name"]), wwpn, found.block.switch)
    login.wwnn, login.base = found.name(row, "node-name"), found.name(row, "permanent-port-name")
    login.fabric_port = found.name(row, "fabric-port-name")
    login.fcid = number(row.get("port-id"), 16)
    login.port = str(row.get("port-index", ""))
    login.speed = gigabits(str(row.get("link-speed", "")))
    features = str(row.get("fc4-features", "")) + str(row.get("name-server-device-type", ""))
    is_target, is_init = "arget" in features, "nitiator" in features
    login.role = "both" if is_target and is_init else "target" if is_target else ""
    login.role = login.role or ("init" if is_init else "")
    symbols = f"{row.get('node-symbolic-name', '')} {row.get('port-symbolic-name', '')}"
    login.host, login.model = host_in(symbols), model_in(symbols)
    facts.logins.append(login)


def _effective(found: Document, facts: Facts, row: Row) -> None:
    name = word(row, "cfg-name")
    source, switch = found.at(name), found.block.switch
    zones = mappings(row.get("enabled-zone"))
    if name or zones:
        names = [word(zone, "zone-name") for zone in zones]
        facts.sets.append(SetFact(source, switch, name, names, is_enabled=True))
    elif "default-zone-access" in row:
        is_open = number(row["default-zone-access"]) == 1
        facts.defaults.append(DefaultFact(source, switch, is_open))
    for zone in zones:
        fact = _zone(found, zone, is_active=True)
        fact.zone_set = name
        facts.zones.append(fact)


def _zone(found: Document, row: Row, *, is_active: bool) -> ZoneFact:
    name = word(row, "zone-name")
    fact = ZoneFact(found.at(name), found.block.switch, name, is_active)
    for entry in mappings(row.get("member-entry")):
        for text in [*listed(entry.get("entry-name")), *listed(entry.get("principal-entry-name"))]:
            fact.members.append((found.at(text), *_member(found, str(text))))
    return fact


def _member(found: Document, text: str) -> tuple[str, str]:
    if ":" in text:
        return "wwn", name_at(found.block, found.line(text), text)
    return ("place", text) if _PLACE.fullmatch(text) else ("alias", text)


def _defined(found: Document, facts: Facts, row: Row) -> None:
    facts.zones += [_zone(found, zone, is_active=False) for zone in mappings(row.get("zone"))]
    for alias in mappings(row.get("alias")):
        entries = mappings(alias.get("member-entry"))
        words = [text for entry in entries for text in listed(entry.get("alias-entry-name"))]
        if words:
            name = word(alias, "alias-name")
            members = [_member(found, str(text)) for text in words]
            facts.aliases.append(AliasFact(found.at(name), found.block.switch, name, members))
    for one in mappings(row.get("cfg")):
        name = word(one, "cfg-name")
        zones = [
            str(text)
            for part in mappings(one.get("member-zone"))
            for text in listed(part.get("zone-name"))
        ]
        facts.sets.append(SetFact(found.at(name), found.block.switch, name, zones))


_READERS: dict[str, Callable[[Document, Facts, Row], None]] = {
    "fibrechannel-switch": _switch,
    "fabric-switch": _switch,
    "fibrechannel": _interface,
    "fibrechannel-statistics": _statistics,
    "fibrechannel-name-server": _device,
    "effective-configuration": _effective,
    "defined-configuration": _defined,
}
