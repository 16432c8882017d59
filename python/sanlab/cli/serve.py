"""`sanlab serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sanlab.cli.outcome import outcome
from sanlab.errors import SanlabError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(serve)


def serve(
    workspace: Annotated[
        str, typer.Argument(metavar="WORKSPACE", help="Folder with scenarios and runs.")
    ] = ".",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")
    ] = 8717,
    host: Annotated[
        str,
        typer.Option("--host", help="Address to listen on; another than loopback needs a token."),
    ] = "127.0.0.1",
    token_file: Annotated[
        str | None,
        typer.Option("--token-file", metavar="FILE", help="Token that requests must have."),
    ] = None,
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url", metavar="URL", help="Address of a proxy before it, https://NAME."
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> None:
    """Open a folder of scenarios and runs as a page in the browser; Ctrl-C ends it.

    Only this machine reaches it. With `--host` or `--public-url` others do: then the address has a
    token, made anew each time if there is no `--token-file`.
    """
    with outcome(as_json=False):
        folder = Path(workspace)
        if not folder.is_dir():
            reason = f"{workspace} is not a folder. Name the one with your scenarios"
            raise SanlabError(reason)
        try:
            from sanlab.server.serve import address_of, read_token
            from sanlab.server.serve import serve as serve_folder
        except ModuleNotFoundError as error:
            if error.name not in ("fastapi", "uvicorn", "starlette", "h11"):
                raise
            reason = f"sanlab serve needs {error.name}. Install it with: pip install 'sanlab[web]'"
            raise SanlabError(reason) from None
        token = None if token_file is None else read_token(Path(token_file))
        address = address_of(host, port, token, public_url)

        def ready(url: str) -> None:
            typer.echo(url)
            if not no_browser:
                _open(url)

        serve_folder(folder, address, on_ready=ready)


def _open(url: str) -> None:
    """Open the page; the server answers as soon as it can."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
