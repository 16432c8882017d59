"""What `sanlab plan` says a run will cost, against what the run costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sanlab.cli.main import app

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: Wide, since other processes share the machine; on a quiet one it is within a factor of two.
RATIO_FROM, RATIO_TO = 0.4, 2.5
#: Estimates and runs may both be disturbed, so the best of a few counts.
TRIES = 3


def invoke(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    ("example", "change"),
    [
        ("large-fabric", "measure.duration=20ms"),
        ("slow-receiver", "measure.duration=12s"),
        ("hello-san", "measure.duration=10s"),
    ],
)
def test_the_estimate_is_of_the_right_size(example: str, change: str, tmp_path: Path) -> None:
    scenario = str(EXAMPLES / example / "scenario.yaml")
    ratios = []
    for attempt in range(TRIES):
        words = (scenario, "--set", change, "--json")
        cost = json.loads(invoke("plan", *words))["estimate"]
        out = str(tmp_path / str(attempt))
        done = json.loads(invoke("run", *words, "--no-report", "--out", out))
        assert cost["events"] == pytest.approx(done["events"], rel=0.1)
        ratios.append(cost["wall_s"] / done["wall_s"])
        if RATIO_FROM <= ratios[-1] <= RATIO_TO:
            return
    pytest.fail(f"estimated over measured wall time: {ratios}")
