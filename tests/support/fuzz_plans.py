"""Plans of the examples with one value changed, as a person might edit them.

The engine must run such a plan or refuse it with one line that names the field. It must neither
panic nor ask for more memory than there is.
"""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
Json = Any
#: Simulated time of a case, and the wall time after which it is stopped.
LONGEST_PS = 2_000_000_000
PATIENCE_S = 0.4
NUMBERS: tuple[Json, ...] = (
    0,
    1,
    2,
    3,
    7,
    255,
    4096,
    65_536,
    2**31,
    2**32 - 1,
    2**32,
    2**53,
    2**63,
    2**64 - 1,
)
OTHERS: tuple[Json, ...] = (-1, 1.5, None, True, "", "x", [], {}, [0], {"kind": "x"}, 10**30)

#: Where a value is: keys and numbers from the top.
Place = tuple[str | int, ...]


def plans() -> list[str]:
    """JSON text of the plan of each example."""
    from sanlab import compile_plan, load_scenario

    files = sorted(ROOT.glob("examples/*/scenario.yaml"))
    return [compile_plan(load_scenario(file)).to_json() for file in files]


def leaves(value: Json, at: Place = ()) -> list[Place]:
    """Return the place of every value, objects and lists included."""
    inside: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    return [at] * bool(at) + [place for key, of in inside for place in leaves(of, (*at, key))]


def mutate(plan: Json, draws: random.Random) -> str:
    """Change one value of a plan; return what was done."""
    # Shapes first, so that the many entries of a long list do not hide the other fields.
    shapes: dict[Place, list[Place]] = {}
    for place in leaves(plan):
        shape = tuple("*" if isinstance(key, int) else key for key in place)
        shapes.setdefault(shape, []).append(place)
    place = draws.choice(shapes[draws.choice(sorted(shapes, key=str))])
    parent: Any = plan
    for key in place[:-1]:
        parent = parent[key]
    old: Json = parent[place[-1]]
    new: Json
    match draws.randrange(6):
        case 0 if isinstance(parent, dict):
            del parent[place[-1]]
            return f"{place}: removed"
        case 1 if isinstance(old, list) and old:
            new = [*old, draws.choice(old)] if draws.random() < 0.5 else old[:-1]
        case 2 if isinstance(old, int) and not isinstance(old, bool):
            new = max(0, old + draws.choice((-1, 1)))
        case 3:
            new = draws.choice(OTHERS)
        case _:
            new = draws.choice(NUMBERS)
    parent[place[-1]] = new
    return f"{place}: {str(old)[:40]} becomes {str(new)[:40]}"


def check_refusal(message: str) -> str:
    """Return how a refusal counts: it is one line that names a field and a reason."""
    place, _, reason = message.partition(": ")
    is_good = place and reason and "\n" not in message
    return "refused" if is_good else f"wrong: refused with {message!r}"


#: Ends of a run that a load or a fabric may bring about; any other end of a run is wrong.
MAY_FAIL = ("has all 65535 exchanges open", "ask faster than", "a deadlock", "can never send")


def simulate(plan: str, patience_s: float) -> str:
    """Run a plan for a while; return how it ended. A refusal is the caller's to judge.

    Raises
    ------
    PlanError
        The engine refused the plan.
    """
    from sanlab import _native

    control = _native.Control()
    timer = threading.Timer(patience_s, control.stop)
    timer.start()
    try:
        _native.run(plan, control)
    except _native.PlanError:
        raise
    except _native.RunError as error:
        is_its_load = any(words in str(error) for words in MAY_FAIL)
        return f"failed: {error}" if is_its_load else f"wrong: {error}"
    finally:
        timer.cancel()
    return "simulated"


class Fuzzer:
    """Plans edited by hand."""

    def __init__(self) -> None:
        self.bases = plans()

    def make(self, seed: int, number: int) -> tuple[str, str]:
        """Return a plan, and what was changed."""
        draws = random.Random(f"{seed}/{number}")
        plan = json.loads(self.bases[number % len(self.bases)])
        plan["end_ps"] = min(plan["end_ps"], LONGEST_PS)
        done = mutate(plan, draws)
        return json.dumps(plan), done

    def run(self, case: str) -> str:
        """Run a plan, which the engine may refuse."""
        from sanlab import _native

        try:
            return simulate(case, PATIENCE_S)
        except _native.PlanError as error:
            return check_refusal(str(error))
