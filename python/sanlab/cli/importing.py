"""`sanlab import`."""

from __future__ import annotations

from typing import Any

import typer
import typer.core

from sanlab.cli.importing_fabric import fabric
from sanlab.cli.importing_load import load


class Sources(typer.core.TyperGroup):
    """The command `sanlab import`: a file in place of a source is one with a load."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  of Typer's own
        """Name the source where the arguments do not."""
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = ["load", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the command, with a subcommand for loads, which may be left out, and one for fabrics."""
    sources = typer.Typer(cls=Sources, no_args_is_help=True, help="Make a scenario of other files.")
    sources.command("load")(load)
    sources.command("fabric")(fabric)
    app.add_typer(sources, name="import")
