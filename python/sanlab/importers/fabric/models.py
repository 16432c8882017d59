"""Models of the catalog that fit what the outputs say, and generic ones by speed elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sanlab.catalog import entry, names_of

if TYPE_CHECKING:
    from sanlab.importers.fabric.nodes import Device, Node

#: Switches by Brocade's hardware type. The numbers are as remembered; 109 and 162 are in captures.
BROCADE_TYPES = {
    62: "brocade-dcx",
    66: "brocade-5100",
    71: "brocade-300",
    77: "brocade-dcx-4s",
    109: "brocade-6510",
    118: "brocade-6505",
    120: "brocade-dcx8510-8",
    121: "brocade-dcx8510-4",
    133: "brocade-6520",
    162: "brocade-g620",
    165: "brocade-x6-4",
    166: "brocade-x6-8",
    170: "brocade-g610",
    173: "brocade-g630",
    179: "brocade-x7-4",
    180: "brocade-x7-8",
    181: "brocade-g720",
    183: "brocade-g620",
    184: "brocade-g630",
    189: "brocade-g730",
}
#: Speed where no output tells any.
DEFAULT_SPEED = 32
#: Speeds of generic models.
_GENERIC = (1, 2, 4, 8, 10, 16, 32, 64, 128, 256)


@dataclass(frozen=True, slots=True)
class Model:
    """An entry of the catalog and why it was chosen."""

    name: str
    speeds: tuple[int, ...]
    ports: int
    is_told: bool
    """Whether an output names it."""


def _model(kind: str, name: str, *, is_told: bool) -> Model:
    found = entry(kind, name)
    speeds = tuple(int(str(speed).removesuffix("GFC")) for speed in getattr(found, "speeds", ()))
    return Model(name, speeds, int(getattr(found, "ports", 0) or 0), is_told)


def _generic(kind: str, speed: int) -> Model:
    fitting = next((known for known in _GENERIC if known >= speed), _GENERIC[-1])
    return _model(kind, f"generic-{fitting}g", is_told=False)


def switch_model(node: Node, speeds: list[int]) -> Model:
    """Return the model of a switch whose ports have these speeds."""
    most = max(speeds, default=DEFAULT_SPEED)
    for name in _told_switches(node, most):
        if name in names_of("switches"):
            found = _model("switches", name, is_told=True)
            if not speeds or most <= max(found.speeds):
                return found
    return _generic("switches", most)


def _told_switches(node: Node, speed: int) -> list[str]:
    number = re.match(r"\d+", node.type)
    if node.vendor == "brocade" and number:
        return [BROCADE_TYPES[int(number[0])]] if int(number[0]) in BROCADE_TYPES else []
    product = re.search(r"MDS\s?(\d{4}[A-Za-z]?)", node.type)
    if not product:
        return []
    name = f"mds-{product[1].lower()}"
    return [name, f"{name}-{speed}g", f"{name}-16g", f"{name}-32g"]


def adapter_model(device: Device, speed: int) -> Model:
    """Return the model of an adapter: that of its symbolic name, or a generic one."""
    name = device.first("model").lower()
    if name in names_of("hbas"):
        found = _model("hbas", name, is_told=True)
        if speed in found.speeds:
            return found
    return _generic("hbas", speed)


def array_model(speed: int, switches: list[Model]) -> Model:
    """Return a generic array with ports of a speed, or a lower one that all its switches have."""
    for known in sorted(_GENERIC, reverse=True):
        found = _generic("arrays", known)
        if known <= speed and all(set(found.speeds) & set(one.speeds) for one in switches):
            return found
    return _generic("arrays", speed)


def common_speed(speed: int, *ends: Model) -> int:
    """Return the speed nearest to one that all ends support; 0 without any."""
    common = set(ends[0].speeds).intersection(*(end.speeds for end in ends[1:]))
    return min(common, key=lambda known: (abs(known - speed), known), default=0)
