"""Workloads that nothing saturated limits: their own load, and what passes most of their time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sanlab.explain.candidates.links import WAITS_FOR_LINK
from sanlab.explain.candidates.stations import uses_of_stage
from sanlab.explain.culprits import SPREADING, passes, users_of
from sanlab.explain.forwarding import say_astray
from sanlab.explain.idle import stalled_in
from sanlab.explain.limit import Limit
from sanlab.explain.met import missing
from sanlab.results.columns import STAGES
from sanlab.results.throughput import has_order
from sanlab.words import show_count, show_percent

if TYPE_CHECKING:
    from sanlab.explain.candidates import Candidate, Case

#: Share of the response time that is most of it.
MOST = 0.5
#: Share of the response time up to which a delay by others is not what limits a workload.
SMALL = 0.3
#: Utilisation from which I/Os wait for each other noticeably.
HALF = 0.5


def unlimited(case: Case, jobs: list[dict[str, Any]]) -> Limit:
    """Nothing is saturated: the workload gets what it asks for."""
    stage = max(case.stages, key=lambda name: case.stages[name], default="")
    share = case.stages.get(stage, 0.0)
    most = f"; {show_percent(share)} of the response time is {STAGES[stage]}" if stage else ""
    words, others = _busy_there(case, stage)
    most += words
    window = case.view.window
    if is_closed(jobs):
        thinks = " plus the think time" if any(job["think_ps"] for job in jobs) else ""
        sentence = (
            "nothing is saturated, and the throughput is the number of open I/Os divided by the"
            f" response time{thinks}{most}"
        )
        limit = Limit(case.workload, window, "outstanding", "", share, None, sentence)
        return _and_shared(case, _and_astray(case, limit), others)
    short = missing(case.view, case.workload)
    if short:
        return _behind(case, share, short, most)
    sentence = f"nothing limits it, all I/Os that it asks for are done{most}"
    limit = Limit(case.workload, window, "offered_load", "", share, None, sentence)
    return _and_shared(case, _and_astray(case, limit), others)


def is_beside(case: Case, candidate: Candidate) -> bool:
    """Whether others delay a workload less than something on its own way that is not saturated."""
    if case.is_met or candidate.kind not in SPREADING or passes(case.reach, candidate):
        return False
    own = {name: share for name, share in case.stages.items() if name not in WAITS_FOR_LINK}
    return candidate.share < SMALL and max(own.values(), default=0.0) >= MOST


def beside(case: Case, candidate: Candidate, jobs: list[dict[str, Any]]) -> Limit:
    """Return that nothing limits a workload, with a small delay by others as a detail."""
    share = show_percent(candidate.share)
    limit = unlimited(case, jobs)
    detail = f"{share} of the response time is due to {candidate.sentence}. {limit.detail}"
    return replace(limit, detail=detail.strip())


def is_closed(jobs: list[dict[str, Any]]) -> bool:
    """Whether jobs keep a number of I/Os open, without a rate."""
    return any(job["iodepth"] and job["arrivals"] is None for job in jobs)


def _busy_there(case: Case, stage: str) -> tuple[str, tuple[str, ...]]:
    """The busiest element at which the time of a stage passes, and the workloads that use it too.

    Nothing if it is busy less than half of the time.
    """
    found = [(use.utilisation, use.name) for use in uses_of_stage(case, stage)]
    if stage in WAITS_FOR_LINK:
        ports = case.view.ports
        rows = [ports[name] for name in case.reach.ports if name in ports]
        found += [(row["tx_utilisation"], row["port"]) for row in rows]
    busy, name = max(found, default=(0.0, ""))
    if busy < HALF:
        return "", ()
    others = users_of(case.view, case.workload, name)
    too = f", and {' and '.join(others)} {'uses' if len(others) == 1 else 'use'} it too"
    return f"; {name} is busy {show_percent(busy)} there{too if others else ''}", others


def _and_shared(case: Case, limit: Limit, others: tuple[str, ...]) -> Limit:
    """Add who shares a busy element: what that costs, only a run without them says."""
    if not others or has_order(case.view.run):
        return replace(limit, culprits=others)
    names = " and ".join(others)
    detail = f"What sharing with {names} costs is not known from this run: --try simulates it."
    return replace(limit, detail=f"{limit.detail} {detail}".strip(), culprits=others)


def _and_astray(case: Case, limit: Limit) -> Limit:
    """Add that commands are forwarded between controllers, if they are."""
    detail = say_astray(case.view, case.workload)
    remedy = "paths to the controller that owns the LUN" if detail else ""
    return replace(limit, detail=detail, remedy=remedy)


def _behind(case: Case, share: float, short: float, most: str) -> Limit:
    """Nothing is saturated at the end, but I/Os that were asked for are not done: a stall."""
    words = f"{show_count(round(short))} I/Os that it asks for are not done at the end"
    stalled = stalled_in(case.view, case.workload, least=0.0)
    if stalled is not None:
        return replace(stalled, sentence=f"{stalled.sentence}; {words}")
    if any(one.job["iodepth"] for one in case.view.evidences.asking.get(case.workload, ())):
        words = "its open I/Os divided by the response time are less than its rate"
    sentence = f"nothing is saturated, but {words}{most}"
    return Limit(case.workload, case.view.window, "outstanding", "", share, None, sentence)
