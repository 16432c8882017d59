"""What goes wrong in a run, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from sanlab.scenario.base import Pattern, Rate, ScenarioModel, Span, Time, refusal

#: Default time a loop needs to initialise after a LIP: hosts of the time show gaps of 0.1 to 2 s.
#: Uncertain.
DEFAULT_PAUSE_PS = 200 * 10**9

StackKind = Literal["noisy-disk", "stuck-disk", "pull-disk", "insert-disk", "power-loss"]
Kind = Literal[
    StackKind,
    "link-down",
    "port-down",
    "switch-down",
    "hba-failure",
    "controller-failure",
    "drive-failure",
    "trunk-member",
    "slow-drain",
    "lost-credit",
    "bit-errors",
    "module-failure",
    "pull-module",
]


@dataclass(frozen=True, slots=True)
class _Keys:
    """Keys of a kind of fault: one of each group in `needs`, and any of `may`."""

    needs: tuple[tuple[str, ...], ...]
    may: tuple[str, ...] = ()
    is_timed: bool = True


_OUTAGE = ("until", "mtbf", "mttr")
_LINK = (("port", "between"),)
_KEYS = {
    "noisy-disk": _Keys((("stack",), ("disk",), ("until",)), ("every", "pause")),
    "stuck-disk": _Keys((("stack",), ("disk",), ("until",)), ("every", "pause")),
    "pull-disk": _Keys((("stack",), ("disk",)), ("every", "pause")),
    "insert-disk": _Keys((("stack",), ("disk",)), ("every", "pause")),
    "power-loss": _Keys((("stack",), ("enclosure",)), ("every", "pause")),
    "link-down": _Keys(_LINK, ("number", *_OUTAGE)),
    "port-down": _Keys((("port",),), _OUTAGE),
    "switch-down": _Keys((("switch",),), _OUTAGE),
    "hba-failure": _Keys((("host",),), ("hba", *_OUTAGE)),
    "controller-failure": _Keys((("array",),), ("controller", "ports", *_OUTAGE)),
    "drive-failure": _Keys((("array",), ("group",), ("drive",))),
    "trunk-member": _Keys(_LINK, ("number", "member", "until")),
    "slow-drain": _Keys((("port",), ("rate",)), ("until",)),
    "lost-credit": _Keys((("port",),), ("count",)),
    "module-failure": _Keys((("switch",), ("module",))),
    "pull-module": _Keys((("switch",), ("module",))),
    "bit-errors": _Keys((*_LINK, ("ber",)), ("number",), is_timed=False),
}
_EXAMPLES = {
    "stack": "stack1",
    "disk": "1",
    "enclosure": "1",
    "until": "2s",
    "port": "sw1.3",
    "between": "[sw1, sw2]",
    "switch": "sw1",
    "module": "1",
    "host": "host1",
    "array": "dev1",
    "group": "g1",
    "drive": "1",
    "rate": "10MB/s",
    "ber": "1e-9",
}


def _read_ber(value: object) -> object:
    """Read a share of bits; return the mean number of bits for each inverted one."""
    remedy = "Write a share like '1e-9': one bit in 1,000,000,000"
    try:
        share = float(str(value))
    except ValueError as error:
        raise refusal(reason=f"'{value}' is not a share of bits", remedy=remedy) from error
    if not 1e-18 <= share <= 1e-4:
        raise refusal(
            reason=f"A bit error rate of '{value}' is out of range",
            remedy="Write a value in 1e-18..1e-4",
        )
    return round(1 / share)


BitErrorInterval = Annotated[
    int,
    BeforeValidator(_read_ber),
    WithJsonSchema({"type": ["number", "string"], "examples": ["1e-9"]}),
]


class Fault(ScenarioModel):
    """Something that goes wrong.

    Of a stack of enclosures. `noisy-disk`: a disk causes a LIP again and again until it is
    bypassed. `stuck-disk`: it holds the loop until it is bypassed. `pull-disk`, `insert-disk`: one
    LIP each. `power-loss`: an enclosure loses power; the parts of the stack above and below it
    continue without it. A loop switch sends a LIP only to the disk that caused it.

    Of the fabric. `link-down`: a cable is pulled. `port-down`: a port is disabled. `switch-down`,
    `hba-failure`, `controller-failure`: all their ports lose light, and a controller also loses its
    processors and its cache. `trunk-member`: one cable of a trunk is pulled. These last `until` an
    instant or to the end of the run, or start and end at random with `mtbf` and `mttr`.
    `slow-drain`: a port empties its receive buffers slowly.
    `lost-credit`: the next `count` R_RDYs for a port get lost. `bit-errors`: bits on a link arrive
    inverted during the whole run. `module-failure`, `pull-module`: a switch loses one of its
    `modules` permanently.

    Of an array. `drive-failure`: a drive of a RAID group fails permanently, like one
    of its `failed_drives`; the group's `rebuild` puts a spare in its place.
    """

    kind: Kind
    """Kind of fault."""
    at: Time | None = None
    """When."""
    until: Time | None = None
    """When it ends: a noisy or stuck disk is bypassed, a link carries frames again."""
    mtbf: Span | None = None
    """Mean time between the end of an outage and the next, exponential; instead of `at`."""
    mttr: Span | None = None
    """Mean length of an outage, exponential."""
    port: str | None = None
    """Port of a host, an array or a switch, `host1.hba0.p0`, `sw1.3`: the link at it."""
    between: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    """Two boxes: all links between them."""
    number: Annotated[int, Field(ge=1)] | None = None
    """Which of these links, from 1, in the order of the file."""
    member: Annotated[int, Field(ge=1, le=256)] | None = None
    """Which cable of a trunk, from 1; the first by default."""
    switch: str | None = None
    """The switch that goes down, or loses a module."""
    module: Annotated[int, Field(ge=1)] | None = None
    """The module, by its number."""
    host: str | None = None
    """The host whose HBA fails."""
    hba: str | None = None
    """Its HBA; all by default."""
    array: str | None = None
    """The array whose controller or drive fails."""
    group: str | None = None
    """The RAID group whose drive fails; `pool` for the pool of the array."""
    drive: Annotated[int, Field(ge=0, le=254)] | None = None
    """The drive, by its place in the group, from 0."""
    controller: str | None = None
    """The controller that fails, `c0`; all by default."""
    ports: list[Pattern] | None = None
    """All ports of that controller, instead of its name."""
    rate: Rate | None = None
    """Rate at which a slow port empties its receive buffers."""
    count: Annotated[int, Field(ge=1, le=65_535)] = 1
    """R_RDYs that get lost, at most as many as the port has credits left."""
    ber: BitErrorInterval | None = None
    """Bit error rate, 1e-12 at most by the standard."""
    stack: str | None = None
    """The stack it happens to."""
    disk: Annotated[int, Field(ge=1)] | None = None
    """The disk, by its number."""
    enclosure: Annotated[int, Field(ge=1)] | None = None
    """The enclosure that loses its power, from the top."""
    every: Span = 10**12
    """Time from one LIP of a noisy disk to the next; 1s by default."""
    pause: Span = DEFAULT_PAUSE_PS
    """Time a loop takes to initialise; 200ms by default."""

    @property
    def is_of_stack(self) -> bool:
        """Whether it happens to a stack of enclosures."""
        return ("stack",) in _KEYS[self.kind].needs

    @model_validator(mode="after")
    def _says_what_it_needs(self) -> Fault:
        keys = _KEYS[self.kind]
        for choices in keys.needs:
            if all(getattr(self, key) is None for key in choices):
                first = choices[0]
                raise refusal(
                    reason=f"'{self.kind}' needs {_QUESTIONS.get(first, first)}",
                    remedy=f"Add '{first}: {_EXAMPLES[first]}'",
                    key="kind",
                )
        known = {key for choices in keys.needs for key in choices} | set(keys.may)
        foreign = (self.model_fields_set - known) - {"kind", "at"}
        for key in sorted(foreign):
            raise refusal(
                reason=f"'{key}' has no effect with '{self.kind}'",
                remedy=f"Remove '{key}'; allowed are {', '.join(sorted(known))}",
                key=key,
            )
        self._has_one_place()
        self._has_its_time(is_timed=keys.is_timed)
        return self

    def _has_one_place(self) -> None:
        if self.controller is not None and self.ports is not None:
            raise refusal(
                reason="The controller is named twice, by 'controller' and by 'ports'",
                remedy="Keep one of them",
                key="ports",
            )
        if self.port is not None and self.between is not None:
            raise refusal(
                reason="The link is named twice, by 'port' and by 'between'",
                remedy="Keep one of them",
                key="between",
            )
        if self.number is not None and self.between is None:
            raise refusal(
                reason="'number' counts the links between two boxes",
                remedy="Add 'between: [sw1, sw2]', or remove 'number'",
                key="number",
            )

    def _has_its_time(self, *, is_timed: bool) -> None:
        is_random = self.mtbf is not None or self.mttr is not None
        if is_random and (self.mtbf is None or self.mttr is None):
            missing = "mtbf" if self.mtbf is None else "mttr"
            raise refusal(
                reason="Outages at random need both 'mtbf' and 'mttr'",
                remedy=f"Add '{missing}'",
                key="mttr" if self.mtbf is None else "mtbf",
            )
        if is_random and (self.at is not None or self.until is not None):
            raise refusal(
                reason="The fault has both a time and a random rate",
                remedy="Keep 'at', or 'mtbf' and 'mttr'",
                key="mtbf",
            )
        if is_timed and not is_random and self.at is None:
            raise refusal(reason=f"'{self.kind}' needs a time", remedy="Add 'at: 1s'", key="kind")
        if not is_timed and self.at is not None:
            raise refusal(
                reason=f"'{self.kind}' lasts for the whole run, so it takes no time",
                remedy="Remove 'at'",
                key="at",
            )
        if self.until is not None and self.at is not None and self.until <= self.at:
            raise refusal(
                reason="The fault ends before it begins", remedy="Make 'until' later", key="until"
            )


_QUESTIONS = {
    "stack": "a stack",
    "disk": "a disk",
    "enclosure": "an enclosure",
    "until": "the time when the disk is bypassed",
    "port": "a link",
    "switch": "a switch",
    "module": "a module",
    "host": "a host",
    "array": "an array",
    "group": "a RAID group",
    "drive": "a drive",
    "rate": "a rate",
    "ber": "a bit error rate",
}
