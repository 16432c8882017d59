"""The command `sanlab` and the list of its subcommands."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core
import typer.main

from sanlab.cli.interrupted import EXIT_INTERRUPTED, STOPPED
from sanlab.cli.outcome import EXIT_BAD_INPUT, EXIT_FAILED, show_json

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Module of each subcommand, in the order of the help; it has `register(app)`.
MODULES = {
    "new": "new",
    "import": "importing",
    "export": "export",
    "check": "check",
    "ports": "ports",
    "plan": "plan",
    "run": "run",
    "measure": "measure",
    "calibrate": "calibrate",
    "doctor": "doctor",
    "sweep": "sweep",
    "plot": "plot",
    "trace": "trace",
    "drive": "drive",
    "explain": "explain",
    "ladder": "ladder",
    "report": "report",
    "serve": "serve",
    "compare": "compare",
    "size": "size",
    "failures": "failures",
    "validate": "validate",
    "schema": "schema",
    "catalog": "catalog",
}


class Subcommands(Mapping[str, Any]):
    """The subcommands by name, each imported when it is first looked up."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  a class private to Typer
        if name not in self._loaded:
            one = typer.Typer(add_completion=False)
            import_module(f"sanlab.cli.{MODULES[name]}").register(one)
            self._loaded[name] = typer.main.get_group(one).commands[name]
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


class SubcommandGroup(typer.core.TyperGroup):
    """The command `sanlab`, which imports only the requested subcommand."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401  as Typer passes them
        super().__init__(**attributes)
        vars(self)["commands"] = Subcommands()


app = typer.Typer(
    name="sanlab",
    cls=SubcommandGroup,
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
    """Simulate storage area networks frame by frame, and see where each I/O spends its time."""


def main() -> None:
    """Run the command line; with `--json`, a usage error is also a JSON document."""
    if "--json" not in sys.argv:
        app()
        return
    try:
        code = app(standalone_mode=False)
        if code == EXIT_INTERRUPTED:
            typer.echo(STOPPED)
        sys.exit(code)
    except (KeyboardInterrupt, typer.Abort):
        typer.echo(STOPPED)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of stdout is gone; stdout must not be flushed again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
    except Exception as error:
        # The class of usage errors is private to typer, but its methods are public.
        if not hasattr(error, "format_message"):
            raise
        show_json({"error": {"kind": "UsageError", "message": error.format_message()}})
        sys.exit(EXIT_BAD_INPUT)


if __name__ == "__main__":
    main()
