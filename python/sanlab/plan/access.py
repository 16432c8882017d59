"""Jobs of Iometer access specifications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.plan.schema import AccessLinePlan, AccessLines, OnAccess, TargetPlan
from sanlab.quantities import format_size

if TYPE_CHECKING:
    from sanlab.plan.names import Problems
    from sanlab.plan.storage import PlacedLun
    from sanlab.scenario.document import Path
    from sanlab.scenario.workload import AccessLine, Workload


def fits_access(spec: Workload, lun: PlacedLun, path: Path, problems: Problems) -> bool:
    """Note it where the region is not on the LUN, or a line finds no room in the region."""
    end = lun.bytes if spec.size is None else spec.offset + spec.size
    if end > lun.bytes or spec.offset >= lun.bytes:
        problems.add(
            (*path, "size" if spec.size is not None else "offset"),
            f"The region ends at {format_size(max(end, spec.offset))}, beyond '{lun.name}' "
            f"({format_size(lun.bytes)})",
            "Reduce 'size' or 'offset', or enlarge the LUN",
        )
        return False
    for index, line in enumerate(spec.access or ()):
        first = -(-spec.offset // line.align_bytes) * line.align_bytes
        for key, bytes_ in (("size", line.size), ("reply", line.reply)):
            if first + bytes_ <= end:
                continue
            at = "align" if first >= end or line.align > end - spec.offset else key
            where = (*path, "preset") if spec.preset else (*path, "access", index, at)
            problems.add(
                where,
                f"The region of {format_size(end - spec.offset)} on '{lun.name}' has no room for "
                f"'{key}' {format_size(bytes_)} at a multiple of {format_size(line.align_bytes)}",
                f"Reduce '{at}', or enlarge the region",
            )
            return False
    return True


def access_target(spec: Workload, lun: PlacedLun, way: tuple[int, int]) -> TargetPlan:
    """Return the region a worker uses on a LUN, and the way there."""
    return TargetPlan(
        adapter=way[0],
        target_n_port=way[1],
        array=lun.array,
        lun=lun.number,
        offset_bytes=spec.offset,
        span_bytes=lun.bytes - spec.offset if spec.size is None else spec.size,
    )


def access_keys(spec: Workload, targets: list[TargetPlan]) -> dict[str, Any]:
    """Return what an access specification changes of a job.

    The keys of a pattern of blocks say what the lines come to, for those who read the plan.
    """
    lines = spec.access or []
    starts = sum(line.of_size * line.burst for line in lines)
    return {
        "pattern": OnAccess(access=AccessLines(lines=[_line(line) for line in lines])),
        "read_ppm": sum(line.reads * line.of_size * line.burst for line in lines) // starts,
        "random": any(line.random for line in lines),
        "block_bytes": max(line.size for line in lines),
        "total_bytes": spec.io_size or 0,
        "span_bytes": targets[0].span_bytes,
    }


def _line(line: AccessLine) -> AccessLinePlan:
    return AccessLinePlan(
        bytes=line.size,
        share_ppm=line.of_size,
        read_ppm=line.reads,
        random_ppm=line.random,
        delay_ps=line.delay,
        burst=line.burst,
        align_bytes=line.align_bytes,
        reply_bytes=line.reply,
    )
