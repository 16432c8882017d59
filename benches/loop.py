"""Write the loop plan: an SPC-1-like mix that fills the two loops of a 112-disk JBOD.

The case `jbod-spc1-112x16` of the SBOD study, for longer. Needs sanlab's Python package.

    uv run python benches/loop.py SECONDS [--reads-4k] > plan.json

`--reads-4k` makes it random reads of 4 KiB.
"""

from __future__ import annotations

import sys

from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import load_scenario
from sanlab.validate.study import load_study, spell_out

CASE = "jbod-spc1-112x16"
READS = "[{size: 4KiB, reads: 100%, random: 100%}]"


def main() -> None:
    """Print the plan."""
    case = next(it for it in spell_out(load_study("sbod")) if it.name == CASE)
    overrides = case.overrides | {
        "measure.duration": f"{sys.argv[1]}s",
        "measure.interval": "100ms",
    }
    if "--reads-4k" in sys.argv:
        overrides["workloads.load.access"] = READS
    print(compile_plan(load_scenario(case.scenario, overrides)).to_json())


if __name__ == "__main__":
    main()
