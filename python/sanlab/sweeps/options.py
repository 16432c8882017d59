"""Options of a sweep."""

from __future__ import annotations

import functools
import inspect
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from sanlab.sweeps.schedule import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

Arguments = ParamSpec("Arguments")
Source = TypeVar("Source")
Options = TypeVar("Options")
Result = TypeVar("Result")


@dataclass(frozen=True)
class SweepOptions(Rules):
    """All options of a sweep.

    Attributes
    ----------
    parameters
        Values of each path: a list, or text such as `"1,2,4,..,256"`. All combinations are run.
    points
        A CSV file of points in place of `parameters`.
    is_zipped
        First values together, second values together, and so on, instead of all combinations.
    random
        As many points of a Latin hypercube over ranges such as `"1..256:log"`.
    warm_up
        Rule that finds the warm-up: `mser5`, `pts` or `none`.
    overrides
        Values that replace those of the file at every point.
    seed
        Replaces the seed of the scenario.
    folder
        Folder of the sweep. Default: `sweeps/` and the name of the file.
    workers
        Threads; default all cores.
    cluster
        Address of a Dask scheduler, `tcp://HOST:PORT`, whose workers are used instead.
    extend
        Let an earlier sweep of the same scenario and parameters grow by other values.
    allow_many
        Run more than a million points.
    show_progress
        Draw a progress line on standard error, if that is a terminal.
    """

    parameters: Mapping[str, str | Sequence[object]] | None = None
    _: KW_ONLY
    points: str | Path | None = None
    is_zipped: bool = False
    random: int | None = None
    warm_up: str = "mser5"
    overrides: Mapping[str, object] | None = None
    seed: int | None = None
    folder: str | Path | None = None
    workers: int | None = None
    cluster: str | None = None
    extend: bool = False
    allow_many: bool = True
    show_progress: bool = False


def takes_fields_of(
    options: Callable[Arguments, Options],
) -> Callable[
    [Callable[[Source, Options], Result]], Callable[Concatenate[Source, Arguments], Result]
]:
    """Let a function take the fields of a dataclass as arguments in place of an object of it."""

    def decorate(
        function: Callable[[Source, Options], Result],
    ) -> Callable[Concatenate[Source, Arguments], Result]:
        def call(source: Source, /, *args: Arguments.args, **keywords: Arguments.kwargs) -> Result:
            return function(source, options(*args, **keywords))

        functools.update_wrapper(call, function)
        source = next(iter(inspect.signature(function).parameters.values()))
        source = source.replace(kind=inspect.Parameter.POSITIONAL_ONLY)
        fields = inspect.signature(options).parameters.values()
        vars(call)["__signature__"] = inspect.Signature([source, *fields])
        return call

    return decorate
