"""A laboratory for storage area networks."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = (
    False  # for type checkers it is true; importing `typing` would take longer than this
)

__version__ = "0.1.0"

__all__ = [
    "Run",
    "Scenario",
    "ScenarioError",
    "Sweep",
    "__version__",
    "compile_plan",
    "load_scenario",
    "plot",
    "run",
    "sweep",
    "trace",
]

if TYPE_CHECKING:
    from typing import Any

    from sanlab.api import Run, run
    from sanlab.errors import ScenarioError
    from sanlab.plan.compile import compile_plan
    from sanlab.scenario import Scenario
    from sanlab.scenario.load import load_scenario
    from sanlab.simulation.trace import trace
    from sanlab.sweeps.picture import plot
    from sanlab.sweeps.result import Sweep, sweep

#: Module of each public name; imported on first use, so that `import sanlab` stays cheap.
_HOMES = {
    "Run": "sanlab.api",
    "Scenario": "sanlab.scenario",
    "ScenarioError": "sanlab.errors",
    "Sweep": "sanlab.sweeps.result",
    "compile_plan": "sanlab.plan.compile",
    "load_scenario": "sanlab.scenario.load",
    "plot": "sanlab.sweeps.picture",
    "run": "sanlab.api",
    "sweep": "sanlab.sweeps.result",
    "trace": "sanlab.simulation.trace",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401  any public name
    if name not in _HOMES:
        message = f"module 'sanlab' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
