"""`sanlab drive`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import JsonOption, outcome, show_json

if TYPE_CHECKING:
    from sanlab.drive.replay import Group, Result


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("drive")(drive)


def drive(
    drive: Annotated[
        str,
        typer.Argument(
            metavar="DRIVE",
            help="A disk of the catalog, a YAML file, or DiskSim's .diskspecs, .model or .parv.",
        ),
    ],
    trace: Annotated[
        Path,
        typer.Option(
            "--trace",
            metavar="FILE",
            help="Commands: 'R BLOCK BLOCKS WAIT_US', or lines of DiskSim's validation traces.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Write responses.csv, result.json, response_cdf.svg.",
        ),
    ] = None,
    block_transfer: Annotated[
        str | None,
        typer.Option(
            "--block-transfer",
            metavar="TIME",
            help="Transfer time of a block over the interface, 99us.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Replay a trace on one disk drive, and compare with the measured times of the trace, if any.

    One command is outstanding at a time: each starts its wait time after the end of the last one.
    Measured times do not influence the simulation.
    """
    with outcome(as_json=as_json):
        from sanlab.drive.file import load_drive
        from sanlab.drive.replay import bus_note, capacity_of, replay
        from sanlab.drive.trace import read_trace

        loaded = load_drive(drive, block_transfer_ps=_time(block_transfer))
        commands = read_trace(trace, capacity_of(loaded.plan))
        result = replay(loaded.plan, commands, loaded.notes)
        if not loaded.is_bus_known:
            result.notes.append(bus_note(result))
        if out is not None:
            _write(out, result)
        if as_json:
            show_json(result.document())
        else:
            _show(result)


def _time(text: str | None) -> int | None:
    from sanlab.errors import Problem, ScenarioError
    from sanlab.quantities import QuantityError, parse_time

    if text is None:
        return None
    try:
        return parse_time(text)
    except QuantityError as error:
        problem = Problem("--block-transfer", None, None, "", error.reason, error.remedy)
        raise ScenarioError([problem]) from None


def _write(folder: Path, result: Result) -> None:
    from sanlab.drive.figure import svg_of
    from sanlab.drive.replay import csv_of, json_of
    from sanlab.simulation.folder import named

    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "responses.csv": csv_of(result),
        "result.json": json_of(result),
        "response_cdf.svg": svg_of(result),
    }
    for name, text in texts.items():
        partial = folder / f"{name}.partial"
        with named(folder / name):
            partial.write_text(text, encoding="utf-8")
        partial.replace(folder / name)


def _show(result: Result) -> None:
    hits = int(result.is_hit.sum())
    typer.echo(
        f"{result.drive.name}: {len(result.trace)} commands, {hits} from the buffer; times in ms"
    )
    parts = ", ".join(f"{name} {part.mean():.3f}" for name, part in result.parts_ms.items())
    typer.echo(f"mean parts: {parts}")
    for group in result.groups:
        typer.echo(f"{group.name} ({group.count})")
        typer.echo(f"  simulated  {_times(group.simulated_ms)}")
        if group.measured_ms:
            typer.echo(f"  measured   {_times(group.measured_ms)}")
            typer.echo(f"  {_distance(group)}")
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)


def _times(times: dict[str, float]) -> str:
    return "  ".join(f"{name} {value:8.3f}" for name, value in times.items())


def _distance(group: Group) -> str:
    error = "" if group.error_percent is None else f"mean {group.error_percent:+.2f} %, "
    return f"error      {error}RMS distance {group.rms_ms:.3f} ms"
