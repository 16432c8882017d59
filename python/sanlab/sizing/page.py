"""The page of a size: one HTML file with the settings, the edge and its plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from sanlab.compare.figures import METRICS
from sanlab.report.page import REPORT_SCRIPT, STYLE, json_in_html, template, vega
from sanlab.simulation.folder import write_file
from sanlab.sweeps.syntax import amounts, split_number
from sanlab.vega_lite import chart, layer, mark, nominal, quantitative

if TYPE_CHECKING:
    from sanlab.sizing.goal import Goal
    from sanlab.sizing.point import Point
    from sanlab.sizing.size import Edge, Sizing
    from sanlab.vega_lite import Chart

_TEMPLATES = Path(__file__).parent / "templates"
#: Units of plots: name, and what values are divided by.
_UNITS = {
    "ps": ("ms", 1e9),
    "B/s": ("MB/s", 1e6),
    "1": ("%", 0.01),
    "1/s": ("", 1.0),
    "": ("", 1.0),
}
#: From this factor between largest and smallest value on, an axis is logarithmic.
LOG_FACTOR = 16
_MET, _MISSED = "#0072B2", "#D55E00"


def write_page(found: Sizing, file: str) -> Path:
    """Write a size as one HTML page; return its path."""
    drawn = [_frontier(found)] if found.is_frontier else _lines(found)
    charts = {f"c{number}": one.specification for number, one in enumerate(drawn) if one}
    text = template(_TEMPLATES, "size.html").render(
        title=found.title or "Size",
        goals=[goal.text for goal in found.goals],
        side="Up to" if all(edge.found.is_upward for edge in found.edges) else "From",
        axes=[axis.path for axis in found.axes],
        edges=[_edge(edge) for edge in found.edges],
        columns=[*(axis.path for axis in found.axes), *(goal.text for goal in found.goals)],
        charts=list(charts),
        chart_data=Markup(json_in_html(charts)),
        style=Markup(STYLE.read_text(encoding="utf-8")),
        script=Markup(REPORT_SCRIPT.read_text(encoding="utf-8")),
        vega=Markup(vega() if charts else ""),
    )
    path = Path(file)
    write_file(path, text)
    return path


def _edge(edge: Edge) -> dict[str, Any]:
    beyond = edge.beyond_point
    return {
        "fixed": edge.fixed,
        "last": edge.last or "none",
        "beyond": edge.beyond or "",
        "limit": "" if beyond is None else beyond.refusal or "; ".join(beyond.limits[:2]),
        "points": [_cells(point) for point in edge.found.points.values()],
    }


def _cells(point: Point) -> list[str]:
    """Cells of a setting: its values, its figures, and whether it meets the goals."""
    cells = [value for _, value in point.setting]
    cells += [one.shown for one in point.values]
    cells += ["–"] * (len(point.setting) + len(point.values) - len(cells))
    if point.refusal:
        return [*cells, f"not possible: {point.refusal}"]
    word = "met" if point.is_met else "missed"
    return [*cells, word if point.is_sure else f"{word}, near the bound"]


def _lines(found: Sizing) -> list[Chart | None]:
    """A plot for each goal: its figure over the parameter, and the bound."""
    edge = found.edges[0]
    sizes = amounts(edge.axis.values)
    if sizes is None:
        return []
    return [_line(edge, sizes, goal, number) for number, goal in enumerate(found.goals)]


def _line(edge: Edge, sizes: list[float], goal: Goal, number: int) -> Chart | None:
    unit, factor = _UNITS[METRICS[goal.metric].unit]
    scale, name = _scaled(edge.axis.values, sizes)
    rows: list[dict[str, Any]] = []
    for at, point in edge.found.points.items():
        value = point.values[number] if point.values else None
        if value is None or value.value is None:
            continue
        half = (value.half_width or 0.0) / factor
        rows.append(
            {
                "x": sizes[at] / scale,
                "y": value.value / factor,
                "low": value.value / factor - half,
                "high": value.value / factor + half,
                "goals": "met" if point.is_met else "missed",
                "setting": edge.axis.values[at],
            }
        )
    if not rows:
        return None
    title = f"{edge.axis.path}{f' ({name})' if name else ''}"
    figure = f"{METRICS[goal.metric].title}{f' ({unit})' if unit else ''}"
    x = quantitative("x", title=title, scale={"zero": False})
    values = [row[key] for row in rows for key in ("low", "y")] + [goal.bound / factor]
    is_wide = min(values) > 0 and max(values) > LOG_FACTOR * min(values)
    scale_of_y = {"type": "log"} if is_wide else {"zero": True}
    colour = nominal(
        "goals", title="goals", scale={"domain": ["met", "missed"], "range": [_MET, _MISSED]}
    )
    tips = [nominal("setting"), quantitative("y", title=figure, format=",.4~r")]
    bound = chart(
        [{"bound": goal.bound / factor}],
        mark("rule", color="#666", strokeDash=[5, 4]),
        y=quantitative("bound", scale=scale_of_y),
    )
    spread = chart(
        rows,
        mark("rule", strokeWidth=1.4),
        x=x,
        y=quantitative("low", title=figure, scale=scale_of_y),
        y2={"field": "high"},
        color=colour,
    )
    points = chart(
        rows,
        mark("point", filled=True, size=52),
        x=x,
        y=quantitative("y", title=figure, scale=scale_of_y),
        color=colour,
        tooltip=tips,
    )
    return layer(bound, spread, points).with_properties(width="container", height=280)


def _scaled(values: tuple[str, ...], sizes: list[float]) -> tuple[float, str]:
    """What amounts are divided by so that a plot shows the unit that was written."""
    written = split_number(values[-1])
    if written is None or not written[0]:
        return 1.0, ""
    return sizes[-1] / float(written[0]), written[1]


def _frontier(found: Sizing) -> Chart | None:
    """The edge of the second parameter over the first."""
    first, second = found.axes
    across, along = amounts(first.values), amounts(second.values)
    if across is None or along is None:
        return None
    x_scale, x_unit = _scaled(first.values, across)
    y_scale, y_unit = _scaled(second.values, along)
    rows = [
        {
            "x": across[first.values.index(edge.fixed or "")] / x_scale,
            "y": along[edge.found.last] / y_scale,
            "setting": f"{edge.fixed}, {edge.last}",
        }
        for edge in found.edges
        if edge.found.last is not None
    ]
    if not rows:
        return None
    return chart(
        rows,
        mark("line", strokeWidth=1.8, point={"size": 46}, color=_MET),
        x=quantitative("x", title=f"{first.path}{f' ({x_unit})' if x_unit else ''}"),
        y=quantitative(
            "y", title=f"{second.path}{f' ({y_unit})' if y_unit else ''}", scale={"zero": True}
        ),
        tooltip=[nominal("setting")],
    ).with_properties(width="container", height=300)
