"""Jobs: start, list, stop, pace, changes, and their events."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from sanlab.server import models
from sanlab.server.jobs.changes import changed, time_of_change
from sanlab.server.jobs.job import Job
from sanlab.server.jobs.order import Order
from sanlab.server.refusal import Refusal
from sanlab.server.services import Shared

router = APIRouter(tags=["jobs"])

#: Time between two looks at a job for its stream, in seconds: half of that between its samples.
LOOK_S = 0.05
#: Silence after which a stream sends a comment, in seconds.
QUIET_S = 15.0
#: Most streams of events at once.
MAX_STREAMS = 64
#: Name of a text without a file.
UNNAMED = "scenario.yaml"


@router.post("/jobs", status_code=201)
def start(body: models.JobRequest, shared: Shared) -> models.Job:
    """Start a simulation; its run folder is made below `runs/`."""
    from sanlab.simulation.execute import stem_of

    if body.text is None and body.path is None:
        reason = "The request names no scenario"
        raise Refusal(422, reason, "Give a path or a text")
    text = shared.workspace.read(str(body.path)) if body.text is None else body.text
    file = UNNAMED if body.path is None else shared.workspace.name(_file(body.path, shared))
    order = Order(
        kind="run",
        workspace=str(shared.workspace.root),
        text=text,
        file=file,
        stem=stem_of(Path(file)) if body.path else "scenario",
        overrides=body.overrides,
        seed=body.seed,
        pace=body.pace,
    )
    return shared.jobs.start(order).answer()


def _file(path: str, shared: Shared) -> Path:
    return shared.workspace.scenario(path)


@router.post("/failures", status_code=201)
def failures(body: models.FailuresRequest, shared: Shared) -> models.Job:
    """Start a failure matrix, as `sanlab failures` computes it."""
    from sanlab.simulation.execute import stem_of

    order = Order(
        kind="failures",
        workspace=str(shared.workspace.root),
        text=shared.workspace.read(body.path),
        file=body.path,
        stem=stem_of(Path(body.path)),
        overrides=body.overrides,
        kinds=tuple(body.kinds),
        with_pairs=body.with_pairs,
    )
    return shared.jobs.start(order).answer()


@router.get("/jobs")
def jobs(shared: Shared) -> list[models.JobRow]:
    """Return the jobs since the start of the server, the newest first."""
    return [job.row() for job in shared.jobs.all()]


@router.get("/jobs/{job}")
def job_detail(job: str, shared: Shared) -> models.Job:
    """Return one job."""
    return shared.jobs.get(job).answer()


@router.post("/jobs/{job}/stop")
def stop(job: str, shared: Shared) -> models.Job:
    """Stop a simulation; what it has becomes an incomplete run."""
    found = shared.jobs.get(job)
    shared.jobs.stop(found)
    return found.answer()


@router.post("/jobs/{job}/pace")
def pace(job: str, body: models.PaceRequest, shared: Shared) -> models.Job:
    """Change how fast a simulation runs, or let it wait."""
    found = shared.jobs.get(job)
    shared.jobs.drive(found, body.pace, is_paused=body.is_paused)
    return found.answer()


@router.post("/jobs/{job}/changes")
def changes(job: str, body: models.ChangesRequest, shared: Shared) -> models.ChangesAnswer:
    """Add events at the present simulated time; the run is simulated again up to it, then goes on.

    The scenario of the run folder has them, and gives the same fingerprint.
    """
    from sanlab.scenario.edit import difference
    from sanlab.simulation.execute import prepare_text

    found = shared.jobs.get(job)
    order, now_ps = shared.jobs.present(found)
    at_ps = time_of_change(now_ps)
    text = changed(order.text, body.edits, at_ps)
    root = shared.workspace.root
    prepare_text(text, order.file, order.stem, order.overrides, order.seed, root=root)
    shared.jobs.replace(found, order, text, at_ps)
    diff = difference(order.text, text, order.file)
    return models.ChangesAnswer(at_ps=at_ps, diff=diff, job=found.answer())


@router.get("/jobs/{job}/topology")
def topology(job: str, shared: Shared) -> models.PresentMap:
    """Return the map of what is simulated, with the states at the present simulated time."""
    from sanlab.server.jobs.present import present_map

    return present_map(shared.jobs.get(job))


@router.get("/jobs/{job}/events", response_class=StreamingResponse)
async def events(job: str, request: Request, shared: Shared) -> StreamingResponse:
    """Stream `progress` and `sample` events until the job is over."""
    found = shared.jobs.get(job)
    if shared.streams >= MAX_STREAMS:
        reason = f"{MAX_STREAMS} streams of events are open already"
        raise Refusal(429, reason, "Close another page")
    last = request.headers.get("last-event-id", "")
    first = int(last) if last.isascii() and last.isdecimal() and len(last) < 16 else 0
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    stream = _stream(found, first, shared)
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


async def _stream(job: Job, number: int, shared: Shared) -> AsyncIterator[str]:
    shared.streams += 1
    try:
        version, quiet_s = -1, 0.0
        while not shared.is_ending:
            if job.version == version:
                quiet_s += LOOK_S
                if quiet_s > QUIET_S:
                    quiet_s = 0.0
                    yield ": waiting\n\n"
            else:
                version, quiet_s, is_over = job.version, 0.0, job.is_over
                for number, one in job.samples_after(number):  # noqa: B020, PLR1704  continues
                    data = {"at_ps": one.at_ps, "ports": one.ports, "workloads": one.workloads}
                    yield f"event: sample\nid: {number}\ndata: {json.dumps(data)}\n\n"
                yield f"event: progress\ndata: {json.dumps(job.progress())}\n\n"
                if is_over:
                    return
            await asyncio.sleep(LOOK_S)
    finally:
        shared.streams -= 1
