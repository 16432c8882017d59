"""A laboratory for storage area networks."""

from __future__ import annotations

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
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
