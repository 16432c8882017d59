"""Finished runs: figures, explanations, series, tables, files."""

import math
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse, Response

from sanlab.results.run import Run
from sanlab.server import models
from sanlab.server.refusal import Refusal, require_known
from sanlab.server.services import Shared

router = APIRouter(tags=["runs"])

#: Most rows of a table in an answer.
MAX_ROWS = 5000
#: Files of a run folder that may be downloaded, with their types.
FILES = {
    "scenario.yaml": "application/yaml",
    "plan.json": "application/json",
    "manifest.json": "application/json",
    "findings.json": "application/json",
    "report.html": "text/html",
}
#: A report has scripts of its own; in a sandbox they reach nothing of this server.
SANDBOX = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline';"
    " style-src 'unsafe-inline'; img-src data:"
)


@router.get("/runs")
def runs(shared: Shared) -> list[models.RunRow]:
    """Return the runs of the workspace, the newest first."""
    return [models.RunRow(**row) for row in shared.index.runs()]


@router.get("/runs/{run}")
def run_detail(run: str, shared: Shared) -> models.RunDetail:
    """Return the figures of a run, as `sanlab run --json` prints them."""
    from sanlab.compare.document import workload_documents

    opened = shared.open_run(run)
    summary = opened.answer("summary", Run.summary)
    found = opened.run
    return models.RunDetail(
        id=run,
        planned_end_ps=None if found.manifest.is_complete else found.planned_end_ps,
        summary=summary | {"folder": shared.workspace.name(found.folder)},
        manifest=found.manifest.model_dump(mode="json"),
        workloads=opened.answer("workloads", workload_documents),
        has_scenario=found.scenario is not None,
        has_report=(found.folder / "report.html").is_file(),
    )


@router.get("/runs/{run}/explain")
def explain(run: str, shared: Shared, workload: str | None = None) -> models.Explanation:
    """Return what limits each workload, or one; and the findings of the run, with their places."""
    found = shared.open_run(run).answer("explain", _explanation)
    if workload is None:
        return found
    require_known("workload", workload, (one.workload for one in found.workloads))
    chosen = [one for one in found.workloads if one.workload == workload]
    return found.model_copy(update={"workloads": chosen})


def _explanation(run: Run) -> models.Explanation:
    from sanlab.explain.document import workload_document
    from sanlab.explain.explanation import explain as explain_run
    from sanlab.explain.explanation import explain_flows
    from sanlab.explain.findings import find
    from sanlab.explain.places import names_of, places_of, places_of_limits

    if run.manifest.measured is not None:
        return models.Explanation(workloads=[], findings=[])
    names = names_of(run.plan)
    workloads = [
        models.ExplainedWorkload(**workload_document(one), places=places_of_limits(one, names))
        for one in (*explain_run(run), *explain_flows(run))
    ]
    findings = [
        models.FindingRow(**asdict(one), places=places_of(one.evidence, names)) for one in find(run)
    ]
    return models.Explanation(workloads=workloads, findings=findings)


@router.get("/runs/{run}/happenings")
def happenings(run: str, shared: Shared) -> list[models.Happening]:
    """Return faults and the reactions to them, in order of time."""
    from sanlab.results.happenings import happenings as find

    return [models.Happening(at_ps=one.at_ps, what=one.what) for one in find(shared.run(run))]


@router.get("/runs/{run}/phases")
def phases(run: str, shared: Shared) -> models.PhaseRow:
    """Return the figures of each phase; empty without phases."""
    from sanlab.results.phases import phases as find

    return models.PhaseRow(rows=[one.as_dict() for one in find(shared.run(run))])


@router.get("/runs/{run}/series")
def series_list(run: str, shared: Shared) -> list[models.SeriesRow]:
    """Return everything that can be plotted over time."""
    from sanlab.results.series import listed

    found = shared.open_run(run).answer("series", listed)
    return [models.SeriesRow(kind=kind, name=name, metrics=ms) for kind, name, ms in found]


@router.get("/runs/{run}/series/{kind}/{name:path}")
def series(run: str, kind: str, name: str, metric: str, shared: Shared) -> models.Series:
    """Return a metric over time."""
    from sanlab.results.series import series as find

    found = find(shared.run(run), kind, name, metric)
    return models.Series(
        kind=kind,
        name=name,
        metric=metric,
        unit=found.unit,
        at_s=found.at_s.tolist(),
        values=[value if math.isfinite(value) else None for value in found.values.tolist()],
    )


@router.get("/runs/{run}/tables")
def tables(run: str, shared: Shared) -> list[models.TableRow]:
    """Return the tables of a run with the meanings of their columns."""
    from sanlab.results.columns import TABLES

    found = shared.run(run)
    rows = []
    for name in found.tables:
        meaning, _ = TABLES.get(name, ("", {}))
        table = found.table(name)
        rows.append(
            models.TableRow(
                name=name, rows=table.num_rows, meaning=meaning, columns=_columns(name, found)
            )
        )
    return rows


def _columns(name: str, run: Run) -> list[models.Column]:
    import pyarrow as pa

    from sanlab.results.columns import TABLES
    from sanlab.simulation.tables import unit_of

    _, meanings = TABLES.get(name, ("", {}))
    return [
        models.Column(
            name=field.name,
            meaning=meanings.get(field.name, ""),
            unit=unit_of(field.name),
            is_text=pa.types.is_string(field.type),
        )
        for field in run.table(name).schema
    ]


@router.get("/runs/{run}/tables/{name}")
def table(
    run: str,
    name: str,
    shared: Shared,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_ROWS)] = 100,
    sort: str = "",
    filters: Annotated[list[str] | None, Query(alias="filter", max_length=20)] = None,
) -> models.TablePage:
    """Return rows of a table: `sort=-tx_bytes`, `filter=port~sw1`, `filter=tx_bytes>1000`."""
    from sanlab.results.paging import page

    found = shared.run(run)
    part = page(found.table(name), offset, limit, sort, filters or [])
    columns = _columns(name, found)
    return models.TablePage(total=part.total, offset=offset, columns=columns, rows=part.rows())


@router.get("/runs/{run}/files/{file:path}", response_class=Response)
def download(run: str, file: str, shared: Shared) -> Response:
    """Return a file of a run: `report.html`, `tables/ports.parquet`, `tables/ports.csv`."""
    found = shared.run(run)
    stem = found.folder.name
    if file in FILES:
        return _whole(found, file, stem)
    folder, _, name = file.rpartition("/")
    table_name, _, ending = name.rpartition(".")
    if folder != "tables" or table_name not in found.tables or ending not in ("parquet", "csv"):
        reason = f"The run has no file {file}" if file.isprintable() else "There is no such file"
        raise Refusal(404, reason, "Download tables/NAME.parquet or tables/NAME.csv")
    if ending == "parquet":
        path = found.folder / file
        return FileResponse(path, filename=f"{stem}-{name}", media_type="application/octet-stream")
    return Response(
        _csv(found, table_name),
        media_type="text/csv",
        headers={"Content-Disposition": _attached(f"{stem}-{name}")},
    )


def _whole(run: Run, file: str, stem: str) -> Response:
    path = run.folder / file
    if file in ("report.html", "findings.json") and not path.is_file():
        from sanlab.report.build import build

        build(run)
    if not path.is_file():
        raise Refusal(404, f"The run has no {file}")
    if file == "report.html":
        headers = {"Content-Security-Policy": SANDBOX}
        return FileResponse(path, media_type="text/html", headers=headers)
    return FileResponse(path, filename=f"{stem}-{file}", media_type=FILES[file])


def _csv(run: Run, name: str) -> bytes:
    import pyarrow as pa
    import pyarrow.csv

    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(run.table(name), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _attached(name: str) -> str:
    from urllib.parse import quote

    return f"attachment; filename*=utf-8''{quote(name)}"
