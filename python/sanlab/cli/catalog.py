"""`sanlab catalog`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sanlab.cli.outcome import JsonOption, outcome, show_json

if TYPE_CHECKING:
    from collections.abc import Mapping

#: May stand before the words of a search.
_SEARCH = "search"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("catalog")(catalog)


def catalog(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD",
            help="A kind (hosts, systems, buses, hbas, switches, disks, arrays, replication, "
            "acceleration, enclosures, workloads), the name of a model, which shows all its "
            "values, or words that the name, description or source of a model must have.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the models a scenario can name, search them by word, or show one with its sources.

    `sanlab catalog hbas`, `sanlab catalog hbas qle2672`, `sanlab catalog search qle 16g`.
    """
    with outcome(as_json=as_json):
        chosen = _chosen(words or [])
        if as_json:
            from sanlab.catalog.load import described

            show_json(
                {
                    kind: {name: described(kind, name) for name in names}
                    for kind, names in chosen.items()
                }
            )
            return
        _show(chosen, with_values=bool(words) and _count(chosen) == 1)


def _chosen(words: list[str]) -> Mapping[str, list[str]]:
    """Return the names of the entries that the words mean, by kind."""
    from sanlab.catalog import KINDS, names_of, search

    if not words:
        return {kind: names_of(kind) for kind in KINDS}
    kinds: tuple[str, ...] = KINDS
    named = next((kind for kind in KINDS if words[0].lower() in _forms(kind)), None)
    if words[0] == _SEARCH:
        words = words[1:]
    elif named is not None:
        kinds, words = (named,), words[1:]
    if len(words) == 1:
        name = words[0].lower()
        exact = {kind: [name] for kind in kinds if name in names_of(kind)}
        if exact:
            return exact
    found = search(words, kinds)
    if not found:
        raise _nothing(words, kinds)
    return found


def _forms(kind: str) -> tuple[str, ...]:
    """Forms of the name of a kind: `hbas`, `hba`."""
    return (kind, kind.removesuffix("es"), kind.removesuffix("s"))


def _nothing(words: list[str], kinds: tuple[str, ...]) -> Exception:
    """Return the error of a search without a result, with the names that come nearest."""
    from sanlab.catalog import KINDS, UnknownEntryError, names_of, search
    from sanlab.errors import Problem, ScenarioError
    from sanlab.quantities import nearest

    if len(kinds) == 1 and len(words) == 1:
        unknown = UnknownEntryError(kinds[0], words[0], names_of(kinds[0]))
        reason, remedy = unknown.reason, unknown.remedy
    else:
        shown = " ".join(words)
        reason = f"No entry of the catalog matches '{shown}'"
        known = [*KINDS, *(name for kind in kinds for name in names_of(kind))]
        missing = [word for word in words if not search([word], kinds)]
        guesses = [guess for word in missing or words if (guess := nearest(word, known))]
        hint = f"Did you mean {' or '.join(repr(guess) for guess in guesses)}? " if guesses else ""
        remedy = (
            f"{hint}An entry must have all words in its name, description or source. "
            f"Kinds are {', '.join(KINDS)}"
        )
    return ScenarioError([Problem("catalog", None, None, "", reason, remedy)])


def _count(chosen: Mapping[str, list[str]]) -> int:
    return sum(len(names) for names in chosen.values())


def _show(chosen: Mapping[str, list[str]], *, with_values: bool) -> None:
    from sanlab.catalog import entry
    from sanlab.catalog.load import described

    width = max(len(name) for names in chosen.values() for name in names)
    for kind, names in chosen.items():
        typer.echo(f"{kind}:")
        for name in names:
            item = entry(kind, name)
            typer.echo(f"  {name:<{width}} {item.about}")
            if with_values:
                _show_values(described(kind, name))


def _show_values(document: dict[str, Any]) -> None:
    for key, value in document.items():
        if key == "computed":
            for other, result in value.items():
                typer.echo(f"    {other}: {result} (computed)")
        elif key != "about":
            typer.echo(f"    {key}: {value}")
