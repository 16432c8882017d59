"""`sanlab doctor`."""

from __future__ import annotations

import typer

from sanlab.cli.outcome import EXIT_FAILED, JsonOption, outcome, show_json
from sanlab.cli.text_table import text_table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(as_json: JsonOption = False) -> None:
    """Say what this machine can measure, what is missing, and how to install it.

    Exit code 1 means that `sanlab measure` cannot run here.
    """
    with outcome(as_json=as_json):
        from sanlab.measurement.doctor import checks

        found = checks()
        if as_json:
            show_json({"checks": [vars(one) | {"is_there": one.is_there} for one in found]})
        else:
            rows = [["", "part", "for", "found, or how to get it"]]
            rows += [
                ["ok" if one.is_there else "–", one.what, one.use, one.found or one.remedy]
                for one in found
            ]
            typer.echo("\n".join(text_table(rows, words={0, 1, 2, 3})))
    if not found[0].is_there:
        raise typer.Exit(EXIT_FAILED)
