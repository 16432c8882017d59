"""Boxes, ports and loops that a limit or a finding is about, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.explain.evidence import Evidence
    from sanlab.explain.explanation import Explained


def names_of(plan: dict[str, Any]) -> frozenset[str]:
    """Return the names of all boxes, ports and loops of a plan, switch ports included."""
    parts = ("hosts", "switches", "arrays", "n_ports", "loops")
    return frozenset(row["name"] for part in parts for row in plan[part])


def places_of(evidence: Iterable[Evidence], names: frozenset[str]) -> list[str]:
    """Return the places that rows of evidence name, each once, in their order."""
    found: dict[str, None] = {}
    for row in evidence:
        for key, value in row.where.items():
            if value in names or key in ("port", "link"):
                found[value] = None
    return list(found)


def places_of_limits(one: Explained, names: frozenset[str]) -> list[str]:
    """Return the places of all limits of a workload."""
    found: dict[str, None] = {}
    for limit in (one.overall, *one.limits):
        if limit.element:
            found[limit.element] = None
        found |= dict.fromkeys(places_of(limit.evidence, names))
    return list(found)
