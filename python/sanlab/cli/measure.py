"""`sanlab measure`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sanlab.cli.outcome import (
    EXIT_FAILED,
    FileArgument,
    JsonOption,
    SetOption,
    outcome,
    parsed,
    show_json,
)

#: Size of the files that are made.
DEFAULT_SIZE = "1GiB"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("measure")(measure)


def measure(
    file: FileArgument,
    targets: Annotated[
        list[str],
        typer.Option(
            "--target",
            metavar="LUN=PLACE",
            help="Folder, file, device, nbd:// or iscsi:// URI for a LUN; '*=PLACE' for all others;"
            " repeatable.",
        ),
    ],
    sets: SetOption = None,
    runtime: Annotated[
        str | None,
        typer.Option("--runtime", metavar="10s", help="Time to measure, in place of the file's."),
    ] = None,
    size: Annotated[
        str, typer.Option("--size", help="Size of a file that is made in a folder.")
    ] = DEFAULT_SIZE,
    destructive: Annotated[
        list[str] | None,
        typer.Option(
            "--destructive", metavar="PLACE", help="A file, device or URI that may be overwritten."
        ),
    ] = None,
    clients: Annotated[
        list[str] | None,
        typer.Option(
            "--client",
            metavar="HOST=ADDRESS",
            help="Machine with fio --server that runs the jobs of a host; repeatable.",
        ),
    ] = None,
    is_buffered: Annotated[
        bool, typer.Option("--buffered", help="Through the page cache of this machine.")
    ] = False,
    is_shown: Annotated[
        bool, typer.Option("--show", help="Print the job file before it runs.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="Run folder; default runs/NAME-measured."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run the workloads of a scenario on real storage with fio; write a run folder.

    For a folder a file is made in it, in a folder of its own, and removed at the end. A file, a
    device or a URI is written only if --destructive names it too; a device that is mounted, or
    holds a file system or a partition table, never. `sanlab compare` puts the run beside a
    simulated one.
    """
    with outcome(as_json=as_json):
        from sanlab.cli.run_lines import run_lines
        from sanlab.compare.document import workload_documents
        from sanlab.measurement.clients import parse_client
        from sanlab.measurement.measure import Question
        from sanlab.measurement.measure import measure as measure_now
        from sanlab.measurement.places import Wanted, each_once, parse_target
        from sanlab.results.run import Run
        from sanlab.scenario.overrides import parse_assignment

        question = Question(
            Path(file),
            Wanted(
                each_once(map(parse_target, targets), "--target"),
                _size(size),
                tuple(destructive or ()),
                each_once(map(parse_client, clients or ()), "--client"),
            ),
            dict(parse_assignment(text) for text in sets or []),
            None if runtime is None else _milliseconds(runtime),
            is_buffered,
        )
        folder = measure_now(
            question,
            None if out is None else Path(out),
            (lambda job: typer.echo(job, err=True)) if is_shown else None,
        )
        done = Run.open(folder)
        summary = done.summary()
        if as_json:
            show_json(summary | {"workloads": workload_documents(done)})
        else:
            typer.echo("\n".join(run_lines(done, summary, None)))
    if not done.manifest.is_complete:
        raise typer.Exit(EXIT_FAILED)


def _size(text: str) -> int:
    from sanlab.errors import SanlabError
    from sanlab.quantities import parse_size

    size = parsed("--size", text, parse_size)
    if size < 1 << 20:
        reason = f"--size {text}: a file of less than 1 MiB measures little. Write --size 1GiB"
        raise SanlabError(reason)
    return size


def _milliseconds(text: str) -> int:
    from sanlab.errors import SanlabError
    from sanlab.measurement.job import LEAST_MS, PS_PER_MS
    from sanlab.quantities import parse_time

    time_ms = parsed("--runtime", text, parse_time) // PS_PER_MS
    if time_ms < LEAST_MS:
        reason = f"--runtime {text}: measure for at least a second, --runtime 10s"
        raise SanlabError(reason)
    return time_ms
