"""`sanlab ladder`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import JsonOption, outcome, show_json
from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from sanlab.ladder.ladder import Ladder
    from sanlab.results.run import Run


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ladder")(ladder)


def ladder(
    folder: Annotated[str, typer.Argument(metavar="RUN", help="A run folder.")],
    io: Annotated[
        str | None,
        typer.Option("--io", metavar="JOB#NUMBER", help="This I/O; default the slowest."),
    ] = None,
    rank: Annotated[
        int | None,
        typer.Option(
            "--slowest", metavar="K", min=1, help="The one at this place of explain --slowest."
        ),
    ] = None,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Write a picture.")
    ] = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write a page with the picture.")
    ] = None,
    pcapng: Annotated[
        str | None,
        typer.Option("--pcapng", metavar="FILE", help="Write its frames for Wireshark."),
    ] = None,
    with_all: Annotated[
        bool, typer.Option("--all", help="List every frame of a sequence.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show one I/O of a run step by step: stages, frames at every port, waits, credit.

    The run is simulated again up to the end of the I/O, so it takes as long.
    """
    with outcome(as_json=as_json):
        from sanlab.ladder.ladder import ladder as climb
        from sanlab.ladder.lines import ladder_lines
        from sanlab.results.run import Run
        from sanlab.simulation.folder import require_free

        if io is not None and rank is not None:
            reason = "--io and --slowest both choose the I/O. Give one of them"
            raise SanlabError(reason)
        _refuse_twice({"--svg": svg, "--html": html, "--pcapng": pcapng})
        for name in filter(None, (svg, html, pcapng)):
            require_free(Path(name), force=force)
        run = Run.open(folder)
        one = climb(run, io=io, rank=rank or 1)
        written = _write(run, one, svg=svg, html=html, pcapng=pcapng)
        if as_json:
            show_json(one.as_dict())
        else:
            typer.echo("\n".join([*ladder_lines(one, with_all=with_all), *written]))


def _refuse_twice(targets: dict[str, str | None]) -> None:
    taken: dict[Path, str] = {}
    for option, name in targets.items():
        if name is not None:
            other = taken.setdefault(Path(name).resolve(), option)
            if other != option:
                reason = f"{other} and {option} both name {name}. Give each a file of its own"
                raise SanlabError(reason)


def _write(
    run: Run, one: Ladder, *, svg: str | None, html: str | None, pcapng: str | None
) -> list[str]:
    from sanlab.simulation.folder import write_file
    from sanlab.words import show_count

    said = []
    if svg is not None:
        from sanlab.ladder.picture import picture

        write_file(Path(svg), picture(one))
        said.append(f"{svg}: the picture")
    if html is not None:
        from sanlab.ladder.page import page

        write_file(Path(html), page(one))
        said.append(f"{html}: the page")
    if pcapng is not None:
        from sanlab.ladder.capture import capture

        count = capture(run, one, Path(pcapng))
        said.append(f"{pcapng}: {show_count(count)} frames")
    return ["", *said] if said else []
