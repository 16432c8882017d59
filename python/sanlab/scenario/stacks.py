"""Stacks of disk enclosures on arbitrated loops: JBOD, and SBOD with a crossbar in each."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from sanlab.scenario.arrays import Disk
from sanlab.scenario.base import (
    Length,
    Name,
    Patterns,
    ScenarioModel,
    Speed,
    also,
    refusal,
)
from sanlab.scenario.caches import Commands

#: The highest delay a port may have by the standard, in transmission words (INCITS 332, FC-AL-2).
MOST_PORT_WORDS = 12
#: Number of frames in a row that means no limit.
MOST_FRAMES = 1_000_000

Words = Annotated[int, Field(ge=1, le=1000)]
FewWords = Annotated[int, Field(ge=0, le=1000)]


class LoopPort(ScenarioModel):
    """Behaviour of a port on its loop; defaults come from the model of the stack."""

    delay: Annotated[int, Field(ge=1, le=MOST_PORT_WORDS)] | None = None
    """Delay of repeated words, in transmission words; at most 12 by the standard."""
    fair: bool | None = None
    """Whether it follows the access fairness rule."""
    transfer: bool | None = None
    """Whether it opens its next partner without a new arbitration if allowed (TRANSFER)."""
    full_duplex: bool | None = None
    """Whether the circuits it opens are full duplex."""
    login_credit: Annotated[int, Field(ge=0, le=255)] | None = None
    """Login BB_Credit: frames it accepts when it is opened, before any R_RDY."""
    buffers: Annotated[int, Field(ge=1, le=65_535)] | None = None
    """Receive buffers for frames."""
    tenancy: Annotated[int, Field(ge=1, le=MOST_FRAMES)] | None = None
    """Frames it sends in a row before it checks whether other ports arbitrate."""
    public: bool | None = None
    """Whether it logs in to the fabric if a switch port is on its loop. A private device is reached
    only by devices on its loop."""

    @model_validator(mode="after")
    def _credit_has_buffers(self) -> LoopPort:
        login, buffers = self.login_credit, self.buffers
        if login is not None and buffers is not None and login > buffers:
            raise refusal(
                reason=f"'login_credit' is {login} frames, and the port has only {buffers} buffers",
                remedy="Raise 'buffers', or lower 'login_credit'",
                key="login_credit",
            )
        return self


_NUMBER = re.compile("[0-9]{1,9}")


def _read_span(value: object) -> object:
    """Read `all`, `last`, `rest`, a number or a range of enclosures."""
    if (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, str) and _NUMBER.fullmatch(value.strip())
    ):
        value = f"{value}..{value}"
    if isinstance(value, str) and value in {"all", "last", "rest"}:
        return value
    if isinstance(value, str):
        first, dots, last = value.partition("..")
        if dots and _NUMBER.fullmatch(first.strip()) and _NUMBER.fullmatch(last.strip()):
            low, high = int(first), int(last)
            if 1 <= low <= high:
                return f"{low}..{high}"
    raise refusal(
        reason=f"'{value}' names no enclosures",
        remedy="Write 'all', 'last', 'rest' (all but the last), a number or a range such as '1..3'",
    )


Span = Annotated[
    str,
    BeforeValidator(_read_span),
    WithJsonSchema({"type": ["string", "integer"], "examples": ["last", "1..3"]}),
]


class StackPath(ScenarioModel):
    """Which initiators drive the disks of some enclosures."""

    enclosures: Span = "all"
    """`all`, `last`, `rest` for all but the last, a number or a range; the first rule that fits
    an enclosure is used."""
    via: Patterns
    """Ports of hosts, `host1.hba0.p0`; the disks take them in turn."""


def _read_number(value: object) -> object:
    """Read the number of a disk: keys of a mapping come as text."""
    return int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value


def _as_disk(value: object) -> object:
    return {"model": value} if isinstance(value, str) else value


class Stack(ScenarioModel):
    """Disk enclosures cabled in a row; each disk is on every loop of the stack."""

    name: Name
    """Its name; its disks are the LUNs `stack.disk1`, `stack.disk2` and so on from the top."""
    model: str
    """Entry of the catalog of enclosures: `rs-1600-jbod`, `rs-1600-sbod`."""
    enclosures: Annotated[int, Field(ge=1, le=16)] = 1
    """Enclosures, counted from the top."""
    disks: Annotated[int, Field(ge=0, le=2000)] | None = None
    """Disks, filled in from the first bay of the top enclosure; every bay by default."""
    disk: Annotated[Disk | None, BeforeValidator(_as_disk), also({"type": "string"})] = None
    """Model of its disks: a name in the catalog, or keys that change a model."""
    queue_depth: Commands | None = None
    """Commands a disk holds before it answers TASK SET FULL."""
    loops: Annotated[int, Field(ge=1, le=2)] | None = None
    """Loops, called a and b."""
    speed: Speed | None = None
    """Speed of the loops."""
    cable: Length = 1_000
    """Length of the cable from one enclosure to the next; 1m by default."""
    strings: Annotated[int, Field(ge=1, le=16)] | None = None
    """Links in parallel between two neighbouring enclosures with a crossbar, for each loop."""
    initiator: LoopPort | None = None
    """Behaviour of host ports on the loops."""
    target: LoopPort | None = None
    """Behaviour of disks on the loops."""
    devices: dict[str, LoopPort] = Field(default_factory=dict)
    """Behaviour of single devices, `disk3`, `host1.hba0.p0` or a port of a switch, `switch1.3`.
    Values not written are those of `initiator` or `target`; those of a switch port are: not fair,
    `login_credit: 0`, 6 words of delay, and as many `buffers` as its BB credit."""
    bypass: FewWords | None = None
    """Delay of an empty bay on a shared loop, in transmission words."""
    retimer: FewWords | None = None
    """Delay of an enclosure itself on a shared loop, in transmission words; counted once on the way
    down and once on the way back."""
    crossbar: Words | None = None
    """Delay of a crossbar, in transmission words."""
    hard_addresses: dict[Annotated[int, BeforeValidator(_read_number)], str] = Field(
        default_factory=dict
    )
    """AL_PAs of single disks, in hexadecimal by number of the disk. The other disks take the free
    ones, from the lowest priority up."""
    paths: list[StackPath] = Field(default_factory=list)
    """Which initiators drive which disks, for workloads with `spread: paths`."""
