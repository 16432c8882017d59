"""The worker process of one job: it simulates, reports, and listens for stop and pace."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sanlab.errors import SanlabError, ScenarioError
from sanlab.plan.defaults import LATEST_END_PS
from sanlab.server.jobs.order import Done, Drive, Failed, Names, Prepared, Progress, Sample, Stop
from sanlab.server.jobs.pacing import Pacing
from sanlab.server.refusal import detail, within

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from sanlab.server.jobs.order import Order
    from sanlab.simulation.execute import Outcome

#: How often the engine is asked where it is, in seconds.
TICK_S = 0.1
PS_PER_S = 1e12


def work(order: Order, pipe: Connection) -> None:
    """Do what is asked for; the entry of the process."""
    # Ctrl-C in the terminal is for the server, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.chdir(order.workspace)
    try:
        done = _failures(order, pipe) if order.kind == "failures" else _run(order, pipe)
        pipe.send(done)
    except (BrokenPipeError, EOFError, ConnectionResetError):
        return  # the server is gone
    except ScenarioError as error:
        problems = [within(one.as_dict(), order.workspace) for one in error.problems]
        pipe.send(Failed(within(detail(error), order.workspace), problems))
    except (SanlabError, OSError, MemoryError) as error:
        pipe.send(Failed(within(detail(error), order.workspace)))
    except Exception as error:
        pipe.send(Failed({"message": f"A fault of sanlab: {type(error).__name__}: {error}"}))
        raise
    finally:
        pipe.close()


def _run(order: Order, pipe: Connection) -> Done:
    import sanlab._native as _native  # noqa: PLR0402
    from sanlab.simulation.execute import keep, prepare_text, simulate_here

    prepared = prepare_text(
        order.text,
        order.file,
        order.stem,
        order.overrides,
        order.seed,
        root=Path(order.workspace),
    )
    plan = prepared.plan
    end_ps = plan.end_ps if plan.end_ps < LATEST_END_PS else None
    control = _native.Control()
    names = [workload.name for workload in plan.workloads]
    pipe.send(Prepared(plan.title, end_ps, names))
    outcomes: list[Outcome | BaseException] = []
    is_done = threading.Event()

    def simulate() -> None:
        try:
            outcomes.append(simulate_here(plan.to_json(), control))
        except BaseException as error:
            outcomes.append(error)
        finally:
            is_done.set()

    driver = _Driver(control, pipe, order, end_ps)
    driver.tick()  # the hold of a pace is set before the run, so that it is exact
    threading.Thread(target=simulate, name="sanlab-engine", daemon=True).start()
    due_s = time.monotonic() + TICK_S
    while not is_done.wait(max(0.0, due_s - time.monotonic())):
        # A tick is not later for the work of the one before it.
        due_s = max(due_s + TICK_S, time.monotonic())
        driver.tick()
    if not driver.is_kept:
        return Done(None, is_complete=False)
    (outcome,) = outcomes
    if isinstance(outcome, BaseException):
        raise outcome
    driver.report(int(outcome.summary["simulated_ps"]))
    folder = keep(prepared, outcome, None)
    is_complete = bool(outcome.summary["is_complete"])
    return Done(Path(folder).as_posix(), is_complete=is_complete)


class _Driver:
    """Looks at the engine and at the pipe, again and again."""

    def __init__(self, control: Any, pipe: Connection, order: Order, end_ps: int | None) -> None:  # noqa: ANN401  ours, compiled
        self._control = control
        self._pipe = pipe
        self._end_ps = end_ps
        self._pacing = Pacing(order.pace, order.is_paused, order.fast_until_ps)
        self._before: Any = None
        self._sent: Progress | None = None
        self.is_kept = True

    def tick(self) -> None:
        """Obey what came over the pipe, move the hold, report."""
        while self._pipe.poll():
            self._obey(self._pipe.recv())
        now_ps = self._control.now_ps
        # While the run waits at its hold: samples of a paced run are then equally far apart, and no
        # single I/O of a very short one looks like a burst.
        if self.report(now_ps):
            self._sample()
        self._control.hold(self._pacing.hold_ps(now_ps, time.monotonic()))

    def report(self, now_ps: int) -> bool:
        """Say where the run is; returns whether that is news."""
        progress = Progress(now_ps, self._end_ps, self._control.events, self._pacing.is_paused)
        is_news = progress != self._sent
        if is_news:
            self._pipe.send(progress)
            self._sent = progress
        return is_news

    def _obey(self, message: object) -> None:
        if isinstance(message, Stop):
            self.is_kept = message.is_kept
            self._control.stop()
        elif isinstance(message, Drive):
            self._pacing.change(message.pace, self._control.now_ps, is_paused=message.is_paused)

    def _sample(self) -> None:
        """Report rates since the sample before, where the simulated time moved."""
        if self._control.now_ps <= self._pacing.fast_until_ps:
            return  # nothing has happened yet, or it was reported before
        now = self._control.snapshot(TICK_S)
        if now is None:
            return
        before, self._before = self._before, now
        if before is None:
            self._pipe.send(Names(now.ports))
        if before is not None and now.at_ps > before.at_ps:
            self._pipe.send(sample(before, now))


def sample(before: Any, now: Any) -> Sample:  # noqa: ANN401  snapshots of the engine
    """Return the rates between two snapshots; what did nothing is left out."""
    seconds = (now.at_ps - before.at_ps) / PS_PER_S
    sent = [b - a for a, b in zip(before.tx_bytes, now.tx_bytes, strict=True)]
    waited = [b - a for a, b in zip(before.tx_credit_wait_ps, now.tx_credit_wait_ps, strict=True)]
    ios = [b - a for a, b in zip(before.io_count, now.io_count, strict=True)]
    moved = [b - a for a, b in zip(before.bytes, now.bytes, strict=True)]
    return Sample(
        now.at_ps,
        [
            (place, round(count / seconds), round(min(1.0, wait / seconds / PS_PER_S), 4))
            for place, (count, wait) in enumerate(zip(sent, waited, strict=True))
            if count or wait
        ],
        [
            (place, round(count / seconds, 1), round(size / seconds))
            for place, (count, size) in enumerate(zip(ios, moved, strict=True))
            if count or size
        ],
    )


def _failures(order: Order, pipe: Connection) -> Done:
    from sanlab.failures.document import matrix_document
    from sanlab.failures.matrix import Wanted, failure_matrix
    from sanlab.simulation.folder import DEFAULT_PARENT

    sending = threading.Lock()

    def report(done: int, count: int) -> None:
        with sending:
            pipe.send(Progress(done, count, 0))

    threading.Thread(target=_exit_on_stop, args=(pipe,), daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="sanlab-") as folder:
        # Messages name the file, without the folder it is in only for this.
        os.chdir(folder)
        file = Path(Path(order.file).name)
        file.write_text(order.text, encoding="utf-8")
        matrix = failure_matrix(
            file,
            overrides=order.overrides,
            wanted=Wanted(order.kinds, order.with_pairs),
            cache=Path(order.workspace) / DEFAULT_PARENT / "failures",
            on_row=report,
        )
        os.chdir(order.workspace)
    return Done(None, is_complete=True, matrix=matrix_document(matrix))


def _exit_on_stop(pipe: Connection) -> None:
    """End the process when it is to stop or the server is gone; what is done is kept in files."""
    with contextlib.suppress(EOFError, OSError):
        while not isinstance(pipe.recv(), Stop):
            pass
    os._exit(0)
