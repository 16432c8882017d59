"""Workloads of an imported fabric: the rates at the ports of hosts, or a guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    used: dict[Box, list[str]] = {}
    for lun in layout.luns:
        for host in lun.hosts:
            used.setdefault(host, []).append(f"{lun.array.name}.{lun.name}")
    for host in layout.boxes.hosts:
        if targets := used.get(host, []):
            _workload(layout, page, (host, targets), of_hosts[host])
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


def _workload(layout: Layout, page: Page, of: tuple[Box, list[str]], rates: list[Rate]) -> None:
    host, targets = of
    name = f"{host.name}-load"
    begin = f"  - {{name: {name}, hosts: {host.name}, targets: [{', '.join(targets)}], "
    key = f"workloads.{name}"
    if not rates:
        page.value(f"{begin}{_GUESS}}}", key, "70% random reads of 8k", guess="load")
        return
    total = sum(rate.sent + rate.received for rate in rates)
    reads = sum(rate.sent if rate.has_directions else _READS * rate.sent for rate in rates)
    iops = max(1, round(total / _SIZE))
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
    load = f"rw: randrw, rwmixread: {share}%, bs: 8k, arrivals: poisson, rate_iops: {iops}"
    page.value(f"{begin}{load}}}", key, f"{share}% reads, {iops} IOPS", sources, guess)
