"""What it costs to set up a fabric of many hosts, and how the cost grows with their number.

    uv run python benches/setup.py [HOSTS ...]

Runs 1 ms of a fabric of each size with its report. Prints the time before the first event, the
whole CPU time of the command and its peak memory; then the exponents of the set-up time and of the
whole CPU time over the number of hosts: 1 is linear, 2 would be quadratic.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SIZES = (1_250, 2_500, 5_000, 10_000, 20_000)
#: Hosts on an edge switch, hosts for each array, arrays on a switch of their own.
HOSTS_ON_EDGE, HOSTS_OF_ARRAY, ARRAYS_ON_EDGE = 230, 50, 10


def group(letter: str, first: int, count: int, last: int) -> str:
    """Name of up to `count` boxes of a kind, from number `first` on."""
    return f"{letter}[{first}..{min(first + count - 1, last)}]"


def scenario(hosts: int) -> dict[str, Any]:
    """Hosts and arrays on edge switches around two core switches; eight jobs for each host."""
    arrays = hosts // HOSTS_OF_ARRAY
    edges, array_edges = -(-hosts // HOSTS_ON_EDGE), -(-arrays // ARRAYS_ON_EDGE)
    links = [
        {
            "from": group("h", number * HOSTS_ON_EDGE + 1, HOSTS_ON_EDGE, hosts),
            "to": f"e{number + 1}",
        }
        for number in range(edges)
    ]
    links += [
        {
            "from": f"{group('d', number * ARRAYS_ON_EDGE + 1, ARRAYS_ON_EDGE, arrays)}.p[0..3]",
            "to": f"t{number + 1}",
        }
        for number in range(array_edges)
    ]
    isls = [(f"e[1..{edges}]", "c1"), (f"e[1..{edges}]", "c2")]
    isls += [(f"t[1..{array_edges}]", "c1"), (f"t[1..{array_edges}]", "c2")]
    links += [{"from": edge, "to": core} for edge, core in isls]
    luns = {"name": "l[1..8]", "memory": {"service": "200us", "servers": 16}}
    workloads = [
        {
            "name": f"w{array}",
            "hosts": group("h", array * HOSTS_OF_ARRAY + 1, HOSTS_OF_ARRAY, hosts),
            "targets": f"d{array + 1}.l[1..8]",
            "spread": "all",
            "rw": "randread",
            "bs": "8k",
            "arrivals": "poisson",
            "rate_iops": 50,
        }
        for array in range(arrays)
    ]
    return {
        "hosts": [{"name": f"h[1..{hosts}]"}],
        "switches": [
            {"name": f"e[1..{edges}]", "ports": HOSTS_ON_EDGE + 4},
            {"name": "c[1..2]", "ports": 256},
            {"name": f"t[1..{array_edges}]", "ports": 48},
        ],
        "arrays": [{"name": f"d[1..{arrays}]", "ports": 4, "luns": [luns]}],
        "links": links,
        "workloads": workloads,
        "measure": {"duration": "1ms"},
    }


def measure(hosts: int, folder: Path) -> tuple[float, float, float, float]:
    """Seconds of set-up, of simulation and of CPU for the whole command; peak memory in GB."""
    file, out = folder / f"{hosts}.yaml", folder / str(hosts)
    file.write_text(json.dumps(scenario(hosts)), encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "sanlab.cli", "run", str(file), "--out", str(out)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # The sizes ascend, so the largest process so far is the latest.
    return manifest["setup_s"], manifest["wall_s"], cpu, after.ru_maxrss / 1e6


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Slope of the seconds over the sizes, both as logarithms, by least squares."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in seconds]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    rise = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return rise / sum((a - middle_x) ** 2 for a in x)


def main() -> None:
    sizes = sorted(int(word) for word in sys.argv[1:]) or list(SIZES)
    print(f"{'hosts':>7} {'set-up':>9} {'1 ms':>9} {'all, CPU':>9} {'memory':>9}")
    setups, commands = [], []
    with tempfile.TemporaryDirectory() as name:
        for hosts in sizes:
            setup, simulation, cpu, memory = measure(hosts, Path(name))
            setups.append(setup)
            commands.append(cpu)
            print(
                f"{hosts:7} {setup:7.2f} s {simulation:7.2f} s {cpu:7.2f} s {memory:6.2f} GB",
                flush=True,
            )
    if len(sizes) > 1:
        print(f"set-up grows with hosts ^ {exponent(sizes, setups):.2f}")
        print(f"the whole command grows with hosts ^ {exponent(sizes, commands):.2f}")


if __name__ == "__main__":
    main()
