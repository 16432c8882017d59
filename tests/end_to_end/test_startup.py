"""Commands start quickly, measured against the import of numpy so that other work cannot matter."""

from __future__ import annotations

import runpy
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benches" / "startup.py"
#: How far beyond its target a command may be before this fails.
SLACK = 1.4


def test_commands_start_quickly() -> None:
    benchmark = runpy.run_path(str(BENCHMARK))
    best = benchmark["measure"](4)
    base = best[benchmark["BASE"]]
    for command, target in benchmark["TARGETS"].items():
        assert best[command] / base <= SLACK * target, (command, best)
