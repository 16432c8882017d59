"""Questions about ports and links: the busiest ones, waits for credit, and their causes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    from sanlab.results.record import Record

Port = dict[str, Any]

#: Share of the run with a frame to send and no credit from which a port counts as waiting.
WAITS = 0.01
#: Utilisation from which a transmitter counts as saturated.
SATURATED = 0.9
#: Frames waiting at a transmitter, mean over the run, from which it has a queue.
QUEUES = 1.0


@dataclass(frozen=True)
class Cause:
    """The cause of a port's wait for credit.

    Attributes
    ----------
    kind
        `saturated` (an output downstream is full), `slow` (a device empties its buffers late),
        `distance` (too few credits for the length of the link), `queued` (frames queue at an output
        downstream that is not full over the whole run: bursts, or a load that came and went) or
        `unknown`.
    port
        The port that causes it: the transmitter that is full or has the queue, the slow receiver,
        or the waiting port.
    path
        Names of the transmitters from the waiting one to the cause, in that order.
    """

    kind: str
    port: str
    path: tuple[str, ...]


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


def credits_to_fill(run: Record, port: Port) -> float:
    """BB credits this port needs to keep its fibre full with frames of the mean size it sent.

    The time from the first bit of a frame to the R_RDY for it, over the time to send one frame: the
    frame itself, the light both ways, and the time an N_Port keeps its buffer.
    """
    link = run.plan["links"][port["link"]]
    frame = port["tx_bytes"] / max(1, port["tx_frames_count"]) + link["gap_bytes"]
    sending_ps = frame / link["bytes_per_s"] * 1e12
    hold_ps = 0
    for end in (link["a"], link["b"]):
        if end["kind"] == "n_port" and _n_port(run, end)["name"] == port["peer"]:
            hold_ps = _n_port(run, end)["rx_hold_ps"]
    return float((sending_ps + 2 * link["delay_ps"] + hold_ps) / sending_ps)


def cause_of_waiting(run: Record, port: Port) -> Cause:
    """Walk downstream from a port that waits for credit to the cause of the wait.

    A receiver returns credit late because it cannot forward its frames. At a switch the walk
    continues at the output with the longest wait. It ends at a saturated output, at a slow N_Port,
    or at a link that is too long for its credits.
    """
    rows = {row["port"]: row for row in on_links(run)}
    outputs: dict[str, list[Port]] = {}
    for row in rows.values():
        outputs.setdefault(row["node"], []).append(row)
    path = [port["port"]]
    while True:
        receiver = rows[port["peer"]]
        if receiver["kind"] == "n_port":
            if _is_slow(run, receiver["port"]):
                return Cause("slow", receiver["port"], tuple(path))
            return _distance_or_queued(run, port, path, [])
        ahead = [
            row
            for row in outputs[receiver["node"]]
            if row["port"] != receiver["port"] and row["port"] not in path
        ]
        following = max(ahead, key=lambda row: _pressure(run, row), default=None)
        if following is None or _pressure(run, following) < WAITS:
            return _distance_or_queued(run, port, path, ahead)
        path.append(following["port"])
        if _is_saturated(following):
            return Cause("saturated", following["port"], tuple(path))
        port = following


def _pressure(run: Record, port: Port) -> float:
    """How much a transmitter delays frames behind it: waits for credit, or for a full fibre."""
    full = port["tx_utilisation"] if _is_saturated(port) else 0.0
    return max(credit_wait_share(run, port), full)


def _is_saturated(port: Port) -> bool:
    """Busy with frames waiting: a nearly full fibre alone need not delay any frame."""
    return bool(port["tx_utilisation"] >= SATURATED and port["tx_queue_mean_frames"] >= QUEUES)


def _distance_or_queued(run: Record, port: Port, path: list[str], ahead: list[Port]) -> Cause:
    if port["tx_bb_credit"] < credits_to_fill(run, port):
        return Cause("distance", port["port"], tuple(path))
    longest = max(ahead, key=lambda row: row["tx_queue_mean_frames"], default=None)
    if longest is not None and longest["tx_queue_mean_frames"] >= QUEUES:
        return Cause("queued", longest["port"], (*path, longest["port"]))
    return Cause("unknown", port["peer"], tuple(path))


def queueing(run: Record, node: str) -> list[Port]:
    """Outputs of a box with frames waiting most of the time, longest queue first."""
    rows = [
        row
        for row in run.rows("ports")
        if row["node"] == node and row["tx_queue_mean_frames"] >= QUEUES
    ]
    return sorted(rows, key=lambda row: (-row["tx_queue_mean_frames"], row["port"]))


def parallel_to(run: Record, port: Port) -> list[Port]:
    """Other links from the same switch to the same switch, seen from its side."""
    rows = run.rows("ports")
    node_of = {row["port"]: row["node"] for row in rows}
    if port["kind"] != "e_port":
        return []
    return [
        row
        for row in rows
        if row["kind"] == "e_port"
        and row["port"] != port["port"]
        and row["node"] == port["node"]
        and node_of[row["peer"]] == node_of[port["peer"]]
    ]


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


def _is_slow(run: Record, name: str) -> bool:
    n_port = next((row for row in run.plan["n_ports"] if row["name"] == name), None)
    return n_port is not None and n_port["drain_bytes_per_s"] is not None


def _n_port(run: Record, end: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = run.plan["n_ports"][end["n_port"]]
    return row
