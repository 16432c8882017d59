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
    """Time-division wheel of every port: slots, each a frame, sold to pairs of N_Ports."""

    slots: Annotated[int, Field(ge=1, le=MAX_SLOTS)] = 7
    """Slots of one turn."""
    slot_rate: Rate = 25_000_000
    """What one slot is sold as."""


class Priorities(ScenarioModel):
    """Shares of the priorities where all have frames to send."""

    strict: bool = False
    """High goes before medium, medium before low, always; weights count nothing then."""

    high: Annotated[int, Field(ge=1, le=1000)] = 60
    """Weight of high priority."""
    medium: Annotated[int, Field(ge=1, le=1000)] = 30
    """Weight of medium priority, which all have that no entry names."""
    low: Annotated[int, Field(ge=1, le=1000)] = 10
    """Weight of low priority."""


class SwitchQos(ScenarioModel):
    """How the ports of a switch tell frames apart."""

    wheel: Wheel | None = None
    """Limits take slots of this wheel; without one they are rates."""
    priorities: Priorities = Priorities()
    """How high, medium and low priority share an output."""


class Qos(ScenarioModel):
    """A limit or a priority, from a time on."""

    from_: Patterns = Field(alias="from")
    """One side of each pair: a port, or a box with all its ports."""
    to: Patterns | None = None
    """The other side; both directions are meant. A limit without it is of all that comes into the
    fabric from the ports of `from`."""
    limit: RateOrNone | None = None
    """What each direction may carry, at the port it leaves the fabric by; `none` lifts it."""
    burst: Size | None = None
    """What may pass at once after a pause, 64KiB where it is left out; not of a wheel."""
    priority: Priority | None = None
    """Priority of the pair's frames."""
    switch: Pattern | None = None
    """The one switch a priority holds at; all where it is left out."""
    at: Time = 0
    """When it comes into force."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> Qos:
        if (self.limit is None) == (self.priority is None):
            raise refusal(
                reason="An entry of 'qos' gives either a 'limit' or a 'priority'",
                remedy="Write 'limit: 50MB/s' or 'priority: high', and two entries for both",
                key="from",
            )
        if self.priority is not None and self.to is None:
            raise refusal(
                reason="A priority is of a pair, and only one side is given",
                remedy="Add 'to'",
                key="priority",
            )
        if self.burst is not None and not isinstance(self.limit, int):
            raise refusal(
                reason="'burst' goes with a 'limit' that is a rate",
                remedy="Remove 'burst', or add 'limit: 50MB/s'",
                key="burst",
            )
        if self.switch is not None and self.priority is None:
            raise refusal(
                reason="A limit holds at the ports that its pair is attached by",
                remedy="Remove 'switch'",
                key="switch",
            )
        return self
