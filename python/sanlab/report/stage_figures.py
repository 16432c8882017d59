"""Charts of the stages of I/Os: over the whole run, and over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sanlab.report.charts import Rows, Unit, number, rounded_rows, sized, time_unit
from sanlab.results.columns import STAGES, stage_name
from sanlab.results.slowest import slowest
from sanlab.vega_lite import chart, mark, nominal, quantitative
from sanlab.words import show_time

if TYPE_CHECKING:
    from sanlab.results.run import Run
    from sanlab.vega_lite import Channel, Chart

#: Bars of stages in one plot.
FLOWS_STACKED = 14
#: Workloads whose stages are drawn over time; those with most bytes.
WORKLOADS_SHOWN = 4
#: Slowest I/Os drawn.
SLOWEST_SHOWN = 20
#: Place of each stage along the path.
_ORDER: Final = {name: place for place, name in enumerate(STAGES)}
_STAGE_COLOURS = dict(
    zip(
        STAGES,
        (
            "#999999", "#3f51b5", "#D55E00", "#bdbdbd", "#c7a76c", "#F0A860", "#a3b100", "#B2182B",
            "#0072B2", "#56B4E9", "#ff3d00", "#7a3b00", "#e7298a", "#009E73", "#66C2A5", "#E69F00",
            "#8856a7", "#b39ddb", "#5e3c99", "#C51B7D", "#CC79A7", "#4d4d4d", "#6b8e9e",
        ),
        strict=True,
    )
)  # fmt: skip


def stages(run: Run) -> Chart | None:
    """Mean time of an I/O in each stage, one bar for each workload and operation."""
    unit = time_unit(max((row["response_mean_ps"] for row in run.rows("workloads")), default=0) / 3)
    x = quantitative(
        "time",
        title=f"mean time of an I/O ({unit.name})",
        axis={"tickCount": 10},
        stack="zero",
    )
    return _bars(run, unit, x)


def stage_shares(run: Run) -> Chart | None:
    """The same as shares of the response time, so that fast and slow workloads compare."""
    if len(run.rows("workloads")) < 2:
        return None
    unit = time_unit(max(row["response_mean_ps"] for row in run.rows("workloads")) / 3)
    x = quantitative(
        "share",
        title="share of the response time",
        axis={"format": "%", "tickCount": 10},
        scale={"domain": [0, 1]},
        stack="zero",
    )
    return _bars(run, unit, x)


def _bars(run: Run, unit: Unit, x: Channel) -> Chart | None:
    rows = [
        {
            "flow": f"{row['workload']} {row['op']}",
            "stage": stage_name(row["stage"]),
            "key": row["stage"],
            "what": STAGES.get(row["stage"], ""),
            "order": _ORDER.get(row["stage"], len(_ORDER)),
            "time": row["mean_ps"] / unit.ps,
            "share": row["share"],
        }
        for row in run.rows("stages")
        if row["total_ps"] > 0
    ]
    if not rows:
        return None
    flows = [f"{row['workload']} {row['op']}" for row in run.rows("workloads")][:FLOWS_STACKED]
    rows = [row for row in rows if row["flow"] in flows]
    shown = sorted({row["key"] for row in rows}, key=lambda name: _ORDER.get(name, len(_ORDER)))
    bars = chart(
        rounded_rows(rows),
        mark("bar", height={"band": 0.7}, stroke="#ffffff", strokeWidth=0.5),
        y=nominal("flow", title=None, sort=flows, axis={"labelLimit": 190}),
        x=x,
        order=quantitative("order"),
        color=_colour(shown),
        tooltip=[
            nominal("flow"),
            nominal("stage"),
            nominal("what"),
            number("time", unit.name),
            quantitative("share", format=".1%"),
        ],
    )
    return sized(bars, max(70, 42 * len(flows)))


def slowest_ios(run: Run) -> Chart | None:
    """The slowest I/Os stage by stage, one bar each."""
    slow = slowest(run)[:SLOWEST_SHOWN]
    if not slow:
        return None
    unit = time_unit(slow[0].response_ps / 3)
    names = [f"{io.rank}. {io.workload} {io.op}" for io in slow]
    rows: Rows = [
        {
            "io": name,
            "place": f"{io.host}, {io.lun}, at {show_time(io.start_ps)}",
            "stage": stage_name(stage),
            "order": _ORDER[stage],
            "time": spent / unit.ps,
            "share": spent / io.response_ps,
        }
        for io, name in zip(slow, names, strict=True)
        for stage, spent in io.stages.items()
    ]
    shown = [stage for stage in STAGES if any(stage in io.stages for io in slow)]
    bars = chart(
        rounded_rows(rows),
        mark("bar", height={"band": 0.75}, stroke="#ffffff", strokeWidth=0.5),
        y=nominal("io", title=None, sort=names, axis={"labelLimit": 190}),
        x=quantitative("time", title=f"time since the call ({unit.name})", stack="zero"),
        order=quantitative("order"),
        color=_colour(shown),
        tooltip=[
            nominal("io"),
            nominal("place"),
            nominal("stage"),
            number("time", unit.name),
            quantitative("share", format=".1%"),
        ],
    )
    return sized(bars, 40 + 20 * len(slow)).with_properties(
        title="The slowest I/Os, stage by stage"
    )


def stages_over_time(run: Run) -> dict[str, Chart]:
    """Mean time of an I/O in each stage over simulated time, a chart for each workload."""
    if "stage_series" not in run.tables:
        return {}
    moved: dict[str, int] = {}
    counts: dict[tuple[str, int], int] = {}
    for row in run.rows("workload_series"):
        moved[row["workload"]] = moved.get(row["workload"], 0) + row["bytes"]
        key = row["workload"], row["time_ps"]
        counts[key] = counts.get(key, 0) + row["io_count"]
    spent: dict[str, dict[tuple[int, str], int]] = {}
    for row in run.rows("stage_series"):
        bins = spent.setdefault(row["workload"], {})
        place = row["time_ps"], row["stage"]
        bins[place] = bins.get(place, 0) + row["total_ps"]
    most = sorted(spent, key=lambda name: (-moved.get(name, 0), name))[:WORKLOADS_SHOWN]
    return {
        f"stages_over_time_{place}": _over_time(
            name, spent[name], counts, run.manifest.simulated_ps
        )
        for place, name in enumerate(most)
    }


def _over_time(
    workload: str,
    spent: dict[tuple[int, str], int],
    counts: dict[tuple[str, int], int],
    end_ps: int,
) -> Chart:
    stages = {stage for _, stage in spent}
    times = sorted({at for at, _ in spent})
    means = {
        (at, stage): spent.get((at, stage), 0) / max(1, counts.get((workload, at), 0))
        for at in times
        for stage in stages
    }
    sums = {at: sum(means[at, stage] for stage in stages) for at in times}
    unit, clock = time_unit(max(sums.values()) / 3), time_unit(end_ps)
    rows: Rows = [
        {
            "at": at / clock.ps,
            "stage": stage_name(stage),
            "order": _ORDER.get(stage, len(_ORDER)),
            "time": mean / unit.ps,
        }
        for (at, stage), mean in means.items()
    ]
    shown = sorted(stages, key=lambda name: _ORDER.get(name, len(_ORDER)))
    areas = chart(
        rounded_rows(rows),
        mark("area", interpolate="step-before"),
        x=quantitative(
            "at",
            title=f"simulated time ({clock.name})",
            scale={"domain": [0, end_ps / clock.ps], "nice": False},
        ),
        y=quantitative("time", title=f"mean time of an I/O ({unit.name})", stack="zero"),
        order=quantitative("order"),
        color=_colour(shown),
        tooltip=[number("at", clock.name), nominal("stage"), number("time", unit.name)],
    )
    return sized(areas).with_properties(title=workload)


def _colour(shown: list[str]) -> Channel:
    """The colours of these stages, the same in every chart."""
    return nominal(
        "stage",
        title="stage",
        sort=[stage_name(name) for name in shown],
        scale={
            "domain": [stage_name(name) for name in shown],
            "range": [_STAGE_COLOURS[name] for name in shown],
        },
    )
