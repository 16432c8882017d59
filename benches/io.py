"""Write the I/O plan: 4 KiB random reads through 3 hops and all layers.

Eight hosts with processor and adapter costs read from one array each through two switches and the
ISLs between them; the array has controllers and a cache that half of the reads hit.

    python3 benches/io.py IOS > plan.json
"""

import argparse
import json
import sys

from parts import NO_FAULTS, link, n_port, n_port_end, switch_end

PAIRS = 8
US = 1_000_000

#: What is the same on every link.
LINK = {
    "speed": "16GFC",
    "bytes_per_s": 1_700_000_000,
    "gap_bytes": 24,
    "credit_a_to_b": 16,
    "credit_b_to_a": 16,
    "fspf_cost": 76,
}


def array(number: int) -> dict:
    """One array with one LUN of flash."""
    return {
        "name": f"array{number}",
        "n_ports": [PAIRS + number],
        "controllers": [
            {
                "name": f"array{number}",
                "n_ports": [PAIRS + number],
                "processors": 4,
                "outages": [],
            }
        ],
        "failover": {
            "takeover_ps": 0,
            "give_back_ps": None,
            "told_ps": 0,
            "forward_ps": 0,
            "forward_bytes_per_s": None,
            "writes_through_alone": False,
        },
        "command_ps": 10 * US,
        "burst_bytes": 65_536,
        "first_burst_bytes": None,
        "open_bursts": None,
        "port_queue_depth": 1024,
        "cache": {
            "kind": "hit_rate",
            "read_hit_ppm": 500_000,
            "access_ps": 20 * US,
            "dirty_limit_bytes": 1 << 30,
        },
        "drives": [],
        "ssds": [],
        "disks": [],
        "groups": [],
        "parity_bytes_per_s": None,
        "back_end": None,
        "limits": [],
        "luns": [
            {
                "name": f"array{number}.lun0",
                "number": 0,
                "bytes": 1 << 40,
                "queue_depth": 512,
                "owner": None,
                "media": {
                    "kind": "memory",
                    "service_ps": 90 * US,
                    "distribution": "exponential",
                    "servers": 16,
                    "spread": 0,
                    "variation": 0,
                },
                "mirror": None,
                "initiators": None,
            }
        ],
    }


def host(number: int) -> dict:
    """One host with one adapter."""
    return {
        "name": f"host{number}",
        "cores": 4,
        "cpu_submit_ps": 3 * US,
        "cpu_complete_ps": 3 * US,
        "cpu_command_ps": 0,
        "cpu_interrupt_ps": 0,
        "max_request_bytes": None,
        "submission": "together",
        "engines": [{"name": f"host{number}", "bytes_per_s": None, "turnaround_ps": 0}],
        "adapters": [
            {
                "n_port": number,
                "engine": 0,
                "submit_ps": US,
                "complete_ps": US,
                "max_commands": 2048,
                "lun_queue_depth": 64,
                "command_timeout_ps": None,
                "path_timeout_ps": 0,
                "retries": 0,
                "transfer_ps": 0,
                "latency_ps": 0,
                "interrupt_delay_ps": None,
                "bus": None,
            }
        ],
        "buses": [],
        "multipath": None,
    }


def job(number: int, ios: int) -> dict:
    """Random reads of 4 KiB, 32 at once."""
    return {
        "name": f"job{number}",
        "workload": 0,
        "host": number,
        "targets": [
            {
                "array": number,
                "lun": 0,
                "offset_bytes": 0,
                "span_bytes": 1 << 40,
                "paths": [{"adapter": 0, "target_n_port": PAIRS + number, "group": 0}],
            }
        ],
        "initiator": None,
        "offset_bytes": 0,
        "span_bytes": 1 << 40,
        "read_ppm": 1_000_000,
        "block_bytes": 4096,
        "addresses": {"kind": "uniform"},
        "iodepth": 32,
        "total_bytes": ios // PAIRS * 4096,
        "start_ps": 0,
        "ramp_ps": 0,
        "stop_ps": None,
        "arrivals": None,
        "load": None,
        "think_ps": 0,
        "pattern": {"kind": "blocks"},
        "volume": None,
        "file_system": None,
    }


def plan(ios: int) -> dict:
    """The plan as plain data."""
    switch = {
        "forwarding_ps": 700_000,
        "cut_through": True,
        "routing": "exchange",
        "ports": PAIRS + 2,
        "classes": None,
        "edge_hold_ps": 220_000_000_000,
        "core_hold_ps": 500_000_000_000,
        "no_credit_drop_ps": None,
    }
    links = [link(n_port_end(i), switch_end(0, i), **LINK) for i in range(PAIRS)]
    links += [link(switch_end(0, PAIRS + k), switch_end(1, PAIRS + k), **LINK) for k in range(2)]
    links += [link(switch_end(1, i), n_port_end(PAIRS + i), **LINK) for i in range(PAIRS)]
    return {
        "format": 3,
        "title": "4 KiB random reads",
        "seed": 1,
        "end_ps": 100_000_000_000_000,
        "interval_ps": 10_000_000_000,
        "data_frame_bytes": 2048,
        "n_ports": [n_port(f"host{i}", 0x010000 + i, tx_buffers=2) for i in range(PAIRS)]
        + [n_port(f"array{i}", 0x020000 + i, tx_buffers=2) for i in range(PAIRS)],
        "switches": [{"name": "a", "domain": 1, **switch}, {"name": "b", "domain": 2, **switch}],
        "links": links,
        "loops": [],
        "loop_faults": [],
        "faults": NO_FAULTS,
        "hosts": [host(i) for i in range(PAIRS)],
        "arrays": [array(i) for i in range(PAIRS)],
        "workloads": [{"name": "reads", "file_system": None, "after": []}],
        "phases": [],
        "jobs": [job(i, ios) for i in range(PAIRS)],
        "file_systems": [],
        "traffic": [],
        "qos": [],
        "r_rdy_waits": False,
        "services": None,
    }


def main() -> None:
    """Print the plan."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ios", type=int)
    json.dump(plan(parser.parse_args().ios), sys.stdout)


if __name__ == "__main__":
    main()
