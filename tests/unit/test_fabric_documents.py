"""`sanlab import fabric`: outputs of NX-OS in JSON, and answers of Brocade's REST interface."""

from __future__ import annotations

import json
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


def imported(tmp_path: Path, **texts: str) -> tuple[FabricImport, Any]:
    """Import texts, each in a folder of its own, and check the scenario."""
    files = []
    for name, text in texts.items():
        folder = tmp_path / name.partition("_")[0]
        folder.mkdir(exist_ok=True)
        files.append(folder / f"{name}.txt")
        files[-1].write_text(text, encoding="utf-8")
    found = import_fabric(files)
    compile_plan(parse_scenario(found.text, "san.yaml"))
    return found, yaml.safe_load(found.text)


def table(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A table as NX-API has it: a single row is not in a list."""
    return {f"TABLE_{name}": {f"ROW_{name}": rows if len(rows) > 1 else rows[0]}}


def entry(wwpn: str, role: str, port: str, symbol: str = "") -> dict[str, Any]:
    """An entry of the name server in its detailed form."""
    device = {
        "fcid": f"0x0100{port[-1]}0",
        "pwwn": wwpn,
        "nwwn": f"20{wwpn[2:]}",
        **table("fc4_types_fc4_features", [{"fc4_types": "scsi-fcp", "fc4_features": role}]),
        "symbolic_node_name": symbol,
        "connected_interface": port,
        "switch_name": "mds1",
    }
    return {"vsan_id": 10, **table("fcns_database", [device])}


LOGINS = {
    **table(
        "flogi_entry",
        [
            {
                "interface": port,
                "vsan": 10,
                "fcid": f"0x0100{port[-1]}0",
                "port_name": wwpn,
                "node_name": f"20{wwpn[2:]}",
            }
            for port, wwpn in (("fc1/1", HOST), ("fc1/3", ARRAY))
        ],
    ),
    "total_no_of_flogi": 2,
}
MEMBERS = [
    {"type": "pwwn", "wwn": HOST, "online_fcid": "0x010010"},
    {
        "type": "device-alias",
        "dev_alias": "arr_ct0_fc0",
        "dev_alias_pwwn": ARRAY,
        "online_fcid": "0x010030",
    },
]
ZONES = table(
    "zoneset",
    [
        {
            "name": "S",
            "vsan": 10,
            **table("zone", [{"name": "z", "vsan": 10, **table("member", MEMBERS)}]),
        }
    ],
)
BRIEF = table(
    "interface_brief_fc",
    [
        {
            "interface": port,
            "vsan": 10,
            "status": "up",
            "oper_mode": "F",
            "oper_speed": speed,
            "port_channel": "--",
        }
        for port, speed in (("fc1/1", "16"), ("fc1/2", "16"), ("fc1/3", "32"))
    ],
)


def test_answers_of_nx_api(tmp_path: Path) -> None:
    names = [entry(HOST, "init", "fc1/1", "QLE2742 FW:v9 HN:esx7"), entry(ARRAY, "target", "fc1/3")]
    answers = {
        "show flogi database": LOGINS,
        "show fcns database detail": {"TABLE_fcns_vsan": {"ROW_fcns_vsan": names}},
        "show zoneset active": ZONES,
        "show interface brief": BRIEF,
        "show running-config": "username a password 5 hush\ndevice-alias database\n"
        "  device-alias name stale pwwn 50:00:00:00:00:00:00:aa\n",
    }
    output = [{"input": command, "body": body} for command, body in answers.items()]
    text = json.dumps({"ins_api": {"outputs": {"output": output}}}, indent=1)
    found, loaded = imported(tmp_path, mds=text)
    assert [host["name"] for host in loaded["hosts"]] == ["esx7"]
    assert loaded["hosts"][0]["hbas"][0]["model"] == "qle2742"
    assert [switch["name"] for switch in loaded["switches"]] == ["mds1"]
    assert loaded["zoning"][0]["zones"] == {"z": ["esx7.hba0.p0", "arr.p0"]}
    assert [link["speed"] for link in loaded["links"]] == ["16GFC", "32GFC"]
    listed = "\n".join(map(str, found.findings))
    assert "No output names the devices at ports fc1/2 of 'mds1'" in listed
    assert "Alias 'stale' is in no zone" in listed
    assert "hush" not in found.text


def test_json_behind_prompts(tmp_path: Path) -> None:
    text = ""
    for command, body in (
        ("show flogi database", LOGINS),
        ("show zoneset", {"TABLE_zoneset": {"ROW_zoneset": {"name": "OLD", "vsan": 10}}}),
        ("show zoneset active", ZONES),
    ):
        text += f"mds1# {command} | json | no-more\n{json.dumps(body)}\n"
    found, loaded = imported(tmp_path, mds=text)
    assert loaded["zoning"][0]["active"] == "S"
    assert [switch["name"] for switch in loaded["switches"]] == ["mds1"]
    assert "taken for the active one" not in "\n".join(map(str, found.findings))


def test_json_says_the_same_as_text(tmp_path: Path) -> None:
    made = fabrics.devices(250, arrays=2)
    _, expected = imported(tmp_path, all_text=fabrics.cisco(made))
    _, loaded = imported(tmp_path, all_json=fabrics.cisco_json(made))
    assert loaded == expected


def test_a_document_of_nx_api_that_was_cut_off(tmp_path: Path) -> None:
    short = {**LOGINS, "total_no_of_flogi": 3}
    file = tmp_path / "a.json"
    file.write_text(json.dumps(short), encoding="utf-8")
    with pytest.raises(ScenarioError, match="announces 3 logins and has 2"):
        import_fabric([file])


def _rest(key: str, rows: object) -> str:
    return json.dumps({"Response": {key: rows}}, indent=1)


def _port(number: int, switch: str, **more: object) -> dict[str, object]:
    return {
        "name": f"0/{number}",
        "default-index": number,
        "wwn": f"20:{number:02x}:{switch[6:]}",
        "fcid-hex": f"0x0{switch[19]}{number:02x}00",
        "speed": 32 * 10**9,
        "operational-status": 2,
        **more,
    }


def _edge(number: int, switch: str, *names: str) -> dict[str, object]:
    return _port(number, switch, **{"port-type-string": "f-port", "neighbor": {"wwn": list(names)}})


ONE, TWO = "10:00:88:94:71:00:01:00", "10:00:88:94:71:00:02:00"


def _links(own: str, peer: str) -> list[dict[str, object]]:
    return [_port(n, own, **{"port-type": 7, "neighbor-node-wwn": peer}) for n in (6, 7)]


def test_ports_of_rest_have_their_devices_and_neighbours(tmp_path: Path) -> None:
    made = fabrics.devices(1, arrays=1)
    host, array = made[0].wwpn, made[1].wwpn
    names = [
        {"port-name": array, "port-id": "0x020000", "fc4-features": "FCP-Target"},
        {"port-name": host, "port-id": "0x010000", "fc4-features": "FCP-Initiator"},
    ]
    _, loaded = imported(
        tmp_path,
        a1_interfaces=_rest("fibrechannel", [_edge(0, ONE, host), *_links(ONE, TWO)]),
        a1_names=_rest("fibrechannel-name-server", names),
        a2_interfaces=_rest("fibrechannel", [_edge(0, TWO, array), *_links(TWO, ONE)]),
    )
    assert {switch["name"] for switch in loaded["switches"]} == {"a1", "a2"}
    assert [(link["from"], link["to"]) for link in loaded["links"][2:]] == [("a1", "a2")] * 2


def test_rest_in_xml_says_the_same_as_in_json(tmp_path: Path) -> None:
    made = fabrics.devices(1, arrays=1)
    rows = [_edge(number, ONE, device.wwpn) for number, device in enumerate(made[:2])]
    shown = "".join(
        f"<fibrechannel><name>{row['name']}</name><default-index>{n}</default-index>"
        f"<wwn>{row['wwn']}</wwn><fcid-hex>{row['fcid-hex']}</fcid-hex><speed>{row['speed']}</speed>"
        "<operational-status>2</operational-status><port-type-string>f-port</port-type-string>"
        f"<neighbor>\n<wwn>{made[n].wwpn}</wwn></neighbor></fibrechannel>\n"
        for n, row in enumerate(rows)
    )
    xml = f'<?xml version="1.0"?>\n<Response>\n{shown}</Response>\n'
    _, expected = imported(tmp_path, sw1_json=_rest("fibrechannel", rows))
    _, loaded = imported(tmp_path, sw1_xml=xml)
    assert loaded == expected
    _, loaded = imported(tmp_path, sw1_xml=f'<?xml version="1.0"?>\n<Response/>\n{xml}')
    assert loaded == expected


def test_an_xml_document_may_define_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.xml"
    file.write_text('<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "b">]>\n<Response/>\n')
    with pytest.raises(ScenarioError, match="No output of a switch is recognised"):
        import_fabric([file])
    file.write_text('<Response>\n<!DOCTYPE r [<!ENTITY a "b">]>\n<x>&a;</x></Response>\n')
    with pytest.raises(ScenarioError, match="has a definition of its own"):
        import_fabric([file])


def _scrape(octets: int, seconds: int | None) -> str:
    row: dict[str, object] = {"name": "0/0", "in-octets": octets, "out-octets": 3 * octets}
    return _rest(
        "fibrechannel-statistics", [row | ({"time-generated": seconds} if seconds else {})]
    )


@pytest.mark.parametrize(("times", "interval"), [((1000, 1010), None), ((None, None), 10.0)])
def test_two_scrapes_of_counters_give_rates(
    tmp_path: Path, times: tuple[int | None, int | None], interval: float | None
) -> None:
    made = fabrics.devices(1, arrays=1)
    rows = [_edge(number, ONE, device.wwpn) for number, device in enumerate(made[:2])]
    texts = [
        _rest("fibrechannel", rows),
        _scrape(10**9, times[0]),
        _scrape(10**9 + 81_920_000, times[1]),
    ]
    files = []
    for number, text in enumerate(texts):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(text, encoding="utf-8")
    loaded = yaml.safe_load(import_fabric(files, interval=interval).text)
    # 8.192 MB/s of writes and three times as much of reads, in I/Os of 8 KiB.
    work = loaded["workloads"][0]
    assert (work["rate_iops"], work["rwmixread"]) == (4000, "75%")


def test_counters_of_different_kinds_have_no_difference(tmp_path: Path) -> None:
    made = fabrics.devices(1, arrays=1)
    rows = [_edge(number, ONE, device.wwpn) for number, device in enumerate(made[:2])]
    words = "portstatsshow 0\nport:  0\n=========\nstat_wtx   1000  4-byte words transmitted\n"
    found, loaded = imported(
        tmp_path,
        a_rest=_rest("fibrechannel", rows),
        a_scrape=_scrape(10**9, 1000),
        a_text=f"a:admin> {words}",
    )
    assert loaded["workloads"][0]["rate_iops"] == 1000  # the guess
    assert "captured twice" not in "\n".join(map(str, found.findings))


def test_answers_that_follow_each_other_in_one_file(tmp_path: Path) -> None:
    made = fabrics.devices(1, arrays=1)
    host, array = made[0].wwpn, made[1].wwpn
    own = {"name": ONE, "user-friendly-name": "core1", "domain-id": 1, "model": "162.0"}
    listed = {"name": ONE, "switch-user-friendly-name": "core1", "domain-id": 1, "principal": 1}
    names = [
        {"port-name": array, "port-id": "0x010100", "fc4-features": "FCP-Target"},
        {"port-name": host, "port-id": "0x010000", "fc4-features": "FCP-Initiator"},
    ]
    answers = [
        _rest("fibrechannel-switch", own),
        _rest("fabric-switch", [listed]),
        _rest("fibrechannel", [_edge(0, ONE, host), _edge(1, ONE, array)]),
        _rest("fibrechannel-name-server", names),
    ]
    found, loaded = imported(tmp_path, all="\n".join([*answers, "$ exit"]))
    assert loaded["switches"] == [{"name": "core1", "model": "brocade-g620", "domain": 1}]
    assert len(loaded["links"]) == 2
    assert "text behind a document" in "\n".join(part.what for part in found.skipped)


def _two_switches() -> dict[str, str]:
    """Ports, statistics at two times, and zoning of two switches, by the names of files."""
    made = fabrics.devices(1, arrays=1)
    host, array = made[0].wwpn, made[1].wwpn
    files = {
        "core1_rest_brocade-interface_fibrechannel": _rest(
            "fibrechannel", [_edge(0, ONE, host), *_links(ONE, TWO)]
        ),
        "core2_rest_brocade-interface_fibrechannel": _rest(
            "fibrechannel", [_edge(0, TWO, array), *_links(TWO, ONE)]
        ),
        "zones": _rest(
            "effective-configuration",
            {
                "cfg-name": "c",
                "enabled-zone": [{"zone-name": "z", "member-entry": {"entry-name": [host, array]}}],
            },
        ),
    }
    for at, octets in ((1000, 10**9), (1010, 10**9 + 81_920_000)):
        files[f"core1_fibrechannel-statistics_{at}"] = _scrape(octets, at)
        files[f"core2_fibrechannel-statistics_{at}"] = _scrape(10**9, at)
    return files


def test_answers_of_two_switches_in_one_folder(tmp_path: Path) -> None:
    """Their ports tell the switches apart, and their names what belongs to which."""
    for name, text in _two_switches().items():
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    found = import_fabric([tmp_path])
    loaded = yaml.safe_load(found.text)
    assert {switch["name"] for switch in loaded["switches"]} == {"core1", "core2"}
    assert [{one["from"], one["to"]} for one in loaded["links"][2:]] == [{"core1", "core2"}] * 2
    # The host is at core1, whose counters rise; those of core2 would give no load at all.
    assert loaded["workloads"][0]["rate_iops"] == 4000
    (zoning,) = loaded["zoning"]
    assert list(zoning["zones"]) == ["z"]


def test_answers_of_two_switches_by_their_ports_alone(tmp_path: Path) -> None:
    made = fabrics.devices(1, arrays=1)
    _, loaded = imported(
        tmp_path,
        all_one=_rest("fibrechannel", [_edge(0, ONE, made[0].wwpn), *_links(ONE, TWO)]),
        all_two=_rest("fibrechannel", [_edge(0, TWO, made[1].wwpn), *_links(TWO, ONE)]),
    )
    assert len(loaded["switches"]) == 2


def test_statistics_of_an_unknown_switch_of_two_are_refused(tmp_path: Path) -> None:
    for name, text in _two_switches().items():
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    (tmp_path / "fibrechannel-statistics.json").write_text(_scrape(1, 1000), encoding="utf-8")
    with pytest.raises(ScenarioError, match="does not say which switch of its folder gave it"):
        import_fabric([tmp_path])


def test_rates_without_a_unit_are_listed(tmp_path: Path) -> None:
    made = fabrics.devices(1, arrays=1)
    rows = [_edge(number, ONE, device.wwpn) for number, device in enumerate(made[:2])]
    row = {"name": "0/0", "in-octets": 1, "out-octets": 1, "in-rate": 84200000, "out-rate": 1}
    found, loaded = imported(
        tmp_path,
        sw1_ports=_rest("fibrechannel", rows),
        sw1_counts=_rest("fibrechannel-statistics", [row]),
    )
    (skipped,) = found.skipped
    assert skipped.what.startswith("in-rate, out-rate of fibrechannel-statistics")
    assert "in-rate" in found.text
    assert loaded["workloads"][0]["rate_iops"] == 1000  # the guess


def test_ports_of_two_switches_in_one_file(tmp_path: Path) -> None:
    made = fabrics.devices(1, arrays=1)
    rows = [_edge(0, ONE, made[0].wwpn), _edge(0, TWO, made[1].wwpn)]
    with pytest.raises(ScenarioError, match="one folder have ports of 2 switches"):
        imported(tmp_path, all_of=_rest("fibrechannel", rows))
