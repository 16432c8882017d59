"""Plans simulated in parallel, each judged where it ran and its judgement kept."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from sanlab.simulation.folder import write_file
from sanlab.simulation.manifest import sanlab_version
from sanlab.trials.places import Cores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sanlab.results.record import Record
    from sanlab.trials.places import Place, Seat

Item = TypeVar("Item")
Result = TypeVar("Result")


def judged(
    plan_json: str,
    question: str,
    judge: Callable[[Record], object],
    cache: Path | None,
    seat: Seat,
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
    seat
        Where it is simulated.

    Raises
    ------
    Stopped
        Its seat was stopped.
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
    answer = seat.answer(plan_json, judge)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_file(kept, json.dumps(answer))
    return answer


def in_parallel(
    items: Sequence[Item],
    work: Callable[[Item, Seat], Result],
    on_done: Callable[[int, int], None] | None = None,
    place: Place | None = None,
) -> list[Result]:
    """Do the same work for each item, in parallel; results in the order of the items.

    Parameters
    ----------
    work
        Gets an item and a seat for its simulations. Ctrl-C stops all simulations that run.
    on_done
        Called with the number of items done and of all.
    place
        Where the seats are; the cores of this machine by default.
    """
    place = place or Cores()
    seats = [place.seat() for _ in items]
    done = 0

    def one(item: Item, seat: Seat) -> Result:
        nonlocal done
        result = work(item, seat)
        done += 1
        if on_done is not None:
            on_done(done, len(items))
        return result

    pool = ThreadPoolExecutor(max_workers=place.seats_count)
    try:
        return list(pool.map(one, items, seats))
    except BaseException:
        for seat in seats:
            seat.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
