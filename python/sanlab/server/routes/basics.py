"""The server itself, the schema of a scenario, the catalog."""

from typing import Any

from fastapi import APIRouter

from sanlab.server import models
from sanlab.server.services import Shared
from sanlab.simulation.manifest import sanlab_version

router = APIRouter(tags=["basics"])


@router.get("/about")
def about(shared: Shared) -> models.About:
    """Return the version and the workspace of this server."""
    return models.About(version=sanlab_version(), workspace=shared.workspace.root.name)


@router.get("/schema")
def schema() -> dict[str, Any]:
    """Return the JSON Schema of a scenario, as `sanlab schema` prints it."""
    from sanlab.scenario.schema import scenario_schema

    return scenario_schema()


@router.get("/stages")
def stages() -> list[models.StageRow]:
    """Return the stages of an I/O in the order of its path, with the names that people read."""
    from sanlab.results.columns import STAGES, stage_name

    return [
        models.StageRow(stage=stage, name=stage_name(stage), meaning=meaning)
        for stage, meaning in STAGES.items()
    ]


@router.get("/catalog")
def catalog() -> dict[str, list[models.CatalogEntry]]:
    """Return all models that a scenario can name, by kind."""
    from sanlab.catalog import KINDS, names_of
    from sanlab.catalog.load import described

    return {
        kind: [_entry(name, described(kind, name)) for name in names_of(kind)] for kind in KINDS
    }


def _entry(name: str, document: dict[str, Any]) -> models.CatalogEntry:
    values = {key: value for key, value in document.items() if key != "about"}
    return models.CatalogEntry(name=name, about=str(document.get("about", "")), values=values)
