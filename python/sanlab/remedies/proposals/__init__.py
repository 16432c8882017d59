"""Remedies that fit a limit, most direct ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sanlab.remedies.proposals import arrays, fabric, faults, hosts, load, loops, stripes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sanlab.remedies.remedy import Remedy
    from sanlab.remedies.scene import Scene

    Source = Callable[[Scene], Iterator[Remedy]]

__all__ = ["cost_of_sharing", "propose"]

#: Of each kind of limit (`sanlab.explain.limit.KINDS`): where remedies come from.
_SOURCES: Final[dict[str, tuple[Source, ...]]] = {
    "cpu": (hosts.cpu, load.larger),
    "adapter": (hosts.adapter, load.larger),
    "bus": (hosts.bus, load.larger),
    "queue_depth": (hosts.queue_depth, hosts.multipath),
    "interrupt": (hosts.interrupt,),
    "path_turns": (hosts.multipath,),
    "link_turns": (fabric.link,),
    "metadata_server": (hosts.metadata_server, load.larger),
    "link": (fabric.link, hosts.multipath),
    "loop": (loops.loop, load.larger),
    "credit": (fabric.credit, fabric.link),
    "credit_loss": (fabric.credit_loss, fabric.more_credit),
    "slow_receiver": (fabric.slow_receiver,),
    "congestion": (fabric.congestion,),
    "bursts": (fabric.congestion,),
    "priority": (fabric.priority,),
    "qos_limit": (fabric.qos_limit,),
    "fault": (faults.shorter,),
    "stall": (faults.shorter,),
    "array_limit": (arrays.array_limit,),
    "task_set_full": (arrays.task_set_full,),
    "controller": (arrays.controller, hosts.multipath),
    "partner": (arrays.partner,),
    "cache_room": (arrays.cache_room,),
    "write_through": (arrays.write_through,),
    "disk": (stripes.aligned, stripes.wider, arrays.disk),
    "media": (stripes.aligned, stripes.wider, arrays.media),
    "parity": (arrays.parity, load.larger),
    "mirror": (arrays.mirror,),
    "outstanding": (load.depth, load.larger_each, arrays.forwarded),
    "offered_load": (arrays.forwarded,),
    "contention": (stripes.aligned, arrays.of_drives, fabric.link),
}


def propose(scene: Scene) -> list[Remedy]:
    """Return remedies for what limits a workload, each change once."""
    sources = (
        *_SOURCES.get(scene.limit.kind, ()),
        faults.repair,
        load.limit_others,
        load.limit_where_others_enter,
    )
    found: dict[str, Remedy] = {}
    for source in sources:
        for remedy in source(scene):
            found.setdefault(remedy.key, remedy)
    return [*found.values(), *cost_of_sharing(scene)]


def cost_of_sharing(scene: Scene) -> list[Remedy]:
    """Return the load without others: no remedies, but what sharing with them costs."""
    return [*load.without_one(scene), *load.alone(scene)]
