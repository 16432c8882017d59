"""Limits, caches and task sets of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.explain.candidates.case import MATTERS, Candidate
from sanlab.explain.evidence import Evidence, pick
from sanlab.words import show_count, show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case

#: Stations behind a cache.
BEHIND = ("disk", "ssd", "media", "parity")
#: Utilisation from which media behind a full cache matter, though they have gaps.
WORKING = 0.5
#: Answers of TASK SET FULL for each I/O from which the task set is what commands wait for.
REFUSED = 0.01


def find(case: Case) -> Iterator[Candidate]:
    """Yield what arrays hold commands back for."""
    if case.behind(case.share("limit")) >= MATTERS:
        yield from _limit(case)
    if case.behind(case.room) >= MATTERS:
        yield from _room(case)
    yield from _full_task_sets(case)


def _full_task_sets(case: Case) -> Iterator[Candidate]:
    """After TASK SET FULL a host keeps commands back, so they wait at both ends."""
    share = case.share("task_set", "lun_queue")
    rows = [row for row in case.view.run.rows("workloads") if row["workload"] == case.workload]
    full = sum(row["queue_full_count"] for row in rows)
    done = sum(row["io_count"] for row in rows)
    if share < MATTERS or full < REFUSED * done:
        return
    yield Candidate(
        "task_set_full",
        case.arrays,
        share,
        None,
        f"TASK SET FULL, the answer to {show_count(full)} of its commands: the hosts open more"
        " than the array accepts",
        "a larger task set, or more LUNs or ports of the array; a lower queue depth in the hosts"
        " only avoids the answer",
        evidence=tuple(
            Evidence(
                "workloads",
                {"workload": row["workload"], "op": row["op"]},
                pick(row, "queue_full_count", "io_count"),
            )
            for row in rows
        ),
        is_behind=False,
    )


def _limit(case: Case) -> Iterator[Candidate]:
    rows = [row for row in case.view.parts("limits") if row["delayed_count"]]
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


def _more_room(case: Case) -> str:
    """Say what may help a full cache: its media, or more writes to them at once."""
    behind = [use for use in case.view.stations_of(case.reach) if use.kind in BEHIND]
    top = max(behind, key=lambda use: use.utilisation, default=None)
    if top is not None and top.is_saturated:
        return "faster media, or fewer writes; a larger cache only delays it"
    if top is None or top.utilisation < WORKING:
        return "more destages at once, or larger ones; a larger cache only delays it"
    return (
        f"more or faster media ({top.name} is busy {show_percent(top.utilisation)}), fewer"
        " operations for each write, or more destages at once; a larger cache only delays it"
    )


def _room(case: Case) -> Iterator[Candidate]:
    rows = [
        row
        for row in case.view.parts("caches")
        if row["room_waits_count"] and ("controller", row["controller"]) in case.reach.stations
    ]
    top = max(rows, key=lambda row: row["room_wait_ps"], default=None)
    if top is None:
        return
    yield Candidate(
        "cache_room",
        top["controller"],
        case.room,
        None,
        f"the cache of {top['controller']}: {show_count(top['room_waits_count'])} writes waited for"
        " room, since data come faster than they are destaged",
        _more_room(case),
        evidence=(
            Evidence(
                "caches",
                {"controller": top["controller"]},
                pick(top, "room_waits_count", "full_ps", "max_dirty_bytes"),
            ),
        ),
    )
