"""Changes of the load: another depth or size of requests, a limit for others, no others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sanlab.quantities import format_rate, format_size
from sanlab.remedies.remedy import Remedy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.remedies.scene import Scene

#: Most workloads that are left out one by one.
MOST_CULPRITS = 4


def depth(scene: Scene) -> Iterator[Remedy]:
    """Yield twice the open I/Os."""
    for path, item in _own(scene):
        many = item.get("iodepth")
        if isinstance(many, int) and not isinstance(many, bool):
            yield Remedy(
                f"{2 * many} open I/Os for each job of {scene.limit.workload}",
                {f"{path}.iodepth": str(2 * many)},
                sort="load",
            )


def larger(scene: Scene) -> Iterator[Remedy]:
    """Yield requests of four times the size, with a quarter of them open."""
    jobs = [
        one.job
        for one in scene.view.evidences.asking.get(scene.limit.workload, ())
        if one.job["block_bytes"]
    ]
    size = max((job["block_bytes"] for job in jobs), default=0)
    for path, item in _own(scene):
        if size and "bs" in item:
            text = format_size(4 * size)
            sets = {f"{path}.bs": text}
            if isinstance(item.get("iodepth"), int):
                sets[f"{path}.iodepth"] = str(max(1, item["iodepth"] // 4))
            yield Remedy(f"requests of {text}, as many bytes open", sets, sort="load")


def larger_each(scene: Scene) -> Iterator[Remedy]:
    """Yield requests of four times the size, as many open: for sequential addresses."""
    jobs = [one.job for one in scene.view.evidences.asking.get(scene.limit.workload, ())]
    if not jobs or any(job["addresses"]["kind"] != "sequential" for job in jobs):
        return
    size = max(job["block_bytes"] for job in jobs)
    for path, item in _own(scene):
        if size and "bs" in item:
            text = format_size(4 * size)
            yield Remedy(f"requests of {text}, as many open", {f"{path}.bs": text}, sort="load")


def limit_others(scene: Scene) -> Iterator[Remedy]:
    """Yield half the rate for each workload or stream that takes the most."""
    for culprit in scene.limit.culprits:
        half = _half(scene, culprit)
        if not half:
            continue
        is_stream = culprit in scene.view.evidences.flow_reach
        paths = scene.streams(culprit) if is_stream else scene.items("workloads", [culprit])
        for path in paths:
            sets = {f"{path}.rate": half}
            if not is_stream and scene.item("workloads", culprit).get("rate_iops"):
                sets = {f"{path}.rate_iops": str(_half_iops(scene, culprit))}
            if is_stream:
                sets |= {f"{path}.saturate": "false", f"{path}.interval": "null"}
            yield Remedy(f"{culprit} limited to half of its rate", sets, sort="load")


def limit_where_others_enter(scene: Scene) -> Iterator[Remedy]:
    """Yield a limit of the fabric for the ports of streams that take the most, half of their rate.

    A stream is one port's own; a limit where a workload enters would hold back all of its array.
    """
    written = scene.document.get("qos") or []
    for culprit in scene.limit.culprits:
        reach = scene.view.evidences.flow_reach.get(culprit)
        half = _half(scene, culprit)
        if reach is None or not half or not isinstance(written, list):
            continue
        for port in sorted(reach.initiators):
            entries = [*written, {"from": port, "limit": half}]
            title = f"a limit of {half} in the fabric for frames from {port}"
            yield Remedy(title, {"qos": json.dumps(entries)})


def _half(scene: Scene, culprit: str) -> str:
    """Half of what a workload gets for each of its jobs, or a stream; empty if it asks for none."""
    bytes_in_all = scene.view.flow(culprit).bytes
    jobs = [one.job for one in scene.view.evidences.asking.get(culprit, ())]
    if culprit in scene.view.evidences.flow_reach:
        span_ps, count = scene.view.window.span_ps, 1
    elif jobs:
        span_ps, count = _active_ps(scene, jobs), len(jobs)
    else:
        return ""
    half = bytes_in_all / max(1, span_ps) * 1e12 / 2 / count
    return format_rate(max(1000, round(float(f"{half:.3g}"))))


def _half_iops(scene: Scene, culprit: str) -> int:
    """Half the I/Os per second that a workload gets for each of its jobs."""
    jobs = [one.job for one in scene.view.evidences.asking.get(culprit, ())]
    seconds = _active_ps(scene, jobs) / 1e12
    return max(1, round(scene.view.flow(culprit).io_count / seconds / 2 / len(jobs)))


def _active_ps(scene: Scene, jobs: list[dict[str, Any]]) -> int:
    """How long jobs ask for I/O in the window of the limit, the longest of them."""
    window = scene.view.window
    spans: list[int] = [
        min(window.to_ps, window.to_ps if job["stop_ps"] is None else job["stop_ps"])
        - max(window.from_ps, job["start_ps"])
        for job in jobs
    ]
    return max(1, *spans)


def alone(scene: Scene) -> Iterator[Remedy]:
    """Yield the workload or the stream without all others: the cost of sharing."""
    own, every = _paths(scene, [scene.limit.workload]), _all(scene)
    if own != every and not _has_order(scene):
        yield _only(own, f"{scene.limit.workload} alone")


def without_one(scene: Scene) -> Iterator[Remedy]:
    """Yield the load without each one that shares the element, where there are more than it."""
    every, own = _all(scene), _paths(scene, [scene.limit.workload])
    for culprit in scene.limit.culprits[:MOST_CULPRITS]:
        gone = _paths(scene, [culprit])
        left = [[at for at in one if at not in lost] for one, lost in zip(every, gone, strict=True)]
        if left != own and any(gone) and not _has_order(scene):
            yield _only(left, f"without {culprit}")


def _only(kept: list[list[int]], title: str) -> Remedy:
    """A load with only some of its items: not a remedy, but a comparison."""
    workloads, streams = kept
    keeps = {"workloads": tuple(workloads), "traffic": tuple(streams)}
    return Remedy(title, keeps=keeps, sort="alone")


def _paths(scene: Scene, names: list[str]) -> list[list[int]]:
    """Places of workloads and of streams in their lists, by name."""
    streams = [name for name in names if name in scene.view.evidences.flow_reach]
    others = [name for name in names if name not in streams]
    return [
        _indices(scene.items("workloads", others)),
        sorted({at for name in streams for at in _indices(scene.streams(name))}),
    ]


def _all(scene: Scene) -> list[list[int]]:
    return [list(range(len(scene.document.get(name) or []))) for name in ("workloads", "traffic")]


def _has_order(scene: Scene) -> bool:
    """Whether a workload waits for others, so that none can be taken away."""
    written = scene.document.get("workloads") or []
    return any(isinstance(item, dict) and item.get("after") for item in written)


def _indices(paths: list[str]) -> list[int]:
    """Places in a list by paths such as `traffic[2]`."""
    return [int(path.split("[")[1][:-1]) for path in paths]


def _own(scene: Scene) -> Iterator[tuple[str, dict[str, Any]]]:
    item = scene.item("workloads", scene.limit.workload)
    for path in scene.items("workloads", [scene.limit.workload]):
        yield path, item
