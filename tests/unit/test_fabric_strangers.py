"""Whole captures as strangers paste them: directors, virtual fabrics, NPV, FICON, hosts, terminals.

The captures are written by hand in the layout of the tools; their names and values are invented.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import sanlab
from sanlab.importers.fabric import FabricImport, import_fabric
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

CAPTURES = Path(__file__).parent / "captures"
#: Captures that belong together.
SETS = {
    "director": ["director-fos-7.4.txt"],
    "cores": ["core1-nx-os-9.txt", "core2-nx-os-9.txt", "edge-npv.txt"],
    "fos9": ["fos-9.txt", "host-esx.txt", "host-windows.txt", "hosts-linux.txt"],
    "virtual": ["virtual-fabrics.txt"],
    "nxos8": ["nx-os-8.txt"],
    "paths": ["paths-switch.txt", "paths-hosts.txt"],
    "gateway": ["access-gateway.txt"],
    "configuration": ["configupload-two-switches.txt", "configupload-devices.txt"],
}
#: Cuts and deletions of each capture.
DAMAGES = 20


def imported(name: str) -> tuple[FabricImport, Any]:
    found = import_fabric([CAPTURES / file for file in SETS[name]])
    compile_plan(parse_scenario(found.text, "san.yaml"))
    return found, yaml.safe_load(found.text)


def notes(found: FabricImport) -> str:
    return "\n".join(map(str, found.findings))


def skipped(found: FabricImport) -> list[str]:
    return [part.what for part in found.skipped]


def test_a_director_in_the_sections_of_supportshow() -> None:
    """A section that is not known ends the one before it, so its lines are in no zone."""
    found, loaded = imported("director")
    (zoning,) = loaded["zoning"]
    long_name = "z_vios1_a_very_long_zone_name_that_wraps_at_the_margin_of_the_page"
    assert zoning["zones"] == {
        "LSAN_db01_edge": ["db01.hba0.p0"],
        "peer_vnx": ["vnx.p0", "db03.hba0.p0", "db02.hba0.p0"],
        "z_db01_vnx": ["db01.hba0.p0", "vnx.p1"],
        "z_db02_vnx": ["db02.hba0.p0", "vnx.p1"],
        "z_db03_vnx": ["db03.hba0.p0", "vnx.p2"],
        long_name: ["vios1.hba0.v320010", "vnx.p1"],
    }
    assert skipped(found) == [
        "lines before the first command",
        "fcrfabricshow: known, not used",
        "cfgtransshow: known, not used",
        "lsanzoneshow: known, not used",
        "snmpconfig: known, not used",
    ]
    (link,) = [one for one in loaded["links"] if one["from"] == "DCX_PROD_A"]
    assert (link["count"], link["speed"], link["trunk"]) == (2, "8GFC", True)
    assert {switch["name"]: switch["domain"] for switch in loaded["switches"]} == {
        "DCX_PROD_A": 11,
        "DCX_PROD_A2": 12,
    }


def test_ports_to_a_router_are_named() -> None:
    found, _ = imported("director")
    assert "Port 2/2 of 'DCX_PROD_A' leads to another fabric through a router" in notes(found)
    assert "port 16 of DCX_PROD_A counted waits" in "\n".join(found.questions)


def test_a_tunnel_is_a_link_and_is_named(tmp_path: Path) -> None:
    text = (CAPTURES / "director-fos-7.4.txt").read_text(encoding="utf-8")
    table = text.replace("N8\t  Online      FC  EX-Port", "--\t  Online      VE  VE-Port")
    (tmp_path / "all.txt").write_text(table, encoding="utf-8")
    found = import_fabric([tmp_path / "all.txt"])
    assert "Port 2/2 of 'DCX_PROD_A' leads into a tunnel over IP" in notes(found)
    assert "EDGE_SW1" in found.text


def test_a_row_of_errors_with_values_that_are_not_there(tmp_path: Path) -> None:
    text = (CAPTURES / "director-fos-7.4.txt").read_text(encoding="utf-8")
    found = re.search(r"^ +2: .*$", text, re.MULTILINE)
    assert found is not None
    row = found[0].split()
    row[10] = "7"  # discards of class 3, beside values that are hyphens
    other = text.replace(found[0], "  " + "  ".join(row))
    (tmp_path / "all.txt").write_text(other, encoding="utf-8")
    asked = "\n".join(import_fabric([tmp_path / "all.txt"]).questions)
    assert "port 2 of DCX_PROD_A" in asked


def test_switches_behind_port_channels_and_uplinks() -> None:
    found, loaded = imported("cores")
    assert [host["name"] for host in loaded["hosts"]] == ["esx-a1", "esx-a2", "npv-aabb01"]
    assert len(loaded["switches"]) == 2  # that with NPV is none of the fabric
    said = notes(found)
    assert "'n5k-edge' is an NPV switch" in said
    assert "is the uplink of an NPV switch, at port port-channel11 of 'mds-core-1'" in said
    assert "port-channel11 of 'mds-core-1' has 2 links" in said
    assert "in two fabrics" not in said
    # Domains are those of the VSAN with the devices.
    assert {one["name"]: one["domain"] for one in loaded["switches"]} == {
        "mds-core-1": 10,
        "mds-core-2": 20,
    }


def test_members_of_a_port_channel_that_are_down_are_left_out(tmp_path: Path) -> None:
    text = (CAPTURES / "core1-nx-os-9.txt").read_text(encoding="utf-8")
    (tmp_path / "core1.txt").write_text(text.replace("fc1/48  [up]", "fc1/48  [down]"))
    found = import_fabric([tmp_path / "core1.txt", CAPTURES / "core2-nx-os-9.txt"])
    assert "1 of the 2 links of port-channel1 of 'mds-core-1'" in notes(found)
    link = yaml.safe_load(found.text)["links"][-1]
    assert (link["from"], link.get("count", 1)) == ("mds-core-1", 1)


def test_counters_in_detail_give_a_load_and_a_question() -> None:
    found, loaded = imported("cores")
    load = loaded["workloads"][0]
    # 5410850 bytes per second in and 11410850 out, in I/Os of 8 KiB.
    assert (load["name"], load["rate_iops"], load["rwmixread"]) == ("esx-a1-load", 2053, "68%")
    assert "port fc1/1 of mds-core-1 counted waits" in "\n".join(found.questions)


def test_commands_of_nx_os_that_are_not_read_are_named() -> None:
    found, _ = imported("cores")
    assert skipped(found) == [
        "lines before the first command",
        "terminal: known, not used",
        "show ivr: known, not used",
        "show ficon: known, not used",
        "show analytics: known, not used",
        "show npv: known, not used",
    ]
    found, _ = imported("nxos8")
    assert skipped(found) == []  # 'sh zone status' is not 'sh zoneset'


def test_hosts_that_no_switch_has_and_tools_that_are_not_read() -> None:
    found, loaded = imported("fos9")
    assert "(seen on 'db01')" in notes(found)
    assert "(seen on 'C')" not in notes(found)  # the drive in a prompt does not name a host
    assert "1 of the 4 paths to 'mpatha' have failed" in notes(found)
    assert [part for part in skipped(found) if not part.startswith("mpclaim")] == [
        "esxcli: known, not used",
        "powermt: known, not used",
        "sanlun: known, not used",
    ]
    assert loaded["switches"][0]["model"] == "brocade-g720"
    assert loaded["zoning"][0]["zones"] == {"pz1": ["pure-111102.p0", "esx11.hba0.p0"]}


def test_two_hosts_in_one_file_with_the_layouts_of_two_versions() -> None:
    found, loaded = imported("paths")
    (array,) = loaded["arrays"]
    assert array["luns"] == [
        {"name": "lun1", "size": "200GiB", "initiators": ["db01"]},
        {"name": "lun2", "size": "1TiB", "initiators": ["db02"]},
    ]
    assert "The host prefers some of the paths to 'mpath3'" in notes(found)
    assert skipped(found) == ["datapath: known, not used", "syminq: known, not used"]


@pytest.mark.parametrize(
    ("selector", "policy"),
    [
        ("round-robin", "round-robin"),
        ("queue-length", "least-queue"),
        ("service-time", "least-queue"),
    ],
)
def test_the_choice_of_paths_is_that_of_the_host(
    selector: str, policy: str, tmp_path: Path
) -> None:
    text = (CAPTURES / "paths-hosts.txt").read_text(encoding="utf-8")
    (tmp_path / "hosts.txt").write_text(text.replace("round-robin 0", f"{selector} 0"))
    found = import_fabric([CAPTURES / "paths-switch.txt", tmp_path / "hosts.txt"])
    assert yaml.safe_load(found.text)["hosts"][0]["multipath"] == {"policy": policy}
    (origin,) = found.explain("hosts.db01.multipath")
    assert origin.sources
    assert not origin.guess


def test_virtual_fabrics_and_ficon() -> None:
    found, loaded = imported("virtual")
    assert [switch["name"] for switch in loaded["switches"]] == ["core1", "core1_ficon"]
    assert "Devices with FICON, which is not simulated, are left out: 50:05:07:64" in notes(found)
    assert len(loaded["hosts"]) == 1
    assert loaded["zoning"][1] == {"switches": ["core1_ficon"], "default": "all"}


def test_hosts_behind_an_access_gateway() -> None:
    found, loaded = imported("gateway")
    assert "Port 0 of '6510_A' leads to an access gateway: the hosts behind it (2)" in notes(found)
    works = {work["name"]: work["host_port"] for work in loaded["workloads"]}
    assert works == {
        "host-890000-bl01-load": "hba0.bl01",
        "host-890000-bl02-load": "hba0.bl02",
        "host-890000-bl03-load": "hba1.bl03",
    }
    # 11.3 and 2.1 MB/s in the mean of two samples, in three equal parts.
    assert {work["rate_iops"] for work in loaded["workloads"]} == {545}


def test_a_configuration_of_two_logical_switches() -> None:
    """The zoning of the second, where all is open, is not that of the first."""
    found, loaded = imported("configuration")
    (zoning,) = loaded["zoning"]
    assert zoning["default"] == "none"
    assert list(zoning["zones"]) == ["Z1", "Z2"]
    assert "The zoning of 'SW_A_LS2' is left out" in notes(found)


@pytest.mark.parametrize("name", SETS)
def test_every_load_completes(name: str, tmp_path: Path) -> None:
    """Each load uses ports that its zones have, virtual ones where no other is in them."""
    found, loaded = imported(name)
    (tmp_path / "san.yaml").write_text(found.text, encoding="utf-8")
    short = {"measure.duration": "20ms"}
    run = sanlab.run(tmp_path / "san.yaml", folder=tmp_path / "run", overrides=short)
    rows = run.rows("workloads")
    assert all(row["error_count"] == 0 for row in rows)
    done = {row["workload"] for row in rows if row["io_count"]}
    assert done == {work["name"] for work in loaded["workloads"]}


def test_a_session_of_script_says_the_same(tmp_path: Path) -> None:
    """Colours, titles, corrections while typing, a pager, and carriage returns before line ends."""
    plain = (CAPTURES / "core1-nx-os-9.txt").read_text(encoding="utf-8")
    out = 'Script started on 2024-05-06 09:10:11+00:00 [TERM="xterm"]\r\n'
    out += "\x1b]0;admin@jump: ~\x07\x1b[01;32madmin@jump\x1b[00m:~$ ssh admin@10.1.1.21\r\n"
    for number, line in enumerate(plain.splitlines()[6:]):
        prompt, sign, command = line.partition("mds-core-1# ")
        typed = f"\r\x1b[K\x1b[0mmds-core-1# {command[:3]}xy\x08\x08\x1b[K{command[3:]}"
        out += f"{typed if sign and not prompt else line}\r\r\n"
        out += "--More--\r        \r" if number % 23 == 22 else ""
    (tmp_path / "typescript").write_text(out, encoding="utf-8", newline="")
    files = [CAPTURES / name for name in SETS["cores"][1:]]
    found = yaml.safe_load(import_fabric([tmp_path / "typescript", *files]).text)
    _, expected = imported("cores")
    for key in ("hosts", "arrays", "zoning", "workloads"):
        assert found[key] == expected[key]


@pytest.mark.parametrize("name", SETS)
def test_no_secret_is_kept(name: str) -> None:
    found, _ = imported(name)
    said = f"{found.text}{notes(found)}{skipped(found)}{found.questions}"
    assert "SECRET" not in said
    assert "deadbeef" not in said


@pytest.mark.parametrize("name", SETS)
def test_every_value_is_explained(name: str) -> None:
    found, loaded = imported(name)
    for kind in ("hosts", "switches", "arrays"):
        for box in loaded[kind]:
            origins = found.explain(f"{kind}.{box['name']}")
            assert origins
            assert all(origin.sources or origin.guess for origin in origins)


@pytest.mark.parametrize("name", SETS)
def test_a_damaged_capture_is_a_scenario_or_one_refusal(name: str, tmp_path: Path) -> None:
    """Cut off anywhere, or with lines deleted: what is written has a plan, and nothing crashes."""
    rng = random.Random(name)
    texts = {file: (CAPTURES / file).read_text(encoding="utf-8") for file in SETS[name]}
    first = SETS[name][0]
    lines = texts[first].splitlines(keepends=True)
    cuts = [texts[first][: rng.randrange(len(texts[first]))] for _ in range(DAMAGES)]
    gaps = [
        "".join(line for line in lines if rng.random() > share)
        for share in (rng.choice((0.01, 0.05, 0.2)) for _ in range(DAMAGES))
    ]
    for damaged in (*cuts, *gaps):
        for file, text in (texts | {first: damaged}).items():
            (tmp_path / file).write_text(text, encoding="utf-8")
        for partial in (False, True):
            try:
                found = import_fabric([tmp_path / file for file in texts], partial=partial)
            except sanlab.ScenarioError as error:
                refused = error
            else:
                compile_plan(parse_scenario(found.text, "san.yaml"))
                assert "SECRET" not in found.text
                continue
            (problem,) = refused.problems
            assert problem.reason
            assert problem.remedy
            assert "SECRET" not in str(refused)
