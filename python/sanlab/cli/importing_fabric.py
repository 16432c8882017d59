"""`sanlab import fabric`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import JsonOption, next_steps, outcome, show_json
from sanlab.quantities import PS_PER_S, counted

if TYPE_CHECKING:
    from sanlab.importers.fabric import FabricImport

#: Contradictions that the summary shows.
MOST_SHOWN = 10


def fabric(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
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
    interval: Annotated[
        str | None,
        typer.Option(
            "--interval",
            metavar="TIME",
            help="Time between two captures of counters of ports, 60s; default from their outputs.",
        ),
    ] = None,
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
        from sanlab.importers.load_file import interval_of
        from sanlab.plan.compile import compile_plan
        from sanlab.scenario.load import parse_scenario

        seconds = None
        if interval is not None:
            seconds = interval_of(interval, "--interval") / PS_PER_S
        found = import_fabric([Path(file) for file in files], partial=partial, interval=seconds)
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
    kinds = {
        "hosts": "host",
        "switches": "switch",
        "arrays": "array",
        "luns": "LUN",
        "zones": "zone",
    }
    parts = ", ".join(
        counted(count[key], word, "switches" if word == "switch" else "")
        for key, word in kinds.items()
    )
    links = counted(count["isls"], "link between switches", "links between switches")
    outputs = counted(count["blocks"], "output")
    lines = [f"{output}: written from {outputs}: {parts}, {links}."]
    lines += [f"  {finding}" for finding in found.findings[:MOST_SHOWN]]
    more = len(found.findings) - MOST_SHOWN
    lines += [f"  ... and {more} more contradictions or gaps in {output}"] if more > 0 else []
    guesses = sum(1 for origin in found.origins if origin.guess)
    questions = counted(len(found.questions), "question")
    lines += [f"{counted(guesses, 'value')} guessed; {questions} at its end."]
    if found.skipped:
        lines += [f"{counted(len(found.skipped), 'part')} not read, listed there too."]
    return "\n".join([*lines, next_steps(output)])
