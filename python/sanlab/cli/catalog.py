"""`sanlab catalog`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sanlab.cli.outcome import JsonOption, outcome, show_json

if TYPE_CHECKING:
    from sanlab.catalog.entries import Entry


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("catalog")(catalog)


def catalog(
    kind: Annotated[
        str | None,
        typer.Argument(help="hosts, hbas, switches, disks, arrays, enclosures or workloads."),
    ] = None,
    name: Annotated[str | None, typer.Argument(help="One model, with all its values.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the models a scenario can name, with the source of their values."""
    with outcome(as_json=as_json):
        chosen = _chosen(kind, name)
        if as_json:
            show_json(
                {
                    kind: {name: _document(kind, name) for name in entries}
                    for kind, entries in chosen.items()
                }
            )
            return
        for kind_name, entries in chosen.items():
            typer.echo(f"{kind_name}:")
            for model, item in entries.items():
                typer.echo(f"  {model:<20} {item.about}")
                if name is not None:
                    _show_values(_document(kind_name, model))


def _chosen(kind: str | None, name: str | None) -> dict[str, dict[str, Entry]]:
    from sanlab.catalog import KINDS, UnknownEntryError, entries_of, entry
    from sanlab.errors import Problem, ScenarioError
    from sanlab.quantities import nearest

    if kind is None:
        return {kind: dict(entries_of(kind)) for kind in KINDS}
    if kind not in KINDS:
        guess = nearest(kind, KINDS)
        hint = f"Did you mean '{guess}'? " if guess else ""
        remedy = f"{hint}Kinds are {', '.join(KINDS)}"
        reason = f"The catalog has no kind '{kind}'"
        raise ScenarioError([Problem("catalog", None, None, "", reason, remedy)])
    if name is None:
        return {kind: dict(entries_of(kind))}
    try:
        return {kind: {name: entry(kind, name)}}
    except UnknownEntryError as error:
        problem = Problem("catalog", None, None, "", error.reason, error.remedy)
        raise ScenarioError([problem]) from error


def _document(kind: str, name: str) -> dict[str, Any]:
    """Return an entry with its values as they are written, units included."""
    from sanlab.catalog.load import written

    return written(kind, name)


def _show_values(document: dict[str, Any]) -> None:
    for key, value in document.items():
        if key != "about":
            typer.echo(f"    {key}: {value}")
