"""Set-up of a large fabric takes a time that grows with its hosts, not with their square."""

from __future__ import annotations

import json
import runpy
import time
from pathlib import Path

from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario
from sanlab.simulation.execute import simulate_here

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
