"""Workloads of an imported fabric: the rates at the ports of hosts, or a guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.importers.fabric.luns import of_ports
from sanlab.importers.fabric.traffic import port_rates

if TYPE_CHECKING:
    from sanlab.importers.fabric.devices import Box
    from sanlab.importers.fabric.nodes import Node
    from sanlab.importers.fabric.page import Page
    from sanlab.importers.fabric.scenario import Layout
    from sanlab.importers.fabric.traffic import Rate

#: Hosts above which the run is short.
_MANY_HOSTS = 20
#: Hosts that a finding names.
_SHOWN = 8
#: Size of the I/Os, and share of reads where no output has the directions.
_SIZE, _READS = 8192, 0.7
_GUESS = f"rw: randrw, rwmixread: {_READS:.0%}, bs: 8k, arrivals: poisson, rate_iops: 1000"


def write_workloads(layout: Layout, page: Page, interval: float | None) -> int:
    """Write the workloads, and return how many have rates of the ports of their hosts."""
    rates = port_rates(layout.graph, layout.speeds, interval)
    of_hosts = {host: _rates_of(host, rates) for host in layout.boxes.hosts}
    counted = sum(1 for found in of_hosts.values() if found)
    page.line()
    page.line("workloads:")
    if not counted:
        page.line("  # No output tells the load. Every host has the same, open one; replace it.")
    elif counted < len(of_hosts):
        page.line("  # Hosts without counters of their ports have the same, open load; replace it.")
    if counted:
        page.line(
            "  # Rates of ports are averages of bytes: bursts, sizes and addresses are guesses."
        )
    used: dict[Box, dict[Box, list[str]]] = {}
    for lun in layout.luns:
        for host in lun.hosts:
            targets = used.setdefault(host, {}).setdefault(lun.array, [])
            targets.append(f"{lun.array.name}.{lun.name}")
    for host in layout.boxes.hosts:
        if host in used:
            _workloads(layout, page, (host, _loads(layout, host, used[host])), of_hosts[host])
    idle = [host for host in layout.boxes.hosts if host not in used]
    if idle:
        names = ", ".join(f"'{host.name}'" for host in idle[:_SHOWN])
        more = f" and {len(idle) - _SHOWN} more" if len(idle) > _SHOWN else ""
        text = f"In no zone with an array, and so without a load: {names}{more}"
        layout.graph.note(text, idle[0].ports[0].device.sources[0])
    duration = "1s" if len(layout.boxes.hosts) <= _MANY_HOSTS else "20ms"
    page.line()
    page.value(
        f"measure: {{duration: {duration}}}", "measure.duration", duration, guess="a first look"
    )
    return counted


def _rates_of(host: Box, rates: dict[tuple[Node, str], Rate]) -> list[Rate]:
    """Return the rates at the ports of a host."""
    places = [(port.device.node, port.device.port) for port in host.ports]
    return [rates[place] for place in places if place in rates]


@dataclass(frozen=True, slots=True)
class _Load:
    """A load of a host: its name, its LUNs, the ports it is bound to, and what of it is a guess."""

    name: str
    targets: list[str]
    ports: str = ""
    guess: str = ""

    def begin(self, host: Box) -> str:
        """Return the beginning of its line."""
        targets = f"targets: [{', '.join(self.targets)}], "
        return f"  - {{name: {self.name}, hosts: {host.name}, {self.ports}{targets}"


def _loads(layout: Layout, host: Box, used: dict[Box, list[str]]) -> list[_Load]:
    """Return the loads of a host: one, or one for each array or virtual port with ways of its own.

    A host with one path would use any port of an array, also one that its zones do not have. Where
    only virtual ports are in zones, they have the load.
    """
    ways = {array: layout.ways.get((host, array), []) for array in used}
    is_free = len(host.ports) == 1 and all(len(array.ports) == 1 for array in used)
    is_seen = all(of_ports(found) for found in ways.values())
    if layout.has_multipath(host) or (is_seen and is_free) or not all(ways.values()):
        return [_Load(f"{host.name}-load", [lun for luns in used.values() for lun in luns])]
    found: list[_Load] = []
    for array, luns in used.items():
        near = of_ports(ways[array])
        if near:
            mark = f"-{array.name}" if len(used) > 1 else ""
            found.append(_bound(f"{host.name}{mark}-load", luns, host, array, near))
            continue
        for name in dict.fromkeys(one for one, _ in ways[array]):
            mark = f"-{array.name}" if len(used) > 1 else ""
            mine = [way for way in ways[array] if way[0] == name]
            virtual = name.rpartition(".")[2]
            found.append(_bound(f"{host.name}-{virtual}{mark}-load", luns, host, array, mine))
    return found


def _bound(name: str, luns: list[str], host: Box, array: Box, ways: list[tuple[str, str]]) -> _Load:
    """Return a load that uses the first of some ways."""
    near, far = (
        end.removeprefix(f"{box.name}.") for end, box in zip(ways[0], (host, array), strict=True)
    )
    ports = f"host_port: {near}, " if len(host.ports) > 1 or not near.endswith(".p0") else ""
    ports += f"target_port: {far}, " if len(array.ports) > 1 else ""
    guess = f"; the first of {len(ways)} paths" if len(ways) > 1 else ""
    return _Load(name, luns, ports, guess)


def _workloads(layout: Layout, page: Page, of: tuple[Box, list[_Load]], rates: list[Rate]) -> None:
    host, loads = of
    if not rates:
        for one in loads:
            key, guess = f"workloads.{one.name}", f"load{one.guess}"
            page.value(f"{one.begin(host)}{_GUESS}}}", key, "70% random reads of 8k", guess=guess)
        return
    total = sum(rate.sent + rate.received for rate in rates)
    reads = sum(rate.sent if rate.has_directions else _READS * rate.sent for rate in rates)
    iops = max(1, round(total / _SIZE / len(loads)))
    share = round(100 * reads / total) if total else round(100 * _READS)
    sources = [source for rate in rates for source in rate.sources]
    if not round(total):
        text = f"The ports of '{host.name}' carried nothing while they were counted"
        layout.graph.note(f"{text}; it has one I/O per second", *sources[:2])
    if len(rates) < len(host.ports):
        text = f"Of the {len(host.ports)} ports of '{host.name}', {len(rates)} have counters"
        layout.graph.note(f"{text}; its load is theirs", *sources[:2])
    over = ", ".join(dict.fromkeys(rate.over for rate in rates))
    guess = f"I/Os of 8 KiB at random addresses; {total / 1e6:.1f} MB/s are the mean of {over}"
    if not all(rate.has_directions for rate in rates):
        guess += f"; {_READS:.0%} reads, since the output has no directions"
    if len(loads) > 1:
        guess += f", in {len(loads)} equal parts"
    load = f"rw: randrw, rwmixread: {share}%, bs: 8k, arrivals: poisson, rate_iops: {iops}"
    for one in loads:
        shown = f"{share}% reads, {iops} IOPS"
        key = f"workloads.{one.name}"
        page.value(f"{one.begin(host)}{load}}}", key, shown, sources, f"{guess}{one.guess}")
