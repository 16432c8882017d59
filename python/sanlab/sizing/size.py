"""The largest or smallest value that meets the goals; with two parameters the frontier."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.errors import SanlabError
from sanlab.plan.compile import compile_plan
from sanlab.scenario.document import read_document
from sanlab.scenario.load import check_document, read_text
from sanlab.scenario.overrides import apply_overrides, as_texts
from sanlab.sizing.point import measure_point
from sanlab.sizing.search import search
from sanlab.trials.variants import in_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from sanlab.sizing.axis import Axis
    from sanlab.sizing.goal import Goal
    from sanlab.sizing.point import Point
    from sanlab.sizing.search import Found
    from sanlab.trials.places import Place, Seat

#: Values of the first of two parameters, ends included.
LINES = 9


@dataclass(frozen=True)
class Question:
    """What has to hold, and what is varied.

    Attributes
    ----------
    goals
        All have to be met.
    axes
        One or two parameters. Of two, values of the first are taken evenly, and the second is
        searched for each.
    overrides
        Values to change, as for a run.
    """

    file: Path
    goals: tuple[Goal, ...]
    axes: tuple[Axis, ...]
    overrides: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Edge:
    """The edge along one parameter.

    Attributes
    ----------
    fixed
        Value of the first parameter, of two; None with one.
    axis
        The parameter that was searched.
    """

    fixed: str | None
    axis: Axis
    found: Found[Point]

    @property
    def last(self) -> str | None:
        """The value at the edge that meets the goals; None if none does."""
        return None if self.found.last is None else self.axis.values[self.found.last]

    @property
    def beyond(self) -> str | None:
        """Its neighbour that misses them; None if all values that were tried meet them."""
        return None if self.found.beyond is None else self.axis.values[self.found.beyond]

    @property
    def last_point(self) -> Point | None:
        """The setting at the edge."""
        return None if self.found.last is None else self.found.points[self.found.last]

    @property
    def beyond_point(self) -> Point | None:
        """The first setting that misses the goals."""
        return None if self.found.beyond is None else self.found.points[self.found.beyond]


@dataclass(frozen=True)
class Sizing:
    """What was asked, and the edge; with two parameters one edge for each value of the first."""

    title: str
    goals: tuple[Goal, ...]
    axes: tuple[Axis, ...]
    edges: tuple[Edge, ...]

    @property
    def is_frontier(self) -> bool:
        """Two parameters were varied."""
        return len(self.axes) > 1


def size(
    question: Question,
    *,
    cache: Path | None = None,
    on_point: Callable[[int], None] | None = None,
    place: Place | None = None,
) -> Sizing:
    """Search the values of one parameter, or the frontier of two, that meet the goals.

    Parameters
    ----------
    cache
        Folder that keeps each simulation, so that an interrupted search goes on.
    on_point
        Called with the number of settings simulated so far.
    place
        Where they are simulated; on the cores of this machine by default.

    Raises
    ------
    SanlabError
        A goal names a workload that is not there, or there are no or too many parameters.
    ScenarioError
        The scenario is refused with every value.
    """
    goals, axes = question.goals, question.axes
    if not goals or not 1 <= len(axes) <= 2:
        reason = "a size needs at least one --goal, and one or two --vary"
        raise SanlabError(reason)
    text, changes = read_text(question.file), as_texts(question.overrides)

    def plan_of(setting: Mapping[str, str]) -> str:
        document = read_document(text, str(question.file))
        apply_overrides(document, changes, ("--vary", setting))
        return compile_plan(check_document(document)).to_json()

    title = _check(plan_of, goals, axes)
    done = 0

    def measure(settings: Sequence[dict[str, str]]) -> list[Point]:
        nonlocal done

        def one(setting: dict[str, str], seat: Seat) -> Point:
            return measure_point(setting, plan_of, goals, cache, seat)

        points = in_parallel(settings, one, place=place)
        done += len(points)
        if on_point is not None:
            on_point(done)
        return points

    edges = []
    for fixed in _fixed(axes):
        base = {} if fixed is None else {axes[0].path: fixed}
        axis = axes[-1]
        found = search(
            len(axis.values),
            lambda at, base=base, axis=axis: measure(  # type: ignore[misc]
                [base | {axis.path: axis.values[place]} for place in at]
            ),
            lambda point: point.is_met,
            os.cpu_count() or 1,
            lambda point: not point.refusal,
        )
        edges.append(Edge(fixed, axis, found))
    return Sizing(title, goals, axes, tuple(edges))


def _check(
    plan_of: Callable[[Mapping[str, str]], str], goals: Sequence[Goal], axes: Sequence[Axis]
) -> str:
    """Refuse goals of unknown workloads, and scenarios that are refused at both ends."""
    settings = [{axis.path: axis.values[end] for axis in axes} for end in (0, -1)]
    try:
        plan = json.loads(plan_of(settings[0]))
    except SanlabError:
        plan = json.loads(plan_of(settings[1]))
    names = [row["name"] for row in plan["workloads"] if row["file_system"] is None]
    for goal in goals:
        if goal.workload is not None and goal.workload not in names:
            known = f"its workloads are {', '.join(names)}" if names else "it has no workloads"
            reason = f"--goal {goal.text}: the scenario has no workload '{goal.workload}'; {known}"
            raise SanlabError(reason)
    title: str = plan["title"]
    return title


def _fixed(axes: Sequence[Axis]) -> list[str | None]:
    """Values of the first of two parameters: at most `LINES`, ends included."""
    if len(axes) == 1:
        return [None]
    values = axes[0].values
    steps = min(LINES, len(values))
    return [values[round(step * (len(values) - 1) / (steps - 1))] for step in range(steps)]
