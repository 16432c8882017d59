"""Changes during a simulation, as events of its scenario at the present simulated time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sanlab.quantities import QuantityError, format_time, parse_time
from sanlab.scenario.edit import edited
from sanlab.server.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.server.models import Edit

#: Times of changes are whole microseconds, which read better.
GRID_PS = 10**6
#: Lists of events, and the end of one.
EVENTS = re.compile(r"faults|qos|zoning(\[\d+\])?\.activate|switches(\[\d+\]|\.[^.]+)\.new_domain")
END = re.compile(r"faults(\[\d+\]|\.\d+)\.until")


def time_of_change(now_ps: int) -> int:
    """Return the time of a change that is made now: the next on the grid.

    >>> time_of_change(1_500_001), time_of_change(2_000_000)
    (2000000, 2000000)
    """
    return -(-now_ps // GRID_PS) * GRID_PS


def changed(text: str, edits: Sequence[Edit], at_ps: int) -> str:
    """Return a scenario with events added at a time.

    `insert` into `faults`, `qos` or `zoning.activate` adds an event, with `at` filled in; `set` of
    `faults[N].until` ends a fault, with the time filled in.

    Raises
    ------
    Refusal
        A change is of another kind, or in the past.
    ScenarioError
        The scenario does not allow it.
    """
    return edited(text, [(one.op, one.path, _timed(one, at_ps)) for one in edits])


def _timed(edit: Edit, at_ps: int) -> Any:  # noqa: ANN401  plain data
    if edit.op == "set" and END.fullmatch(edit.path):
        return _later(edit.value, at_ps)
    if edit.op == "insert" and EVENTS.fullmatch(edit.path) and isinstance(edit.value, dict):
        return edit.value | {"at": _later(edit.value.get("at"), at_ps)}
    reason = f"{edit.op} {edit.path}: a simulation that runs only takes new events"
    remedy = "Insert into faults, qos or zoning.activate; or stop, edit and start again"
    raise Refusal(422, reason, remedy)


def _later(value: object, at_ps: int) -> str:
    """Return a time as written, or the present one."""
    if value is None:
        return format_time(at_ps)
    try:
        is_past = parse_time(str(value)) < at_ps
    except QuantityError as error:
        raise Refusal(422, f"'{value}': {error.reason}", error.remedy) from None
    if is_past:
        reason = f"{value} is in the past of the simulation, which is at {format_time(at_ps)}"
        raise Refusal(422, reason, "Leave the time out, or write a later one")
    return str(value)
