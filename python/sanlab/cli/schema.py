"""`sanlab schema`."""

from __future__ import annotations

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
    from sanlab.plan.schema import Plan
    from sanlab.scenario import Scenario

    model = Scenario if contract is Contract.SCENARIO else Plan
    show_json(model.model_json_schema(by_alias=True))
