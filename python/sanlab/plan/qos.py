"""Limits and priorities as policies of pairs of N_Ports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sanlab.plan.defaults import given
from sanlab.plan.names import pair_up, safe_expand
from sanlab.plan.schema import (
    ClassPlan,
    IngressPolicy,
    LimitPolicy,
    PriorityPolicy,
    QosPlan,
    RateLimit,
    VirtualChannelPlan,
    WheelLimit,
)
from sanlab.plan.spans import is_in_time
from sanlab.quantities import format_rate, format_time
from sanlab.scenario.qos import PRIORITIES, SHARED_CLASS

if TYPE_CHECKING:
    from sanlab.plan.boxes import SwitchBox
    from sanlab.plan.names import End, Problems
    from sanlab.plan.schema import LimitPlan
    from sanlab.plan.traffic import Network
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.fabric import ChannelCounts
    from sanlab.scenario.qos import Qos, SwitchQos, Wheel

#: Default burst of a rate: one typical request. Uncertain.
DEFAULT_BURST_BYTES = 64 * 1024


def classes_of(qos: SwitchQos) -> list[ClassPlan]:
    """Return the classes of a switch, one for each priority."""
    weights = qos.priorities
    if weights.strict:
        return [ClassPlan(level=level, weight=1) for level in range(len(PRIORITIES))]
    return [ClassPlan(level=0, weight=getattr(weights, priority)) for priority in PRIORITIES]


def channel_plans(
    counts: ChannelCounts | None, a_to_b: int, b_to_a: int
) -> list[VirtualChannelPlan]:
    """Return the virtual channels of a link, which share its credit equally."""
    if counts is None:
        return []
    if counts.shared is not None:
        of = [SHARED_CLASS] * counts.shared
    else:
        of = [
            number
            for number, priority in enumerate(PRIORITIES)
            for _ in range(getattr(counts, priority))
        ]
    return [
        VirtualChannelPlan(
            class_id=class_id,
            credit_a_to_b=_share(a_to_b, number, len(of)),
            credit_b_to_a=_share(b_to_a, number, len(of)),
        )
        for number, class_id in enumerate(of)
    ]


def _share(credit: int, number: int, count: int) -> int:
    """Return the part of the credit that one of several has; the first have the rest."""
    return credit // count + (number < credit % count)


@dataclass(slots=True)
class _Sold:
    """Slots of the wheel of one port, by pair."""

    slots: dict[tuple[End, End], int] = field(default_factory=dict)


class _Maker:
    """Turns entries into policies."""

    def __init__(self, scenario: Scenario, net: Network, problems: Problems) -> None:
        self.scenario = scenario
        self.net = net
        self.problems = problems
        self.switches = {switch.name: switch for switch in net.boxes.switches}
        self.sold: dict[End, _Sold] = {}
        self.said: dict[tuple[object, ...], Path] = {}
        self.plans: list[QosPlan] = []

    def add(self, spec: Qos, path: Path) -> None:
        """Add the policies of one entry."""
        event = "The policy takes effect"
        if not is_in_time(spec.at, event, (*path, "at"), self.problems):
            return
        if spec.to is None:
            for port in self._ports(spec.from_, (*path, "from")):
                self._add_ingress(spec, port, path)
            return
        lefts = self._words(spec.from_, (*path, "from"))
        rights = self._words(spec.to, (*path, "to"))
        for left, right in pair_up(lefts, rights, (*path, "to"), ("ends", "ends"), self.problems):
            for a in self._ports([left], (*path, "from")):
                for b in self._ports([right], (*path, "to")):
                    if not self._add_pair(spec, (a, b), path):
                        return

    def _words(self, patterns: list[str], path: Path) -> list[str]:
        """Return the names of the boxes and ports that match patterns."""
        found: list[str] = []
        for pattern in patterns:
            for word in safe_expand(pattern, path, self.problems):
                box, dot, port = word.partition(".")
                names = self.net.boxes.by_name.match(box)
                if not names:
                    self.problems.add(path, *self.net.boxes.by_name.unknown(box))
                    return []
                found.extend(f"{name}{dot}{port}" for name in names)
        return found

    def _ports(self, patterns: list[str], path: Path) -> list[End]:
        """Return the N_Ports with a link to a switch; a box stands for all its ports."""
        found: list[End] = []
        for word in self._words(patterns, path):
            name, _, port = word.partition(".")
            box = self.net.boxes.by_name[name]
            linked = [
                port
                for port in self.net.wiring.linked_ports(name)
                if (name, port) in self.net.n_port_ids and self._switch_of((name, port)) is not None
            ]
            if box.kind == "switch":
                self.problems.add(
                    path,
                    f"'{name}' is a switch, which does not send frames itself",
                    "Name a host or array",
                )
                return []
            if (port and port not in linked) or not linked:
                self.problems.add(
                    path,
                    f"'{word}' has no link to a switch",
                    f"Ports with a link: {', '.join(linked) or 'none'}",
                )
                return []
            found.extend((name, linked_port) for linked_port in ([port] if port else linked))
        return found

    def _switch_of(self, end: End) -> SwitchBox | None:
        """The switch a port is linked to."""
        if end not in self.net.wiring.link_of:
            return None
        return self.switches.get(self.net.wiring.peer(end)[0])

    def _is_new(self, what: tuple[object, ...], at: int, path: Path, key: str) -> bool:
        first = self.said.setdefault((*what, at), path)
        if first != path:
            since = format_time(at) if at else "the beginning"
            line = self.problems.scenario.problem(first, "", "").line
            self.problems.add(
                (*path, key),
                f"Line {line} sets another {key} for the same pair from {since} on",
                "Write a later 'at' for one of them, or remove one",
            )
        return first == path

    def _add_ingress(self, spec: Qos, port: End, path: Path) -> None:
        assert spec.limit is not None
        if self._is_new(("ingress", port), spec.at, path, "limit"):
            policy = IngressPolicy(n_port=self.net.n_port_ids[port], limit=_rate(spec))
            self.plans.append(QosPlan(at_ps=spec.at, policy=policy))

    def _add_pair(self, spec: Qos, pair: tuple[End, End], path: Path) -> bool:
        """Add both directions of a pair; return whether there was no problem."""
        a, b = pair
        if a == b or not self.net.wiring.is_reachable(a, b):
            self.problems.add(
                (*path, "to"),
                f"No path leads from '{_label(a)}' to '{_label(b)}'",
                "Name two ports of one fabric",
            )
            return False
        key = "limit" if spec.priority is None else "priority"
        what = (key, frozenset(pair), spec.switch)
        if not self._is_new(what, spec.at, path, key):
            return False
        for source, destination in (a, b), (b, a):
            ids = self.net.n_port_ids[source], self.net.n_port_ids[destination]
            policy: LimitPolicy | PriorityPolicy
            if spec.priority is not None:
                policy = PriorityPolicy(
                    source=ids[0],
                    destination=ids[1],
                    class_id=PRIORITIES.index(spec.priority),
                    switch=self._switch_id(spec, path),
                )
            else:
                before = len(self.problems.found)
                limit = self._limit(spec, (source, destination), path)
                if len(self.problems.found) > before:
                    return False
                policy = LimitPolicy(source=ids[0], destination=ids[1], limit=limit)
            self.plans.append(QosPlan(at_ps=spec.at, policy=policy))
        return True

    def _switch_id(self, spec: Qos, path: Path) -> int | None:
        if spec.switch is None:
            return None
        names = list(self.switches)
        if spec.switch not in names:
            self.problems.add(
                (*path, "switch"),
                f"There is no switch called '{spec.switch}'",
                f"Switches are: {', '.join(names)}",
            )
            return None
        return names.index(spec.switch)

    def _limit(self, spec: Qos, way: tuple[End, End], path: Path) -> LimitPlan | None:
        """Return a limit at the last port of a path: slots if the switch has a wheel.

        None without a limit, or after a problem.
        """
        switch = self._switch_of(way[1])
        wheel = switch.values.qos.wheel if switch else None
        if wheel is None:
            return _rate(spec)
        sold = self.sold.setdefault(way[1], _Sold())
        if spec.limit == "none":
            sold.slots.pop(way, None)
            return None
        slots = self._slots(spec, wheel, path)
        if slots is None:
            return None
        sold.slots[way] = slots
        total = sum(sold.slots.values())
        if total > wheel.slots:
            self.problems.add(
                (*path, "limit"),
                f"The limits at the port of '{_label(way[1])}' need {total} slots, and its wheel"
                f" has {wheel.slots}",
                "Reduce a limit of its pairs, or remove one with 'limit: none'",
            )
            return None
        return WheelLimit(slots=slots, of=wheel.slots)

    def _slots(self, spec: Qos, wheel: Wheel, path: Path) -> int | None:
        assert isinstance(spec.limit, int)
        if spec.burst is not None:
            self.problems.add(
                (*path, "burst"),
                "The switch uses a wheel for limits, which allows no bursts",
                "Remove 'burst'",
            )
            return None
        slots, rest = divmod(spec.limit, wheel.slot_rate)
        if rest or not 1 <= slots <= wheel.slots:
            near = min(max(1, round(spec.limit / wheel.slot_rate)), wheel.slots)
            self.problems.add(
                (*path, "limit"),
                f"{format_rate(spec.limit)} is not a whole number of the wheel's {wheel.slots}"
                f" slots of {format_rate(wheel.slot_rate)}",
                f"Write {format_rate(near * wheel.slot_rate)}, or 'limit: none'",
            )
            return None
        return slots


def _rate(spec: Qos) -> LimitPlan | None:
    if not isinstance(spec.limit, int):
        return None
    burst = given(spec.burst, DEFAULT_BURST_BYTES)
    return RateLimit(bytes_per_s=spec.limit, burst_bytes=burst)


def _label(end: End) -> str:
    return f"{end[0]}.{end[1]}"


def build_qos(scenario: Scenario, net: Network, problems: Problems) -> list[QosPlan]:
    """Return the policies of a scenario in the order of time."""
    maker = _Maker(scenario, net, problems)
    order = sorted(range(len(scenario.qos)), key=lambda number: scenario.qos[number].at)
    for index in order:
        maker.add(scenario.qos[index], ("qos", index))
    return maker.plans
