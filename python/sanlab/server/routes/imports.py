"""Imports of fabrics and loads: contents of files in, a scenario out; nothing is saved."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from fastapi import APIRouter

from sanlab.errors import ScenarioError
from sanlab.quantities import PS_PER_S
from sanlab.server import models
from sanlab.server.refusal import Refusal

router = APIRouter(tags=["imports"])

#: A job file of fio that names another file, which the server must not read.
_INCLUDE = re.compile(r"^\s*include\s", re.MULTILINE)


@router.post("/import/fabric")
def import_fabric(body: models.ImportRequest) -> models.ImportAnswer:
    """Make a scenario of the outputs of switches and hosts, as `sanlab import fabric` does."""
    from sanlab.importers.fabric import import_fabric as read

    interval_ps = _interval(body.interval)
    seconds = None if interval_ps is None else interval_ps / PS_PER_S
    with _files(body.files) as (root, paths):
        found = read(paths, partial=body.is_partial, interval=seconds)
        folder = f"{root}/"
    return models.ImportAnswer(
        text=found.text.replace(folder, ""),
        questions=[question.replace(folder, "") for question in found.questions],
        contradictions=[str(finding).replace(folder, "") for finding in found.findings],
        skipped=[f"{part.source}: {part.what}".replace(folder, "") for part in found.skipped],
        counts=found.counts,
    )


@router.post("/import/load")
def import_load(body: models.ImportLoadRequest) -> models.ImportLoadAnswer:
    """Make a scenario of a load of another tool, as `sanlab import load` does."""
    from sanlab.importers.load_file import import_file
    from sanlab.importers.traces import TraceOptions

    options = TraceOptions(interval_ps=_interval(body.interval))
    if _INCLUDE.search(body.file.text):
        reason = "The file includes another file"
        raise Refusal(422, reason, "Put the lines of that file in place of 'include'")
    with _files([body.file]) as (root, (path,)):
        found = import_file(path, f"{path.stem}.yaml", body.variables, body.jobs, options)
        folder = f"{root}/"
    return models.ImportLoadAnswer(
        text=found.text.replace(folder, ""),
        points=found.points,
        left_out=[
            models.LeftOut(
                file=one.file.replace(folder, ""), line=one.line, key=one.key, reason=one.reason
            )
            for one in found.left_out
        ],
    )


def _interval(text: str | None) -> int | None:
    """Return the time between reports in picoseconds, where it is given."""
    from sanlab.importers.load_file import interval_of

    return None if text is None else interval_of(text, "interval")


@contextmanager
def _files(files: list[models.SourceFile]) -> Iterator[tuple[Path, list[Path]]]:
    """Give contents as files under their names, in the folders that the names have."""
    with tempfile.TemporaryDirectory(prefix="sanlab-") as folder:
        root = Path(folder)
        paths = []
        for file in files:
            path = root / file.name
            if path.exists() or any(above.is_file() for above in path.parents if above != root):
                remedy = "Rename one of them, or give the folder that has both"
                raise Refusal(422, f"Two files are called {file.name}", remedy)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
            paths.append(path)
        try:
            yield root, paths
        except ScenarioError as error:
            # Messages name the files as they were given.
            named = [
                replace(one, file=str(one.file).removeprefix(f"{root}/")) for one in error.problems
            ]
            raise ScenarioError(named) from None
