"""Tables of ports and frames: utilisation, waits for credit, latencies of flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.report.tables import (
    Cell,
    Column,
    Declaration,
    count,
    number,
    rate,
    share,
    size,
    text,
    time,
)
from sanlab.results.ports import credit_wait_share, waiting_for_credit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.report.tables import Row
    from sanlab.results.run import Run


def _port_rows(run: Run) -> Iterator[Row]:
    """Ports, busiest first."""
    seconds = run.manifest.simulated_ps / 1e12 or 1.0

    def order(row: Row) -> tuple[float, str]:
        return -max(row["tx_utilisation"], row["rx_utilisation"]), row["port"]

    for row in sorted(run.rows("ports"), key=order):
        yield row | {
            "tx_payload_bytes_per_s": row["tx_payload_bytes"] / seconds,
            "rx_payload_bytes_per_s": row["rx_payload_bytes"] / seconds,
            "credit_wait_share": credit_wait_share(run, row),
        }


def _credits_used(row: dict[str, Any]) -> Cell:
    used = row["tx_credit_max_in_use"]
    return Cell(f"{used} / {row['tx_bb_credit']}", used)


PORTS = Declaration(
    "ports",
    (
        text("port", "port"),
        text("peer", "peer"),
        text("speed", "speed"),
        share(
            "tx busy", "tx_utilisation", "share of the run during which the transmitter was busy"
        ),
        share("rx busy", "rx_utilisation"),
        rate("tx rate", "tx_payload_bytes_per_s", "payload"),
        rate("rx rate", "rx_payload_bytes_per_s", "payload"),
        count("tx frames", "tx_frames_count"),
        share(
            "credit wait",
            "credit_wait_share",
            "share of the run with a frame to send and no BB credit",
        ),
        Column("credits used", _credits_used, tip="most in use at once, of those granted"),
        number("queue", "tx_queue_mean_frames", "frames waiting at the transmitter, mean"),
    ),
    _port_rows,
    has_filter=True,
)


def _waiting_rows(run: Run) -> Iterator[Row]:
    for row in waiting_for_credit(run, 0.0):
        waits = max(1, row["tx_credit_wait_count"])
        yield row | {
            "credit_wait_share": credit_wait_share(run, row),
            "credit_wait_mean_ps": row["tx_credit_wait_ps"] / waits,
        }


WAITING = Declaration(
    "waiting",
    (
        text("port", "port"),
        time("waited", "tx_credit_wait_ps"),
        share("share of the run", "credit_wait_share"),
        count("times", "tx_credit_wait_count"),
        time("mean wait", "credit_wait_mean_ps"),
        count("credits", "tx_bb_credit"),
        text("waits for", "peer"),
    ),
    _waiting_rows,
)

FRAMES = Declaration(
    "frames",
    (
        text("flow", "flow"),
        text("kind", "kind"),
        count("frames", "frames_count"),
        size("payload", "payload_bytes"),
        time("network mean", "network_mean_ps"),
        time("network max", "network_max_ps"),
        time("end to end mean", "end_to_end_mean_ps"),
        time("end to end max", "end_to_end_max_ps"),
    ),
    lambda run: run.rows("frames"),
)
