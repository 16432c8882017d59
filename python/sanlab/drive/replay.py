"""A trace on a drive: response times, and how far they are from those measured."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from sanlab import _native
from sanlab.errors import Problem, RunError, ScenarioError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from sanlab.drive.trace import Trace
    from sanlab.plan.schema import DrivePlan

PS_PER_MS = 1e9
PERCENTS = (50, 90, 99)
#: A read is far where it begins more than this share of the drive's blocks away from the end of the
#: command before.
FAR_SHARE = 0.02


@dataclass(frozen=True)
class Group:
    """Commands of one kind; times are milliseconds."""

    name: str
    count: int
    simulated_ms: dict[str, float]
    measured_ms: dict[str, float]
    #: Of the mean, in percent.
    error_percent: float | None
    rms_ms: float | None


@dataclass(frozen=True)
class Result:
    """What a replay gave, in milliseconds, in the order of the trace."""

    drive: DrivePlan
    trace: Trace
    response_ms: NDArray[np.float64]
    parts_ms: dict[str, NDArray[np.float64]]
    is_hit: NDArray[np.bool_]
    measured_ms: NDArray[np.float64] | None
    groups: tuple[Group, ...]
    notes: list[str] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return {
            "drive": self.drive.name,
            "trace": self.trace.file,
            "commands_count": len(self.trace),
            "hits_count": int(self.is_hit.sum()),
            "mean_parts_ms": {name: float(part.mean()) for name, part in self.parts_ms.items()},
            "groups": [
                {
                    "name": group.name,
                    "count": group.count,
                    "simulated_ms": group.simulated_ms,
                    "measured_ms": group.measured_ms or None,
                    "mean_error_percent": group.error_percent,
                    "rms_distance_ms": group.rms_ms,
                }
                for group in self.groups
            ],
            "notes": self.notes,
        }


def capacity_of(drive: DrivePlan) -> int:
    """Blocks of a drive.

    Raises
    ------
    ScenarioError
        Its zones, spares and curves contradict each other.
    """
    try:
        return _native.drive_blocks(drive.to_json())
    except _native.PlanError as error:
        raise ScenarioError([_refused(drive, error)]) from None


def replay(drive: DrivePlan, trace: Trace, notes: list[str] | None = None) -> Result:
    """Replay a trace with one command outstanding.

    The measured times of the trace, and what it says of the real drive's buffer, do not enter.
    """
    try:
        found = _native.replay(drive.to_json(), trace.is_read, trace.blocks, trace.wait_ps)
    except _native.PlanError as error:
        raise RunError(str(error)) from None
    response = _ms(found["response_ps"])
    measured = None if trace.measured_ps is None else _ms(trace.measured_ps)
    chosen = _chosen(trace, capacity_of(drive))
    groups = tuple(
        _group(name, mask, response, measured) for name, mask in chosen.items() if mask.any()
    )
    parts = {name: _ms(found[f"{name}_ps"]) for name in ("queue", "seek", "rotation", "transfer")}
    hits = np.asarray(found["is_hit"], dtype=np.bool_)
    return Result(drive, trace, response, parts, hits, measured, groups, notes or [])


def bus_note(result: Result) -> str:
    """Say by how much the mean depends on a transfer time that no file gives."""

    def mean_ms(times: int) -> float:
        read_ps, write_ps = result.drive.block_transfer_ps
        changed = (read_ps * times, write_ps * times)
        drive = msgspec.structs.replace(result.drive, block_transfer_ps=changed)
        return float(replay(drive, result.trace).response_ms.mean())

    return (
        f"The bus is not known: the mean is {result.response_ms.mean():.3f} ms, "
        f"{mean_ms(0):.3f} ms if a block took no time on it, {mean_ms(2):.3f} ms if it took twice "
        "as long"
    )


def rms_distance(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Root of the mean square of the horizontal distance between two distributions.

    Both have equally many values, so that it is the distance between the sorted lists. DiskSim
    calls it the demerit figure, after Ruemmler and Wilkes (IEEE Computer, March 1994).

    >>> rms_distance(np.array([1.0, 2.0]), np.array([2.0, 2.0]))
    0.7071067811865476
    """
    return float(np.sqrt(np.mean((np.sort(left) - np.sort(right)) ** 2)))


def _chosen(trace: Trace, capacity: int) -> dict[str, NDArray[np.bool_]]:
    is_read = np.asarray(trace.is_read, dtype=np.bool_)
    starts = np.array([block for block, _ in trace.blocks], dtype=np.float64)
    ends = starts + np.array([blocks for _, blocks in trace.blocks], dtype=np.float64)
    before = np.concatenate([[0.0], ends[:-1]])
    is_far = np.abs(starts - before) > FAR_SHARE * capacity
    return {
        "all": np.ones(len(trace), dtype=np.bool_),
        "reads": is_read,
        "writes": ~is_read,
        "far random reads": is_read & is_far,
    }


def _group(
    name: str,
    mask: NDArray[np.bool_],
    response: NDArray[np.float64],
    measured: NDArray[np.float64] | None,
) -> Group:
    simulated = _summary(response[mask])
    if measured is None:
        return Group(name, int(mask.sum()), simulated, {}, None, None)
    real = _summary(measured[mask])
    error = 100 * (simulated["mean"] / real["mean"] - 1) if real["mean"] > 0 else None
    rms = rms_distance(response[mask], measured[mask])
    return Group(name, int(mask.sum()), simulated, real, error, rms)


def _summary(times: NDArray[np.float64]) -> dict[str, float]:
    summary = {"mean": float(times.mean())}
    summary |= {f"p{percent}": float(np.percentile(times, percent)) for percent in PERCENTS}
    return summary | {"max": float(times.max())}


def _ms(ps: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(ps, dtype=np.float64) / PS_PER_MS


def _refused(drive: DrivePlan, error: Exception) -> Problem:
    place, _, reason = str(error).partition(": ")
    return Problem(
        drive.name, None, None, place, reason[:1].upper() + reason[1:], "Correct the drive"
    )


def csv_of(result: Result) -> str:
    """A line for each command."""
    names = [
        "is_read",
        "block",
        "blocks",
        "response_ms",
        *(f"{n}_ms" for n in result.parts_ms),
        "is_hit",
    ]
    rows = [",".join(names + (["measured_ms"] if result.measured_ms is not None else []))]
    for index, (block, blocks) in enumerate(result.trace.blocks):
        values: list[object] = [int(result.trace.is_read[index]), block, blocks]
        values += [f"{result.response_ms[index]:.6f}"]
        values += [f"{part[index]:.6f}" for part in result.parts_ms.values()]
        values.append(int(result.is_hit[index]))
        if result.measured_ms is not None:
            values.append(f"{result.measured_ms[index]:.6f}")
        rows.append(",".join(str(value) for value in values))
    return "\n".join(rows) + "\n"


def json_of(result: Result) -> str:
    """The document of a result as text."""
    return json.dumps(result.document(), indent=2, ensure_ascii=False) + "\n"
