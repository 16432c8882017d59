"""`sanlab import`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.cli.importing_load import load

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(load)
