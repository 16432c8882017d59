"""Switches, and the links between everything that has ports."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from sanlab.quantities import DEFAULT_PROPAGATION_PS_PER_KM
from sanlab.scenario.base import (
    MAX_CREDIT,
    Credit,
    Length,
    Name,
    Patterns,
    ScenarioModel,
    Size,
    Span,
    SpanOrNone,
    Speed,
    Time,
    also,
    refusal,
)
from sanlab.scenario.qos import SwitchQos
from sanlab.scenario.services import Modules, NewDomain, PortGroup, ZoningRules

Forwarding = Literal["cut-through", "store-and-forward"]
Routing = Literal["one-path", "ingress-port", "destination", "source-destination", "exchange"]

#: Ports of a switch: the address of an N_Port has 8 bits for the port (area) of its switch.
MAX_SWITCH_PORTS = 256


#: Largest difference in length that the deskew of a trunk corrects (Brocade: at most 550 m).
MAX_SKEW_MM = 550_000
#: Virtual channels of a link (FC-FS: extended receiver-ready has 16).
MAX_CHANNELS = 16
#: Members of a trunk: 8 links of one port group at Brocade, 16 in a port channel at Cisco.
MAX_MEMBERS = 16


def _is_yes_or_no(value: object) -> object:
    """Refuse a number of links, which `count` gives."""
    if isinstance(value, int) and not isinstance(value, bool):
        raise refusal(
            reason=f"'{value}' is not true or false", remedy=f"Write 'count: {value}, trunk: true'"
        )
    return value


class ChannelCounts(ScenarioModel):
    """Virtual channels of each priority, as of the QoS links of Brocade: 5, 4 and 2."""

    shared: Annotated[int, Field(ge=1, le=MAX_CHANNELS)] | None = None
    """Channels that all priorities share, instead of some for each: `virtual_channels: 4`."""
    high: Annotated[int, Field(ge=1, le=MAX_CHANNELS)] = 5
    """Channels of high priority."""
    medium: Annotated[int, Field(ge=1, le=MAX_CHANNELS)] = 4
    """Channels of medium priority."""
    low: Annotated[int, Field(ge=1, le=MAX_CHANNELS)] = 2
    """Channels of low priority."""

    @property
    def count(self) -> int:
        """Channels in all."""
        return self.shared or self.high + self.medium + self.low

    @model_validator(mode="after")
    def _are_not_too_many(self) -> ChannelCounts:
        if self.count > MAX_CHANNELS:
            raise refusal(
                reason=f"{self.count} virtual channels are more than a link has",
                remedy=f"Give at most {MAX_CHANNELS} in all",
                key="high",
            )
        return self


def as_shared(value: object) -> object:
    """Read a number as channels that all priorities share."""
    return {"shared": value} if isinstance(value, int) else value


class HoldTime(ScenarioModel):
    """How long a frame may wait at an output of a switch before it is discarded."""

    edge: SpanOrNone | None = None
    """At a port with a host or an array; `none`: indefinitely."""
    core: SpanOrNone | None = None
    """At a port to another switch."""


def as_both(value: object) -> object:
    """Read one time as that of both kinds of port."""
    return {"edge": value, "core": value} if isinstance(value, int | str) else value


def _as_pool(value: object) -> object:
    return {"frames": value} if isinstance(value, int) else value


class BufferPool(ScenarioModel):
    """Receive buffers that the ports of one chip share."""

    frames: Annotated[int, Field(ge=1, le=1_000_000)]
    """Buffers of the pool: those reserved for its ports, `reserved`, and those for long links."""
    ports: Annotated[int, Field(ge=1, le=MAX_SWITCH_PORTS)] | None = None
    """Ports that share one pool, in order of their numbers; all ports by default."""
    reserved: Annotated[int, Field(ge=0, le=MAX_CREDIT)] | None = None
    """Buffers reserved for each port, with a link or without; `bb_credit` by default."""


class Switch(ScenarioModel):
    """A switch, or a group of equal switches."""

    name: Name
    """Its name; `sw[1..4]` makes four."""
    model: str | None = None
    """Entry of the catalog that gives the values not written here."""
    domain: Annotated[int, Field(ge=1, le=239)] | None = None
    """Domain id; the lowest free one by default."""
    ports: Annotated[int, Field(ge=1, le=MAX_SWITCH_PORTS)] | None = None
    """Ports, numbered from 0."""
    speed: Speed | None = None
    """Speed its ports are set to; without it they take the highest the other end has too."""
    bb_credit: Credit | None = None
    """Receive buffers of each port, which it grants as BB credit."""
    isl_bb_credit: Credit | None = None
    """BB credit that a port grants to another switch. By default `bb_credit` if that is written, or
    that of the model: many switches have more buffers for such links."""
    virtual_channels: Annotated[
        ChannelCounts | None, BeforeValidator(as_shared), also({"type": "integer"})
    ] = None
    """Virtual channels of its links to switches that have as many, where the link gives neither
    `bb_credit` nor `long_distance`. Those of the model by default; 1 is none."""
    forwarding: Forwarding | None = None
    """Whether a frame is forwarded after its header or after its last bit."""
    latency: Time | None = None
    """Time from the header or the last bit of a frame to its first bit on an idle output."""
    routing: Routing | None = None
    """Choice among paths of equal cost."""
    hold_time: Annotated[HoldTime | None, BeforeValidator(as_both), also({"type": "string"})] = None
    """How long a frame may wait at an output before it is discarded: one time, or `edge` and `core`
    apart; `none`: indefinitely."""
    no_credit_drop: SpanOrNone | None = None
    """Time without credit after which a port with a host or an array discards its frames until
    credit is back; `none`, the default, waits for the hold time."""
    buffer_pool: Annotated[
        BufferPool | None, BeforeValidator(_as_pool), also({"type": "integer"})
    ] = None
    """Buffers that its ports share: a number, or an entry. A link with `long_distance` takes what
    it needs from the pool. That of the model by default; without any, each port has its own."""
    domain_fixed: bool = False
    """The switch keeps its domain: a link to a switch with the same domain is isolated."""
    zoning_rules: ZoningRules | None = None
    """How the switch merges a neighbour's different zoning. `brocade`: both must be equal.
    `mcdata`: sets and zones of the same name must be equal. `qlogic`: the union, if zones of the
    same name are equal. `yields`: the switch adopts the neighbour's zoning."""
    loop_ports: bool | None = None
    """Whether its ports can be on a loop (FL_Ports) and support loop-only devices."""
    port_groups: list[PortGroup] = Field(default_factory=list)
    """Ports with other settings."""
    e_d_tov: Span | None = None
    """Error detect time-out; that of the `fabric` by default. Both ends must agree."""
    r_a_tov: Span | None = None
    """Resource allocation time-out; that of the `fabric` by default. Both must agree."""
    max_domains: Annotated[int, Field(ge=1, le=239)] = 239
    """Most domains in its fabric; a further switch is isolated."""
    new_domain: NewDomain | None = None
    """Changes of its domain during the run."""
    modules: Modules | None = None
    """Redundant modules; without it the switch is one piece."""

    @model_validator(mode="after")
    def _insists_on_something(self) -> Switch:
        if self.domain_fixed and self.domain is None:
            raise refusal(
                reason="'domain_fixed' needs a domain",
                remedy="Add 'domain: 1'",
                key="domain_fixed",
            )
        return self

    qos: SwitchQos | None = None
    """How its ports apply limits and priorities."""


def _read_al_pa(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch("[0-9A-Fa-f]{2}", value):
        raise refusal(
            reason=f"'{value}' is not an AL_PA",
            remedy="Write two hexadecimal digits in quotes, such as '01'",
        )
    return value


class LongDistance(ScenarioModel):
    """How much credit a long link takes from the buffer pools at its ends."""

    distance: Length | None = None
    """The distance that the credit is for; the length of the link by default."""
    frame: Annotated[Size, Field(ge=36, le=2148)] = 2148
    """Mean size of a frame from SOF to EOF; smaller frames need more credit."""
    extra: Annotated[int, Field(ge=0, le=1000)] = 6
    """Buffers besides, for traffic of the fabric."""


def _as_long_distance(value: object) -> object:
    if isinstance(value, bool):
        return {} if value else None
    return value


#: Data of accelerated writes that the far end of a link has room for.
MAX_ACCELERATION_BUFFER = 2**40


class WriteAcceleration(ScenarioModel):
    """How the ends of a long link accelerate writes."""

    by: str = "generic"
    """Entry of the catalog of acceleration; `sanlab catalog acceleration` lists products."""
    buffer: Annotated[Size, Field(ge=1, le=MAX_ACCELERATION_BUFFER)] | None = None
    """Data of writes, in each direction, that the far end has room for; writes beyond are not
    accelerated. That of the entry by default."""


def _as_acceleration(value: object) -> object:
    if isinstance(value, bool):
        return {} if value else None
    return {"by": value} if isinstance(value, str) else value


class Link(ScenarioModel):
    """One or many links from one end to another."""

    from_: Patterns = Field(alias="from")
    """Port (`host1.hba0.p0`, `sw1.3`, `dev1.p0`), or box (`host1`): its next free port."""
    to: Patterns
    """The other end; on a stack its loop and the enclosure, `stack.a.top`, `stack.b.bottom`,
    `stack.a.2`. Equal numbers pair one to one; a single end pairs with all others."""
    length: Length = 10_000
    """Length of the fibre; 10m by default."""
    speed: Speed | None = None
    """Speed; by default the highest that both ends support."""
    count: Annotated[int, Field(ge=1, le=256)] = 1
    """Number of parallel links for each pair of ends."""
    trunk: Annotated[bool, BeforeValidator(_is_yes_or_no)] = False
    """The parallel links act as one: each frame uses the member that is free first."""
    skew: Length | None = None
    """How much longer the longest cable of a trunk is than `length`. Frames on the shorter cables
    are delayed so that all frames stay in order."""
    virtual_channels: Annotated[
        ChannelCounts | None, BeforeValidator(as_shared), also({"type": "integer"})
    ] = None
    """Virtual channels between switches, each with its part of the BB credit: a number for all
    frames, or a number for each priority. By default those of the switches."""
    bb_credit: Credit | None = None
    """BB credit that both ends grant on this link, instead of the credit of their ports."""
    bb_credit_from: Credit | None = None
    """BB credit the `from` end grants."""
    bb_credit_to: Credit | None = None
    """BB credit the `to` end grants."""
    long_distance: Annotated[
        LongDistance | None, BeforeValidator(_as_long_distance), also({"type": "boolean"})
    ] = None
    """The ends on switches with a `buffer_pool` grant the credit that the link needs to be full:
    `true`, or an entry. Without it they grant `bb_credit`."""
    write_acceleration: Annotated[
        WriteAcceleration | None,
        BeforeValidator(_as_acceleration),
        also({"type": ["boolean", "string"]}),
    ] = None
    """Between switches: the near end asks for the data of a write in place of its target, and the
    far end keeps them until the target asks for them, so that a write needs one round trip over the
    link. `true`, a product by its name in the catalog, or an entry; off by default."""
    al_pa: Annotated[str, BeforeValidator(_read_al_pa)] | None = None
    """AL_PA of the port on a stack's loop, in hexadecimal; by default the free one with the highest
    priority."""
    gap: Annotated[Size, Field(le=4096)] = 24
    """Bytes of fill words between frames; 6 words of 4 bytes by the standard (FC-FS)."""
    propagation: Time = DEFAULT_PROPAGATION_PS_PER_KM
    """Delay of one kilometre of this fibre; 5us by default."""
    fspf_cost: Annotated[int, Field(ge=1, le=65_535)] | None = None
    """FSPF cost between switches; 1.0625e12 / signalling rate by default."""

    connected: Time = 0
    """When it is plugged in; from the start by default."""
    optional: bool = False
    """The link may stay down: ends without a common speed are a warning, not an error."""
    trunking: bool = True
    """Between switches: the link carries all VSANs. Without it, the VSAN of its two ports."""

    @model_validator(mode="after")
    def _is_a_trunk(self) -> Link:
        if self.trunk and not 1 < self.count <= MAX_MEMBERS:
            raise refusal(
                reason=f"A trunk has several members, and 'count' is {self.count}",
                remedy=f"Give 'count' from 2 to {MAX_MEMBERS}",
                key="trunk",
            )
        if self.skew is not None and not self.trunk:
            raise refusal(
                reason="'skew' has no effect without 'trunk'",
                remedy="Remove 'skew', or add 'trunk: true'",
                key="skew",
            )
        if self.skew is not None and self.skew > MAX_SKEW_MM:
            raise refusal(
                reason="The cables of the trunk differ by more than its deskew can correct",
                remedy="The limit is 550m",
                key="skew",
            )
        return self

    @model_validator(mode="after")
    def _has_one_credit(self) -> Link:
        if self.bb_credit is not None and (self.bb_credit_from, self.bb_credit_to) != (None, None):
            raise refusal(
                reason="'bb_credit' is given together with 'bb_credit_from' or 'bb_credit_to'",
                remedy="Give one credit for both directions, or one for each",
                key="bb_credit",
            )
        written = (self.bb_credit, self.bb_credit_from, self.bb_credit_to)
        if self.long_distance is not None and written != (None, None, None):
            raise refusal(
                reason="'long_distance' is given together with a BB credit",
                remedy="Remove one of them: 'long_distance' computes the credit",
                key="long_distance",
            )
        return self
