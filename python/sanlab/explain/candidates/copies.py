"""Copies of writes to another array: what they wait for on their way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sanlab.explain.candidates import links, stations
from sanlab.explain.candidates.case import DELAYS, MATTERS, Candidate
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case

#: Stages by which the candidates of the copies' way know the time of a copy, each once.
_STAGES = ("tx_queue", "controller", "disk_queue", "media")


def find(case: Case) -> Iterator[Candidate]:
    """Yield what is full on the way of the copies, and the copies themselves."""
    share = case.share("mirror")
    if share < MATTERS:
        return
    if case.reach.copies is not None:
        way = replace(case, reach=case.reach.copies, stages=dict.fromkeys(_STAGES, share))
        for one in (*links.find(way), *stations.find(way)):
            detail = f"Copies to another array pass it. {one.detail}".strip()
            yield replace(one, detail=detail)
    if share < DELAYS:
        return
    yield Candidate(
        "mirror",
        case.arrays,
        share,
        None,
        f"copies to another array: {show_percent(share)} of the response time",
        "a shorter distance, one round trip for each write, more copies in progress, or an"
        " asynchronous copy",
    )
