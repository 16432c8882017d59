"""`sanlab import fabric`: settings and optics of ports, and links that the routing knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import fabrics
import yaml

from sanlab.importers.fabric import FabricImport, import_fabric
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

PORTCFG = """\
sw1:FID128:admin> portcfgshow
Ports of Slot 0  236 237 238 239   240 241
-----------------+---+---+---+-----+---+---
Octet Speed Combo 1   1   1   1     1   1
Speed             AN  16G 16G AN    AN  AN
Trunk Port        ON  ON  ON  ON    ON  ON
Long Distance     ..  ..  LS  ..    ..  LE
FEC               ON  ON  ON  ON    ON  ON
  where AN:AutoNegotiate, ..:OFF, ON:ON
"""
PORTCFG_238 = """\
sw1:FID128:admin> portcfgshow 238
Area Number:              238
Speed Level:              16G
Trunk Port                ON
Long Distance             LS
VC Link Init              ON
Desired Distance          50 Km
Reserved Buffers          406
FEC                       ON
"""
PORTSHOW = """\
sw2:FID128:admin> portshow {n}
portIndex:  {n}
portName: port{n}
portFlags: 0x24b03 PRESENT ACTIVE F_PORT G_PORT U_PORT LOGICAL_ONLINE LOGIN NOELP LED ACCEPT FLOGI
portState: 1    Online
portId:    02{n:02x}00
portWwn:   20:0{n}:88:94:71:00:02:00
portWwn of device(s) connected:
        {wwpn}
Distance:  normal
portSpeed: N16Gbps
"""
SFP = """\
sw1:FID128:admin> sfpshow
Port   0: id (sw) Vendor: BROCADE          Serial No: UAF11047000012M  Speed: 8,16,32_Gbps
Port 238: id (lw) Vendor: BROCADE          Serial No: UAF11047000013M  Speed: 8,16,32_Gbps
Port 239: --
sw1:FID128:admin> sfpshow 238
Identifier:  3    SFP
Transceiver: 7006406000000000 8,16,32_Gbps SM lw Long_dist
Length 9u:   10   (units km)
Length 50u (OM2): 0 (units 10 meters)
"""
TRANSCEIVER = """\
sw1# show interface transceiver
fc9/1 sfp is present
    Name is CISCO-FINISAR
    FC Transmitter type is long wave laser LC (LL)
    Supported speeds are - Min speed: 8000 Mb/s, Max speed: 32000 Mb/s
    Link length supported for SMF fiber is 10 km
fc9/2 sfp is not present
"""


def imported(tmp_path: Path, text: str, *, partial: bool = False) -> tuple[FabricImport, Any]:
    """Import a text, check the scenario, and return it with its document."""
    (tmp_path / "all.txt").write_text(text, encoding="utf-8")
    found = import_fabric([tmp_path / "all.txt"], partial=partial)
    compile_plan(parse_scenario(found.text, "san.yaml"))
    return found, yaml.safe_load(found.text)


def brocade(hosts: int = 4) -> str:
    return fabrics.brocade(fabrics.devices(hosts, arrays=1)) + "\n"


def cisco(hosts: int = 4) -> str:
    return fabrics.cisco(fabrics.devices(hosts, arrays=1)) + "\n"


def guess(found: FabricImport, key: str) -> str:
    (origin,) = found.explain(key)
    return f"{origin.value}: {origin.guess}".removesuffix(": ")


def test_a_port_for_a_long_distance_sets_length_and_credit(tmp_path: Path) -> None:
    found, loaded = imported(tmp_path, brocade() + PORTCFG + PORTCFG_238)
    link = loaded["links"][-1]
    assert (link["length"], link["bb_credit"]) == ("50km", 406)
    key = f"links.{link['from']}-{link['to']}.0"
    assert guess(found, f"{key}.length") == "50km: length; its port is set for this distance"
    assert guess(found, f"{key}.bb_credit") == "406: credit; that of the other end"
    (origin,) = found.explain(f"{key}.bb_credit")
    line = (tmp_path / "all.txt").read_text().splitlines()[origin.sources[0].line - 1]
    assert line == "Reserved Buffers          406"
    assert any("'sw1' and 'sw2' 50km long? A guess: its port is set" in q for q in found.questions)


def test_values_that_no_port_has_are_listed(tmp_path: Path) -> None:
    text = PORTCFG_238.replace("50 Km", "50000 Km").replace("406", "99999")
    found, loaded = imported(tmp_path, brocade() + text)
    assert loaded["links"][-1]["length"] == "30m"
    shown = "\n".join(map(str, found.findings))
    assert "Port 238 has a distance above 10000; left out" in shown
    assert "Port 238 has a credit above 65535; left out" in shown


def test_a_mode_without_buffers_has_the_credit_that_its_distance_needs(tmp_path: Path) -> None:
    text = PORTCFG.replace("..  ..  LS", "..  ..  LE")
    found, loaded = imported(tmp_path, brocade() + text)
    link = loaded["links"][-1]
    # A full frame fills 4 km of fibre at 1 Gb/s, and its credit takes as long back; six besides.
    assert (link["length"], link["speed"], link["bb_credit"]) == ("10km", "32GFC", 166)
    shown = guess(found, f"links.{link['from']}-{link['to']}.0.bb_credit")
    assert shown == "166: credit of mode LE; full frames over 10 km at 32GFC need as much"


def test_a_measured_distance_is_preferred(tmp_path: Path) -> None:
    head = (
        "User  Port     Lx   Max/Resv    Avg Buffer Usage & FrameSize    Buffer  Needed    Link\n"
    )
    row = " 238    E      LD      400     - ( - )       - ( - )            400    400     36km\n"
    text = brocade() + PORTCFG_238 + f"sw1:FID128:admin> portbuffershow\n{head}{row}"
    found, loaded = imported(tmp_path, text)
    link = loaded["links"][-1]
    assert (link["length"], link["bb_credit"]) == ("36km", 400)
    assert guess(found, f"links.{link['from']}-{link['to']}.0.length") == "36km"


def test_long_wave_optics_suggest_a_longer_cable(tmp_path: Path) -> None:
    expected = "1km: length; its optics are long-wave, which reach 10km"
    for text in (brocade() + SFP, cisco() + TRANSCEIVER):
        found, loaded = imported(tmp_path, text)
        link = loaded["links"][-1]
        assert link["length"] == "1km"
        assert guess(found, f"links.{link['from']}-{link['to']}.0.length") == expected
    short, loaded = imported(tmp_path, brocade() + SFP.replace("lw", "sw"))
    assert loaded["links"][-1]["length"] == "30m"
    assert any("have no distance" in question for question in short.questions)


def test_the_optics_of_a_director_are_those_of_slot_and_port(tmp_path: Path) -> None:
    text = brocade().replace("Index Port", "Index Slot Port")
    text = re.sub(r"(?m)^( +\d+)( +\d+)(   0[12]\w{4})", r"\1    3\2\3", text)
    e_port = " 238    3   46   ------   id    N32   Online      FC  E-Port  "
    text = text.replace("\nsw1:FID128:admin> islshow", f"\n{e_port}\nsw1:FID128:admin> islshow")
    optics = "sw1:FID128:admin> sfpshow\nSlot  3/Port 46: id (lw) Vendor: BROCADE Speed: 32_Gbps\n"
    _, loaded = imported(tmp_path, text + optics)
    assert loaded["links"][-1]["length"] == "1km"


def test_devices_and_speeds_of_portshow(tmp_path: Path) -> None:
    made = fabrics.devices(4, arrays=1)
    shown = "".join(
        PORTSHOW.format(n=device.port, wwpn=device.wwpn) for device in made if device.domain == 2
    )
    text = fabrics.brocade(made) + "\n"
    part = text.index("sw2:FID128:admin> switchshow"), text.index("sw2:FID128:admin> islshow")
    text = text[: part[0]] + text[part[1] :]
    names = re.search(r"(?s)sw2:FID128:admin> nsshow.*entries }\n", text)
    assert names
    joined = re.sub(r"(?m)^sw2:FID128:admin> portshow \d+\n(?!portIndex:  0\n)", "", shown)
    assert joined.count("admin> portshow") == 1
    for outputs in (shown, joined):
        _, loaded = imported(tmp_path, text.replace(names[0], "") + outputs)
        edge = [link for link in loaded["links"] if link["to"] == "sw2" and "hba" in link["from"]]
        assert [link["speed"] for link in edge] == ["16GFC"] * 4


def test_a_fixed_speed_is_used_where_no_output_shows_the_real_one(tmp_path: Path) -> None:
    text = re.sub(r"sp: \S+ bw: \S+", "sp: ------- bw: -------", brocade())
    _, loaded = imported(tmp_path, text + PORTCFG)
    assert loaded["links"][-1]["speed"] == "16GFC"


def test_links_from_the_routing(tmp_path: Path) -> None:
    known = brocade(250)
    part = re.sub(r"(?m)^sw\d:FID128:admin> islshow\n(?: +\d+:.*\n)+", "", known)
    listed = "sw1:FID128:admin> fabricshow\nSwitch ID   Worldwide Name  Enet IP Addr\n"
    for n in (1, 2, 3):
        listed += f'  {n}: fffc0{n} 10:00:88:94:71:00:0{n}:00 192.0.2.{n} 0.0.0.0 "sw{n}"\n'
    states = "sw1:FID128:admin> lsdbshow\n"
    for domain, links in ((1, ((2, 238, 250), (3, 237, 250))), (2, ((1, 250, 238),))):
        states += f"Domain = {domain}, Link State Database Entry pointer = 0x1\n"
        for number, (peer, out, far) in enumerate(links):
            states += f"Link {number}: LinkId = {peer}, out port = {out}, rem port = {far}, "
            states += "cost = 500, costCnt = 0, type = 1\n"
    _, loaded = imported(tmp_path, part + listed + states)
    core = [link for link in loaded["links"] if not re.search(r"\.p\d", link["from"])]
    assert sorted((*sorted((link["from"], link["to"])), link["fspf_cost"]) for link in core) == [
        ("sw1", "sw2", 500),
        ("sw1", "sw3", 500),
    ]
    hop = "".join(
        f"Domain:\t{n}\nMetric:\t500\nName:\tsw{n}\nPath Count:\t1\n\n\tHops:\t\t1\n"
        f"\tOut Port:\t\t{240 - n}\n\tIn Ports:\t\t0 1\n"
        for n in (2, 3)
    )
    shown = f"sw1:FID128:admin> topologyshow\n3 domains in the fabric; Local Domain ID: 1\n{hop}"
    found, loaded = imported(tmp_path, part + listed + shown)
    assert found.counts["isls"] == 2
    assert "No output shows how" not in "\n".join(map(str, found.findings))


def test_the_cost_of_one_link_is_left_out(tmp_path: Path) -> None:
    text = "sw1# show fspf database vsan 10\nFSPF Link State Database for VSAN 10 Domain 0x01(1)\n"
    text += "   0x02(2)     0x00040000       0x00040000           1              31\n"
    _, loaded = imported(tmp_path, cisco() + text)
    assert "fspf_cost" not in loaded["links"][-1]
    text += "   0x03(3)     0x00040001       0x00040000           1              62\n"
    _, loaded = imported(tmp_path, cisco(250) + text)
    assert [link.get("fspf_cost") for link in loaded["links"][-2:]] == [31, 62]


def test_the_credit_of_an_interface(tmp_path: Path) -> None:
    text = "sw1# show interface fc9/1\nfc9/1 is trunking\n    Hardware is Fibre Channel, SFP is "
    text += "long wave laser cost reduced\n      Transmit B2B Credit is 250\n"
    text += "      Receive B2B Credit is 500\n"
    _, loaded = imported(tmp_path, cisco() + text)
    assert (loaded["links"][-1]["bb_credit"], loaded["links"][-1]["length"]) == (500, "1km")


def test_models_from_hardware_inventory_and_module(tmp_path: Path) -> None:
    for text in (
        "sw1# show hardware\nHardware\n  cisco MDS 9148S 16G 48 FC (1 Slot) Chassis\n",
        'sw1# show inventory\nNAME: "Chassis",  DESCR: "x"\nPID: DS-C9148S-K9 , VID: V01\n',
        "sw1# show module\n1  48  2/4/8/16 Gbps FC/Supervisor  DS-C9148S-K9-SUP  active *\n",
    ):
        plain = cisco().replace("F  32", "F  16").replace("TE  32", "TE  16")
        found, _ = imported(tmp_path, plain + text)
        assert guess(found, "switches.sw1.model") == "mds-9148s"


def test_what_is_known_and_not_used_is_listed_once(tmp_path: Path) -> None:
    text = brocade() + "sw1:FID128:admin> chassisshow\nChassis Family: X6-4\n" * 3
    found, _ = imported(tmp_path, text + "sw1:FID128:admin> slotshow -m\nSlot Blade\n")
    assert [part.what for part in found.skipped] == [
        "chassisshow: known, not used",
        "slotshow: known, not used",
    ]


def test_a_row_of_portcfgshow_without_all_its_values_is_listed(tmp_path: Path) -> None:
    text = PORTCFG.replace("LS  ..    ..  LE", "LS")
    found, _ = imported(tmp_path, brocade() + text, partial=True)
    assert "The row 'Long Distance' of portcfgshow has 3 values for 6 ports" in "\n".join(
        map(str, found.findings)
    )
