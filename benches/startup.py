"""What it costs to start: CPU time of short commands, as multiples of `python -c "import numpy"`.

    uv run python benches/startup.py

Prints user and system time of each command, the best of some rounds in turn, with bytecode and
templates cached. A ratio says the same on a busy machine as on an idle one.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HELLO = Path(__file__).parents[1] / "examples" / "hello-san" / "scenario.yaml"
#: The command that all others are compared with.
BASE = "import numpy"
#: Ratios to stay below: 0.3 s and 0.6 s where numpy takes 0.105 s.
TARGETS = {"check": 2.9, "run": 5.7}


def cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    """User and system time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(rounds: int) -> dict[str, float]:
    """CPU seconds of each command, the best of `rounds`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        caches = {
            "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        environment = {**os.environ, **caches}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        sanlab = [sys.executable, "-m", "sanlab.cli"]
        best: dict[str, float] = {}
        for number in range(rounds + 1):
            commands = {
                BASE: [sys.executable, "-c", BASE],
                "check": [*sanlab, "check", str(HELLO)],
                "run": [*sanlab, "run", str(HELLO), "--out", str(folder / f"run-{number}")],
            }
            for title, command in commands.items():
                spent = cpu_seconds(command, environment)
                if number > 0:  # the first round fills the caches
                    best[title] = min(spent, best.get(title, spent))
        return best


def main() -> None:
    best = measure(9)
    for title, spent in best.items():
        target = f"  (target {TARGETS[title]:.1f})" if title in TARGETS else ""
        print(f"{title:14} {spent:6.3f} s  {spent / best[BASE]:5.2f} x{target}")


if __name__ == "__main__":
    main()
