"""Things that are joined, directly or through others."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)


class Groups(Generic[Thing]):
    """Disjoint sets of things (union-find), each in the order in which its things were met.

    >>> groups = Groups[str]()
    >>> groups.join("a", "b")
    >>> groups.join("c", "b")
    >>> groups.members_of("a"), groups.members_of("d")
    (['a', 'b', 'c'], ['d'])
    """

    def __init__(self) -> None:
        self._above: dict[Thing, Thing] = {}
        self._members: dict[Thing, list[Thing]] | None = None

    def add(self, thing: Thing) -> None:
        """Make a thing known, by itself unless it is joined."""
        self._above.setdefault(thing, thing)
        self._members = None

    def join(self, one: Thing, other: Thing) -> None:
        """Put two things, and all that is joined with them, into one group."""
        self.add(one)
        self.add(other)
        self._above[self._top(other)] = self._top(one)

    def members_of(self, thing: Thing) -> list[Thing]:
        """Return everything in the group of a thing, itself included."""
        if thing not in self._above:
            return [thing]
        if self._members is None:
            self._members = {}
            for one in self._above:
                self._members.setdefault(self._top(one), []).append(one)
        return self._members[self._top(thing)]

    def _top(self, thing: Thing) -> Thing:
        while self._above[thing] != thing:
            self._above[thing] = self._above[self._above[thing]]
            thing = self._above[thing]
        return thing
