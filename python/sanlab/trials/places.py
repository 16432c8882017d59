"""Where trials are simulated: on the cores of this machine, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Any, Protocol

from sanlab.errors import RunError
from sanlab.simulation.manifest import sanlab_version
from sanlab.sweeps.measure import Stopped, run_in_memory
from sanlab.sweeps.pool import GONE_S, RETRIES, connect, gone, threads_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sanlab.results.record import Record

#: How often a cluster is asked whether it is still there, in seconds.
LOOK_S = 1.0


class Seat(Protocol):
    """Where one trial is simulated; another thread can stop it."""

    def answer(self, plan_json: str, judge: Callable[[Record], object]) -> Any:  # noqa: ANN401  JSON
        """Simulate a plan and judge the run.

        Raises
        ------
        Stopped
            It was stopped.
        RunError
            The run failed, or the cluster is gone.
        """

    def stop(self) -> None:
        """Stop the simulation."""


class Place(Protocol):
    """Seats for trials."""

    @property
    def seats_count(self) -> int:
        """How many trials are worth having under way."""

    def seat(self) -> Seat:
        """Return a new seat."""


class Cores:
    """The cores of this machine."""

    @property
    def seats_count(self) -> int:
        """One for each core."""
        return os.cpu_count() or 1

    def seat(self) -> Seat:
        """Return a thread's seat."""
        return _Core()


class _Core:
    def __init__(self) -> None:
        import sanlab._native as _native  # noqa: PLR0402  reading results needs no engine

        self._control = _native.Control()

    def answer(self, plan_json: str, judge: Callable[[Record], object]) -> Any:  # noqa: ANN401
        return judge_run(plan_json, judge, self._control)

    def stop(self) -> None:
        self._control.stop()


class Cluster:
    """The workers of a Dask cluster, started with Dask's own commands."""

    def __init__(self, client: Any, address: str) -> None:  # noqa: ANN401  a client of dask's
        self._client, self._address = client, address

    @property
    def seats_count(self) -> int:
        """Twice the threads of all workers, so that none waits for the next trial."""
        return max(2, 2 * threads_of(self._client))

    def seat(self) -> Seat:
        """Return a seat that any worker may take."""
        return _Worker(self._client, self._address)


class _Worker:
    def __init__(self, client: Any, address: str) -> None:  # noqa: ANN401  a client of dask's
        self._client, self._address = client, address
        self._is_stopped = False

    def answer(self, plan_json: str, judge: Callable[[Record], object]) -> Any:  # noqa: ANN401
        from concurrent.futures import CancelledError

        version = sanlab_version()
        future = self._client.submit(
            judge_run, plan_json, judge, version=version, pure=False, retries=RETRIES
        )
        gone_since = None
        while not self._is_stopped:
            try:
                return future.result(timeout=LOOK_S)
            except (RunError, Stopped):
                raise
            except TimeoutError:
                now = time.monotonic()
                is_there = self._client.status == "running"
                gone_since = None if is_there else gone_since or now
                if gone_since is not None and now - gone_since > GONE_S:
                    raise gone(self._address) from None
            except (CancelledError, OSError):
                raise gone(self._address) from None
            except Exception as error:
                reason = f"A trial was lost: {type(error).__name__}: {error}"
                raise RunError(reason) from None
        with contextlib.suppress(Exception):  # the cluster may be gone
            future.cancel()
        raise Stopped

    def stop(self) -> None:
        self._is_stopped = True


@contextlib.contextmanager
def place_at(address: str | None) -> Iterator[Place]:
    """Give the cores of this machine, or the cluster at an address.

    Raises
    ------
    SanlabError
        The address is none, or no scheduler answers there.
    """
    if address is None:
        yield Cores()
        return
    client = connect(address)
    try:
        yield Cluster(client, address)
    finally:
        with contextlib.suppress(Exception):  # the cluster may be gone
            client.close()


def judge_run(
    plan_json: str,
    judge: Callable[[Record], object],
    control: Any = None,  # noqa: ANN401  ours, compiled
    version: str = "",
) -> object:
    """Simulate a plan in this thread and judge the run: what a worker does, wherever it runs.

    Raises
    ------
    RunError
        The run failed, or this is another sanlab than the one that asks.
    Stopped
        The control stopped it.
    """
    return judge(run_in_memory(plan_json, control, version))
