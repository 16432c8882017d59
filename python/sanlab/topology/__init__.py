"""The fabric as a map: boxes, ports, links and zones with their states, at an instant."""

from sanlab.topology.access import Access, access_of
from sanlab.topology.build import topology_of
from sanlab.topology.colours import METRICS, Colours, colours_of
from sanlab.topology.instants import instants_of
from sanlab.topology.parts import (
    Alias,
    Link,
    Loop,
    Node,
    Port,
    Site,
    Topology,
    Zone,
)

__all__ = [
    "METRICS",
    "Access",
    "Alias",
    "Colours",
    "Link",
    "Loop",
    "Node",
    "Port",
    "Site",
    "Topology",
    "Zone",
    "access_of",
    "colours_of",
    "instants_of",
    "topology_of",
]
