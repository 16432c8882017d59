"""Where the processes of jobs and questions come from."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext

#: What a simulation imports; the first process imports it, those after it have it.
IMPORTED: Final = [
    "sanlab.server.jobs.worker",
    "sanlab.server.jobs.questions",
    "sanlab._native",
    "sanlab.scenario.load",
    "sanlab.plan.compile",
    "sanlab.simulation.execute",
]


def processes() -> ForkServerContext:
    """Return a context whose processes are forked from one that has imported all but the scenario.

    That process is started with the first of them and ends with the server. It has no thread of
    Python and no connection of the server; numpy and pyarrow prepare their threads for a fork.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    return context
