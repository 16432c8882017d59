"""The compiled part of sanlab: a plan goes in as JSON, tables come out as columns."""

from typing import Any, final

__all__ = ["Control", "PlanError", "RunError", "drive_blocks", "drive_load", "replay", "run"]

class PlanError(Exception):
    """The plan does not hold together."""

class RunError(Exception):
    """A law does not hold, or a run could not go on."""

@final
class Control:
    """How a run goes: read it and stop the run from another thread."""

    def __new__(cls) -> Control: ...
    @property
    def now_ps(self) -> int:
        """Simulated time reached, in picoseconds."""

    @property
    def events(self) -> int:
        """Events handled so far."""

    def stop(self) -> None:
        """Stop the run; what there is becomes its result, marked incomplete."""

def run(
    plan_json: str,
    control: Control | None = None,
    *,
    capture: list[tuple[int, int]] | None = None,
    capture_path: str | None = None,
    capture_limit: int = ...,
    reference: bool = False,
) -> dict[str, Any]:
    """Simulate a plan. The interpreter is free meanwhile.

    `tables` of the result has the columns of each table by name: numbers as a `memoryview` of shape
    (rows,) and format `Q` or `d`, text as a list of strings.
    """

def drive_blocks(plan_json: str) -> int:
    """Blocks of a drive."""

def drive_load(
    plan_json: str, blocks: int, depth: int, count: int, seed: int
) -> dict[str, memoryview[int]]:
    """Random reads of that many blocks, `depth` outstanding; times are picoseconds.

    Columns of the result have the shape (count,), in the order of completion.
    """

def replay(
    plan_json: str,
    is_read: list[bool],
    blocks: list[tuple[int, int]],
    wait_ps: list[int],
) -> dict[str, memoryview[int] | list[bool]]:
    """Replay a trace on a drive, one command at a time; times are picoseconds, in trace order.

    Columns of the result have the shape (commands,).
    """
