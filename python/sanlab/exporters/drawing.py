"""The topology of a scenario as SVG, before anything was simulated."""

from __future__ import annotations

import json
from typing import Any

from sanlab.report.build import standalone_topology
from sanlab.simulation.execute import simulate_here
from sanlab.sweeps.measure import Memory


def drawing(plan_json: str) -> str:
    """Return the boxes and cables of a plan as SVG, in columns from the hosts to the arrays.

    The report draws the topology of a run; here the run ends at once, so that nothing has any load.
    """
    plan: dict[str, Any] = json.loads(plan_json)
    plan["end_ps"] = 1
    at_once = json.dumps(plan)
    return standalone_topology(Memory(at_once, simulate_here(at_once)))
