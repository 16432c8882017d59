"""One job as the server sees it: its state, and the samples of the last minute."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sanlab.server import models

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess

    from sanlab.scenario.scenario import Scenario
    from sanlab.server.jobs.order import Order, Sample

#: Samples that a job keeps for pages that come later.
MAX_SAMPLES = 600
#: States that do not change any more.
FINAL = ("done", "stopped", "failed")


@dataclass(frozen=True)
class Compiled:
    """What an order simulates; `instants` are those at which its map changes."""

    order: Order
    scenario: Scenario
    plan: dict[str, Any]
    instants: list[int]


@dataclass
class Job:
    """A job; `lock` is held while it changes, and `version` grows with every change.

    Attributes
    ----------
    samples
        Number and contents; numbers count from 1.
    generation
        Grows when the worker is replaced by one that simulates a changed scenario.
    """

    id: str
    order: Order
    title: str
    state: models.State = "queued"
    now_ps: int = 0
    end_ps: int | None = None
    events: int = 0
    run: str | None = None
    error: dict[str, Any] | None = None
    problems: list[models.Problem] = field(default_factory=list)
    pace: float | None = None
    is_paused: bool = False
    is_stopping: bool = False
    port_names: list[str] = field(default_factory=list)
    workload_names: list[str] = field(default_factory=list)
    changed_at_ps: int | None = None
    matrix: dict[str, Any] | None = None
    compiled: Compiled | None = None
    generation: int = 0
    version: int = 0
    samples: deque[tuple[int, Sample]] = field(default_factory=lambda: deque(maxlen=MAX_SAMPLES))
    sample_number: int = 0
    process: ForkServerProcess | None = None
    pipe: Connection | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def is_over(self) -> bool:
        """Nothing changes any more."""
        return self.state in FINAL

    def answer(self) -> models.Job:
        """Return the job as the interface gives it."""
        with self.lock:
            return models.Job(
                id=self.id,
                kind=self.order.kind,
                title=self.title,
                state=self.state,
                now_ps=self.now_ps,
                end_ps=self.end_ps,
                events=self.events,
                run=self.run,
                error=None if self.error is None else models.ErrorDetail(**self.error),
                problems=self.problems,
                text=self.order.text,
                pace=self.pace,
                port_names=self.port_names,
                workload_names=self.workload_names,
                changed_at_ps=self.changed_at_ps,
                matrix=self.matrix,
            )

    def row(self) -> models.JobRow:
        """Return the job in a list."""
        with self.lock:
            return models.JobRow(
                id=self.id,
                kind=self.order.kind,
                title=self.title,
                state=self.state,
                now_ps=self.now_ps,
                end_ps=self.end_ps,
                run=self.run,
            )

    def progress(self) -> dict[str, Any]:
        """Return what an event of progress says."""
        with self.lock:
            return {
                "state": self.state,
                "now_ps": self.now_ps,
                "end_ps": self.end_ps,
                "events": self.events,
                "pace": self.pace,
                "run": self.run,
                "changed_at_ps": self.changed_at_ps,
            }

    def samples_after(self, number: int) -> list[tuple[int, Sample]]:
        """Return the samples after one."""
        with self.lock:
            return [kept for kept in self.samples if kept[0] > number]
