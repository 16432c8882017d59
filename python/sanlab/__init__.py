"""A laboratory for storage area networks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "Run",
    "Scenario",
    "ScenarioError",
    "__version__",
    "compile_plan",
    "load_scenario",
    "run",
    "trace",
]

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sanlab.errors import ScenarioError
    from sanlab.plan.compile import compile_plan
    from sanlab.results.run import Run
    from sanlab.run.trace import trace
    from sanlab.scenario import Scenario
    from sanlab.scenario.load import load_scenario

#: Where each public name lives; imported on first use, so that `import sanlab` stays cheap.
_HOMES = {
    "Run": "sanlab.results.run",
    "Scenario": "sanlab.scenario",
    "ScenarioError": "sanlab.errors",
    "compile_plan": "sanlab.plan.compile",
    "load_scenario": "sanlab.scenario.load",
    "trace": "sanlab.run.trace",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401  any public name
    if name not in _HOMES:
        message = f"module 'sanlab' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOMES[name]), name)


# The verb `run` is also the name of a package. Importing that first settles who has the name here:
# Python sets it once, at the first import, and the function below takes its place.
import_module("sanlab.run")


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
