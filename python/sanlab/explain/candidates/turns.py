"""Paths that a host uses one after the other: one is full, and the others rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.explain.candidates.case import MATTERS, Candidate, port_evidence
from sanlab.explain.credit import is_full
from sanlab.quantities import counted
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case
    from sanlab.explain.view import Row

#: Sum of the utilisations of paths that are full one at a time.
ONE_AT_A_TIME = (0.85, 1.25)
#: Share of the response time on the way from which links in turn are what limits.
NEARLY_ALL = 0.8
#: Stages in which frames wait for a link.
_WAITS = ("tx_queue", "switch", "credit_wait")


def find(case: Case) -> Iterator[Candidate]:
    """Yield parallel links or ports that are full in turn, as exchanges or hosts take one."""
    waits = case.share(*_WAITS)
    if waits < MATTERS or len(case.reach.hosts) != 1:
        return
    yield from _links(case, waits)
    ios = _turn(case)
    if ios is None:
        return
    for rows in _parallel(case):
        used = sum(row["tx_utilisation"] for row in rows)
        low, high = ONE_AT_A_TIME
        if len(rows) < 2 or not low <= used <= high or any(is_full(row) for row in rows):
            continue
        top = max(rows, key=lambda row: (row["tx_utilisation"], row["port"]))
        (host,) = case.reach.hosts
        mean = show_percent(used / len(rows))
        yield Candidate(
            "path_turns",
            host,
            waits + case.share("wire"),
            top["tx_utilisation"],
            f"the turns of its paths: {host} sends {counted(ios, 'I/O')} over one path before it"
            f" takes the next, so that {len(rows)} paths are full one after the other and busy"
            f" {mean} of the time on average",
            "fewer I/Os on each path before the next, or the path with the fewest requests",
            evidence=tuple(port_evidence(row, "tx_utilisation") for row in rows),
        )
        return


def _links(case: Case, waits: float) -> Iterator[Candidate]:
    """Yield links between two switches that are full in turn: an exchange takes one of them.

    An adapter or an array sends the data of one exchange after the other, so more open I/Os do not
    change it. Nearly all of the response time has to be the way.
    """
    if waits + case.share("wire") < NEARLY_ALL:
        return
    ports = [case.view.ports[name] for name in case.reach.ports if name in case.view.ports]
    beside: dict[tuple[str, str], list[Row]] = {}
    node_of = {row["port"]: row["node"] for row in case.view.ports.values()}
    for row in ports:
        if row["kind"] == "e_port":
            beside.setdefault((row["node"], node_of.get(row["peer"], "")), []).append(row)
    for (near, far), rows in sorted(beside.items()):
        used = sum(row["tx_utilisation"] for row in rows)
        low, high = ONE_AT_A_TIME
        if len(rows) < 2 or not low <= used <= high:
            continue
        if any(is_full(row) for row in rows):
            continue
        top = max(rows, key=lambda row: (row["tx_utilisation"], row["port"]))
        mean = show_percent(used / len(rows))
        yield Candidate(
            "link_turns",
            top["port"],
            waits + case.share("wire"),
            top["tx_utilisation"],
            f"one link at a time: each exchange takes one of the {len(rows)} links from {near} to"
            f" {far}, which are full one after the other and busy {mean} of the time on average",
            "the links as one trunk, or requests from several ports at once",
            evidence=tuple(port_evidence(row, "tx_utilisation") for row in rows),
        )
        return


def _turn(case: Case) -> int | None:
    """I/Os on a path before the next, if that is as many as a job of the workload keeps open."""
    plan = case.view.run.plan
    for one in case.view.evidences.asking.get(case.workload, ()):
        job: dict[str, Any] = one.job
        multipath = plan["hosts"][job["host"]]["multipath"]
        spreading = multipath["spreading"] if multipath else {}
        if spreading.get("kind") != "round_robin" or spreading["ios"] < max(2, job["iodepth"] or 1):
            return None
        ios: int = spreading["ios"]
        return ios
    return None


def _parallel(case: Case) -> Iterator[list[Row]]:
    """Ports beside each other: of the array, of the host, and those of switches towards them."""
    ports, reach = case.view.ports, case.reach
    for names in (reach.targets, reach.initiators):
        own = [ports[name] for name in sorted(names) if name in ports]
        yield own
        yield [ports[row["peer"]] for row in own if row["peer"] in ports]
