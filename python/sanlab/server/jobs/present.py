"""The map of a simulation at its present simulated time."""

from __future__ import annotations

import json
from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING

from sanlab.server import models
from sanlab.server.jobs.job import Compiled
from sanlab.topology import instants_of, topology_of

if TYPE_CHECKING:
    from sanlab.server.jobs.job import Job
    from sanlab.server.jobs.order import Order


def present_map(job: Job) -> models.PresentMap:
    """Return the map now, and when it changes next.

    After a change the run is simulated again up to it; the map is that of the change already.
    """
    with job.lock:
        order, known = job.order, job.compiled
        now_ps = max(job.now_ps, job.changed_at_ps or 0)
    # Two pages may compile the same at once; either answer is right.
    if known is None or known.order is not order:
        known = _compiled(order)
        with job.lock:
            job.compiled = known
    after = bisect_right(known.instants, now_ps)
    return models.PresentMap(
        topology=topology_of(known.plan, scenario=known.scenario, at_ps=now_ps),
        next_ps=known.instants[after] if after < len(known.instants) else None,
    )


def _compiled(order: Order) -> Compiled:
    from sanlab.plan.compile import compile_plan
    from sanlab.scenario.load import parse_scenario
    from sanlab.simulation.execute import seeded

    scenario = seeded(parse_scenario(order.text, order.file, order.overrides), order.seed)
    root = Path(order.workspace)
    scenario.confine((root / order.file).parent, root)
    plan = json.loads(compile_plan(scenario).to_json())
    return Compiled(order, scenario, plan, instants_of(plan))
