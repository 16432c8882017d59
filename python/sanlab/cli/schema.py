"""`sanlab schema`."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from sanlab.cli.outcome import show_json


class Contract(StrEnum):
    """What there is a JSON Schema of."""

    SCENARIO = "scenario"
    PLAN = "plan"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("schema")(schema)


def schema(
    contract: Annotated[Contract, typer.Argument(help="What to describe.")] = Contract.SCENARIO,
    _as_json: Annotated[bool, typer.Option("--json", help="A schema is JSON anyway.")] = False,
) -> None:
    """Print the JSON Schema of the scenario file, for editors, or that of the plan."""
    if contract is Contract.SCENARIO:
        from sanlab.scenario.schema import scenario_schema

        show_json(scenario_schema())
    else:
        from importlib.resources import files

        text = (files("sanlab.plan") / "plan.schema.json").read_text(encoding="utf-8")
        show_json(json.loads(text))
