"""The plans that `make bench` measures are plans of today: each is simulated, at a small size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sanlab import _native

BENCHES = Path(__file__).parents[2] / "benches"


@pytest.mark.parametrize(
    "command",
    [
        ["dumbbell.py", "4", "1000"],
        ["dumbbell.py", "4", "1000", "--interval-ns", "2000"],
        ["io.py", "1000"],
        ["loop.py", "0.3"],
        ["loop.py", "0.3", "--reads-4k"],
    ],
    ids=" ".join,
)
def test_is_simulated(command: list[str]) -> None:
    script, *arguments = command
    written = subprocess.run(
        [sys.executable, str(BENCHES / script), *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    assert _native.run(written.stdout)["summary"]["frame_hops"] > 0
