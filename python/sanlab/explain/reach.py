"""The elements that the I/Os of each workload pass: ports, stations, loops."""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.results.record import Record

#: Kinds of stations of a controller.
CONTROLLERS = ("controller", "forwarding", "partner")
#: A station as its tables name it: kind and name.
Station = tuple[str, str]
#: All I/Os of a job, in parts per million.
MILLION = 1_000_000


@dataclass(slots=True)
class Reach:
    """What the I/Os of one workload pass.

    Attributes
    ----------
    hosts, arrays
        Names.
    initiators, targets
        Names of its N_Ports.
    pairs
        N_Ports as source and destination, in both directions.
    toward_targets, toward_hosts
        Transmitters by the names of their ports, each way; those of all shortest routes.
    stations
        Processors, adapters, buses, controllers, disks and media.
    owners
        Controllers that serve its LUNs as long as they work; others take over.
    loops
        Arbitrated loops that one of its N_Ports or disks is on.
    file_systems
        Names of its file systems.
    copies
        What the copies of its writes to another array pass; None without a mirror.
    """

    hosts: set[str] = field(default_factory=set)
    arrays: set[str] = field(default_factory=set)
    initiators: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    pairs: set[tuple[str, str]] = field(default_factory=set)
    toward_targets: set[str] = field(default_factory=set)
    toward_hosts: set[str] = field(default_factory=set)
    stations: set[Station] = field(default_factory=set)
    owners: set[str] = field(default_factory=set)
    loops: set[str] = field(default_factory=set)
    file_systems: set[str] = field(default_factory=set)
    copies: Reach | None = None

    @property
    def ports(self) -> set[str]:
        """Transmitters in both directions."""
        return self.toward_targets | self.toward_hosts


def reaches(run: Record) -> dict[str, Reach]:
    """Return what each workload of a run passes, by name; journals of file systems are left out."""
    routes = Routes(run)
    plan = run.plan
    found: dict[str, Reach] = {}
    stations = _Stations(plan)
    for job in plan["jobs"]:
        workload = plan["workloads"][job["workload"]]
        if workload["file_system"] is not None:
            continue
        reach = found.setdefault(workload["name"], Reach())
        stations.add_host(reach, job)
        for target in job["targets"]:
            stations.add_lun(reach, target["array"], target["lun"])
            mirror = plan["arrays"][target["array"]]["luns"][target["lun"]]["mirror"]
            if mirror is not None and job["read_ppm"] < MILLION:
                reach.copies = reach.copies or Reach()
                stations.add_lun(reach.copies, mirror["array"], mirror["lun"])
                routes.add(reach.copies, mirror["source_n_port"], mirror["target_n_port"])
            routes.add_back_end(reach, plan["arrays"][target["array"]]["back_end"])
            for path in target["paths"]:
                adapter = plan["hosts"][job["host"]]["adapters"][path["adapter"]]
                stations.add_adapter(reach, job["host"], path["adapter"])
                routes.add(reach, adapter["n_port"], path["target_n_port"])
    return found


def flow_reaches(run: Record) -> dict[str, Reach]:
    """Return what each stream of plain frames passes, by name."""
    routes = Routes(run)
    found: dict[str, Reach] = {}
    for stream in run.plan["traffic"]:
        routes.add_way(
            found.setdefault(stream["name"], Reach()),
            stream["source_n_port"],
            stream["target_n_port"],
        )
    return found


class Routes:
    """Shortest routes through the fabric, over the links of the plan."""

    def __init__(self, run: Record) -> None:
        plan = run.plan
        self.names = [port["name"] for port in plan["n_ports"]]
        self._switches = [switch["name"] for switch in plan["switches"]]
        self._loops: dict[int, list[str]] = defaultdict(list)
        for loop in plan["loops"]:
            for place in loop["ports"]:
                if place["n_port"] is not None:
                    self._loops[place["n_port"]].append(loop["name"])
        #: Transmitters of each link by the box they belong to.
        self._sends: dict[int, dict[str, str]] = defaultdict(dict)
        for row in run.rows("ports"):
            if row["kind"] not in {"nl_port", "fl_port"}:
                self._sends[row["link"]][row["node"]] = row["port"]
        #: Link of an N_Port and the switch at its other end; None for a direct link.
        self._uplinks: dict[int, tuple[int, int | None]] = {}
        self._edges: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for number, link in enumerate(plan["links"]):
            if link["a"]["kind"] == "loop":
                self._add_loop(number, link, plan["loops"][link["a"]["loop_id"]])
            else:
                self._add_link(number, link)
        self._known: dict[tuple[int, int], tuple[str, ...]] = {}

    def _add_loop(self, number: int, link: dict[str, Any], loop: dict[str, Any]) -> None:
        """Devices of a loop reach the fabric by the FL_Port, whose transmitter is the loop."""
        for place in loop["ports"]:
            if place["is_public"]:
                self._uplinks[place["n_port"]] = number, link["b"]["switch"]

    def _add_link(self, number: int, link: dict[str, Any]) -> None:
        a, b = link["a"], link["b"]
        for near, far in ((a, b), (b, a)):
            if near["kind"] == "n_port":
                switch = far["switch"] if far["kind"] == "switch" else None
                self._uplinks[near["n_port"]] = (number, switch)
            elif far["kind"] == "switch":
                self._edges[near["switch"]].append((far["switch"], number, link["fspf_cost"]))

    def add(self, reach: Reach, initiator: int, target: int) -> None:
        """Add the N_Ports, loops and transmitters between two N_Ports."""
        ends = self.names[initiator], self.names[target]
        if ends in reach.pairs:
            return
        reach.initiators.add(ends[0])
        reach.targets.add(ends[1])
        reach.pairs |= {ends, ends[::-1]}
        for port in (initiator, target):
            reach.loops.update(self._loops.get(port, ()))
        reach.toward_targets.update(self._between(initiator, target))
        reach.toward_hosts.update(self._between(target, initiator))

    def add_way(self, reach: Reach, source: int, sink: int) -> None:
        """Add the N_Ports, loops and transmitters from one N_Port to another, one way."""
        ends = self.names[source], self.names[sink]
        reach.initiators.add(ends[0])
        reach.targets.add(ends[1])
        reach.pairs.add(ends)
        for port in (source, sink):
            reach.loops.update(self._loops.get(port, ()))
        reach.toward_targets.update(self._between(source, sink))

    def add_back_end(self, reach: Reach, back_end: dict[str, Any] | None) -> None:
        """Add the loops between an array and its disks."""
        for port in back_end["initiators"] if back_end else ():
            reach.loops.update(self._loops.get(port, ()))

    def _between(self, source: int, sink: int) -> Iterator[str]:
        if source not in self._uplinks or sink not in self._uplinks:
            return
        link, first = self._uplinks[source]
        sends = self._sends[link]
        if self.names[source] in sends.values():
            yield self.names[source]
        far_link, last = self._uplinks[sink]
        if first is None or last is None:
            return
        yield from self._across(first, last)
        down = self._sends[far_link].get(self._switches[last])
        if down is not None:
            yield down

    def _across(self, first: int, last: int) -> tuple[str, ...]:
        """Transmitters of switches on all shortest routes from one switch to another."""
        key = first, last
        if key not in self._known:
            there, back = self._distances(first), self._distances(last)
            length = there.get(last)
            used = [
                self._sends[number][self._switches[near]]
                for near, edges in self._edges.items()
                for far, number, cost in edges
                if length is not None
                and there.get(near, length) + cost + back.get(far, length) == length
            ]
            self._known[key] = tuple(used)
        return self._known[key]

    def _distances(self, start: int) -> dict[int, int]:
        found: dict[int, int] = {}
        heap = [(0, start)]
        while heap:
            distance, switch = heapq.heappop(heap)
            if switch in found:
                continue
            found[switch] = distance
            for far, _, cost in self._edges[switch]:
                heapq.heappush(heap, (distance + cost, far))
        return found


class _Stations:
    """Stations of hosts and LUNs, as the plan joins them."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._luns: dict[tuple[int, int], frozenset[Station]] = {}

    def add_host(self, reach: Reach, job: dict[str, Any]) -> None:
        host = self._plan["hosts"][job["host"]]
        reach.hosts.add(host["name"])
        reach.stations.add(("cpu", host["name"]))
        use = job["file_system"]
        if use is not None:
            reach.file_systems.add(self._plan["file_systems"][use["file_system"]]["name"])

    def add_adapter(self, reach: Reach, host: int, adapter: int) -> None:
        planned = self._plan["hosts"][host]
        port = planned["adapters"][adapter]
        reach.stations.add(("hba", planned["engines"][port["engine"]]["name"]))
        if port["bus"] is not None:
            bus = planned["buses"][port["bus"]]
            ways = (" from memory", " to memory") if bus["full_duplex"] else ("",)
            reach.stations.update(("bus", bus["name"] + way) for way in ways)

    def add_lun(self, reach: Reach, array: int, lun: int) -> None:
        reach.arrays.add(self._plan["arrays"][array]["name"])
        if (array, lun) not in self._luns:
            self._luns[array, lun] = frozenset(self._behind(array, lun))
        reach.stations |= self._luns[array, lun]
        planned = self._plan["arrays"][array]
        owner = planned["luns"][lun]["owner"]
        owners = planned["controllers"] if owner is None else [planned["controllers"][owner]]
        reach.owners.update(controller["name"] for controller in owners)

    def _behind(self, array: int, lun: int) -> Iterator[Station]:
        planned = self._plan["arrays"][array]
        for controller in planned["controllers"]:
            for kind in CONTROLLERS:
                yield kind, controller["name"]
        yield "parity", planned["name"]
        unit = planned["luns"][lun]
        yield "media", unit["name"]
        media = unit["media"]
        disks = media.get("disks", ())
        if "group" in media:
            disks = planned["groups"][media["group"]]["disks"]
        for disk in disks:
            unit = planned["disks"][disk]
            yield ("ssd" if unit["model"]["kind"] == "ssd" else "disk"), unit["name"]
