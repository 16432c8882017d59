"""The frames of one I/O in a capture file, at every port they crossed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from sanlab.plan.explain import end_names
from sanlab.plan.schema import Plan
from sanlab.simulation.execute import Capture, simulate
from sanlab.simulation.folder import growing_file

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.ladder.ladder import Ladder
    from sanlab.results.run import Run

#: What a port sees of a frame that comes in.
_COMES_IN = ("arrived", "corrupted")


def capture(run: Run, one: Ladder, target: Path) -> int:
    """Simulate a run again up to the end of an I/O and write its frames alone to a pcapng file.

    Returns the number of frames; one counts at each port that saw it.
    """
    plan = msgspec.json.decode(json.dumps(run.plan), type=Plan)
    ends = end_names(plan)
    ports = dict.fromkeys(name for hop in one.hops for name in (hop.sender, hop.receiver))
    count = len(one.hops) + sum(hop.fate in _COMES_IN for hop in one.hops)
    only = tuple((of.n_port, of.ox_id, of.opened_ps) for of in one.exchanges)
    with growing_file(target) as path:
        wanted = Capture(
            ends=tuple(ends[name] for name in ports), path=path, limit=count, only=only
        )
        over_at = max(hop.arrived_ps for hop in one.hops)
        outcome = simulate(plan, capture=wanted, stop_at_ps=over_at + 1)
    return int(outcome.capture["frames_count"])
