"""All jobs of a server: started in turn, each in a process of its own."""

from __future__ import annotations

import os
import secrets
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sanlab.server import models
from sanlab.server.jobs.job import Job
from sanlab.server.jobs.order import Done, Drive, Failed, Names, Prepared, Progress, Sample, Stop
from sanlab.server.jobs.processes import processes
from sanlab.server.jobs.worker import work
from sanlab.server.refusal import Refusal
from sanlab.server.workspace import identifier_of

if TYPE_CHECKING:
    from sanlab.server.jobs.order import Order

#: Most jobs that wait for a free worker.
MAX_QUEUED = 20
#: Most finished jobs that are remembered.
MAX_FINISHED = 100
#: How long a worker may take to end when the server does, in seconds.
PATIENCE_S = 5.0


class Manager:
    """Starts jobs, at most one for each core at a time, and follows them."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most or max(2, len(os.sched_getaffinity(0)))
        self._jobs: dict[str, Job] = {}
        self._lock = threading.RLock()
        self._context = processes()
        self._is_closed = False

    def start(self, order: Order) -> Job:
        """Begin with a job, or queue it.

        Raises
        ------
        Refusal
            Too many jobs wait already.
        """
        with self._lock:
            queued = [job for job in self._jobs.values() if job.state == "queued"]
            if self._is_closed or len(queued) >= MAX_QUEUED:
                reason = f"{len(queued)} simulations wait already"
                raise Refusal(429, reason, "Stop some, or wait until they are done")
            job = Job(secrets.token_hex(8), order, order.stem, pace=order.pace)
            self._jobs[job.id] = job
            self._forget()
            self._start_next()
        return job

    def get(self, identifier: str) -> Job:
        """Return a job by its id."""
        job = self._jobs.get(identifier)
        if job is None:
            reason = "There is no such job"
            raise Refusal(404, reason, "The server remembers the last ones since its start")
        return job

    def all(self) -> list[Job]:
        """Return all jobs, the newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def stop(self, job: Job) -> None:
        """End a job; a run keeps what it has. Without effect on a job that is over."""
        with self._lock, job.lock:
            if job.state == "queued":
                _set(job, "stopped")
            elif not job.is_over:
                job.is_stopping = True
                _tell(job, Stop())

    def drive(self, job: Job, pace: float | None, *, is_paused: bool) -> None:
        """Change the pace of a run, or let it wait."""
        if job.order.kind != "run":
            reason = "A failure matrix has no pace"
            raise Refusal(409, reason, "Stop it, or wait until it is done")
        with self._lock, job.lock:
            if job.is_over:
                raise Refusal(409, f"The simulation is {job.state}", "Start it again")
            job.pace, job.is_paused = pace, is_paused
            if job.state == "queued":
                job.order = replace(job.order, pace=pace, is_paused=is_paused)
            else:
                _set(job, "paused" if is_paused else "running")
                _tell(job, Drive(pace, is_paused))

    def present(self, job: Job) -> tuple[Order, int]:
        """Return what a run simulates, and its simulated time.

        Raises
        ------
        Refusal
            It does not run, or it has not got as far as before its last change.
        """
        with job.lock:
            _require_going(job)
            if job.changed_at_ps is not None and job.now_ps < job.changed_at_ps:
                reason = "The simulation is not yet back at its last change"
                raise Refusal(409, reason, "Wait a moment")
            return job.order, job.now_ps

    def replace(self, job: Job, before: Order, text: str, at_ps: int) -> None:
        """Simulate a changed scenario instead: at full speed up to the time of the change."""
        with self._lock, job.lock:
            _require_going(job)
            if job.order is not before:
                raise Refusal(409, "Another page changed the simulation", "Try again")
            _tell(job, Stop(is_kept=False))
            job.generation += 1
            job.order = replace(
                before, text=text, pace=job.pace, is_paused=job.is_paused, fast_until_ps=at_ps
            )
            # The old worker went on while the change was checked.
            job.now_ps, job.changed_at_ps = 0, at_ps
            self._launch(job)

    def close(self) -> None:
        """End all workers; runs keep what they have."""
        with self._lock:
            self._is_closed = True
            for job in self._jobs.values():
                self.stop(job)
            processes = [job.process for job in self._jobs.values() if job.process is not None]
        for process in processes:
            process.join(PATIENCE_S)
            if process.is_alive():
                process.kill()
                process.join()

    def _forget(self) -> None:
        over = [key for key, job in self._jobs.items() if job.is_over]
        for key in over[: max(0, len(over) - MAX_FINISHED)]:
            del self._jobs[key]

    def _start_next(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            going = sum(job.state in ("running", "paused") for job in self._jobs.values())
            for job in self._jobs.values():
                if going >= self._most:
                    return
                if job.state == "queued":
                    self._launch(job)
                    going += 1

    def _launch(self, job: Job) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(job.order, theirs), daemon=True)
        with job.lock:
            job.pipe, job.process = ours, process
            _set(job, "paused" if job.is_paused else "running")
        process.start()
        theirs.close()
        follower = threading.Thread(
            target=self._follow, args=(job, job.generation, ours, process), daemon=True
        )
        follower.start()

    def _follow(self, job: Job, generation: int, pipe: Any, process: Any) -> None:  # noqa: ANN401  of multiprocessing
        """Take what a worker reports, until it ends."""
        try:
            while True:
                message = pipe.recv()
                with job.lock:
                    if job.generation == generation:
                        _take(job, message)
        except (EOFError, OSError):
            pass
        process.join()
        pipe.close()
        with job.lock:
            if job.generation == generation and not job.is_over:
                if job.is_stopping:
                    _set(job, "stopped")
                else:
                    job.error = {"message": f"The worker ended with code {process.exitcode}"}
                    _set(job, "failed")
        self._start_next()


def _require_going(job: Job) -> None:
    is_going = job.process is not None and not job.is_over and not job.is_stopping
    if job.order.kind != "run" or not is_going:
        raise Refusal(409, f"The simulation is {job.state}", "Start it again")


def _take(job: Job, message: object) -> None:
    """Apply what a worker reports."""
    if isinstance(message, Prepared):
        job.title = message.title or job.title
        job.end_ps = message.end_ps
        job.workload_names = message.workloads
    elif isinstance(message, Names):
        job.port_names = message.ports
    elif isinstance(message, Progress):
        job.now_ps, job.end_ps, job.events = message.now_ps, message.end_ps, message.events
    elif isinstance(message, Sample):
        job.sample_number += 1
        job.samples.append((job.sample_number, message))
    elif isinstance(message, Done):
        job.run = None if message.folder is None else identifier_of(message.folder)
        job.matrix = message.matrix
        _set(job, "done" if message.is_complete else "stopped")
    elif isinstance(message, Failed):
        job.error = message.error
        job.problems = [
            models.Problem(
                line=one["line"],
                column=one["column"],
                key=one["key"],
                message=one["reason"],
                remedy=one["remedy"],
            )
            for one in message.problems
        ]
        _set(job, "failed")
    job.version += 1


def _set(job: Job, state: models.State) -> None:
    job.state = state
    job.version += 1


def _tell(job: Job, message: Stop | Drive) -> None:
    if job.pipe is not None:
        try:
            job.pipe.send(message)
        except OSError:
            return  # it ended meanwhile; its follower says how
