"""The ladder of one I/O: lanes from the host to the array, frames between them, stages in them.

The run is simulated again up to the end of the I/O; the same scenario and seed give the same I/O.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sanlab.errors import SanlabError
from sanlab.explain.limit import DOMAINS
from sanlab.results.slowest import slowest
from sanlab.simulation.execute import simulate_one_io

if TYPE_CHECKING:
    import pyarrow as pa

    from sanlab.results.run import Run

Rows = list[dict[str, Any]]

#: Most digits of the number of an I/O; no run has so many, and all of them fit into 64 bits.
_MOST_DIGITS = 18


@dataclass(frozen=True)
class Lane:
    """A place on the way.

    Attributes
    ----------
    kind
        `host` and `array`: what happens inside; `port`: an N_Port; `switch`.
    """

    name: str
    kind: str


@dataclass(frozen=True)
class Hop:
    """A frame from one transmitter to the next receiver.

    Attributes
    ----------
    lane, to_lane
        Places in the list of lanes.
    sent_ps, sent_last_ps, arrived_ps
        First bit out, last bit out, last bit in at `receiver`.
    queue_wait_ps, credit_wait_ps
        Waits at `sender` that end with the first bit: behind other frames and for the fibre, and
        for BB credit.
    credit_back_ps
        When the credit that it took is back at `sender`, where the fabric knows it: not on loops.
    fate
        `arrived`, `corrupted` or `cut off`.
    """

    exchange: int
    kind: str
    lane: int
    to_lane: int
    sender: str
    receiver: str
    offset_bytes: int
    payload_bytes: int
    wire_bytes: int
    seq_id: int
    seq_cnt: int
    is_last: bool
    sent_ps: int
    sent_last_ps: int
    arrived_ps: int
    queue_wait_ps: int
    credit_wait_ps: int
    credit_back_ps: int | None
    fate: str


@dataclass(frozen=True)
class Step:
    """A stage of the I/O, or of one of its commands.

    Attributes
    ----------
    command
        0 if the I/O is one command; else the number of the command from 1, and 0 for the I/O.
    lane
        The lane of the host or the array in which the time passes; None for stages on the way.
    """

    command: int
    stage: str
    lane: int | None
    from_ps: int
    to_ps: int


@dataclass(frozen=True)
class ExchangeOfIo:
    """An exchange of the I/O.

    Attributes
    ----------
    kind
        `host` for its commands, `mirror` for a copy, `back_end` for an operation on a disk.
    n_port, ox_id, opened_ps
        Name it among all exchanges of the run; `n_port` is the originator, as index into those of
        the plan.
    """

    kind: str
    initiator: str
    target: str
    n_port: int
    ox_id: int
    opened_ps: int


@dataclass(frozen=True)
class Ladder:
    """One I/O step by step.

    Attributes
    ----------
    steps
        In order of time; those of command 0 sum exactly to the response time.
    is_complete
        It was over when the run ended.
    """

    title: str
    workload: str
    op: str
    job: str
    number: int
    host: str
    lun: str
    offset_bytes: int
    bytes: int
    start_ps: int
    response_ps: int
    is_complete: bool
    has_failed: bool
    is_retried: bool
    lanes: list[Lane]
    exchanges: list[ExchangeOfIo]
    hops: list[Hop]
    steps: list[Step]

    @property
    def io(self) -> str:
        """Its name, `JOB#NUMBER`."""
        return f"{self.job}#{self.number}"

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"io": self.io, **asdict(self)}


def io_name(run: Run, *, io: str | None = None, rank: int = 1) -> tuple[str, int]:
    """Job and number of an I/O, from `JOB#NUMBER` or its place among the slowest of the run.

    Raises
    ------
    SanlabError
        The run has no such I/O.
    """
    if io is not None:
        job, mark, number = io.rpartition("#")
        if not mark or not number.isdecimal():
            reason = f"'{io}' names no I/O. Write JOB#NUMBER, as in sanlab explain --slowest --json"
            raise SanlabError(reason)
        digits = number.lstrip("0") or "0"
        if len(digits) > _MOST_DIGITS:
            reason = f"{job} has no I/O of so high a number ({len(digits)} digits)"
            raise SanlabError(reason)
        return job, int(digits)
    slow = slowest(run)
    if not slow:
        reason = (
            f"{run.folder} has no table of its slowest I/Os: none completed, it is a measurement, "
            "or it is of an earlier version. Simulate the scenario again"
        )
        raise SanlabError(reason)
    if not 1 <= rank <= len(slow):
        reason = f"{run.folder} has {len(slow)} slowest I/Os. Choose one of 1 to {len(slow)}"
        raise SanlabError(reason)
    return slow[rank - 1].job, slow[rank - 1].number


def ladder(run: Run, *, io: str | None = None, rank: int = 1) -> Ladder:
    """Simulate a run again up to the end of one I/O, and return what it did.

    Parameters
    ----------
    io
        `JOB#NUMBER`; without it the I/O at place `rank` among the slowest.

    Raises
    ------
    SanlabError
        The run has no such I/O, or this version of sanlab simulates it differently.
    """
    job, number = io_name(run, io=io, rank=rank)
    jobs = [one["name"] for one in run.plan["jobs"]]
    if job not in jobs:
        reason = f"{run.folder} has no job '{job}'. Its jobs are {', '.join(jobs[:6])}" + (
            f" and {len(jobs) - 6} more" if len(jobs) > 6 else ""
        )
        raise SanlabError(reason)
    tables = simulate_one_io(json.dumps(run.plan), jobs.index(job), number)
    rows = {name: _rows(table) for name, table in tables.items()}
    if not rows["requests"]:
        reason = f"{job} has no I/O {number} that sent a frame before the end of the run"
        raise SanlabError(reason)
    built = _build(run, job, number, rows)
    for known in slowest(run):
        if (known.job, known.number) == (job, number) and known.stages != stage_times(built):
            reason = (
                f"{run.folder} was made by another version of sanlab, which gave this I/O other "
                "times. Simulate the scenario again"
            )
            raise SanlabError(reason)
    return built


def stage_times(one: Ladder) -> dict[str, int]:
    """Time of each stage of the whole I/O, as in the table of the slowest."""
    times: dict[str, int] = {}
    for step in one.steps:
        if step.command == 0:
            times[step.stage] = times.get(step.stage, 0) + step.to_ps - step.from_ps
    return {stage: times[stage] for stage in DOMAINS if stage in times}


def _rows(table: pa.Table) -> Rows:
    found: Rows = table.to_pylist()
    return found


def _build(run: Run, job: str, number: int, rows: dict[str, Rows]) -> Ladder:
    plan = run.plan
    of_job = next(one for one in plan["jobs"] if one["name"] == job)
    host = plan["hosts"][of_job["host"]]["name"]
    requests = rows["requests"]
    whole = next((place for place, row in enumerate(requests) if row["is_whole"]), None)
    # An I/O in several commands that is not over: its commands alone are known.
    first = requests[0 if whole is None else whole]
    lanes = _lanes(plan, host, rows)
    places = {lane.name: place for place, lane in enumerate(lanes)}
    steps = _steps(rows["steps"], whole, places[host], places.get(_inside(first["array"])))
    own = [step for step in steps if step.command == 0]
    response = sum(step.to_ps - step.from_ps for step in own)
    is_complete = whole is not None and bool(first["has_ended"])
    return Ladder(
        title=run.title,
        workload=plan["workloads"][of_job["workload"]]["name"],
        op="read" if first["is_read"] else "write",
        job=job,
        number=number,
        host=host,
        lun=first["lun"],
        offset_bytes=first["offset_bytes"],
        bytes=first["bytes"],
        start_ps=first["start_ps"],
        response_ps=response,
        is_complete=is_complete,
        has_failed=is_complete and not first["is_good"],
        is_retried=bool(first["is_retried"]),
        lanes=lanes,
        exchanges=[
            ExchangeOfIo(**{name: row[name] for name in ExchangeOfIo.__dataclass_fields__})
            for row in rows["exchanges"]
        ],
        hops=_hops(rows["hops"], places, _nodes(plan)),
        steps=steps,
    )


def _inside(array: str) -> str:
    """The lane of what happens inside an array."""
    return f"in {array}"


def _nodes(plan: dict[str, Any]) -> dict[str, str]:
    """N_Ports are lanes of their own; ports of a switch belong to its lane."""
    return {port["name"]: port["name"] for port in plan["n_ports"]}


def _lane_of(port: str, nodes: dict[str, str]) -> str:
    return nodes.get(port) or port.rpartition(".")[0]


def _lanes(plan: dict[str, Any], host: str, rows: dict[str, Rows]) -> list[Lane]:
    """Host, its ports, switches, and arrays with their ports, in the order of the way."""
    nodes = _nodes(plan)
    boxes = {port["name"]: port["node"] for port in plan["n_ports"]}
    arrays = {array["name"] for array in plan["arrays"]}
    switches = {switch["name"] for switch in plan["switches"]}
    found: dict[str, Lane] = {host: Lane(host, "host")}

    def add(name: str) -> None:
        kind = "switch" if name in switches else "port"
        found.setdefault(name, Lane(name, kind))

    def add_inside(kind: str) -> None:
        for exchange in rows["exchanges"]:
            box = boxes[exchange["target"]]
            if exchange["kind"] == kind and box in arrays:
                found.setdefault(_inside(box), Lane(_inside(box), "array"))

    # Commands first, each by its way out, then the array with what it asks of others.
    for kind in ("host", "mirror", "back_end"):
        for number, exchange in enumerate(rows["exchanges"]):
            if exchange["kind"] == kind:
                add(exchange["initiator"])
                for hop in rows["hops"]:
                    if hop["exchange"] == number and hop["source"] == exchange["initiator"]:
                        add(_lane_of(hop["sender"], nodes))
                        add(_lane_of(hop["receiver"], nodes))
                add(exchange["target"])
        add_inside(kind)
    return list(found.values())


def _hops(rows: Rows, places: dict[str, int], nodes: dict[str, str]) -> list[Hop]:
    hops = []
    for row in sorted(rows, key=lambda row: (row["sent_ps"], row["arrived_ps"])):
        known = {name: row[name] for name in Hop.__dataclass_fields__ if name in row}
        known |= {
            "lane": places[_lane_of(row["sender"], nodes)],
            "to_lane": places[_lane_of(row["receiver"], nodes)],
            "is_last": bool(row["is_last"]),
            "credit_back_ps": row["credit_back_ps"] or None,
        }
        hops.append(Hop(**known))
    return hops


def _steps(rows: Rows, whole: int | None, host: int, array: int | None) -> list[Step]:
    """Stages; the I/O as a whole is command 0, its commands count from 1 where it has several."""
    commands = sorted({row["request"] for row in rows} - {whole})
    numbers = {request: number for number, request in enumerate(commands, start=1)}

    def lane(stage: str) -> int | None:
        if stage in {"recovery", "task_set"}:
            return host
        return {"host": host, "array": array}.get(DOMAINS[stage])

    steps = [
        Step(
            numbers.get(row["request"], 0),
            row["stage"],
            lane(row["stage"]),
            row["from_ps"],
            row["to_ps"],
        )
        for row in rows
    ]
    return sorted(steps, key=lambda step: (step.from_ps, step.to_ps, step.command))
