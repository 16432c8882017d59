"""The map of a run: states, figures, colours over time, and what a host may see."""

from typing import Annotated

from fastapi import APIRouter, Query

from sanlab.server.checking import map_of_run
from sanlab.server.refusal import require_known
from sanlab.server.services import Shared
from sanlab.topology import Access, Colours, Topology, access_of, colours_of
from sanlab.topology.colours import Metric

router = APIRouter(tags=["maps"])

Instant = Annotated[int, Query(ge=0, le=2**63 - 1)]


@router.get("/runs/{run}/topology")
def topology(run: str, shared: Shared, at_ps: Instant | None = None) -> Topology:
    """Return the map of a run: at its end with its figures, or at a time without them."""
    opened = shared.open_run(run)
    if at_ps is not None:
        return map_of_run(opened.run, at_ps)
    return opened.answer("map", lambda found: map_of_run(found, None))


@router.get("/runs/{run}/colours")
def colours(run: str, shared: Shared, metric: Metric = "utilisation") -> Colours:
    """Return the figures of all links over time."""
    return shared.open_run(run).answer(f"colours {metric}", lambda one: colours_of(one, metric))


@router.get("/runs/{run}/access")
def access(run: str, host: str, shared: Shared, at_ps: Instant = 0) -> list[Access]:
    """Return the LUNs that a host may see, and the paths to each of them."""
    plan = shared.run(run).plan
    require_known("host", host, (one["name"] for one in plan["hosts"]))
    return access_of(plan, host, at_ps)
