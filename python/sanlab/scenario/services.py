"""What the switches of a fabric do for their ports: addresses, logins, names, notices."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from sanlab.scenario.base import ScenarioModel, Span, Speed, Time, refusal

#: Changes of zoning reach the hosts after this long: an RSCN, and the switch's processor behind it.
#: No published figure; as long as the notice of a fault.
DEFAULT_RSCN_PS = 10 * 10**9
#: A service of a switch answers after this long; 0.1 to 10 ms are told of. Uncertain.
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
    """How the services of all switches behave."""

    logins: bool = False
    """Hosts and arrays log in to the fabric with real frames before the first I/O; without it they
    are logged in from the start."""
    service_time: Time = DEFAULT_SERVICE_PS
    """From a request to a service of a switch to its answer, 1ms where it is left out."""
    rscn_delay: Time = DEFAULT_RSCN_PS
    """From a change of who sees whom to the hosts knowing of it, 10ms where it is left out."""
    login_time: Time = DEFAULT_LOGIN_PS
    """From light on a port's link, or a way to it, to the first command over it, 100ms where it is
    left out: FLOGI, PLOGI and PRLI, each 0.1 to 10ms, behind the loop or link initialisation."""
    e_d_tov: Span = 2 * 10**12
    """E_D_TOV, 2s by the standard (FC-FS): a target waits so long for write data."""
    r_a_tov: Span = 10 * 10**12
    """R_A_TOV, 10s by the standard: the id of an aborted exchange rests so long."""
    reroute: Time = DEFAULT_REROUTE_PS
    """From a change of a link to frames on the new routes, 100ms where it is left out: R_T_TOV,
    after which a loss of signal is a failure; link state records and computing take little beside
    it."""
    in_order_hold: Time | None = None
    """Further pause of switches that keep frames in order: they wait until no old frame can be on
    its way, 500ms where they do. None where it is left out."""
    credit_timeout: Span = 2 * 10**12
    """A transmitter without credit for so long resets its link, 2s (E_D_TOV) where it is left
    out."""
    bb_sc_n: Annotated[int, Field(ge=0, le=15)] = 0
    """BB_SC_N: credit is counted every 2^n frames, so that what was lost comes back; 0 counts
    none."""
    build_time: Time = DEFAULT_BUILD_PS
    """From plugging in the first link between two fabrics to frames over it, 10s where it is left
    out. Further links between the same fabrics take a hundredth of it."""

    @model_validator(mode="after")
    def _has_timers_in_order(self) -> FabricServices:
        if self.e_d_tov >= self.r_a_tov:
            raise refusal(
                reason="'e_d_tov' is not shorter than 'r_a_tov', which is made of it",
                remedy="R_A_TOV is E_D_TOV and twice a frame's longest travel: 2s and 10s",
                key="e_d_tov",
            )
        return self


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


class Modules(ScenarioModel):
    """Redundant switch modules, of which one is in charge and another stands by.

    A switch loses them by the faults `module-failure` and `pull-module`.
    """

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
