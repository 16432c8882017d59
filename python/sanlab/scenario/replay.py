"""A block trace that a workload replays."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from sanlab.scenario.base import ScenarioModel, refusal
from sanlab.traces.formats import TraceKind, TraceUnit

_WHOLE_PPM = 1_000_000
#: Keys that a trace gives, or that would change it.
WITHOUT_TRACE = (
    *("access", "spc1", "rw", "bs", "rwmixread", "random_distribution", "thinktime"),
    *("time_based", "rate", "rate_iops", "arrivals", "load", "size", "io_size", "loops"),
    *("numjobs", "first_write"),
)


def _one_or_more(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Trace(ScenarioModel):
    """A block trace: each of its devices is replayed on one LUN, with its addresses and sizes."""

    file: Annotated[str, Field(min_length=1, max_length=1000)]
    """Its file; a relative name begins at the folder of the scenario."""
    format: TraceKind | None = None
    """Its format; recognised by its contents by default."""
    time_unit: TraceUnit | None = None
    """Unit of its times; that of the format by default."""
    replay: Literal["timed", "asap", "closed"] = "timed"
    """Each request at its recorded time, as soon as `iodepth` allows, or as soon as no more
    requests are open than were when it came in the trace."""
    speed: Annotated[float, Field(ge=0.001, le=1_000_000, allow_inf_nan=False)] = 1
    """How many times as fast as recorded; `replay_time_scale` of fio, in percent."""
    devices: Annotated[
        Annotated[list[str], Field(min_length=1)] | None, BeforeValidator(_one_or_more)
    ] = None
    """Devices of the trace, in the order of the targets they are replayed on; by default all, in
    the order of their first requests."""

    @property
    def speed_ppm(self) -> int:
        """The speed, in parts per million of that of the trace."""
        return round(self.speed * _WHOLE_PPM)

    @model_validator(mode="after")
    def _holds_together(self) -> Trace:
        if self.replay != "timed" and "speed" in self.model_fields_set:
            raise refusal(
                reason=f"'speed' has no effect with 'replay: {self.replay}'",
                remedy="Write 'replay: timed', or remove 'speed'",
                key="speed",
            )
        devices = self.devices or []
        twice = next((name for name in devices if devices.count(name) > 1), None)
        if twice is not None:
            raise refusal(
                reason=f"'{twice}' is named twice", remedy="Name each device once", key="devices"
            )
        return self


def as_trace(value: object) -> object:
    """Accept the name of a file alone."""
    return {"file": value} if isinstance(value, str) else value
