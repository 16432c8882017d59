"""Rates over time, phases and numbers of hosts, from the command line to the tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.compare.figures import figures
from sanlab.results.phases import phases
from sanlab.results.steady import steady

if TYPE_CHECKING:
    from pathlib import Path

#: Highest rate of each workload.
RATE = 50_000
TEXT = f"""\
title: A stepped load
counts: {{N: 2}}
hosts:
  - {{name: "host[1..N]", hbas: {{execution_throttle: 4096, lun_queue_depth: 4096}}}}
switches: [{{name: sw1, ports: 48}}]
arrays:
  - name: dev1
    ports: 1
    luns: [{{name: lun1, size: 1GiB, memory: {{service: 1us}}}}]
links:
  - {{from: "host[1..N]", to: sw1, length: 1m}}
  - {{from: dev1, to: sw1, length: 1m}}
workloads:
  - name: oltp
    hosts: host1
    targets: dev1.lun1
    rw: randrw
    rwmixread: 70
    bs: 512
    arrivals: poisson
    rate_iops: {RATE}
    load: [[0s, 10%], [100ms, 10%], [100ms, 60%], [200ms, 60%], [300ms, 0%]]
  - name: backup
    hosts: host[N]
    targets: dev1.lun1
    rw: read
    bs: 64k
    iodepth: 2
    start_delay: 220ms
    runtime: 40ms
  - name: probe
    hosts: host2
    targets: dev1.lun1
    rw: read
    bs: 512
    arrivals: constant
    rate_iops: 1000
phases:
  - {{name: low, to: 100ms}}
  - {{name: high, to: 200ms}}
  - {{name: down, to: 300ms}}
  - {{name: quiet}}
measure: {{duration: 400ms, interval: 5ms}}
"""
#: Integral of the share over each phase, in seconds of the whole rate.
INTEGRALS = {"low": 0.01, "high": 0.06, "down": 0.03, "quiet": 0.0}


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("loads") / "steps.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def run(scenario: Path) -> sanlab.Run:
    return sanlab.run(scenario, folder=scenario.parent / "run")


def of(run: sanlab.Run, phase: str, workload: str) -> list[dict[str, Any]]:
    rows = run.rows("phases")
    return [row for row in rows if (row["phase"], row["workload"]) == (phase, workload)]


@pytest.mark.parametrize("phase", INTEGRALS)
def test_arrivals_are_the_integral_of_the_rate(run: sanlab.Run, phase: str) -> None:
    """Within five standard deviations of a Poisson process, and none where the rate is 0."""
    expected = RATE * INTEGRALS[phase]
    count = sum(row["submitted_count"] for row in of(run, phase, "oltp"))
    assert abs(count - expected) <= 5 * expected**0.5


def test_a_job_works_between_its_start_and_stop_alone(run: sanlab.Run) -> None:
    rows = {phase: of(run, phase, "backup") for phase in INTEGRALS}
    counts = {phase: sum(row["submitted_count"] for row in found) for phase, found in rows.items()}
    assert counts["low"] == counts["high"] == counts["quiet"] == 0
    assert counts["down"] > 100


def test_phases_add_up_to_the_run(run: sanlab.Run) -> None:
    for total in run.rows("workloads"):
        rows = [
            row
            for row in run.rows("phases")
            if (row["workload"], row["op"]) == (total["workload"], total["op"])
        ]
        assert sum(row["io_count"] for row in rows) == total["io_count"]
        assert sum(row["bytes"] for row in rows) == total["bytes"]
        left = rows[-1]["open_count"]  # one that comes at the very end
        assert sum(row["submitted_count"] for row in rows) == total["io_count"] + left
        # Little's law over the whole run.
        open_ps = sum(row["open_mean"] * (row["to_ps"] - row["from_ps"]) for row in rows)
        assert open_ps == pytest.approx(total["response_mean_ps"] * total["io_count"], rel=1e-9)


def test_results_have_the_phases(run: sanlab.Run) -> None:
    found = [row for row in phases(run, "oltp") if row.op == "read"]
    assert [row.phase for row in found] == list(INTEGRALS)
    quiet = found[-1]
    assert quiet.response_mean_ps is None
    assert quiet.response_ps == {}
    high = found[1]
    assert high.iops == pytest.approx(high.io_count / 0.1)
    assert set(high.response_ps) == {50.0, 95.0, 99.0, 99.9}
    assert run.summary()["phases"][0]["phase"] == "low"
    assert {"response_p99_9_us", "open_mean"} <= set(run.summary()["phases"][0])
    checks = {check.name for check in run.manifest.checks}
    assert "Little's law in phases" in checks


def test_a_rate_that_changes_has_no_steady_part(run: sanlab.Run) -> None:
    assert steady(run, "oltp") is None
    assert steady(run) is None


def test_the_command_and_the_report_show_them(scenario: Path, tmp_path: Path) -> None:
    arguments = ["run", str(scenario), "-o", str(tmp_path / "run")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    (head,) = [line for line in lines if line.split()[:3] == ["phase", "from", "to"]]
    assert head.split()[5:] == ["IOPS", "throughput", "mean", "p50", "p99", "p99.9"]
    rows = [line.split() for line in lines if line.split()[0] in INTEGRALS]
    assert sum("oltp" in row for row in rows) == 2 * len(INTEGRALS)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert 'id="phases"' in page
    result = CliRunner().invoke(app, ["run", str(scenario), "-o", str(tmp_path / "b"), "--json"])
    assert len(json.loads(result.stdout)["phases"]) == 4 * len(INTEGRALS)


def test_without_phases_nothing_is_shown(scenario: Path, tmp_path: Path) -> None:
    done = sanlab.run(scenario, overrides={"phases": []}, folder=tmp_path / "run")
    assert done.summary()["phases"] == []
    assert "Little's law in phases" not in {check.name for check in done.manifest.checks}


def test_a_constant_load_is_the_rate_itself(scenario: Path, tmp_path: Path) -> None:
    prints = []
    for number, curve in enumerate([None, [["0s", "100%"]]]):
        overrides: dict[str, Any] = {"workloads.oltp.load": curve, "measure.duration": "50ms"}
        overrides["phases"] = []
        overrides["workloads.backup.start_delay"] = "0s"
        done = sanlab.run(scenario, overrides=overrides, folder=tmp_path / str(number))
        prints.append(done.manifest.fingerprint)
    assert prints[0] == prints[1]


def test_throughput_over_the_number_of_hosts(scenario: Path, tmp_path: Path) -> None:
    """An open loop of each host: the rate is that of one times their number."""
    changes: dict[str, Any] = {
        "hosts[0].name": "host[1..N]",
        "workloads.oltp.hosts": "host[1..N]",
        "workloads.probe.hosts": "host1",
        "workloads.oltp.arrivals": "constant",
        "workloads.oltp.load": None,
        "workloads.oltp.rate_iops": 1000,
        "phases": [],
        "workloads.backup.start_delay": "390ms",
        "workloads.backup.runtime": "1us",
    }
    sweep = sanlab.sweep(
        scenario, {"N": [1, 2, 4, 8]}, overrides=changes, folder=tmp_path / "s", warm_up="none"
    )
    rows = sweep.summary("oltp", "read"), sweep.summary("oltp", "write")
    numbers = [row["N"] for row in rows[0]]
    assert numbers == [1, 2, 4, 8]
    rates = [reads["iops"] + writes["iops"] for reads, writes in zip(*rows, strict=True)]
    assert rates == pytest.approx([1000 * number for number in numbers], rel=0.02)


ORDERED = """\
hosts: [{name: "host[1..2]"}]
switches: [{name: sw1}]
arrays:
  - name: dev1
    luns: [{name: lun1, size: 1GiB, memory: {service: 50us, servers: 4}}]
links:
  - {from: "host[1..2]", to: sw1}
  - {from: dev1, to: sw1}
workloads:
  - {name: "fill[1..2]", hosts: host1, targets: dev1.lun1, rw: write, bs: 64k, size: 4MiB}
  - {name: read, after: "fill*", hosts: "host[1..2]", targets: dev1.lun1, bs: 4k, runtime: 20ms}
  - {name: last, after: [read, "fill[1..2]"], start_delay: 1ms, ramp_time: 1ms, hosts: host2,
     targets: dev1.lun1, bs: 4k, iodepth: 2, size: 4MiB}
measure: {duration: 1s, interval: 1ms}
"""


#: With zones, ports log in before their first I/O.
ZONES = "zoning: {zones: {a: [host1, host2, dev1]}, sets: {s: [a]}, active: s}\n"


@pytest.mark.parametrize("services", ["", ZONES])
def test_workloads_wait_for_others(tmp_path: Path, services: str) -> None:
    """Figures are apart; logins delay only the first."""
    path = tmp_path / "ordered.yaml"
    path.write_text(ORDERED + services, encoding="utf-8")
    run = sanlab.run(path, folder=tmp_path / "run")
    begins = {row["workload"]: row["from_ps"] for row in run.rows("workloads")}
    spans = {row["workload"]: row["window_ps"] for row in run.rows("workloads")}
    filled = max(begins[name] + spans[name] for name in ("fill1", "fill2"))
    assert begins["fill1"] == begins["fill2"] == 0
    assert begins["read"] == filled
    # The last I/O of each host began before the job stopped.
    assert 0 <= spans["read"] - 20 * 10**9 < 200 * 10**6
    assert begins["last"] == begins["read"] + spans["read"] + 2 * 10**9
    # Every workload moved what it was to move; the ramp of the last does not count.
    moved = {row["workload"]: row["bytes"] for row in run.rows("workloads")}
    assert moved["fill1"] == moved["fill2"] == 4 * 2**20
    assert 0 < moved["last"] < 4 * 2**20
    total, seconds = run.summary(), (begins["last"] + spans["last"]) / 1e12
    assert total["throughput_bytes_per_s"] == pytest.approx(sum(moved.values()) / seconds)
    assert steady(run) is None
    together = figures(run, None)
    assert (
        together["iops"].value == total["iops"] < sum(row["iops"] for row in run.rows("workloads"))
    )
    assert together["throughput"].value == total["throughput_bytes_per_s"]
    out = CliRunner().invoke(app, ["plan", str(path)]).stdout
    assert "starts after" in out
    out = CliRunner().invoke(app, ["run", str(path), "--out", str(tmp_path / "again")]).stdout
    assert "read" in out.split("workload  op", 1)[1]
