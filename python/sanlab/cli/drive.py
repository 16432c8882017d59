"""`sanlab drive`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import JsonOption, outcome, show_json

if TYPE_CHECKING:
    from sanlab.drive.disksim import LoadedDrive
    from sanlab.drive.replay import Group, Result
    from sanlab.drive.service import Service


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
        Path | None,
        typer.Option(
            "--trace",
            metavar="FILE",
            help="Commands: 'R BLOCK BLOCKS WAIT_US', or lines of DiskSim's validation traces.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Write responses.csv, result.json, response_cdf.svg; without a trace "
            "service.csv, service.json.",
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
    """Show the service of one disk drive, or replay a trace on it.

    Without a trace: random reads of 4 KiB over the whole drive, 1 to 32 outstanding. With a trace,
    one command is outstanding at a time: each starts its wait time after the end of the last one.
    Measured times of the trace are compared with the simulated ones, which they do not influence.
    """
    with outcome(as_json=as_json):
        from sanlab.drive.file import load_drive

        loaded = load_drive(drive, block_transfer_ps=_time(block_transfer))
        if trace is None:
            _serve(loaded, out, as_json=as_json)
        else:
            _replay(loaded, trace, out, as_json=as_json)


def _serve(loaded: LoadedDrive, out: Path | None, *, as_json: bool) -> None:
    from sanlab.drive.service import csv_of, json_of, service_of

    service = service_of(loaded.plan, loaded.notes)
    if out is not None:
        _write(out, {"service.csv": csv_of(service), "service.json": json_of(service)})
    if as_json:
        show_json(service.document())
    else:
        _show_service(service)


def _replay(loaded: LoadedDrive, trace: Path, out: Path | None, *, as_json: bool) -> None:
    from sanlab.drive.figure import svg_of
    from sanlab.drive.replay import bus_note, capacity_of, csv_of, json_of, replay
    from sanlab.drive.trace import read_trace

    commands = read_trace(trace, capacity_of(loaded.plan))
    result = replay(loaded.plan, commands, loaded.notes)
    if not loaded.is_bus_known:
        result.notes.append(bus_note(result))
    if out is not None:
        texts = {
            "responses.csv": csv_of(result),
            "result.json": json_of(result),
            "response_cdf.svg": svg_of(result),
        }
        _write(out, texts)
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


def _write(folder: Path, texts: dict[str, str]) -> None:
    from sanlab.simulation.folder import named

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        partial = folder / f"{name}.partial"
        with named(folder / name):
            partial.write_text(text, encoding="utf-8")
        partial.replace(folder / name)


def _show_service(service: Service) -> None:
    alone = service.unloaded
    typer.echo(f"{service.drive}: random reads of 4 KiB over the whole drive; mean times in ms")
    typer.echo(
        f"unloaded service {alone.service_ms:.3f}: overhead {alone.overhead_ms:.3f}, "
        f"seek {alone.seek_ms:.3f}, rotation {alone.rotation_ms:.3f}, "
        f"transfer {alone.transfer_ms:.3f}"
    )
    typer.echo("loaded:")
    typer.echo("depth   IOPS  gain  service    seek  rotation  transfer  response       p99")
    for one in service.depths:
        typer.echo(
            f"{one.depth:5d} {one.iops:6.0f} {service.gain(one):5.2f} {one.service_ms:8.3f} "
            f"{one.seek_ms:7.3f} {one.rotation_ms:9.3f} {one.transfer_ms:9.3f} "
            f"{one.response_ms:9.3f} {one.response_p99_ms:9.3f}"
        )
    for note in service.notes:
        typer.echo(f"note: {note}", err=True)


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
