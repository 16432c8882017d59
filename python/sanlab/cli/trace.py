"""`sanlab trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import (
    EXIT_FAILED,
    FileArgument,
    JsonOption,
    SetOption,
    outcome,
    show_json,
)

if TYPE_CHECKING:
    from sanlab.simulation.trace import Trace


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("trace")(trace)


def trace(
    file: FileArgument,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The pcapng file to write.")
    ],
    ports: Annotated[
        str | None,
        typer.Option(
            "--ports",
            metavar="PATTERNS",
            help="Ports separated by commas, 'host1.*,sw1.e16'; default all ports of hosts.",
        ),
    ] = None,
    sets: SetOption = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=2**64 - 1, help="Replace the seed of the scenario."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="FRAMES", min=1, help="Stop after this many; default 5000000."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Simulate a scenario and write the frames of some ports for Wireshark and tshark.

    Times are simulated time: that of the first bit of a sent frame, and of the last bit of a
    received one. Ctrl-C keeps the frames so far.
    """
    with outcome(as_json=as_json):
        from sanlab.scenario.overrides import parse_assignment
        from sanlab.simulation.trace import DEFAULT_LIMIT
        from sanlab.simulation.trace import trace as capture

        done = capture(
            file,
            output,
            ports=ports,
            overrides=dict(parse_assignment(text) for text in sets or []),
            seed=seed,
            limit=DEFAULT_LIMIT if limit is None else limit,
            force=force,
            show_progress=True,
        )
        if as_json:
            show_json(_document(done))
        else:
            _show(done)
    if not (done.is_complete or done.is_cut):
        raise typer.Exit(EXIT_FAILED)


def _document(done: Trace) -> dict[str, object]:
    return {
        "file": str(done.file),
        "bytes": done.bytes,
        "interfaces": list(done.interfaces),
        "frames_count": done.frames_count,
        "exchanges_count": done.exchanges_count,
        "simulated_ps": done.simulated_ps,
        "seed": done.seed,
        "fingerprint": done.fingerprint,
        "is_complete": done.is_complete,
        "is_cut": done.is_cut,
    }


def _show(done: Trace) -> None:
    from sanlab.words import show_count, show_time

    frames, exchanges = show_count(done.frames_count), show_count(done.exchanges_count)
    typer.echo(
        f"{done.file}: {frames} frames of {exchanges} exchanges at "
        f"{_count(len(done.interfaces), 'port')}, {done.bytes / 1e6:.1f} MB"
    )
    if done.is_complete:
        typer.echo(f"  simulated    {show_time(done.simulated_ps)}")
        typer.echo(f"  fingerprint  {done.fingerprint}")
    if done.is_cut:
        remedy = "raise --limit, or select fewer ports with --ports"
        typer.echo(f"later frames are not in the file: {remedy}", err=True)
    elif not done.is_complete:
        typer.echo("stopped before its end: later frames are not in the file", err=True)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
