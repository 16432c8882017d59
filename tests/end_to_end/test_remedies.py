"""`sanlab explain --try`: remedies of limits that are known, because they were made."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from planted import planted
from planted import run as run_planted
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.cli.trial_lines import trial_lines
from sanlab.remedies.trial import try_remedies

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.remedies.trial import Trial

CASES = {str(case): case for case in planted()}
#: Planted case, workload, what has to help most, and what must not help; regular expressions.
KNOWN = [
    ("arrays-controller", "load", "processors", ""),
    ("arrays-forwarded", "load", "paths to the controller that owns", "processors"),
    ("arrays-raid6-small-writes", "load", "RAID 10", ""),
    ("arrays-mirror-over-distance", "load", "asynchronous", "copies at once"),
    ("arrays-no-cache", "load", "a cache of 1GiB", ""),
    ("arrays-cache-set-to-write-through", "load", "a cache that keeps writes", ""),
    ("arrays-writes-larger-than-the-cache-keeps", "load", "room for", ""),
    ("faults-cache-without-partner", "load", "without the fault|keeps writes", ""),
    ("arrays-task-set-full", "load", "task sets", "commands for each port"),
    ("arrays-ram", "load", "start of a command", "first byte"),
    ("congestion-slow-drain", "backup", "no drain limit", "virtual channels|BB credit"),
    ("congestion-slow-drain", "orders", "virtual channels", "BB credit"),
    ("congestion-distance", "backup", "BB credit", ""),
    ("congestion-channel-of-a-priority", "orders", "for each of 4 virtual channels", "16GFC"),
    ("congestion-credit-loss", "backup", "without the fault|BB_SC_N|BB credit|limited", ""),
    ("faults-link-down-for-a-time", "load", "without the fault", ""),
    ("loops-string", "load", "links in each string", ""),
    ("one_path-bus", "load", "a bus of", ""),
    ("one_path-link", "load", r"links\[0\] and .* on links\[1\]", ""),
    ("one_path-queue-depth", "load", "queue of 8", "throttle of"),
    ("one_path-turns-of-paths", "load", "in turn|fewest requests", ""),
    ("one_path-turns-with-one-open", "load", "2 open I/Os", ""),
    ("asked-streams-read-ahead", "load", "12 drives", "a cache four times"),
    ("asked-units-smaller-than-requests", "load", "units of 64KiB", ""),
    ("qos-lun-limit", "held", "a limit of 2000", ""),
    ("qos-rate", "held", "without the limit", ""),
    ("two_hosts-shared-controller", "orders", "scan limited", ""),
    ("two_hosts-hot-lun-beside-a-cold-one", "orders", "a service time of 250us|8 requests", ""),
    ("streams-credit", "bulk", "BB credit", "16GFC"),
    ("streams-shared-port", "bulk", "8GFC instead", ""),
    ("streams-shared-isl", "bulk", r"links\[2\]", ""),
    ("streams-parallel-links-loaded-unevenly", "bulk", "as a trunk|a route for each", ""),
    ("streams-limit-of-the-fabric", "bulk", "without the limit", ""),
    ("streams-stream-that-ends", "bulk", r"links\[0\] and .* on links\[1\]", ""),
    ("streams-slow-receiver", "bulk", "without the fault", "virtual channels|BB credit"),
    ("streams-victim-behind-a-nearly-full-link", "bulk", "limit|channels", "16GFC|BB credit"),
    ("streams-workload-beside-a-stream", "load", "in the fabric for frames|steady limited", ""),
]


def test_a_sequential_workload_that_waits_for_itself_gets_larger_requests(tmp_path: Path) -> None:
    trials = _trials("one_path-turns-with-one-open", "load", tmp_path)
    larger = [one for one in trials if one.remedy.title == "requests of 256KiB, as many open"]
    assert [one.verdict for one in larger] == ["better"]


def test_more_credit_keeps_the_channels_of_the_switches(tmp_path: Path) -> None:
    trials = _trials("congestion-channel-of-a-priority", "orders", tmp_path)
    (more,) = [one.remedy for one in trials if "bb_credit" in one.remedy.command]
    assert json.loads(more.sets["links[2].virtual_channels"]) == {"high": 1, "medium": 2, "low": 1}
    each = int(more.sets["links[2].bb_credit"]) // 4
    assert more.title.endswith(f", {each} for each of 4 virtual channels")


def test_what_sharing_costs_is_simulated_where_the_run_cannot_tell(tmp_path: Path) -> None:
    trials = _trials("two_hosts-contention-from-the-beginning", "orders", tmp_path)
    (alone,) = [one for one in trials if one.remedy.sort == "alone"]
    assert alone.verdict == "better"
    assert alone.mean is not None
    assert (alone.mean.difference or 0.0) < -0.2
    assert "the cost of sharing" in "\n".join(trial_lines(trials))


def test_a_workload_with_a_rate_of_ios_is_limited_in_ios(tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(
        THREE.replace("bs: 1MiB, rate: 400MB/s", "bs: 1MiB, rate_iops: 400"), encoding="utf-8"
    )
    done = sanlab.run(tmp_path / "scenario.yaml", folder=tmp_path / "run")
    trials = try_remedies(done, workload="orders", cache=tmp_path / "trials")
    (limited,) = [one for one in trials if one.remedy.title.startswith("scan limited")]
    assert limited.refusal == ""
    assert int(limited.remedy.sets["workloads[1].rate_iops"]) == pytest.approx(200, abs=5)
    assert limited.verdict == "better"


def test_more_room_is_judged_by_the_time_after_it_is_full_again(tmp_path: Path) -> None:
    trials = _trials("transients-filling-cache", "load", tmp_path)
    (room,) = [one for one in trials if one.remedy.only_delays]
    assert room.verdict in ("same", "can't tell")
    assert abs(room.gain) < 0.1
    assert "of the time: it fills later" in "\n".join(trial_lines(trials))
    assert trials[0].gain > 0.1


THREE = """
hosts: [{name: "h[1..3]", hbas: [{model: generic-8g}]}]
switches: [{name: sw1, model: generic-8g}]
arrays: [{name: dev1, model: generic-8g, ports: 1, luns: [{name: "l[1..3]", size: 10GiB}]}]
links: [{from: "h[1..3]", to: sw1}, {from: dev1, to: sw1}]
workloads:
  - {name: orders, hosts: h1, targets: dev1.l1, rw: randread, bs: 64KiB, rate_iops: 2000}
  - {name: scan, hosts: h2, targets: dev1.l2, rw: read, bs: 1MiB, rate: 400MB/s}
  - {name: idle, hosts: h3, targets: dev1.l3, rw: randread, bs: 4KiB, rate_iops: 10}
measure: {duration: 600ms, interval: 10ms}
"""


def test_each_workload_that_shares_the_element_is_left_out_alone(tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(THREE, encoding="utf-8")
    done = sanlab.run(tmp_path / "scenario.yaml", folder=tmp_path / "run")
    trials = try_remedies(done, cache=tmp_path / "trials")
    titles = {one.remedy.title: one for one in trials if one.workload == "orders"}
    assert {"without scan", "orders alone"} <= set(titles)
    assert "without idle" not in titles
    assert titles["without scan"].verdict == "better"


def test_without_the_priority_of_another_a_workload_is_faster(tmp_path: Path) -> None:
    trials = _trials("qos-priority-of-another", "slow", tmp_path)
    without = [one for one in trials if one.remedy.title == "without the priority of qos[0]"]
    assert [one.verdict for one in without] == ["better"]


def test_a_region_at_a_unit_is_worth_nearly_twice_the_disks(tmp_path: Path) -> None:
    trials = _trials("asked-region-off-a-unit", "load", tmp_path)
    gains = {one.remedy.title: one.gain for one in trials if one.verdict == "better"}
    more, moved = sorted(gains)[:2]
    assert (more, moved.startswith("a region from byte 0 on")) == ("12 drives in dev1.g1", True)
    assert 0.6 < gains[moved] <= gains[more] + 0.1


@pytest.mark.parametrize(("name", "workload", "best", "useless"), KNOWN)
def test_best_remedy_is_the_one_that_undoes_the_cause(
    name: str, workload: str, best: str, useless: str, tmp_path: Path
) -> None:
    trials = _trials(name, workload, tmp_path)
    titles = [one.remedy.title for one in trials]
    assert len(set(titles)) == len(titles)
    first = trials[0]
    assert first.verdict == "better", [(one.remedy.title, one.gain) for one in trials]
    assert re.search(best, first.remedy.title)
    assert first.gain >= max(one.gain for one in trials if one.remedy.sort != "alone")
    others = [one for one in trials if useless and re.search(useless, one.remedy.title)]
    assert bool(others) == bool(useless)
    assert all(one.verdict in ("same", "worse") for one in others)


@pytest.mark.parametrize("name", ["healthy-constant-rate", "healthy-two-paths", "one_path-offered"])
def test_a_healthy_load_has_no_remedy(name: str, tmp_path: Path) -> None:
    assert not _trials(name, "load", tmp_path)


def _trials(name: str, workload: str, folder: Path) -> list[Trial]:
    run = run_planted(CASES[name], folder / "planted", {})
    return try_remedies(run, workload=workload, cache=folder / "trials")


SAN = """
hosts: [{name: "host[1..2]", hbas: [{model: generic-16g, lun_queue_depth: 2}]}]
switches: [{name: sw1, model: generic-16g}]
arrays: [{name: dev1, model: generic-16g, ports: 1, luns: [{name: lun1, size: 100GiB}]}]
links: [{from: "host[1..2]", to: sw1}, {from: dev1, to: sw1}]
workloads:
  - {name: load, hosts: "host[1..2]", targets: dev1.lun1, spread: all, rw: randread, bs: 4KiB,
     iodepth: 32, ramp_time: 10ms}
measure: {duration: 60ms}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("remedies")
    (folder / "san.yaml").write_text(SAN, encoding="utf-8")
    sanlab.run(folder / "san.yaml", folder=folder / "run", overrides={"seed": 7})
    return folder


def _invoke(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["explain", *args])
    return result.exit_code, result.output


def _document(*args: str) -> dict[str, Any]:
    code, output = _invoke(*args, "--json")
    assert code == 0, output
    document: dict[str, Any] = json.loads(output)
    return document


def test_what_is_printed_can_be_applied(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    best = _document("run", "--try")["tried"][0]
    assert best["set"] == {"hosts[0].hbas[0].lun_queue_depth": "8"}
    applied = sanlab.run("san.yaml", folder="applied", overrides=best["set"] | {"seed": 7})
    line = best["throughput"]
    assert applied.summary()["throughput_bytes_per_s"] == pytest.approx(line["after"], rel=0.02)
    assert line["verdict"] == "better"
    assert line["half_width"] < line["difference"] / 10


def test_trials_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    first = _document("run", "--try")
    kept = {file: file.stat().st_mtime_ns for file in (folder / "runs" / "trials").iterdir()}
    assert kept
    assert _document("run", "--try") == first
    assert {file: file.stat().st_mtime_ns for file in kept} == kept


def test_an_unknown_workload_is_refused(folder: Path) -> None:
    code, output = _invoke(str(folder / "run"), "--try", "--workload", "backup")
    assert code == 2
    assert "has no workload 'backup'; its workloads are load" in output


def test_a_run_without_its_scenario_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for file in (folder / "run").rglob("*"):
        copy = tmp_path / "run" / file.relative_to(folder / "run")
        if file.is_dir():
            copy.mkdir()
        elif file.name != "scenario.yaml":
            copy.write_bytes(file.read_bytes())
    code, output = _invoke(str(tmp_path / "run"), "--try")
    assert code == 2
    assert "has no scenario.yaml" in output
