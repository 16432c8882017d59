"""A ladder as SVG: lanes side by side, time downwards, waits shaded.

Time is not to scale: a gap of ten times the length is drawn a fixed amount longer, so that
microseconds of frames and milliseconds of a disk fit one page. Times are written beside it.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Final

from sanlab.ladder.lines import after, heading
from sanlab.results.columns import stage_name
from sanlab.words import show_bytes, show_time

if TYPE_CHECKING:
    from sanlab.ladder.ladder import Hop, Ladder, Step

#: Pixels: of the times at the left, between lanes, of a box of a stage, above the first event.
MARGIN, LANE, BOX, TOP = 100, 170, 92, 96
#: Pixels of a gap for each doubling beyond the shortest gap that is seen, and of the longest.
STEP, SHORTEST_PS, LONGEST = 3.2, 50_000, 56.0
#: Frames of one sequence at one port that are drawn one by one; of more, one band.
FRAMES_DRAWN = 16
#: Pixels between two times that are written.
BETWEEN_TIMES = 18.0

_COLOURS: Final = {
    "FCP_CMND": "#0072B2",
    "FCP_XFER_RDY": "#CC79A7",
    "FCP_DATA": "#009E73",
    "FCP_RSP": "#D55E00",
}
_OTHER_FRAMES = "#4d4d4d"
_CREDIT, _QUEUE = "#B2182B", "#E69F00"
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.small{font-size:10px;fill:#555}"
    ".lane{stroke:#999;stroke-width:1}.box{fill:#e6ecf2;stroke:#7b8a99}"
    ".back{stroke:#888;stroke-dasharray:2 3;stroke-width:1}"
)


@dataclass(frozen=True)
class Scale:
    """Instants to heights, in order, with short gaps stretched and long ones shortened."""

    times: list[int]
    heights: list[float]

    @classmethod
    def of(cls, times: set[int]) -> Scale:
        """A scale on which all these instants have a place."""
        ordered = sorted(times)
        heights = [0.0]
        for first, second in itertools.pairwise(ordered):
            gap = STEP * math.log2(1 + (second - first) / SHORTEST_PS)
            heights.append(heights[-1] + min(LONGEST, gap))
        return cls(ordered, heights)

    def at(self, instant: int) -> float:
        """The height of an instant."""
        place = max(0, bisect_right(self.times, instant) - 1)
        return TOP + self.heights[place]


def picture(one: Ladder) -> str:
    """The ladder as an SVG document."""
    bands = _bands(one)
    scale = Scale.of(_instants(one, bands))
    width = MARGIN + LANE * len(one.lanes)
    height = TOP + scale.heights[-1] + 60
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" '
            f'width="{width}" height="{height:.0f}" role="img">'
        ),
        f"<title>{escape('. '.join(heading(one)))}</title><style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height:.0f}" fill="#ffffff"/>',
        *(
            f'<text x="12" y="{20 + 16 * number}">{escape(line)}</text>'
            for number, line in enumerate(heading(one))
        ),
        *_lanes(one, height),
        *_times(one, scale),
        *(part for step in _drawn(one) for part in _box(one, step, scale)),
        *(part for hop in bands for part in _waits(hop, scale)),
        *(part for hop in bands for part in _frame(hop, scale)),
        *_legend(height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _drawn(one: Ladder) -> list[Step]:
    """Stages in boxes: those of the commands where the I/O has several."""
    has_commands = any(step.command for step in one.steps)
    return [
        step for step in one.steps if step.lane is not None and (step.command > 0) == has_commands
    ]


def _instants(one: Ladder, bands: list[Hop]) -> set[int]:
    times = {one.start_ps, one.start_ps + one.response_ps}
    for step in _drawn(one):
        times |= {step.from_ps, step.to_ps}
    for hop in bands:
        begins = hop.sent_ps - hop.queue_wait_ps - hop.credit_wait_ps
        times |= {begins, hop.sent_ps, hop.sent_last_ps, _first_in(hop), hop.arrived_ps}
        if hop.credit_back_ps:
            times.add(hop.credit_back_ps)
    return times


def _bands(one: Ladder) -> list[Hop]:
    """Frames to draw: those of a long sequence at one port are one band."""
    sequences: dict[tuple[object, ...], list[Hop]] = {}
    for hop in one.hops:
        key = hop.exchange, hop.kind, hop.sender, hop.receiver, hop.seq_id
        sequences.setdefault(key, []).append(hop)
    drawn = []
    for hops in sequences.values():
        if len(hops) <= FRAMES_DRAWN:
            drawn += hops
            continue
        first, last = hops[0], hops[-1]
        drawn.append(
            replace(
                first,
                payload_bytes=sum(hop.payload_bytes for hop in hops),
                sent_last_ps=last.sent_last_ps,
                arrived_ps=last.arrived_ps,
                credit_back_ps=last.credit_back_ps,
            )
        )
    return drawn


def _first_in(hop: Hop) -> int:
    """When the first bit of a frame is in."""
    return hop.arrived_ps - (hop.sent_last_ps - hop.sent_ps)


def _x(lane: int) -> float:
    return MARGIN + LANE * (lane + 0.5)


def _lanes(one: Ladder, height: float) -> list[str]:
    parts = []
    for place, lane in enumerate(one.lanes):
        x = _x(place)
        parts += [
            f'<line class="lane" x1="{x}" y1="{TOP - 10}" x2="{x}" y2="{height - 44:.1f}"/>',
            f'<text x="{x}" y="{TOP - 18}" text-anchor="middle">{escape(lane.name)}</text>',
        ]
    return parts


def _times(one: Ladder, scale: Scale) -> list[str]:
    parts, free_from = [], -math.inf
    for instant in scale.times:
        y = scale.at(instant)
        if y >= free_from:
            free_from = y + BETWEEN_TIMES
            text = f"{after(instant - one.start_ps)} µs"
            parts.append(f'<text class="small" x="12" y="{y + 3:.1f}">{escape(text)}</text>')
    return parts


def _box(one: Ladder, step: Step, scale: Scale) -> list[str]:
    assert step.lane is not None
    top, bottom = scale.at(step.from_ps), scale.at(step.to_ps)
    x = _x(step.lane) - BOX / 2
    what = f"{stage_name(step.stage)} {show_time(step.to_ps - step.from_ps)}"
    where = f"{one.lanes[step.lane].name}: {what}"
    parts = [
        (
            f'<rect class="box" x="{x}" y="{top:.1f}" width="{BOX}" '
            f'height="{max(1.0, bottom - top):.1f}"><title>{escape(where)}</title></rect>'
        )
    ]
    if bottom - top >= 11:
        y = (top + bottom) / 2 + 4
        parts.append(
            f'<text class="small" x="{x + BOX / 2}" y="{y:.1f}" text-anchor="middle">'
            f"{escape(what)}</text>"
        )
    return parts


def _waits(hop: Hop, scale: Scale) -> list[str]:
    """Waits before a frame, beside the lane of its sender: for the fibre, then for credit."""
    parts, until = [], hop.sent_ps
    for spent, colour, reason in (
        (hop.credit_wait_ps, _CREDIT, "credit"),
        (hop.queue_wait_ps, _QUEUE, "the fibre"),
    ):
        if spent:
            top, bottom = scale.at(until - spent), scale.at(until)
            what = f"{hop.sender}: waits {show_time(spent)} for {reason}"
            parts.append(
                f'<rect x="{_x(hop.lane) - 4}" y="{top:.1f}" width="8" '
                f'height="{max(1.0, bottom - top):.1f}" fill="{colour}" fill-opacity="0.35">'
                f"<title>{escape(what)}</title></rect>"
            )
            until -= spent
    return parts


def _frame(hop: Hop, scale: Scale) -> list[str]:
    """A frame as a slanted band from its sender to its receiver, and its credit back."""
    here, there = _x(hop.lane), _x(hop.to_lane)
    corners = [
        (here, scale.at(hop.sent_ps)),
        (there, scale.at(_first_in(hop))),
        (there, scale.at(hop.arrived_ps)),
        (here, scale.at(hop.sent_last_ps)),
    ]
    colour = _COLOURS.get(hop.kind, _OTHER_FRAMES)
    offset = f" at {hop.offset_bytes}" if hop.kind == "FCP_DATA" else ""
    what = (
        f"{hop.kind} {show_bytes(hop.payload_bytes)}{offset}, {hop.sender} > {hop.receiver}, "
        f"{show_time(hop.arrived_ps - hop.sent_ps)}, {hop.fate}"
    )
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    opacity = 0.55 if hop.fate == "arrived" else 0.2
    parts = [
        (
            f'<polygon points="{points}" fill="{colour}" fill-opacity="{opacity}" '
            f'stroke="{colour}">'
            f"<title>{escape(what)}</title></polygon>"
        )
    ]
    if hop.kind != "FCP_DATA" or hop.seq_cnt == 0:
        x, y = (
            (here + there) / 2,
            (corners[0][1] + corners[1][1]) / 2 + (11 if hop.kind == "FCP_DATA" else -3),
        )
        parts.append(
            f'<text class="small" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{hop.kind}</text>'
        )
    if hop.credit_back_ps:
        y = scale.at(hop.credit_back_ps)
        side = 10 if there > here else -10
        parts.append(
            f'<line class="back" x1="{here + side}" y1="{y:.1f}" x2="{here}" y2="{y:.1f}">'
            f"<title>credit back at {escape(hop.sender)}</title></line>"
        )
    return parts


def _legend(height: float) -> list[str]:
    entries = [*_COLOURS.items(), ("waits for credit", _CREDIT), ("waits for the fibre", _QUEUE)]
    parts, x = [], 12.0
    for name, colour in entries:
        parts += [
            (
                f'<rect x="{x}" y="{height - 30:.1f}" width="10" height="10" fill="{colour}" '
                'fill-opacity="0.55"/>'
            ),
            f'<text class="small" x="{x + 14}" y="{height - 21:.1f}">{escape(name)}</text>',
        ]
        x += 30 + 6.2 * len(name)
    note = "Time is not to scale; dashes: a credit is back."
    return [*parts, f'<text class="small" x="12" y="{height - 6:.1f}">{note}</text>']
