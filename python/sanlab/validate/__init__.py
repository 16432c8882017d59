"""Published evaluations beside our simulation of them.

A study is a folder under `studies/`: scenario files, the published figures, what was fitted, and a
`study.yaml` that says which runs give which figure. `study` reads it, `cases` spells its runs out,
`metrics` takes a figure from a run, `rows` compares, `page` shows, `execute` does it all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sanlab.validate.study import Study, load_study, study_names

if TYPE_CHECKING:
    from sanlab.validate.execute import Validation, validate

__all__ = ["Study", "Validation", "load_study", "study_names", "validate"]


def __getattr__(name: str) -> Any:  # noqa: ANN401  any public name
    # The simulator and its tables take half a second to import; the list of studies needs neither.
    if name not in {"Validation", "validate"}:
        message = f"module 'sanlab.validate' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module("sanlab.validate.execute"), name)
