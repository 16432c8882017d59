"""Copies of writes to another array: what they wait for on their way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sanlab.explain.candidates import links, stations
from sanlab.explain.candidates.case import DELAYS, MATTERS, Candidate
from sanlab.quantities import counted
from sanlab.words import show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.candidates.case import Case

#: Share of the copies that wait for their turn from which their number limits.
HALF = 0.5
#: Stages by which the candidates of the copies' way know the time of a copy, each once.
_STAGES = ("tx_queue", "controller", "disk_queue", "media")


def _on_the_way(case: Case, share: float) -> float:
    """Share of the time of a copy that is light on the longest link, there and back."""
    writes = case.view.flow(case.workload, "write").io_count
    spent_ps = share * case.view.flow(case.workload).response_ps
    return min(1.0, _light_ps(case) * writes / spent_ps) if spent_ps else 0.0


def _light_ps(case: Case) -> int:
    """Time of light of a copy on the longest link, there and back as often as it must."""
    copies = case.reach.copies
    names = copies.ports if copies is not None else set()
    rows = [case.view.ports[name] for name in names if name in case.view.ports]
    links = case.view.run.plan["links"]
    delay_ps = max((links[row["link"]]["delay_ps"] for row in rows), default=0)
    return 2 * _round_trips(case) * delay_ps


def _most_at_once(case: Case) -> int:
    """Most copies at once, if most copies wait for their turn; else 0."""
    found = [
        row["max_outstanding"]
        for row in case.view.run.rows("mirrors")
        if row["source"].split(".")[0] in case.reach.arrays
        and row["waits_count"] > HALF * row["copies_count"]
    ]
    return max(found, default=0)


def _round_trips(case: Case) -> int:
    """Fewest round trips of a copy of the workload."""
    plan = case.view.run.plan
    mirrors = [
        plan["arrays"][target["array"]]["luns"][target["lun"]]["mirror"]
        for one in case.view.evidences.asking.get(case.workload, ())
        for target in one.job["targets"]
    ]
    one_trip = any(mirror and mirror["one_round_trip_bytes"] for mirror in mirrors)
    accelerated = any(link["write_acceleration_bytes"] for link in plan["links"])
    return 1 if one_trip or accelerated else 2


def find(case: Case) -> Iterator[Candidate]:
    """Yield what is full on the way of the copies, and the copies themselves."""
    share = case.share("mirror")
    if share < MATTERS:
        return
    rest = share
    if case.reach.copies is not None:
        distance = share * _on_the_way(case, share)
        waits = share - distance
        way = replace(case, reach=case.reach.copies, stages=dict.fromkeys(_STAGES, waits))
        for one in (*links.find(way), *stations.find(way)):
            detail = f"Copies to another array pass it. {one.detail}".strip()
            rest = distance
            yield replace(one, detail=detail)
    if share < DELAYS:
        return
    many = _most_at_once(case)
    turns = f", at most {many} at once, which wait for their turn" if many else ""
    more = "more copies at once, " if many else "more writes open at once, "
    shorter = "one round trip for each write, " if _round_trips(case) > 1 else ""
    light = _light_ps(case) if _on_the_way(case, share) >= HALF else 0
    detail = (
        f"A copy needs {counted(_round_trips(case), 'round trip')}: {show_time(light)} of light."
        if light
        else ""
    )
    yield Candidate(
        "mirror",
        case.arrays,
        rest,
        None,
        f"copies to another array{turns}: {show_percent(share)} of the response time",
        f"{more}a shorter distance, {shorter}or an asynchronous copy",
        detail,
    )
