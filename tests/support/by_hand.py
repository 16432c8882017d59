"""Rows of tables and parts of plans made by hand, whose numbers a test can choose."""

from __future__ import annotations

from typing import Any

SECOND = 10**12


def port(name: str, node: str, peer: str, link: int, **numbers: float) -> dict[str, Any]:
    """A row of `ports`; what is not given is idle."""
    kind = "n_port" if name.endswith("p0") else "f_port"
    row: dict[str, Any] = {
        "port": name, "node": node, "kind": kind, "link": link, "peer": peer, "speed": "8GFC",
        "bytes_per_s": 850_000_000, "tx_frames_count": 1000, "tx_bytes": 2_148_000,
        "tx_payload_bytes": 2_048_000, "tx_busy_ps": 0, "tx_utilisation": 0.0,
        "tx_credit_wait_ps": 0, "tx_credit_wait_count": 0, "tx_queue_wait_ps": 0,
        "tx_queue_mean_frames": 0.0, "tx_bb_credit": 16, "tx_credit_max_in_use": 1,
        "rx_frames_count": 0, "rx_bytes": 0, "rx_payload_bytes": 0, "rx_utilisation": 0.0,
    }  # fmt: skip
    assert set(numbers) <= set(row)
    return row | numbers


def n_port(name: str, drain: int | None = None) -> dict[str, Any]:
    """An N_Port of a plan, as far as questions to a run look at it."""
    return {"name": name, "rx_hold_ps": 0, "drain_bytes_per_s": drain}


def n_port_end(n_port: int) -> dict[str, Any]:
    """The end of a link at an N_Port."""
    return {"kind": "n_port", "n_port": n_port}


def switch_end(switch: int, port: int) -> dict[str, Any]:
    """The end of a link at a port of a switch."""
    return {"kind": "switch", "switch": switch, "port": port}


def link(a: dict[str, Any], b: dict[str, Any], delay_ps: int = 50_000) -> dict[str, Any]:
    """A link of a plan, likewise."""
    return {
        "a": a,
        "b": b,
        "bytes_per_s": 850_000_000,
        "gap_bytes": 24,
        "delay_ps": delay_ps,
        "fspf_cost": 125,
        "virtual_channels": [],
        "members": 1,
    }
