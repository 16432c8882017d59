"""Quality of service: limits of pairs and ports, priorities, the wheel of a switch."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from sanlab.scenario.base import (
    Pattern,
    Patterns,
    Rate,
    RateOrNone,
    ScenarioModel,
    Size,
    Time,
    refusal,
)

Priority = Literal["high", "medium", "low"]
#: Priorities in the order of their classes.
PRIORITIES: tuple[Priority, ...] = ("high", "medium", "low")
#: The class of frames that no policy names.
SHARED_CLASS = 1
#: Slots of a wheel at most: a turn of as many full frames at 2GFC lasts 10 ms.
MAX_SLOTS = 1024


class Wheel(ScenarioModel):
    """Time-division wheel of each port: slots of one frame that are assigned to N_Port pairs."""

    slots: Annotated[int, Field(ge=1, le=MAX_SLOTS)] = 7
    """Slots of one revolution."""
    slot_rate: Rate = 25_000_000
    """Rate that one slot stands for."""


class Priorities(ScenarioModel):
    """Shares of the priorities when all have frames to send."""

    strict: bool = False
    """Whether a higher priority always goes first; the weights then have no effect."""

    high: Annotated[int, Field(ge=1, le=1000)] = 60
    """Weight of high priority."""
    medium: Annotated[int, Field(ge=1, le=1000)] = 30
    """Weight of medium priority, the default of all frames."""
    low: Annotated[int, Field(ge=1, le=1000)] = 10
    """Weight of low priority."""


class SwitchQos(ScenarioModel):
    """How the ports of a switch treat frames."""

    wheel: Wheel | None = None
    """Limits use slots of this wheel; without one they are rates."""
    priorities: Priorities = Priorities()
    """How high, medium and low priority share an output."""


class Qos(ScenarioModel):
    """A limit or a priority, from a time on."""

    from_: Patterns = Field(alias="from")
    """One side of each pair: a port, or a box with all its ports."""
    to: Patterns | None = None
    """The other side; an entry applies to both directions. A limit without `to` applies to all
    traffic that enters the fabric from the ports of `from`."""
    limit: RateOrNone | None = None
    """Most bytes per second of each direction, applied at the port where it leaves the fabric;
    `none` removes the limit."""
    burst: Size | None = None
    """Bytes that may pass at once after a pause; 64KiB by default. Not used with a wheel."""
    priority: Priority | None = None
    """Priority of the pair's frames."""
    switch: Pattern | None = None
    """The switch that applies a priority; all by default."""
    at: Time = 0
    """When it takes effect."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> Qos:
        if (self.limit is None) == (self.priority is None):
            raise refusal(
                reason="An entry of 'qos' needs either a 'limit' or a 'priority'",
                remedy="Write 'limit: 50MB/s' or 'priority: high', and two entries for both",
                key="from",
            )
        if self.priority is not None and self.to is None:
            raise refusal(
                reason="A priority needs both sides of a pair",
                remedy="Add 'to'",
                key="priority",
            )
        if self.burst is not None and not isinstance(self.limit, int):
            raise refusal(
                reason="'burst' has no effect without a 'limit' that is a rate",
                remedy="Remove 'burst', or add 'limit: 50MB/s'",
                key="burst",
            )
        if self.switch is not None and self.priority is None:
            raise refusal(
                reason="A limit applies at the ports of its pair, so 'switch' has no effect",
                remedy="Remove 'switch'",
                key="switch",
            )
        return self
