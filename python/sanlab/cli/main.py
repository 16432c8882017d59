"""The command `sanlab` and the list of its subcommands."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated

import typer

from sanlab.cli.outcome import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED, show_json

#: Subcommands in the order of the help; each is a module of this package with `register(app)`.
#: A module imports what is heavy inside its command, so that `sanlab --help` stays quick.
SUBCOMMANDS = [
    *(
        "new",
        "importing",
        "check",
        "plan",
        "run",
        "trace",
        "drive",
        "report",
        "validate",
        "schema",
        "catalog",
    ),
]

app = typer.Typer(
    name="sanlab",
    help="A laboratory for storage area networks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        from sanlab import __version__

        typer.echo(f"sanlab {__version__}")
        raise typer.Exit


@app.callback()
def start(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Simulate storage area networks frame by frame, and see where the time goes."""


for _name in SUBCOMMANDS:
    import_module(f"sanlab.cli.{_name}").register(app)


def main() -> None:
    """Run the command line; with `--json`, wrong usage is a JSON document too."""
    if "--json" not in sys.argv:
        app()
        return
    try:
        code = app(standalone_mode=False)
        if code == EXIT_INTERRUPTED:
            show_json({"error": {"kind": "Interrupted", "message": "Stopped before the run began"}})
        sys.exit(code)
    except (KeyboardInterrupt, typer.Abort):
        show_json({"error": {"kind": "Interrupted", "message": "Stopped before the run began"}})
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # Nobody reads on; stdout must not be flushed again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
    except Exception as error:
        # The class of usage errors is private to typer; what it can do is not.
        if not hasattr(error, "format_message"):
            raise
        show_json({"error": {"kind": "UsageError", "message": error.format_message()}})
        sys.exit(EXIT_BAD_INPUT)


if __name__ == "__main__":
    main()
