"""What limits each workload of a run, in each of its windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.explain.candidates import Case, best
from sanlab.explain.contention import slowed
from sanlab.explain.culprits import SPREADING, culprits_of, passes
from sanlab.explain.flows import limit_of_flow, window_of_flow
from sanlab.explain.idle import held_back, stalled_in, without_io
from sanlab.explain.limit import Limit, domain_shares
from sanlab.explain.met import is_met, missing
from sanlab.explain.once import once_for_each_run
from sanlab.explain.reach import Reach
from sanlab.explain.saturation import SATURATED
from sanlab.explain.unlimited import beside, is_beside, is_closed, unlimited
from sanlab.explain.view import Evidences
from sanlab.explain.window import active, whole, windows

if TYPE_CHECKING:
    from sanlab.explain.candidates import Candidate
    from sanlab.explain.limit import Domain
    from sanlab.explain.view import View
    from sanlab.results.record import Record

#: Kinds of limits without something busy: a part of the run may show what is behind.
VAGUE = ("queue_depth", "cache_room")
#: Share of the response time that is most of it.
MOST = 0.5
#: How much more of the response time a kind of limit of parts of the run has to explain.
MORE = 2.0


@dataclass(frozen=True)
class Explained:
    """A workload: what limits it over the whole run and in each window.

    Attributes
    ----------
    workload
        Its name.
    overall
        What limits it while it asks for I/O; or only in the part of the run in which most of its
        response time passes.
    limits
        The same for each window in which it asks for I/O, in the order of time; neighbours with
        the same limit are joined.
    domains
        Share of its response time in hosts, fabric and arrays; sums to 1.
    stages
        Share of its response time in each stage, largest first.
    """

    workload: str
    overall: Limit
    limits: tuple[Limit, ...]
    domains: dict[Domain, float]
    stages: dict[str, float]


@once_for_each_run
def explain(run: Record) -> list[Explained]:
    """Return what limits each workload of a run, in the order of the scenario.

    Workloads without I/O in the measured time are explained as well: no path, or a stall. Of a
    measurement nothing is known but its I/Os, so nothing is explained.
    """
    if run.manifest.measured is not None:
        return []
    evidences = Evidences(run)
    overall = evidences.view(whole(run))
    parts = [evidences.view(window) for window in windows(run)]
    found = []
    for workload in _workloads(run):
        limit = limit_of(evidences.view(active(run, evidences.asking.get(workload, ()))), workload)
        if limit is None:
            continue
        limits = _limits(parts, workload, limit) if len(parts) > 1 else (limit,)
        stages = overall.stages(workload)
        total = sum(stages.values())
        ranked = sorted(stages.items(), key=lambda pair: -pair[1])
        found.append(
            Explained(
                workload,
                _dominant(evidences, limit, limits),
                limits,
                domain_shares(stages),
                {stage: spent / total for stage, spent in ranked if spent},
            )
        )
    return found


@once_for_each_run
def explain_flows(run: Record) -> list[Explained]:
    """Return what limits each stream of plain frames of a run, in the order of the scenario.

    Streams have no response time and no time line, so each has one limit, that of the time in which
    its port sends.
    """
    if run.manifest.measured is not None or not run.plan["traffic"]:
        return []
    evidences = Evidences(run)
    limits = [
        limit_of_flow(evidences.view(window_of_flow(evidences, stream)), stream)
        for stream in run.plan["traffic"]
    ]
    return [Explained(limit.workload, limit, (limit,), {}, {}) for limit in limits]


def _limits(parts: list[View], workload: str, overall: Limit) -> tuple[Limit, ...]:
    """What limits a workload in each window; of elements that are as full, the same each time."""
    found: list[Limit] = []
    others = slowed(parts, workload)
    for place, view in enumerate(parts):
        before = found[-1].element if found else ""
        limit = limit_of(view, workload, (overall.element, before))
        if limit is not None:
            found.append(others.get(place, limit) if limit.is_harmless else limit)
    return tuple(_joined(found)) or (overall,)


def _dominant(evidences: Evidences, limit: Limit, limits: tuple[Limit, ...]) -> Limit:
    """The limit of a part of the run that explains more of the response time than the whole."""
    definite = [one for one in limits if not one.is_harmless and one.kind not in VAGUE]
    if not definite:
        return limit
    spent = [_response_ps(evidences, one) for one in definite]
    whole_ps = _response_ps(evidences, limit)
    longest = max(range(len(definite)), key=spent.__getitem__)
    if limit.is_harmless or limit.kind in VAGUE:
        behind = _fell_behind(evidences, definite)
        if behind is not None:
            return behind
        if spent[longest] >= MOST * whole_ps:
            return definite[longest]
        beside = [one for one in definite if one.kind == "contention" and limit.is_harmless]
        return max(beside, key=lambda one: one.share, default=limit)
    explained: dict[str, float] = {}
    for one, response in zip(definite, spent, strict=True):
        explained[one.kind] = explained.get(one.kind, 0.0) + one.share * response
    most = max(explained, key=explained.__getitem__)
    if most == limit.kind or explained[most] <= MORE * limit.share * whole_ps:
        return limit
    own = [place for place, one in enumerate(definite) if one.kind == most]
    return definite[max(own, key=spent.__getitem__)]


def _fell_behind(evidences: Evidences, limits: list[Limit]) -> Limit | None:
    """The limit of the part in which most I/Os of a rate stayed open; they complete after it."""
    short = [missing(evidences.view(one.window), one.workload) for one in limits]
    most = max(range(len(limits)), key=short.__getitem__)
    return limits[most] if short[most] > 0 else None


def _response_ps(evidences: Evidences, limit: Limit) -> float:
    """Response times of a limited workload in the window of the limit, summed."""
    return evidences.view(limit.window).flow(limit.workload).response_ps


def _workloads(run: Record) -> list[str]:
    """Workloads of applications with jobs, in the order of the plan."""
    used = {job["workload"] for job in run.plan["jobs"]}
    return [
        workload["name"]
        for number, workload in enumerate(run.plan["workloads"])
        if number in used and workload["file_system"] is None
    ]


def _joined(limits: list[Limit]) -> list[Limit]:
    """Join neighbours with the same limit; the longer one speaks for both."""
    joined: list[Limit] = []
    for limit in limits:
        last = joined[-1] if joined else None
        if last is None or (last.kind, last.element) != (limit.kind, limit.element):
            joined.append(limit)
            continue
        longer = max(last, limit, key=lambda one: one.window.span_ps)
        joined[-1] = longer.within(last.window.until(limit.window))
    return joined


def limit_of(view: View, workload: str, prefer: tuple[str, ...] = ()) -> Limit | None:
    """Return what limits a workload in a window; None if it asks for nothing there.

    Of elements that are as full as each other, one of `prefer` is named.
    """
    jobs = _jobs(view, workload)
    if not jobs:
        return None
    flow = view.flow(workload)
    reach = view.evidences.reach.get(workload, Reach())
    if not flow.io_count:
        return without_io(view, workload, reach, flow.error_count)
    closed = is_closed(jobs)
    met = not closed and is_met(view, workload)
    case = Case(view, workload, reach, view.shares(workload), prefer, closed, met)
    candidate = best(case)
    stalled = _stalled(case, candidate)
    if stalled is not None:
        return stalled
    if candidate is None:
        return unlimited(case, jobs)
    if is_beside(case, candidate):
        return beside(case, candidate, jobs)
    return Limit(
        workload,
        view.window,
        candidate.kind,
        candidate.element,
        candidate.share,
        candidate.utilisation,
        candidate.sentence,
        candidate.detail,
        candidate.remedy,
        culprits_of(view, workload, candidate),
        candidate.kind in SPREADING and not passes(reach, candidate),
        candidate.evidence,
        met,
    )


def _stalled(case: Case, candidate: Candidate | None) -> Limit | None:
    """A stall, where it explains more than a candidate that is not saturated."""
    if candidate is None or (candidate.utilisation or 0.0) < SATURATED:
        stalled = stalled_in(case.view, case.workload)
        if stalled is not None:
            return stalled
    is_queued = candidate is not None and (candidate.kind == "queue_depth" or case.front >= MOST)
    if is_queued and not case.is_closed:
        return held_back(case.view, case.workload, case.view.flow(case.workload).response_ps)
    return None


def _jobs(view: View, workload: str) -> list[dict[str, Any]]:
    """Jobs of a workload that may ask for I/O in a window."""
    return [
        one.job
        for one in view.evidences.asking.get(workload, ())
        if one.asks_in(view.window.from_ps, view.window.to_ps)
    ]
