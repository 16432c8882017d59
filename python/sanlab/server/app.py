"""The application: services, routes, guard and the files of the page."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from sanlab.server import models, refusal
from sanlab.server.guard import Guard, Limits
from sanlab.server.jobs.manager import Manager
from sanlab.server.page import Page
from sanlab.server.routes import basics, comparisons, imports, ios, jobs, maps, runs, scenarios
from sanlab.server.services import Services
from sanlab.server.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

#: Version of the interface.
VERSION = "1"
#: Modules with routes, in the order of the document.
ROUTES = (basics, scenarios, jobs, runs, maps, ios, comparisons, imports)


def create_app(workspace: Path, limits: Limits | None = None) -> FastAPI:
    """Return the application of a workspace; by default as on loopback, without a token."""
    shared = Services(Workspace(workspace.resolve(strict=True)), Manager())

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncIterator[None]:
        yield
        shared.questions.close()
        shared.jobs.close()

    errors: dict[int | str, dict[str, Any]] = {"4XX": {"model": models.ErrorAnswer}}
    app = FastAPI(
        title="sanlab",
        version=VERSION,
        description="Scenarios, simulations and results of one folder.",
        lifespan=life,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=errors,
    )
    app.state.services = shared
    refusal.install(app, str(shared.workspace.root))
    for module in ROUTES:
        app.include_router(module.router, prefix="/api")
    app.mount("/", Page())
    app.add_middleware(Guard, limits=limits or Limits())
    return app
