"""Parts of a plan that the benchmarks have in common."""

#: No fault, and the timers of the standards.
NO_FAULTS = {
    "is_armed": False,
    "route_updates_ps": [],
    "visibility": [],
    "drains": [],
    "credit_losses": [],
    "happenings": [],
    "notice_ps": 10_000_000_000,
    "login_ps": 100_000_000_000,
    "e_d_tov_ps": 2_000_000_000_000,
    "r_a_tov_ps": 10_000_000_000_000,
    "credit_timeout_ps": 2_000_000_000_000,
    "bb_sc_n": None,
}


def n_port(name: str, fc_id: int, tx_buffers: int) -> dict:
    """One N_Port, alone on its node."""
    return {
        "name": name,
        "node": name,
        "fc_id": fc_id,
        "wwpn": fc_id,
        "tx_buffers": tx_buffers,
        "class3_sequences": 255,
        "interleave": "sequence",
        "rx_hold_ps": 0,
        "drain_bytes_per_s": None,
        "shares": None,
    }


def n_port_end(n_port: int) -> dict:
    """End of a link at an N_Port."""
    return {"kind": "n_port", "n_port": n_port}


def switch_end(switch: int, port: int) -> dict:
    """End of a link at a port of a switch."""
    return {"kind": "switch", "switch": switch, "port": port}


def link(a: dict, b: dict, **given: object) -> dict:
    """50 ns of plain fibre; speed, gap, credit and cost are given."""
    return {
        "a": a,
        "b": b,
        "delay_ps": 50_000,
        "outages": [],
        "member_outages": [],
        "bit_error_interval": None,
        "members": 1,
        "virtual_channels": [],
        "write_acceleration_bytes": None,
        **given,
    }
