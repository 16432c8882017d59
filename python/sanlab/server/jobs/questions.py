"""Questions that simulate: each is answered by a process of its own, which the server can end."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from sanlab.errors import RunError, SanlabError
from sanlab.server.jobs.processes import processes
from sanlab.server.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

#: Most questions that are answered at once.
MOST = 2
#: How long a question may wait for its turn, in seconds.
TURN_S = 60.0

Words = ParamSpec("Words")
Found = TypeVar("Found")


class Questions:
    """Functions that run in processes; they and their arguments cross a pipe."""

    def __init__(self) -> None:
        self._context = processes()
        self._turns = threading.BoundedSemaphore(MOST)
        self._lock = threading.Lock()
        self._processes: set[Any] = set()
        self._is_closed = False

    def ask(
        self, function: Callable[Words, Found], *words: Words.args, **options: Words.kwargs
    ) -> Found:
        """Return what a function returns in another process.

        Raises
        ------
        SanlabError
            The function raised it.
        Refusal
            Too many questions wait, or the server ends.
        """
        if not self._turns.acquire(timeout=TURN_S):
            raise Refusal(429, "Other questions simulate already", "Ask again in a moment")
        try:
            return self._answer(function, words, options)  # type: ignore[no-any-return]
        finally:
            self._turns.release()

    def close(self) -> None:
        """End all questions."""
        with self._lock:
            self._is_closed = True
            for process in self._processes:
                process.kill()

    def _answer(self, function: Any, words: Any, options: Any) -> Any:  # noqa: ANN401
        ours, theirs = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=_work, args=(theirs, function, words, options), daemon=True
        )
        with self._lock:
            if self._is_closed:
                raise Refusal(503, "The server ends", "Start it again")
            process.start()
            self._processes.add(process)
        theirs.close()
        try:
            is_good, found = ours.recv()
        except EOFError:
            raise Refusal(500, "The question could not be answered", "Ask again") from None
        finally:
            ours.close()
            process.join()
            with self._lock:
                self._processes.discard(process)
        if not is_good:
            raise found
        return found


def _work(pipe: Any, function: Any, words: Any, options: Any) -> None:  # noqa: ANN401
    """Answer in this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        answer = True, function(*words, **options)
    except SanlabError as error:
        # A copy, since errors of subclasses may need other arguments to be made again.
        kind = RunError if isinstance(error, RunError) else SanlabError
        answer = False, kind(str(error))
    pipe.send(answer)
    pipe.close()
