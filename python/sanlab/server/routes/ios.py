"""Single I/Os of a run: the slowest, their ladders and their frames."""

import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from sanlab.ladder.ladder import Ladder
from sanlab.results.slowest import SlowIo
from sanlab.server.refusal import Refusal, require_known
from sanlab.server.services import Shared

router = APIRouter(tags=["ios"])

Rank = Annotated[int | None, Query(ge=1, le=100_000)]


@router.get("/runs/{run}/slowest")
def slowest(run: str, shared: Shared, workload: str | None = None) -> list[SlowIo]:
    """Return the slowest I/Os, of one workload or of all, as `sanlab explain --slowest` does."""
    from sanlab.results.slowest import slowest as find

    found = shared.run(run)
    if workload is not None:
        require_known("workload", workload, (row["workload"] for row in found.rows("workloads")))
    return find(found, workload)


@router.get("/runs/{run}/ladder")
def ladder(run: str, shared: Shared, io: str | None = None, rank: Rank = None) -> Ladder:
    """Return one I/O step by step: `io=JOB#NUMBER`, or its place among the slowest.

    The run is simulated again up to the end of the I/O.
    """
    folder = str(shared.run(run).folder)
    return shared.questions.ask(ladder_of, folder, io, _place(io, rank))


@router.get("/runs/{run}/capture", response_class=Response)
def capture(run: str, shared: Shared, io: str | None = None, rank: Rank = None) -> Response:
    """Return the frames of one I/O as a pcapng file for Wireshark."""
    folder = str(shared.run(run).folder)
    content = shared.questions.ask(frames_of, folder, io, _place(io, rank))
    return Response(
        content,
        media_type="application/x-pcapng",
        headers={"Content-Disposition": 'attachment; filename="io.pcapng"'},
    )


def _place(io: str | None, rank: int | None) -> int:
    if io is not None and rank is not None:
        raise Refusal(422, "The request has both io and rank", "Name the I/O by one of them")
    return rank or 1


def ladder_of(folder: str, io: str | None, rank: int) -> Ladder:
    """Return the ladder of an I/O; in a process of its own."""
    from sanlab.ladder.ladder import ladder as climb
    from sanlab.results.run import Run

    return climb(Run.open(folder), io=io, rank=rank)


def frames_of(folder: str, io: str | None, rank: int) -> bytes:
    """Return the frames of an I/O as a file; in a process of its own."""
    from sanlab.ladder.capture import capture as write
    from sanlab.ladder.ladder import ladder as climb
    from sanlab.results.run import Run

    run = Run.open(folder)
    one = climb(run, io=io, rank=rank)
    with tempfile.TemporaryDirectory(prefix="sanlab-") as place:
        target = Path(place) / "io.pcapng"
        write(run, one, target)
        return target.read_bytes()
