"""Plans of the examples with one value changed, as a person might edit them.

The engine must run such a plan or refuse it with one line that names the field. It must neither
panic nor ask for more memory than there is. `python tests/support/plan_fuzz.py --cases 4000` is the
long run; each case is drawn from the seed and its number, so a case can be repeated alone.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
Json = Any
#: Simulated time of a case, and the wall time after which it is stopped.
LONGEST_PS = 2_000_000_000
PATIENCE_S = 0.4
#: A case may take this much memory more than a run needs; what asks for more is aborted.
MEMORY_BYTES = 6 * 2**30
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


def try_case(text: str, seed: int, number: int) -> str:
    """Run one case; return its outcome."""
    from sanlab import _native

    draws = random.Random(f"{seed}/{number}")
    plan = json.loads(text)
    plan["end_ps"] = min(plan["end_ps"], LONGEST_PS)
    done = mutate(plan, draws)
    sys.stdout.write(f"{number} {done}\n")
    sys.stdout.flush()
    control = _native.Control()
    timer = threading.Timer(PATIENCE_S, control.stop)
    timer.start()
    try:
        _native.run(json.dumps(plan), control)
    except _native.PlanError as error:
        return check_refusal(str(error))
    except _native.RunError as error:
        # Its load may be more than there are exchange ids, or a circle of credit may deadlock.
        return f"failed: {error}"
    finally:
        timer.cancel()
    return "simulated"


def work(seed: int, cases: range) -> None:
    """Run cases one after the other, in this process."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, limit))
    bases = plans()
    for number in cases:
        try:
            outcome = try_case(bases[number % len(bases)], seed, number)
        except Exception as error:
            outcome = f"wrong: {error!r}"
        except BaseException as error:  # a panic of the engine is not an Exception
            if type(error).__name__ != "PanicException":
                raise
            outcome = f"wrong: panic: {error}"
        sys.stdout.write(f"{number} {outcome}\n")


def fuzz(seed: int, first: int, count: int) -> tuple[dict[str, int], str]:
    """Run cases in a process of its own; return counts of outcomes, and what went wrong."""
    command = [sys.executable, __file__, "--seed", str(seed), "--first", str(first)]
    command += ["--cases", str(count), "--worker"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    counts = {"refused": 0, "simulated": 0, "failed": 0, "wrong": 0}
    wrong = ""
    lines = done.stdout.splitlines()
    for case, line in zip(["", *lines], lines, strict=False):
        word = line.partition(" ")[2].partition(":")[0]
        if word in counts:
            counts[word] += 1
        if word == "wrong":
            wrong += f"{case}\n  {line}\n"
    if done.returncode != 0:
        wrong += f"exit {done.returncode} after {lines[-1:]}\n{done.stderr[-2000:]}\n"
    return counts, wrong


def main() -> int:
    """Run cases and print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=4000)
    parser.add_argument("--worker", action="store_true", help="run the cases in this process")
    asked = parser.parse_args()
    if asked.worker:
        work(asked.seed, range(asked.first, asked.first + asked.cases))
        return 0
    counts, end = fuzz(asked.seed, asked.first, asked.cases)
    sys.stdout.write(", ".join(f"{count} {word}" for word, count in counts.items()) + "\n")
    sys.stdout.write(end)
    return 1 if end else 0


if __name__ == "__main__":
    raise SystemExit(main())
