"""Queues, interrupts and file systems of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates.case import DELAYS, MATTERS, Candidate
from sanlab.explain.evidence import Evidence, pick
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case

#: Share of the time that a metadata server is busy from which it limits a workload with a rate.
BUSY = 0.7


def find(case: Case) -> Iterator[Candidate]:
    """Yield what hosts hold I/Os back for."""
    queued = case.share("lun_queue")
    if queued >= MATTERS:
        queue, remedy = _queue(case)
        yield Candidate(
            "queue_depth",
            case.hosts,
            queued,
            None,
            f"{queue}: {show_percent(queued)} of the response time is waiting in the host, and"
            " nothing behind it is busy",
            remedy,
            "The array does not see this wait.",
            is_behind=False,
        )
    moderated = case.share("interrupt")
    if moderated >= DELAYS:
        yield Candidate(
            "interrupt",
            case.hosts,
            moderated,
            None,
            f"interrupt moderation: {show_percent(moderated)} of the response time",
            "a shorter delay, at the cost of processor time",
        )
    if case.share("file_system") >= MATTERS:
        yield from _file_system(case)


def _queue(case: Case) -> tuple[str, str]:
    """The queue that is full, with its depth, and what may help."""
    plan = case.view.run.plan
    luns: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for job in plan["jobs"]:
        for target in job["targets"]:
            for path in target["paths"]:
                used = luns.setdefault((job["host"], path["adapter"]), set())
                used.add((target["array"], target["lun"]))
    depths = []
    for (host, number), used in luns.items():
        adapter = plan["hosts"][host]["adapters"][number]
        name = plan["n_ports"][adapter["n_port"]]["name"]
        if name in case.reach.initiators:
            both = adapter["max_commands"], adapter["lun_queue_depth"] * len(used)
            depths.append((min(both), both[0] < both[1], adapter["lun_queue_depth"], name))
    if not depths:
        return "the queue depth of its LUN or adapter", "a deeper queue"
    throttle, is_throttle, depth, name = min(depths)
    if is_throttle:
        return f"the execution throttle of {name}, {throttle} commands", "a higher throttle"
    return f"the queue depth of its LUN at {name}, {depth} commands", "a deeper queue"


def _file_system(case: Case) -> Iterator[Candidate]:
    rows = [
        row
        for row in case.view.parts("file_systems")
        if row["file_system"] in case.reach.file_systems
    ]
    top = max(rows, key=lambda row: row["allocation_utilisation"], default=None)
    if top is None:
        return
    busy = top["allocation_utilisation"]
    if not case.is_closed and busy < BUSY:
        return
    yield Candidate(
        "metadata_server",
        top["file_system"],
        case.share("file_system"),
        busy,
        f"the allocation of blocks for {top['file_system']}, busy {show_percent(busy)} of the time",
        "larger writes, files that exist already, or a faster metadata server",
        evidence=(
            Evidence(
                "file_systems",
                {"file_system": top["file_system"]},
                pick(top, "allocation_utilisation", "allocation_count"),
            ),
        ),
    )
