"""The rate of a workload over time: steps, ramps, a daily curve from a small table."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from sanlab.scenario.base import ScenarioModel, Share, Span, Time, refusal


class LoadPoint(ScenarioModel):
    """A point of a rate over time; `[2s, 50%]` for short."""

    at: Time
    """When, counted from the start of the job."""
    share: Share
    """Share of the rate of the workload."""


def _as_point(value: object) -> object:
    if not isinstance(value, list):
        return value
    if len(value) != 2:
        raise refusal(
            reason=f"A point of a load is a time and a share, and this has {len(value)} values",
            remedy="Write [2s, 50%]",
        )
    return {"at": value[0], "share": value[1]}


def _or_pair(schema: dict[str, JsonValue]) -> None:
    """Add the short form of a point to its JSON Schema."""
    whole = dict(schema)
    schema.clear()
    schema["anyOf"] = [whole, {"type": "array", "minItems": 2, "maxItems": 2}]


class Load(ScenarioModel):
    """Rate of a workload over time, as shares of its `rate_iops` or `rate`.

    A list of points for short.
    """

    points: Annotated[
        list[Annotated[LoadPoint, BeforeValidator(_as_point), Field(json_schema_extra=_or_pair)]],
        Field(min_length=1, max_length=10_000),
    ]
    """Points of time and share, `[[0s, 20%], [2s, 100%]]`, the first at 0s. The last share holds
    until the job stops."""
    shape: Literal["ramps", "steps"] = "ramps"
    """Between points, the rate follows straight lines (`ramps`; two points at one time are a
    step), or each share holds until the next point (`steps`)."""
    duration: Span | None = None
    """Simulated time of the whole table, from its first to its last point: 24h in 2.4s, for
    example. By default its own times."""
    repeat: bool = False
    """Whether the table begins again after its last point."""

    @property
    def table(self) -> list[tuple[int, int]]:
        """Points in simulated picoseconds and parts per million, connected by straight lines."""
        last = self.points[-1].at
        times = [
            point.at if self.duration is None else point.at * self.duration // last
            for point in self.points
        ]
        shares = [point.share for point in self.points]
        if self.shape == "ramps":
            return list(zip(times, shares, strict=True))
        table = [(times[0], shares[0])]
        for at, share in zip(times[1:], shares[1:], strict=True):
            table += [(at, table[-1][1]), (at, share)]
        return table

    @model_validator(mode="after")
    def _is_a_curve(self) -> Load:
        times = [point.at for point in self.points]
        if times[0] != 0:
            raise refusal(
                reason="The first point of the load is not at 0s",
                remedy="Begin with [0s, 0%] or another share",
                key="points",
            )
        for before, after in pairwise(self.points):
            if after.at < before.at:
                raise refusal(
                    reason="The points of the load are not in the order of time",
                    remedy="Sort them by time",
                    key="points",
                )
        for key, is_given in (("duration", self.duration is not None), ("repeat", self.repeat)):
            if is_given and times[-1] == 0:
                raise refusal(
                    reason=f"'{key}' has no effect on a load whose points are all at 0s",
                    remedy="Add a later point, or remove it",
                    key=key,
                )
        # In steps, the last point of a table that repeats only says where it ends.
        holds = self.points[:-1] if self.repeat and self.shape == "steps" else self.points
        if not any(point.share for point in holds):
            raise refusal(
                reason="The load has no share above 0%",
                remedy="Give one point a share such as 100%",
                key="points",
            )
        return self
