"""The estimate of a run, against an engine that is played."""

from __future__ import annotations

import json
import struct
import sys
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
PS_PER_EVENT = 1000


class PlanError(Exception):
    """As the engine's."""


class RunError(Exception):
    """As the engine's."""


def play_engine(monkeypatch: pytest.MonkeyPatch, wall_s: float) -> None:
    """Put a module in the engine's place whose every run takes `wall_s`."""
    clock = [0.0]

    def run(plan_json: str) -> dict[str, Any]:
        clock[0] += wall_s
        plan = json.loads(plan_json)
        wanted = sum(job["total_bytes"] for job in plan["jobs"]) or 2**62
        end = min(plan["end_ps"], int(wanted / BYTES_PER_PS))
        moved = struct.pack("<Q", int(end * BYTES_PER_PS))
        return {
            "summary": {"simulated_ps": end, "events": end // PS_PER_EVENT},
            "tables": {"workloads": {"workload": ["load"], "bytes": ("u64", moved)}},
        }

    engine = ModuleType("sanlab._native")
    engine.run, engine.PlanError, engine.RunError = run, PlanError, RunError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sanlab._native", engine)
    monkeypatch.setattr("sanlab.cli.pilot.time.perf_counter", lambda: clock[0])


def test_a_long_run_is_scaled_up(monkeypatch: pytest.MonkeyPatch) -> None:
    play_engine(monkeypatch, wall_s=0.06)
    cost = estimate(compile_plan(parse_scenario(TEXT + "measure: {duration: 1s}\n")))
    # Runs of 10, 40, 160 and 640 us: the fourth goes over 0.2 s.
    assert cost.events == 10**12 // PS_PER_EVENT
    assert cost.wall_s == pytest.approx(0.06 * 10**12 / 64e7)


def test_a_run_that_ends_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    play_engine(monkeypatch, wall_s=0.06)
    text = TEXT.replace("bs: 1M", "bs: 1M, size: 512MiB")
    cost = estimate(compile_plan(parse_scenario(text)))
    assert cost.simulated_ps == pytest.approx(2**29 / BYTES_PER_PS, rel=1e-6)


def test_a_short_run_is_simply_done(monkeypatch: pytest.MonkeyPatch) -> None:
    play_engine(monkeypatch, wall_s=0.001)
    cost = estimate(compile_plan(parse_scenario(TEXT + "measure: {duration: 2us}\n")))
    assert (cost.simulated_ps, cost.events) == (2_000_000, 2000)
    assert "whole run" in cost.basis


def test_without_an_engine_there_is_no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sanlab._native", None)
    cost = estimate(compile_plan(parse_scenario(TEXT)))
    assert not cost.is_available
    assert "not built" in cost.basis
