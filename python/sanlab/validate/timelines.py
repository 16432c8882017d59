"""The rates of ports over the time of a case, as the port monitor of a switch shows them."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from sanlab.errors import SanlabError
from sanlab.quantities import PS_PER_S
from sanlab.report.figures import PALETTE
from sanlab.validate.plots import DASHES, STROKES, published_rule
from sanlab.vega_lite import Chart, chart, constant, layer, mark, nominal, quantitative

if TYPE_CHECKING:
    from sanlab.results.record import Record
    from sanlab.validate.study import Timeline
    from sanlab.vega_lite import Datum

_WIDTH, _HEIGHT = 560, 220
_MIB = 2**20
#: Runs that are shorter, in seconds, have an axis in milliseconds.
_SHORT = 2.0


def draw_timeline(timeline: Timeline, run: Record) -> Chart:
    """Draw a line for each group of ports, and a rule at each moment."""
    points = rates(timeline, run)
    end = max(point["s"] for point in points)
    unit, per_second = ("ms", 1000) if end < _SHORT else ("s", 1)
    for point in points:
        point["x"] = point["s"] * per_second
    names = list(timeline.ports)
    colours = {"domain": names, "range": list(PALETTE[: len(names)])}
    legend: dict[str, Any] = {"orient": "top", "title": None, **STROKES}
    x = quantitative("x", title=f"Time in {unit}", scale={"domain": [0, end * per_second]})
    y = quantitative("y", title="MiB/s", scale={"zero": True})
    color = nominal("line", sort=names, scale=colours, legend=legend)
    dashes = {"domain": names, "range": DASHES[: len(names)]}
    dash = nominal("line", sort=names, scale=dashes, legend=legend)
    line = mark("line", interpolate="step-before")
    layers = [chart(points, line, x=x, y=y, color=color, strokeDash=dash)]
    for rate in timeline.published:
        layers += published_rule(rate, y)
    for words, at in timeline.moments.items():
        value: list[Datum] = [{"x": at * per_second, "words": words}]
        rule = mark("rule", strokeDash=[4, 3], color="#555555")
        text = mark("text", align="left", dx=-2, dy=-7, fontSize=12, color="#555555")
        layers.append(chart(value, rule, x=x))
        layers.append(chart(value, text, x=x, y=constant(0), text=nominal("words")))
    return layer(*layers).with_properties(width=_WIDTH, height=_HEIGHT)


def rates(timeline: Timeline, run: Record) -> list[dict[str, Any]]:
    """Return the payload of each line in MiB/s: a point for each bin, at its end.

    Raises
    ------
    SanlabError
        No port of the run has a name that fits a line.
    """
    series = run.table("port_series")
    sent: dict[tuple[str, int], int] = defaultdict(int)
    columns = (series[name].to_pylist() for name in ("port", "time_ps", "tx_payload_bytes"))
    for port, end, payload in zip(*columns, strict=True):
        for line, patterns in timeline.ports.items():
            if any(fnmatchcase(port, pattern) for pattern in patterns):
                sent[line, end] += payload
    missing = set(timeline.ports) - {line for line, _ in sent}
    if missing:
        reason = f"'{timeline.title}': no port of {timeline.case} fits '{min(missing)}'"
        raise SanlabError(reason)
    points, before = [], dict.fromkeys(timeline.ports, 0)
    for line, end in sorted(sent, key=lambda key: key[1]):
        seconds = (end - before[line]) / PS_PER_S
        rate = sent[line, end] / seconds / _MIB
        points.append({"s": end / PS_PER_S, "y": rate, "line": line})
        before[line] = end
    return points
