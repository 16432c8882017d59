"""`sanlab import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sanlab.cli.outcome import JsonOption, next_steps, outcome, show_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_)


def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File of Iometer, fio, vdbench or diskspd.")],
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
    force: Annotated[bool, typer.Option("--force", help="Overwrite the scenario.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Convert the load of another tool's file to a scenario that runs at once."""
    with outcome(as_json=as_json):
        from sanlab.cli.new import write_new
        from sanlab.importers.load_file import import_file
        from sanlab.plan.compile import compile_plan
        from sanlab.scenario.load import parse_scenario

        path = Path(output) if output else Path(file).with_suffix(".yaml")
        imported = import_file(Path(file), str(path), _defined(define or []), job or [])
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
        notes = [f"{len(points)} runs, listed in it"] if len(points) > 1 else []
        notes += [f"{len(left_out)} keys without a part in it, listed in it"] if left_out else []
        remark = f" ({'; '.join(notes)})" if notes else ""
        typer.echo(f"{path}: written{remark}. {next_steps(str(path))}")


def _defined(words: list[str]) -> dict[str, str]:
    from sanlab.errors import Problem, ScenarioError

    pairs = [word.partition("=") for word in words]
    for word, (name, equals, _) in zip(words, pairs, strict=True):
        if not name or not equals:
            reason, remedy = f"'{word}' defines nothing", "Write -D NAME=VALUE"
            raise ScenarioError([Problem("-D", None, None, "", reason, remedy)])
    return {name: value for name, _, value in pairs}
