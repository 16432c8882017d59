"""Questions about ports and links: the busiest ones, and waits for credit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    from sanlab.results.record import Record

Port = dict[str, Any]

#: Share of the run with a frame to send and no credit from which a port counts as waiting.
WAITS = 0.01


def on_links(run: Record) -> list[Port]:
    """Rows of `ports` that are ends of links; ports on loops send only within circuits."""
    return [row for row in run.rows("ports") if row["kind"] not in {"nl_port", "fl_port"}]


def busiest(run: Record, count: int = 5) -> list[Port]:
    """Rows of `ports` with the busiest transmitters of links, busiest first."""
    rows = on_links(run)
    return sorted(rows, key=lambda row: (-row["tx_utilisation"], row["port"]))[:count]


def credit_wait_share(run: Record, port: Port) -> float:
    """Share of the run in which a port had a frame to send and no credit, 0 to 1."""
    span = run.manifest.simulated_ps
    return float(port["tx_credit_wait_ps"] / span) if span else 0.0


def waiting_for_credit(run: Record, share: float = WAITS) -> list[Port]:
    """Rows of `ports` that waited for credit longer than `share` of the run, longest first.

    Ports on loops are not included: the opened port returns R_RDY within the circuit, so only that
    port can cause a wait.
    """
    rows = [row for row in on_links(run) if credit_wait_share(run, row) > share]
    return sorted(rows, key=lambda row: (-row["tx_credit_wait_ps"], row["port"]))


def busy_while_waiting(run: Record, busy: str, waiting: str) -> float | None:
    """Utilisation of one port in the time another waited for credit; None without a time line."""
    if "port_series" not in run.tables:
        return None
    table = run.table("port_series")
    ports = texts(table, "port")
    shares = numbers(table, "tx_utilisation")[ports == busy].tolist()
    waits = numbers(table, "tx_credit_wait_ps")[ports == waiting].astype(float).tolist()
    waited = sum(waits)
    if not waited or len(shares) != len(waits):
        return None
    return float(sum(share * wait for share, wait in zip(shares, waits, strict=True)) / waited)
