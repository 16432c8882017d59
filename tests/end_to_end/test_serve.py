"""`sanlab serve` answers what the command line prints, for a real client on loopback."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from fabrics import cisco, devices
from serving import SCENARIO, Server, serving
from typer.testing import CliRunner

from sanlab.cli.main import app
from sanlab.results.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.xdist_group("serve")


def said(*words: str) -> object:
    done = CliRunner().invoke(app, [*words, "--json"])
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "san.yaml").write_text(SCENARIO, encoding="utf-8")
    (folder / "sub").mkdir()
    (folder / "sub/other.yml").write_text("title: Other\nhosts: []\n", encoding="utf-8")
    with serving(folder) as server:
        for seed in (1, 2):
            job = server.post("/jobs", {"path": "san.yaml", "seed": seed}, 201)
            server.wait(job["id"], "done")
        yield server


def test_about_schema_and_catalog(server: Server) -> None:
    assert server.get("/about") == {
        "version": server.get("/runs/runs:san")["manifest"]["sanlab_version"],
        "workspace": server.folder.name,
    }
    assert server.get("/schema") == said("schema")
    catalog = server.get("/catalog")
    printed = said("catalog")
    assert isinstance(printed, dict)
    assert {kind: [one["name"] for one in rows] for kind, rows in catalog.items()} == {
        kind: list(rows) for kind, rows in printed.items()
    }
    for kind, rows in catalog.items():
        for row in rows:
            assert {"about": row["about"], **row["values"]} == printed[kind][row["name"]]


def test_scenarios_are_those_of_the_workspace(server: Server) -> None:
    rows = server.get("/scenarios")
    assert [(row["path"], row["title"]) for row in rows] == [
        ("san.yaml", "Two hosts"),
        ("sub/other.yml", "Other"),
    ], "those of run folders are left out"
    assert server.get("/scenarios/san.yaml")["text"] == SCENARIO


def test_saving_needs_the_digest_of_the_text_it_replaces(server: Server) -> None:
    first = server.client.put("/api/scenarios/new/a.yaml", json={"text": "a: 1\n"})
    assert first.status_code == 200
    again = server.client.put("/api/scenarios/new/a.yaml", json={"text": "a: 2\n"})
    assert again.status_code == 409
    assert "exists already" in again.json()["error"]["message"]
    digest = first.json()["digest"]
    second = server.client.put(
        "/api/scenarios/new/a.yaml", json={"text": "a: 3\n", "digest": digest}
    )
    assert second.status_code == 200
    assert (server.folder / "new/a.yaml").read_text(encoding="utf-8") == "a: 3\n"
    late = server.client.put("/api/scenarios/new/a.yaml", json={"text": "a: 4\n", "digest": digest})
    assert late.status_code == 409
    assert "changed since" in late.json()["error"]["message"]
    assert [path.name for path in (server.folder / "new").iterdir()] == ["a.yaml"]
    (server.folder / "new/a.yaml").unlink()
    gone = server.client.put("/api/scenarios/new/a.yaml", json={"text": "a: 4\n", "digest": digest})
    assert (gone.status_code, (server.folder / "new/a.yaml").exists()) == (409, False)


def test_a_check_has_the_problems_of_the_command_line(server: Server) -> None:
    broken = SCENARIO.replace("speed: 16GFC", "speeed: 16GFC")
    (server.folder / "broken.yaml").write_text(broken, encoding="utf-8")
    found = server.post("/check", {"text": broken, "path": "broken.yaml"})
    printed = said("check", str(server.folder / "broken.yaml"))
    assert isinstance(printed, dict)
    (problem,) = printed["error"]["problems"]
    assert found["problems"] == [
        {
            "line": problem["line"],
            "column": problem["column"],
            "key": problem["key"],
            "message": problem["reason"],
            "remedy": problem["remedy"],
        }
    ]
    (server.folder / "broken.yaml").unlink()
    good = server.post("/check", {"text": SCENARIO})
    printed = said("check", str(server.folder / "san.yaml"))
    assert isinstance(printed, dict)
    assert good["problems"] == []
    assert (good["totals"], good["warnings"]) == (printed["totals"], printed["warnings"])


def test_an_edit_shows_its_difference_and_keeps_comments(server: Server) -> None:
    edits = [{"op": "set", "path": "hosts[0].hbas.speed", "value": "8GFC"}]
    found = server.post("/edit", {"text": SCENARIO, "edits": edits, "path": "san.yaml"})
    assert found["problems"] == []
    assert "a comment that stays" in found["text"]
    changed = [line for line in found["diff"].splitlines() if line[0] in "+-"][2:]
    assert changed == [
        '-  - {name: "host[1..2]", hbas: {model: generic-16g}}',
        '+  - {name: "host[1..2]", hbas: {model: generic-16g, speed: 8GFC}}',
    ]
    wrong = [{"op": "remove", "path": "hosts.host9"}]
    refused = server.post("/edit", {"text": SCENARIO, "edits": wrong}, 422)
    assert "No item is called 'host9'" in refused["error"]["message"]


def test_runs_are_as_the_command_line_prints_them(server: Server) -> None:
    rows = server.get("/runs")
    assert sorted(row["id"] for row in rows) == ["runs:san", "runs:san-2"]
    run = Run.open(server.folder / "runs/san")
    row = next(row for row in rows if row["id"] == "runs:san")
    summary = run.summary()
    assert (row["iops"], row["fingerprint"]) == (summary["iops"], summary["fingerprint"])
    assert row["mean_ps"] == pytest.approx(summary["response_mean_us"] * 1e6)
    detail = server.get("/runs/runs:san")
    assert detail["summary"] == summary | {"folder": "runs/san"}
    assert detail["has_scenario"] is True
    explained = server.get("/runs/runs:san/explain")
    printed = said("explain", str(run.folder))
    assert isinstance(printed, dict)
    for one, other in zip(explained["workloads"], printed["workloads"], strict=True):
        assert {key: one[key] for key in other} == other
    assert {one["id"] for one in explained["findings"]}


def test_series_and_tables(server: Server) -> None:
    run = Run.open(server.folder / "runs/san")
    listed = {
        (one["kind"], one["name"]): one["metrics"] for one in server.get("/runs/runs:san/series")
    }
    assert {"workload", "host", "port"} <= {kind for kind, _ in listed}
    found = server.get("/runs/runs:san/series/workload/load", metric="throughput")
    span = found["at_s"][1] - found["at_s"][0]
    carried = sum(row["bytes"] for row in run.rows("workload_series"))
    assert found["unit"] == "B/s"
    assert sum(found["values"]) * span == pytest.approx(carried)
    page = server.get(
        "/runs/runs:san/tables/ports", sort="-tx_bytes", limit=3, filter=["port~SW1", "tx_bytes>0"]
    )
    expected = sorted(
        (row["tx_bytes"] for row in run.rows("ports") if "sw1" in row["port"] and row["tx_bytes"]),
        reverse=True,
    )
    place = [column["name"] for column in page["columns"]].index("tx_bytes")
    assert [row[place] for row in page["rows"]] == expected[:3]
    assert page["total"] == len(expected)
    tables = {one["name"]: one for one in server.get("/runs/runs:san/tables")}
    assert sorted(tables) == run.tables
    assert all(column["meaning"] for one in tables.values() for column in one["columns"])


def test_downloads(server: Server) -> None:
    folder = server.folder / "runs/san"
    for file in ("scenario.yaml", "plan.json", "manifest.json", "tables/ports.parquet"):
        answer = server.client.get(f"/api/runs/runs:san/files/{file}")
        assert answer.content == (folder / file).read_bytes()
        assert answer.headers["content-disposition"].startswith("attachment")
    csv = server.client.get("/api/runs/runs:san/files/tables/ports.csv").text
    assert len(csv.splitlines()) == 1 + pq.read_table(folder / "tables/ports.parquet").num_rows
    report = server.client.get("/api/runs/runs:san/files/report.html")
    assert report.text.startswith("<!doctype html>")
    assert report.headers["content-security-policy"].startswith("sandbox")


def test_runs_side_by_side(server: Server) -> None:
    found = server.get("/compare", before="runs:san", after=["runs:san-2"])
    folder = server.folder / "runs"
    printed = said("compare", str(folder / "san"), str(folder / "san-2"))
    assert isinstance(printed, dict)
    (one,), (other,) = found["comparisons"], printed["comparisons"]
    assert one == other | {"before": "runs:san", "after": "runs:san-2"}


def test_a_sweep_is_listed_with_its_settings(server: Server) -> None:
    out = server.folder / "sweeps/depth"
    file = server.folder / "san.yaml"
    words = ("sweep", str(file), "-p", "workloads.load.iodepth=1,2", "--out", str(out))
    assert CliRunner().invoke(app, words).exit_code == 0
    (row,) = server.get("/sweeps")
    assert (row["id"], row["parameters"]) == ("sweeps:depth", ["workloads.load.iodepth"])
    assert (row["points"], row["failed"]) == (2, 0)
    detail = server.get("/sweeps/sweeps:depth")
    assert [one["workloads.load.iodepth"] for one in detail["rows"]] == [1, 2]
    assert detail["rows"][0]["iops"] < detail["rows"][1]["iops"]


def test_a_damaged_index_is_made_again(server: Server) -> None:
    before = server.get("/runs")
    (server.folder / ".sanlab/index.sqlite").write_bytes(b"no data base" * 1000)
    assert server.get("/runs") == before


def test_a_run_that_changes_is_read_again(server: Server) -> None:
    manifest = server.folder / "runs/san-2/manifest.json"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(
        text.replace('"title": "Two hosts"', '"title": "Renamed"'), encoding="utf-8"
    )
    titles = {row["id"]: row["title"] for row in server.get("/runs")}
    assert titles == {"runs:san": "Two hosts", "runs:san-2": "Renamed"}
    assert server.get("/runs/runs:san-2")["summary"]["title"] == "Renamed"
    manifest.write_text(text, encoding="utf-8")


def test_an_import_ends_as_a_scenario(server: Server) -> None:
    load = (
        "[global]\nrw=randread\nbs=4k\nruntime=1\ntime_based\nsize=1g\n[one]\nfilename=/dev/sdx\n"
    )
    found = server.post("/import/load", {"file": {"name": "one.fio", "text": load}})
    assert server.post("/check", {"text": found["text"]})["problems"] == []
    assert "/tmp" not in found["text"]
    secret = "[one]\ninclude /etc/passwd\nrw=read\nsize=1g\n"
    refused = server.post("/import/load", {"file": {"name": "one.fio", "text": secret}}, 422)
    assert "root:" not in json.dumps(refused)
    nothing = {"files": [{"name": "a.txt", "text": "hello"}]}
    refused = server.post("/import/fabric", nothing, 422)
    assert refused["error"]["file"] == "a.txt"


def _scrape(reads: int) -> str:
    values = {"reads_completed": reads, "read_bytes": 4096 * reads}
    values |= {"writes_completed": reads, "written_bytes": 8192 * reads}
    return "".join(f'node_disk_{n}_total{{device="sda"}} {v}\n' for n, v in values.items())


def test_the_interval_of_two_scrapes_is_given(server: Server) -> None:
    file = {"name": "scrapes.prom", "text": _scrape(1000) + _scrape(4000)}
    refused = server.post("/import/load", {"file": file}, 422)
    assert "no times" in refused["error"]["message"]
    found = server.post("/import/load", {"file": file, "interval": "10s"})
    assert "rate_iops: 600" in found["text"]
    refused = server.post("/import/load", {"file": file, "interval": "10"}, 422)
    assert refused["error"]["file"] == "interval"


def test_the_interval_of_two_captures_of_ports_is_given(server: Server) -> None:
    made = devices(1, arrays=1)
    counters = [
        f"sw2# show interface counters\nfc1/1\n    1 frames input,{count} bytes\n"
        f"    1 frames output,{3 * count} bytes\n"
        for count in (0, 40_960_000)
    ]
    files = [{"name": "all.txt", "text": cisco(made) + "".join(counters)}]
    found = server.post("/import/fabric", {"files": files})
    assert "no output has the times" in "\n".join(found["contradictions"])
    found = server.post("/import/fabric", {"files": files, "interval": "10s"})
    assert "rate_iops: 2000" in found["text"]


def _answer(switch: int, device: str, role: str) -> str:
    """Answer of a switch: a port with a device, one to the other switch, and its name server."""
    edge: dict[str, object] = {"port-type-string": "f-port", "neighbor": {"wwn": [device]}}
    link: dict[str, object] = {
        "port-type": 7,
        "neighbor-node-wwn": f"10:00:88:94:71:00:0{3 - switch}:00",
    }
    rows = [
        {"name": f"0/{port}", "wwn": f"20:{port:02x}:88:94:71:00:0{switch}:00"} | more
        for port, more in ((0, edge), (7, link))
    ]
    rows = [row | {"speed": 32 * 10**9, "operational-status": 2} for row in rows]
    named = {"port-name": device, "port-id": f"0x0{switch}0000", "fc4-features": f"FCP-{role}"}
    return json.dumps({"Response": {"fibrechannel": rows, "fibrechannel-name-server": [named]}})


def test_answers_of_several_switches_are_told_apart_by_their_folders(server: Server) -> None:
    host, array = (device.wwpn for device in devices(1, arrays=1)[:2])
    texts = {"sw1": _answer(1, host, "Initiator"), "sw2": _answer(2, array, "Target")}
    files = [{"name": f"my san/{name}/ports.json", "text": text} for name, text in texts.items()]
    found = server.post("/import/fabric", {"files": files})
    assert found["counts"]["switches"] == 2
    assert "name: sw1" in found["text"]
    assert "/tmp" not in json.dumps(found)
    assert "my san/sw1/ports.json:1" in found["text"]
    files.append({"name": "my san/sw2/bad.json", "text": '{"Response": {'})
    refused = server.post("/import/fabric", {"files": files}, 422)
    assert refused["error"]["file"] == "my san/sw2/bad.json"


@pytest.mark.parametrize(
    "name", ["../ports.json", "/ports.json", "a/../../b", "a//b", ".ssh/x", "a/"]
)
def test_names_of_files_stay_in_their_folder(server: Server, name: str) -> None:
    server.post("/import/fabric", {"files": [{"name": name, "text": "x"}]}, 422)


def test_a_cable_and_a_zone_are_changed_by_hand(server: Server) -> None:
    cable = {"text": SCENARIO, "link": 1, "values": {"length": "2km"}}
    found = server.post("/edit/cable", cable)
    assert found["problems"] == []
    assert "+  - {from: host2, to: sw1, length: 2km}" in found["diff"].splitlines()
    zone = {"text": SCENARIO, "name": "pair", "members": ["host1", "dev1"]}
    assert "+zoning: {zones: {pair: [host1, dev1]}}" in server.post("/edit/zone", zone)["diff"]
    refused = server.post("/edit/cable", cable | {"link": 99}, 422)
    assert refused["error"]["remedy"]
    broken = server.post("/edit/cable", cable | {"text": "hosts: ["}, 422)
    assert broken["error"]["line"]


def test_stages_have_names_for_people(server: Server) -> None:
    names = {row["stage"]: row["name"] for row in server.get("/stages")}
    slow = server.get("/runs/runs:san/slowest")
    assert set(slow[0]["stages"]) <= set(names)
    assert names["tx_queue"] == "transmit queue"


def test_the_slowest_io_and_its_ladder(server: Server) -> None:
    run = str(server.folder / "runs/san")
    slow = server.get("/runs/runs:san/slowest")
    assert [one["rank"] for one in slow] == list(range(1, len(slow) + 1))
    assert all(sum(one["stages"].values()) == one["response_ps"] for one in slow)
    printed = said("ladder", run)
    assert isinstance(printed, dict)
    named = f"{slow[0]['job']}#{slow[0]['number']}"
    assert printed.pop("io") == named
    assert server.get("/runs/runs:san/ladder") == printed
    assert server.get("/runs/runs:san/ladder", io=named) == printed
    frames = server.client.get("/api/runs/runs:san/capture", params={"io": named})
    assert frames.content.startswith(b"\n\r\r\n"), "the block that begins a pcapng file"
    refused = server.client.get("/api/runs/runs:san/ladder", params={"io": "no"})
    assert refused.status_code == 422
    assert refused.json()["error"]["message"]


def test_the_map_of_a_text_and_of_a_run(server: Server) -> None:
    drawn = server.post("/check", {"text": SCENARIO})["topology"]
    printed = said("ports", str(server.folder / "san.yaml"))
    assert isinstance(printed, dict)
    assert drawn["ports"] == printed["ports"]
    assert [node["name"] for node in drawn["nodes"]] == ["host1", "host2", "sw1", "dev1"]
    found = server.get("/runs/runs:san/topology")
    assert found["ports"] == drawn["ports"]
    assert all(link["utilisation"] is None for link in drawn["links"])
    busy = [link["utilisation"] for link in found["links"]]
    assert max(busy) == pytest.approx(
        server.get("/runs/runs:san")["summary"]["busiest_link_utilisation"], rel=0.01
    )
    before = server.get("/runs/runs:san/topology", at_ps=0)
    assert [link["state"] for link in before["links"]] == ["up"] * len(busy)
    colours = server.get("/runs/runs:san/colours", metric="credit_wait")
    assert len(colours["values"]) == len(found["links"]) == len(colours["links"])
    assert {len(row) for row in colours["values"]} == {len(colours["at_ps"])}
    seen = server.post("/access", {"text": SCENARIO, "host": "host1"})
    assert seen == server.get("/runs/runs:san/access", host="host1")
    assert [(one["lun"], len(one["paths"])) for one in seen] == [("dev1.lun1", 2), ("dev1.lun2", 2)]
    wrong = server.client.get("/api/runs/runs:san/colours", params={"metric": "no"})
    assert wrong.status_code == 422
