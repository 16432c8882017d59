"""Outputs of NX-OS as rows: `show ... | json`, and answers of NX-API in JSON or XML.

Names of keys differ between releases. A table with one row has the row in place of a list.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sanlab.importers.fabric.commands import resolve
from sanlab.importers.fabric.documents import listed, number, rows_of, word
from sanlab.importers.fabric.facts import (
    AliasFact,
    BundleFact,
    CounterFact,
    DefaultFact,
    Finding,
    IslFact,
    LoginFact,
    PortFact,
    SetFact,
    SwitchFact,
    TrafficFact,
    ZoneFact,
)
from sanlab.importers.fabric.rows import model_in, name_at, symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sanlab.importers.fabric.documents import Document, Row
    from sanlab.importers.fabric.facts import Block, Facts, Source

_UP = {"up", "trunking"}
_DISABLED = {"adminDown", "outOfServc"}
#: VSANs for ports that are isolated.
_ISOLATION = {4079, 4094}
_ROLE = re.compile(r"\b(init|target|both)\b")
_INTERFACE = re.compile(r"(?:v?fc|vfc-po|(?:san-)?port-channel)[\d/]+")
_MODEL = re.compile(r"\b(?:cisco )?(?P<model>(?:MDS|Nexus)\s?\d\S*)", re.IGNORECASE)
#: Tables with the members of a zone.
_MEMBERS = ("ROW_zone_member", "ROW_member", "ROW_online_member")
_YES = {"yes", "true", "1"}
#: Counters that show trouble.
_TROUBLE = {
    "rx_crc_fcs": "CRC errors",
    "tx_timeout_discards": "time-outs of frames",
    "tx_credit_loss": "losses of all credit",
    "txwait": "ticks of 2.5 us without credit",
}


def read(found: Document, facts: Facts) -> None:
    """Read what is known of a document."""
    for kind, body in _bodies(found):
        before = facts.count()
        _flogis(found, facts, body)
        _links(found, facts, body)
        for key, reader in _READERS.items():
            for row in rows_of(body, key):
                reader(found, facts, row)
        _zoning(found, facts, kind, body)
        _model(found, facts, body)
        if facts.count() > before:
            own = SwitchFact(found.block.at(found.block.line), found.block.switch)
            own.vendor, own.is_own = "cisco", True
            facts.switches.append(own)


def texts(found: Document) -> Iterator[tuple[str, int, str]]:
    """Yield outputs of commands that a document has as text, with the lines they are on."""
    for row in _answers(found.value):
        body = row.get("body")
        if isinstance(body, str) and "\n" in body.strip():
            command = str(row.get("input", ""))
            yield command, found.line(command), body


def _answers(value: object) -> Iterator[Row]:
    """Yield the parts of a document that are the output of one command."""
    if isinstance(value, dict):
        if "body" in value:
            yield value
            return
        for part in value.values():
            yield from _answers(part)
    elif isinstance(value, list):
        for part in value:
            yield from _answers(part)


def _bodies(found: Document) -> Iterator[tuple[str, object]]:
    """Yield the outputs of commands with their kinds, where the document or its prompt has them."""
    answers = list(_answers(found.value))
    for row in answers:
        yield resolve(str(row.get("input", "")))[0] or found.block.output, row["body"]
    if not answers:
        yield found.block.output, found.value


def _port(row: Row, *keys: str) -> str:
    return word(row, *(keys or ("interface", "interface_fc"))).replace(" ", "")


def _vsan(row: Row) -> int:
    keys = ("vsan", "vsan_id", "zone_vsan_id", "zoneset_vsan_id", "zoneset_vsan", "vsan_brief")
    return number(word(row, *keys))


def _flogis(found: Document, facts: Facts, body: object) -> None:
    entries = list(rows_of(body, "ROW_flogi_entry"))
    for entry in entries:
        _flogi(found, facts, entry)
    for total in _all(body, "total_no_of_flogi"):
        found.expect({"total_no_of_flogi": total}, "total_no_of_flogi", len(entries), "logins")


def _flogi(found: Document, facts: Facts, row: Row) -> None:
    wwpn = found.name(row, "port_name", "pwwn")
    port = _port(row)
    if not wwpn or not port or port.startswith("sup-fc"):
        return
    login = LoginFact(found.at(word(row, "port_name", "pwwn")), wwpn, found.block.switch)
    login.port, login.wwnn = port, found.name(row, "node_name", "nwwn")
    login.vsan, login.fcid = _vsan(row), number(row.get("fcid"), 16)
    login.alias = word(row, "device_alias_for_pwwn", "device_alias")
    facts.logins.append(login)


def _fcns(found: Document, facts: Facts, row: Row) -> None:
    devices = list(rows_of(row, "ROW_fcns_database"))
    for device in devices:
        _fcns_entry(found, facts, device, _vsan(row))
    if len(devices) > 1:  # in the detailed form each device has a row of its own
        found.expect(row, "total_number_of_entries", len(devices), "devices")


def _fcns_entry(found: Document, facts: Facts, row: Row, vsan: int) -> None:
    wwpn = found.name(row, "pwwn", "port_name")
    features = word(row, "fc4_type_feature", "fc4_types_fc4_features")
    for table in ("ROW_fc4_type_feature", "ROW_fc4_types_fc4_features"):
        features += "".join(f" {part}" for one in rows_of(row, table) for part in one.values())
    if not wwpn or "ipfc" in features:
        return
    login = LoginFact(found.at(word(row, "pwwn", "port_name")), wwpn, found.block.switch)
    login.vsan, login.fcid = vsan, number(row.get("fcid"), 16)
    roles = set(_ROLE.findall(features))
    login.role = "both" if len(roles) > 1 else next(iter(roles), "")
    login.vendor, login.alias = word(row, "vendor"), word(row, "device_alias")
    login.wwnn = found.name(row, "nwwn", "node_name")
    login.fabric_port = found.name(row, "fabric_port_wwn")
    login.base = found.name(row, "permanent_pwwn")
    login.port = _port(row, "connected_interface")
    login.on_switch = word(row, "switch_name").partition(" (")[0]
    for key in ("symbolic_port_name", "symbolic_node_name"):
        symbols(login, login.source, word(row, key))
    facts.logins.append(login)


def _device_alias(found: Document, facts: Facts, row: Row) -> None:
    wwn, name = found.name(row, "pwwn"), word(row, "dev_alias_name", "device_alias_name")
    if wwn and name:
        _name(found, facts, name, wwn)


def _name(found: Document, facts: Facts, name: str, wwn: str) -> None:
    fact = AliasFact(found.at(name), found.block.switch, name, [("wwn", wwn)])
    fact.is_fabric_wide = True
    facts.aliases.append(fact)


def _links(found: Document, facts: Facts, value: object, vsan: int = 0) -> None:
    """Read links to other switches; the name of their table differs between releases."""
    if isinstance(value, list):
        for part in value:
            _links(found, facts, part, vsan)
    if not isinstance(value, dict):
        return
    vsan = number(word(value, "vsan_id", "vsan", "id")) or vsan
    if value.keys() & {"peer_interface", "peer_if_id"}:
        _link(found, facts, value, vsan)
    for part in value.values():
        _links(found, facts, part, vsan)


def _link(found: Document, facts: Facts, row: Row, vsan: int) -> None:
    peer = word(row, "peer_switch_name", "peer_ip_addr", "peer_ip_address")
    name = re.search(r"\(([^)]+)\)", peer)
    port = _port(row, "if_id", "interface")
    fact = IslFact(found.at(peer), found.block.switch, port, name[1] if name else peer)
    fact.vsan, fact.is_bundle = vsan, "port-channel" in port
    fact.peer_port = _port(row, "peer_if_id", "peer_interface")
    domain = re.search(r"\((\d+)\)", word(row, "peer_domain"))
    fact.peer_domain = int(domain[1]) if domain else None
    if port and peer:
        facts.isls.append(fact)


def _brief(found: Document, facts: Facts, row: Row) -> None:
    port = _port(row, "interface", "interface_fc", "interface_po")
    if not _INTERFACE.fullmatch(port):
        return
    fact = PortFact(found.at(word(row, "interface", "interface_fc")), found.block.switch, port)
    status = word(row, "status", "oper_port_state")
    fact.state = "up" if status in _UP else "disabled" if status in _DISABLED else "down"
    fact.kind = word(row, "oper_mode")
    fact.speed = number(word(row, "oper_speed").split(" ")[0])
    channel = word(row, "port_channel", "port_channel_id")
    fact.master = f"port-channel{channel}" if channel.isdigit() else channel
    optics = word(row, "fcot_info")
    fact.optics = optics if optics in {"swl", "lwl"} else ""
    fact.vsan = _vsan(row)
    facts.ports.append(fact)


def _counters(found: Document, facts: Facts, row: Row) -> None:
    port = _port(row)
    if not port.startswith(("fc", "vfc")):
        return
    fact = TrafficFact(found.at(word(row, "interface")), found.block.switch, port)
    fact.sent, fact.received = number(row.get("tx_bytes")), number(row.get("rx_bytes"))
    fact.is_told = "tx_bytes" in row and "rx_bytes" in row
    if fact.is_told:
        facts.traffic.append(fact)
    for key, name in _TROUBLE.items():
        if value := number(row.get(key)):
            facts.counters.append(CounterFact(fact.source, fact.switch, port, name, str(value)))


def _channel(found: Document, facts: Facts, row: Row) -> None:
    name = _port(row, "interface", "port_channel")
    members = [
        port
        for text in _all(row, "port")
        if re.fullmatch(r"v?fc[\d/]+", port := str(text).replace(" ", ""))
    ]
    if name and members:
        source = found.at(word(row, "interface"))
        facts.bundles.append(BundleFact(source, found.block.switch, name, members))


def _all(value: object, key: str) -> Iterator[object]:
    """Yield the texts below a key, at any depth."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name == key:
                yield from (text for text in listed(part) if not isinstance(text, dict))
            else:
                yield from _all(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from _all(part, key)


def _membership(found: Document, facts: Facts, row: Row) -> None:
    vsan = _vsan(row)
    if vsan not in _ISOLATION:
        for text in [*listed(row.get("interfaces")), *listed(row.get("interface"))]:
            port = str(text).replace(" ", "")
            if re.fullmatch(r"v?fc[\d/]+", port):
                facts.vsans[found.block.switch, port] = vsan


def _adapter(found: Document, facts: Facts, row: Row) -> None:
    ports = [*rows_of(row, "ROW_port_id"), row]
    host = next((name for one in ports if (name := word(one, "host_name"))), "")
    for text in dict.fromkeys(word(one, *keys) for one in ports for keys in (("port",), ("hba",))):
        if text:
            wwpn = name_at(found.block, found.line(text), text)
            login = LoginFact(found.at(text), wwpn, found.block.switch)
            login.model, login.host = model_in(word(row, "model")), host
            facts.logins.append(login)


def _domain(found: Document, facts: Facts, row: Row) -> None:
    for one in [*rows_of(row, "ROW_localswitch_run_info"), row]:
        text = word(one, "current_domain_id", "running_domain_id", "local_domain_id")
        domain = re.search(r"\((\d+)\)", text) or re.fullmatch(r"(\d+)", text)
        if domain:
            fact = SwitchFact(found.at(text), found.block.switch, vsan=_vsan(row))
            fact.domain, fact.vendor, fact.is_own = int(domain[1]), "cisco", True
            facts.switches.append(fact)


_READERS: dict[str, Callable[[Document, Facts, Row], None]] = {
    "ROW_fcns_vsan": _fcns,
    "ROW_device_alias_database": _device_alias,
    "ROW_interface_brief_fc": _brief,
    "ROW_interface_brief_portchannel": _brief,
    "ROW_interface_brief_vfc": _brief,
    "ROW_counters": _counters,
    "ROW_port_channel_database": _channel,
    "ROW_vsan_membership": _membership,
    "ROW_hba_id": _adapter,
    "ROW_switch_status": _domain,
}


def _model(found: Document, facts: Facts, body: object) -> None:
    for model in _all(body, "chassis_id"):
        if match := _MODEL.search(str(model)):
            fact = SwitchFact(found.at(model), found.block.switch, vendor="cisco", is_own=True)
            fact.type = match["model"][:60]
            facts.switches.append(fact)


def _zoning(found: Document, facts: Facts, kind: str, body: object) -> None:
    """Read zone sets, zones and what unzoned ports may do."""
    for row in rows_of(body, "ROW_zone_status"):
        _status(found, facts, row)
    sets = list(rows_of(body, "ROW_zoneset"))
    flags = [word(row, "isactive", "zoneset_active").lower() for row in sets]
    is_active = kind == "zoneset"
    if sets and kind not in {"zones", "zoneset"} and not any(flags):
        is_active = True
        text = "A zone set without its command is taken for the active one"
        facts.findings.append(Finding(text, (found.at(word(sets[0], "name", "zoneset_name")),)))
    for row, flag in zip(sets, flags, strict=True):
        _zone_set(found, facts, row, is_active=flag in _YES if flag else is_active)
    if not sets:
        for row in rows_of(body, "ROW_zone_active"):
            _zone(found, facts, row, 0, is_active=True)
        for row in rows_of(body, "ROW_zone"):
            _zone(found, facts, row, 0, is_active=is_active)
        if isinstance(body, dict) and "TABLE_zone_member" in body:
            _zone(found, facts, body, 0, is_active=is_active)


def _status(found: Document, facts: Facts, row: Row) -> None:
    vsan, word_of = _vsan(row), word(row, "default_zone")
    if word_of in {"permit", "deny"}:
        source = found.at("default_zone")
        facts.defaults.append(DefaultFact(source, found.block.switch, word_of == "permit", vsan))
    if name := word(row, "activedb_zoneset_name"):
        _enable(facts, found.at(name), found.block.switch, (name, vsan))


def _enable(facts: Facts, source: Source, switch: str, of: tuple[str, int]) -> None:
    for known in facts.sets:
        if (known.switch, known.name, known.vsan) == (switch, *of):
            known.is_enabled = True
            return
    facts.sets.append(SetFact(source, switch, of[0], [], of[1], is_enabled=True))


def _zone_set(found: Document, facts: Facts, row: Row, *, is_active: bool) -> None:
    name, vsan = word(row, "name", "zoneset_name"), _vsan(row)
    one = SetFact(found.at(name), found.block.switch, name, [], vsan, is_active)
    facts.sets.append(one)
    for zone in rows_of(row, "ROW_zone"):
        fact = _zone(found, facts, zone, vsan, is_active=is_active)
        fact.zone_set = name
        one.zones.append(fact.name)
    one.zones += [word(zone, "name", "zone_name") for zone in rows_of(row, "ROW_zoneset_member")]


def _zone(found: Document, facts: Facts, row: Row, vsan: int, *, is_active: bool) -> ZoneFact:
    name = word(row, "name", "zone_name")
    fact = ZoneFact(found.at(name), found.block.switch, name, is_active, _vsan(row) or vsan)
    for table in _MEMBERS:
        for member in rows_of(row, table):
            _member(found, facts, fact, member)
    if name != "$default_zone$":
        facts.zones.append(fact)
    return fact


def _member(found: Document, facts: Facts, zone: ZoneFact, row: Row) -> None:
    kind = word(row, "type")
    alias, wwn = word(row, "dev_alias", "device_alias"), word(row, "wwn", "pwwn")
    target = word(row, "dev_alias_pwwn") or (wwn if kind in {"", "pwwn"} else "")
    if alias and target:
        _name(found, facts, alias, name_at(found.block, found.line(target), target))
    if kind in {"fwwn", "swwn"}:
        entry = ("other", kind)
    elif wwn:
        entry = ("wwn", name_at(found.block, found.line(wwn), wwn))
    elif text := alias or word(row, "fcalias_name"):
        entry = ("alias", text)
    elif text := word(row, "fcid"):
        entry = ("fcid", text)
    elif text := word(row, "intf_fc", "intf_port_ch", "intf", "interface"):
        entry = ("interface", text.replace(" ", ""))
    else:
        entry = ("other", kind)
    text = wwn or alias or entry[1]
    zone.members.append((found.at(text), *entry))


def text_block(block: Block, command: str, line: int) -> Block:
    """Return an empty block for an output of a command within a document."""
    kind, rest, shown = resolve(command)
    return replace(block, kind=kind or "", words=rest if kind else shown, line=line, lines=[])
