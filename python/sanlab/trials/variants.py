"""Plans simulated on all cores, each judged where it ran and its judgement kept."""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from sanlab.simulation.execute import simulate_here
from sanlab.simulation.folder import write_file
from sanlab.simulation.manifest import sanlab_version
from sanlab.sweeps.measure import Memory, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sanlab.results.record import Record

Item = TypeVar("Item")
Result = TypeVar("Result")


def judged(
    plan_json: str,
    question: str,
    judge: Callable[[Record], object],
    cache: Path | None,
    control: Any = None,  # noqa: ANN401  ours, compiled
) -> Any:  # noqa: ANN401  what JSON can hold
    """Simulate a plan and judge the run; with a cache, only what it does not hold.

    Parameters
    ----------
    question
        What `judge` answers and all it depends on beside the run: part of the name in the cache.
    judge
        Turns the run into an answer that JSON can hold.
    cache
        Folder that keeps the answers.
    control
        Stops the simulation from another thread.

    Raises
    ------
    Stopped
        The control stopped it.
    RunError
        The run failed.
    """
    kept = None
    if cache is not None:
        content = f"{sanlab_version()}\n{question}\n{plan_json}"
        digest = hashlib.blake2b(content.encode(), digest_size=16)
        kept = cache / f"{digest.hexdigest()}.json"
        if kept.is_file():
            return json.loads(kept.read_text(encoding="utf-8"))
    outcome = simulate_here(plan_json, control)
    if not outcome.summary["is_complete"]:
        raise Stopped
    answer = judge(Memory(plan_json, outcome))
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_file(kept, json.dumps(answer))
    return answer


def on_all_cores(
    items: Sequence[Item],
    work: Callable[[Item, Any], Result],
    on_done: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """Do the same work for each item, in parallel; results in the order of the items.

    Parameters
    ----------
    work
        Gets an item and the control of its simulation. Ctrl-C stops all simulations that run.
    on_done
        Called with the number of items done and of all.
    """
    import sanlab._native as _native  # noqa: PLR0402  reading results needs no engine

    controls = [_native.Control() for _ in items]
    done = 0

    def one(item: Item, control: Any) -> Result:  # noqa: ANN401  ours, compiled
        nonlocal done
        result = work(item, control)
        done += 1
        if on_done is not None:
            on_done(done, len(items))
        return result

    pool = ThreadPoolExecutor(max_workers=os.cpu_count() or 1)
    try:
        return list(pool.map(one, items, controls))
    except BaseException:
        for control in controls:
            control.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
