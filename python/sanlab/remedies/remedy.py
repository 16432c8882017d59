"""A change of a scenario that may help a workload."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

#: What a remedy changes: the SAN, the load, or what happens to the SAN; `alone` is not a
#: remedy but shows the cost of sharing.
Sort = Literal["san", "load", "fault", "alone"]


@dataclass(frozen=True)
class Remedy:
    """A change of a scenario.

    Attributes
    ----------
    title
        What changes, in words.
    sets
        Values by path, as `--set` takes them.
    removes
        Items that are removed, by list and index.
    keeps
        Of a list only the items with these indices stay.
    edit
        Changes the plan itself, where no hardware of the scenario has the value: a link faster than
        its ports. It is used only where the plan refuses `sets`.
    only_delays
        The limit comes again later, so what counts is the end of its time: more room for data.
    """

    title: str
    sets: dict[str, str] = field(default_factory=dict)
    removes: tuple[tuple[str, int], ...] = ()
    keeps: dict[str, tuple[int, ...]] = field(default_factory=dict)
    sort: Sort = "san"
    edit: Callable[[dict[str, Any]], None] | None = None
    only_delays: bool = False

    @property
    def key(self) -> str:
        """Which change this is; equal changes are tried once."""
        return repr((self.title, sorted(self.sets.items()), self.removes, sorted(self.keeps)))

    @property
    def command(self) -> str:
        """How to apply it: the options for `sanlab run`, or the item to remove."""
        options = [f"--set {_quoted(f'{path}={value}')}" for path, value in self.sets.items()]
        options += [f"remove {name}[{index}]" for name, index in self.removes]
        return " ".join(options)


def _quoted(word: str) -> str:
    """A word as a shell takes it."""
    import shlex

    return shlex.quote(word)
