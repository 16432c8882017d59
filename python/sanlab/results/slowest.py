"""The slowest I/Os of a run, each with the time of every stage."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sanlab.results.columns import STAGES, stage_name
from sanlab.words import show_time

if TYPE_CHECKING:
    from sanlab.results.record import Record


@dataclass(frozen=True)
class SlowIo:
    """One of the slowest I/Os.

    Attributes
    ----------
    rank
        Place among those listed, from 1.
    job, number
        Name the same I/O in a repeated run.
    stages
        Time of each stage that has some, in the order of the path; they sum to `response_ps`.
    """

    rank: int
    workload: str
    op: str
    job: str
    number: int
    start_ps: int
    response_ps: int
    host: str
    array: str
    lun: str
    initiator: str
    target: str
    offset_bytes: int
    bytes: int
    command_count: int
    is_retried: bool
    stages: dict[str, int]

    def where(self, most: int) -> str:
        """The longest stages in words, `media 236 µs, controller 5.00 µs`."""
        longest = sorted(self.stages.items(), key=lambda item: -item[1])[:most]
        return ", ".join(f"{stage_name(stage)} {show_time(spent)}" for stage, spent in longest)

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def slowest(run: Record, workload: str | None = None) -> list[SlowIo]:
    """The slowest I/Os of a run, or of one of its workloads, the slowest first.

    20 of each workload and operation are known; a measurement knows none, and so do runs
    of versions before this table.
    """
    rows = run.rows("slowest") if "slowest" in run.tables else []
    chosen = [row for row in rows if workload in (None, row["workload"])]
    chosen.sort(key=lambda row: -row["response_ps"])
    return [_io(rank, row) for rank, row in enumerate(chosen, start=1)]


def _io(rank: int, row: dict[str, Any]) -> SlowIo:
    times = {stage: row.get(f"{stage}_ps", 0) for stage in STAGES}
    known = {name: row[name] for name in SlowIo.__dataclass_fields__ if name in row}
    return SlowIo(
        rank=rank,
        stages={stage: spent for stage, spent in times.items() if spent},
        **known | {"is_retried": bool(row["is_retried"])},
    )
