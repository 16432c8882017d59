"""The compiled part of sanlab: a plan goes in as JSON, tables come out as columns."""

from typing import Any, final

__all__ = [
    "Control",
    "PlanError",
    "RunError",
    "Snapshot",
    "drive_blocks",
    "drive_load",
    "replay",
    "run",
]

class PlanError(Exception):
    """The plan does not hold together."""

class RunError(Exception):
    """A law does not hold, or a run could not go on."""

@final
class Control:
    """How a run goes: read it, hold the run and stop it from another thread.

    No result depends on it, except that a run that is stopped ends there.
    """

    def __new__(cls) -> Control: ...
    @property
    def now_ps(self) -> int:
        """Simulated time reached, in picoseconds."""

    @property
    def events(self) -> int:
        """Events handled so far."""

    def stop(self) -> None:
        """Stop the run, also one that waits; its results so far are returned, marked incomplete."""

    @property
    def hold_at_ps(self) -> int | None:
        """Where the run waits, in picoseconds; None if it does not."""

    def hold(self, at_ps: int | None = None) -> None:
        """Do nothing that is due later than this, until the next call; None: go on.

        A hold set before the run is exact. One set while it goes, at a time that has passed, takes
        effect at the next look, some milliseconds later.
        """

    def snapshot(self, patience_s: float = 1.0) -> Snapshot | None:
        """What the run has counted, as of its next look; the interpreter is free meanwhile.

        None if the run is over or has not answered in time: before its first event it does not.
        """

@final
class Snapshot:
    """What a run had counted at an instant since its start.

    Numbers are a `memoryview` of format `Q` and shape (ports,) or (workloads,), one for each name.
    """

    @property
    def at_ps(self) -> int:
        """Simulated time, in picoseconds; that of the hold if the run waits."""

    @property
    def events(self) -> int:
        """Events handled so far."""

    @property
    def ports(self) -> list[str]:
        """Names of the transmitters: end `a` and end `b` of each link, then the ports of each loop.

        The same in every snapshot of a run. An FL_Port has its name at its link, and an empty one
        at its loop.
        """

    @property
    def workloads(self) -> list[str]:
        """Names of the workloads, in the order of the plan."""

    @property
    def tx_bytes(self) -> memoryview[int]:
        """Bytes sent by each transmitter, as in the table `ports`."""

    @property
    def tx_payload_bytes(self) -> memoryview[int]:
        """Payload among them."""

    @property
    def tx_credit_wait_ps(self) -> memoryview[int]:
        """Time with a frame to send and no BB credit, in picoseconds."""

    @property
    def io_count(self) -> memoryview[int]:
        """I/Os of each workload that are done, warm-up included."""

    @property
    def bytes(self) -> memoryview[int]:
        """Bytes of those I/Os."""

def run(
    plan_json: str,
    control: Control | None = None,
    *,
    capture: list[tuple[int, int]] | None = None,
    capture_path: str | None = None,
    capture_limit: int = ...,
    capture_only: list[tuple[int, int, int]] | None = None,
    ladder: tuple[int, int] | None = None,
    reference: bool = False,
    traces: str | None = None,
) -> dict[str, Any]:
    """Simulate a plan. The interpreter is free meanwhile.

    `traces` is the folder of the tables of traces that jobs replay.

    `tables` of the result has the columns of each table by name: numbers as a `memoryview` of shape
    (rows,) and format `Q` or `d`, text as a list of strings.

    A capture takes the frames of some exchanges alone with `capture_only`: N_Port of the
    originator, OX_ID, and when it was opened. `ladder` records one I/O, by its job and its number
    in it, and ends the run after it: `ladder` of the result has the tables `requests`, `exchanges`,
    `hops` and `steps`.
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
