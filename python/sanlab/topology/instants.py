"""Instants at which the map of a plan changes."""

from __future__ import annotations

from typing import Any


def instants_of(plan: dict[str, Any]) -> list[int]:
    """Return the times at which a link, a port or a zone gets another state, in order.

    Between two of them the map is the same.

    >>> instants_of(
    ...     {"links": [{"outages": [{"from_ps": 5, "until_ps": None}]}, {}], "services": None}
    ... )
    [5]
    """
    found = {
        time_ps
        for link in plan["links"]
        for outage in link.get("outages", ())
        for time_ps in (outage["from_ps"], outage["until_ps"])
        if time_ps is not None
    }
    services = plan["services"] or {"ports": [], "zones": []}
    found.update(row["at_ps"] for row in services["ports"])
    found.update(row["at_ps"] for row in services["zones"])
    return sorted(found)
