"""The estimate of a run, against an engine that is played."""

from __future__ import annotations

import json
import sys
import time
from array import array
from types import ModuleType
from typing import Any

import pytest

from sanlab.cli.pilot import estimate
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

TEXT = """\
hosts: [{name: host1}]
switches: [{name: sw1}]
arrays: [{name: dev1, luns: [{name: lun1, size: 1GiB}]}]
links: [{from: [host1, dev1], to: sw1}]
workloads: [{name: load, hosts: host1, targets: dev1.lun1, bs: 1M}]
"""
BYTES_PER_PS = 1e-3  # 1 GB/s
#: Simulated time that passes in a second of wall time, and in that per event.
PACE_PS_PER_S = 2_000_000_000
PS_PER_EVENT = 1000


class PlanError(Exception):
    """As the engine's."""


class RunError(Exception):
    """As the engine's."""


class Control:
    """As the engine's."""

    def __init__(self) -> None:
        self.now_ps = 0
        self.events = 0
        self.is_stopped = False

    def stop(self) -> None:
        """Ask for an early end."""
        self.is_stopped = True


def play_engine(monkeypatch: pytest.MonkeyPatch, *, first_events: int = 0) -> None:
    """Put a module in the engine's place that goes at a steady pace after a burst of events."""

    def run(plan_json: str, control: Control, *, traces: str) -> dict[str, Any]:
        plan = json.loads(plan_json)
        wanted = sum(job["total_bytes"] or 0 for job in plan["jobs"]) or 2**62
        end = min(plan["end_ps"], int(wanted / BYTES_PER_PS))
        begin = time.perf_counter()
        while control.now_ps < end and not control.is_stopped:
            time.sleep(0.001)
            passed = time.perf_counter() - begin
            control.now_ps = min(end, int(passed * PACE_PS_PER_S))
            control.events = first_events + control.now_ps // PS_PER_EVENT
        moved = array("Q", [int(control.now_ps * BYTES_PER_PS)])
        return {
            "summary": {
                "simulated_ps": control.now_ps,
                "events": control.events,
                "is_complete": control.now_ps >= end,
            },
            "tables": {"workloads": {"workload": ["load"], "bytes": memoryview(moved)}},
        }

    engine = ModuleType("sanlab._native")
    engine.run, engine.Control = run, Control  # type: ignore[attr-defined]
    engine.PlanError, engine.RunError = PlanError, RunError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sanlab._native", engine)
    monkeypatch.setattr("sanlab.cli.pilot.WALL_LIMIT_S", 0.1)
    monkeypatch.setattr("sanlab.cli.pilot.LOOK_S", 0.005)


def test_a_long_run_is_scaled_up(monkeypatch: pytest.MonkeyPatch) -> None:
    play_engine(monkeypatch)
    cost = estimate(compile_plan(parse_scenario(TEXT + "measure: {duration: 1s}\n")))
    assert cost.events == pytest.approx(10**12 // PS_PER_EVENT, rel=0.01)
    assert cost.wall_s == pytest.approx(10**12 / PACE_PS_PER_S, rel=0.3)


def test_a_burst_at_the_beginning_is_not_scaled_up(monkeypatch: pytest.MonkeyPatch) -> None:
    play_engine(monkeypatch, first_events=10**6)
    cost = estimate(compile_plan(parse_scenario(TEXT + "measure: {duration: 1s}\n")))
    assert cost.events == pytest.approx(10**6 + 10**12 // PS_PER_EVENT, rel=0.01)


def test_a_run_that_ends_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    play_engine(monkeypatch)
    text = TEXT.replace("bs: 1M", "bs: 1M, size: 512MiB")
    cost = estimate(compile_plan(parse_scenario(text)))
    assert cost.simulated_ps == pytest.approx(2**29 / BYTES_PER_PS, rel=1e-4)


def test_a_short_run_is_simply_done(monkeypatch: pytest.MonkeyPatch) -> None:
    play_engine(monkeypatch)
    cost = estimate(compile_plan(parse_scenario(TEXT + "measure: {duration: 2us}\n")))
    assert (cost.simulated_ps, cost.events) == (2_000_000, 2000)
    assert "whole run" in cost.basis


def test_without_an_engine_there_is_no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sanlab._native", None)
    cost = estimate(compile_plan(parse_scenario(TEXT)))
    assert not cost.is_available
    assert "not built" in cost.basis
