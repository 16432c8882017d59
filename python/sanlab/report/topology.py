"""The topology as a picture: hosts, switches, arrays and stacks in columns, links coloured by use.

Large groups of alike boxes become one box: hosts that are attached to the same switches are drawn
as one, and so are arrays, as soon as there are more than a column can hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from sanlab.report.stack_box import StackBox, draw_stack, stack_boxes
from sanlab.results.link_states import link_states
from sanlab.results.ports import credit_wait_share, on_links
from sanlab.words import show_percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.results.link_states import LinkState
    from sanlab.results.record import Record

#: Utilisation up to which each class of the legend reaches; the colours are in report.css.
CLASSES = ((0.1, "u0", "≤ 10 %"), (0.4, "u1", "10–40 %"), (0.7, "u2", "40–70 %"), (0.9, "u3", "70–90 %"), (2.0, "u4", "> 90 %"))  # fmt: skip
#: Most boxes of a column before equal ones are drawn as one.
COLUMN_HOLDS = 14
#: Share of waiting for credit from which a link is marked.
MARKED = 0.01

_BOX_WIDTH, _BOX_HEIGHT, _ROW, _COLUMN, _TOP, _SIDE = 132, 34, 50, 250, 40, 12


@dataclass
class _Box:
    """One or several nodes drawn as one."""

    name: str
    kind: str
    members: list[str]
    column: int = 0
    y: float = 0.0
    inside: StackBox | None = None
    """The parts of a stack."""

    @property
    def height(self) -> float:
        return _BOX_HEIGHT if self.inside is None else self.inside.height

    @property
    def room(self) -> float:
        """Height in its column."""
        return _ROW if self.inside is None else self.inside.height + _ROW - _BOX_HEIGHT

    @property
    def label(self) -> str:
        return self.name if len(self.members) == 1 else f"{len(self.members)} {self.kind}s"

    @property
    def tip(self) -> str:
        names = self.members
        shown = ", ".join(names[:12]) + (f" … {names[-1]}" if len(names) > 12 else "")
        return f"{self.kind} {shown}" if len(names) == 1 else f"{len(names)} {self.kind}s: {shown}"


@dataclass
class _Cable:
    """All links between two boxes that are drawn as one line."""

    ends: tuple[str, str]
    utilisation: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    tips: list[str] = field(default_factory=list)
    states: list[LinkState] = field(default_factory=list)
    """Of its links that did not carry frames all the time."""
    tap: float | None = None
    """Height at which it enters the box of a stack, from the upper edge of the box."""


def draw(run: Record) -> str:
    """The topology of a run as an SVG element."""
    boxes = _boxes(run)
    cables = _cables(run, boxes)
    columns = _arrange(list(boxes.values()), cables)
    held = max((_room(column) for column in columns), default=_ROW)
    width = 2 * _SIDE + _COLUMN * (len(columns) - 1) + _BOX_WIDTH
    height = round(_TOP + max(_ROW, held) + 8)
    # Two columns with a stack are still readable on a phone.
    least = 0.8 if any(box.inside for box in boxes.values()) else 1
    style = (
        f"min-width:{round(min(least * width, 620))}px;max-width:{max(520, round(width * 1.25))}px"
    )
    head = (
        f'<svg class="topology" viewBox="0 0 {width} {height}" style="{style}" role="img"'
        ' xmlns="http://www.w3.org/2000/svg"'
        ' aria-label="Topology: hosts, switches, arrays and stacks; links coloured by utilisation">'
    )
    parts = [head]
    parts += [_heading(columns, index) for index in range(len(columns))]
    parts += _draw_cables(boxes, cables)
    parts += [_draw_box(box) for column in columns for box in column]
    parts.append("</svg>")
    return "\n".join(parts)


def legend() -> str:
    """The colours of utilisation, and the mark for waiting, as HTML."""
    swatches = [
        f'<li><svg width="28" height="10" aria-hidden="true"><line class="cable {name}" x1="1" x2="27" y1="5" y2="5"/></svg> {text}</li>'
        for _, name, text in CLASSES
    ]
    mark = '<li><svg width="14" height="14" aria-hidden="true"><path class="waits" d="M7 1 13 7 7 13 1 7Z"/></svg> waited for credit</li>'
    mark += "".join(
        f'<li><svg width="28" height="10" aria-hidden="true"><line class="cable u0 {name}" x1="1" x2="27" y1="5" y2="5"/></svg> {text}</li>'
        for name, text in (("down", "down or isolated at the end"), ("was-down", "down for a time"))
    )
    return f'<ul class="legend"><li class="what">Utilisation of the busier direction</li>{"".join(swatches)}{mark}</ul>'


def class_of(utilisation: float) -> str:
    """CSS class of a utilisation."""
    return next(name for bound, name, _ in CLASSES if utilisation <= bound)


def _boxes(run: Record) -> dict[str, _Box]:
    """Return nodes by name; equal ones share a box."""
    plan = run.plan
    neighbours: dict[str, set[str]] = {}
    nodes = {row["port"]: row["node"] for row in run.rows("ports")}
    inside = stack_boxes(run)
    for row in run.rows("ports"):
        peer = row["peer"] if row["kind"] in {"nl_port", "fl_port"} else nodes[row["peer"]]
        neighbours.setdefault(row["node"], set()).add(peer)
    boxes = {name: _Box(name, "stack", [name], inside=of) for name, of in inside.items()}
    for kind, key in (("host", "hosts"), ("switch", "switches"), ("array", "arrays")):
        names = [row["name"] for row in plan[key] if row["name"] not in inside]
        if kind == "switch" or len(names) <= COLUMN_HOLDS:
            boxes |= {name: _Box(name, kind, [name]) for name in names}
            continue
        alike: dict[tuple[str, ...], list[str]] = {}
        for name in names:
            alike.setdefault(tuple(sorted(neighbours.get(name, ()))), []).append(name)
        for members in alike.values():
            box = _Box(members[0], kind, members)
            boxes |= dict.fromkeys(members, box)
    return boxes


def _cables(run: Record, boxes: dict[str, _Box]) -> dict[tuple[str, str, int], _Cable]:
    """Return links by the boxes they join; a third index separates up to four parallel ones."""
    ends: dict[int, list[dict[str, object]]] = {}
    for row in on_links(run):
        ends.setdefault(row["link"], []).append(row)
    by_pair: dict[tuple[str, str], list[list[dict[str, object]]]] = {}
    for pair in ends.values():
        names = sorted(boxes[str(row["node"])].name for row in pair)
        by_pair.setdefault((names[0], names[-1]), []).append(pair)
    cables: dict[tuple[str, str, int], _Cable] = {}
    states = link_states(run.plan, run.manifest.simulated_ps)
    for (first, last), pairs in by_pair.items():
        for index, pair in enumerate(pairs):
            lane = index if len(pairs) <= 4 else 0
            cable = cables.setdefault((first, last, lane), _Cable((first, last)))
            state = states.get(pair[0]["link"])  # type: ignore[call-overload]
            if state is not None:
                cable.states.append(state)
                cable.tips.append(f"{pair[0]['port']} – {pair[0]['peer']}: {state.words}")
            for row in pair:
                cable.utilisation.append(float(row["tx_utilisation"]))  # type: ignore[arg-type]
                cable.waits.append(credit_wait_share(run, row))
                cable.tips.append(_tip(run, row))
    return cables | _cables_to_stacks(run, boxes)


def _cables_to_stacks(run: Record, boxes: dict[str, _Box]) -> dict[tuple[str, str, int], _Cable]:
    """Cables from hosts to loops, each to its enclosure or end of the stack."""
    rows = {row["port"]: row for row in run.rows("ports")}
    cables: dict[tuple[str, str, int], _Cable] = {}
    for name, box in boxes.items():
        if box.inside is None:
            continue
        drawn: dict[tuple[str, str, int], _Cable] = {}
        taps: dict[tuple[str, int], int] = {}
        lanes: dict[str, int] = {}
        for plug in box.inside.stack.plugged:
            host = boxes[plug.node].name
            key = host, plug.loop, plug.enclosure
            if key not in drawn:
                nth = taps.setdefault((plug.loop, plug.enclosure), 0)
                taps[plug.loop, plug.enclosure] += 1
                lane = lanes[host] = lanes.get(host, -1) + 1
                drawn[key] = cables[host, name, lane] = _Cable((host, name))
                drawn[key].tap = box.inside.tap(plug.loop, plug.enclosure, nth)
            row = rows[plug.port]
            drawn[key].utilisation.append(max(row["tx_utilisation"], row["rx_utilisation"]))
            drawn[key].waits.append(0.0)
            drawn[key].tips.append(_tip_on_loop(row, plug.enclosure))
    return cables


def _tip_on_loop(row: dict[str, Any], enclosure: int) -> str:
    sent, received = (show_percent(row[f"{way}_utilisation"]) for way in ("tx", "rx"))
    return (
        f"{row['port']} on {row['peer']} ({row['speed']}) at enclosure {enclosure + 1}:"
        f" sends {sent}, receives {received}"
    )


def _room(column: list[_Box]) -> float:
    return sum(box.room for box in column)


def _tip(run: Record, row: dict[str, object]) -> str:
    waits = credit_wait_share(run, row)
    text = f"{row['port']} → {row['peer']} ({row['speed']}): {show_percent(float(row['tx_utilisation']))}"  # type: ignore[arg-type]
    return text + (f", waited for credit {show_percent(waits)}" if waits > MARKED else "")


def _arrange(boxes: list[_Box], cables: dict[tuple[str, str, int], _Cable]) -> list[list[_Box]]:
    """Give every box its column and height: switches by their distance from the hosts."""
    unique = {box.name: box for box in boxes}
    joined: dict[str, list[str]] = {name: [] for name in unique}
    for first, last, _ in cables:
        joined[first].append(last)
        joined[last].append(first)
    switches = [box for box in unique.values() if box.kind == "switch"]
    depth = _distance(joined, {b.name for b in unique.values() if b.kind == "host"}, switches)
    levels = sorted(set(depth.values()))
    columns: list[list[_Box]] = [[b for b in unique.values() if b.kind == "host"]]
    columns += [[b for b in switches if depth[b.name] == level] for level in levels]
    columns.append([b for b in unique.values() if b.kind in ("array", "stack")])
    columns = [column for column in columns if column]
    held = max((_room(column) for column in columns), default=_ROW)
    for index, column in enumerate(columns):
        _space(column, held)
        for box in column:
            box.column = index
    for sweep in range(4):  # each box to the mean height of those it is joined with
        for column in columns if sweep % 2 == 0 else reversed(columns):
            wish = {
                box.name: sum(unique[other].y for other in joined[box.name]) / len(joined[box.name])
                if joined[box.name]
                else box.y
                for box in column
            }
            column.sort(key=lambda box: wish[box.name])
            _space(column, held)
    return columns


def _distance(
    joined: dict[str, list[str]], hosts: set[str], switches: list[_Box]
) -> dict[str, int]:
    """Hops of each switch from the nearest host; switches that no host reaches are in the first column."""
    names = {box.name for box in switches}
    depth: dict[str, int] = {}
    edge = sorted(name for name in names if hosts & set(joined[name]))
    level = 0
    while edge:
        depth |= dict.fromkeys(edge, level)
        level += 1
        edge = sorted({n for name in edge for n in joined[name] if n in names and n not in depth})
    return {name: min(depth.get(name, 0), 3) for name in names}


def _space(column: list[_Box], held: float) -> None:
    """Spread a column over the height of the tallest one."""
    stretch = held / _room(column)
    above = 0.0
    for box in column:
        box.y = _TOP + stretch * (above + box.room / 2)
        above += box.room


def _heading(columns: list[list[_Box]], index: int) -> str:
    x = _SIDE + _COLUMN * index + _BOX_WIDTH / 2
    counts: dict[str, int] = {}
    for box in columns[index]:
        counts[box.kind] = counts.get(box.kind, 0) + len(box.members)
    plural = {"host": "hosts", "switch": "switches", "array": "arrays", "stack": "stacks"}
    text = ", ".join(f"{n} {kind if n == 1 else plural[kind]}" for kind, n in counts.items())
    return f'<text class="heading" x="{x}" y="20">{text}</text>'


def _draw_box(box: _Box) -> str:
    x, y = _SIDE + _COLUMN * box.column, box.y - box.height / 2
    if box.inside is not None:
        return draw_stack(box.inside, (x, y), _BOX_WIDTH, class_of)
    label = box.label if len(box.label) <= 18 else box.label[:17] + "…"
    stacked = (
        f'<rect class="box {box.kind}" x="{x + 4}" y="{y - 4:.1f}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="6"/>'
        if len(box.members) > 1
        else ""
    )
    return (
        f"<g><title>{escape(box.tip)}</title>{stacked}"
        f'<rect class="box {box.kind}" x="{x}" y="{y:.1f}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="6"/>'
        f'<text class="name" x="{x + _BOX_WIDTH / 2}" y="{box.y + 4.5:.1f}">{escape(label)}</text></g>'
    )


def _draw_cables(
    boxes: dict[str, _Box], cables: dict[tuple[str, str, int], _Cable]
) -> Iterable[str]:
    by_name = {box.name: box for box in boxes.values()}
    lanes: dict[tuple[str, str], int] = {}
    for first, last, _ in cables:
        lanes[first, last] = lanes.get((first, last), 0) + 1
    # The busiest are drawn last, on top.
    ordered = sorted(cables.items(), key=lambda item: max(item[1].utilisation))
    for (first, last, lane), cable in ordered:
        here, there = sorted((by_name[first], by_name[last]), key=lambda box: box.column)
        shift = (lane - (lanes[first, last] - 1) / 2) * 7
        path, middle = _path(here, there, shift, cable.tap)
        width = " thin" if len(cables) > 60 else ""
        most = len(cable.tips)
        tip = "\n".join(cable.tips[:8]) + (f"\n… {most // 2} links in all" if most > 8 else "")
        mark = ""
        if max(cable.waits) > MARKED:
            x, y = middle
            mark = f'<path class="waits" d="M{x:.1f} {y - 6:.1f} l6 6 -6 6 -6 -6Z"/>'
        state = ""
        if cable.states:
            state = " was-down" if all(state.is_over for state in cable.states) else " down"
        yield (
            f'<g><title>{escape(tip)}</title><path class="cable {class_of(max(cable.utilisation))}{width}{state}"'
            f' d="{path}"/>{mark}</g>'
        )


def _path(
    here: _Box, there: _Box, shift: float, tap: float | None = None
) -> tuple[str, tuple[float, float]]:
    """Curve from box to box, and its middle; boxes of one column are joined by an arc beside it."""
    x1 = _SIDE + _COLUMN * here.column + _BOX_WIDTH
    y1, y2 = here.y + shift, there.y + shift
    if tap is not None and there.inside is not None:
        y2 = there.y - there.height / 2 + tap
    if here.column == there.column:
        out = x1 + 34 + abs(y2 - y1) * 0.18 + shift
        return f"M{x1} {y1:.1f} C{out:.1f} {y1:.1f} {out:.1f} {y2:.1f} {x1} {y2:.1f}", (
            x1 + (out - x1) * 0.75,
            (y1 + y2) / 2,
        )
    x2 = _SIDE + _COLUMN * there.column
    bend = (x2 - x1) * 0.45
    return (
        f"M{x1} {y1:.1f} C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2} {y2:.1f}",
        ((x1 + x2) / 2, (y1 + y2) / 2),
    )
