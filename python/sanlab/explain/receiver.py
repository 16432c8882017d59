"""Stations of a host that empty the receive buffers of its ports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.reach import Station
    from sanlab.explain.view import Use, View


def busy_behind(view: View, port: str) -> Use | None:
    """Return the busiest saturated station that empties the buffers of an N_Port, if there is one.

    A frame with data keeps its buffer until the adapter's engine and the I/O bus have moved it to
    memory, so a busy one returns credit late.
    """
    used = [view.stations[key] for key in _stations(view, port) if key in view.stations]
    busy = [use for use in used if use.is_saturated]
    return max(busy, key=lambda use: (use.utilisation, use.name), default=None)


def _stations(view: View, port: str) -> Iterator[Station]:
    plan = view.run.plan
    for host in plan["hosts"]:
        for adapter in host["adapters"]:
            if plan["n_ports"][adapter["n_port"]]["name"] != port:
                continue
            yield "hba", host["engines"][adapter["engine"]]["name"]
            if adapter["bus"] is not None:
                bus = host["buses"][adapter["bus"]]
                yield "bus", bus["name"] + (" to memory" if bus["full_duplex"] else "")
