"""Comparisons of runs and sweeps; sweeps."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from sanlab.server import models
from sanlab.server.services import Shared

router = APIRouter(tags=["comparisons"])


@router.get("/compare")
def compare(
    before: str,
    after: Annotated[list[str], Query(min_length=1, max_length=20)],
    shared: Shared,
    tolerance: Annotated[float, Query(ge=0, le=1)] = 0.02,
) -> dict[str, Any]:
    """Compare runs with the first one, as `sanlab compare --json` does."""
    from sanlab.compare.comparison import compare as compare_runs
    from sanlab.compare.document import comparison_document

    first = shared.run(before)
    found = [compare_runs(first, shared.run(other), tolerance) for other in after]
    ids = zip(after, found, strict=True)
    return {
        "comparisons": [
            comparison_document(one) | {"before": before, "after": other} for other, one in ids
        ]
    }


@router.get("/sweeps")
def sweeps(shared: Shared) -> list[models.SweepRow]:
    """Return the sweeps of the workspace, the newest first."""
    return [models.SweepRow(**row) for row in shared.index.sweeps()]


@router.get("/sweeps/{sweep}")
def sweep_detail(
    sweep: str, shared: Shared, workload: str | None = None, op: str | None = None
) -> models.SweepDetail:
    """Return the means of a sweep for each setting, of all I/Os or of one workload."""
    from sanlab.sweeps.figures import headings
    from sanlab.sweeps.result import METRICS, Sweep

    found = Sweep.open(shared.workspace.result(sweep, "sweep.json"))
    names = dict.fromkeys(row["workload"] for row in found.rows if row["workload"])
    failed = [
        {path: row[path] for path in found.parameters} | {"reason": row["reason"]}
        for row in (*found.failed(), *found.impossible())
    ]
    return models.SweepDetail(
        id=sweep,
        title=found.folder.name,
        parameters=found.parameters,
        workloads=list(names),
        metrics=list(METRICS),
        headings=headings(found),
        rows=found.summary(workload, op),
        failed=failed,
    )
