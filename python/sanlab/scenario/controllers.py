"""Controllers of an array, and how they stand in for each other."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sanlab.scenario.base import Patterns, Rate, ScenarioModel, Time, TimeOrManual

#: Time of a takeover. Uncertain: vendors promise that hosts notice none, Linux waits 60 s for one
#: (`ALUA_FAILOVER_TIMEOUT` of its `scsi_dh_alua`).
DEFAULT_TAKEOVER_PS = 5 * 10**12
#: ONTAP gives storage back by itself and waits for 600 s before it does ("How automatic takeover
#: and giveback works", `-delay-seconds` of `storage failover modify`).
DEFAULT_GIVE_BACK_PS = 600 * 10**12
#: A unit attention and a REPORT TARGET PORT GROUPS, "a costly operation, as the array has to gather
#: information about all ports" (Linux, commit 9d2c3039). Uncertain.
DEFAULT_PATH_STATES_PS = 10 * 10**9
#: Interconnect of a pair of controllers over PCI Express. Uncertain.
DEFAULT_FORWARD_PS = 20 * 10**6
DEFAULT_FORWARD_RATE = 6_500_000_000


class Controllers(ScenarioModel):
    """Controllers of an array. A number alone is the `count`; other keys are those of the model."""

    count: Annotated[int, Field(ge=1, le=64)] | None = None
    """Controllers, named c0, c1 and so on; as many as the model has by default."""
    ports: list[Patterns] | None = None
    """Ports of each controller, `[[p0, p1], [p2, p3]]`. By default they alternate: p0 is of c0, p1
    of c1, and so on."""
    takeover: Time = DEFAULT_TAKEOVER_PS
    """Time another controller needs to take over the LUNs of one that failed, and to hand them
    back; their commands wait meanwhile. 5s by default, which is uncertain."""
    give_back: TimeOrManual = DEFAULT_GIVE_BACK_PS
    """Time from a controller's return until it gets its LUNs back, or `manual`; 600s by default."""
    path_states: Time = DEFAULT_PATH_STATES_PS
    """Time from the end of a takeover until hosts know which of their paths are optimised; 10ms by
    default, which is uncertain."""
    forward: Time = DEFAULT_FORWARD_PS
    """Time a command takes to the controller that serves its LUN if it comes to another, without
    the time for its data; 20us by default, which is uncertain."""
    forward_rate: Rate = DEFAULT_FORWARD_RATE
    """Rate at which its data pass between the two; 6.5GB/s by default, which is uncertain."""
    without_partner: Literal["write-through", "write-back"] = "write-through"
    """What a mirrored cache does with writes while no other controller can keep a copy."""


class CountedControllers(Controllers):
    """Controllers with their number."""

    count: Annotated[int, Field(ge=1, le=64)]
    """Controllers, named c0, c1 and so on."""


def as_controllers(value: object) -> object:
    """Return the keys of controllers for a number of them."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return {"count": value} if is_number else value
