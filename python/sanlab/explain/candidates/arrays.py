"""Limits, caches and copies of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates.case import MATTERS, Candidate
from sanlab.explain.evidence import Evidence, pick
from sanlab.words import show_count, show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case


def find(case: Case) -> Iterator[Candidate]:
    """Yield what arrays hold commands back for."""
    if case.share("limit") >= MATTERS:
        yield from _limit(case)
    if case.share("cache") >= MATTERS:
        yield from _room(case)
    if case.share("mirror") >= MATTERS:
        yield Candidate(
            "mirror",
            case.arrays,
            case.share("mirror"),
            None,
            f"copies to another array: {show_percent(case.share('mirror'))} of the response time",
            "a shorter distance, one round trip for each write, more copies in progress, or an"
            " asynchronous copy",
        )
    if case.share("task_set") >= MATTERS:
        yield Candidate(
            "task_set_full",
            case.arrays,
            case.share("task_set"),
            None,
            "TASK SET FULL: the hosts open more commands than the array accepts",
            "a lower queue depth in the hosts, or more LUNs or ports of the array",
            is_behind=False,
        )


def _limit(case: Case) -> Iterator[Candidate]:
    rows = [row for row in case.view.run.rows("limits") if row["delayed_count"]]
    luns = {job["lun"] for job in case.view.run.rows("jobs") if job["workload"] == case.workload}
    own = [
        row
        for row in rows
        if row["limit"] in luns or any(row["limit"].startswith(host) for host in case.reach.hosts)
    ]
    top = max(own or rows, key=lambda row: row["delayed_count"], default=None)
    if top is None:
        return
    yield Candidate(
        "array_limit",
        top["limit"],
        case.share("limit"),
        None,
        f"the limit of {top['limit']} in the array: {show_count(top['delayed_count'])} commands"
        f" waited for it, {show_time(top['mean_wait_ps'])} on average",
        "a higher limit",
        evidence=(Evidence("limits", {"limit": top["limit"]}, pick(top, "delayed_count")),),
    )


def _room(case: Case) -> Iterator[Candidate]:
    rows = [
        row
        for row in case.view.run.rows("caches")
        if row["room_waits_count"] and ("controller", row["controller"]) in case.reach.stations
    ]
    top = max(rows, key=lambda row: row["room_wait_ps"], default=None)
    if top is None:
        return
    yield Candidate(
        "cache_room",
        top["controller"],
        case.share("cache"),
        None,
        f"the cache of {top['controller']}: {show_count(top['room_waits_count'])} writes waited for"
        " room, since data come faster than they are destaged",
        "faster media, or fewer writes; a larger cache only delays it",
        evidence=(
            Evidence(
                "caches",
                {"controller": top["controller"]},
                pick(top, "room_waits_count", "full_ps", "max_dirty_bytes"),
            ),
        ),
    )
