"""Mirrored LUNs and their targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from sanlab.catalog import UnknownEntryError, entry
from sanlab.plan.defaults import given
from sanlab.plan.schema import (
    AsynchronousMirrorMode,
    JournalMirrorMode,
    MirrorPlan,
    ResumePlan,
    SynchronousMirrorMode,
)
from sanlab.quantities import format_size

if TYPE_CHECKING:
    from sanlab.catalog.entries import ReplicationEntry
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.luns import LunTable, PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import MirrorModePlan
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario.document import Path
    from sanlab.scenario.mirrors import Mirror

#: What a suspended mirror marks as a whole. Uncertain: arrays mark tracks of some 32 to 128 KiB.
REGION: Final = 65_536
#: Every copy is shorter.
MOST_U32: Final = 2**32 - 1


class Mirrors:
    """Assigns each mirrored LUN its target; a LUN is the target of at most one LUN."""

    def __init__(
        self,
        boxes: Boxes,
        table: LunTable,
        wiring: Wiring,
        n_port_ids: dict[tuple[str, str], int],
        problems: Problems,
    ) -> None:
        self.boxes = boxes
        self.table = table
        self.wiring = wiring
        self.n_port_ids = n_port_ids
        self.problems = problems
        self.sources: dict[str, str] = {}

    def plan(self, lun: PlacedLun) -> MirrorPlan | None:
        """Return the mirror of a LUN; None without a valid mirror."""
        spec = lun.spec.mirror
        if spec is None or lun.mirror_to is None:
            return None
        target = self.target(lun, lun.mirror_to)
        if target is None:
            return None
        ports = self.ports(lun, target)
        if ports is None:
            return None
        source_port, target_port = ports
        return MirrorPlan(
            array=target.array,
            lun=target.number,
            source_n_port=self.n_port_ids[self.boxes.arrays[lun.array].name, source_port],
            target_n_port=self.n_port_ids[self.boxes.arrays[target.array].name, target_port],
            mode=_mode(spec),
            max_outstanding=spec.max_outstanding,
            one_round_trip_bytes=self.one_round_trip_bytes(lun, spec),
            resume=_resume(spec),
        )

    def one_round_trip_bytes(self, lun: PlacedLun, spec: Mirror) -> int:
        """Longest copy that needs one round trip; 0 if every copy needs two."""
        try:
            protocol = cast("ReplicationEntry", entry("replication", spec.protocol))
        except UnknownEntryError as error:
            self.problems.add((*lun.path, "mirror", "protocol"), error.reason, error.remedy)
            return 0
        if protocol.round_trips == 2:
            return 0
        return MOST_U32 if protocol.largest is None else protocol.largest

    def target(self, lun: PlacedLun, name: str) -> PlacedLun | None:
        """Return the target LUN, or note why it cannot be one."""
        path: Path = (*lun.path, "mirror", "to")
        if name not in self.table.by_name:
            self.problems.add(path, *self.table.by_name.unknown(name))
            return None
        target = self.table.by_name[name]
        wrong: tuple[str, str] | None = None
        if target.name == lun.name:
            wrong = (f"'{lun.name}' mirrors to itself", "Name a LUN of another array")
        elif target.array == lun.array:
            wrong = (
                f"'{lun.name}' mirrors to '{name}' in the same array",
                "Name a LUN of another array",
            )
        elif target.mirror_to is not None:
            wrong = (
                f"'{name}' is the target of a mirror and has a mirror itself",
                "Mirror to a LUN that has no mirror",
            )
        elif target.bytes < lun.bytes:
            sizes = f"{format_size(target.bytes)} against {format_size(lun.bytes)}"
            wrong = (
                f"'{name}' is smaller than '{lun.name}', {sizes}",
                "Mirror to a LUN that is at least as large",
            )
        elif name in self.sources:
            wrong = (
                f"'{name}' is already the target of '{self.sources[name]}'",
                "Give each LUN a target of its own",
            )
        if wrong is not None:
            self.problems.add(path, *wrong)
            return None
        self.sources[name] = lun.name
        return target

    def ports(self, lun: PlacedLun, target: PlacedLun) -> tuple[str, str] | None:
        """Return the ports that copies use: as written, by default in turn by LUN number."""
        spec = lun.spec.mirror
        source_array = self.boxes.arrays[lun.array].name
        target_array = self.boxes.arrays[target.array].name
        leaving = self.choices(lun, source_array, "from_port", spec.from_port if spec else None)
        arriving = self.choices(
            lun, target_array, "to_port", spec.to_port if spec else None, target.ports
        )
        if leaving is None or arriving is None:
            return None
        pairs = [
            (a, b)
            for a in _rotated(leaving, lun.number)
            for b in _rotated(arriving, lun.number)
            if self.wiring.is_reachable((source_array, a), (target_array, b))
        ]
        if not pairs:
            self.problems.add(
                (*lun.path, "mirror"),
                f"No path leads from '{source_array}' to '{target_array}'",
                "Link both to the same fabric",
            )
            return None
        return pairs[0]

    def choices(
        self,
        lun: PlacedLun,
        array: str,
        key: str,
        wanted: str | None,
        exporting: tuple[str, ...] | None = None,
    ) -> list[str] | None:
        """Ports of an array a mirror may use."""
        linked = self.wiring.linked_ports(array) if exporting is None else list(exporting)
        if wanted is None:
            return linked
        label = wanted.removeprefix(f"{array}.")
        if label not in linked:
            known = ", ".join(linked) or "none"
            self.problems.add(
                (*lun.path, "mirror", key),
                f"'{array}' has no port '{label}' with a link",
                f"Ports with a link are: {known}",
            )
            return None
        return [label]


def _mode(spec: Mirror) -> MirrorModePlan:
    if spec.mode == "synchronous":
        return SynchronousMirrorMode()
    if spec.journal is None:
        return AsynchronousMirrorMode()
    return JournalMirrorMode(bytes=spec.journal, when_full=spec.when_full or "suspend")


def _resume(spec: Mirror) -> ResumePlan | None:
    if spec.resume_after is None:
        return None
    return ResumePlan(
        after_ps=spec.resume_after,
        region_bytes=given(spec.region, REGION),
        bytes_per_s=spec.resync_rate,
    )


def _rotated(ports: list[str], by: int) -> list[str]:
    turn = by % len(ports) if ports else 0
    return ports[turn:] + ports[:turn]
