"""I/O buses that empty the receive buffers of the ports of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.reach import Station
    from sanlab.explain.view import Use, View


def busy_behind(view: View, port: str) -> Use | None:
    """Return the saturated I/O bus that empties the buffers of an N_Port, if there is one.

    A frame with data keeps its buffer until the bus has moved it to memory, so a busy bus returns
    credit late. The engine of the adapter does not.
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
            if adapter["bus"] is not None:
                bus = host["buses"][adapter["bus"]]
                yield "bus", bus["name"] + (" to memory" if bus["full_duplex"] else "")
