"""Arrays with several controllers: what is left when one fails, and what hosts make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sanlab

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.results.run import Run

S = 10**12

#: Two hosts reach each controller by both fabrics. A controller has one processor of 50 us a
#: command, so two serve 40,000 commands a second and one serves 20,000; the hosts ask for 30,000.
SCENARIO = """
title: one of two controllers stops
hosts:
  - name: "db[1..2]"
    multipath: {policy: round-robin, checker: 100ms}
    hbas: {model: generic-16g, ports: 2, fast_io_fail: 200ms, dev_loss: 10s}
switches: [{name: left, model: generic-16g}, {name: right, model: generic-16g}]
arrays:
  - name: box
    model: generic-16g
    ports: 4
    controllers: {count: 2, ports: ["p[0..1]", "p[2..3]"], takeover: 300ms, give_back: 500ms}
    command_cost: 50us
    luns: [{name: "vol[1..2]", size: 50GiB OWNER}]
links:
  - {from: "db[1..2].hba0.p0", to: left}
  - {from: "db[1..2].hba0.p1", to: right}
  - {from: box.p0, to: left}
  - {from: box.p1, to: right}
  - {from: box.p2, to: left}
  - {from: box.p3, to: right}
workloads:
  - name: reads
    hosts: "db[1..2]"
    targets: "box.vol[1..2]"
    rw: randread
    bs: 4k
    arrivals: poisson
    rate_iops: 15000
faults: [{kind: controller-failure, array: box, FAULT, at: 1s}]
measure: {duration: 3s, interval: 50ms}
"""


def run(tmp_path: Path, owner: str = "", fault: str = "controller: c0") -> Run:
    file = tmp_path / "box.yaml"
    file.write_text(SCENARIO.replace("OWNER", owner).replace("FAULT", fault))
    return sanlab.run(file, folder=tmp_path / "run")


def rate_between(run: Run, start: float, end: float) -> float:
    """I/Os per second completed between two instants."""
    rows = run.rows("workload_series")
    ios = [row["io_count"] for row in rows if start * S < row["time_ps"] <= end * S]
    return float(sum(ios) / (end - start))


@pytest.mark.parametrize("fault", ["controller: c0", "ports: [p0, p1]"])
def test_one_of_two_controllers_serves_half_of_what_two_do(tmp_path: Path, fault: str) -> None:
    """Nothing but the processors of the survivor limits it, so the queue grows to the end."""
    done = run(tmp_path, fault=fault)
    assert rate_between(done, 0.2, 1.0) == pytest.approx(30_000, rel=0.02)
    assert rate_between(done, 2.0, 3.0) == pytest.approx(20_000, rel=0.001)
    failed, left = done.rows("controllers")
    assert (failed["is_up"], left["is_up"]) == (0, 1)
    assert failed["failed_ps"] == 2 * S
    late = [row for row in done.rows("workload_series") if row["op"] == "read"][-1]
    assert late["response_max_ps"] > S / 2


def test_a_failed_controllers_luns_go_over_and_come_back(tmp_path: Path) -> None:
    """Each controller serves its own LUN, the survivor serves both, and then each its own again."""
    done = run(tmp_path, ', owner: "c[0..1]"', "controller: c0, until: 1500ms")
    happened = [
        (row["time_ps"] / S, row["place"])
        for row in done.rows("happenings")
        if "lun" in row["what"]
    ]
    assert (1.3, "box") in happened
    assert (2.0, "box.c0") in happened
    assert (2.3, "box") in happened
    first, second = done.rows("controllers")
    assert (first["luns_count"], second["luns_count"]) == (1, 1)
    assert first["failures_count"] == 1
    assert first["held_count"] + second["held_count"] > 0
    assert done.rows("workloads")[0]["error_count"] == 0


def test_without_a_failure_no_command_is_forwarded(tmp_path: Path) -> None:
    """Hosts with several paths use those of the owner."""
    done = run(tmp_path, ', owner: "c[0..1]"', "controller: c0, until: 1100ms")
    commands = [row["commands_count"] for row in done.rows("controllers")]
    assert min(commands) > 20_000
    file = tmp_path / "one-path.yaml"
    text = SCENARIO.replace("OWNER", ", owner: c1").replace("FAULT", "controller: c0")
    file.write_text(text.replace("at: 1s", "at: 2999ms"))
    calm = sanlab.run(file, folder=tmp_path / "calm", overrides={"workloads.reads.rate_iops": 2000})
    assert [row["forwarded_count"] for row in calm.rows("controllers")] == [0, 0]
    assert calm.rows("controllers")[0]["commands_count"] == 0
