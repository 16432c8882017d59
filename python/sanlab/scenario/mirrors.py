"""Copies of the writes to a LUN on another array."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from sanlab.scenario.base import (
    Exchanges,
    LunSize,
    Pattern,
    Rate,
    ScenarioModel,
    Size,
    Span,
    refusal,
)


class Mirror(ScenarioModel):
    """Copy of every write to a LUN of another array."""

    to: Pattern
    """`dev3.lun1`; a group pairs with the group of this LUN."""
    mode: Literal["synchronous", "asynchronous"] = "synchronous"
    """Whether the host's write waits for the copy."""
    max_outstanding: Exchanges = 64
    """Most copies in progress at once."""
    protocol: str = "fcp-write"
    """Entry of the catalog of replication, which says whether a copy needs two round trips
    (`fcp-write`) or one (`single-round-trip`); `sanlab catalog replication` lists products."""
    journal: LunSize | None = None
    """Journal or cache space for writes of an asynchronous mirror whose copy is not done. A write
    is acknowledged when it has room there; an empty journal takes a write of any length. Without
    it, a write is acknowledged when its copy begins, at most `max_outstanding` at once."""
    when_full: Literal["suspend", "wait"] | None = None
    """What happens when the journal is full. `suspend`, the default: copying ends and writes go on,
    as with SRDF/A without host throttle. `wait`: writes wait for room, as with inflow control of
    Hitachi and HP XP arrays."""
    resume_after: Span | None = None
    """Time after which a suspended mirror goes on, as if someone resumed it then. It marks the
    regions written meanwhile and copies them. Without it, it stays suspended."""
    region: Annotated[Size, Field(ge=512, le=2**40)] | None = None
    """Size of a region, which is copied as a whole; 64KiB by default."""
    resync_rate: Rate | None = None
    """Highest rate at which marked regions are copied; without it, only `max_outstanding` limits
    it."""
    from_port: str | None = None
    """Port the copies leave by, `p0`."""
    to_port: str | None = None
    """Port they go to, `p0`."""

    @model_validator(mode="after")
    def _has_a_journal_to_fill(self) -> Mirror:
        if self.journal is not None and self.mode == "synchronous":
            raise refusal(
                reason="'journal' has no effect with 'mode: synchronous'",
                remedy="Remove 'journal', or write 'mode: asynchronous'",
                key="journal",
            )
        if self.when_full is not None and self.journal is None:
            raise refusal(
                reason="'when_full' has no effect without 'journal'",
                remedy="Add 'journal', or remove 'when_full'",
                key="when_full",
            )
        return self

    @model_validator(mode="after")
    def _resumes_what_is_suspended(self) -> Mirror:
        if self.resume_after is not None and (self.journal is None or self.when_full == "wait"):
            raise refusal(
                reason="'resume_after' has no effect on a mirror that is never suspended",
                remedy="Add 'journal' with 'when_full: suspend', or remove 'resume_after'",
                key="resume_after",
            )
        for key in ("region", "resync_rate"):
            if getattr(self, key) is not None and self.resume_after is None:
                raise refusal(
                    reason=f"'{key}' has no effect without 'resume_after'",
                    remedy=f"Add 'resume_after', or remove '{key}'",
                    key=key,
                )
        return self
