"""The files of the page: all other paths, except those below /api, give its first file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from sanlab.server.refusal import error_response

if TYPE_CHECKING:
    from starlette.types import Scope

FOLDER = Path(__file__).parent / "static"
INDEX = "index.html"
#: Folder of files whose names change with their contents.
ASSETS = "assets/"
FOREVER = "public, max-age=31536000, immutable"


class Page(StaticFiles):
    """The built page; links out of its folder are not followed."""

    def __init__(self, folder: Path = FOLDER) -> None:
        super().__init__(directory=folder, check_dir=False)
        self._folder = folder

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file of the page."""
        if path == "api" or path.startswith("api/"):
            return error_response(404, {"message": "There is no such address"})
        if scope["method"] not in ("GET", "HEAD"):
            return error_response(405, {"message": "The page is only read"})
        if not path.isprintable():
            return error_response(404, {"message": "There is no such file"})
        full, found = self.lookup_path(path)
        if found is not None and Path(full).is_file():
            headers = {"Cache-Control": FOREVER} if path.startswith(ASSETS) else {}
            return FileResponse(full, stat_result=found, headers=headers)
        index = self._folder / INDEX
        if not index.is_file() or (path != "." and "." in path.rpartition("/")[2]):
            return error_response(404, {"message": "There is no such file"})
        return FileResponse(index)
