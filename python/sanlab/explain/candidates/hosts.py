"""Queues, interrupts and file systems of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates.case import MATTERS, Candidate
from sanlab.explain.evidence import Evidence, pick
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case


def find(case: Case) -> Iterator[Candidate]:
    """Yield what hosts hold I/Os back for."""
    queued = case.share("lun_queue")
    if queued >= MATTERS:
        yield Candidate(
            "queue_depth",
            case.hosts,
            queued,
            None,
            f"the queue depth of its LUN or adapter: {show_percent(queued)} of the response time is"
            " waiting in the host, and nothing behind it is busy",
            "a deeper queue",
            "The array does not see this wait.",
            is_behind=False,
        )
    moderated = case.share("interrupt")
    if moderated >= MATTERS:
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


def _file_system(case: Case) -> Iterator[Candidate]:
    rows = [
        row
        for row in case.view.run.rows("file_systems")
        if row["file_system"] in case.reach.file_systems
    ]
    top = max(rows, key=lambda row: row["allocation_utilisation"], default=None)
    if top is None:
        return
    busy = top["allocation_utilisation"]
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
