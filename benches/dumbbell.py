"""Write the dumbbell plan: N hosts, switch A, one ISL for each 4 hosts, switch B, N targets.

Every host sends 2148-byte frames as fast as it may to the target of its own number, over the ISL of
its group of four. All links are 2GFC, 50 ns long, without fill words, with 12 credits.

    python3 benches/dumbbell.py N FRAMES [--interval-ns T] > plan.json

With an interval frames come at that pace instead, so that no port is starved of credit.
"""

import argparse
import json
import sys


def n_port(name: str, number: int) -> dict:
    """One N_Port, on switch A (hosts) or B (targets)."""
    return {
        "name": name,
        "node": name,
        "fc_id": number,
        "wwpn": number,
        "tx_buffers": 1,
        "class3_sequences": 255,
        "interleave": "sequence",
        "rx_hold_ps": 0,
        "drain_bytes_per_s": 0,
    }


def link(a: dict, b: dict) -> dict:
    """2GFC over 50 ns."""
    return {
        "a": a,
        "b": b,
        "speed": "2GFC",
        "bytes_per_s": 212_500_000,
        "gap_bytes": 0,
        "delay_ps": 50_000,
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
    }
    links = [link({"n_port": i}, {"switch": {"switch": 0, "port": i}}) for i in range(n)]
    links += [
        link({"switch": {"switch": 0, "port": n + k}}, {"switch": {"switch": 1, "port": n + k}})
        for k in range(isls)
    ]
    links += [link({"switch": {"switch": 1, "port": i}}, {"n_port": n + i}) for i in range(n)]
    return {
        "format": 1,
        "title": f"dumbbell {n}",
        "seed": 1,
        "end_ps": 60_000_000_000_000,
        "interval_ps": 0,
        "data_frame_bytes": 2112,
        "n_ports": [n_port(f"host{i}", 0x010000 + i) for i in range(n)]
        + [n_port(f"target{i}", 0x020000 + i) for i in range(n)],
        "switches": [{"name": "a", **switch}, {"name": "b", **switch, "domain": 2}],
        "links": links,
        "hosts": [],
        "arrays": [],
        "workloads": [],
        "jobs": [],
        "traffic": [
            {
                "name": f"flow{i}",
                "source_n_port": i,
                "target_n_port": n + i,
                "payload_bytes": 2112,
                "frames": frames // n,
                "interval_ps": interval_ps,
                "interval_distribution": "constant",
                "start_ps": 0,
            }
            for i in range(n)
        ],
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
