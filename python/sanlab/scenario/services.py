"""Services of the switches of a fabric: addresses, logins, names, notifications."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from sanlab.scenario.base import ScenarioModel, Span, Speed, Time, refusal

#: Changes of zoning reach the hosts after this long: an RSCN, and the switch's processor behind it.
#: No published figure; as long as the notice of a fault.
DEFAULT_RSCN_PS = 10 * 10**9
#: A service of a switch answers after this long; reports range from 0.1 to 10 ms. Uncertain.
DEFAULT_SERVICE_PS = 10**9
#: Two fabrics that are joined listen for BF for twice F_S_TOV of 5 s (FC-SW, "Build Fabric").
DEFAULT_BUILD_PS = 10 * 10**12

#: From light to the first command. Uncertain.
DEFAULT_LOGIN_PS = 100 * 10**9
#: R_T_TOV (FC-FS).
DEFAULT_REROUTE_PS = 100 * 10**9

#: What a switch does when its neighbour's zoning differs: `sanlab.plan.services.zone_db` has them.
ZoningRules = Literal["brocade", "qlogic", "mcdata", "yields"]


class FabricServices(ScenarioModel):
    """Behaviour of the services of all switches."""

    logins: bool = False
    """Hosts and arrays log in to the fabric with real frames before the first I/O; without it they
    are logged in from the start."""
    service_time: Time = DEFAULT_SERVICE_PS
    """Response time of a service of a switch; 1ms by default."""
    rscn_delay: Time = DEFAULT_RSCN_PS
    """From a change of zoning to its notification at the hosts; 10ms by default."""
    login_time: Time = DEFAULT_LOGIN_PS
    """From light on a port's link, or a route to it, to the first command over it; 100ms by
    default: link or loop initialisation, then FLOGI, PLOGI and PRLI, each 0.1 to 10ms."""
    e_d_tov: Span = 2 * 10**12
    """E_D_TOV, 2s by the standard (FC-FS): how long a target waits for write data."""
    r_a_tov: Span = 10 * 10**12
    """R_A_TOV, 10s by the standard: how long the id of an aborted exchange is not reused."""
    reroute: Time = DEFAULT_REROUTE_PS
    """From a change of a link to frames on the new routes; 100ms by default. That is R_T_TOV, after
    which a loss of signal is a failure; link state records and route computation add little."""
    in_order_hold: Time | None = None
    """Further pause of switches with in-order delivery, until no frame can be left on the old
    route; 500ms on such switches. No pause by default."""
    credit_timeout: Span = 2 * 10**12
    """Time without credit after which a transmitter resets its link; 2s (E_D_TOV) by default."""
    bb_sc_n: Annotated[int, Field(ge=0, le=15)] = 0
    """BB_SC_N: lost credit is recovered every 2^n frames; 0 turns recovery off."""
    r_rdy_waits: bool = False
    """An R_RDY waits for the end of a frame that is being sent in its direction. Without it credit
    returns at once, up to one frame time too early where both directions carry frames."""
    build_time: Time = DEFAULT_BUILD_PS
    """From plugging in the first link between two fabrics to frames over it; 10s by default.
    Further links between the same fabrics take a hundredth of it."""

    @model_validator(mode="after")
    def _has_timers_in_order(self) -> FabricServices:
        if self.e_d_tov >= self.r_a_tov:
            raise refusal(
                reason="'e_d_tov' is not shorter than 'r_a_tov', which contains it",
                remedy="Write a smaller 'e_d_tov' or a larger 'r_a_tov', such as 2s and 10s",
                key="e_d_tov",
            )
        return self


_NUMBERS = re.compile(r"[0-9]{1,4}(\.\.[0-9]{1,4})?(,[0-9]{1,4}(\.\.[0-9]{1,4})?)*")


def _read_numbers(value: object) -> object:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if isinstance(text, str) and not _NUMBERS.fullmatch(text):
        raise refusal(
            reason=f"'{value}' is not a list of ports", remedy="Write numbers and ranges, '0..3,7'"
        )
    return text


#: Numbers of ports.
PortNumbers = Annotated[
    str,
    BeforeValidator(_read_numbers),
    WithJsonSchema({"type": ["string", "integer"], "examples": ["16..19", "0..3,7"]}),
]


class PortGroup(ScenarioModel):
    """Ports of a switch with other settings."""

    ports: PortNumbers
    """Their numbers, `16..19`, `1,3`."""
    speed: Speed | None = None
    """Their speed."""
    vsan: Annotated[int, Field(ge=1, le=4093)] | None = None
    """Their VSAN; 1 by default. Links between switches carry all VSANs."""
    disabled: bool = False
    """Whether an administrator has disabled them."""


class NewDomain(ScenarioModel):
    """A change of a switch's domain: the switch goes offline and returns with the new domain."""

    at: Time
    """When."""
    domain: Annotated[int, Field(ge=1, le=239)]
    """The new domain id; addresses of all its ports change."""


class Modules(ScenarioModel):
    """Redundant switch modules: one is active, the others are on standby.

    A switch loses them by the faults `module-failure` and `pull-module`.
    """

    count: Annotated[int, Field(ge=1, le=4)] = 2
    """Modules, numbered from 1; the first is active at the start."""
    takeover: Span = 30 * 10**12
    """From the failure of the active module to frames through the next; 30s by default.
    Uncertain."""
    hitless: bool = False
    """Whether frames are forwarded while the next module takes over."""
    both_primary: bool = False
    """After power-on all modules claim to be active, and the switch stays down until only one is
    left."""
