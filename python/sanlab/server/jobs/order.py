"""What a worker process is asked to do, and what it reports; both cross a pipe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Order:
    """A simulation, or a failure matrix.

    Attributes
    ----------
    workspace
        Folder that `runs/` is made in.
    text
        The scenario; `file` is the name its problems are reported under, `stem` names the run.
    pace
        Simulated seconds for each second of the clock; None is as fast as possible.
    fast_until_ps
        Simulated time up to which the pace does not count: it was simulated before.
    is_paused
        Whether the run waits when that time is reached.
    kinds, with_pairs
        Of a failure matrix.
    """

    kind: Literal["run", "failures"]
    workspace: str
    text: str
    file: str
    stem: str
    overrides: dict[str, str]
    seed: int | None = None
    pace: float | None = None
    fast_until_ps: int = 0
    is_paused: bool = False
    kinds: tuple[str, ...] = ()
    with_pairs: bool = False


@dataclass(frozen=True)
class Prepared:
    """The scenario is good; the simulation begins."""

    title: str
    end_ps: int | None
    workloads: list[str]


@dataclass(frozen=True)
class Names:
    """Names of the transmitters that samples count by place; a trunk's has the name of its port."""

    ports: list[str]


@dataclass(frozen=True)
class Progress:
    """How far it is; `is_held` says that it waits on request."""

    now_ps: int
    end_ps: int | None
    events: int
    is_held: bool = False


@dataclass(frozen=True)
class Sample:
    """Rates since the sample before, by place of the port or the workload.

    Attributes
    ----------
    ports
        Place, bytes sent per second of simulated time, share of the time without credit.
    workloads
        Place, I/Os per second, bytes per second.
    """

    at_ps: int
    ports: list[tuple[int, float, float]]
    workloads: list[tuple[int, float, float]]


@dataclass(frozen=True)
class Done:
    """The end: a run folder within the workspace, or a matrix."""

    folder: str | None
    is_complete: bool
    matrix: dict[str, Any] | None = None


@dataclass(frozen=True)
class Failed:
    """It could not be done: what `refusal.detail` says, and the problems of a scenario."""

    error: dict[str, Any]
    problems: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Stop:
    """End the simulation; its results are kept as a partial run, or dropped."""

    is_kept: bool = True


@dataclass(frozen=True)
class Drive:
    """Go on at this pace, or wait."""

    pace: float | None
    is_paused: bool
