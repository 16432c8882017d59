"""Workloads and streams that use much of the element that limits another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sanlab.explain.candidates import Candidate
    from sanlab.explain.reach import Reach
    from sanlab.explain.view import View

#: Share of the bytes through an element from which another workload is named.
CULPRIT = 0.3
#: Kinds of limits that a workload does not share.
OWN = (
    *("queue_depth", "interrupt", "path_turns", "task_set_full"),
    *("mirror", "fault", "lost_frames", "no_path"),
)
#: Kinds of limits that reach workloads which do not use the element.
SPREADING = ("slow_receiver", "congestion", "bursts", "credit_loss", "credit")


def culprits_of(view: View, workload: str, candidate: Candidate) -> tuple[str, ...]:
    """Other workloads with much of the bytes through an element, most bytes first."""
    if candidate.kind in OWN or candidate.culprits:
        return candidate.culprits
    return users_of(view, workload, candidate.element)


def users_of(view: View, workload: str, element: str) -> tuple[str, ...]:
    """Other workloads with much of the bytes through an element, most bytes first."""
    loads = {
        name: float(view.flow(name).bytes)
        for name, reach in (view.evidences.flow_reach | view.evidences.reach).items()
        if reaches_element(reach, element)
    }
    total = sum(loads.values())
    ranked = sorted(loads, key=lambda name: (-loads[name], name))
    return tuple(
        name for name in ranked if name != workload and total and loads[name] >= CULPRIT * total
    )


def passes(reach: Reach, candidate: Candidate) -> bool:
    """Whether I/Os pass the element of a limit."""
    return reaches_element(reach, candidate.element)


def reaches_element(reach: Reach, element: str) -> bool:
    """Whether I/Os pass an element, by its name."""
    if reach.copies is not None and reaches_element(reach.copies, element):
        return True
    named = reach.ports | reach.loops | reach.initiators | reach.targets
    return element in named or any(element == name for _, name in reach.stations)
