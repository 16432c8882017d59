"""Changes of the load: another depth or size of requests, a limit for others, no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sanlab.quantities import format_rate, format_size
from sanlab.remedies.remedy import Remedy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.remedies.scene import Scene


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
    """Yield half the rate for each workload that takes the most."""
    for culprit in scene.limit.culprits:
        jobs = [one.job for one in scene.view.evidences.asking.get(culprit, ())]
        if not jobs:
            continue
        half = int(scene.view.flow(culprit).bytes / _active_ps(scene, jobs) * 1e12 / 2)
        each = format_rate(max(1, half // len(jobs) // 1000) * 1000)
        for path in scene.items("workloads", [culprit]):
            yield Remedy(
                f"{culprit} limited to half of its rate", {f"{path}.rate": each}, sort="load"
            )


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
    """Yield the workload without all others: the cost of sharing."""
    kept = scene.items("workloads", [scene.limit.workload])
    written = scene.document.get("workloads") or []
    traffic = scene.document.get("traffic") or []
    indices = tuple(int(path.split("[")[1][:-1]) for path in kept)
    if len(indices) == len(written) and not traffic:
        return
    after = any(isinstance(item, dict) and item.get("after") for item in written)
    if not after:
        yield Remedy(
            f"{scene.limit.workload} alone",
            keeps={"workloads": indices, "traffic": ()},
            sort="alone",
        )


def _own(scene: Scene) -> Iterator[tuple[str, dict[str, Any]]]:
    item = scene.item("workloads", scene.limit.workload)
    for path in scene.items("workloads", [scene.limit.workload]):
        yield path, item
