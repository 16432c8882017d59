"""Plans that a person edited: the engine names the field. Runs with bit errors: they end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sanlab import _native
from sanlab.plan.compile import compile_plan, with_seed
from sanlab.scenario.load import load_scenario, parse_scenario
from sanlab.simulation.execute import simulate_here

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MS = 10**9


@pytest.mark.parametrize(
    ("example", "place", "value", "field"),
    [
        ("quality-of-service", ("jobs", 0, "iodepth"), 2**32 - 1, "jobs[0].iodepth"),
        ("quality-of-service", ("switches", 0, "ports"), 2**32 - 1, "switches[0].ports"),
        ("path-failover", ("hosts", 0, "adapters", 1), None, "jobs[0].targets[0].paths["),
        ("hello-san", ("links", 3, "delay_ps"), 2**63 - 1, "links[3].delay_ps"),
        ("hello-san", ("links", 0, "bit_error_interval"), 65_536, "links[0].bit_error_interval"),
        ("hello-san", ("n_ports", 0, "fc_id"), 2**32 - 1, "n_ports[0].fc_id"),
        ("hello-san", ("hosts", 0, "cores"), 2**32 - 1, "hosts[0].cores"),
    ],
)
def test_a_field_out_of_range_is_named(
    example: str, place: tuple[str | int, ...], value: int | None, field: str
) -> None:
    """Each of these once ended in a panic, an abort, or an overflow."""
    scenario = load_scenario(EXAMPLES / example / "scenario.yaml")
    plan = json.loads(compile_plan(scenario).to_json())
    parent: Any = plan
    for key in place[:-1]:
        parent = parent[key]
    if value is None:
        del parent[place[-1]]
    else:
        parent[place[-1]] = value
    with pytest.raises(_native.PlanError) as caught:
        _native.run(json.dumps(plan), _native.Control())
    assert str(caught.value).startswith(field)
    assert "\n" not in str(caught.value)


BIT_ERRORS = """\
hosts: [{name: host1, hbas: {command_timeout: 1s}}]
switches: [{name: sw1}]
arrays: [{name: dev1, luns: [{name: lun1, size: 100GiB}]}]
links: [{from: host1, to: sw1}, {from: dev1.p0, to: sw1}]
workloads:
  - {name: w, hosts: host1, targets: dev1.lun1, rw: randread, bs: 64k, iodepth: 8, io_size: 8MiB}
faults: [{kind: bit-errors, between: [dev1, sw1], ber: 3e-7}]
"""


def test_a_run_with_bit_errors_ends_with_its_work() -> None:
    """A lost frame costs a command timeout of 1 s; a resting exchange id (10 s) costs nothing."""
    scenario = parse_scenario(BIT_ERRORS)
    plan = compile_plan(scenario)
    ends = []
    for seed in range(1, 60):
        outcome = simulate_here(with_seed(plan, scenario, seed).to_json())
        assert outcome.summary["is_complete"]
        ends.append(outcome.summary["simulated_ps"])
        work = outcome.tables["workloads"].to_pylist()
        assert sum(row["io_count"] + row["error_count"] for row in work) == 128
    assert min(ends) < 20 * MS
    assert max(ends) < 10_000 * MS
