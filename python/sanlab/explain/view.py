"""What the tables of a run say about one window."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sanlab.explain.asking import Asking, asking
from sanlab.explain.parts import KINDS, line_of, rows_in
from sanlab.explain.reach import flow_reaches, reaches
from sanlab.explain.saturation import MOST, SATURATED
from sanlab.explain.window import bins
from sanlab.simulation.tables import numbers, texts

if TYPE_CHECKING:
    import numpy.typing as npt

    from sanlab.explain.parts import Line
    from sanlab.explain.reach import Reach, Station
    from sanlab.explain.window import Window
    from sanlab.results.record import Record

Row = dict[str, Any]

#: Share of a window that a fault has to last to count in it; windows end at bins, faults anywhere.
OVERLAP = 0.05


@dataclass(frozen=True)
class Flow:
    """I/Os of a workload that completed in a window."""

    io_count: int
    error_count: int
    bytes: int
    response_ps: float
    """Response times, summed."""


@dataclass(frozen=True)
class Use:
    """Use of a station in a window."""

    kind: str
    name: str
    utilisation: float
    mean_in_system: float
    servers: int
    full_share: float = 0.0
    """Share of the bins of the window in which it is saturated; 0 for the whole run."""

    @property
    def is_saturated(self) -> bool:
        """Whether it is busy nearly all the time, or in most bins."""
        return self.utilisation >= SATURATED or self.full_share > MOST


class Evidences:
    """Tables of a run by bin, read once for all windows."""

    def __init__(self, run: Record) -> None:
        self.run = run
        self._views: dict[Window, View] = {}

    @cached_property
    def n_ports(self) -> list[str]:
        """Names of the N_Ports, in the order of the plan."""
        return [port["name"] for port in self.run.plan["n_ports"]]

    @cached_property
    def reach(self) -> dict[str, Reach]:
        """What each workload passes."""
        return reaches(self.run)

    @cached_property
    def flow_reach(self) -> dict[str, Reach]:
        """What each stream of plain frames passes."""
        return flow_reaches(self.run)

    @cached_property
    def ways(self) -> dict[str, set[int]]:
        """Ways of frames by the ports that send them: one each way for a workload or a stream."""
        found: dict[str, set[int]] = defaultdict(set)
        reached = [*self.reach.values(), *self.flow_reach.values()]
        reached += [reach.copies for reach in self.reach.values() if reach.copies is not None]
        for number, reach in enumerate(reached):
            for port in reach.toward_targets:
                found[port].add(2 * number)
            for port in reach.toward_hosts:
                found[port].add(2 * number + 1)
        return found

    @cached_property
    def flows(self) -> dict[str, Row]:
        """Rows of `frames` of streams of plain frames."""
        rows = self.run.rows("frames") if self.run.plan["traffic"] else []
        return {row["flow"]: row for row in rows if row["kind"] == "traffic"}

    @cached_property
    def ports(self) -> dict[str, npt.NDArray[np.float64]]:
        """Columns of `port_series`, each of shape (bins, ports); ports as in `port_names`."""
        return _grid(self.run, "port_series", len(self.port_names))

    @cached_property
    def port_names(self) -> list[str]:
        """Ports of links in the order of `ports`."""
        return _labels(self.run, "port_series", ("port",), _bins_of(self.run, "port_series"))

    @cached_property
    def stations(self) -> dict[str, npt.NDArray[np.float64]]:
        """Columns of `station_series`, each of shape (bins, stations)."""
        return _grid(self.run, "station_series", len(self.station_names))

    @cached_property
    def station_names(self) -> list[Station]:
        """Kind and name in the order of `stations`."""
        count = _bins_of(self.run, "station_series")
        kinds = _labels(self.run, "station_series", ("kind",), count)
        names = _labels(self.run, "station_series", ("station",), count)
        return list(zip(kinds, names, strict=True))

    @cached_property
    def parts(self) -> dict[str, Line | None]:
        """Time lines of the tables of `sanlab.explain.parts`."""
        return {table: line_of(self.run, table) for table in KINDS}

    @cached_property
    def stage_rows(self) -> dict[str, list[Row]]:
        """Rows of `stages` by workload."""
        return _by_workload(self.run, "stages")

    @cached_property
    def stage_bins(self) -> dict[str, list[Row]]:
        """Rows of `stage_series` by workload, in the order of time."""
        return _by_workload(self.run, "stage_series")

    @cached_property
    def flow_rows(self) -> dict[str, list[Row]]:
        """Rows of `workloads` by workload."""
        return _by_workload(self.run, "workloads")

    @cached_property
    def flow_bins(self) -> dict[str, list[Row]]:
        """Rows of `workload_series` by workload, in the order of time."""
        return _by_workload(self.run, "workload_series")

    @cached_property
    def asking(self) -> dict[str, list[Asking]]:
        """When the jobs of each workload may ask for I/O."""
        found: dict[str, list[Asking]] = defaultdict(list)
        for one in asking(self.run):
            found[one.workload].append(one)
        return found

    @cached_property
    def spans(self) -> npt.NDArray[np.float64]:
        """Lengths of the bins of the time line, shape (bins,)."""
        return np.diff(bins(self.run), prepend=0).astype(np.float64)

    def view(self, window: Window) -> View:
        """Return what the tables say about a window; most workloads share theirs with others."""
        if window not in self._views:
            self._views[window] = View(self, window)
        return self._views[window]


class View:
    """A run as it was in one window."""

    def __init__(self, evidences: Evidences, window: Window) -> None:
        self.evidences = evidences
        self.run = evidences.run
        self.window = window

    @cached_property
    def ports(self) -> dict[str, Row]:
        """Rows of `ports` that are ends of links, with the use and waits of the window."""
        rows = {
            row["port"]: self._of_its_cables(row)
            for row in self.run.rows("ports")
            if row["kind"] not in ("nl_port", "fl_port")
        }
        if self.window.is_whole or "port_series" not in self.run.tables:
            return rows
        here, weights = self._weights
        grid = self.evidences.ports
        sums = {
            name: grid[name][here].sum(axis=0)
            for name in ("tx_bytes", "tx_payload_bytes", "tx_credit_wait_ps", "tx_dropped_count")
        }
        means = {
            name: weights @ grid[name][here] for name in ("tx_utilisation", "tx_queue_mean_frames")
        }
        full = (grid["tx_utilisation"][here] >= SATURATED).mean(axis=0)
        found = {}
        for place, name in enumerate(self.evidences.port_names):
            if name in rows:
                row = rows[name]
                here_row = {
                    column: float(values[place]) for column, values in (sums | means).items()
                }
                here_row["full_share"] = float(full[place])
                frames = row["tx_frames_count"] * here_row["tx_bytes"] / max(1, row["tx_bytes"])
                found[name] = self._of_its_cables(row | here_row | {"tx_frames_count": frames})
        return found

    def _of_its_cables(self, row: Row) -> Row:
        """A port whose use counts the cables of a trunk that are in place."""
        link = self.run.plan["links"][row["link"]]
        lost = 0
        for outage in link.get("member_outages", ()):
            until = self.window.to_ps if outage["until_ps"] is None else outage["until_ps"]
            end = min(until, self.window.to_ps)
            lost += max(0, end - max(outage["from_ps"], self.window.from_ps))
        if not lost:
            return row
        left = 1.0 - lost / (link["members"] * self.window.span_ps)
        return row | {"tx_utilisation": row["tx_utilisation"] / left} if left else row

    @cached_property
    def outputs(self) -> dict[str, list[Row]]:
        """Rows of `ports` by the box they belong to."""
        found: dict[str, list[Row]] = defaultdict(list)
        for row in self.ports.values():
            found[row["node"]].append(row)
        return found

    @cached_property
    def stations(self) -> dict[Station, Use]:
        """Use of each station by kind and name."""
        rows = self.run.rows("stations")
        whole = {
            (row["kind"], row["station"]): Use(
                row["kind"],
                row["station"],
                row["utilisation"],
                row["mean_in_system"],
                row["servers"],
            )
            for row in rows
        }
        if self.window.is_whole or "station_series" not in self.run.tables:
            return whole
        here, weights = self._weights
        grid = self.evidences.stations
        used, present = (weights @ grid[name][here] for name in ("utilisation", "mean_in_system"))
        full = (grid["utilisation"][here] >= SATURATED).mean(axis=0)
        return {
            key: Use(
                *key,
                float(used[place]),
                float(present[place]),
                whole[key].servers,
                float(full[place]),
            )
            for place, key in enumerate(self.evidences.station_names)
        }

    @cached_property
    def _station_places(self) -> dict[Station, int]:
        return {key: place for place, key in enumerate(self.stations)}

    def stations_of(self, reach: Reach) -> list[Use]:
        """Stations that a workload passes, in the order of `stations`."""
        known = self._station_places
        own = sorted((known[key], key) for key in reach.stations if key in known)
        return [self.stations[key] for _, key in own]

    def parts(self, table: str) -> list[Row]:
        """Rows of loops, strings, limits, pairs, caches or file systems, as in the window."""
        line = None if self.window.is_whole else self.evidences.parts[table]
        if line is None:
            return self.run.rows(table)
        return rows_in(self.run, table, line, *self._weights)

    def stages(self, workload: str, op: str | None = None) -> dict[str, float]:
        """Time of the I/Os of a workload in each stage, summed; of all or only reads or writes."""
        found: dict[str, float] = defaultdict(float)
        for row in self._stage_rows(workload):
            if op in (None, row["op"]):
                found[row["stage"]] += float(row["total_ps"])
        return found

    def share_of(self, workload: str, op: str, stages: tuple[str, ...]) -> float:
        """Share of the response time of a workload that its reads or writes spend in stages."""
        total = sum(self.stages(workload).values())
        own = self.stages(workload, op)
        return sum(own.get(stage, 0.0) for stage in stages) / total if total else 0.0

    def mean_write(self, workload: str) -> float:
        """Mean response time of the writes of a workload, in ps."""
        flow = self.flow(workload, "write")
        return flow.response_ps / max(1, flow.io_count)

    def _stage_rows(self, workload: str) -> list[Row]:
        """Rows of `stages` or, for a part of the run, of its bins in `stage_series`."""
        if self.window.is_whole or "stage_series" not in self.run.tables:
            return self.evidences.stage_rows.get(workload, [])
        return [
            row
            for row in self.evidences.stage_bins.get(workload, ())
            if self.window.from_ps < row["time_ps"] <= self.window.to_ps
        ]

    def shares(self, workload: str) -> dict[str, float]:
        """Share of each stage in the response time of a workload.

        In a part of the run the bins count alike: I/Os that a fault held back complete in one bin
        with response times that say nothing about the others.
        """
        if self.window.is_whole or "stage_series" not in self.run.tables:
            return _normal(self.stages(workload))
        by_bin: dict[int, dict[str, float]] = defaultdict(dict)
        for row in self._stage_rows(workload):
            stages = by_bin[row["time_ps"]]
            stages[row["stage"]] = stages.get(row["stage"], 0.0) + float(row["total_ps"])
        found: dict[str, float] = defaultdict(float)
        for stages in by_bin.values():
            for stage, share in _normal(stages).items():
                found[stage] += share
        return _normal(found)

    def full_share(self, controllers: set[str]) -> float:
        """Share of the window in which writes wait for room in a cache; the largest of these."""
        full = [row["full_ps"] for row in self.parts("caches") if row["controller"] in controllers]
        return max(full, default=0) / max(1, self.window.span_ps)

    def flow(self, workload: str, op: str | None = None) -> Flow:
        """I/Os of a workload, all or only reads or writes; frames of a stream of plain frames."""
        if workload in self.evidences.flows:
            return self._frames(workload, op)
        if self.window.is_whole or "workload_series" not in self.run.tables:
            own = self.evidences.flow_rows.get(workload, ())
            rows = [row for row in own if op in (None, row["op"])]
            response = sum(row["response_mean_ps"] * row["io_count"] for row in rows)
        else:
            rows = [
                row
                for row in self.evidences.flow_bins[workload]
                if self.window.from_ps < row["time_ps"] <= self.window.to_ps
                and op in (None, row["op"])
            ]
            response = sum(row["response_sum_ps"] for row in rows)
        return Flow(
            sum(row["io_count"] for row in rows),
            sum(row.get("error_count", 0) for row in rows),
            sum(row["bytes"] for row in rows),
            float(response),
        )

    def _frames(self, stream: str, op: str | None) -> Flow:
        """Frames of a stream, which go to their target like the data of writes.

        In a part of the run it has its share of what its port sent there.
        """
        row = self.evidences.flows[stream]
        if op == "read":
            return Flow(0, 0, 0, 0.0)
        part = 1.0
        if not self.window.is_whole:
            whole = {port["port"]: port for port in self.run.rows("ports")}
            sources = self.evidences.flow_reach[stream].initiators & set(whole) & set(self.ports)
            sent = sum(whole[name]["tx_payload_bytes"] for name in sources)
            here = sum(self.ports[name]["tx_payload_bytes"] for name in sources)
            part = here / sent if sent else 1.0
        count = round(row["frames_count"] * part)
        return Flow(count, 0, round(row["payload_bytes"] * part), row["end_to_end_mean_ps"] * count)

    def credit_wait_share(self, port: Row) -> float:
        """Share of the window in which a port had a frame to send and no credit, 0 to 1."""
        return float(port["tx_credit_wait_ps"]) / max(1, self.window.span_ps)

    @cached_property
    def slow(self) -> dict[str, int]:
        """N_Ports that empty their buffers slowly in the window, with their rates in B/s."""
        ports = self.run.plan["n_ports"]
        found = {
            port["name"]: port["drain_bytes_per_s"]
            for port in ports
            if port["drain_bytes_per_s"] is not None
        }
        since: dict[int, tuple[int, int]] = {}
        end = self.run.manifest.simulated_ps
        spans = []
        for drain in sorted(self.run.plan["faults"]["drains"], key=lambda row: row["at_ps"]):
            port = drain["n_port"]
            if port in since:
                begun, rate = since.pop(port)
                spans.append((port, begun, drain["at_ps"], rate))
            if drain["bytes_per_s"] is not None:
                since[port] = drain["at_ps"], drain["bytes_per_s"]
        spans += [(port, begun, end, rate) for port, (begun, rate) in since.items()]
        for port, begun, ended, rate in spans:
            overlap = min(ended, self.window.to_ps) - max(begun, self.window.from_ps)
            if overlap > OVERLAP * self.window.span_ps:
                found[ports[port]["name"]] = rate
        return found

    @cached_property
    def lost_credit(self) -> set[str]:
        """Ports whose credit was lost before the end of the window."""
        links = self.run.plan["links"]
        by_link: dict[int, dict[str, str]] = defaultdict(dict)
        for row in self.ports.values():
            by_link[row["link"]][row["node"]] = row["port"]
        found = set()
        for loss in self.run.plan["faults"]["credit_losses"]:
            if loss["at_ps"] < self.window.to_ps:
                link, is_back = divmod(loss["fibre"], 2)
                end = links[link]["b" if is_back else "a"]
                parts = self.run.plan
                node = (
                    parts["n_ports"][end["n_port"]]["node"]
                    if end["kind"] == "n_port"
                    else parts["switches"][end["switch"]]["name"]
                )
                found.add(by_link[link].get(node, ""))
        return found

    @cached_property
    def _weights(self) -> tuple[slice, npt.NDArray[np.float64]]:
        """The bins of the window, and their lengths as shares of it."""
        here = slice(self.window.first, self.window.last)
        spans = self.evidences.spans[here]
        return here, spans / spans.sum()


def _normal(stages: dict[str, float]) -> dict[str, float]:
    """The same as shares of their sum."""
    total = sum(stages.values())
    return {stage: spent / total for stage, spent in stages.items()} if total else {}


def _by_workload(run: Record, table: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in run.rows(table):
        found[row["workload"]].append(row)
    return found


def _bins_of(run: Record, name: str) -> int:
    return len(np.unique(numbers(run.table(name), "time_ps"))) if name in run.tables else 0


def _labels(run: Record, name: str, columns: tuple[str], count: int) -> list[str]:
    """Return the labels of the rows of one bin."""
    if not count:
        return []
    table = run.table(name)
    labels: list[str] = texts(table, columns[0])[: table.num_rows // count].tolist()
    return labels


def _grid(run: Record, name: str, width: int) -> dict[str, npt.NDArray[np.float64]]:
    """Return the numbers of a time line, each column of shape (bins, width)."""
    if not width:
        return {}
    table = run.table(name)
    return {
        column: numbers(table, column).astype(np.float64).reshape(-1, width)
        for column in table.column_names
        if column not in ("port", "station", "kind")
    }
