"""`sanlab schema`."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from sanlab.cli.outcome import show_json


class Contract(StrEnum):
    """Files with a JSON Schema."""

    SCENARIO = "scenario"
    PLAN = "plan"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("schema")(schema)


def schema(
    contract: Annotated[Contract, typer.Argument(help="The file to describe.")] = Contract.SCENARIO,
    _as_json: Annotated[
        bool, typer.Option("--json", help="No effect: a schema is always JSON.")
    ] = False,
) -> None:
    """Print the JSON Schema of the scenario file, for editors, or of the plan."""
    if contract is Contract.SCENARIO:
        from sanlab.scenario.schema import scenario_schema

        show_json(scenario_schema())
    else:
        from importlib.resources import files

        text = (files("sanlab.plan") / "plan.schema.json").read_text(encoding="utf-8")
        show_json(json.loads(text))
