"""A stack in the picture of the topology: enclosures one below the other, loops beside them.

Heights are in units of the picture, from the upper edge of the box.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from sanlab.results.loops import stacks, taken_share
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.results.loops import Stack
    from sanlab.results.record import Record

#: Height of an enclosure and its distance to the next; title above, and room below for a cable.
_ENCLOSURE, _STEP, _HEAD, _FOOT = 20, 27, 42, 20
#: Distance of the first loop from the left edge, and distance between loops.
_LOOP_X, _LOOP_STEP = 16, 16


@dataclass
class StackBox:
    """The content of the box of a stack."""

    stack: Stack
    taken: dict[str, float]
    """Share of the time during which a shared loop is in use."""
    held: dict[str, list[float]]
    """Shares of the strings of a switched loop, from the top down."""
    taps: list[tuple[str, float]] = field(default_factory=list)
    """Loops, and the heights of their cables."""

    @property
    def height(self) -> int:
        """Height of the box."""
        return self.top_of(self.stack.enclosures) - (_STEP - _ENCLOSURE) + self._foot

    @property
    def _foot(self) -> int:
        """Room below the enclosures; cables to a shared loop come in there, and above them."""
        return 8 if self.stack.is_switched else _FOOT

    def top_of(self, enclosure: int) -> int:
        """Upper edge of an enclosure."""
        return (_HEAD - _FOOT + self._foot) + _STEP * enclosure

    def middle_of(self, enclosure: int) -> float:
        """Height of the middle of an enclosure."""
        return self.top_of(enclosure) + _ENCLOSURE / 2

    def x_of(self, loop: str) -> float:
        """Distance of a loop from the left edge."""
        return _LOOP_X + _LOOP_STEP * self.stack.loops.index(loop)

    def tap(self, loop: str, enclosure: int, nth: int) -> float:
        """Height at which the nth cable to an enclosure, or an end of a shared loop, comes in."""
        lane = self.stack.loops.index(loop)
        if self.stack.is_switched:
            y = self.middle_of(enclosure) - 4 + 8 * lane + 3 * nth
        else:
            slot = nth * len(self.stack.loops) + lane
            y = _HEAD - 19 + 5 * slot if enclosure == 0 else self.height - 17 + 4.5 * slot
        self.taps.append((loop, y))
        return y


def stack_boxes(run: Record) -> dict[str, StackBox]:
    """Return the box of each stack."""
    rows = run.rows("loops")
    taken = {row["loop"]: taken_share(row) for row in rows if row["medium"] == "shared"}
    held: dict[str, list[float]] = {}
    for row in run.rows("strings"):
        held.setdefault(row["loop"], []).append(float(row["utilisation"]))
    return {
        name: StackBox(
            stack,
            {loop: taken.get(loop, 0.0) for loop in stack.loops},
            {loop: held.get(loop, []) for loop in stack.loops},
        )
        for name, stack in stacks(run.plan).items()
    }


def draw_stack(
    box: StackBox, corner: tuple[float, float], width: float, colour: Callable[[float], str]
) -> str:
    """Draw the box of a stack at its upper left corner; `colour` is the class of a share."""
    x, y = corner
    stack = box.stack
    kind = "switched" if stack.is_switched else "shared"
    parts = [
        f"<g><title>stack {escape(stack.name)}: {kind} loops, {len(stack.disks)} disks</title>",
        f'<rect class="box stack" x="{x}" y="{y:.1f}" width="{width}" height="{box.height}"',
        f' rx="6"/><text class="name" x="{x + width / 2}" y="{y + 16:.1f}">',
        f"{escape(_short(stack.name))}</text></g>",
    ]
    inner = x + _LOOP_X + _LOOP_STEP * len(stack.loops) - 4
    # The crossbars of a switched enclosure are within it: it reaches under the loops.
    span = (x + 8 if stack.is_switched else inner, inner, x + width - 8)
    parts += [
        _draw_enclosure(stack, number, y + box.top_of(number), span)
        for number in range(stack.enclosures)
    ]
    for loop in stack.loops:
        at = x + box.x_of(loop)
        letter = escape(loop.rpartition(".")[2])
        parts.append(f'<text class="loop" x="{at}" y="{y + 16:.1f}">{letter}</text>')
        parts += _draw_switched(box, loop, at, y, colour) if stack.is_switched else []
        parts += [] if stack.is_switched else [_draw_shared(box, loop, at, y, colour)]
    parts += [_draw_tap(box, loop, x, y + height) for loop, height in box.taps]
    return "\n".join(parts)


def _draw_enclosure(stack: Stack, number: int, top: float, span: tuple[float, float, float]) -> str:
    """Draw an enclosure from left to right edge, with its text beside the loops."""
    count = sum(where == number for where in stack.disks.values())
    start, inner, right = span
    text = f"{count} disk{'' if count == 1 else 's'}" if count else "empty"
    return (
        f"<g><title>enclosure {number + 1} of {escape(stack.name)}: {text}</title>"
        f'<rect class="enclosure" x="{start}" y="{top:.1f}" width="{right - start:.1f}"'
        f' height="{_ENCLOSURE}" rx="3"/>'
        f'<text class="disks" x="{(inner + right) / 2:.1f}" y="{top + 14:.1f}">{text}</text></g>'
    )


def _draw_shared(
    box: StackBox, loop: str, x: float, y: float, colour: Callable[[float], str]
) -> str:
    """Draw a ring as one line, from the cable above the enclosures to the cable below."""
    heights = [height for name, height in box.taps if name == loop]
    top = min([_HEAD + 2.0, *heights])
    bottom = max([box.middle_of(box.stack.enclosures - 1) + _ENCLOSURE / 2 - 2, *heights])
    share = box.taken[loop]
    return (
        f"<g><title>loop {escape(loop)}: in use {show_percent(share)} of the time</title>"
        f'<path class="cable {colour(share)}" d="M{x} {y + top:.1f} V{y + bottom:.1f}"/></g>'
    )


def _draw_switched(
    box: StackBox, loop: str, x: float, y: float, colour: Callable[[float], str]
) -> list[str]:
    """Draw a crossbar in each enclosure, and the strings between them."""
    parts = []
    for number, share in enumerate(box.held[loop]):
        start, end = y + box.middle_of(number) + 7, y + box.middle_of(number + 1) - 7
        tip = f"{loop} e{number + 1}-e{number + 2}: links in use {show_percent(share)} of the time"
        parts.append(
            f"<g><title>{escape(tip)}</title>"
            f'<path class="cable {colour(share)}" d="M{x} {start:.1f} V{end:.1f}"/></g>'
        )
    for number in range(box.stack.enclosures):
        top = y + box.middle_of(number) - 7
        place = f'x="{x - 4.5:.1f}" y="{top:.1f}"'
        parts.append(f'<rect class="crossbar" {place} width="9" height="14" rx="2"/>')
    return parts


def _draw_tap(box: StackBox, loop: str, x: float, y: float) -> str:
    """Draw a cable from the edge of the box to the loop, with a dot at the end."""
    at = x + box.x_of(loop)
    return (
        f'<path class="tap" d="M{x} {y:.1f} H{at}"/>'
        f'<circle class="join" cx="{at}" cy="{y:.1f}" r="2.6"/>'
    )


def _short(name: str) -> str:
    return name if len(name) <= 12 else name[:11] + "…"
