"""Jobs of Iometer access specifications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.job_parts import Asked, arrivals_of, depth_of
from sanlab.plan.job_paths import Region
from sanlab.plan.schema import AccessLinePlan, AccessPattern, SequentialAddress, UniformAddress
from sanlab.quantities import format_size

if TYPE_CHECKING:
    from sanlab.plan.luns import PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.scenario.document import Path
    from sanlab.scenario.workload import AccessLine, Workload


def fits_access(spec: Workload, lun: PlacedLun, path: Path, problems: Problems) -> bool:
    """Note a problem if the region is not on the LUN, or a line does not fit into the region."""
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


def access_region(spec: Workload, lun: PlacedLun) -> Region:
    """Return the region a worker uses on a LUN."""
    return Region(spec.offset, lun.bytes - spec.offset if spec.size is None else spec.size)


def asked_of_access(spec: Workload) -> Asked:
    """Return the requests of an access specification.

    Besides its lines it has the keys of a pattern of blocks, which summarise the lines for readers
    of the plan.
    """
    lines = spec.access or []
    starts = sum(line.of_size * line.burst for line in lines)
    is_random = any(line.random for line in lines)
    return Asked(
        read_ppm=sum(line.reads * line.of_size * line.burst for line in lines) // starts,
        block_bytes=max(line.size for line in lines),
        addresses=UniformAddress() if is_random else SequentialAddress(),
        iodepth=depth_of(spec),
        total_bytes=spec.io_size,
        arrivals=arrivals_of(spec),
        pattern=AccessPattern(lines=[_line(line) for line in lines]),
    )


def _line(line: AccessLine) -> AccessLinePlan:
    return AccessLinePlan(
        bytes=line.size,
        share_ppm=line.of_size,
        read_ppm=line.reads,
        random_ppm=line.random,
        delay_ps=line.delay,
        burst=line.burst,
        align_bytes=line.align_bytes,
        reply_bytes=line.reply or None,
    )
