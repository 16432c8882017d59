"""Writes that no cache takes: they are answered when their data are on the media."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sanlab.explain.candidates import stations
from sanlab.explain.candidates.case import DELAYS, Candidate
from sanlab.explain.credit import is_full
from sanlab.explain.evidence import Evidence, pick
from sanlab.words import show_count, show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case
    from sanlab.explain.view import Row

#: Stages in which a write waits for the media.
_STAGES = ("disk_queue", "seek", "rotation", "transfer", "parity", "media")
#: Those in which it waits for the arm of a disk.
_ARM = ("disk_queue", "seek", "rotation")
#: Share of the writes of a cache that it does not take from which that is what they wait for.
MOST = 0.5
#: Why a cache takes no writes: what to say, and what may help.
_REASONS: Final[dict[str, tuple[str, str]]] = {
    "alone": (
        "no other controller could keep a copy for {alone} of the time",
        "`without_partner: write-back`, which risks the data in the cache",
    ),
    "off": ("it is set to write through", "a cache that keeps writes"),
    "large": ("they are larger than it may keep", "a larger `dirty_limit`"),
    "none": ("{array} has no cache", "a cache for writes"),
}


@dataclass(frozen=True)
class Through:
    """A cache that takes no writes.

    Attributes
    ----------
    reason
        `alone`, `off`, `large` or `none`.
    name
        Its controller; the array where it has no cache.
    sentence
        Why it takes none, in words.
    """

    reason: str
    name: str
    sentence: str
    remedy: str
    evidence: tuple[Evidence, ...] = ()


def find(case: Case) -> Iterator[Candidate]:
    """Yield the cache that takes no writes, if the workload waits for media and nothing is full.

    A cache that lost its partner is named for every workload. One that never takes writes is named
    only for those that keep a number of I/Os open: others get all that they ask for.
    """
    share = case.view.share_of(case.workload, "write", _STAGES)
    if share < DELAYS or _is_anything_full(case):
        return
    through = of_case(case)
    if through is None or (
        through.reason != "alone" and (not case.is_closed or stations.nearly(case) is not None)
    ):
        return
    # SSDs and memory keep no arm waiting: without a cache they are what the array was bought for.
    if through.reason == "none" and case.view.share_of(case.workload, "write", _ARM) < DELAYS:
        return
    mean = case.view.mean_write(case.workload)
    yield Candidate(
        "write_through",
        through.name,
        share,
        None,
        f"writes that are answered only when they are on the media: {through.sentence};"
        f" {show_percent(share)} of the response time is the media, and a write takes"
        f" {show_time(mean)}",
        through.remedy,
        evidence=through.evidence,
    )


def of_case(case: Case) -> Through | None:
    """Return the cache on the workload's way that takes no writes; None if all do."""
    rows = [
        row
        for row in case.view.parts("caches")
        if ("controller", row["controller"]) in case.reach.stations
    ]
    arrays = [a for a in case.view.run.plan["arrays"] if a["name"] in case.reach.arrays]
    passed = [row for row in rows if row["through_count"]]
    if passed:
        top = max(passed, key=lambda row: (row["alone_ps"], row["through_count"]))
        return _of_cache(case, arrays, top)
    for array in arrays:
        if array["cache"] is None and array["disks"]:
            words, remedy = _REASONS["none"]
            return Through("none", array["name"], words.format(array=array["name"]), remedy)
    return None


def _of_cache(case: Case, arrays: list[dict[str, Any]], row: Row) -> Through | None:
    """Why a cache did not take writes."""
    array = next(
        array
        for array in arrays
        if any(one["name"] == row["controller"] for one in array["controllers"])
    )
    if row["alone_ps"]:
        reason = "alone"
    elif not _keeps_writes(array["cache"]):
        reason = "off"
    elif row["through_count"] >= MOST * case.view.flow(case.workload, "write").io_count:
        reason = "large"
    else:
        return None
    words, remedy = _REASONS[reason]
    why = words.format(alone=show_percent(row["alone_ps"] / max(1, case.view.window.span_ps)))
    count = show_count(int(row["through_count"]))
    return Through(
        reason,
        row["controller"],
        f"the cache of {row['controller']} took none of {count} writes, as {why}",
        remedy,
        (
            Evidence(
                "caches",
                {"controller": row["controller"]},
                pick(row, "through_count", "alone_ps", "written_bytes"),
            ),
        ),
    )


def _keeps_writes(cache: dict[str, Any]) -> bool:
    if cache["kind"] == "pages":
        return bool(cache["write_back"])
    return cache["dirty_limit_bytes"] is not None


def _is_anything_full(case: Case) -> bool:
    """Whether a station or a link on the way is saturated: then that is the limit."""
    view = case.view
    return any(use.is_saturated for use in view.stations_of(case.reach)) or any(
        is_full(view.ports[name]) for name in case.reach.ports if name in view.ports
    )
