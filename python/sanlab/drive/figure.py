"""The distribution of response times, simulated beside measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sanlab.report.figures import PALETTE
from sanlab.vega_lite import Chart, chart, mark, nominal, quantitative

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sanlab.drive.replay import Result

#: Points drawn of each curve.
POINTS = 400


def response_cdf(result: Result) -> Chart:
    """Share of commands that took at most this long."""
    rows = _curve("simulated", result.response_ms)
    if result.measured_ms is not None:
        rows += _curve("measured", result.measured_ms)
    names = ["simulated", "measured"]
    curves = chart(
        rows,
        mark("line", interpolate="step-after"),
        x=quantitative("response_ms", title="Response time (ms)"),
        y=quantitative("share", title="Share of commands", axis={"format": "%"}),
        color=nominal("what", title=None, scale={"domain": names, "range": list(PALETTE[:2])}),
        strokeDash=nominal("what", legend=None, scale={"domain": names, "range": [[1, 0], [5, 3]]}),
    )
    title = f"{result.drive.name}: response time"
    return curves.with_properties(width=560, height=320, title=title)


def _curve(what: str, times: NDArray[np.float64]) -> list[dict[str, Any]]:
    shares = np.linspace(0, 1, POINTS + 1)
    values = np.quantile(times, shares)
    return [
        {"what": what, "response_ms": round(float(value), 4), "share": round(float(share), 5)}
        for value, share in zip(values, shares, strict=True)
    ]


def svg_of(result: Result) -> str:
    """The chart as SVG."""
    return response_cdf(result).to_svg()
