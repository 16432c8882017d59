"""Outputs of made-up fabrics, in the dialects of both makers, for tests of the import.

Every host has one port on an edge switch, every array two ports on the core. `brocade` and `cisco`
print the same fabric.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

#: Ports of devices at one switch.
PER_SWITCH = 200


@dataclass(frozen=True)
class Made:
    """A device of a made-up fabric."""

    name: str
    wwpn: str
    wwnn: str
    domain: int
    port: int
    is_target: bool


def _spelled(digits: str) -> str:
    return ":".join(digits[i : i + 2] for i in range(0, 16, 2))


def devices(hosts: int, arrays: int = 2) -> list[Made]:
    """Ports of hosts on the edge, of arrays on the core, which is domain 1."""
    found = []
    for number in range(hosts):
        name, tail = f"host{number + 1:04d}", f"{number:06x}"
        wwpn, wwnn = _spelled(f"2100f4e9d4{tail}"), _spelled(f"2000f4e9d4{tail}")
        domain, port = 2 + number // PER_SWITCH, number % PER_SWITCH
        found.append(Made(f"{name}_hba0", wwpn, wwnn, domain, port, is_target=False))
    for number in range(arrays):
        for controller in (0, 1):
            wwpn = _spelled(f"524a937{number:05x}00{controller:02x}")
            wwnn = _spelled(f"524a937{number:05x}ff00")
            name, port = f"pure{number + 1}_ct{controller}_fc0", 2 * number + controller
            found.append(Made(name, wwpn, wwnn, 1, port, is_target=True))
    return found


def switches(made: list[Made]) -> list[int]:
    """Domains of the fabric; 1 is the core."""
    return sorted({1, *(device.domain for device in made)})


def zones(made: list[Made]) -> dict[str, list[Made]]:
    """One zone for each host, with the ports of one array."""
    targets = [device for device in made if device.is_target]
    hosts = [device for device in made if not device.is_target]
    pairs = [targets[i : i + 2] for i in range(0, len(targets), 2)]
    return {
        f"z_{host.name}": [host, *pairs[number % len(pairs)]] for number, host in enumerate(hosts)
    }


def _wwn(domain: int) -> str:
    return f"10:00:88:94:71:00:{domain:02x}:00"


def brocade(made: list[Made]) -> str:
    """Print the sessions at all switches in Brocade's dialect."""
    return "\n".join(_brocade_switch(made, domain) for domain in switches(made))


def _brocade_switch(made: list[Made], domain: int) -> str:
    prompt = f"sw{domain}:FID128:admin>"
    here = [device for device in made if device.domain == domain]
    others = [other for other in switches(made) if other != domain and 1 in {other, domain}]
    lines = [
        f"{prompt} switchshow",
        f"switchName:\tsw{domain}",
        "switchType:\t162.0",
        f"switchDomain:\t{domain}",
        f"switchWwn:\t{_wwn(domain)}",
        "Index Port Address Media Speed State     Proto",
    ]
    for d in here:
        place = f"{d.port:4d} {d.port:3d}   {domain:02x}{d.port:02x}00"
        lines.append(f"{place}   id    N32   Online      FC  F-Port  {d.wwpn} ")
    lines.append(f"{prompt} islshow")
    for number, other in enumerate(others):
        near = 250 if domain > 1 else 240 - other
        far = 250 if other > 1 else 240 - domain
        ends = f"{number + 1:3d}:{near:3d}->{far:3d} {_wwn(other)} {other:3d} sw{other}"
        lines.append(f"{ends}   sp: 32.000G bw: 32.000G QOS")
    lines += [f"{prompt} nsshow -t", "{", " Type Pid    COS     PortName    NodeName    TTL(sec)"]
    for d in here:
        pid = f"{domain:02x}{d.port:02x}00"
        kind = "Target" if d.is_target else "Initiator"
        lines += [
            f" N    {pid};      3;{d.wwpn};{d.wwnn}; na",
            "    FC4s: FCP ",
            f"    Permanent Port Name: {d.wwpn}",
            f"    Device type: Physical {kind}",
            f"    Port Index: {d.port}",
        ]
    lines.append(f"The Local Name Server has {len(here)} entries }}")
    if domain == 1:
        lines += [f"{prompt} cfgshow", *_cfg(made)]
    return "\n".join([*lines, prompt])


def _cfg(made: list[Made]) -> list[str]:
    lines = ["Defined configuration:"]
    for d in made:
        lines += [f" alias:\t{d.name}", f"\t\t{d.wwpn}"]
    lines += ["", "Effective configuration:", " cfg:\tPROD\t"]
    for name, members in zones(made).items():
        lines += [f" zone:\t{name}", *(f"\t\t{member.wwpn}" for member in members)]
    return lines


def cisco(made: list[Made]) -> str:
    """Print the sessions at all switches in Cisco's dialect."""
    return "\n".join(_cisco_switch(made, domain) for domain in switches(made))


def _cisco_switch(made: list[Made], domain: int) -> str:
    prompt = f"sw{domain}#"
    here = [device for device in made if device.domain == domain]
    others = [other for other in switches(made) if other != domain and 1 in {other, domain}]
    lines = [f"{prompt} show flogi database"]
    lines.append("INTERFACE        VSAN    FCID           PORT NAME               NODE NAME")
    for d in here:
        fcid = f"0x{domain:02x}{d.port:02x}00"
        place = f"fc{1 + d.port // 48}/{1 + d.port % 48}"
        lines += [f"{place}  10  {fcid}  {d.wwpn} {d.wwnn}", f"      [{d.name}]"]
    lines += [f"Total number of flogi = {len(here)}.", f"{prompt} show fcns database"]
    lines += [
        "VSAN 10:",
        "FCID        TYPE  PWWN                    (VENDOR)        FC4-TYPE:FEATURE",
    ]
    for d in made:
        kind = "target" if d.is_target else "init"
        fcid = f"0x{d.domain:02x}{d.port:02x}00"
        lines += [f"{fcid}    N     {d.wwpn}    scsi-fcp:{kind}", f"      [{d.name}]"]
    lines += [f"{prompt} show interface brief", "Interface  Vsan   Admin  Admin   Status  SFP"]
    for d in here:
        place = f"fc{1 + d.port // 48}/{1 + d.port % 48}"
        lines.append(f"{place}  10  auto  off  up  swl  F  32  --  edge")
    core = range(1, len(others) + 1)
    lines += [f"fc9/{n}  1  E  on  trunking  swl  TE  32  --  core" for n in core]
    lines += [f"{prompt} show topology", "FC Topology for VSAN 10 :"]
    for number, other in enumerate(others):
        far = 1 if domain == 1 else domain - 1
        name = f"0x{other:x}({other})  fc9/{far}  192.0.2.{other}(sw{other})"
        lines.append(f"   fc9/{number + 1}  {name}")
    if domain == 1:
        lines += [f"{prompt} show zoneset active vsan 10", "zoneset name PROD vsan 10"]
        for name, members in zones(made).items():
            lines.append(f"  zone name {name} vsan 10")
            fcids = (f"0x{m.domain:02x}{m.port:02x}00" for m in members)
            pairs = zip(members, fcids, strict=True)
            lines += [f"  * fcid {fcid} [pwwn {m.wwpn}] [{m.name}]" for m, fcid in pairs]
    return "\n".join([*lines, prompt])


def cisco_json(made: list[Made]) -> str:
    """Print the same sessions as `cisco` with `| json` behind each command."""
    return "\n".join(_cisco_json_switch(made, domain) for domain in switches(made))


def _rows(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A table of NX-API, in which a single row is not in a list."""
    return {f"TABLE_{name}": {f"ROW_{name}": rows[0] if len(rows) == 1 else rows}} if rows else {}


def _cisco_json_switch(made: list[Made], domain: int) -> str:
    here = [device for device in made if device.domain == domain]
    others = [other for other in switches(made) if other != domain and 1 in {other, domain}]
    ports = [
        {"interface": _interface(d), "oper_mode": "F", "status": "up", "logical_type": "edge"}
        for d in here
    ]
    ports += [
        {"interface": f"fc9/{n}", "oper_mode": "TE", "status": "trunking", "logical_type": "core"}
        for n in range(1, len(others) + 1)
    ]
    common = {"fcot_info": "swl", "oper_speed": "32", "port_channel": "--"}
    briefs = [{**port, **common, "vsan": 10 if port["oper_mode"] == "F" else 1} for port in ports]
    far = 1 if domain == 1 else domain - 1
    links = [
        {
            "interface": f"fc9/{number + 1}",
            "peer_domain": f"0x{other:x}({other})",
            "peer_interface": f"fc9/{far}",
            "peer_ip_address": f"192.0.2.{other}",
            "peer_switch_name": f"sw{other}",
        }
        for number, other in enumerate(others)
    ]
    names = {"vsan_id": 10, **_rows("fcns_database", [_fcns(d) for d in made])}
    answers: dict[str, object] = {
        "show flogi database": {
            **_rows("flogi_entry", [_flogi(d) for d in here]),
            "total_no_of_flogi": len(here),
        },
        "show fcns database": _rows("fcns_vsan", [names]),
        "show interface brief": _rows("interface_brief_fc", briefs),
        "show topology": _rows("topology_vsan", [{"id": 10, **_rows("topology", links)}]),
    }
    if domain == 1:
        zoned = [
            {"name": name, "vsan": 10, **_rows("member", [_member(m) for m in members])}
            for name, members in zones(made).items()
        ]
        answers["show zoneset active vsan 10"] = _rows(
            "zoneset", [{"name": "PROD", "vsan": 10, **_rows("zone", zoned)}]
        )
    lines = [f"sw{domain}# {command} | json\n{json.dumps(a)}" for command, a in answers.items()]
    return "\n".join([*lines, f"sw{domain}#"])


def _interface(device: Made) -> str:
    return f"fc{1 + device.port // 48}/{1 + device.port % 48}"


def _fcid(device: Made) -> str:
    return f"0x{device.domain:02x}{device.port:02x}00"


def _flogi(device: Made) -> dict[str, Any]:
    return {
        "interface": _interface(device),
        "vsan": 10,
        "fcid": _fcid(device),
        "port_name": device.wwpn,
        "node_name": device.wwnn,
        "device_alias_for_pwwn": device.name,
    }


def _fcns(device: Made) -> dict[str, Any]:
    kind = "target" if device.is_target else "init"
    features = [{"fc4_type": "scsi-fcp", "fc4_feature": kind}]
    return {
        "fcid": _fcid(device),
        "type": "N",
        "pwwn": device.wwpn,
        "vendor": "",
        "device_alias": device.name,
        **_rows("fc4_type_feature", features),
    }


def _member(device: Made) -> dict[str, Any]:
    return {"type": "pwwn", "wwn": device.wwpn, "online_fcid": _fcid(device)}
