"""One line about a running simulation, on a terminal only."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol

from sanlab.words import show_time

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

PS_PER_S = 1e12


class Clock(Protocol):
    """What can be asked of a running simulation at any time."""

    @property
    def now_ps(self) -> int:
        """Simulated time so far."""
        ...

    @property
    def events(self) -> int:
        """Events handled so far."""
        ...


def describe(clock: Clock, end_ps: int | None, wall_s: float) -> str:
    """Simulated time and speed in words, `420 ms of 2.00 s simulated, 3.1 M events/s`."""
    speed = clock.events / wall_s / 1e6 if wall_s > 0 else 0.0
    end = f" of {show_time(end_ps)}" if end_ps else ""
    return f"{show_time(clock.now_ps)}{end} simulated, {speed:.1f} M events/s"


class ProgressLine:
    """Bar, simulated time, speed, time to go on standard error; nothing unless a terminal."""

    def __init__(self, title: str, end_ps: int | None, *, is_wanted: bool = True) -> None:
        self._title = title
        self._end_ps = end_ps
        self._started = time.perf_counter()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._is_shown = is_wanted and sys.stderr.isatty()

    def __enter__(self) -> ProgressLine:
        if self._is_shown:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                TextColumn("{task.percentage:>3.0f} %"),
                TextColumn("{task.fields[said]}", markup=False),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
            self._task = self._progress.add_task(self._title, total=self._end_ps, said="")
        return self

    def update(self, clock: Clock) -> None:
        """Show where the simulation is."""
        if self._progress is None or self._task is None:
            return
        said = describe(clock, self._end_ps, time.perf_counter() - self._started)
        self._progress.update(self._task, completed=clock.now_ps, said=said)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
