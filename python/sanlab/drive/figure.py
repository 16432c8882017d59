"""The distribution of response times, simulated beside measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from sanlab.report.figures import PALETTE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sanlab.drive.replay import Result

#: Points drawn of each curve.
POINTS = 400


def response_cdf(result: Result) -> alt.Chart:
    """Share of commands that took at most this long."""
    rows = _curve("simulated", result.response_ms)
    if result.measured_ms is not None:
        rows += _curve("measured", result.measured_ms)
    names = ["simulated", "measured"]
    chart = alt.Chart(alt.InlineData(values=rows), title=f"{result.drive.name}: response time")
    drawn: alt.Chart = (
        chart.mark_line(interpolate="step-after")
        .encode(
            x=alt.X("response_ms:Q", title="Response time (ms)"),
            y=alt.Y("share:Q", title="Share of commands", axis=alt.Axis(format="%")),
            color=alt.Color("what:N", title=None, scale=alt.Scale(domain=names, range=PALETTE[:2])),
            strokeDash=alt.StrokeDash(
                "what:N", legend=None, scale=alt.Scale(domain=names, range=[[1, 0], [5, 3]])
            ),
        )
        .properties(width=560, height=320)
    )
    return drawn


def _curve(what: str, times: NDArray[np.float64]) -> list[dict[str, Any]]:
    shares = np.linspace(0, 1, POINTS + 1)
    values = np.quantile(times, shares)
    return [
        {"what": what, "response_ms": round(float(value), 4), "share": round(float(share), 5)}
        for value, share in zip(values, shares, strict=True)
    ]


def svg_of(result: Result) -> str:
    """The chart as SVG."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(response_cdf(result).to_dict())
    return svg
