"""A stack of disk enclosures as a matrix: which link of a host drives the disk in each slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.compile import compile_plan
from sanlab.report.figures import PALETTE
from sanlab.scenario.load import load_scenario
from sanlab.vega_lite import Chart, chart, layer, mark, nominal, ordinal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sanlab.plan.schema import Plan
    from sanlab.validate.study import Case, Slots

_CELL = 32


def draw_slots(slots: Slots, cases: Sequence[Case]) -> Chart:
    """Draw the slots of a case: a row for each enclosure, the name of its link in each slot."""
    case = next(case for case in cases if case.name == slots.case)
    plan = compile_plan(load_scenario(case.scenario, case.overrides))
    cells = [
        {
            "slot": number % slots.columns + 1,
            "enclosure": number // slots.columns + 1,
            "link": slots.links[port],
        }
        for number, port in sorted(drivers(plan).items())
    ]
    rows = 1 + max(number // slots.columns for number in drivers(plan))
    x = ordinal("slot", title="Slot", axis={"labelAngle": 0, "orient": "top"})
    y = ordinal("enclosure", title="Enclosure, from the top")
    names = list(dict.fromkeys(slots.links.values()))
    fills = [*PALETTE, "#4d4d4d"][: len(names)]
    color = nominal("link", sort=names, scale={"domain": names, "range": fills}, title="Link")
    boxes = chart(cells, mark("rect", opacity=0.45, stroke="#ffffff"), x=x, y=y, color=color)
    words = chart(cells, mark("text", fontSize=13), x=x, y=y, text=nominal("link"))
    size = {"width": _CELL * slots.columns, "height": _CELL * rows}
    return layer(boxes, words).with_properties(**size)


def drivers(plan: Plan) -> dict[int, str]:
    """Return the port of a host that each LUN is driven from, by the number of the LUN."""
    found = {}
    for job in plan.jobs:
        for target in job.targets:
            adapter = plan.hosts[job.host].adapters[target.paths[0].adapter]
            found[target.lun] = plan.n_ports[adapter.n_port].name
    return found
