"""What a sweep adds to its engine: overhead for each point, and two workers against one.

    uv run python benches/sweep.py

Prints the wall time for each small point beyond the engine's own, and the ratio of points for each
second with two workers and with one, on points that keep a core busy.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import sanlab

KNEE = Path(__file__).parents[1] / "examples" / "queue-depth-knee" / "scenario.yaml"
DEPTH = "workloads.reads.iodepth"


def timed(folder: Path, count: int, workers: int, duration: str) -> tuple[float, float]:
    """Wall time of a sweep, and the engine's own."""
    begin = time.perf_counter()
    sweep = sanlab.sweep(
        KNEE,
        {DEPTH: list(range(1, count + 1))},
        overrides={"measure.duration": duration},
        folder=folder,
        workers=workers,
    )
    wall = time.perf_counter() - begin
    return wall, sum(row["wall_s"] for row in sweep.rows if row["workload"] is None)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        timed(folder / "warm", 4, 1, "20ms")
        wall, engine = timed(folder / "small", 200, 1, "20ms")
        print(f"overhead for each point  {(wall - engine) / 200 * 1e3:6.1f} ms  (one worker)")
        # The best of three rounds in turn: other work on the machine falls on both.
        ones, twos = [], []
        for number in range(3):
            ones.append(timed(folder / f"one{number}", 16, 1, "10s"))
            twos.append(timed(folder / f"two{number}", 16, 2, "10s"))
        (one, engine_one), (two, engine_two) = min(ones), min(twos)
        print(f"two workers against one  {one / two:6.2f} x   ({one:.1f} s, {two:.1f} s)")
        print(f"engine time, both ways   {engine_one:.1f} s, {engine_two:.1f} s")


if __name__ == "__main__":
    main()
