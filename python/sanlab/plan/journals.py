"""Jobs that write the log and the metadata of file systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.schema import (
    BlocksPattern,
    DataFileSystemUse,
    JobPlan,
    JournalFileSystemUse,
    SequentialAddress,
    WorkloadPlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sanlab.plan.file_systems import PlacedFileSystem
    from sanlab.plan.volumes import PlacedVolume

#: Log buffers of XFS; all may be written at the same time (xfs(5), `logbufs`).
LOG_BUFFERS = 8
#: Size of an internal log if it fits the volume. Uncertain: mkfs chooses by the size of
#: the file system, 10 MiB and more.
LOG_BYTES = 10 * 2**20
#: Blocks of metadata that change at the head of an allocation group: superblock, AGF, AGI, AGFL and
#: the roots of their trees share the first few.
METADATA_BLOCKS = 4


def with_journals(
    workloads: list[WorkloadPlan], jobs: list[JobPlan], volumes: dict[str, PlacedVolume]
) -> tuple[list[WorkloadPlan], list[JobPlan]]:
    """Return workloads and jobs with those that write log and metadata of file systems.

    The host of the first job that allocates in a file system writes them; in a shared file system
    this host counts as the metadata server.
    """
    added_workloads: list[WorkloadPlan] = []
    added_jobs: list[JobPlan] = []
    for volume in volumes.values():
        of = volume.file_system
        writers = [job for job in jobs if of and _allocates(job, of.number)]
        if of is None or not writers:
            continue
        number = len(workloads) + len(added_workloads)
        added_workloads.append(
            WorkloadPlan(name=f"{of.name} journal", file_system=of.number, after=[])
        )
        added_jobs += _journals(of, volume, writers[0], number)
    return [*workloads, *added_workloads], [*jobs, *added_jobs]


def _allocates(job: JobPlan, file_system: int) -> bool:
    """Whether a job is the first to write blocks of a file system."""
    use = job.file_system
    is_file = isinstance(use, DataFileSystemUse) and use.first_write
    return is_file and use is not None and use.file_system == file_system


def _journals(
    of: PlacedFileSystem, volume: PlacedVolume, writer: JobPlan, workload: int
) -> Iterator[JobPlan]:
    """Jobs that write the log, in the middle of the volume, and metadata, at its beginning."""
    record = of.spec.log_buffer
    room = max(record, min(LOG_BYTES, volume.bytes // 4) // record * record)
    middle = volume.bytes // 2 // record * record
    places: Sequence[tuple[str, int, int, int]] = (
        ("log", record, middle, room),
        ("metadata", of.spec.block, 0, METADATA_BLOCKS * of.spec.block),
    )
    for name, block, offset, span in places:
        yield JobPlan(
            name=f"{of.name}/{name}",
            workload=workload,
            host=writer.host,
            targets=writer.targets,
            initiator=writer.initiator,
            offset_bytes=offset,
            span_bytes=span,
            read_ppm=0,
            block_bytes=block,
            addresses=SequentialAddress(),
            iodepth=LOG_BUFFERS,
            total_bytes=None,
            start_ps=0,
            ramp_ps=0,
            stop_ps=None,
            arrivals=None,
            load=None,
            think_ps=0,
            pattern=BlocksPattern(),
            volume=writer.volume,
            file_system=JournalFileSystemUse(
                file_system=of.number, every=of.allocations_of_a_buffer
            ),
        )
