"""Zoning: aliases, zones, zone sets, and which set is active when."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from sanlab.scenario.base import Patterns, ScenarioModel, Time, refusal

DefaultZone = Literal["none", "all"]
Enforcement = Literal["hard", "soft"]


def _one_set(value: object) -> object:
    if isinstance(value, list):
        raise refusal(
            reason=f"{len(value)} zone sets are named, and only one can be active",
            remedy="Name one; others can follow it with 'activate'",
        )
    return value


#: The name of one zone set.
SetName = Annotated[str, BeforeValidator(_one_set), WithJsonSchema({"type": "string"})]


class Activation(ScenarioModel):
    """A change of the active zone set."""

    at: Time
    """When."""
    set: SetName
    """The zone set."""


class Zoning(ScenarioModel):
    """Zoning, defined on some or all switches.

    A member is a port (`host1.hba0.p0`), a box (all its ports), an alias, a world-wide port name in
    hexadecimal, or a place in the fabric, `domain,port`. A place stands for the device that is
    plugged in there.
    """

    switches: Patterns | None = None
    """Switches it is defined on; all by default. Switches of one fabric merge their zoning."""
    vsan: Annotated[int, Field(ge=1, le=4093)] | None = None
    """The VSAN it applies to; all by default."""
    aliases: dict[str, Patterns] = Field(default_factory=dict)
    """Names for members."""
    zones: dict[str, Patterns] = Field(default_factory=dict)
    """Zones: their members see each other."""
    sets: dict[str, Patterns] = Field(default_factory=dict)
    """Zone sets: zones that are active together."""
    active: SetName | None = None
    """The zone set that is active at first; none by default."""
    default: DefaultZone = "none"
    """Whether ports in no active zone see each other."""
    enforcement: Enforcement = "hard"
    """`hard`: switches drop frames between ports that share no zone. `soft`: the name server hides
    them from each other, and a host that knows an address gets through."""
    activate: list[Activation] = Field(default_factory=list)
    """Zone sets that become active during the run."""

    @model_validator(mode="after")
    def _names_are_apart(self) -> Zoning:
        for kind, names in (("zones", self.zones), ("sets", self.sets)):
            for name in names:
                for other, taken in (("alias", self.aliases), ("zone", self.zones)):
                    if name in taken and names is not taken:
                        raise refusal(
                            reason=f"'{name}' is already the name of {_a(other)}",
                            remedy="Give aliases, zones and zone sets names of their own",
                            key=kind,
                        )
        return self


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def as_zonings(value: Any) -> Any:  # noqa: ANN401  whatever the file has there
    """Take a single zoning for a list of one."""
    return [value] if isinstance(value, dict) else value
