"""What goes wrong in a run, and when."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from sanlab.scenario.base import ScenarioModel, Span, Time, refusal

#: Time a loop needs to initialise after a LIP, where nothing else is said: hosts of the time show
#: gaps of 0.1 to 2 s. Uncertain.
DEFAULT_PAUSE_PS = 200 * 10**9

Kind = Literal["noisy-disk", "stuck-disk", "pull-disk", "insert-disk", "power-loss"]
_LASTING = ("noisy-disk", "stuck-disk")


class Fault(ScenarioModel):
    """A fault of a stack of enclosures.

    `noisy-disk`: a disk asks for a LIP again and again until it is bypassed. `stuck-disk`: it holds
    the loop until it is bypassed. `pull-disk`, `insert-disk`: one LIP each. `power-loss`: an
    enclosure goes dark; what lies above and below it goes on by itself. A loop switch keeps LIPs
    from all but the disk that asks for them.
    """

    kind: Kind
    """What happens."""
    stack: str
    """The stack it happens to."""
    at: Time
    """When."""
    disk: Annotated[int, Field(ge=1)] | None = None
    """The disk, by its number."""
    enclosure: Annotated[int, Field(ge=1)] | None = None
    """The enclosure that loses its power, from the top."""
    until: Time | None = None
    """When a noisy or stuck disk is bypassed."""
    every: Span = 10**12
    """Time from one LIP of a noisy disk to the next, 1s where it is left out."""
    pause: Span = DEFAULT_PAUSE_PS
    """Time a loop takes to initialise, 200ms where it is left out."""

    @model_validator(mode="after")
    def _says_what_it_needs(self) -> Fault:
        wanted = "enclosure" if self.kind == "power-loss" else "disk"
        other = "disk" if wanted == "enclosure" else "enclosure"
        if getattr(self, wanted) is None:
            raise refusal(
                reason=f"'{self.kind}' does not say which {wanted}",
                remedy=f"Add '{wanted}: 1'",
                key="kind",
            )
        if getattr(self, other) is not None:
            raise refusal(
                reason=f"'{self.kind}' happens to one {wanted}",
                remedy=f"Remove '{other}'",
                key=other,
            )
        if self.kind in _LASTING and self.until is None:
            raise refusal(
                reason=f"'{self.kind}' does not say when the disk is bypassed",
                remedy="Add 'until'",
                key="kind",
            )
        if self.until is not None and self.kind not in _LASTING:
            raise refusal(
                reason=f"'{self.kind}' happens at once", remedy="Remove 'until'", key="until"
            )
        if self.until is not None and self.until <= self.at:
            raise refusal(
                reason="The fault ends before it begins", remedy="Make 'until' later", key="until"
            )
        return self
