"""The parts that routes share: workspace, open runs, index, jobs."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from sanlab.results.run import Run
from sanlab.server.index import Index
from sanlab.server.jobs.manager import Manager
from sanlab.server.jobs.questions import Questions
from sanlab.server.workspace import Workspace

#: Most runs that stay open.
MAX_OPEN = 8

Found = TypeVar("Found")


@dataclass
class OpenRun:
    """A run that stays open, with answers that take long to compute."""

    run: Run
    stamp: int
    answers: dict[str, Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, question: str, compute: Callable[[Run], Found]) -> Found:
        """Return an answer, computed once."""
        with self.lock:
            if question not in self.answers:
                self.answers[question] = compute(self.run)
            found: Found = self.answers[question]
            return found


@dataclass
class OpenRuns:
    """The runs that were asked for last."""

    _runs: OrderedDict[Path, OpenRun] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self, folder: Path) -> OpenRun:
        """Return a run; it is read again if its folder is another now."""
        stamp = (folder / "manifest.json").stat().st_mtime_ns
        with self._lock:
            known = self._runs.get(folder)
            if known is None or known.stamp != stamp:
                known = OpenRun(Run.open(folder), stamp)
            self._runs[folder] = known
            self._runs.move_to_end(folder)
            while len(self._runs) > MAX_OPEN:
                self._runs.popitem(last=False)
        return known


@dataclass
class Services:
    """What the routes of one server work with."""

    workspace: Workspace
    jobs: Manager
    runs: OpenRuns = field(default_factory=OpenRuns)
    questions: Questions = field(default_factory=Questions)
    streams: int = 0
    is_ending: bool = False

    def __post_init__(self) -> None:
        self.index = Index(self.workspace)

    def open_run(self, identifier: str) -> OpenRun:
        """Return a run by its id."""
        return self.runs.open(self.workspace.result(identifier, "manifest.json"))

    def run(self, identifier: str) -> Run:
        """Return a run by its id."""
        return self.open_run(identifier).run


def services(request: Request) -> Services:
    """Return the services of the server that has the request."""
    found: Services = request.app.state.services
    return found


Shared = Annotated[Services, Depends(services)]
