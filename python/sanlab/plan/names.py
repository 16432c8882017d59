"""Names of a scenario: their objects, and suggestions for unknown names."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from sanlab.errors import ScenarioError
from sanlab.quantities import nearest
from sanlab.scenario.document import path_text
from sanlab.scenario.groups import GroupError, expand, expand_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sanlab.errors import Problem
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path

Item = TypeVar("Item")
#: A port: its box, and its name there.
End = tuple[str, str]

#: Names listed in the message for an unknown name.
MAX_SHOWN = 8


class Problems:
    """Collects problems, so that one attempt shows all of them."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.found: list[Problem] = []
        self._held: list[Problem] = []
        self._stood_in: list[Path] = []

    def add(self, path: Path, reason: str, remedy: str) -> None:
        """Note a problem with the value at `path`."""
        self.found.append(self.scenario.problem(path, reason, remedy))

    def hold(self, path: Path, reason: str, remedy: str) -> None:
        """Note a problem that something else stands in for, so that later steps can go on.

        Problems with the same box may only follow from what stands in; they are left out.
        """
        self._held.append(self.scenario.problem(path, reason, remedy))
        self._stood_in.append(path[:2])

    def stop_if_any(self) -> None:
        """Raise all problems so far; later steps may rely on what was checked."""
        if self.found:
            self._raise()

    def stop_at_end(self) -> None:
        """Raise all problems, those that something stood in for as well."""
        if self.found or self._held:
            self._raise()

    def _raise(self) -> NoReturn:
        names = [name for path in self._stood_in for name in self._names_at(path)]
        places = tuple(path_text(path) for path in self._stood_in)
        problems = [
            problem
            for problem in dict.fromkeys(self.found)
            if problem.reason.startswith("There is no")
            or not (
                problem.key.startswith(places)
                or any(re.search(rf"'{re.escape(name)}\b", problem.reason) for name in names)
            )
        ]
        order = sorted(
            dict.fromkeys([*self._held, *problems]),
            key=lambda problem: (problem.line or 0, problem.key),
        )
        raise ScenarioError(order)

    def _names_at(self, path: Path) -> list[str]:
        kind, index = path
        return expand_names(getattr(self.scenario, str(kind))[index].name)


class Names(Generic[Item]):
    """Names of one kind in the order of the file, each with its object."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.items: dict[str, Item] = {}

    def __getitem__(self, name: str) -> Item:
        """Return the object of a known name."""
        return self.items[name]

    def __contains__(self, name: str) -> bool:
        """Whether the name is known."""
        return name in self.items

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.items)

    def match(self, pattern: str) -> list[str]:
        """Return the names that match a pattern, in its order; `*` gives the order of the file."""
        found: list[str] = []
        for word in expand(pattern):
            if "*" in word or "?" in word:
                matches = re.compile(fnmatch.translate(word)).match
                found.extend(name for name in self.items if matches(name))
            elif word in self.items:
                found.append(word)
        return found

    def resolve(self, patterns: Sequence[str], path: Path, problems: Problems) -> list[str]:
        """Return the names that match several patterns; a pattern without a match is a problem."""
        found: list[str] = []
        for pattern in patterns:
            for word in expand(pattern):
                hits = self.match(word)
                if not hits:
                    problems.add(path, *self.unknown(word))
                    break
                found.extend(hits)
        return found

    def unknown(self, word: str) -> tuple[str, str]:
        """Return reason and remedy for a name that does not exist."""
        guess = nearest(word, list(self.items))
        hint = f"Did you mean '{guess}'? " if guess else ""
        listed = list(self.items)
        shown = ", ".join(listed[:MAX_SHOWN]) + (", ..." if len(listed) > MAX_SHOWN else "")
        there = f"Known names are {shown}" if listed else f"The scenario has no {self.kind}"
        return f"There is no {self.kind} called '{word}'", hint + there


def define(text: str, path: Path, taken: dict[str, Path], problems: Problems) -> list[str]:
    """Return the names of a definition; a name that exists already is a problem."""
    names = []
    for name in expand_names(text):
        if name in taken:
            first = problems.scenario.problem(taken[name], "", "").line
            place = f" on line {first}" if first else ""
            problems.add(path, f"The name '{name}' is already used{place}", "Choose another name")
            continue
        taken[name] = path
        names.append(name)
    return names


def safe_expand(pattern: str, path: Path, problems: Problems) -> list[str]:
    """Return the names of a pattern; a malformed pattern is a problem."""
    try:
        return expand(pattern)
    except GroupError as error:
        problems.add(path, error.reason, error.remedy)
        return []


def pair_up(
    left: list[str], right: list[str], path: Path, words: tuple[str, str], problems: Problems
) -> list[tuple[str, str]]:
    """Pair one to one, or one with all of the other side; other numbers are a problem."""
    if len(left) == len(right):
        return list(zip(left, right, strict=True))
    if len(left) == 1:
        return [(left[0], name) for name in right]
    if len(right) == 1:
        return [(name, right[0]) for name in left]
    if left and right:
        problems.add(
            path,
            f"{len(left)} {words[0]} cannot pair with {len(right)} {words[1]}",
            "Write equal numbers, or a single one on one side",
        )
    return []
