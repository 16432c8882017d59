"""Errors as answers: one JSON form for all of them, with the remedy where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sanlab.errors import RunError, SanlabError, ScenarioError, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapi import FastAPI
    from starlette.requests import Request


#: Most names that a remedy lists.
MAX_NAMES = 20


class Refusal(Exception):  # noqa: N818  an answer, not a fault
    """A request that is refused, with the status of its answer."""

    def __init__(self, status: int, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.remedy = remedy


def require_known(kind: str, name: str, known: Iterable[str]) -> None:
    """Refuse a name that is not one of those that are there."""
    names = list(dict.fromkeys(known))
    if name in names:
        return
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    there = f"Known are {', '.join(names[:MAX_NAMES])}{more}" if names else f"It has no {kind}s"
    raise Refusal(404, shortened(f"There is no {kind} '{name}'"), there)


def detail(error: BaseException) -> dict[str, Any]:
    """Return what an error says; of several problems in a scenario, the first."""
    if isinstance(error, Refusal):
        return _without_none({"message": error.message, "remedy": error.remedy})
    if isinstance(error, ScenarioError) and error.problems:
        first = error.problems[0]
        return _without_none(
            {
                "message": first.reason,
                "file": first.file,
                "line": first.line,
                "column": first.column,
                "key": first.key or None,
                "remedy": first.remedy or None,
            }
        )
    if isinstance(error, OSError):
        return {"message": f"A file cannot be read or written: {error.strerror}"}
    if isinstance(error, MemoryError):
        return {"message": "There is not enough memory", "remedy": "Make the scenario smaller"}
    return {"message": shortened(str(error)) or type(error).__name__}


def within(body: Any, root: str) -> Any:  # noqa: ANN401  plain data
    """Return what an error says with paths as they are within the workspace.

    >>> within({"message": "/srv/san/runs/a: no manifest"}, "/srv/san")
    {'message': 'runs/a: no manifest'}
    """
    if isinstance(body, dict):
        return {key: within(value, root) for key, value in body.items()}
    if isinstance(body, list):
        return [within(value, root) for value in body]
    if isinstance(body, str) and root != "/":
        return body.replace(f"{root}/", "").replace(root, "the workspace")
    return body


def error_response(status: int, body: dict[str, Any]) -> JSONResponse:
    """Return the answer of an error."""
    return JSONResponse({"error": body}, status)


def _without_none(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if value is not None}


def install(app: FastAPI, root: str) -> None:
    """Give every error its answer; none names the folders above the workspace."""

    def answer(status: int, error: BaseException) -> JSONResponse:
        return error_response(status, within(detail(error), root))

    @app.exception_handler(Refusal)
    async def refused(_request: Request, error: Refusal) -> JSONResponse:
        return answer(error.status, error)

    @app.exception_handler(SanlabError)
    async def failed(_request: Request, error: SanlabError) -> JSONResponse:
        return answer(500 if isinstance(error, RunError) else 422, error)

    @app.exception_handler(OSError)
    async def unreadable(_request: Request, error: OSError) -> JSONResponse:
        return answer(500, error)

    @app.exception_handler(RequestValidationError)
    async def malformed(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"][1:])
        message = f"{place}: {first['msg']}" if place else first["msg"]
        return error_response(422, {"message": shortened(f"The request is malformed: {message}")})

    @app.exception_handler(HTTPException)
    async def unknown(_request: Request, error: HTTPException) -> JSONResponse:
        return error_response(error.status_code, {"message": str(error.detail)})
