"""One line about a running sweep, on a terminal only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

    from sanlab.sweeps.tally import Tally


class SweepLine:
    """Points done of all, and how long the rest will take at the pace of the last ones."""

    def __init__(self, title: str, *, is_wanted: bool) -> None:
        self._title = title
        self._is_shown = is_wanted and sys.stderr.isatty()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> SweepLine:
        if self._is_shown:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TextColumn("points{task.fields[said]}", markup=False),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
            self._task = self._progress.add_task(self._title, total=None, said="")
        return self

    def update(self, tally: Tally, total: int) -> None:
        """Show how far the sweep is."""
        if self._progress is None or self._task is None:
            return
        bad = tally.failed + tally.lost
        self._progress.update(
            self._task,
            completed=tally.done + bad + tally.impossible,
            total=total,
            said=f", {bad} failed" if bad else "",
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
