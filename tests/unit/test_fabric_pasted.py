"""`sanlab import fabric`: outputs as people paste them from wikis, tickets and old switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import fabrics
import pytest
import yaml

from sanlab.errors import ScenarioError
from sanlab.importers.fabric import FabricImport, import_fabric
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

HOST, ARRAY = "21:00:f4:e9:d4:00:00:0a", "52:4a:93:70:00:00:0a:00"
HEADER = """\
switchName:\tsan1
switchType:\t162.0
switchState:\tOnline
switchDomain:\t1
switchWwn:\t10:00:88:94:71:00:01:00
"""
TABLE = """
Index Port Address  Media Speed   State       Proto
==================================================
"""
PORTS = f"""\
   0   0   010000   id    N32\t  Online      FC  F-Port  {HOST}
   1   1   010100   id    N16\t  Online      FC  F-Port  {ARRAY}
"""


def imported(tmp_path: Path, *texts: str) -> tuple[FabricImport, Any]:
    """Import texts, check the scenario, and return it with its document."""
    files = []
    for number, text in enumerate(texts):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text(text, encoding="utf-8")
    found = import_fabric(files)
    compile_plan(parse_scenario(found.text, "san.yaml"))
    return found, yaml.safe_load(found.text)


def notes(found: FabricImport) -> str:
    return "\n".join(map(str, found.findings))


def test_outputs_indented_on_a_page_of_a_wiki(tmp_path: Path) -> None:
    plain = fabrics.brocade(fabrics.devices(2, arrays=1))
    indented = "".join(f"    {line}\n" for line in plain.splitlines())
    page = f"# The SAN\n\nA note of the operator.\n\n{indented}\nAnother note.\n"
    assert imported(tmp_path, page)[1] == imported(tmp_path, plain)[1]


def test_prompts_with_the_address_of_a_user(tmp_path: Path) -> None:
    plain = fabrics.brocade(fabrics.devices(2, arrays=1))
    addressed = plain.replace(":admin>", ":jo.do@corp.example>")
    assert addressed != plain
    assert imported(tmp_path, addressed)[1] == imported(tmp_path, plain)[1]


def test_a_port_whose_address_has_digits_alone_is_no_port_of_a_slot(tmp_path: Path) -> None:
    ports = (
        PORTS
        + "   2   2   010200   id    N32\t  Online      FC  F-Port  1 N Port + 1 NPIV public\n"
    )
    found, _ = imported(tmp_path, f"{HEADER}{TABLE}{ports}")
    assert "devices at ports 2 of 'san1', which are up; add nsshow -t" in notes(found)


def test_segmented_links_and_ports_of_no_device_are_listed(tmp_path: Path) -> None:
    ports = f"""{PORTS}\
   2   2   010200   id    N32\t  Online      FC  E-Port  segmented,(zone conflict)
   3   3   010300   id    N32\t  Online      FC  F-Port  SOME_WWN
   4   4   010400   --    --      No_License  FC
   5   5   010500   id    N16\t  No_Sync     FC  Disabled (Port Throttled)
"""
    found, loaded = imported(tmp_path, f"{HEADER}{TABLE}{ports}")
    assert [switch["name"] for switch in loaded["switches"]] == ["san1"]
    assert "Port 2 of 'san1' is segmented" in notes(found)
    assert "devices at ports 3 of 'san1'" in notes(found)


def test_a_capture_from_before_the_switch_was_enabled(tmp_path: Path) -> None:
    before = HEADER.replace("Online", "Offline").replace(":\t1\n", ":\t7 (unconfirmed)\n")
    text = f"san1:admin> switchshow\n{before}san1:admin> switchenable\n"
    found, loaded = imported(tmp_path, f"{text}san1:admin> switchshow\n{HEADER}{TABLE}{PORTS}")
    assert loaded["switches"][0]["domain"] == 1
    assert "Switch 'san1' was disabled in one capture" in notes(found)


def test_zoning_that_has_lost_its_indent(tmp_path: Path) -> None:
    zoning = f"""\
cfgshow
Defined configuration:
 cfg:PROD
z1; z2
 zone:z1
host_a; {ARRAY}
 zone:z2
{HOST}; {ARRAY}
 alias:host_a
{HOST}

Effective configuration:
 cfg:PROD
 zone:z1
{HOST}
{ARRAY}
"""
    _, loaded = imported(tmp_path, f"{HEADER}{TABLE}{PORTS}san1:admin> {zoning}")
    assert loaded["zoning"][0]["zones"] == {"z1": ["host.hba0.p0", "pure-000a00.p0"]}


def test_logins_of_a_switch_without_vsans(tmp_path: Path) -> None:
    flogi = f"""\
switch# show flogi database
---------------------------------------------------------------------
INTERFACE FCID PORT NAME NODE NAME
---------------------------------------------------------------------
fc1/2 0x6101e1 {ARRAY} {ARRAY}
fc1/3 0x610200 {HOST} {HOST}
Total number of flogi = 2
"""
    _, loaded = imported(tmp_path, flogi)
    assert (loaded["switches"][0]["domain"], len(loaded["links"])) == (0x61, 2)


def test_digits_that_were_masked_are_to_be_put_back(tmp_path: Path) -> None:
    masked = PORTS.replace("21:00:f4", "21:xx:f4")
    with pytest.raises(ScenarioError, match="Put digits in place of those that are masked"):
        imported(tmp_path, f"{HEADER}{TABLE}{masked}")


def test_adapters_as_hosts_list_them(tmp_path: Path) -> None:
    switch = f"{HEADER}{TABLE}{PORTS}"
    linux = "[root@db07 ~]# cat /sys/class/fc_host/host*/port_name\n0x2100f4e9d400000a\n"
    esx = (
        "[root@db07:~] esxcli storage core adapter list\n"
        "HBA Name  Driver     Link State  UID                                   Description\n"
        "vmhba2    qlnativefc link-up     fc.2000f4e9d400000a:2100f4e9d400000a  QLogic QLE2742\n"
    )
    esx_ports = (
        "[root@db07:~] esxcli storage san fc list\n   Adapter: vmhba2\n   Port ID: 010000\n"
        "   Node Name: 20:00:f4:e9:d4:00:00:0a\n   Port Name: 21:00:f4:e9:d4:00:00:0a\n"
        "   Speed: 32 Gbps\n"
    )
    for text in (linux, esx, esx_ports):
        _, loaded = imported(tmp_path, switch, text)
        assert [host["name"] for host in loaded["hosts"]] == ["db07"], text


def test_files_of_several_windows_hosts_in_one_folder(tmp_path: Path) -> None:
    other = "21:00:f4:e9:d4:00:00:0b"
    ports = f"{PORTS}   2   2   010200   id    N32\t  Online      FC  F-Port  {other}\n"
    (tmp_path / "sw.txt").write_text(f"{HEADER}{TABLE}{ports}", encoding="utf-8")
    for name, tail in (("win01", "0a"), ("win02", "0b")):
        (tmp_path / f"{name}.txt").write_text(
            "PS C:\\> Get-InitiatorPort\n\n"
            "InstanceName   NodeAddress      PortAddress      ConnectionType\n"
            "------------   -----------      -----------      --------------\n"
            f"PCI\\VEN_1077_0 2000f4e9d40000{tail} 2100f4e9d40000{tail} Fibre Channel\n"
            "ROOT\\ISCSI_0   iqn.1991-05.com.example:a 00023D 0000 iSCSI\n",
            encoding="utf-8",
        )
    loaded = yaml.safe_load(import_fabric([tmp_path]).text)
    assert [host["name"] for host in loaded["hosts"]] == ["win01", "win02"]


def test_zones_with_names_that_yaml_takes_for_something_else(tmp_path: Path) -> None:
    zoning = f"cfgshow\nEffective configuration:\n cfg:\tno\n zone:\ttrue\t{HOST}\n\t\t{ARRAY}\n"
    _, loaded = imported(tmp_path, f"{HEADER}{TABLE}{PORTS}san1:admin> {zoning}")
    assert list(loaded["zoning"][0]["zones"]) == ["ztrue"]
    assert loaded["zoning"][0]["active"] == "zno"


def test_names_behind_the_members_of_zones(tmp_path: Path) -> None:
    other = "21:00:f4:e9:d4:00:00:0d"
    text = f"""\
mds1# show flogi database
fc1/1            10    0x010000  {HOST} {HOST}
fc1/2            10    0x010020  {ARRAY} {ARRAY}
fc1/4            20    0x020000  {other} {other}
mds1# show zoneset active
zoneset name S vsan 10
  zone name z vsan 10
  * fcid 0x010000 [pwwn {HOST}] [db01_hba0] init
    pwwn {ARRAY} [arr_ct0] target
"""
    found, loaded = imported(tmp_path, text)
    assert loaded["zoning"][0]["zones"] == {"z": ["db01.hba0.p0", "arr.p0"]}
    assert "without a load: 'host-00000d'" in notes(found)


def test_peer_zones_with_their_headings(tmp_path: Path) -> None:
    zoning = f"""\
zoneshow --peerzone all
Effective configuration:
 cfg: \tPROD
 zone: \tPZ
\t   Property Member: 00:02:00:00:00:03:01:01
\t   Created by: User
\t   Principal Member(s):
\t        {ARRAY}
\t   Peer Member(s):
\t        {HOST}

1 Peer zones in Effective configuration
"""
    found, loaded = imported(tmp_path, f"{HEADER}{TABLE}{PORTS}san1:admin> {zoning}")
    assert loaded["zoning"][0]["zones"] == {"PZ": ["pure-000a00.p0", "host-00000a.hba0.p0"]}
    assert found.findings == []


def test_luns_without_paths_and_failed_paths_are_listed(tmp_path: Path) -> None:
    host = """\
db01# multipath -ll
mpatha (3600507680280000000000000000000a1) dm-2 IBM,2145
size=100G features='0' hwhandler='0' wp=rw
`-+- policy='round-robin 0' prio=50 status=active
  |- 1:0:0:0 sdb 8:16 active ready  running
  `- 1:0:1:0 sdc 8:32 failed faulty running
lost (3600507680280000000000000000000a2) dm-3 IBM,2145
size=1.5T features='0' hwhandler='0' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  `- #:#:#:# sdx 65:112 failed undef unknown
"""
    found, _ = imported(tmp_path, f"{HEADER}{TABLE}{PORTS}", host)
    assert "1 of the 2 paths to 'mpatha' have failed" in notes(found)
    assert "no path of SCSI to 'lost', which is left out" in notes(found)


def test_a_configuration_has_zones_that_are_in_no_set(tmp_path: Path) -> None:
    text = f"""\
mds1# show flogi database
fc1/1            10    0x010000  {HOST} {HOST}
fc1/2            10    0x010020  {ARRAY} {ARRAY}
mds1# show running-config
!Active Zone Database Section for vsan 10
zone name z1 vsan 10
    member pwwn {HOST}
    member pwwn {ARRAY}
zoneset name S vsan 10
    member z1
zoneset activate name S vsan 10
do clear zone database vsan 10
!Full Zone Database Section for vsan 10
zone name z1 vsan 10
    member pwwn {HOST}
    member pwwn {ARRAY}
zone name old vsan 10
    member pwwn {HOST}
    member pwwn {ARRAY}
zoneset name S vsan 10
    member z1
"""
    _, loaded = imported(tmp_path, text)
    assert list(loaded["zoning"][0]["zones"]) == ["z1"]


def test_a_neighbour_adds_its_domain_to_the_name_of_a_switch(tmp_path: Path) -> None:
    text = fabrics.cisco(fabrics.devices(2, arrays=1))
    assert "(sw2)" in text
    _, loaded = imported(tmp_path, text.replace("(sw2)", "(sw2.example.com)"))
    assert loaded == imported(tmp_path, text)[1]


def test_files_of_several_switches_without_names_in_one_folder(tmp_path: Path) -> None:
    for name, domain, wwpn in (("left", "01", HOST), ("right", "02", ARRAY)):
        text = (
            "INTERFACE        VSAN    FCID           PORT NAME               NODE NAME\n"
            f"fc1/1            10    0x{domain}0000  {wwpn} {wwpn}\n"
        )
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "names.txt").write_text(
        "VSAN 10:\nFCID        TYPE  PWWN                    (VENDOR)        FC4-TYPE:FEATURE\n"
        f"0x010000    N     {HOST}    scsi-fcp:init\n"
        f"0x020000    N     {ARRAY}    scsi-fcp:target\n",
        encoding="utf-8",
    )
    loaded = yaml.safe_load(import_fabric([tmp_path]).text)
    assert {switch["name"] for switch in loaded["switches"]} == {"left", "right"}
    assert [link["to"] for link in loaded["links"][:2]] == ["left", "right"]


def test_a_list_of_paths_is_one_output(tmp_path: Path) -> None:
    host, array = HOST.replace(":", ""), ARRAY.replace(":", "")
    paths = f"""\
fc.2000f4e9d400000a:{host}-fc.{array}:{array}-naa.6000
   UID: fc.2000f4e9d400000a:{host}-fc.{array}:{array}-naa.624a9370000000000000000000000001
   Runtime Name: vmhba2:C0:T0:L7
   Device Display Name: PURE Fibre Channel Disk
   Adapter: vmhba2
   LUN: 7
   State: active
"""
    found, loaded = imported(
        tmp_path, f"{HEADER}{TABLE}{PORTS}", f"[root@esx1:~] esxcli storage core path list\n{paths}"
    )
    assert loaded["hosts"][0]["name"] == "esx1"
    assert found.counts["blocks"] == 2
    assert found.skipped == []
