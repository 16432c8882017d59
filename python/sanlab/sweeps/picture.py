"""One plot of a sweep as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from sanlab.errors import SanlabError
from sanlab.simulation.folder import growing_file
from sanlab.sweeps.figures import (
    Axes,
    along,
    check_axes,
    choose_axes,
    facets,
    heat_map,
    held_values,
    hockey_stick,
    parameter_of,
    standalone,
    values_of,
)
from sanlab.sweeps.result import Sweep

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.sweeps.result import Row
    from sanlab.vega_lite import Chart

#: Stands for the load in place of a parameter along x.
LOAD = "iops"


@dataclass(frozen=True)
class Wanted:
    """What is to be drawn; None if the sweep may choose."""

    x: str | None = None
    y: str = "iops"
    series: str | None = None
    facet: str | None = None
    phase: str | None = None
    is_heat_map: bool = False


@dataclass(frozen=True)
class Drawn:
    """A plot that was written."""

    file: Path
    held: dict[str, Any]
    """Parameters with several values, and the only one that the plot shows."""


def draw(sweep: Sweep, wanted: Wanted, out: Path | None = None) -> Drawn:
    """Write one plot; parameters that vary fill the axes that are not wanted.

    Raises
    ------
    SanlabError
        The sweep has nothing of the kind, or the file is neither SVG nor PNG.
    """
    path = out or sweep.folder / f"{wanted.y}.svg"
    kind = _kind_of(path)
    axes = _axes(sweep, wanted)
    picture = _picture(sweep, wanted, axes)
    with growing_file(path) as growing:
        if kind == "png":
            growing.write_bytes(picture.to_png(scale=2))
        else:
            growing.write_text(picture.to_svg(), encoding="utf-8")
    held = held_values(sweep, axes, wanted.phase)
    return Drawn(path, {p: held[p] for p in held if len(values_of(sweep, p)) > 1})


def plot(  # noqa: PLR0913  one for each axis
    sweep: Sweep | str | Path,
    y: str = "iops",
    *,
    x: str | None = None,
    series: str | None = None,
    facet: str | None = None,
    phase: str | None = None,
    is_heat_map: bool = False,
) -> Chart:
    """Draw a metric of a sweep; parameters that vary fill the axes that are left out.

    Parameters
    ----------
    sweep
        A sweep, or its folder.
    y
        Metric, such as `iops`, `throughput_bytes_per_s` or `response_p99_ps`.
    x, series, facet
        Parameters along the axis, one line each, and one picture each.
    phase
        Phase of the runs; the whole measured window by default.
    is_heat_map
        Colours over two parameters in place of lines.

    Raises
    ------
    SanlabError
        It is not a sweep, or it has nothing of the kind.
    """
    if not isinstance(sweep, Sweep):
        if not isinstance(sweep, (str, PathLike)):
            reason = f"plot draws a sweep or the folder of one, not a {type(sweep).__name__}"
            raise SanlabError(reason)
        sweep = Sweep.open(sweep)
    wanted = Wanted(x, y, series, facet, phase, is_heat_map)
    return _picture(sweep, wanted, _axes(sweep, wanted))


def _picture(sweep: Sweep, wanted: Wanted, axes: Axes) -> Chart:
    _check_phase(sweep, wanted.phase)
    check_axes(sweep, axes, wanted.y)
    if wanted.x == LOAD and (wanted.y != "response_mean_ps" or wanted.is_heat_map):
        reason = f"--x {LOAD} goes with --y response_mean_ps, as lines"
        raise SanlabError(reason)
    charts = [
        (title, chart)
        for title, rows in facets(sweep, axes, wanted.phase)
        if (chart := _chart(rows, axes, wanted)) is not None
    ]
    if not charts:
        reason = f"{sweep.folder} has no points to draw"
        raise SanlabError(reason)
    return standalone(charts)


def _check_phase(sweep: Sweep, phase: str | None) -> None:
    if phase is not None and phase not in sweep.phases:
        known = f"Its phases are {', '.join(sweep.phases)}" if sweep.phases else "It has no phases"
        reason = f"--phase {phase}: the sweep has no such phase. {known}"
        raise SanlabError(reason)


def _kind_of(path: Path) -> Literal["svg", "png"]:
    if path.suffix == ".svg":
        return "svg"
    if path.suffix == ".png":
        return "png"
    reason = f"{path}: plots are SVG or PNG. Name it FILE.svg or FILE.png"
    raise SanlabError(reason)


def _axes(sweep: Sweep, wanted: Wanted) -> Axes:
    if not sweep.rows:
        reason = f"{sweep.folder} has no points to draw"
        raise SanlabError(reason)
    x = None if wanted.x == LOAD else wanted.x
    names = [name and parameter_of(sweep, name) for name in (x, wanted.series, wanted.facet)]
    return choose_axes(sweep, (names[0], names[1], names[2]))


def _chart(rows: list[Row], axes: Axes, wanted: Wanted) -> Chart | None:
    if wanted.x == LOAD:
        return hockey_stick(rows, axes)
    if wanted.is_heat_map:
        return heat_map(rows, axes, wanted.y)
    return along(rows, axes, [wanted.y])
