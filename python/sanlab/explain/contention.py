"""Workloads that others slow down with nothing saturated: with them, and without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sanlab.explain.candidates.case import Case, port_evidence
from sanlab.explain.candidates.links import WAITS_FOR_LINK
from sanlab.explain.candidates.stations import uses_of_stage
from sanlab.explain.culprits import reaches_element
from sanlab.explain.evidence import Evidence
from sanlab.explain.limit import DOMAINS, Limit
from sanlab.explain.reach import Reach
from sanlab.explain.rebuilds import rebuilds_in
from sanlab.results.columns import STAGES
from sanlab.words import show_longer, show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.explain.view import View

#: How much longer responses take beside others from which it is worth a word.
SLOWER: Final = 1.25
#: Fewest I/Os of the times that are compared.
LEAST_IOS: Final = 100
#: Kinds of stations that a rebuild uses.
DRIVES: Final = ("disk", "ssd")
#: Share of the additional time that one stage has to explain.
MOST: Final = 0.5


@dataclass(frozen=True)
class _Part:
    """A window, and the mean times of the I/Os of the workload in it."""

    view: View
    others: frozenset[str]
    count: int
    mean_ps: float
    stages: dict[str, float]


def slowed(parts: Sequence[View], workload: str) -> dict[int, Limit]:
    """Return what slows a workload down in windows in which others ask for I/O too, by place.

    A window is compared with those in which fewer others ask, and none that do not ask in it.
    """
    known = {place: _part(view, workload) for place, view in enumerate(parts)}
    found = {}
    for place, part in known.items():
        before = [one for one in known.values() if one.others < part.others]
        count = sum(one.count for one in before)
        if min(count, part.count) < LEAST_IOS:
            continue
        base = sum(one.mean_ps * one.count for one in before) / count
        if part.mean_ps >= SLOWER * base:
            longest = max(before, key=lambda one: one.count)
            limit = _limit(workload, part, longest, base)
            if limit is not None:
                found[place] = limit
    return found


def _part(view: View, workload: str) -> _Part:
    window, evidences = view.window, view.evidences
    asking = {
        name
        for name, own in evidences.asking.items()
        if any(one.asks_in(window.from_ps, window.to_ps) for one in own)
    }
    streams = {
        stream["name"] for stream in view.run.plan["traffic"] if stream["start_ps"] < window.to_ps
    }
    flow = view.flow(workload)
    count = flow.io_count
    stages = {name: spent / max(1, count) for name, spent in view.stages(workload).items()}
    rebuilds = {_rebuild(one.group) for one in rebuilds_in(view)}
    others = frozenset(asking | streams | rebuilds) - {workload}
    return _Part(view, others, count, flow.response_ps / max(1, count), stages)


def _rebuild(group: str) -> str:
    """The name of a rebuild among other workloads."""
    return f"the rebuild of {group}"


def _limit(workload: str, part: _Part, before: _Part, base_ps: float) -> Limit | None:
    """The stage that grew most, the busiest element there, and the others that use it."""
    view = part.view
    grown = {stage: spent - before.stages.get(stage, 0.0) for stage, spent in part.stages.items()}
    stage = max(grown, key=grown.__getitem__)
    if grown[stage] < MOST * (part.mean_ps - base_ps):
        return None
    reach = view.evidences.reach.get(workload, Reach())
    case = Case(view, workload, reach, view.shares(workload))
    every = view.evidences.flow_reach | view.evidences.reach
    every |= {
        _rebuild(one.group): Reach(stations={(kind, disk) for disk in one.disks for kind in DRIVES})
        for one in rebuilds_in(view)
    }
    new = [name for name in sorted(part.others - before.others) if name in every]
    elements = [
        (busy, name, tuple(other for other in new if reaches_element(every[other], name)))
        for busy, name in _elements(case, stage)
    ]
    shared = [one for one in elements if one[2]]
    if not shared:
        return None
    busy, element, culprits = max(shared, key=lambda one: (one[0], one[1]))
    window = before.view.window
    names = " and ".join(culprits)
    longer = show_longer(part.mean_ps / base_ps)
    since = f"from {show_time(window.from_ps)} to {show_time(window.to_ps)}"
    sentence = (
        f"slowed down by {names}: a response takes {longer} {since},"
        f" most of it {STAGES[stage]}; {element}, which both use, is busy {show_percent(busy)}"
    )
    return Limit(
        workload,
        view.window,
        "contention",
        element,
        1.0 - base_ps / part.mean_ps,
        busy,
        sentence,
        remedy=f"a limit or another time for {names}, or less sharing of {element}",
        culprits=culprits,
        evidence=_evidence(view, element, busy),
        at=DOMAINS[stage],
    )


def _elements(case: Case, stage: str) -> list[tuple[float, str]]:
    """Elements at which the time of a stage passes, with their use."""
    found = [(use.utilisation, use.name) for use in uses_of_stage(case, stage)]
    if stage in WAITS_FOR_LINK:
        ports = case.view.ports
        rows = [ports[name] for name in case.reach.ports if name in ports]
        found += [(row["tx_utilisation"], row["port"]) for row in rows]
    return found


def _evidence(view: View, element: str, busy: float) -> tuple[Evidence, ...]:
    if element in view.ports:
        return (port_evidence(view.ports[element], "tx_utilisation", "tx_queue_mean_frames"),)
    return (Evidence("stations", {"station": element}, {"utilisation": busy}),)
