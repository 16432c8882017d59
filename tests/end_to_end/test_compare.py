"""`sanlab compare`: verdicts from intervals, what differs in the scenario, refusals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.compare.comparison import compare

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.compare.comparison import Comparison
    from sanlab.compare.verdict import Line
    from sanlab.results.run import Run

SAN = """
title: A comparison
hosts: [{name: host1, hbas: {speed: 16GFC}}]
switches: [{name: sw1, speed: 16GFC}]
arrays: [{name: dev1, model: generic-16g, ports: 1, luns: [{name: "lun[1..2]", size: 100GiB}]}]
links: [{from: host1, to: sw1}, {from: dev1, to: sw1}]
workloads:
  - {name: oltp, hosts: host1, targets: dev1.lun1, rw: randread, bs: 4k, iodepth: 8, ramp_time: 9ms}
  - {name: scan, hosts: host1, targets: dev1.lun2, rw: read, bs: 64k, iodepth: 2, ramp_time: 10ms}
measure: {duration: 400ms, interval: 5ms}
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("compared")
    file = folder / "scenario.yaml"
    file.write_text(SAN, encoding="utf-8")
    changes: dict[str, dict[str, object]] = {
        "base": {},
        "again": {},
        "deeper": {"workloads.oltp.iodepth": "32"},
        "slower": {"arrays.dev1.command_cost": "200us"},
        "seed": {"workloads.oltp.iodepth": "8"},
    }
    return {
        name: sanlab.run(
            file, overrides=change, folder=folder / name, seed=9 if name == "seed" else None
        )
        for name, change in changes.items()
    }


def figures(document: dict[str, Any], workload: str | None) -> dict[str, Any]:
    (one,) = document["comparisons"]
    return {row["metric"]: row for row in one["figures"] if row["workload"] == workload}


def invoke(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["compare", *map(str, arguments)])
    return result.exit_code, result.output


def test_a_run_is_the_same_as_itself(runs: dict[str, Run]) -> None:
    found = compare(runs["base"], runs["again"])
    assert found.verdict == "same"
    assert found.changes == []
    assert {line.verdict for line in found.lines} <= {"same", None}


def test_more_throughput_and_longer_waits_are_mixed(runs: dict[str, Run]) -> None:
    code, output = invoke(runs["base"].folder, runs["deeper"].folder, "--json")
    document = json.loads(output)
    oltp = figures(document, "oltp")
    assert oltp["throughput"]["verdict"] == "better"
    assert oltp["throughput"]["difference"] > 0.5
    assert oltp["throughput"]["difference"] - oltp["throughput"]["half_width"] > 0.02
    (change,) = document["comparisons"][0]["changes"]
    assert change == {"path": "workloads.oltp.iodepth", "before": "8", "after": "32"}
    # The other workload, and each single response, pay for it.
    assert document["comparisons"][0]["verdict"] == "mixed"
    assert code == 3


def test_worse_ends_with_exit_code_3(runs: dict[str, Run]) -> None:
    code, output = invoke(runs["base"].folder, runs["slower"].folder)
    assert code == 3
    assert ": worse" in output.splitlines()[0]
    assert "arrays.dev1.command_cost: not set -> 200us" in output


def test_another_seed_is_not_called_better_or_worse(runs: dict[str, Run]) -> None:
    found = compare(runs["base"], runs["seed"], tolerance=0.05)
    assert found.verdict in ("same", "can't tell")


def test_the_page_stands_alone(runs: dict[str, Run], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, _ = invoke(
        runs["base"].folder, runs["deeper"].folder, runs["slower"].folder, "--html", page
    )
    text = page.read_text(encoding="utf-8")
    assert code == 3
    assert "base" in text
    assert "<script src" not in text
    assert "<link" not in text
    assert text.count('data-chart="') >= 3


@pytest.fixture(scope="module")
def failovers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Two paths: one is cut at 400 ms, and commands take the other after 200 ms, or after 50."""
    folder = tmp_path_factory.mktemp("failovers")
    (folder / "scenario.yaml").write_text(FAILOVER, encoding="utf-8")
    changes: dict[str, dict[str, object]] = {
        "none": {"faults": "[]"},
        "slow": {},
        "quick": {"hosts.host1.hbas[0].fast_io_fail": "50ms"},
    }
    found: dict[str, Run] = {
        name: sanlab.run(folder / "scenario.yaml", overrides=change, folder=folder / name)
        for name, change in changes.items()
    }
    found["seed"] = sanlab.run(folder / "scenario.yaml", folder=folder / "seed", seed=9)
    return found


FAILOVER = """
hosts:
  - name: host1
    multipath: {policy: round-robin, ios: 1, checker: 1s}
    hbas: {model: generic-4g, ports: 2, fast_io_fail: 200ms, dev_loss: 30s, command_timeout: 1s}
switches: [{name: fabric-a, model: generic-4g}, {name: fabric-b, model: generic-4g}]
arrays: [{name: dev1, model: generic-4g, ports: 2, luns: [{name: lun1, size: 10GiB}]}]
links:
  - {from: host1.hba0.p0, to: fabric-a}
  - {from: host1.hba0.p1, to: fabric-b}
  - {from: dev1.p0, to: fabric-a}
  - {from: dev1.p1, to: fabric-b}
workloads: [{name: load, hosts: host1, targets: dev1.lun1, rw: randread, bs: 4KiB, iodepth: 4}]
fabric: {login_time: 1ms}
faults: [{kind: link-down, port: dev1.p0, at: 400ms}]
measure: {duration: 2s, interval: 10ms}
"""


def phase_of(one: Comparison, when: str) -> dict[str, Line]:
    (phase,) = [phase for phase in one.phases if phase.when == when]
    return {line.metric: line for line in phase.lines}


def test_a_failure_is_worse_while_it_lasts(failovers: dict[str, Run]) -> None:
    one = compare(failovers["none"], failovers["slow"])
    assert [phase.when for phase in one.phases] == ["before", "during", "after"]
    assert {line.verdict for line in phase_of(one, "before").values()} == {"same"}
    during = phase_of(one, "during")
    assert during["throughput"].verdict == "worse"
    stall = during["stall"]
    assert stall.verdict == "worse"
    assert stall.before is not None
    assert stall.after is not None
    assert stall.before.value == 0
    assert stall.after.value / 1e9 == pytest.approx(200, abs=30)
    assert phase_of(one, "after")["throughput"].verdict != "better"
    assert one.verdict == "worse"


def test_a_shorter_time_out_is_better_during_the_failure_alone(failovers: dict[str, Run]) -> None:
    one = compare(failovers["slow"], failovers["quick"])
    during = phase_of(one, "during")
    assert during["throughput"].verdict == "better"
    assert during["stall"].verdict == "better"
    assert phase_of(one, "before")["throughput"].verdict == "same"
    assert phase_of(one, "after")["throughput"].verdict == "same"
    assert one.verdict == "better"


def test_the_same_failure_with_another_seed_is_not_judged(failovers: dict[str, Run]) -> None:
    one = compare(failovers["slow"], failovers["seed"])
    assert phase_of(one, "during")["stall"].verdict == "same"
    assert one.verdict in ("same", "can't tell")


def test_phases_are_in_text_json_and_page(failovers: dict[str, Run], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    folders = failovers["none"].folder, failovers["slow"].folder
    code, text = invoke(*folders, "--html", page)
    assert code == 3
    assert "during the events, 400 ms to 6" in text
    assert "(dev1.p0 to fabric-a.f1: link goes down): worse" in " ".join(text.split())
    assert "during the events, 400 ms to 6" in page.read_text(encoding="utf-8")
    (found,) = json.loads(invoke(*folders, "--json")[1])["comparisons"]
    assert [phase["when"] for phase in found["phases"]] == ["before", "during", "after"]
    stalls = [row for row in found["phases"][1]["figures"] if row["metric"] == "stall"]
    assert [row["verdict"] for row in stalls] == ["worse"]


def test_failed_ios_decide_alone(failovers: dict[str, Run], tmp_path: Path) -> None:
    lost: dict[str, object] = {
        "faults": "[{kind: link-down, port: dev1.p0, at: 400ms}, "
        "{kind: link-down, port: dev1.p1, at: 400ms}]",
        "hosts.host1.hbas[0].dev_loss": "300ms",
    }
    file = failovers["none"].folder.parent / "scenario.yaml"
    done = sanlab.run(file, overrides=lost, folder=tmp_path / "lost")
    one = compare(failovers["slow"], done)
    assert phase_of(one, "during")["errors"].verdict == "worse"
    assert one.verdict == "worse"


def test_what_an_override_replaces_is_told_with_its_old_value(
    failovers: dict[str, Run], tmp_path: Path
) -> None:
    changed: dict[str, object] = {
        "hosts[0].hbas.fast_io_fail": "null",
        "workloads[0]": (
            "{name: load, hosts: host1, targets: dev1.lun1, rw: read, bs: 4KiB, iodepth: 4}"
        ),
        "faults": "[]",
    }
    file = failovers["none"].folder.parent / "scenario.yaml"
    done = sanlab.run(file, overrides=changed, folder=tmp_path / "changed")
    found = {one.path: (one.before, one.after) for one in compare(failovers["slow"], done).changes}
    assert found == {
        "hosts.host1.hbas.fast_io_fail": ("200ms", None),
        "workloads.load.rw": ("randread", "read"),
        "faults[0].kind": ("link-down", None),
        "faults[0].port": ("dev1.p0", None),
        "faults[0].at": ("400ms", None),
    }


def test_runs_without_events_have_no_phases(runs: dict[str, Run]) -> None:
    assert compare(runs["base"], runs["deeper"]).phases == []


def test_what_cannot_be_compared_is_refused(runs: dict[str, Run], tmp_path: Path) -> None:
    code, output = invoke(runs["base"].folder, tmp_path)
    assert code == 2
    assert "is not a run folder" in output
    code, output = invoke(runs["base"].folder, runs["deeper"].folder, "--tolerance", "2")
    assert code == 2
    assert "--tolerance" in output
    other = tmp_path / "other.yaml"
    other.write_text(SAN.replace("oltp", "mail").replace("scan", "copy"), encoding="utf-8")
    stranger = sanlab.run(other, folder=tmp_path / "stranger")
    code, output = invoke(runs["base"].folder, stranger.folder)
    assert code == 2
    assert "no workload in common" in output


PARTS = """
hosts: [{name: "host[1..2]"}]
switches: [{name: sw1}]
arrays:
  - name: dev1
    ports: 1
    luns: [{name: lun1, size: 10GiB, memory: {service: 1ms, servers: 4, variation: 0%}}]
links: [{from: "host[1..2]", to: sw1}, {from: dev1, to: sw1}]
workloads:
  - {name: orders, hosts: host1, targets: dev1.lun1, rw: randread, bs: 4k, iodepth: 4}
  - {name: backup, hosts: host2, targets: dev1.lun1, rw: randread, bs: 4k, iodepth: 12,
     start_delay: 200ms, runtime: 400ms}
measure: {duration: 800ms, interval: 10ms}
"""


@pytest.fixture(scope="module")
def parts_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    (folder / "san.yaml").write_text(PARTS, encoding="utf-8")
    sanlab.run(folder / "san.yaml", folder=folder / "run")
    return folder / "run"


def _invoke_parts(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["compare", *args])
    return result.exit_code, result.output


def test_one_run_is_cut_where_a_job_starts_and_stops(parts_run: Path) -> None:
    code, output = _invoke_parts(str(parts_run), "--json")
    assert code == 0
    orders, backup = json.loads(output)["workloads"]
    assert [part["begins_with"] for part in orders["parts"]] == [
        "",
        "backup starts",
        "backup stops",
    ]
    means = [part["figures"]["mean"]["value"] / 1e9 for part in orders["parts"]]
    # Four of four servers of 1 ms are free for it; then it shares them with twelve others.
    assert means == pytest.approx([1.0, 4.0, 1.0], rel=0.05)
    assert "mean" not in backup["parts"][0]["figures"]
    assert backup["parts"][1]["figures"]["iops"]["value"] == pytest.approx(3000, rel=0.05)
    code, output = _invoke_parts(str(parts_run))
    assert "part 2  200 ms to 600 ms  backup starts" in output
    assert "part 2: the media of dev1.lun1" in output


def test_one_run_is_cut_where_one_says(parts_run: Path) -> None:
    code, output = _invoke_parts(str(parts_run), "--at", "300ms", "--json")
    assert code == 0
    parts = json.loads(output)["workloads"][0]["parts"]
    assert [part["from_s"] for part in parts] == [0.0, pytest.approx(0.3)]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--at", "9"), "which unit of time"),
        (("--at", "2s"), "fewer than three bins"),
        (("--html", "page.html"), "--html is for several runs"),
    ],
)
def test_parts_that_are_refused(parts_run: Path, args: tuple[str, ...], words: str) -> None:
    code, output = _invoke_parts(str(parts_run), *args)
    assert code == 2
    assert words in output


def test_cuts_and_other_runs_exclude_each_other(parts_run: Path) -> None:
    code, output = _invoke_parts(str(parts_run), str(parts_run), "--at", "300ms")
    assert code == 2
    assert "leave out the other folders" in output


def test_sweeps_are_compared_setting_by_setting(tmp_path: Path, parts_run: Path) -> None:
    file = parts_run.parent / "san.yaml"
    for name, servers in (("four", 4), ("two", 2)):
        sanlab.sweep(
            file,
            {"workloads.orders.iodepth": [1, 4]},
            overrides={
                "arrays.dev1.luns.lun1.memory.servers": servers,
                "workloads.backup.start_delay": "0s",
                "measure.duration": "400ms",
            },
            folder=tmp_path / name,
        )
    code, output = _invoke_parts(str(tmp_path / "four"), str(tmp_path / "two"), "--json")
    assert code == 3
    found = json.loads(output)["comparisons"][0]
    assert found["verdict"] == "worse"
    assert [one["setting"] for one in found["settings"]] == [
        {"workloads.orders.iodepth": 1},
        {"workloads.orders.iodepth": 4},
    ]
    for one in found["settings"]:
        iops = next(figure for figure in one["figures"] if figure["metric"] == "iops")
        assert iops["difference"] == pytest.approx(-0.5, abs=0.02)
    assert _invoke_parts(str(tmp_path / "four"), str(tmp_path / "four"))[0] == 0
    code, output = _invoke_parts(str(tmp_path / "four"))
    assert code == 2
    assert "name another one" in output
