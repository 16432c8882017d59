"""Links between ports, their speeds, and reachability."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan.defaults import highest_common_speed
from sanlab.plan.isls import channels_of, credit_of, fits_switches
from sanlab.plan.loops import (
    Attachment,
    can_be_fl_port,
    check_room,
    find_place,
    private_devices,
)
from sanlab.plan.names import End, pair_up, safe_expand
from sanlab.plan.stacks import disk_ports
from sanlab.quantities import SIGNALLING_BAUD, counted, nearest

if TYPE_CHECKING:
    from sanlab.plan.boxes import Box, Boxes
    from sanlab.plan.names import Problems
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.fabric import ChannelCounts, Link

#: FSPF cost of a link: this over its signalling rate (T11-FC-FSPF-MIB, t11FspfLinkCost, S = 1).
FSPF_SCALE = 1_062_500_000_000


@dataclass(frozen=True, slots=True)
class WiredLink:
    """A link between two ports that exist."""

    a: End
    b: End
    spec: Link
    speed: str
    credit: tuple[int, int]
    """BB credit that `a` and `b` grant, for each cable."""
    channels: ChannelCounts | None = None
    """Its virtual channels, if it has any."""
    is_mismatched: bool = False
    """The ends have no common speed, so the link never comes up."""
    members: int = 1

    @property
    def fspf_cost(self) -> int:
        """Cost of the link in path selection, at least 1."""
        if self.spec.fspf_cost is not None:
            return self.spec.fspf_cost
        return max(1, round(FSPF_SCALE / SIGNALLING_BAUD[self.speed]))


@dataclass(slots=True)
class Wiring:
    """All links, and the fabrics and loops that they form."""

    links: list[WiredLink] = field(default_factory=list)
    link_of: dict[End, int] = field(default_factory=dict)
    fabric_of: dict[str, str] = field(default_factory=dict)
    linked: dict[str, list[str]] = field(default_factory=dict)
    switches: frozenset[str] = frozenset()
    attached: list[Attachment] = field(default_factory=list)
    loop_of: dict[End, str] = field(default_factory=dict)
    fl_ports: dict[str, End] = field(default_factory=dict)
    """Port of a switch that is on a loop, by the name of the loop."""
    private: frozenset[End] = frozenset()
    """Devices on loops that do not log in to a fabric."""

    def is_linked(self, end: End) -> bool:
        """Whether a port is simulated: it has a link, or a place on a loop."""
        return end in self.link_of or end in self.loop_of

    def linked_ports(self, box: str) -> list[str]:
        """Return the simulated ports of a box in order."""
        return self.linked.get(box, [])

    def peer(self, end: End) -> End:
        """Return the other end of the link at `end`."""
        link = self.links[self.link_of[end]]
        return link.b if link.a == end else link.a

    def fl_port_of(self, end: End) -> End | None:
        """Return the switch port by which a device on a loop logs in to a fabric, if it does."""
        loop = self.loop_of.get(end)
        return None if loop is None or end in self.private else self.fl_ports.get(loop)

    def switch_port_of(self, end: End) -> End | None:
        """Return the switch port that a linked N_Port logs in at, if it does."""
        if end in self.loop_of:
            return self.fl_port_of(end)
        peer = self.peer(end)
        return peer if peer[0] in self.switches else None

    def network_of(self, end: End) -> str:
        """Return the name of the loop, fabric or direct link of a linked N_Port."""
        if end in self.loop_of:
            fl_port = self.fl_port_of(end)
            on_fabric = fl_port and f"fabric {self.fabric_of[fl_port[0]]}"
            return on_fabric or f"loop {self.loop_of[end]}"
        box, _ = self.peer(end)
        if box in self.switches:
            return f"fabric {self.fabric_of[box]}"
        return f"link {self.link_of[end]}"

    def is_reachable(self, source: End, target: End) -> bool:
        """Whether frames from one linked N_Port can get to another."""
        loop = self.loop_of.get(source)
        if loop is not None and loop == self.loop_of.get(target):
            return True
        return self.network_of(source) == self.network_of(target)


@dataclass(slots=True)
class Request:
    """A pair of ends as written, before it becomes a link or a place on a loop."""

    left: str
    right: str
    spec: Link
    path: Path


def wire(scenario: Scenario, boxes: Boxes, problems: Problems) -> Wiring:
    """Find the ports of every link. Ends that name a port come before those that take the next."""
    requests = requests_of(scenario, boxes, problems)
    board = _Board(boxes, problems)
    for request in requests:
        at_stack = _at_stack(request, boxes)
        for end, key in ((request.left, "from"), (request.right, "to")):
            if key != at_stack:
                board.reserve(end, (*request.path, key))
    wiring = Wiring(switches=frozenset(switch.name for switch in boxes.switches))
    for request in requests:
        if _at_stack(request, boxes) is not None:
            _attach(request, board, wiring, boxes, problems)
        else:
            _add_link(request, board, wiring, boxes, problems)
    check_room(wiring.attached, boxes, problems)
    _join_fabrics(wiring)
    _note_linked(wiring, boxes)
    wiring.private = private_devices(boxes, wiring.loop_of)
    problems.stop_if_any()
    for array in boxes.arrays:
        if not wiring.linked[array.name]:
            problems.add(
                (*array.path, "name"),
                f"'{array.name}' has no link",
                f"Add a link from '{array.name}' to a switch",
            )
    return wiring


def _note_linked(wiring: Wiring, boxes: Boxes) -> None:
    """Record the simulated ports of every box."""
    for name in boxes.by_name:
        box = boxes.by_name[name]
        wiring.linked[name] = [port for port in box.ports if wiring.is_linked((name, port))]
    for stack in boxes.stacks:
        wiring.linked[stack.name] = disk_ports(stack)
        for port in disk_ports(stack):
            wiring.loop_of[stack.name, port] = f"{stack.name}.{port.rpartition('.')[2]}"


def requests_of(scenario: Scenario, boxes: Boxes, problems: Problems) -> list[Request]:
    """Return every pair of ends of the links as written, in order."""
    requests: list[Request] = []
    for index, spec in enumerate(scenario.links):
        path: Path = ("links", index)
        left = ends_of(spec.from_, (*path, "from"), boxes, problems)
        right = ends_of(spec.to, (*path, "to"), boxes, problems)
        for a, b in pair_up(left, right, (*path, "from"), ("ends", "ends"), problems):
            count = 1 if spec.trunk else spec.count
            requests.extend(Request(a, b, spec, path) for _ in range(count))
    return requests


def ends_of(patterns: list[str], path: Path, boxes: Boxes, problems: Problems) -> list[str]:
    """Return the ends that match patterns; note a problem for each unknown box."""
    found: list[str] = []
    for pattern in patterns:
        for word in safe_expand(pattern, path, problems):
            box, dot, port = word.partition(".")
            names = boxes.by_name.match(box)
            if not names:
                problems.add(path, *boxes.by_name.unknown(box))
                return []
            found.extend(f"{name}{dot}{port}" for name in names)
    return found


class _Board:
    """Ports in use, and the links that use them."""

    def __init__(self, boxes: Boxes, problems: Problems) -> None:
        self.boxes = boxes
        self.problems = problems
        self.taken: dict[End, Path] = {}
        self.bad: set[str] = set()
        self.next_free: dict[str, int] = {}

    def reserve(self, end: str, path: Path) -> None:
        """Take the port an end names; an unknown port or one in use is a problem."""
        name, _, port = end.partition(".")
        box = self.boxes.by_name[name]
        if not port or box.kind == "stack" or _is_hba(box, port):
            return
        if port not in box.ports:
            self.bad.add(end)
            self.problems.add(path, *_no_such_port(box, port))
        elif (name, port) in self.taken:
            self.bad.add(end)
            first = self.problems.scenario.problem(self.taken[name, port], "", "").line
            place = f", on line {first}" if first else ""
            self.problems.add(
                path, f"The port '{end}' already has a link{place}", "A port takes one link"
            )
        else:
            self.taken[name, port] = path

    def take(self, end: str, path: Path) -> End | None:
        """Return the port of an end; the next free one if it names only a box or an HBA."""
        if end in self.bad:
            return None
        name, _, port = end.partition(".")
        box = self.boxes.by_name[name]
        if port in box.ports:
            return name, port
        prefix = f"{port}." if port else ""
        candidates = list(box.ports)
        for position in range(self.next_free.get(end, 0), len(candidates)):
            label = candidates[position]
            if label.startswith(prefix) and (name, label) not in self.taken:
                self.taken[name, label] = path
                self.next_free[end] = position + 1
                return name, label
        if end not in self.bad:
            self.bad.add(end)
            count = sum(label.startswith(prefix) for label in candidates)
            self.problems.add(
                path,
                f"'{end}' has no free port left; it has {counted(count, 'port')}",
                "Raise 'ports', or remove links",
            )
        return None


def _is_hba(box: Box, port: str) -> bool:
    return box.kind == "host" and any(label.startswith(f"{port}.") for label in box.ports)


def _no_such_port(box: Box, port: str) -> tuple[str, str]:
    labels = list(box.ports)
    guess = nearest(port, labels) if box.kind != "switch" else None
    hint = f"Did you mean '{box.name}.{guess}'? " if guess else ""
    span = f"'{labels[0]}' to '{labels[-1]}'" if len(labels) > 1 else f"'{labels[0]}'"
    return f"The {box.kind} '{box.name}' has no port '{port}'", f"{hint}It has {span}"


def _add_link(
    request: Request, board: _Board, wiring: Wiring, boxes: Boxes, problems: Problems
) -> None:
    if request.left.partition(".")[0] == request.right.partition(".")[0]:
        problems.add(
            (*request.path, "to"),
            f"The link leads from '{request.left}' back to itself",
            "Link two different boxes",
        )
        return
    if request.spec.al_pa is not None:
        problems.add(
            (*request.path, "al_pa"),
            "An AL_PA is the address of a port on a loop, and this link is not on a loop",
            "Remove 'al_pa', or link to a stack",
        )
        return
    a = board.take(request.left, (*request.path, "from"))
    b = board.take(request.right, (*request.path, "to"))
    if a is None or b is None:
        return
    is_mismatched = request.spec.optional and not _have_common_speed(request, a, b, boxes)
    speed = boxes.port(a).speeds[0] if is_mismatched else _speed(request, a, b, boxes, problems)
    if speed is None or not fits_switches(request.spec, request.path, (a, b), boxes, problems):
        return
    members = request.spec.count if request.spec.trunk else 1
    for _ in range(members - 1):
        # Members take the next free port at either end; the first names the trunk.
        for word, key in ((request.left, "from"), (request.right, "to")):
            if board.take(word.partition(".")[0], (*request.path, key)) is None:
                return
    for end in (a, b):
        wiring.link_of[end] = len(wiring.links)
    credit = credit_of(request.spec, (a, b), boxes)
    channels = channels_of(request.spec, (a, b), boxes)
    wiring.links.append(
        WiredLink(a, b, request.spec, speed, credit, channels, is_mismatched, members)
    )


def _have_common_speed(request: Request, a: End, b: End, boxes: Boxes) -> bool:
    common = set(boxes.port(a).speeds) & set(boxes.port(b).speeds)
    return bool(common) if request.spec.speed is None else request.spec.speed in common


def _at_stack(request: Request, boxes: Boxes) -> str | None:
    """Key of the end of a link that is a stack."""
    for key, end in (("from", request.left), ("to", request.right)):
        if boxes.by_name[end.partition(".")[0]].kind == "stack":
            return key
    return None


def _attach(
    request: Request, board: _Board, wiring: Wiring, boxes: Boxes, problems: Problems
) -> None:
    """Plug a port into a loop of a stack."""
    key = _at_stack(request, boxes)
    on_stack, other = (
        (request.left, request.right) if key == "from" else (request.right, request.left)
    )
    name, _, port = on_stack.partition(".")
    box = boxes.by_name[other.partition(".")[0]]
    if box.kind == "stack":
        problems.add(
            request.path,
            f"'{box.name}' is a stack and cannot be on a loop",
            f"Link a port of a host or a switch to '{name}'",
        )
        return
    stack = boxes.stack(name)
    place = find_place(stack, port, (*request.path, key or "to"), problems)
    end = board.take(other, request.path)
    if place is None or end is None:
        return
    speeds = box.ports[end[1]].speeds
    if stack.speed not in speeds:
        problems.add(
            request.path,
            f"'{box.name}' ({', '.join(speeds)}) cannot run at the {stack.speed} of '{name}'",
            "Choose a model of that generation, or another 'speed' of the stack",
        )
        return
    loop, enclosure = place
    attachment = Attachment(end, name, loop, enclosure, request.spec, request.path, box.kind)
    if box.kind != "switch":
        wiring.loop_of[end] = f"{name}.{loop}"
    elif can_be_fl_port(attachment, boxes, wiring.fl_ports, problems):
        wiring.fl_ports[f"{name}.{loop}"] = end
    else:
        return
    wiring.attached.append(attachment)


def _speed(request: Request, a: End, b: End, boxes: Boxes, problems: Problems) -> str | None:
    """Return the speed of a link, or note that its ends have no common speed."""
    left = boxes.by_name[a[0]].ports[a[1]].speeds
    right = boxes.by_name[b[0]].ports[b[1]].speeds
    asked = request.spec.speed
    if asked is None:
        speed = highest_common_speed(left, right)
        if speed is None:
            problems.add(
                request.path,
                f"'{a[0]}' ({', '.join(left)}) and '{b[0]}' ({', '.join(right)}) "
                "have no common speed",
                "Choose models or speeds of neighbouring generations",
            )
        return speed
    for end, speeds in ((a, left), (b, right)):
        if asked not in speeds:
            problems.add(
                (*request.path, "speed"),
                f"'{end[0]}' has no {asked}",
                f"Its port '{end[0]}.{end[1]}' has {', '.join(speeds)}",
            )
            return None
    return asked


def _join_fabrics(wiring: Wiring) -> None:
    """Name each set of connected switches after one of them."""
    parent = {switch: switch for switch in sorted(wiring.switches)}

    def root(switch: str) -> str:
        while parent[switch] != switch:
            parent[switch] = parent[parent[switch]]
            switch = parent[switch]
        return switch

    for link in wiring.links:
        if link.a[0] in parent and link.b[0] in parent:
            parent[root(link.a[0])] = root(link.b[0])
    wiring.fabric_of = {switch: root(switch) for switch in parent}
