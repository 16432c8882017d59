"""Limits of what an array serves for a LUN or a host."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from sanlab.scenario.base import Patterns, Rate, ScenarioModel, Time, refusal

#: Tokens of an unused limit. QEMU saves those of a tenth of a second by default, so that not every
#: other request waits (`util/throttle.c`). Uncertain: vendors of arrays do not publish theirs.
DEFAULT_BURST_PS = 10**11


class Limit(ScenarioModel):
    """A limit of commands and data per second: commands above it wait at the array.

    It is a token bucket. After a pause the commands of `burst` pass at once, and one more.
    """

    iops: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None
    """Commands per second; unlimited by default."""
    rate: Rate | None = None
    """Data per second; unlimited by default."""
    burst: Time = DEFAULT_BURST_PS
    """Time whose commands and data an unused limit saves up; 100ms by default."""

    @model_validator(mode="after")
    def _limits_something(self) -> Limit:
        if not self.iops and not self.rate:
            raise refusal(
                reason="A limit without 'iops' and 'rate' limits nothing",
                remedy="Add 'iops: 5000' or 'rate: 200MB/s', or remove the limit",
            )
        return self


class HostLimit(Limit):
    """A limit of each of these hosts at the array."""

    hosts: Patterns
    """Hosts; each has a limit of its own."""
