"""What a link between two switches has beyond others: own credit, virtual channels, trunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.defaults import given

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import End, Problems
    from sanlab.scenario.document import Path
    from sanlab.scenario.fabric import ChannelCounts, Link


def credit_of(spec: Link, ends: tuple[End, End], boxes: Boxes) -> tuple[int, int]:
    """Return the BB credit that both ends of a link grant, as written or that of their ports."""
    is_isl = all(boxes.by_name[box].kind == "switch" for box, _ in ends)

    def of_port(end: End) -> int:
        port = boxes.port(end)
        return given(port.isl_bb_credit, port.bb_credit) if is_isl else port.bb_credit

    return (
        given(given(spec.bb_credit_from, spec.bb_credit), of_port(ends[0])),
        given(given(spec.bb_credit_to, spec.bb_credit), of_port(ends[1])),
    )


def channels_of(spec: Link, ends: tuple[End, End], boxes: Boxes) -> ChannelCounts | None:
    """Return the virtual channels of a link; without its own word, those that both switches have.

    A link with credit of its own, or for a long distance, has only those that it names: a frame
    for one destination uses one channel, so channels would leave a part of that credit unused.
    """
    if spec.virtual_channels is not None:
        return spec.virtual_channels
    own = (spec.bb_credit, spec.bb_credit_from, spec.bb_credit_to, spec.long_distance)
    if any(word is not None for word in own):
        return None
    if any(boxes.by_name[box].kind != "switch" for box, _ in ends):
        return None
    a, b = (boxes.switch(box).values.virtual_channels for box, _ in ends)
    if a is None or a != b or a.count > min(credit_of(spec, ends, boxes)):
        return None
    return a


def fits_switches(
    spec: Link, path: Path, ends: tuple[End, End], boxes: Boxes, problems: Problems
) -> bool:
    """Whether a trunk or a link with virtual channels joins two switches and has enough credit."""
    other = next((box for box, _ in ends if boxes.by_name[box].kind != "switch"), None)
    for key, what in (
        ("trunk", "A trunk"),
        ("virtual_channels", "A link with virtual channels"),
        ("write_acceleration", "A link with write acceleration"),
    ):
        if other is not None and getattr(spec, key):
            problems.add(
                (*path, key),
                f"{what} must join two switches, and '{other}' is a {boxes.by_name[other].kind}",
                f"Remove '{key}'",
            )
            return False
    makers = [boxes.switch(box).values.maker for box, _ in ends] if spec.trunk else []
    if None not in makers and len(set(makers)) > 1:
        two = " and ".join(map(str, makers))
        problems.add(
            (*path, "trunk"),
            f"A trunk joins switches of one maker, and these are of {two}",
            "Remove 'trunk': the links are then single ones, and routing selects among them",
        )
        return False
    counts = spec.virtual_channels
    if counts is None:
        return True
    channels = counts.count
    granted = min(credit_of(spec, ends, boxes)) * (spec.count if spec.trunk else 1)
    if spec.long_distance is None and granted < channels:
        problems.add(
            (*path, "virtual_channels"),
            f"A BB credit of {granted} cannot be shared by {channels} virtual channels",
            "Give the link more 'bb_credit', or fewer channels",
        )
        return False
    return True
