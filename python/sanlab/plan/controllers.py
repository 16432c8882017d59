"""Controllers of arrays: their ports, their LUNs, their failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.plan.defaults import given
from sanlab.plan.names import safe_expand
from sanlab.plan.schema import ControllerPlan, FailoverPlan
from sanlab.plan.spans import outages_of
from sanlab.quantities import counted, nearest
from sanlab.scenario.groups import expand

if TYPE_CHECKING:
    from sanlab.plan.boxes import ArrayBox
    from sanlab.plan.names import Problems
    from sanlab.plan.spans import Span
    from sanlab.plan.wiring import Wiring
    from sanlab.scenario.arrays import Lun
    from sanlab.scenario.controllers import CountedControllers
    from sanlab.scenario.document import Path
    from sanlab.scenario.faults import Fault

#: As the owner of a LUN: every controller serves it.
ALL = "all"


def controllers_of(array: ArrayBox) -> CountedControllers:
    """Return the controllers of an array."""
    return array.values.controllers


def controller_names(array: ArrayBox) -> list[str]:
    """Return the names of the controllers within their array."""
    return [f"c{number}" for number in range(controllers_of(array).count)]


def ports_by_controller(array: ArrayBox) -> list[list[str]]:
    """Return the ports of each controller."""
    controllers = controllers_of(array)
    if controllers.ports is not None:
        return [[port for pattern in own for port in expand(pattern)] for own in controllers.ports]
    names = array.port_names
    return [names[number :: controllers.count] for number in range(controllers.count)]


def check_controllers(arrays: list[ArrayBox], problems: Problems) -> None:
    """Note problems with the ports of controllers."""
    for array in arrays:
        spec = controllers_of(array)
        if spec.ports is not None:
            path: Path = (*array.path, "controllers", "ports")
            _check_ports(array, spec.count, spec.ports, path, problems)


def _check_ports(
    array: ArrayBox, count: int, ports: list[list[str]], path: Path, problems: Problems
) -> None:
    owned = [
        port for own in ports for pattern in own for port in safe_expand(pattern, path, problems)
    ]
    if len(ports) != count:
        problems.add(
            path,
            f"'ports' has {counted(len(ports), 'list')} for {counted(count, 'controller')}",
            "Write one list of ports for each controller",
        )
    elif sorted(owned) != sorted(array.port_names):
        problems.add(
            path,
            f"Each port of '{array.name}' belongs to one controller, and these are "
            f"{', '.join(owned)}",
            f"Name each of {', '.join(array.port_names)} once",
        )


def build_controllers(
    array: ArrayBox,
    wiring: Wiring,
    n_port_ids: dict[tuple[str, str], int],
    outages: dict[tuple[str, int], list[Span]],
) -> list[ControllerPlan]:
    """Return the controllers of an array with those of their ports that have a link."""
    spec, model, linked = array.spec, array.values.model, wiring.linked_ports(array.name)
    names = controller_names(array)
    is_like_model = spec.controllers is None or model.controllers is not None
    processors = model.processors if is_like_model else 1
    return [
        ControllerPlan(
            name=array.name if len(names) == 1 else f"{array.name}.{name}",
            n_ports=[n_port_ids[array.name, port] for port in ports if port in linked],
            processors=given(spec.processors, processors),
            outages=outages_of(outages.get((array.name, number), [])),
        )
        for number, (name, ports) in enumerate(zip(names, ports_by_controller(array), strict=True))
    ]


def failover_of(array: ArrayBox) -> FailoverPlan:
    """Return how the controllers of an array stand in for each other."""
    spec = controllers_of(array)
    if spec.count == 1:
        return FailoverPlan(
            takeover_ps=0,
            give_back_ps=None,
            told_ps=0,
            forward_ps=0,
            forward_bytes_per_s=None,
            writes_through_alone=False,
        )
    return FailoverPlan(
        takeover_ps=spec.takeover,
        give_back_ps=None if spec.give_back == "manual" else spec.give_back,
        told_ps=spec.path_states,
        forward_ps=spec.forward,
        forward_bytes_per_s=spec.forward_rate or None,
        writes_through_alone=spec.without_partner == "write-through",
    )


def owners_of(
    spec: Lun, array: ArrayBox, count: int, path: Path, problems: Problems
) -> list[int | None]:
    """Return the controller that owns each of so many equal LUNs; None where all serve it."""
    if spec.owner is None or spec.owner == [ALL]:
        return [None] * count
    here: Path = (*path, "owner")
    known = controller_names(array)
    chosen = [name for pattern in spec.owner for name in safe_expand(pattern, here, problems)]
    for name in chosen:
        if name not in known:
            guess = nearest(name, known)
            hint = f"Did you mean '{guess}'? " if guess else ""
            problems.add(
                here,
                f"'{array.name}' has no controller '{name}'",
                f"{hint}It has {', '.join(known)}: write 'controllers: 2' for two",
            )
            return [None] * count
    return [known.index(chosen[number % len(chosen)]) for number in range(count)]


def default_owners(array: ArrayBox, turns: range, linked: list[str]) -> list[int | None]:
    """Return owners in turn, among the controllers with a link, if the model has them.

    `turns` has the numbers of the LUNs within their array, and `linked` its ports with a link.
    """
    if array.values.model.ownership == "shared" or controllers_of(array).count == 1:
        return [None] * len(turns)
    owners = [
        number
        for number, ports in enumerate(ports_by_controller(array))
        if any(port in linked for port in ports)
    ]
    return [owners[turn % len(owners)] if owners else None for turn in turns]


def failed_controllers(
    fault: Fault, array: ArrayBox, wiring: Wiring, path: Path, problems: Problems
) -> list[int]:
    """Return the controllers that a fault names, by name or by ports; all by default."""
    names = controller_names(array)
    if fault.controller is not None:
        if fault.controller in names:
            return [names.index(fault.controller)]
        problems.add(
            (*path, "controller"),
            f"'{array.name}' has no controller '{fault.controller}'",
            f"It has {', '.join(names)}",
        )
        return []
    if fault.ports is None:
        return list(range(len(names)))
    here: Path = (*path, "ports")
    linked = wiring.linked_ports(array.name)
    wanted = [port for pattern in fault.ports for port in safe_expand(pattern, here, problems)]
    for port in wanted:
        if port not in linked:
            problems.add(
                here,
                f"'{array.name}' has no port '{port}' with a link",
                f"It has {', '.join(linked)}",
            )
            return []
    owned = [[port for port in own if port in linked] for own in ports_by_controller(array)]
    matches = [number for number, own in enumerate(owned) if sorted(own) == sorted(wanted)]
    if not matches:
        listed = "; ".join(
            f"{name} has {', '.join(own) or 'none'}" for name, own in zip(names, owned, strict=True)
        )
        problems.add(
            here,
            f"No controller of '{array.name}' has just the ports {', '.join(wanted)}",
            f"{listed}. Name a 'controller', or write 'port-down' for ports alone",
        )
    return matches[:1]
