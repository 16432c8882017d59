"""What the switches of a fabric do for their ports: addresses, logins, names, notices."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from sanlab.scenario.base import ScenarioModel, Span, Speed, Time, refusal

#: Changes of zoning reach the hosts after this long: an RSCN, and the switch's processor behind it.
#: No published figure; as long as the notice of a fault.
DEFAULT_RSCN_PS = 10 * 10**9
#: A service of a switch answers after this long; 0.1 to 10 ms are told of. Uncertain.
DEFAULT_SERVICE_PS = 10**9
#: Two fabrics that are joined listen for BF for twice F_S_TOV of 5 s (FC-SW, "Build Fabric").
DEFAULT_BUILD_PS = 10 * 10**12

#: What a switch does when its neighbour's zoning differs: `sanlab.plan.services.zone_db` has them.
ZoningRules = Literal["brocade", "qlogic", "mcdata", "yields"]


class FabricServices(ScenarioModel):
    """How the services of all switches behave."""

    logins: bool = False
    """Hosts and arrays log in to the fabric with real frames before the first I/O; without it they
    are logged in from the start."""
    service_time: Time = DEFAULT_SERVICE_PS
    """From a request to a service of a switch to its answer, 1ms where it is left out."""
    rscn_delay: Time = DEFAULT_RSCN_PS
    """From a change of who sees whom to the hosts knowing of it, 10ms where it is left out."""
    build_time: Time = DEFAULT_BUILD_PS
    """From plugging in the first link between two fabrics to frames over it, 10s where it is left
    out. Further links between the same fabrics take a hundredth of it."""


_NUMBERS = re.compile(r"\d+(\.\.\d+)?(,\d+(\.\.\d+)?)*")


def _read_numbers(value: object) -> object:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if isinstance(text, str) and not _NUMBERS.fullmatch(text):
        raise refusal(
            reason=f"'{value}' is no list of ports", remedy="Write numbers and ranges, '0..3,7'"
        )
    return text


#: Numbers of ports.
PortNumbers = Annotated[
    str,
    BeforeValidator(_read_numbers),
    WithJsonSchema({"type": ["string", "integer"], "examples": ["16..19", "0..3,7"]}),
]


class PortGroup(ScenarioModel):
    """Ports of a switch that differ from the others."""

    ports: PortNumbers
    """Their numbers, `16..19`, `1,3`."""
    speed: Speed | None = None
    """Speed they are set to."""
    vsan: Annotated[int, Field(ge=1, le=4093)] | None = None
    """The VSAN they are in; 1 where nothing is said. Links between switches carry all."""
    disabled: bool = False
    """An administrator has switched them off."""


class NewDomain(ScenarioModel):
    """An administrator gives a switch another domain: it goes offline and comes back with it."""

    at: Time
    """When."""
    domain: Annotated[int, Field(ge=1, le=239)]
    """The new domain id; addresses of all its ports change."""


class LostModule(ScenarioModel):
    """A module that fails or is pulled."""

    module: Annotated[int, Field(ge=1, le=4)]
    """Its number."""
    at: Time
    """When."""
    pulled: bool = False
    """Somebody pulled it."""


class Modules(ScenarioModel):
    """Redundant switch modules, of which one is in charge and another stands by."""

    count: Annotated[int, Field(ge=1, le=4)] = 2
    """Modules, numbered from 1; the first is in charge."""
    takeover: Span = 30 * 10**12
    """From the failure of the one in charge to frames passing by the next; 30s where it is left
    out. Uncertain."""
    hitless: bool = False
    """Whether frames pass on while the next one takes over."""
    both_primary: bool = False
    """After switching on all want to be in charge, and the switch stays down until only one is
    left."""
    lost: list[LostModule] = Field(default_factory=list)
    """Modules that fail or are pulled during the run."""
