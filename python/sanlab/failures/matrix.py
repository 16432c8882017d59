"""The matrix: every single failure simulated, on all cores, resumable."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from sanlab.errors import SanlabError, ScenarioError
from sanlab.failures.effect import Effect, effects
from sanlab.failures.parts import KINDS, Failure, failures_of, pair
from sanlab.plan.compile import compile_plan
from sanlab.quantities import format_time
from sanlab.scenario.document import read_document
from sanlab.scenario.load import check_document, read_text
from sanlab.scenario.overrides import apply_overrides, as_texts
from sanlab.trials.variants import in_parallel, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sanlab.plan.schema import Plan
    from sanlab.trials.places import Place, Seat

#: Most pairs of failures that are simulated.
MOST_PAIRS = 5000
#: Share of the run after which the failure comes.
AT = 0.3


@dataclass(frozen=True)
class Wanted:
    """Which failures are simulated.

    Attributes
    ----------
    kinds
        Kinds of failures; all if empty.
    with_pairs
        Also every two of the failures at once that are survived alone.
    """

    kinds: tuple[str, ...] = ()
    with_pairs: bool = False


@dataclass(frozen=True)
class Row:
    """A failure and what it does; `refusal` says why it could not be simulated."""

    failure: Failure
    effects: list[Effect]
    refusal: str = ""

    @property
    def is_pair(self) -> bool:
        """Two failures at once."""
        return len(self.failure.faults) > 1

    @property
    def is_survived(self) -> bool:
        """No workload and no host is down at the end, and no I/O failed."""
        return not any(
            one.state == "down" or one.hosts_down or one.error_count for one in self.effects
        )


@dataclass(frozen=True)
class Matrix:
    """All single failures of a scenario.

    Attributes
    ----------
    at_ps
        When each failure comes.
    end_ps
        How long each run simulates.
    timeout_ps
        Longest time-out of a path or a command in the hosts.
    """

    title: str
    at_ps: int
    end_ps: int
    timeout_ps: int
    rows: list[Row]

    @property
    def is_too_short(self) -> bool:
        """The runs end before the hosts have given up what failed."""
        return self.end_ps - self.at_ps < 2 * self.timeout_ps


def failure_matrix(  # noqa: PLR0913  one for each choice of the caller
    file: Path,
    *,
    overrides: Mapping[str, object] | None = None,
    wanted: Wanted | None = None,
    cache: Path | None = None,
    on_row: Callable[[int, int], None] | None = None,
    place: Place | None = None,
) -> Matrix:
    """Simulate every single failure of a scenario, each for good, after `AT` of the run.

    Parameters
    ----------
    overrides
        Values to change, as for a run; `measure.duration` for one that is long enough.
    wanted
        Which failures; every single one by default.
    cache
        Folder that keeps each result, so that an interrupted matrix goes on.
    on_row
        Called with the number of failures done and of all.
    place
        Where they are simulated; on the cores of this machine by default.

    Raises
    ------
    SanlabError
        The scenario has faults of its own, jobs that end by themselves, or a kind is unknown.
    """
    wanted = wanted or Wanted()
    unknown = [kind for kind in wanted.kinds if kind not in KINDS]
    if unknown:
        reason = f"there is no kind of failure '{unknown[0]}'; kinds are {', '.join(KINDS)}"
        raise SanlabError(reason)
    text, changes = read_text(file), as_texts(overrides or {})
    plan = _plan(text, file, changes, None, 0)
    as_data: dict[str, Any] = json.loads(plan.to_json())
    document = read_document(text, str(file))
    apply_overrides(document, changes)
    _refuse_unlike(file, as_data, has_faults=bool(document.get("faults")))
    at_ps = int(AT * plan.end_ps)
    found = failures_of(as_data, check_document(document))
    failures = [one for one in found if not wanted.kinds or one.kind in wanted.kinds]
    scenario = text, file, changes

    def one(failure: Failure, seat: Seat) -> Row:
        return _row(failure, scenario, at_ps, cache, seat)

    rows = in_parallel(failures, one, on_row, place)
    if wanted.with_pairs:
        rows += in_parallel(_pairs(rows), one, on_row, place)
    return Matrix(plan.title, at_ps, plan.end_ps, _timeout_ps(as_data), rows)


def _pairs(rows: list[Row]) -> list[Failure]:
    """Every two failures that are survived alone."""
    alone = [row.failure for row in rows if row.is_survived and not row.refusal]
    found = [pair(one, other) for one, other in combinations(alone, 2)]
    if len(found) > MOST_PAIRS:
        reason = (
            f"{len(alone)} failures are {len(found)} pairs, and {MOST_PAIRS} is the limit. Choose"
            " kinds of failures, --kind switch --kind controller"
        )
        raise SanlabError(reason)
    return found


def _timeout_ps(plan: dict[str, Any]) -> int:
    adapters = [adapter for host in plan["hosts"] for adapter in host["adapters"]]
    timeouts = [adapter["path_timeout_ps"] for adapter in adapters]
    return max(
        [*timeouts, *(adapter["command_timeout_ps"] or 0 for adapter in adapters)], default=0
    )


def _refuse_unlike(file: Path, plan: dict[str, Any], *, has_faults: bool) -> None:
    if has_faults:
        reason = (
            f"{file}: it has faults already, and the matrix adds one at a time. Remove 'faults', or"
            " add --set faults=[]"
        )
        raise SanlabError(reason)
    if not plan["jobs"]:
        reason = f"{file}: it has no workload that could notice a failure. Add 'workloads'"
        raise SanlabError(reason)
    if any(job["total_bytes"] is not None for job in plan["jobs"]):
        reason = (
            f"{file}: its jobs end by themselves, so before and after a failure cannot be compared."
            " Write 'time_based: true' and a 'runtime', or leave out 'loops' and 'io_size'"
        )
        raise SanlabError(reason)


def _plan(
    text: str, file: Path, changes: Mapping[str, str], failure: Failure | None, at_ps: int
) -> Plan:
    document = read_document(text, str(file))
    apply_overrides(document, changes)
    if failure is not None:
        document["faults"] = [fault | {"at": format_time(at_ps)} for fault in failure.faults]
    return compile_plan(check_document(document))


def _row(
    failure: Failure,
    scenario: tuple[str, Path, Mapping[str, str]],
    at_ps: int,
    cache: Path | None,
    seat: Seat,
) -> Row:
    try:
        plan_json = _plan(*scenario, failure, at_ps).to_json()
    except ScenarioError as error:
        return Row(failure, [], error.problems[0].reason)
    question = f"effects of {failure.name} on workloads, hosts at {at_ps}"
    found = judged(
        plan_json,
        question,
        lambda run: [asdict(effect) for effect in effects(run, at_ps)],
        cache,
        seat,
    )
    return Row(failure, [Effect(**row) for row in found])
