"""Switches, devices and cables of a fabric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sanlab.importers.fabric.facts import LoginFact, Source


@dataclass(frozen=True, slots=True)
class Told:
    """A value of a cable, the line it comes from, and why it is a guess if it is one."""

    text: str
    source: Source
    guess: str = ""


@dataclass(slots=True, eq=False)
class Node:
    """A switch."""

    name: str
    source: Source
    wwn: str = ""
    vendor: str = ""
    type: str = ""
    type_source: Source | None = None
    domains: dict[int, tuple[int, Source]] = field(default_factory=dict)
    """Domain and its line, by VSAN; Brocade's is under 0."""
    is_own: bool = False
    above: Node | None = None
    """Another switch of its fabric, towards the one that stands for all of them."""

    def root(self) -> Node:
        """Return the switch that stands for its fabric."""
        node = self
        while node.above is not None:
            node = node.above
        return node


@dataclass(slots=True, eq=False)
class Device:
    """A port of a host or an array in the fabric."""

    wwpn: str
    sources: list[Source]
    node: Node
    port: str = ""
    facts: list[LoginFact] = field(default_factory=list)

    def first(self, key: str) -> str:
        """Return the first text that some fact has under a key."""
        return next((str(value) for fact in self.facts if (value := getattr(fact, key))), "")

    def where(self, key: str) -> list[Source]:
        """Return the line of the first text that some fact has under a key."""
        found = (f.lines.get(key, f.source) for f in self.facts if getattr(f, key))
        return [next(found)] if self.first(key) else self.sources[:1]

    def number(self, key: str) -> int:
        """Return the first number that some fact has under a key."""
        return next((int(value) for fact in self.facts if (value := getattr(fact, key))), 0)


@dataclass(slots=True, eq=False)
class Cable:
    """A link or a trunk between two switches."""

    ends: tuple[tuple[Node, str], tuple[Node, str]]
    sources: list[Source]
    speed: int = 0
    count: int = 1
    is_trunk: bool = False
    distance: Told | None = None
    credits: dict[int, Told] = field(default_factory=dict)
    """BB credit that an end grants, by its number."""
    cost: Told | None = None
    """FSPF cost."""
    guess: str = ""
    """Why it is there, of a link that no output has."""
