"""`sanlab import fabric`: zoning, VSANs, virtual ports, and outputs that contradict each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import fabrics
import yaml

from sanlab.importers.fabric import FabricImport, import_fabric
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

HOST_A, HOST_B = "21:00:f4:e9:d4:00:00:0a", "21:00:f4:e9:d4:00:00:0b"
ARRAY_A, ARRAY_B = "52:4a:93:70:00:00:0a:00", "52:4a:93:70:00:00:0b:00"
FLOGI = f"""\
sw1# show flogi database
INTERFACE        VSAN    FCID           PORT NAME               NODE NAME
fc1/1            10    0x010000  {HOST_A} {HOST_A}
                           [hosta_hba0]
fc1/2            20    0x020000  {HOST_B} {HOST_B}
                           [hostb_hba0]
fc1/3            10    0x010020  {ARRAY_A} {ARRAY_A}
                           [arra_ct0_fc0]
fc1/4            20    0x020020  {ARRAY_B} {ARRAY_B}
                           [arrb_ct0_fc0]
"""


def imported(tmp_path: Path, *texts: str, partial: bool = False) -> tuple[FabricImport, Any]:
    """Import texts, check the scenario, and return it with its document."""
    files = []
    for number, text in enumerate(texts):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text(text, encoding="utf-8")
    found = import_fabric(files, partial=partial)
    compile_plan(parse_scenario(found.text, "san.yaml"))
    return found, yaml.safe_load(found.text)


def notes(found: FabricImport) -> str:
    return "\n".join(map(str, found.findings))


def test_vsans_become_groups_of_ports_with_zoning_of_their_own(tmp_path: Path) -> None:
    zones = "sw1# show zoneset active\n"
    for vsan, host, array in ((10, HOST_A, ARRAY_A), (20, HOST_B, ARRAY_B)):
        zones += f"zoneset name S{vsan} vsan {vsan}\n  zone name z vsan {vsan}\n"
        zones += f"    pwwn {host}\n    pwwn {array}\n"
    _, loaded = imported(tmp_path, FLOGI, zones)
    assert loaded["switches"][0]["port_groups"] == [
        {"ports": "0,2", "vsan": 10},
        {"ports": "1,3", "vsan": 20},
    ]
    assert [link["to"] for link in loaded["links"]] == [f"sw1.{n}" for n in range(4)]
    assert [(zoning["vsan"], zoning["zones"]["z"]) for zoning in loaded["zoning"]] == [
        (10, ["hosta.hba0.p0", "arra.p0"]),
        (20, ["hostb.hba0.p0", "arrb.p0"]),
    ]
    targets = {w["hosts"]: w["targets"] for w in loaded["workloads"]}
    assert targets == {"hosta": ["arra.hosta-lun"], "hostb": ["arrb.hostb-lun"]}


def test_a_default_zone_that_permits(tmp_path: Path) -> None:
    status = (
        "sw1# show zone status vsan 10\nVSAN: 10 default-zone: permit distribute: active only\n"
    )
    flogi = "\n".join(line for line in FLOGI.splitlines() if " 20 " not in line)
    _, loaded = imported(tmp_path, flogi, status)
    assert loaded["zoning"] == [{"default": "all"}]


def test_zones_of_a_configuration(tmp_path: Path) -> None:
    text = f"""\
sw1# show running-config
vsan database
  vsan 10 name "PROD"
  vsan 10 interface fc1/1
username x password 5 y
fcalias name arr vsan 10
  member pwwn {ARRAY_A}
zone name z1 vsan 10
    member device-alias hosta_hba0
    member fcalias arr
zone name unused vsan 10
    member pwwn {HOST_A}
zoneset name S vsan 10
    member z1
zoneset activate name S vsan 10
device-alias database
  device-alias name hosta_hba0 pwwn {HOST_A}
"""
    flogi = "\n".join(line for line in FLOGI.splitlines() if " 20 " not in line)
    _, loaded = imported(tmp_path, flogi, text)
    assert loaded["zoning"][0]["zones"] == {"z1": ["hosta.hba0.p0", "arra.p0"]}


def test_places_and_peer_zones_of_brocade(tmp_path: Path) -> None:
    plain = fabrics.brocade(fabrics.devices(2, arrays=1))
    zone = " zone:\tz_host0001_hba0\n\t\t21:00:f4:e9:d4:00:00:00"
    assert zone in plain
    by_place = plain.replace(zone, " zone:\tz_host0001_hba0\n\t\t2,0")
    peer = plain.replace(zone, f"{zone}\n\t\t00:02:00:00:00:03:00:01")
    expected = imported(tmp_path, plain)[1]
    assert imported(tmp_path, by_place)[1]["zoning"] == expected["zoning"]
    assert imported(tmp_path, peer)[1]["zoning"] == expected["zoning"]


def test_a_configupload_without_other_zoning(tmp_path: Path) -> None:
    made = fabrics.devices(1, arrays=1)
    plain = fabrics.brocade(made)
    begin, end = plain.index("sw1:FID128:admin> cfgshow"), plain.index("sw1:FID128:admin>\n")
    upload = "[Configuration upload Information]\nSwitchName = sw1\n[Zoning]\ncfg.P:z1\n"
    upload += f"zone.z1:a1;{made[1].wwpn}\nzone.z2:{made[2].wwpn}\nalias.a1:{made[0].wwpn}\n"
    upload += "enable:P\n[Defined Security policies]\nsecret.x:1\n[End]\n"
    _, loaded = imported(tmp_path, plain[:begin] + plain[end:], upload)
    assert loaded["zoning"][0]["zones"] == {"z1": ["a1.hba0.p0", "pure-00ff00.p0"]}


def test_json_of_the_rest_interface(tmp_path: Path) -> None:
    rows = [
        {"port-id": "0x010000", "port-name": HOST_A, "port-index": 0, "link-speed": "16G",
         "name-server-device-type": "Physical initiator", "node-symbolic-name": "x HN:web1.net"},
        {"port-id": "0x010100", "port-name": ARRAY_A, "port-index": 1, "link-speed": "16G",
         "name-server-device-type": "Physical target"},
    ]  # fmt: skip
    switch = {"name": "10:00:88:94:71:00:01:00", "user-friendly-name": "sw1", "domain-id": 1,
              "model": "109.1"}  # fmt: skip
    zone = {"zone-name": "z", "member-entry": {"entry-name": [HOST_A, ARRAY_A]}}
    _, loaded = imported(
        tmp_path,
        json.dumps({"Response": {"fibrechannel-switch": switch}}, indent=1),
        json.dumps({"Response": {"fibrechannel-name-server": rows}}, indent=1),
        json.dumps({"effective-configuration": {"cfg-name": "P", "enabled-zone": zone}}),
    )
    assert (loaded["switches"][0]["name"], loaded["switches"][0]["model"]) == (
        "sw1",
        "brocade-6510",
    )
    assert loaded["hosts"][0]["name"] == "web1"
    assert loaded["links"][0]["speed"] == "16GFC"
    assert len(loaded["zoning"][0]["zones"]["z"]) == 2


def test_rows_of_nx_api_alone_or_as_a_list(tmp_path: Path) -> None:
    def row(port: str, fcid: str, name: str) -> dict[str, object]:
        return {"interface": port, "vsan": 10, "fcid": fcid, "port_name": name, "node_name": name}

    first, second = row("fc1/1", "0x010000", HOST_A), row("fc1/2", "0x010020", ARRAY_A)
    many = {"TABLE_flogi_entry": {"ROW_flogi_entry": [first, second]}}
    single = {"TABLE_flogi_entry": {"ROW_flogi_entry": first}}
    session = f"sw1# show flogi database | json\n{json.dumps(single)}\nsw1#\n"
    assert len(imported(tmp_path, json.dumps(many, indent=1))[1]["links"]) == 2
    other = f"sw1# show flogi database\nfc1/2 10 0x010020 {ARRAY_A} {ARRAY_A}\n"
    assert len(imported(tmp_path, session, other)[1]["links"]) == 2


def test_two_captures_that_differ_are_listed(tmp_path: Path) -> None:
    later = FLOGI.replace("fc1/1            10", "fc1/9            10")
    found, _ = imported(tmp_path, FLOGI, later)
    assert f"{HOST_A} is at 'sw1' port fc1/1 and at 'sw1' port fc1/9" in notes(found)
    assert "0.txt:3, " in notes(found)
    zones = ["sw1# show zoneset active\nzoneset name S vsan 10\nzone name z vsan 10\n"] * 2
    zones[0] += f"pwwn {HOST_A}\npwwn {ARRAY_A}\n"
    zones[1] += f"pwwn {HOST_A}\n"
    assert "Zone 'z' has different members in two captures" in notes(
        imported(tmp_path, FLOGI, *zones)[0]
    )


def test_one_name_in_two_fabrics_is_listed(tmp_path: Path) -> None:
    other = FLOGI.replace("sw1#", "sw2#").replace("0x01", "0x03").replace("0x02", "0x04")
    found, _ = imported(tmp_path, FLOGI, other)
    assert f"{HOST_A} is in two fabrics, at 'sw1' port fc1/1 and at 'sw2' port fc1/1" in notes(
        found
    )


def test_an_alias_with_two_meanings_is_listed(tmp_path: Path) -> None:
    text = f"sw1# show device-alias database\ndevice-alias name x pwwn {HOST_A}\n"
    text += f"device-alias name x pwwn {HOST_B}\n"
    assert "Alias 'x' has different members" in notes(imported(tmp_path, FLOGI, text)[0])


def test_devices_behind_one_port_share_its_link(tmp_path: Path) -> None:
    extra = "28:00:00:0c:29:00:00:11"
    text = FLOGI + f"fc1/1            10    0x010001  {extra} {extra}\n"
    _, loaded = imported(tmp_path, text)
    assert loaded["hosts"][0]["hbas"] == [
        {"name": "hba0", "model": "generic-32g", "ports": 1, "npiv": ["v000011"]}
    ]
    assert len(loaded["links"]) == 4


def test_switches_without_a_known_link_are_joined_by_a_guess(tmp_path: Path) -> None:
    text = fabrics.brocade(fabrics.devices(3, arrays=1))
    listed = "sw1:FID128:admin> fabricshow\n"
    for domain in (1, 2):
        name = f"10:00:88:94:71:00:{domain:02x}:00"
        listed += f'  {domain}: fffc{domain:02x} {name} 192.0.2.{domain} 0.0.0.0  "sw{domain}"\n'
    without = "\n".join(line for line in text.splitlines() if "->" not in line)
    found, loaded = imported(tmp_path, without, listed)
    assert len(loaded["links"]) == 6
    assert "No output shows how 'sw1' and 'sw2' are connected" in notes(found)
    (origin,) = [o for o in found.origins if o.key == "links.sw1-sw2.0"]
    assert origin.guess == "no output shows this link"


def test_an_access_gateway_is_left_out(tmp_path: Path) -> None:
    gateway = "switchName:\tag1\nswitchMode:\tAccess Gateway Mode\nswitchWwn:\t"
    gateway += "10:00:50:eb:1a:27:f6:02\nIndex Port Address Media Speed State Proto\n"
    gateway += f"   1   1   530100   cu    N8       Online      FC  F-Port  {HOST_A} 0x023102\n"
    found, _ = imported(tmp_path, FLOGI, gateway)
    assert "'ag1' is an access gateway" in notes(found)


def test_a_trunk_of_a_director_names_its_master_by_slot(tmp_path: Path) -> None:
    other, rest = "10:00:88:94:71:00:09:00", "Online      FC  E-Port"
    director = "switchName:\tdir1\nswitchDomain:\t1\nswitchWwn:\t10:00:88:94:71:00:01:00\n"
    director += "Index Slot Port Address Media Speed State Proto\n"
    for index, slot, port, text in (
        (0, 1, 0, f"Online      FC  F-Port  {HOST_A}"),
        (1, 1, 1, f"Online      FC  F-Port  {ARRAY_A}"),
        (16, 2, 0, f'{rest}  {other} "dir2" (upstream)(Trunk master)'),
        (17, 2, 1, f"{rest}  (Trunk port, master is Slot  2 Port  0 )"),
    ):
        director += f"{index:4d} {slot:4d} {port:4d}   01{index:02x}00   id    N16   {text}\n"
    _, loaded = imported(tmp_path, director)
    (trunk,) = [link for link in loaded["links"] if "trunk" in link]
    assert (trunk["from"], trunk["to"], trunk["count"]) == ("dir1", "dir2", 2)


def test_a_show_tech_with_the_name_of_its_switch(tmp_path: Path) -> None:
    text = "`show switchname`\ncore-b\n`show user-account`\nuser:x\n`show tacacs-server`\nkey x\n"
    text += FLOGI.replace("sw1# show flogi database", "`show flogi database`")
    text += "`show version`\n  cisco MDS 9148S 16G 48 FC (1 Slot) Chassis\n"
    found, loaded = imported(tmp_path, text)
    switch = loaded["switches"][0]
    assert (switch["name"], switch["model"]) == ("core-b", "mds-9148s")
    assert [part.what for part in found.skipped] == ["show user-account: known, not used", "show"]


def test_a_setting_is_not_a_member(tmp_path: Path) -> None:
    plain = fabrics.brocade(fabrics.devices(2, arrays=1))
    zone = " zone:\tz_host0001_hba0\n"
    newer = plain.replace(zone, f"{zone}   Protocol:ALL\n")
    assert newer != plain
    assert imported(tmp_path, newer)[1] == imported(tmp_path, plain)[1]
