"""Run the benchmark plans and append what they took to history.csv, with the machine they ran on.

    python3 benches/record.py [REPEATS]

Needs `target/release/run_plan`; `make bench` builds it. The best of the repeats counts: whatever
else the machine does can only make a run slower.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PLANS = {
    "dumbbell-16": ["dumbbell.py", "16", "5000000"],
    "io": ["io.py", "500000"],
}
COLUMNS = (
    "date", "commit", "machine", "cores", "plan", "frame_hops", "events_per_frame_hop", "wall_s",
    "frame_hops_per_s", "peak_rss_bytes",
)  # fmt: skip


def stats_of(plan: Path, repeats: int) -> dict[str, float]:
    """The summary of the fastest of some runs."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    command = [str(target / "release" / "run_plan"), str(plan), "--stats"]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(repeats)
    ]
    best: dict[str, float] = min(runs, key=lambda run: run["wall_s"])
    return best


def commit() -> str:
    """Short name of the commit, with a plus where files were changed."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude", "*"]
    return subprocess.run(
        command, check=False, cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()


def machine() -> str:
    """Model of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main() -> None:
    """Run all plans and write a row for each."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    history = HERE / "history.csv"
    is_new = not history.exists()
    common = [datetime.now(UTC).date().isoformat(), commit(), machine(), os.cpu_count()]
    with (
        history.open("a", newline="", encoding="utf-8") as file,
        tempfile.TemporaryDirectory() as tmp,
    ):
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        for name, (script, *arguments) in PLANS.items():
            plan = Path(tmp) / f"{name}.json"
            with plan.open("w", encoding="utf-8") as out:
                command = [sys.executable, str(HERE / script), *arguments]
                subprocess.run(command, check=True, stdout=out)
            stats = stats_of(plan, repeats)
            writer.writerow([*common, name, *(stats.get(column, "") for column in COLUMNS[5:])])
            print(
                f"{name}: {stats['frame_hops_per_s'] / 1e6:.2f} M frame-hops/s,"
                f" {stats['events_per_frame_hop']:.2f} events each, {stats['wall_s']:.2f} s"
            )


if __name__ == "__main__":
    main()
