"""Measure whole runs of the engine, print them, and append them to `history.csv`.

    python3 benches/record.py [--rounds 3] [--no-record] [--ceiling COMMAND]

Each plan is simulated by the release build in a process of its own, plans in turn, and the median of
the rounds counts: the noise of a shared machine then falls on all of them alike. `--ceiling` names a
program that takes N and a number of frames and prints `{"run_s": ...}` somewhere in a line, to be
measured in the same rounds; the table then has the ratio too.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import os
import platform
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BINARY = TARGET / "release" / "run_plan"
SIZES = (4, 16, 64, 256)
FRAMES = 1_000_000
#: A frame rate at which no host waits for credit: three quarters of the share of an ISL.
PACED_NS = 54_000
IOS = 400_000
#: Simulated time of the loops.
LOOP_SECONDS = 5
COLUMNS = (
    "date",
    "commit",
    "machine",
    "plan",
    "frame_hops_per_s",
    "events_per_frame_hop",
    "ios_per_s",
    "events_per_io",
    "peak_rss_mb",
    "fingerprint",
    "simulated_s_per_s",
)


def write_plans(folder: Path) -> dict[str, Path]:
    """Write every plan; their paths by name."""
    commands = {f"dumbbell-{n}": ["dumbbell.py", str(n), str(FRAMES)] for n in SIZES}
    commands["dumbbell-16-paced"] = [
        "dumbbell.py",
        "16",
        str(FRAMES),
        "--interval-ns",
        str(PACED_NS),
    ]
    commands["io"] = ["io.py", str(IOS)]
    commands["loop-spc1"] = ["loop.py", str(LOOP_SECONDS)]
    commands["loop-4k-reads"] = ["loop.py", str(LOOP_SECONDS), "--reads-4k"]
    plans = {}
    for name, (script, *arguments) in commands.items():
        plans[name] = folder / f"{name}.json"
        command = [sys.executable, str(HERE / script), *arguments]
        plans[name].write_text(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout
        )
    return plans


def measure(plan: Path) -> dict:
    """One run; its summary."""
    done = subprocess.run(
        [str(BINARY), str(plan), "--stats"], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def ceiling(command: str, n: int) -> float:
    """Frame-hops per second of the program given as ceiling."""
    done = subprocess.run(
        [*shlex.split(command), str(n), str(FRAMES)], check=True, capture_output=True, text=True
    )
    seconds = float(re.search(r'"run_s":([\d.]+)', done.stdout).group(1))
    return 3 * FRAMES / seconds


def commit() -> str:
    """Short name of the commit, with a plus where files were changed."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude", "*"]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def machine() -> str:
    """Model of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def row_of(name: str, runs: list[dict]) -> dict:
    """The median of some runs of one plan."""
    middle = sorted(runs, key=lambda run: run["wall_s"])[len(runs) // 2]
    row = {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "commit": commit(),
        "machine": machine(),
        "plan": name,
        "frame_hops_per_s": round(middle["frame_hops_per_s"]),
        "events_per_frame_hop": round(middle["events_per_frame_hop"], 3),
        "peak_rss_mb": round(middle["peak_rss_bytes"] / 1e6, 1),
        "fingerprint": middle["fingerprint"],
        "simulated_s_per_s": round(middle["simulated_ps"] / 1e12 / middle["wall_s"], 3),
    }
    if middle["ios"]:
        row["ios_per_s"] = round(middle["ios"] / middle["wall_s"])
        row["events_per_io"] = round(middle["events"] / middle["ios"], 2)
    return row


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-record", action="store_true")
    parser.add_argument("--ceiling", metavar="COMMAND")
    arguments = parser.parse_args()
    subprocess.run(
        ["cargo", "build", "--release", "--quiet", "-p", "sanlab-sim"], check=True, cwd=ROOT
    )
    with tempfile.TemporaryDirectory() as folder:
        plans = write_plans(Path(folder))
        runs: dict[str, list[dict]] = {name: [] for name in plans}
        ceilings: dict[str, list[float]] = {}
        for _ in range(arguments.rounds):
            for name, plan in plans.items():
                runs[name].append(measure(plan))
                if arguments.ceiling and re.fullmatch(r"dumbbell-\d+", name):
                    speed = ceiling(arguments.ceiling, int(name.split("-")[1]))
                    ceilings.setdefault(name, []).append(speed)
    rows = [row_of(name, of) for name, of in runs.items()]
    show(rows, {name: statistics.median(of) for name, of in ceilings.items()})
    if not arguments.no_record:
        append(rows)


def show(rows: list[dict], ceilings: dict[str, float]) -> None:
    """Print a table."""
    print(
        f"{'plan':20} {'M hops/s':>9} {'ev/hop':>7} {'k IO/s':>8} {'ev/IO':>6} {'MB':>6} {'s/s':>7} {'of ceiling':>10}"
    )
    for row in rows:
        speed = row["frame_hops_per_s"]
        share = f"{speed / ceilings[row['plan']]:.2f}" if row["plan"] in ceilings else ""
        ios = f"{row['ios_per_s'] / 1e3:.0f}" if "ios_per_s" in row else ""
        print(
            f"{row['plan']:20} {speed / 1e6:9.1f} {row['events_per_frame_hop']:7.3f} {ios:>8} "
            f"{row.get('events_per_io', ''):>6} {row['peak_rss_mb']:6.1f} "
            f"{row['simulated_s_per_s']:7.2f} {share:>10}"
        )


def append(rows: list[dict]) -> None:
    """Add the rows to the history."""
    path = HERE / "history.csv"
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
