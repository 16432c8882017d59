"""One setting simulated, in as many seeds as it takes to tell whether it meets the goals."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.compare.figures import Figure, figures, show_figure
from sanlab.errors import ScenarioError
from sanlab.explain.explanation import explain
from sanlab.stats.interval import mean_interval
from sanlab.trials.variants import judged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sanlab.results.record import Record
    from sanlab.sizing.goal import Goal
    from sanlab.trials.places import Seat

#: Seeds of a setting that one seed cannot tell.
SEEDS = 5


@dataclass(frozen=True)
class Value:
    """A figure that a goal asks for, and half of its 95 % confidence interval.

    `value` is None where no I/O, or too few for the percentile, completed.
    """

    goal: Goal
    value: float | None
    half_width: float | None

    @property
    def shown(self) -> str:
        """The figure with half of its interval."""
        known = None if self.value is None else Figure(self.value, self.half_width)
        return show_figure(self.goal.metric, known, is_relative=False)

    @property
    def is_met(self) -> bool:
        """Whether the goal is met; without I/O it is not, except that nothing may fail."""
        return self.value is not None and self.goal.is_met_by(self.value)

    @property
    def is_sure(self) -> bool:
        """The interval does not hold the bound."""
        if self.value is None:
            return True
        if self.half_width is None:
            return False
        return self.half_width == 0 or abs(self.value - self.goal.bound) > self.half_width


@dataclass(frozen=True)
class Point:
    """A setting, its figures and what limits the workloads of the goals.

    Attributes
    ----------
    setting
        Values by path.
    values
        One for each goal.
    limits
        What limits each workload, in one sentence each.
    seeds
        How many were simulated.
    refusal
        Why the scenario does not allow the setting.
    """

    setting: tuple[tuple[str, str], ...]
    values: tuple[Value, ...] = ()
    limits: tuple[str, ...] = ()
    seeds: int = 0
    refusal: str = ""

    @property
    def is_met(self) -> bool:
        """All goals are met."""
        return not self.refusal and all(value.is_met for value in self.values)

    @property
    def is_sure(self) -> bool:
        """No goal is so near its bound that chance decides."""
        missed = [value for value in self.values if not value.is_met]
        return bool(self.refusal) or (
            any(value.is_sure for value in missed)
            if missed
            else all(value.is_sure for value in self.values)
        )


def measure_point(
    setting: Mapping[str, str],
    plan_of: Callable[[Mapping[str, str]], str],
    goals: tuple[Goal, ...],
    cache: Path | None,
    seat: Seat,
) -> Point:
    """Simulate a setting; further seeds only if the first cannot tell."""
    key = tuple(setting.items())
    try:
        plan_json = plan_of(setting)
    except ScenarioError as error:
        return Point(key, refusal=error.problems[0].reason)
    answers = [judged(plan_json, "figures and limits", _answer, cache, seat)]
    point = _point(key, goals, answers)
    if point.is_sure:
        return point
    plan = json.loads(plan_json)
    for step in range(1, SEEDS):
        plan_json = json.dumps(plan | {"seed": (plan["seed"] + step) % 2**64})
        answers.append(judged(plan_json, "figures and limits", _answer, cache, seat))
    return _point(key, goals, answers)


def _answer(run: Record) -> dict[str, Any]:
    """Figures of all workloads together and of each, and what limits it."""
    explained = explain(run)
    names = [None, *(one.workload for one in explained)]
    return {
        "figures": {
            name or "": {
                metric: [figure.value, figure.half_width]
                for metric, figure in figures(run, name).items()
            }
            for name in names
        },
        "limits": {one.workload: one.overall.headline for one in explained},
    }


def _point(
    key: tuple[tuple[str, str], ...], goals: tuple[Goal, ...], answers: list[dict[str, Any]]
) -> Point:
    limits = answers[0]["limits"]
    asked = {goal.workload for goal in goals}
    shown = [text for name, text in limits.items() if None in asked or name in asked]
    values = tuple(_value(goal, answers) for goal in goals)
    return Point(key, values, tuple(shown), len(answers))


def _value(goal: Goal, answers: list[dict[str, Any]]) -> Value:
    found = [answer["figures"][goal.workload or ""].get(goal.metric) for answer in answers]
    known = [pair for pair in found if pair is not None]
    if len(known) < len(found):
        return Value(goal, None, None)
    if len(known) == 1:
        return Value(goal, *known[0])
    interval = mean_interval([pair[0] for pair in known])
    return Value(goal, interval.mean, interval.half_width)
