"""Parts of a run whose figures are reported apart."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sanlab.scenario.base import ScenarioModel, Span, Time


class Phase(ScenarioModel):
    """A part of the run: the I/Os that complete in it have figures of their own.

    The ramp time of a workload counts here too.
    """

    name: Annotated[str, Field(min_length=1, max_length=100)]
    """Its name, which results are reported under."""
    from_: Time | None = Field(default=None, alias="from")
    """When it begins; by default at the end of the previous phase, the first one at 0."""
    to: Span | None = None
    """When it ends; by default where the next phase begins, the last one with the run."""
