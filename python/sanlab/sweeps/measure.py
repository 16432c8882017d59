"""Headline numbers of one point: what a worker does, wherever it runs."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sanlab.errors import RunError
from sanlab.results.latency import response_percentiles
from sanlab.results.loops import uses
from sanlab.results.phases import phases
from sanlab.results.ports import on_links
from sanlab.results.steady import steady
from sanlab.results.throughput import totals
from sanlab.simulation.execute import simulate_here
from sanlab.simulation.manifest import Manifest, sanlab_version

if TYPE_CHECKING:
    import pyarrow as pa

    from sanlab.results.phases import PhaseFigures
    from sanlab.results.steady import Steady
    from sanlab.simulation.execute import Outcome

#: Percentiles a sweep keeps.
PERCENTILES = (50.0, 95.0, 99.0)
Row = dict[str, Any]


class Stopped(Exception):  # noqa: N818  a requested stop, not an error
    """The simulation was stopped before its end."""


class Memory:
    """A run that was never written: what `sanlab.results` asks questions of."""

    def __init__(self, plan_json: str, outcome: Outcome) -> None:
        self._plan_json = plan_json
        self._tables = outcome.tables
        self._rows: dict[str, list[Row]] = {}
        self.manifest = Manifest(
            sanlab_version=sanlab_version(), title="", scenario_file="", seed=0, **outcome.summary
        )

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The plan as plain data."""
        plan: dict[str, Any] = json.loads(self._plan_json)
        return plan

    @property
    def tables(self) -> list[str]:
        """Names of the tables there are."""
        return sorted(self._tables)

    def table(self, name: str) -> pa.Table:
        """One table."""
        return self._tables[name]

    def rows(self, name: str) -> list[Row]:
        """One table as a list of rows."""
        if name not in self._rows:
            self._rows[name] = self._tables[name].to_pylist() if name in self._tables else []
        return self._rows[name]


def run_in_memory(
    plan_json: str,
    control: Any = None,  # noqa: ANN401  ours, compiled
    version: str = "",
) -> Memory:
    """Simulate a plan in this thread, of this machine or of a worker, up to its end.

    Raises
    ------
    RunError
        The run failed, or this is another sanlab than the one that asks.
    Stopped
        The control stopped it.
    """
    if version and version != sanlab_version():
        message = f"A worker has sanlab {sanlab_version()}, and the sweep is of {version}"
        raise VersionError(message)
    outcome = simulate_here(plan_json, control)
    if not outcome.summary["is_complete"]:
        raise Stopped
    return Memory(plan_json, outcome)


def measure_point(
    plan_json: str,
    warm_up: str,
    control: Any = None,  # noqa: ANN401  ours, compiled
    version: str = "",
) -> list[Row]:
    """Simulate a plan; one row for all I/Os together, and one for each workload and operation.

    Rows of each phase follow, likewise.

    Raises
    ------
    RunError
        The run failed, or this is another sanlab than the one that asks.
    Stopped
        The control stopped it.
    """
    run = run_in_memory(plan_json, control, version)
    common = {
        "fingerprint": run.manifest.fingerprint,
        "simulated_ps": run.manifest.simulated_ps,
        "wall_s": run.manifest.wall_s,
    }
    rows = [_total(run, warm_up)]
    flows = run.rows("workloads")
    rows += [_flow(run, flow, warm_up, is_alone=len(flows) == 1) for flow in flows]
    limiting = _limiting(run)
    rows = [row | limiting for row in rows] + _phase_rows(run)
    return [row | common for row in rows]


class VersionError(RunError):
    """Workers and sweep are of different versions."""


def _total(run: Memory, rule: str) -> Row:
    total = totals(run)
    # Tables of times are merged only where there is more than one.
    tail = response_percentiles(run, PERCENTILES) if total.io_count else {}
    return {
        "workload": None,
        "op": None,
        "io_count": total.io_count,
        "iops": total.iops,
        "throughput_bytes_per_s": total.throughput_bytes_per_s,
        "response_mean_ps": total.response_mean_ps,
        **{f"response_p{percent:g}_ps": tail.get(percent) for percent in PERCENTILES},
        **_means(steady(run, rule=rule) if total.io_count else None),
    }


def _flow(run: Memory, flow: Row, rule: str, *, is_alone: bool) -> Row:
    tail = response_percentiles(run, PERCENTILES, workload=flow["workload"], op=flow["op"])
    means = steady(run, flow["workload"], None if is_alone else flow["op"], rule=rule)
    return {
        "workload": flow["workload"],
        "op": flow["op"],
        **{
            name: flow[name]
            for name in ("io_count", "iops", "throughput_bytes_per_s", "response_mean_ps")
        },
        **{f"response_p{percent:g}_ps": tail.get(percent) for percent in PERCENTILES},
        **_means(means),
    }


def _phase_rows(run: Memory) -> list[Row]:
    """Rows of the phases in the order of time: all I/Os of one together, then its flows."""
    by_phase: dict[str, list[PhaseFigures]] = {}
    for figures in phases(run):
        by_phase.setdefault(figures.phase, []).append(figures)
    rows = []
    for flows in by_phase.values():
        rows.append(_phase_total(flows))
        rows += [_phase_row(flow) | {"workload": flow.workload, "op": flow.op} for flow in flows]
    return rows


def _phase_total(flows: list[PhaseFigures]) -> Row:
    """All I/Os of a phase; percentiles of several flows cannot be merged and are missing."""
    if len(flows) == 1:
        return _phase_row(flows[0]) | {"workload": None, "op": None}
    count = sum(flow.io_count for flow in flows)
    spent = sum(flow.io_count * (flow.response_mean_ps or 0.0) for flow in flows)
    return {
        "phase": flows[0].phase,
        "workload": None,
        "op": None,
        "io_count": count,
        "iops": sum(flow.iops for flow in flows),
        "throughput_bytes_per_s": sum(flow.throughput_bytes_per_s for flow in flows),
        "response_mean_ps": spent / count if count else None,
    }


def _phase_row(flow: PhaseFigures) -> Row:
    return {
        "phase": flow.phase,
        "io_count": flow.io_count,
        "iops": flow.iops,
        "throughput_bytes_per_s": flow.throughput_bytes_per_s,
        "response_mean_ps": flow.response_mean_ps,
        **{f"response_p{percent:g}_ps": flow.response_ps.get(percent) for percent in PERCENTILES},
    }


def _means(means: Steady | None) -> Row:
    """Means without the warm-up in place of those of the whole window."""
    if means is None:
        return {"warm_up_rule": None, "is_settled": None, "steady_from_ps": None}
    row: Row = {
        "warm_up_rule": means.rule,
        "is_settled": means.is_settled,
        "steady_from_ps": means.from_ps,
    }
    for name, interval in (
        ("iops", means.iops),
        ("throughput_bytes_per_s", means.throughput_bytes_per_s),
        ("response_mean_ps", means.response_mean_ps),
    ):
        row[name] = interval.mean
        row[f"{name}_half_width"] = interval.half_width
    return row


def _limiting(run: Memory) -> Row:
    """The port of a link, the loop or the station that is busiest."""
    ports = [(row["tx_utilisation"], row["port"], "port") for row in on_links(run)]
    loops = [(use.share, use.name, use.kind) for use in uses(run)]
    stations = [(row["utilisation"], row["station"], row["kind"]) for row in run.rows("stations")]
    busiest = min(ports + loops + stations, key=lambda e: (-e[0], e[1]), default=(None, None, None))
    return {
        "limiting_utilisation": busiest[0],
        "limiting_element": busiest[1],
        "limiting_kind": busiest[2],
    }
