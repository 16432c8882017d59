"""Why a port waits for BB credit: the walk downstream to the cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.explain.receiver import busy_behind
from sanlab.explain.saturation import MOST, SATURATED
from sanlab.results.ports import WAITS

if TYPE_CHECKING:
    from sanlab.explain.view import Row, Use, View

#: Frames waiting at a transmitter, mean over a window, from which it has a queue.
QUEUES = 1.0
#: Share of the time without credit from which a nearly full link is held back by what is behind it.
HELD_BACK = 0.05


@dataclass(frozen=True)
class Cause:
    """The cause of a port's wait for credit.

    Attributes
    ----------
    kind
        `saturated` (an output downstream is full), `slow` (a device empties its buffers late),
        `busy` (the I/O bus behind a host's port is busy), `lost` (credit was lost),
        `distance` (too few credits for the length of the link), `queued` (frames queue at an output
        downstream that is not full: bursts, or a load that came and went) or `unknown`.
    port
        The port that causes it: the transmitter that is full or has the queue, the slow receiver,
        or the waiting port.
    path
        Names of the transmitters from the waiting one to the cause, in that order.
    station
        What is busy behind the port; None unless `busy`.
    """

    kind: str
    port: str
    path: tuple[str, ...]
    station: Use | None = None


def cause_of_waiting(view: View, port: Row) -> Cause:
    """Walk downstream from a port that waits for credit to the cause of the wait.

    A receiver returns credit late because it cannot forward its frames. At a switch the walk
    continues at the output with the longest wait. It ends at a saturated output, at a slow N_Port,
    at lost credit, or at a link that is too long for its credits.
    """
    rows = view.ports
    outputs = view.outputs
    path = [port["port"]]
    while True:
        receiver = rows.get(port["peer"])
        if receiver is None:
            return Cause("unknown", port["peer"], tuple(path))
        if receiver["kind"] == "n_port":
            if receiver["port"] in view.slow:
                return Cause("slow", receiver["port"], tuple(path))
            behind = busy_behind(view, receiver["port"])
            if behind is not None:
                return Cause("busy", receiver["port"], tuple(path), behind)
            return _at_the_end(view, port, path, [])
        ahead = [
            row
            for row in outputs[receiver["node"]]
            if row["port"] != receiver["port"]
            and row["port"] not in path
            and _may_follow(view, port["port"], row["port"])
        ]
        following = max(ahead, key=lambda row: _pressure(view, row), default=None)
        if following is None or _pressure(view, following) < WAITS:
            return _at_the_end(view, port, path, ahead)
        path.append(following["port"])
        if is_saturated(following) and not is_held_back(view, following):
            return Cause("saturated", following["port"], tuple(path))
        port = following


def _may_follow(view: View, port: str, output: str) -> bool:
    """Whether frames from a port may leave by an output: not where known ways use one alone.

    Ways are those of the plan. A port that none of them uses may be on one after a failure.
    """
    ways = view.evidences.ways
    return port not in ways or output not in ways or not ways[port].isdisjoint(ways[output])


def is_saturated(port: Row) -> bool:
    """Busy with frames waiting: a nearly full fibre alone need not delay any frame."""
    return is_full(port) and bool(port["tx_queue_mean_frames"] >= QUEUES)


def is_held_back(view: View, port: Row) -> bool:
    """Whether a nearly full link waits for credit in the rest: a faster one waits longer."""
    return view.credit_wait_share(port) >= HELD_BACK


def is_full(port: Row) -> bool:
    """Busy nearly all the time, or in most bins of the window."""
    return bool(port["tx_utilisation"] >= SATURATED or port.get("full_share", 0.0) > MOST)


def _pressure(view: View, port: Row) -> float:
    """How much a transmitter delays frames behind it: waits for credit, or for a full fibre."""
    full = port["tx_utilisation"] if is_saturated(port) else 0.0
    return max(view.credit_wait_share(port), full)


def _at_the_end(view: View, port: Row, path: list[str], ahead: list[Row]) -> Cause:
    if port["port"] in view.lost_credit:
        return Cause("lost", port["port"], tuple(path))
    if min(credits_for_a_frame(view.run.plan, port)) < credits_to_fill(view.run.plan, port):
        return Cause("distance", port["port"], tuple(path))
    longest = max(ahead, key=lambda row: row["tx_queue_mean_frames"], default=None)
    if longest is not None and longest["tx_queue_mean_frames"] >= QUEUES:
        return Cause("queued", longest["port"], (*path, longest["port"]))
    return Cause("unknown", port["peer"], tuple(path))


def credits_to_fill(plan: dict[str, Any], port: Row) -> float:
    """BB credits this port needs to keep its fibre full with frames of the mean size it sent.

    The time from the first bit of a frame to the R_RDY for it, over the time to send one frame: the
    frame itself, the light both ways, and the time an N_Port keeps its buffer. A trunk sends on all
    its members at once. Of a link with virtual channels it is the credit that frames of one channel
    need to fill the link alone.
    """
    link = plan["links"][port["link"]]
    frame = port["tx_bytes"] / max(1, port["tx_frames_count"]) + link["gap_bytes"]
    sending_ps = frame / link["bytes_per_s"] * 1e12
    hold_ps = 0
    for end in (link["a"], link["b"]):
        if end["kind"] == "n_port":
            n_port = plan["n_ports"][end["n_port"]]
            if n_port["name"] == port["peer"]:
                hold_ps = n_port["rx_hold_ps"]
    round_trip_ps = sending_ps + 2 * link["delay_ps"] + hold_ps
    return float(link["members"] * round_trip_ps / sending_ps)


def credits_for_a_frame(plan: dict[str, Any], port: Row) -> list[int]:
    """BB credit of each virtual channel of a port; without channels, its credit."""
    link = plan["links"][port["link"]]
    if not link["virtual_channels"]:
        return [port["tx_bb_credit"]]
    is_a = port["node"] == plan["switches"][link["a"]["switch"]]["name"]
    way = "credit_a_to_b" if is_a else "credit_b_to_a"
    return [channel[way] for channel in link["virtual_channels"]]


def say_shortage(plan: dict[str, Any], port: Row) -> str:
    """Say what credit a port has and what its link needs, as the end of a sentence: "has ..."."""
    own = credits_for_a_frame(plan, port)
    needed = round(credits_to_fill(plan, port))
    if len(own) == 1:
        return f"{port['tx_bb_credit']}, and its link needs {needed} to stay full"
    each = str(min(own)) if min(own) == max(own) else f"{min(own)} to {max(own)}"
    return (
        f"{port['tx_bb_credit']}, {each} for each of {len(own)} virtual channels, and frames of one"
        f" channel need {needed} to fill the link"
    )


def say_enough(plan: dict[str, Any], port: Row) -> str:
    """Say what credit would fill the link of a port, as a noun phrase."""
    channels = len(credits_for_a_frame(plan, port))
    each = round(credits_to_fill(plan, port))
    if channels == 1:
        return f"{each} credits for frames of this size"
    return (
        f"{channels * each} credits for frames of this size, {each} for each of {channels} virtual"
        " channels"
    )


def queueing(view: View, node: str) -> list[Row]:
    """Outputs of a box with frames waiting most of the time, longest queue first."""
    rows = [row for row in view.outputs.get(node, ()) if row["tx_queue_mean_frames"] >= QUEUES]
    return sorted(rows, key=lambda row: (-row["tx_queue_mean_frames"], row["port"]))
