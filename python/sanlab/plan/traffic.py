"""Plain frames between N_Ports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.plan.job_parts import load_of
from sanlab.plan.names import define, pair_up, safe_expand
from sanlab.plan.schema import ArrivalsPlan, TrafficPlan
from sanlab.quantities import PS_PER_S

if TYPE_CHECKING:
    from sanlab.plan.boxes import Boxes
    from sanlab.plan.names import End, Problems
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario import Scenario
    from sanlab.scenario.document import Path
    from sanlab.scenario.workload import Traffic


@dataclass(frozen=True, slots=True)
class Network:
    """Ports and their links."""

    boxes: Boxes
    wiring: Wiring
    n_port_ids: dict[End, int]


def build_traffic(
    scenario: Scenario, net: Network, flows: dict[str, Path], problems: Problems
) -> list[TrafficPlan]:
    """Return the streams of plain frames, one for each pair of ports."""
    plans = []
    for index, spec in enumerate(scenario.traffic):
        path: Path = ("traffic", index)
        names = define(spec.name, (*path, "name"), flows, problems)
        sources = _n_ports(spec.from_, (*path, "from"), net, problems)
        targets = _n_ports(spec.to, (*path, "to"), net, problems)
        labels = {_label(end): end for end in (*sources, *targets)}
        pairs = pair_up(
            [_label(end) for end in sources],
            [_label(end) for end in targets],
            (*path, "to"),
            ("ports", "ports"),
            problems,
        )
        for name in names:
            for number, (a, b) in enumerate(pairs):
                full_name = name if len(pairs) == 1 else f"{name}/{number}"
                source, target = labels[a], labels[b]
                if _is_possible(source, target, path, net, problems):
                    ends = net.n_port_ids[source], net.n_port_ids[target]
                    plans.append(_plan(spec, full_name, ends))
    return plans


def _label(end: End) -> str:
    return f"{end[0]}.{end[1]}"


def _n_ports(patterns: list[str], path: Path, net: Network, problems: Problems) -> list[End]:
    """Return the linked N_Ports that match patterns; a box stands for its first one."""
    found: list[End] = []
    for pattern in patterns:
        for word in safe_expand(pattern, path, problems):
            box, _, port = word.partition(".")
            names = net.boxes.by_name.match(box)
            if not names:
                problems.add(path, *net.boxes.by_name.unknown(box))
                return []
            for name in names:
                end = _n_port(name, port, path, net, problems)
                if end is None:
                    return []
                found.append(end)
    return found


def _n_port(name: str, port: str, path: Path, net: Network, problems: Problems) -> End | None:
    if net.boxes.by_name[name].kind == "switch":
        problems.add(
            path, f"'{name}' is a switch, which does not send frames itself", "Name a host or array"
        )
        return None
    linked = net.wiring.linked_ports(name)
    wanted = port or (linked[0] if linked else "")
    if wanted not in linked:
        problems.add(
            path,
            f"'{name}.{wanted}' is not a port with a link" if wanted else f"'{name}' has no link",
            f"Ports with a link are: {', '.join(linked) or 'none'}",
        )
        return None
    return name, wanted


def _is_possible(source: End, target: End, path: Path, net: Network, problems: Problems) -> bool:
    if source == target:
        problems.add((*path, "to"), f"'{_label(source)}' sends to itself", "Name another port")
        return False
    if source in net.wiring.loop_of:
        problems.add(
            (*path, "from"),
            f"'{_label(source)}' is on a loop, and plain frames begin at ports with a link",
            "Name another port, or use a workload",
        )
        return False
    if not net.wiring.is_reachable(source, target):
        problems.add(
            (*path, "to"),
            f"No path leads from '{_label(source)}' to '{_label(target)}'",
            "Link both to the same fabric",
        )
        return False
    return True


def _plan(spec: Traffic, name: str, ends: tuple[int, int]) -> TrafficPlan:
    return TrafficPlan(
        name=name,
        source_n_port=ends[0],
        target_n_port=ends[1],
        payload_bytes=spec.payload,
        frames=spec.frames or None,
        arrivals=_arrivals(spec),
        load=load_of(spec.load),
        start_ps=spec.start_delay,
    )


def _arrivals(spec: Traffic) -> ArrivalsPlan | None:
    interval = spec.interval
    if spec.rate is not None:
        interval = max(1, round(spec.payload * PS_PER_S / spec.rate))
    if not interval:
        return None
    return ArrivalsPlan(
        interval_ps=interval,
        distribution="exponential" if spec.arrivals == "poisson" else "constant",
    )
