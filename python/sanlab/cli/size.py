"""`sanlab size`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sanlab.cli.outcome import (
    ClusterOption,
    FileArgument,
    JsonOption,
    SetOption,
    outcome,
    progress,
    show_json,
)
from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.sizing.point import Point
    from sanlab.sizing.size import Edge, Sizing

#: Most settings of one search that are listed.
POINTS_SHOWN = 12


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("size")(size)


def size(
    file: FileArgument,
    goals: Annotated[
        list[str],
        typer.Option(
            "--goal",
            metavar="GOAL",
            help="What has to hold, 'oltp.p99 < 2ms' or 'throughput > 1GB/s'; repeatable.",
        ),
    ],
    vary: Annotated[
        list[str],
        typer.Option(
            "--vary",
            metavar="PATH=LOW..HIGH",
            help="What is varied, N=1..64 or links[0].length=1km..100km; twice for a frontier.",
        ),
    ],
    sets: SetOption = None,
    page: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Also write one HTML page.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="Results so far; default runs/trials."),
    ] = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the most, or the fewest, with which goals are still met, and what limits just beyond.

    Figures of a goal are throughput, iops, mean, p50, p99, p99.9, worst, errors and cpu, of one
    workload or of all together. Both ends are simulated, then sections in parallel. A setting so
    near a bound that its 95 % interval holds it is simulated with five seeds. Results are kept, so
    an interrupted search goes on.
    """
    with outcome(as_json=as_json):
        from sanlab.scenario.overrides import parse_assignment
        from sanlab.simulation.folder import DEFAULT_PARENT
        from sanlab.sizing.axis import parse_axis
        from sanlab.sizing.goal import parse_goal
        from sanlab.sizing.size import Question
        from sanlab.sizing.size import size as find_size
        from sanlab.trials.places import place_at

        question = Question(
            Path(file),
            tuple(parse_goal(text) for text in goals),
            tuple(parse_axis(text) for text in vary),
            dict(parse_assignment(text) for text in sets or []),
        )
        with place_at(cluster) as place:
            found = find_size(
                question,
                cache=Path(out) if out else DEFAULT_PARENT / "trials",
                on_point=progress(lambda done: f"{done} settings simulated"),
                place=place,
            )
        written = None
        if page is not None:
            from sanlab.sizing.page import write_page

            written = write_page(found, page)
        if as_json:
            show_json(_document(found) | ({} if written is None else {"page": str(written)}))
        else:
            typer.echo("\n".join([*_lines(found), *([f"page {written}"] if written else [])]))


def _lines(found: Sizing) -> list[str]:
    goals = " and ".join(goal.text for goal in found.goals)
    lines = [f"{found.title or 'Size'}: {goals}", ""]
    if found.is_frontier:
        return lines + _frontier(found)
    edge = found.edges[0]
    rows = [[edge.axis.path, *(goal.text for goal in found.goals), ""]]
    points = _near(edge)
    rows += [
        [
            point.setting[-1][1],
            *("too few I/Os" if one.value is None else one.shown for one in point.values),
            _word(point),
        ]
        for point in points
    ]
    width = len(found.goals) + 1
    for row in rows:
        row.extend([""] * (width + 1 - len(row)))
    lines += text_table(rows, words={width})
    more = len(edge.found.points) - len(points)
    lines += [f"and {more} settings farther from the edge"] if more else []
    return [*lines, "", *_answer(edge), *_notes(found)]


def _frontier(found: Sizing) -> list[str]:
    first, second = found.axes
    rows = [[first.path, second.path, "beyond it"]]
    for edge in found.edges:
        beyond = edge.beyond_point
        limit = _limit(beyond) if beyond else "met by all values"
        rows.append([edge.fixed or "", edge.last or "none", limit])
    return [*text_table(rows, words={2}), *_notes(found)]


def _near(edge: Edge) -> list[Point]:
    """The settings nearest to the edge, in order."""
    at = edge.found.last if edge.found.last is not None else edge.found.beyond or 0
    nearest = sorted(edge.found.points, key=lambda place: abs(place - at))[:POINTS_SHOWN]
    return [edge.found.points[place] for place in sorted(nearest)]


def _answer(edge: Edge) -> list[str]:
    path = edge.axis.path
    if edge.last is None:
        worst = edge.found.points[min(edge.found.points)]
        return [f"no value of {path} meets the goals; {_limit(worst)}"]
    if edge.beyond is None or edge.beyond_point is None:
        return [f"all values of {path} up to {edge.last} meet the goals; both ends were simulated"]
    return [
        f"{_side(edge)}: {path}={edge.last}",
        f"with {edge.beyond}: {_limit(edge.beyond_point)}",
    ]


def _side(edge: Edge) -> str:
    """The word for the last value that meets the goals; words have no order."""
    first = edge.axis.values[0]
    if not first[:1].isdigit():
        return "met with"
    if first.isdigit():
        return "most" if edge.found.is_upward else "fewest"
    return "highest" if edge.found.is_upward else "lowest"


def _limit(point: Point) -> str:
    return point.refusal or "; ".join(point.limits[:2])


def _notes(found: Sizing) -> list[str]:
    lines = []
    near = [edge for edge in found.edges if not all(point.is_sure for point in _ends(edge))]
    if near:
        seeds = max(point.seeds for edge in near for point in _ends(edge))
        lines.append(
            f"Note: at the edge{_where(found, near)} a goal is within its 95 % interval of its"
            f" bound, with {seeds} seeds. A longer measure.duration tells more"
        )
    for edge in found.edges:
        if edge.found.odd:
            odd = ", ".join(edge.axis.values[at] for at in edge.found.odd[:4])
            lines.append(
                f"Note: goals are met and missed in turns{_where(found, [edge])}, also at {odd};"
                " the answer is one of the edges"
            )
    return lines


def _ends(edge: Edge) -> list[Point]:
    return [point for point in (edge.last_point, edge.beyond_point) if point is not None]


def _where(found: Sizing, edges: list[Edge]) -> str:
    """Which edges of a frontier are meant; empty with one parameter."""
    values = [edge.fixed for edge in edges if edge.fixed is not None]
    return f" with {found.axes[0].path}={','.join(values)}" if values else ""


def _word(point: Point) -> str:
    if point.refusal:
        return f"not possible: {point.refusal}"
    return "met" if point.is_met else "missed"


def _document(found: Sizing) -> dict[str, Any]:
    return {
        "title": found.title,
        "goals": [goal.text for goal in found.goals],
        "vary": [axis.path for axis in found.axes],
        "edges": [
            {
                "fixed": edge.fixed,
                "last": edge.last,
                "beyond": edge.beyond,
                "is_upward": edge.found.is_upward,
                "contradicts": [edge.axis.values[at] for at in edge.found.odd],
                "points": [_point_document(point) for point in edge.found.points.values()],
            }
            for edge in found.edges
        ],
    }


def _point_document(point: Point) -> dict[str, Any]:
    return {
        "setting": dict(point.setting),
        "is_met": point.is_met,
        "is_sure": point.is_sure,
        "seeds": point.seeds,
        "values": [
            {"goal": one.goal.text, "value": one.value, "half_width": one.half_width}
            for one in point.values
        ],
        "limits": list(point.limits),
        "refusal": point.refusal,
    }
