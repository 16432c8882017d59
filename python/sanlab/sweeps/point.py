"""A point of a sweep: one setting and one seed, resolved to a plan."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.errors import ScenarioError
from sanlab.plan.compile import compile_plan, with_seed
from sanlab.plan.replay import kept_traces
from sanlab.plan.schema import FORMAT as PLAN_FORMAT
from sanlab.scenario.document import read_document
from sanlab.scenario.load import check_document, read_text
from sanlab.scenario.overrides import apply_overrides, as_texts
from sanlab.simulation.execute import stem_of
from sanlab.simulation.manifest import FORMAT as RUN_FORMAT
from sanlab.simulation.manifest import sanlab_version

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sanlab.plan.schema import Plan
    from sanlab.scenario.scenario import Scenario
    from sanlab.sweeps.design import Setting


#: Version of the rows that a point has: since 2, also of each phase.
POINT_FORMAT = 2


@dataclass(frozen=True)
class Point:
    """One simulation of a sweep.

    Attributes
    ----------
    key
        Hash of the setting, the plan, the seed and the versions of sanlab's formats. It does not
        depend on the order of the sweep or on what else is in it.
    setting
        Values of the parameters by path.
    repeat
        Counts from 0.
    """

    key: str
    setting: Setting
    repeat: int
    seed: int
    plan_json: str


class Compiler:
    """A scenario that is read once and resolved for each point."""

    def __init__(
        self, file: Path, overrides: Mapping[str, object], seed: int | None = None
    ) -> None:
        self.file = file
        self.stem = stem_of(file)
        self.text = read_text(file)
        self.overrides = as_texts(overrides)
        self._document = read_document(self.text, str(file))
        self._last: tuple[Setting, Scenario, Plan] | None = None
        self.seed = seed if seed is not None else self._seed_of_document()
        self._seed = seed

    def _seed_of_document(self) -> int:
        document = copy.deepcopy(self._document)
        apply_overrides(document, {k: v for k, v in self.overrides.items() if k == "seed"})
        seed = document.get("seed")
        return seed if isinstance(seed, int) else 0

    def plan(self, setting: Setting) -> Plan:
        """Resolve the scenario with the parameters set.

        Raises
        ------
        ScenarioError
            It cannot be simulated so.
        """
        return self._resolve(setting)[1]

    def _resolve(self, setting: Setting) -> tuple[Scenario, Plan]:
        """Check and resolve the scenario with the parameters set; the last is kept.

        Raises
        ------
        ScenarioError
            It cannot be simulated so.
        """
        if self._last is not None and self._last[0] == setting:
            return self._last[1:]
        document = copy.deepcopy(self._document)
        apply_overrides(document, self.overrides, ("-p", setting))
        scenario = check_document(document)
        plan = compile_plan(scenario)
        self._last = (setting, scenario, plan)
        return scenario, plan

    def traces(self) -> str | None:
        """Return the tables of the traces that the scenario replays as it is written."""
        document = copy.deepcopy(self._document)
        try:
            apply_overrides(document, self.overrides)
            return kept_traces(check_document(document))
        except ScenarioError:
            return None  # parameters may complete it

    def point(self, setting: Setting, repeat: int) -> Point:
        """Resolve one point."""
        scenario, plan = self._resolve(setting)
        seed = seed_of(self._seed if self._seed is not None else plan.seed, repeat)
        plan_json = with_seed(plan, scenario, seed).to_json()
        return Point(_key(setting, plan_json), setting, repeat, seed, plan_json)

    def refused(self, setting: Setting, repeat: int, reason: str) -> Point:
        """Name a point that cannot be resolved, so that it can be kept as failed."""
        seed = seed_of(self.seed, repeat)
        return Point(_key(setting, f"{seed} {reason}"), setting, repeat, seed, "")


def seed_of(seed: int, repeat: int) -> int:
    """Seed of a repeat. The first has the scenario's own, so that `sanlab run` gives the same.

    All settings share the seeds of their repeats, so that what differs between them is due to the
    setting and not to luck (common random numbers).

    >>> seed_of(1, 0), seed_of(1, 1) != seed_of(2, 1)
    (1, True)
    """
    if repeat == 0:
        return seed
    digest = hashlib.sha256(f"{seed}/repeat {repeat}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def versions() -> dict[str, str | int]:
    """Return what a result depends on besides plan and seed."""
    return {
        "sanlab": sanlab_version(),
        "plan": PLAN_FORMAT,
        "tables": RUN_FORMAT,
        "points": POINT_FORMAT,
    }


def _key(setting: Setting, plan_json: str) -> str:
    about = json.dumps([sorted(setting.items()), versions()], ensure_ascii=False)
    return hashlib.sha256(f"{about}\n{plan_json}".encode()).hexdigest()[:32]
