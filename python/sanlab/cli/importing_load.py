"""`sanlab import` of a load: a configuration of Iometer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sanlab.cli.outcome import JsonOption, next_steps, outcome, show_json

#: Largest configuration file of Iometer that is read.
MAX_FILE_BYTES = 16 * 2**20


def load(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Iometer's configuration, an .icf.")],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Scenario to write; default FILE with the suffix .yaml.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the scenario.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Convert a configuration of Iometer to a scenario, with its test cycles as comments."""
    with outcome(as_json=as_json):
        from sanlab.cli.new import write_new
        from sanlab.importers import expand, read_icf, scenario_text
        from sanlab.plan.compile import compile_plan
        from sanlab.scenario.load import parse_scenario

        path = Path(output) if output else Path(file).with_suffix(".yaml")
        test = read_icf(_read(Path(file)), file)
        text = scenario_text(test, str(path))
        compile_plan(parse_scenario(text, str(path)))
        write_new(path, text, force=force)
        points = expand(test)
        if as_json:
            show_json({"file": str(path), "points": points})
            return
        runs = f" ({len(points)} runs, listed in it)" if len(points) > 1 else ""
        typer.echo(f"{path}: written{runs}. {next_steps(str(path))}")


def _read(path: Path) -> str:
    from sanlab.errors import Problem, ScenarioError

    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            reason = f"The file is larger than {MAX_FILE_BYTES // 2**20} MiB"
            remedy = "An .icf file is a few kB"
            raise ScenarioError([Problem(str(path), None, None, "", reason, remedy)])
        # Iometer writes in the code page of Windows; only names depend on it.
        return path.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        reason, remedy = f"The file cannot be read: {error.strerror}", "Check its name"
    raise ScenarioError([Problem(str(path), None, None, "", reason, remedy)])
