"""A run that another thread watches, holds and lets go is the run without it."""

from __future__ import annotations

import itertools
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import sanlab
from sanlab import _native
from sanlab.plan.explain import end_names

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ["examples/hello-san", "examples/slow-receiver", "examples/path-failover"]
MS = 10**9


def plan_of(folder: str) -> str:
    return sanlab.compile_plan(sanlab.load_scenario(ROOT / folder / "scenario.yaml")).to_json()


def start(plan: str, control: _native.Control) -> tuple[threading.Thread, list[dict[str, Any]]]:
    answer: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: answer.append(_native.run(plan, control)))
    thread.start()
    return thread, answer


def same(watched: dict[str, Any], alone: dict[str, Any]) -> None:
    for key in ("fingerprint", "events", "simulated_ps", "is_complete"):
        assert watched["summary"][key] == alone["summary"][key]
    assert watched["tables"] == alone["tables"]


@pytest.mark.parametrize("folder", SCENARIOS)
def test_watching_changes_nothing(folder: str) -> None:
    plan = plan_of(folder)
    alone = _native.run(plan)
    step = alone["summary"]["simulated_ps"] // 20
    control = _native.Control()
    control.hold(step)
    thread, answer = start(plan, control)
    seen = []
    while (snapshot := control.snapshot(10)) is not None:
        hold = control.hold_at_ps
        assert hold is not None
        assert snapshot.at_ps <= hold
        if snapshot.at_ps == hold:
            seen.append(snapshot)
            control.hold(hold + step)
    thread.join()
    same(answer[0], alone)
    assert len(seen) >= 18
    for before, after in itertools.pairwise(seen):
        for name in ("tx_bytes", "tx_payload_bytes", "tx_credit_wait_ps", "io_count", "bytes"):
            pairs = zip(getattr(before, name), getattr(after, name), strict=True)
            assert all(one <= other for one, other in pairs), name


def test_names_are_those_of_the_plan_and_the_tables() -> None:
    scenario = sanlab.load_scenario(ROOT / "examples/hello-san/scenario.yaml")
    plan = sanlab.compile_plan(scenario)
    control = _native.Control()
    control.hold(MS)
    thread, answer = start(plan.to_json(), control)
    snapshot = control.snapshot(10)
    assert snapshot is not None
    control.hold()
    thread.join()
    assert snapshot.workloads == [workload.name for workload in plan.workloads]
    names = {name: 2 * link + end for name, (link, end) in end_names(plan).items()}
    assert {name: place for place, name in enumerate(snapshot.ports)} == names
    assert set(snapshot.ports) == set(answer[0]["tables"]["ports"]["port"])
    assert len(snapshot.tx_bytes) == len(snapshot.ports)
    assert len(snapshot.io_count) == len(snapshot.bytes) == len(snapshot.workloads)


def test_a_stopped_hold_ends_the_run() -> None:
    control = _native.Control()
    control.hold(MS)
    thread, answer = start(plan_of("examples/hello-san"), control)
    while control.now_ps < MS:
        time.sleep(0.001)
    control.stop()
    thread.join()
    assert answer[0]["summary"]["is_complete"] is False
    assert answer[0]["summary"]["simulated_ps"] <= MS
    assert control.snapshot() is None


def test_without_a_run_there_is_no_snapshot() -> None:
    assert _native.Control().snapshot(0.01) is None
    assert _native.Control().hold_at_ps is None
    with pytest.raises(ValueError, match="patience_s"):
        _native.Control().snapshot(-1)
