"""A laboratory for storage area networks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "Run",
    "Scenario",
    "ScenarioError",
    "Sweep",
    "__version__",
    "compile_plan",
    "load_scenario",
    "run",
    "sweep",
    "trace",
]

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sanlab.errors import ScenarioError
    from sanlab.plan.compile import compile_plan
    from sanlab.results.run import Run
    from sanlab.run.trace import trace
    from sanlab.scenario import Scenario
    from sanlab.scenario.load import load_scenario
    from sanlab.sweep.result import Sweep

#: Where each public name lives; imported on first use, so that `import sanlab` stays cheap.
_HOMES = {
    "Run": "sanlab.results.run",
    "Scenario": "sanlab.scenario",
    "ScenarioError": "sanlab.errors",
    "Sweep": "sanlab.sweep.result",
    "compile_plan": "sanlab.plan.compile",
    "load_scenario": "sanlab.scenario.load",
    "trace": "sanlab.run.trace",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401  any public name
    if name not in _HOMES:
        message = f"module 'sanlab' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOMES[name]), name)


# The verbs `run` and `sweep` are also names of packages. Importing those first settles who has the
# name here: Python sets it once, at the first import, and the functions below take their place.
import_module("sanlab.run")
import_module("sanlab.sweep")


def run(
    source: str | Path | Scenario,
    *,
    overrides: Mapping[str, str] | None = None,
    folder: str | Path | None = None,
    seed: int | None = None,
    show_progress: bool = False,
) -> Run:
    """Simulate a scenario, write its run folder and open it.

    Parameters
    ----------
    source
        A scenario file, or a scenario made in Python.
    overrides
        Values that replace those of the file, by path: `{"workloads.readers.iodepth": "32"}`.
    folder
        Where the run goes; it must not exist yet. Default: `runs/` and the name of the file.
    seed
        Replaces the seed of the scenario.
    show_progress
        Draw a progress line on standard error, if that is a terminal.

    Examples
    --------
    >>> import sanlab
    >>> done = sanlab.run("examples/hello-san/scenario.yaml")  # doctest: +SKIP
    >>> done.summary()["throughput_bytes_per_s"]  # doctest: +SKIP
    """
    from sanlab.results.run import run as simulate

    return simulate(
        source, overrides=overrides, folder=folder, seed=seed, show_progress=show_progress
    )


def sweep(  # noqa: PLR0913  one option each
    source: str | Path,
    parameters: Mapping[str, str | Sequence[object]] | None = None,
    *,
    points: str | Path | None = None,
    is_zipped: bool = False,
    random: int | None = None,
    repeats: int = 1,
    until: float | None = None,
    metric: str = "iops",
    max_repeats: int = 30,
    refine: str | None = None,
    max_points: int = 16,
    warm_up: str = "mser5",
    overrides: Mapping[str, str] | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    extend: bool = False,
    show_progress: bool = False,
) -> Sweep:
    """Simulate a scenario many times, with parameters varied, and open the data set.

    Points that are there already are not simulated again.

    Parameters
    ----------
    source
        A scenario file.
    parameters
        Values of each path: a list, or text such as `"1,2,4,..,256"`. All combinations are run.
    points
        A CSV file of points in place of `parameters`.
    is_zipped
        First values together, second values together, and so on, instead of all combinations.
    random
        As many points of a Latin hypercube over ranges such as `"1..256:log"`.
    repeats
        Seeds of each point; the first is the scenario's.
    until, metric, max_repeats
        Add repeats until the 95 % interval of `metric` is no wider on each side than this share of
        its mean, or there are `max_repeats`.
    refine, max_points
        Add up to `max_points` points where the curve of this metric bends most.
    warm_up
        What finds the warm-up: `mser5`, `pts` or `none`.
    overrides
        Values that replace those of the file at every point.
    seed
        Replaces the seed of the scenario.
    folder
        Where the sweep goes. Default: `sweeps/` and the name of the file.
    workers
        Threads; default all cores.
    cluster
        Address of a Dask scheduler, `tcp://HOST:PORT`, whose workers are used instead.
    extend
        Let an earlier sweep of the same scenario and parameters grow by other values.
    show_progress
        Draw a progress line on standard error, if that is a terminal.

    Examples
    --------
    >>> import sanlab
    >>> done = sanlab.sweep(
    ...     "examples/queue-depth-knee/scenario.yaml",
    ...     {"workloads.reads.iodepth": [1, 2, 4, 8, 16]},
    ... )  # doctest: +SKIP
    >>> [row["iops"] for row in done.summary()]  # doctest: +SKIP
    """
    from sanlab.sweep.result import run_sweep

    return run_sweep(
        source,
        parameters,
        points=points,
        is_zipped=is_zipped,
        random=random,
        repeats=repeats,
        until=until,
        metric=metric,
        max_repeats=max_repeats,
        refine=refine,
        max_points=max_points,
        warm_up=warm_up,
        overrides=overrides,
        seed=seed,
        folder=folder,
        workers=workers,
        cluster=cluster,
        extend=extend,
        show_progress=show_progress,
    )
