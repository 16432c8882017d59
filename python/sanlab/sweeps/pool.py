"""Workers that simulate points: threads of this process, or a cluster by way of Dask."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sanlab.errors import RunError, SanlabError
from sanlab.simulation.manifest import sanlab_version
from sanlab.sweeps.measure import VersionError, measure_point

if TYPE_CHECKING:
    from sanlab.sweeps.measure import Row
    from sanlab.sweeps.point import Point

#: How long a scheduler may take to answer, in seconds.
ANSWER_S = 5.0
#: How long a cluster that was there may be gone before the sweep gives up.
GONE_S = 20.0
#: How often a cluster that is gone is looked for.
LOOK_S = 0.2
#: Times a point is given to another worker when the one that had it died.
RETRIES = 5


@dataclass(frozen=True)
class Answer:
    """The result of a point: rows, or the reason of a failure.

    Attributes
    ----------
    failure
        Why the simulation failed; it would fail again.
    lost
        Why there is no result although the simulation may be good: workers died.
    """

    point: Point
    rows: list[Row] | None = None
    failure: str | None = None
    lost: str | None = None


class Pool(Protocol):
    """Workers. Answers come in any order."""

    @property
    def size(self) -> int:
        """How many points are worth having under way."""

    def submit(self, point: Point) -> None:
        """Begin with a point."""

    def answer(self) -> Answer:
        """Wait for the next answer."""

    def close(self) -> None:
        """Stop what is under way and let the workers go."""


def workers_here() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0))


class Threads:
    """Threads of this process: the engine leaves the interpreter free."""

    def __init__(self, workers: int, warm_up: str) -> None:
        self.size = workers
        self._warm_up = warm_up
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="sanlab-point")
        self._controls: set[Any] = set()
        self._guard = threading.Lock()
        self._is_closing = False

    def submit(self, point: Point) -> None:
        """Begin with a point."""
        self._pool.submit(self._work, point)

    def answer(self) -> Answer:
        """Wait for the next answer."""
        return self._answers.get()

    def close(self) -> None:
        """Stop the engine in every thread."""
        with self._guard:
            self._is_closing = True
            for control in self._controls:
                control.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _work(self, point: Point) -> None:
        import sanlab._native as _native  # noqa: PLR0402

        control = _native.Control()
        with self._guard:
            if self._is_closing:
                return
            self._controls.add(control)
        try:
            answer = Answer(point, rows=measure_point(point.plan_json, self._warm_up, control))
        except RunError as error:
            answer = Answer(point, failure=str(error))
        except BaseException as error:
            # A fault of ours in one point must not lose the others.
            answer = Answer(point, lost=f"{type(error).__name__}: {error}")
        finally:
            with self._guard:
                self._controls.discard(control)
        self._answers.put(answer)


class Cluster:
    """Workers of a Dask cluster that was started with Dask's own commands."""

    def __init__(self, address: str, warm_up: str) -> None:
        self._warm_up = warm_up
        self._address = address
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._client = connect(address)
        self._futures: dict[str, Any] = {}
        self._gone_since: float | None = None
        self._threads = 0
        self._counted_at = 0.0

    @property
    def size(self) -> int:
        """Twice the threads of all workers, so that none waits for the next point."""
        if time.monotonic() - self._counted_at > 1.0:
            self._counted_at = time.monotonic()
            self._threads = threads_of(self._client)
        return max(2, 2 * self._threads)

    def submit(self, point: Point) -> None:
        """Begin with a point; another worker takes it up should this one die."""
        try:
            future = self._client.submit(
                measure_point,
                point.plan_json,
                self._warm_up,
                version=sanlab_version(),
                pure=False,
                retries=RETRIES,
            )
        except Exception:
            if self._client.status == "running":
                raise
            raise gone(self._address) from None
        self._futures[point.key] = future
        future.add_done_callback(lambda done: self._answers.put(_answer_of(point, done)))

    def answer(self) -> Answer:
        """Wait for the next answer, as long as the cluster is there."""
        while True:
            try:
                answer = self._answers.get(timeout=1.0)
            except queue.Empty:
                self._check_is_there()
                continue
            if answer.lost is not None and self._client.status != "running":
                self._answers.put(answer)  # it may be lost with the scheduler
                time.sleep(LOOK_S)
                self._check_is_there()
                continue
            self._futures.pop(answer.point.key, None)
            return answer

    def close(self) -> None:
        """Let the cluster go; it stays up for the next sweep."""
        with contextlib.suppress(Exception):  # the cluster may be gone
            for future in self._futures.values():
                future.cancel()
        with contextlib.suppress(Exception):
            self._client.close()

    def _check_is_there(self) -> None:
        if self._client.status == "running":
            self._gone_since = None
            return
        now = time.monotonic()
        self._gone_since = self._gone_since or now
        if now - self._gone_since > GONE_S or self._client.status == "closed":
            raise gone(self._address)


def gone(address: str) -> RunError:
    """Return what is said when a cluster that was there is not any more."""
    reason = (
        f"The scheduler at {address} is gone. What was finished is kept; start it again and repeat"
        " the command"
    )
    return RunError(reason)


def threads_of(client: Any) -> int:  # noqa: ANN401  a client of dask's
    """Return the threads of all workers; a scheduler that is gone reports none."""
    try:
        workers = client.scheduler_info(n_workers=-1)["workers"]
    except Exception:
        return 0
    return sum(worker["nthreads"] for worker in workers.values())


def _answer_of(point: Point, done: Any) -> Answer:  # noqa: ANN401  a future of dask's
    if done.status == "finished":
        return Answer(point, rows=done.result())
    if done.status == "cancelled":
        return Answer(point, lost="it was cancelled")
    error = done.exception()
    if isinstance(error, RunError) and not isinstance(error, VersionError):
        return Answer(point, failure=str(error))
    return Answer(point, lost=f"{type(error).__name__}: {error}")


def _hear(host: str, port: int) -> None:
    """Wait for the first word of a scheduler, who speaks first; Dask would wait longer."""
    with socket.create_connection((host, port), timeout=ANSWER_S) as probe:
        if not probe.recv(1):
            raise ConnectionResetError


def connect(address: str) -> Any:  # noqa: ANN401  a client of dask's
    """Return a client of the scheduler at an address.

    Raises
    ------
    SanlabError
        Dask is missing, the address is none, or no scheduler answers there.
    """
    try:
        import dask
        from distributed import Client
    except ImportError:
        reason = "--cluster needs Dask. Install it with: pip install 'sanlab[cluster]'"
        raise SanlabError(reason) from None
    scheme, _, rest = address.partition("://")
    host, _, port = rest.rpartition(":")
    if scheme not in {"tcp", "tls"} or not host or not port.isdigit():
        reason = f"--cluster {address}: this is not an address. Write tcp://HOST:PORT"
        raise SanlabError(reason)
    # What Dask reports of a lost scheduler, sanlab says in a line of its own.
    for name in ("distributed", "distributed.client", "distributed.core", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    dask.config.set({"distributed.comm.timeouts.connect": f"{ANSWER_S}s"})
    try:
        if scheme == "tcp":
            _hear(host.strip("[]"), int(port))
        return Client(address, timeout=ANSWER_S, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, OverflowError):
        reason = (
            f"--cluster {address}: no scheduler answers within {ANSWER_S:g} s. Start one with:"
            " dask scheduler --host HOST --port PORT"
        )
        raise SanlabError(reason) from None
