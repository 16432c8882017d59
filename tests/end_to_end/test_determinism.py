"""One file and one seed are one run: in every build, twice, and in the reference."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import sanlab
from sanlab import _native
from sanlab.simulation.execute import prepare
from sanlab.sweeps.point import Compiler

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ["examples/hello-san", "examples/slow-receiver", "examples/long-distance-isl"]


def run_plan(profile: str) -> Path:
    """Build the program that runs a plan without Python."""
    command = ["cargo", "build", "--quiet", "--workspace", "--bin", "run_plan"]
    subprocess.run([*command, "--profile", profile], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / profile / "run_plan"


def plan_of(folder: str, seed: int = 1) -> str:
    scenario = sanlab.load_scenario(ROOT / folder / "scenario.yaml", {"seed": str(seed)})
    return sanlab.compile_plan(scenario).to_json()


def fingerprint(plan: str, *, reference: bool = False) -> str:
    result: dict[str, Any] = _native.run(plan, reference=reference)
    return str(result["summary"]["fingerprint"])


@pytest.mark.parametrize("profile", ["checked", pytest.param("release", marks=pytest.mark.slow)])
def test_every_build_does_the_same(profile: str, tmp_path: Path) -> None:
    """With the checks of a debug build and without, as a program and as a module."""
    program = run_plan(profile)
    path = tmp_path / "plan.json"
    for folder in SCENARIOS:
        path.write_text(plan_of(folder), encoding="utf-8")
        done = subprocess.run(
            [program, path, "--stats"], capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout)["fingerprint"] == fingerprint(plan_of(folder))


@pytest.mark.parametrize("folder", SCENARIOS)
def test_the_reference_does_the_same(folder: str) -> None:
    plan = plan_of(folder)
    assert fingerprint(plan, reference=True) == fingerprint(plan)


def test_another_seed_is_another_run() -> None:
    assert fingerprint(plan_of(SCENARIOS[0], 1)) != fingerprint(plan_of(SCENARIOS[0], 2))


FLAPPING = """
hosts: [{name: host1}]
switches: [{name: sw1}]
arrays: [{name: dev1, luns: [{name: lun1}]}]
links: [{from: host1, to: sw1}, {from: dev1.p0, to: sw1}]
workloads: [{name: load, hosts: host1, targets: dev1.lun1}]
faults: [{kind: link-down, port: host1.hba0.p0, mtbf: 1s, mttr: 1s}]
measure: {duration: 20s}
"""


def test_outages_at_random_follow_the_seed(tmp_path: Path) -> None:
    """That of a run, and that of a repeat in a sweep."""
    file = tmp_path / "flapping.yaml"
    file.write_text(FLAPPING, encoding="utf-8")
    one, again, other = (prepare(file, {}, seed).plan for seed in (1, 1, 2))
    assert one.links == again.links != other.links
    assert one.links[0].outages
    compiler = Compiler(file, {}, 1)
    first, repeat = (json.loads(compiler.point({}, number).plan_json)["links"] for number in (0, 1))
    assert first == json.loads(one.to_json())["links"] != repeat
