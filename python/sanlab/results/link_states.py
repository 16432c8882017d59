"""Links that were dark or not in service, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sanlab.words import show_time

#: States of ports that are as meant.
MEANT = ("online", "no light", "initialising")


@dataclass(frozen=True)
class LinkState:
    """What kept a link from carrying frames.

    Attributes
    ----------
    is_over
        It carries frames at the end of the run.
    words
        What it was and when.
    """

    is_over: bool
    words: str


def link_states(plan: dict[str, Any], end: int) -> dict[int, LinkState]:
    """Return the state of each link that was not up all the time before `end`, by its index.

    Parameters
    ----------
    plan
        The plan as plain data.
    end
        Instant in ps: the end of a run, or one within it.
    """
    found: dict[int, LinkState] = {}
    since: dict[int, int] = {}
    for number, link in enumerate(plan["links"]):
        outages = [row for row in link.get("outages", ()) if row["from_ps"] < end]
        if outages:
            found[number] = _dark(outages, end)
            since[number] = outages[-1]["from_ps"]
    by_port = {
        (side["switch"], side["port"]): number
        for number, link in enumerate(plan["links"])
        for side in (link["a"], link["b"])
        if side["kind"] == "switch"
    }
    services = plan["services"] or {"ports": []}
    for row in services["ports"]:
        place = by_port.get((row["switch"], row["port"]))
        if place is None or row["at_ps"] >= end:
            continue
        if row["state"] not in MEANT:
            words = f"{row['state']} from {show_time(row['at_ps'])} on: {row['reason']}"
            found[place] = LinkState(is_over=False, words=words)
            since[place] = row["at_ps"]
        elif place in found and row["state"] == "online" and row["at_ps"] > since[place]:
            found[place] = LinkState(is_over=True, words=found[place].words)
    return found


def _dark(outages: list[dict[str, Any]], end: int) -> LinkState:
    last = outages[-1]
    begin = show_time(last["from_ps"])
    if last["until_ps"] is None or last["until_ps"] >= end:
        return LinkState(is_over=False, words=f"down from {begin} on")
    return LinkState(is_over=True, words=f"down from {begin} to {show_time(last['until_ps'])}")
