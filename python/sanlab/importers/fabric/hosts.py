"""Outputs of hosts: adapters, and paths to LUNs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.importers.fabric import wwn
from sanlab.importers.fabric.facts import AdapterFact, Finding, PathFact
from sanlab.importers.fabric.rows import gigabits, model_in, name_at

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import Block, Facts, Source

_CLASS_DEVICE = re.compile(r"\s*Class Device = \"host(\d+)\"")
_VALUE = re.compile(r"\s*(?P<key>\w+)\s*= \"(?P<value>[^\"]*)\"")
_SYSFS = re.compile(r".*?/fc_host/host(?P<host>\d+)/(?P<key>\w+)(?::(?P<value>.*))?\s*$")
_KEYS = {"port_name", "node_name", "speed", "symbolic_name"}


def systool(block: Block, facts: Facts) -> None:
    """Read `systool -c fc_host -v`."""
    scsi = ""
    adapter: AdapterFact | None = None
    for number, line in block.lines:
        begin, value = _CLASS_DEVICE.match(line), _VALUE.match(line)
        if begin:
            scsi = begin[1]
            adapter = AdapterFact(block.at(number), block.switch, "", scsi)
            facts.adapters.append(adapter)
        elif adapter is not None and value and value["key"] in _KEYS:
            _fill(adapter, block, number, value["key"], value["value"])
    facts.adapters = [adapter for adapter in facts.adapters if adapter.wwpn]


def sysfs(block: Block, facts: Facts) -> None:
    """Read files below `/sys/class/fc_host`, as `grep .` or an archive in text shows them."""
    found: dict[str, AdapterFact] = {}
    pending: tuple[str, str] | None = None
    for number, line in block.lines:
        if block.words == "port_name" and re.fullmatch(r"0x[0-9a-f]{16}", line.strip()):
            name = name_at(block, number, line)
            facts.adapters.append(AdapterFact(block.at(number), block.switch, name))
        match = _SYSFS.match(line)
        if match:
            pending = (match["host"], match["key"])
            if match["value"] is None:
                continue
        if pending is None or not line.strip() or re.match(r"\s*Lines: \d+", line):
            continue
        scsi, key = pending
        value = match["value"] if match else line.strip()
        pending = None
        if key in _KEYS and value:
            if scsi not in found:
                found[scsi] = AdapterFact(block.at(number), block.switch, "", scsi)
            _fill(found[scsi], block, number, key, value.strip())
    facts.adapters += [adapter for adapter in found.values() if adapter.wwpn]


def _fill(adapter: AdapterFact, block: Block, line: int, key: str, value: str) -> None:
    match key:
        case "port_name":
            adapter.wwpn, adapter.source = name_at(block, line, value), block.at(line)
        case "node_name":
            adapter.wwnn = wwn.normal(value) or ""
        case "speed":
            adapter.speed = gigabits(value)
        case _:
            adapter.model = model_in(value)


_MAP = re.compile(
    r"(?:(?P<alias>[\w.\-]+) \((?P<named>[^)]+)\)|(?P<wwid>\S.*?)) +dm-\d+\s*(?P<vendor>[^,]*)"
)
_SIZE = re.compile(r"\[?size=\s*(?P<number>[\d.]+) ?(?P<unit>[KMGTP])")
_PATH = re.compile(r"[\s|`\\_+-]*(?P<scsi>\d+:\d+:\d+:(?P<lun>\d+))\s+\w+\s+\d+:\d+")
#: Selectors of device-mapper, in the words of a scenario, and the head of a group of paths.
_POLICIES = {
    "round-robin": "round-robin",
    "queue-length": "least-queue",
    "service-time": "least-queue",
}
_GROUP = re.compile(
    r"[\s|`\\_+-]*(?:policy='|\\_ )(?P<policy>[a-z-]+) \d+'? +\[?prio=(?P<priority>-?\d+)"
)
_FAILED = re.compile(r"\b(?:failed|faulty|offline)\b|\[failed\]")
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}


def multipath(block: Block, facts: Facts) -> None:
    """Read `multipath -ll`: the name and size of a LUN, and its paths."""
    device = vendor = ""
    size = 0
    paths: list[bool] = []
    maps: list[tuple[int, str, list[bool]]] = []
    policy: tuple[str, Source] | None = None
    groups: dict[str, set[int]] = {}
    for number, line in block.lines:
        path, extent, group = _PATH.match(line), _SIZE.match(line), _GROUP.match(line)
        if group:
            known = _POLICIES.get(group["policy"], "")
            policy = (known, block.at(number)) if known else None
            groups.setdefault(maps[-1][1] if maps else "", set()).add(int(group["priority"]))
            continue
        found = None if path else _MAP.match(line)
        if found and "|" not in line[:30]:
            device, vendor = (found["named"] or found["wwid"]).strip(), found["vendor"].strip()
            size, paths, policy = 0, [], None
            maps.append((number, found["alias"] or device, paths))
        elif extent:
            size = int(float(extent["number"]) * _UNITS[extent["unit"]])
        elif path and device:
            fact = PathFact(block.at(number), block.switch, int(path["lun"]), _device(device))
            fact.scsi, fact.size, fact.vendor = path["scsi"], size, vendor
            fact.policy = policy
            facts.paths.append(fact)
            paths.append(bool(_FAILED.search(line)))
    for number, name, states in maps:
        _note_paths(block, facts, number, name, states)
    uneven = [(number, name) for number, name, _ in maps if len(groups.get(name, ())) > 1]
    if uneven:
        shown = ", ".join(f"'{name}'" for _, name in uneven[:3])
        more = f" and {len(uneven) - 3} more" if len(uneven) > 3 else ""
        text = f"The host prefers some of the paths to {shown}{more}; here all are alike, since no"
        text += " output says which controller owns a LUN"
        facts.findings.append(Finding(text, (block.at(uneven[0][0]),)))


def _note_paths(block: Block, facts: Facts, line: int, name: str, failed: list[bool]) -> None:
    """List LUNs without a path of SCSI, and those with paths that have failed."""
    if not failed:
        text = f"The host shows no path of SCSI to '{name}', which is left out"
    elif any(failed):
        text = f"{sum(failed)} of the {len(failed)} paths to '{name}' have failed"
    else:
        return
    facts.findings.append(Finding(text, (block.at(line),)))


def _device(text: str) -> str:
    """Return the name of a device without the digit that multipath puts before it."""
    digits = text.lower().removeprefix("naa.")
    is_long = re.fullmatch(r"3[0-9a-f]{32}|3[0-9a-f]{16}", digits)
    return digits[1:] if is_long else digits


_LSSCSI = re.compile(
    r"\[(?P<scsi>\d+:\d+:\d+:(?P<lun>\d+))\]\s+disk\s+fc:0x(?P<target>[0-9a-f]{16}),0x[0-9a-f]+"
)


def lsscsi(block: Block, facts: Facts) -> None:
    """Read `lsscsi -t`; without `-t` there is no transport, and nothing to read."""
    for number, line in block.lines:
        match = _LSSCSI.match(line)
        if match:
            fact = PathFact(block.at(number), block.switch, int(match["lun"]), scsi=match["scsi"])
            fact.target = match["target"]
            facts.paths.append(fact)


_UID = re.compile(
    r"\s*UID: fc\.(?P<wwnn>[0-9a-f]{16}):(?P<init>[0-9a-f]{16})-fc\.[0-9a-f]{16}:"
    r"(?P<target>[0-9a-f]{16})-(?P<device>\S+)"
)


def esxcli(block: Block, facts: Facts) -> None:
    """Read `esxcli storage core path list`."""
    path: PathFact | None = None
    for number, line in block.lines:
        uid = _UID.match(line)
        lun = re.match(r"\s+LUN: (\d+)", line)
        shown = re.match(r"\s+Device Display Name: (\w+)", line)
        if uid:
            path = PathFact(block.at(number), block.switch, 0, _device(uid["device"]))
            path.initiator, path.target = uid["init"], uid["target"]
            facts.paths.append(path)
            adapter = AdapterFact(block.at(number), block.switch, uid["init"])
            adapter.wwnn = uid["wwnn"]
            if all(known.wwpn != adapter.wwpn for known in facts.adapters[-8:]):
                facts.adapters.append(adapter)
        elif path is not None and lun:
            path.lun = int(lun[1])
        elif path is not None and shown:
            path.vendor = shown[1]


_ADAPTER = re.compile(r"vmhba\d+\s.*\sfc\.(?P<wwnn>[0-9a-f]{16}):(?P<wwpn>[0-9a-f]{16})\b")
_ESX_VALUE = re.compile(
    r"\s*(?P<key>Adapter|Node Name|Port Name|Speed|Model Description): (?P<value>.+)"
)


def esx_ports(block: Block, facts: Facts) -> None:
    """Read `esxcli storage core adapter list` and `esxcli storage san fc list`."""
    adapter = AdapterFact(block.at(block.line), block.switch, "")
    mine: list[AdapterFact] = []
    for number, line in block.lines:
        row, value = _ADAPTER.match(line), _ESX_VALUE.match(line)
        if row:
            found = AdapterFact(block.at(number), block.switch, row["wwpn"], wwnn=row["wwnn"])
            found.model = model_in(line)
            mine.append(found)
        elif value and value["key"] == "Adapter":
            adapter = AdapterFact(block.at(number), block.switch, "")
            mine.append(adapter)
        elif value:
            key = value["key"].lower().replace(" ", "_")
            _fill(adapter, block, number, key, value["value"].strip())
    facts.adapters += [one for one in mine if one.wwpn]


_INITIATOR = re.compile(r".*\s(?P<wwnn>[0-9a-fA-F]{16})\s+(?P<wwpn>[0-9a-fA-F]{16})\s+\w")


def initiator_ports(block: Block, facts: Facts) -> None:
    """Read `Get-InitiatorPort`; those of iSCSI have no world-wide names."""
    for number, line in block.lines:
        row = _INITIATOR.match(line)
        if row:
            found = AdapterFact(block.at(number), block.switch, name_at(block, number, row["wwpn"]))
            found.wwnn = name_at(block, number, row["wwnn"])
            facts.adapters.append(found)


def mpclaim(block: Block, facts: Facts) -> None:
    """Read the names of LUNs from `mpclaim -s -d`; it does not say over which ports they are."""
    lun = -1
    serial: tuple[int, str] | None = None
    for number, line in block.lines:
        name = re.match(r"\s+SN: ([0-9A-Fa-f]+)\s*$", line)
        path = re.match(r"\s+[0-9a-f]{16}\s.*?\d{3}\|\d{3}\|\d{3}\|(\d{3})", line)
        if name:
            serial, lun = (number, name[1].lower()), -1
        elif path and serial and int(path[1]) != lun:
            lun = int(path[1])
            facts.paths.append(PathFact(block.at(serial[0]), block.switch, lun, serial[1]))
