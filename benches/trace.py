"""What it costs to import a block trace, and to replay it: time and peak memory.

    uv run python benches/trace.py [LINES ...]

Writes traces of 1 and of 100 million lines in the form of SPC: reads and writes of 8 KiB on two
volumes, 20,000 each second. Of each one it derives a load, then makes a replay and runs it. Prints
CPU time and peak memory of every command: the memory must not grow with the trace. Fails if a run
has not made all requests. The largest takes 6 GB of disk and half an hour.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (1_000_000, 100_000_000)
RATE = 20_000
BLOCKS, SPAN = 16, 2**27
#: Lines that are written at once.
AT_ONCE = 100_000


def write_trace(path: Path, lines: int) -> None:
    """Write a trace; addresses follow from the numbers of lines, so it is the same each time."""
    with path.open("w", encoding="ascii") as file:
        for first in range(0, lines, AT_ONCE):
            file.write(
                "".join(
                    f"{n & 1},{n * 2_654_435_761 % SPAN * BLOCKS},8192,"
                    f"{'W' if n % 10 > 6 else 'R'},{n / RATE:.6f}\n"
                    for n in range(first, min(first + AT_ONCE, lines))
                )
            )


def measured(words: list[str], folder: Path) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of a command of sanlab."""
    command = [sys.executable, "-m", "sanlab.cli", *words]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(words)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def replayed(folder: Path) -> int:
    """Requests that a run has made, counted in a process of its own.

    A child begins with the memory of its parent, so this one stays small.
    """
    code = "import sys, pyarrow.parquet as pq; t = pq.read_table(sys.argv[1]); "
    code += "print(sum(t['submitted_count'].to_pylist()))"
    command = [sys.executable, "-c", code, str(folder / "tables/replays.parquet")]
    return int(subprocess.run(command, capture_output=True, check=True).stdout)


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    print(f"{'lines':>11}  {'command':<24} {'CPU':>9} {'memory':>9}")
    for lines in sizes:
        with tempfile.TemporaryDirectory(prefix="sanlab-trace-") as name:
            folder = Path(name)
            write_trace(folder / "t.spc", lines)
            for words in (
                ["import", "t.spc", "-o", "load.yaml"],
                ["import", "t.spc", "--replay", "-o", "replay.yaml"],
                ["run", "replay.yaml", "--out", "out"],
            ):
                cpu, memory = measured(words, folder)
                shown = " ".join(word for word in words if word in {"import", "--replay", "run"})
                print(f"{lines:11,}  {shown:<24} {cpu:7.0f} s {memory:6.0f} MB", flush=True)
            if replayed(folder / "out") != lines:
                sys.exit(f"{replayed(folder / 'out')} of {lines} requests were replayed")


if __name__ == "__main__":
    main()
