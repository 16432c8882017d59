"""`sanlab import` of a load: a file of Iometer, fio, vdbench or diskspd, a trace, or counters."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from sanlab.cli.outcome import JsonOption, next_steps, outcome, show_json

if TYPE_CHECKING:
    from sanlab.importers.traces import TraceOptions

#: Most requests of a job, as in a scenario.
_MAX_DEPTH = 65_535


def load(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="File of Iometer, fio, vdbench or diskspd, a trace, or counters."
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Scenario to write; default FILE with the suffix .yaml.",
        ),
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option(
            "-D", metavar="NAME=VALUE", help="Variable of a job file, mb_memory=4096; repeatable."
        ),
    ] = None,
    job: Annotated[
        list[str] | None,
        typer.Option("--job", metavar="NAME", help="Job of a job file to import; default all."),
    ] = None,
    replay: Annotated[
        bool,
        typer.Option("--replay", help="Replay a trace request by request, at its recorded times."),
    ] = False,
    time_unit: Annotated[
        str | None,
        typer.Option("--time-unit", help="Unit of the times of a trace: s, ms, us, 100ns or ns."),
    ] = None,
    speed: Annotated[
        int, typer.Option("--speed", min=1, max=1_000_000, help="Times as fast as a trace.")
    ] = 1,
    depth: Annotated[
        str | None,
        typer.Option(
            "--depth",
            metavar="N",
            help="Requests of a trace to keep open on each LUN, in place of its rate; 'recorded' "
            "for the trace's own.",
        ),
    ] = None,
    interval: Annotated[
        str | None,
        typer.Option("--interval", metavar="TIME", help="Time between reports of counters, 10s."),
    ] = None,
    lun: Annotated[
        list[str] | None,
        typer.Option(
            "--lun", metavar="DEVICE=NAME", help="Device of a trace or of counters, and its LUN."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the scenario.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Convert the load of another tool's file to a scenario that runs at once."""
    with outcome(as_json=as_json):
        from sanlab.cli.new import write_new
        from sanlab.importers.load_file import import_file, interval_of
        from sanlab.plan.compile import compile_plan
        from sanlab.scenario.load import parse_scenario

        path = Path(output) if output else Path(file).with_suffix(".yaml")
        variables = _defined(define or [], "-D")
        trace = _trace_options(time_unit, speed, depth, lun or [])
        interval_ps = None if interval is None else interval_of(interval, "--interval")
        trace = dataclasses.replace(trace, is_replay=replay, interval_ps=interval_ps)
        imported = import_file(Path(file), str(path), variables, job or [], trace)
        compile_plan(parse_scenario(imported.text, str(path)))
        write_new(path, imported.text, force=force)
        points, left_out = imported.points, imported.left_out
        if as_json:
            rows = [
                {"file": one.file, "line": one.line, "key": one.key, "reason": one.reason}
                for one in left_out
            ]
            show_json({"file": str(path), "points": points, "left_out": rows})
            return
        from sanlab.quantities import counted

        notes = [f"{len(points)} runs, listed in its comments"] if len(points) > 1 else []
        if left_out:
            notes.append(f"{counted(len(left_out), 'key')} left out, listed in its comments")
        remark = f" ({'; '.join(notes)})" if notes else ""
        typer.echo(f"{path}: written{remark}. {next_steps(str(path))}")


def _trace_options(
    unit: str | None, speed: int, depth: str | None, luns: list[str]
) -> TraceOptions:
    from sanlab.importers.traces import TraceOptions
    from sanlab.traces.formats import UNITS

    if unit is not None and unit not in UNITS:
        _refuse("--time-unit", f"'{unit}' is not a unit of time", f"Choices are {', '.join(UNITS)}")
    number = None if depth is None else 0 if depth == "recorded" else _depth(depth)
    return TraceOptions(unit, speed, number, _defined(luns, "--lun"))


def _depth(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= _MAX_DEPTH:
        _refuse("--depth", f"'{text}' is not a depth", f"Write 1 to {_MAX_DEPTH}, or 'recorded'")
    return int(text)


def _defined(words: list[str], option: str) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    for word, (name, _, value) in zip(words, pairs, strict=True):
        if not name or not value:
            _refuse(option, f"'{word}' defines nothing", f"Write {option} NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _refuse(option: str, reason: str, remedy: str) -> NoReturn:
    from sanlab.errors import Problem, ScenarioError

    raise ScenarioError([Problem(option, None, None, "", reason, remedy)])
