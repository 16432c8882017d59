"""Service of a drive: of one read alone, and of reads that come while others are served."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sanlab import _native
from sanlab.drive.replay import capacity_of
from sanlab.errors import Problem, ScenarioError
from sanlab.quantities import PS_PER_S
from sanlab.scenario.base import SECTOR_BYTES

if TYPE_CHECKING:
    from sanlab.plan.schema import DrivePlan

#: Size of a read, at random over the whole drive.
READ_BYTES = 4096
#: Reads outstanding.
DEPTHS = (1, 2, 4, 8, 16, 32)
#: Reads of one depth that count, and turns of the queue before them.
READS = 6000
_WARM_UP = 4
_SEED = 1
_PS_PER_MS = PS_PER_S // 1000


@dataclass(frozen=True)
class Depth:
    """What a drive does with a number of reads outstanding; times are means in ms."""

    depth: int
    iops: float
    overhead_ms: float
    """Overhead that no other read hides."""
    seek_ms: float
    rotation_ms: float
    transfer_ms: float
    response_ms: float
    response_p99_ms: float

    @property
    def service_ms(self) -> float:
        """Time from the turn of a read to its end."""
        return self.overhead_ms + self.seek_ms + self.rotation_ms + self.transfer_ms

    def row(self) -> dict[str, float]:
        """Its values by name."""
        return {
            "depth": self.depth,
            "iops": self.iops,
            "overhead_ms": self.overhead_ms,
            "seek_ms": self.seek_ms,
            "rotation_ms": self.rotation_ms,
            "transfer_ms": self.transfer_ms,
            "service_ms": self.service_ms,
            "response_ms": self.response_ms,
            "response_p99_ms": self.response_p99_ms,
        }


@dataclass(frozen=True)
class Service:
    """Random reads on a drive."""

    drive: str
    depths: tuple[Depth, ...]
    notes: list[str]

    @property
    def unloaded(self) -> Depth:
        """One read alone."""
        return self.depths[0]

    def gain(self, depth: Depth) -> float:
        """Rate over that of one read at a time."""
        return depth.iops / self.unloaded.iops

    def document(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return {
            "drive": self.drive,
            "read_bytes": READ_BYTES,
            "depths": [one.row() | {"gain": self.gain(one)} for one in self.depths],
            "notes": self.notes,
        }


def service_of(
    drive: DrivePlan, notes: list[str] | None = None, depths: tuple[int, ...] = DEPTHS
) -> Service:
    """Serve random reads with each number of them outstanding.

    Raises
    ------
    ScenarioError
        The drive contradicts itself, or is smaller than one read.
    """
    capacity = capacity_of(drive)
    if capacity * SECTOR_BYTES < READ_BYTES:
        reason = f"The drive has {capacity} blocks of {SECTOR_BYTES} bytes, less than one read"
        problem = Problem(drive.name, None, None, "", reason, f"Give it {READ_BYTES} bytes or more")
        raise ScenarioError([problem])
    text = drive.to_json()
    found = tuple(_at(drive, text, depth) for depth in depths)
    return Service(drive.name, found, notes or [])


def _at(drive: DrivePlan, text: str, depth: int) -> Depth:
    first = _WARM_UP * depth
    found = _native.drive_load(text, READ_BYTES // SECTOR_BYTES, depth, first + READS, _SEED)
    columns = {name: np.asarray(column, dtype=np.float64) for name, column in found.items()}
    seconds = (columns["ended_ps"][-1] - columns["ended_ps"][first - 1]) / PS_PER_S
    queue, seek, rotation, transfer = (
        columns[f"{name}_ps"][first:] / _PS_PER_MS
        for name in ("queue", "seek", "rotation", "transfer")
    )
    # The overhead runs from the arrival on; its rest at the turn of a read counts as seek.
    whole = (drive.overheads.request_ps + drive.overheads.read_miss_ps[0]) / _PS_PER_MS
    overhead = np.minimum(np.maximum(whole - queue, 0), seek)
    response = queue + seek + rotation + transfer
    return Depth(
        depth=depth,
        iops=READS / seconds,
        overhead_ms=float(overhead.mean()),
        seek_ms=float((seek - overhead).mean()),
        rotation_ms=float(rotation.mean()),
        transfer_ms=float(transfer.mean()),
        response_ms=float(response.mean()),
        response_p99_ms=float(np.percentile(response, 99)),
    )


def csv_of(service: Service) -> str:
    """A line for each depth."""
    names = [*service.unloaded.row(), "gain"]
    lines = [",".join(names)]
    for one in service.depths:
        values = [*one.row().values(), service.gain(one)]
        lines.append(",".join(f"{value:.6g}" for value in values))
    return "\n".join(lines) + "\n"


def json_of(service: Service) -> str:
    """The document of a service as text."""
    return json.dumps(service.document(), indent=2, ensure_ascii=False) + "\n"
