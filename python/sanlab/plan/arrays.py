"""Arrays of the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.controllers import build_controllers, controllers_of, failover_of
from sanlab.plan.defaults import given
from sanlab.plan.limits import build_limits
from sanlab.plan.mirrors import Mirrors
from sanlab.plan.page_cache import build_page_cache, most_destages
from sanlab.plan.schema import ArrayPlan, HitRateCache, LunPlan

if TYPE_CHECKING:
    from sanlab.plan.back_ends import BackEnds
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.luns import Disks, LunTable, PlacedLun
    from sanlab.plan.names import Problems
    from sanlab.plan.schema import BackEndPlan, CachePlan, ControllerPlan, ServiceLimitPlan
    from sanlab.plan.spans import Span
    from sanlab.plan.traffic import Network
    from sanlab.scenario.document import Path


def build_arrays(
    net: Network,
    table: LunTable,
    back_ends: BackEnds,
    failed: dict[tuple[str, int], list[Span]],
    problems: Problems,
) -> list[ArrayPlan]:
    """Return the arrays of the plan; `failed` has the outages of controllers."""
    boxes, wiring, n_port_ids = net.boxes, net.wiring, net.n_port_ids
    mirrors = Mirrors(boxes, table, wiring, n_port_ids, problems)
    arrays = []
    for index, array in enumerate(boxes.arrays):
        luns = [
            LunPlan(
                name=lun.name,
                number=lun.number,
                bytes=lun.bytes,
                queue_depth=lun.queue_depth,
                owner=lun.owner,
                media=lun.media,
                mirror=mirrors.plan(lun),
                initiators=_allowed(lun, n_port_ids),
            )
            for lun in table.luns[index]
        ]
        ports = [n_port_ids[array.name, port] for port in wiring.linked_ports(array.name)]
        back_end = back_ends.of_array.get(array.name)
        controllers = build_controllers(array, wiring, n_port_ids, failed)
        limits = build_limits(net, array, table.luns[index], problems)
        disks = table.disks_of(index, array)
        cache = _cache(array, most_destages(disks.disks, disks.groups), problems)
        parts = _Parts(ports, disks, cache, back_end, limits, luns, controllers)
        arrays.append(_array_plan(array, parts))
    return arrays


@dataclass(frozen=True, slots=True)
class _Parts:
    """Parts of an array in the plan."""

    n_ports: list[int]
    disks: Disks
    cache: CachePlan | None
    back_end: BackEndPlan | None
    limits: list[ServiceLimitPlan]
    luns: list[LunPlan]
    controllers: list[ControllerPlan]


def _array_plan(array: ArrayBox, parts: _Parts) -> ArrayPlan:
    spec, model = array.spec, array.values.model
    return ArrayPlan(
        name=array.name,
        n_ports=parts.n_ports,
        controllers=parts.controllers,
        failover=failover_of(array),
        command_ps=given(spec.command_cost, model.command_cost),
        burst_bytes=given(spec.burst, model.burst),
        first_burst_bytes=given(spec.first_burst, model.first_burst) or None,
        open_bursts=given(spec.open_bursts, model.open_bursts),
        port_queue_depth=given(spec.port_queue_depth, model.port_queue_depth),
        cache=parts.cache,
        drives=parts.disks.drives,
        ssds=parts.disks.ssds,
        disks=parts.disks.disks,
        groups=parts.disks.groups,
        parity_bytes_per_s=spec.parity_rate or None,
        back_end=parts.back_end,
        limits=parts.limits,
        luns=parts.luns,
    )


def _allowed(lun: PlacedLun, n_port_ids: dict[tuple[str, str], int]) -> list[int] | None:
    """N_Ports of hosts that may use a LUN; None if all may."""
    if lun.initiators is None:
        return None
    return sorted(n_port_ids[port] for port in lun.initiators)


def _cache(array: ArrayBox, destages: int, problems: Problems) -> CachePlan | None:
    cache = array.values.cache
    if cache is None:
        return None
    if cache.size is not None:
        path: Path = (*array.path, "cache")
        return build_page_cache(cache, controllers_of(array), destages, path, problems)
    return HitRateCache(
        read_hit_ppm=cache.read_hit,
        access_ps=cache.access,
        dirty_limit_bytes=cache.dirty_limit or None,
    )
