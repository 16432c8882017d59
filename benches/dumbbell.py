"""Write the dumbbell plan: N hosts, switch A, one ISL for each 4 hosts, switch B, N targets.

Every host sends 2148-byte frames as fast as it may to the target of its own number, over the ISL of
its group of four. All links are 2GFC, 50 ns long, without fill words, with 12 credits.

    python3 benches/dumbbell.py N FRAMES [--interval-ns T] > plan.json

With an interval frames come at that pace instead, so that no port is starved of credit.
"""

import argparse
import json
import sys

from parts import NO_FAULTS, link, n_port, n_port_end, switch_end

#: What is the same on every link.
LINK = {
    "speed": "2GFC",
    "bytes_per_s": 212_500_000,
    "gap_bytes": 0,
    "credit_a_to_b": 12,
    "credit_b_to_a": 12,
    "fspf_cost": 500,
}


def plan(n: int, frames: int, interval_ps: int) -> dict:
    """The plan as plain data; routes over equal-cost ISLs are by ingress port."""
    isls = n // 4
    # Host i comes in by port i; ISL i % isls is its equal-cost path.
    switch = {
        "domain": 1,
        "forwarding_ps": 0,
        "cut_through": False,
        "routing": "ingress_port",
        "ports": n + isls,
        "classes": None,
        "edge_hold_ps": 220_000_000_000,
        "core_hold_ps": 500_000_000_000,
        "no_credit_drop_ps": None,
    }
    links = [link(n_port_end(i), switch_end(0, i), **LINK) for i in range(n)]
    links += [link(switch_end(0, n + k), switch_end(1, n + k), **LINK) for k in range(isls)]
    links += [link(switch_end(1, i), n_port_end(n + i), **LINK) for i in range(n)]
    arrivals = {"interval_ps": interval_ps, "distribution": "constant"} if interval_ps else None
    return {
        "format": 3,
        "title": f"dumbbell {n}",
        "seed": 1,
        "end_ps": 60_000_000_000_000,
        "interval_ps": None,
        "data_frame_bytes": 2112,
        "n_ports": [n_port(f"host{i}", 0x010000 + i, tx_buffers=1) for i in range(n)]
        + [n_port(f"target{i}", 0x020000 + i, tx_buffers=1) for i in range(n)],
        "switches": [{"name": "a", **switch}, {"name": "b", **switch, "domain": 2}],
        "links": links,
        "loops": [],
        "loop_faults": [],
        "faults": NO_FAULTS,
        "hosts": [],
        "arrays": [],
        "workloads": [],
        "phases": [],
        "jobs": [],
        "file_systems": [],
        "traffic": [
            {
                "name": f"flow{i}",
                "source_n_port": i,
                "target_n_port": n + i,
                "payload_bytes": 2112,
                "frames": frames // n,
                "arrivals": arrivals,
                "start_ps": 0,
            }
            for i in range(n)
        ],
        "qos": [],
        "r_rdy_waits": False,
        "services": None,
    }


def main() -> None:
    """Print the plan."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n", type=int)
    parser.add_argument("frames", type=int)
    parser.add_argument("--interval-ns", type=int, default=0)
    arguments = parser.parse_args()
    json.dump(plan(arguments.n, arguments.frames, arguments.interval_ns * 1000), sys.stdout)


if __name__ == "__main__":
    main()
