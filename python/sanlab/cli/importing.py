"""`sanlab import`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from sanlab.cli.outcome import JsonOption, next_steps, outcome, show_json

if TYPE_CHECKING:
    from sanlab.importers.fabric import FabricImport

#: Contradictions that the summary of an import shows.
MOST_SHOWN = 10
#: Largest configuration file of Iometer that is read.
MAX_FILE_BYTES = 16 * 2**20


class Sources(typer.core.TyperGroup):
    """The command `sanlab import`: a file in place of a source is one of Iometer."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  of Typer's own
        """Name the source where the arguments do not."""
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = ["iometer", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the command, which has a subcommand for each source."""
    sources = typer.Typer(cls=Sources, no_args_is_help=True, help="Make a scenario of other files.")
    sources.command("iometer")(iometer)
    sources.command("fabric")(fabric)
    app.add_typer(sources, name="import")


def iometer(
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


def fabric(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES...",
            help="Outputs of Brocade and Cisco switches and of hosts, or folders with them.",
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Scenario to write.")
    ] = "san.yaml",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the scenario.")] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Use outputs that were cut off, and list them.")
    ] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            metavar="KEY",
            help="Print where a value comes from, switches.sw1.domain or hosts.*; write nothing.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a scenario of a fabric from the outputs of its switches and hosts."""
    with outcome(as_json=as_json):
        from sanlab.cli.new import write_new
        from sanlab.importers.fabric import import_fabric
        from sanlab.plan.compile import compile_plan
        from sanlab.scenario.load import parse_scenario

        found = import_fabric([Path(file) for file in files], partial=partial)
        if explain is not None:
            _explain(found, explain, as_json=as_json)
            return
        compile_plan(parse_scenario(found.text, output))
        write_new(Path(output), found.text, force=force)
        if as_json:
            show_json(
                {
                    "file": output,
                    "counts": found.counts,
                    "questions": found.questions,
                    "findings": [str(finding) for finding in found.findings],
                    "skipped": [f"{part.source}: {part.what}" for part in found.skipped],
                }
            )
            return
        typer.echo(_summary(found, output))


def _explain(found: FabricImport, key: str, *, as_json: bool) -> None:
    from sanlab.errors import Problem, ScenarioError

    origins = found.explain(key)
    if not origins:
        remedy = "Write a key of the scenario, such as 'hosts.*' or 'switches'"
        reason = f"The scenario has no value '{key}'"
        raise ScenarioError([Problem("--explain", None, None, "", reason, remedy)])
    if as_json:
        show_json(
            [
                {
                    "key": origin.key,
                    "value": origin.value,
                    "sources": [str(source) for source in origin.sources],
                    "guess": origin.guess,
                }
                for origin in origins
            ]
        )
        return
    for origin in origins:
        typer.echo(str(origin))


def _summary(found: FabricImport, output: str) -> str:
    count = found.counts
    kinds = ("hosts", "switches", "arrays", "LUNs", "zones")
    parts = ", ".join(f"{count[kind.lower()]} {kind}" for kind in kinds)
    links = f"{count['isls']} links between switches"
    lines = [f"{output}: written from {count['blocks']} outputs: {parts}, {links}."]
    lines += [f"  {finding}" for finding in found.findings[:MOST_SHOWN]]
    more = len(found.findings) - MOST_SHOWN
    lines += [f"  ... and {more} more contradictions or gaps in {output}"] if more > 0 else []
    guesses = sum(1 for origin in found.origins if origin.guess)
    lines += [
        f"{guesses} values are guessed; {len(found.questions)} questions are at the end of it."
    ]
    if found.skipped:
        lines += [f"{len(found.skipped)} parts were not read; they are listed there too."]
    return "\n".join([*lines, next_steps(output)])


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
