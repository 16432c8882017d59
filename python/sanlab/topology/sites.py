"""Sites: boxes that only long cables join to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanlab.topology.joined import Groups
from sanlab.topology.parts import Site

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.topology.parts import Link

#: Length up to which a cable stays within a site: that of 50 um multimode fibre at 1GFC (FC-PI).
SITE_METRES = 500


def sites_of(names: Iterable[str], links: Iterable[Link]) -> tuple[Site, ...]:
    """Return the sites of all boxes, in the order of their first boxes.

    None where fewer than two groups of boxes are cabled within themselves: then there is one site.
    Boxes without a cable are at none.
    """
    groups: Groups[str] = Groups()
    for link in links:
        if link.length_m <= SITE_METRES:
            groups.join(link.a_node, link.b_node)
        else:
            groups.add(link.a_node)
            groups.add(link.b_node)
    order = {name: number for number, name in enumerate(names)}
    found: list[tuple[str, ...]] = []
    placed: set[str] = set()
    cabled = {end for link in links for end in (link.a_node, link.b_node)}
    for name in order:
        if name not in cabled or name in placed:
            continue
        members = sorted(groups.members_of(name), key=lambda one: order.get(one, len(order)))
        placed.update(members)
        found.append(tuple(members))
    if len(found) < 2:
        return ()
    return tuple(Site(f"site {number}", nodes) for number, nodes in enumerate(found, 1))
