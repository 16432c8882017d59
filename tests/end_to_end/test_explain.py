"""What `sanlab explain` and the findings say of runs whose cause we made."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from planted import planted
from planted import run as run_planted
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.explain.explanation import Explained, explain
from sanlab.explain.findings import find
from sanlab.explain.steadiness import steadiness
from sanlab.words import show_count

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.results.run import Run

ONE_PATH = """
hosts: [{name: host1, hbas: {speed: 8GFC}}]
switches: [{name: sw1, speed: 8GFC}]
arrays: [{name: dev1, model: generic-8g, ports: 1, luns: [{name: lun1, size: 100GiB}]}]
links: [{from: host1, to: sw1}, {from: dev1, to: sw1}]
workloads: [{name: oltp, hosts: host1, targets: dev1.lun1, rw: randread, bs: 4k, iodepth: 4}]
faults: [{kind: link-down, port: dev1.p0, at: 100ms, until: 250ms}]
measure: {duration: 500ms}
"""

TWO_HOSTS = """
hosts: [{name: "host[1..2]", hbas: {speed: 8GFC}}]
switches: [{name: sw1, model: generic-8g}]
arrays:
  - {name: dev1, model: generic-8g, ports: 2, luns: [{name: "lun[1..2]", size: 100GiB}]}
links: [{from: "host[1..2]", to: sw1}, {from: "dev1.p[0..1]", to: sw1}]
workloads:
  - {name: backup, hosts: host1, targets: dev1.lun1, rw: read, bs: 256k, iodepth: 8, rate: 300MB/s}
  - {name: oltp, hosts: host2, targets: dev1.lun2, rw: randread, bs: 8k, rate_iops: 10000}
measure: {duration: 300ms, interval: 3ms}
"""

DRAIN = "faults: [{kind: slow-drain, port: host1.hba0.p0, rate: 250MB/s, at: 100ms, until: 200ms}]"


def run_of(text: str, folder: Path) -> Run:
    file = folder / "scenario.yaml"
    file.write_text(text, encoding="utf-8")
    return sanlab.run(file, folder=folder / "run")


def explained(run: Run) -> dict[str, Explained]:
    return {one.workload: one for one in explain(run)}


@pytest.fixture(scope="module")
def stalled(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(ONE_PATH, tmp_path_factory.mktemp("stalled"))


@pytest.fixture(scope="module")
def drained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(TWO_HOSTS + DRAIN, tmp_path_factory.mktemp("drained"))


def test_a_stall_is_not_called_steady(stalled: Run) -> None:
    judged = steadiness(stalled)
    assert judged.kind == "stall"
    assert "oltp completed no I/O for 260 ms from 100 ms on" in judged.sentence
    ids = [finding.id for finding in find(stalled) if finding.severity == "problem"]
    assert ids[0] == "stall"
    (finding,) = (finding for finding in find(stalled) if finding.id == "stall")
    assert finding.number == pytest.approx(0.26, abs=0.01)
    assert "link goes down" in finding.detail


def test_windows_begin_with_what_changes_the_run(stalled: Run) -> None:
    kinds = [limit.kind for limit in explained(stalled)["oltp"].limits]
    assert kinds[:2] == ["outstanding", "stall"]
    assert "link goes down" in explained(stalled)["oltp"].limits[1].window.begins_with


def test_a_drain_by_a_fault_is_named_like_one_of_the_whole_run(
    drained: Run, tmp_path: Path
) -> None:
    backup = explained(drained)["backup"]
    assert (backup.overall.kind, backup.overall.element) == ("slow_receiver", "host1.hba0.p0")
    assert [limit.kind for limit in backup.limits] == [
        "offered_load",
        "slow_receiver",
        "offered_load",
    ]
    always = TWO_HOSTS.replace(
        'name: "host[1..2]", hbas: {speed: 8GFC}',
        "name: host1, hbas: {speed: 8GFC, drain: 250MB/s}}, {name: host2, hbas: {speed: 8GFC}",
    )
    other = explained(run_of(always, tmp_path))["backup"].overall
    assert (other.kind, other.element) == ("slow_receiver", "host1.hba0.p0")


def test_who_is_not_concerned_is_not_blamed(drained: Run) -> None:
    """One open I/O at 125 µs makes 8,000 of the 10,000 I/Os per second that its rate allows."""
    oltp = explained(drained)["oltp"].overall
    assert oltp.kind == "outstanding"
    assert oltp.is_harmless
    assert "less than its rate" in oltp.sentence


def test_a_victim_has_a_finding_of_its_own(tmp_path: Path) -> None:
    (case,) = [one for one in planted() if str(one) == "congestion-slow-drain"]
    run = run_planted(case, tmp_path / "planted", {})
    titles = [one.title for one in find(run) if one.id == "limit_slow_receiver"]
    assert len(titles) == 2
    assert any(one.startswith("orders is limited") and "backup uses it" in one for one in titles)
    assert not any("The same holds" in one for one in titles)


def test_shares_of_the_domains_sum_to_the_response_time(drained: Run) -> None:
    for one in explain(drained):
        assert sum(one.domains.values()) == pytest.approx(1)
        assert sum(one.stages.values()) == pytest.approx(1)


def test_the_command_prints_limits_and_problems(drained: Run) -> None:
    result = CliRunner().invoke(app, ["explain", str(drained.folder)])
    assert result.exit_code == 0
    assert "backup gets all its I/Os, but they wait for host1.hba0.p0, which" in result.output
    assert "Not tried:" in result.output
    result = CliRunner().invoke(app, ["explain", str(drained.folder), "--json"])
    document = json.loads(result.output)
    assert document["workloads"][0]["limit"]["kind"] == "slow_receiver"
    assert document["workloads"][0]["windows"][1]["from_s"] == pytest.approx(0.1, abs=0.003)


def test_who_waits_is_printed_as_a_tree_in_a_hundred_columns(tmp_path: Path) -> None:
    case = next(one for one in planted() if str(one) == "congestion-slow-drain-two-switches-away")
    run = run_planted(case, tmp_path / "planted", {})
    result = CliRunner().invoke(app, ["explain", str(run.folder)])
    text = result.output
    tree = text[text.index("Ports that wait for slow.hba0.p0") :].splitlines()
    assert tree[2].strip() == "slow.hba0.p0"
    assert [line.split()[1] for line in tree[3:6]] == ["sw1.f0", "sw2.e1", "sw3.e0"]
    assert max(map(len, text.splitlines())) <= 100
    document = json.loads(CliRunner().invoke(app, ["explain", str(run.folder), "--json"]).output)
    (first,) = document["waits"][0]["senders"]
    ports = {row["port"]: row for row in run.rows("ports")}
    waited_ps = ports["sw1.f0"]["tx_credit_wait_ps"]
    assert first["port"] == "sw1.f0"
    assert first["tim_txcrd_z"] == round(waited_ps / 2_500_000)
    assert first["credit_wait_share"] == pytest.approx(waited_ps / run.manifest.simulated_ps)
    assert show_count(first["tim_txcrd_z"]) in tree[3]
    leaves = first["senders"][0]["senders"][0]["senders"]
    assert {leaf["port"] for leaf in leaves} == {"dev1.p0", "dev1.p1"}
    assert all(leaf["tim_txcrd_z"] is None for leaf in leaves)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["explain", str(tmp_path)])
    assert result.exit_code == 2
    assert "is not a run folder" in result.output


BIT_ERRORS = "faults: [{kind: bit-errors, port: host1.hba0.p0, ber: 1e-8}]\nmeasure:"


def test_lost_frames_are_reported_with_their_cause_and_what_they_cost(tmp_path: Path) -> None:
    bad = (
        TWO_HOSTS.replace("measure:", BIT_ERRORS)
        .replace("{speed: 8GFC}", "{speed: 8GFC, command_timeout: 20ms}")
        .replace("rw: read,", "rw: write,")
    )
    (lost,) = (one for one in find(run_of(bad, tmp_path)) if one.id == "lost_frames")
    assert "Bits on its link arrive inverted." in lost.detail
    assert re.search(
        r"waited for a time-out, an abort or a path, \d+ % of the response time of backup",
        lost.detail,
    )
    assert "hold time" not in lost.detail


def test_lost_frames_that_delay_nothing_are_events(tmp_path: Path) -> None:
    found = find(run_of(TWO_HOSTS.replace("measure:", BIT_ERRORS), tmp_path))
    assert not [one for one in found if one.id == "lost_frames"]
    (events,) = [one for one in found if one.id == "happenings"]
    assert re.search(r"lost at .*, and \d+ I/Os were sent again at once", events.detail)
    assert not [one for one in found if one.severity == "problem"]


def test_waits_for_credit_are_a_tree_with_the_counters_of_switches(tmp_path: Path) -> None:
    slow = TWO_HOSTS.replace("hbas: {speed: 8GFC}", "hbas: {speed: 8GFC, drain: 20MB/s}")
    slow = slow.replace("ports: 2, luns:", "ports: 3, luns:").replace("p[0..1]", "p[0..2]")
    both = slow.replace("targets: dev1.lun1", 'targets: "dev1.lun[1..2]"')
    run = run_of(both, tmp_path)
    waits = [one for one in find(run) if one.id == "credit_wait"]
    told = " ".join(one.detail for one in waits)
    assert "Who waits for whom, and how long: " in told
    ports = {row["port"]: row for row in run.rows("ports")}
    counted = re.findall(
        r"the wait of (\S+) as TxWait, [^,]*, or as tim_txcrd_z, (.*?) ticks", told
    )
    assert counted
    for port, ticks in counted:
        assert ports[port]["kind"] != "n_port"
        assert ticks == show_count(round(ports[port]["tx_credit_wait_ps"] / 2_500_000))
