"""What a large fabric costs before and after its simulation: linear in its hosts."""

from __future__ import annotations

import json
import runpy
import time
from pathlib import Path
from typing import TYPE_CHECKING

import sanlab
from sanlab.explain import view
from sanlab.explain.explanation import explain
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario
from sanlab.simulation.execute import simulate_here

if TYPE_CHECKING:
    import pytest

BENCHMARK = Path(__file__).parents[2] / "benches" / "setup.py"
FEW, MANY = 500, 2_000
#: Times as long as a linear cost; a quadratic one would be four times as long.
SLACK = 2.0


def test_set_up_is_linear_in_the_hosts() -> None:
    scenario = runpy.run_path(str(BENCHMARK))["scenario"]

    def cpu_seconds(hosts: int) -> float:
        text = json.dumps(scenario(hosts) | {"measure": {"duration": "1us"}})
        before = time.process_time()
        simulate_here(compile_plan(parse_scenario(text)).to_json())
        return time.process_time() - before

    cpu_seconds(FEW)  # imports, caches
    few, many = (min(cpu_seconds(hosts) for _ in range(2)) for hosts in (FEW, MANY))
    assert many <= SLACK * MANY / FEW * few, (few, many)


def test_workloads_explained_together_read_the_tables_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = runpy.run_path(str(BENCHMARK))["scenario"](FEW)
    file = tmp_path / "scenario.yaml"
    file.write_text(json.dumps(scenario | {"measure": {"duration": "20ms"}}), encoding="utf-8")
    run = sanlab.run(file, folder=tmp_path / "run")
    built = []
    of_view = view.View.__init__

    def counted(self: view.View, *arguments: object) -> None:
        built.append(self)
        of_view(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(view.View, "__init__", counted)
    explained = explain(run)
    assert len(explained) == len(scenario["workloads"]) > len(built)
    assert explain(run) is explained
