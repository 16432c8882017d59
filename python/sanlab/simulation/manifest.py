"""The manifest of a run: versions, seed, fingerprint, duration and checks."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

#: Version of the run folder; a reader refuses a newer one than it knows.
FORMAT = 3


class Check(BaseModel):
    """One of the engine's own checks, such as conservation of frames."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str
    checked_count: int = 0
    is_ok: bool


class Manifest(BaseModel):
    """The description of a run folder, read first.

    Attributes
    ----------
    simulated_ps
        Simulated time, in picoseconds.
    setup_s
        Wall time before the first event, in seconds: of reading the scenario, compiling the plan
        and building the world.
    wall_s
        Wall time of the simulation, in seconds.
    frame_hops
        Frames times the links each of them crossed.
    is_complete
        False if the run was stopped before its end; its numbers cover the time until then.
    overrides
        Changes of `scenario.yaml` by `--set`, as path and value.
    measured
        Of a measurement: version and command of fio, machine, places of the LUNs; None for a
        simulated run.
    digests
        Digest of `plan.json` and of each table, by file: BLAKE2b with 128 bits.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    format: int = FORMAT
    sanlab_version: str
    title: str
    scenario_file: str
    overrides: dict[str, str] = Field(default_factory=dict)
    seed: int
    fingerprint: str
    simulated_ps: NonNegativeInt
    setup_s: float = 0.0
    wall_s: float
    events: NonNegativeInt
    frames: NonNegativeInt = 0
    frame_hops: NonNegativeInt = 0
    events_per_frame_hop: float | None = None
    is_complete: bool
    checks: tuple[Check, ...] = ()
    tables: tuple[str, ...] = ()
    measured: dict[str, Any] | None = None
    digests: dict[str, str] = Field(default_factory=dict)


@cache
def sanlab_version() -> str:
    """Version of the installed package; `0+unknown` where it runs from a bare source tree."""
    try:
        return version("sanlab")
    except PackageNotFoundError:
        return "0+unknown"
