from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from by_hand import port

from sanlab.report.topology import class_of, draw, legend

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.results.run import Run


def star(make_run: Callable[..., Run], hosts: int, name: str = "host") -> Run:
    """That many hosts and one array at one switch."""
    nodes = [f"{name}{index + 1}" for index in range(hosts)] + ["dev1"]
    ports = []
    for index, node in enumerate(nodes):
        use = index / max(1, hosts)
        ports.append(port(f"{node}.p0", node, f"sw1.f{index}", index, tx_utilisation=use))
        ports.append(port(f"sw1.f{index}", "sw1", f"{node}.p0", index))
    plan = {
        "hosts": [{"name": node} for node in nodes[:-1]],
        "switches": [{"name": "sw1"}],
        "arrays": [{"name": "dev1", "back_end": None}],
    }
    return make_run({"ports": ports}, plan)


@pytest.mark.parametrize(("hosts", "boxes", "cables"), [(2, 4, 3), (14, 16, 15), (500, 3, 2)])
def test_many_alike_hosts_become_one_box(
    make_run: Callable[..., Run], hosts: int, boxes: int, cables: int
) -> None:
    picture = draw(star(make_run, hosts))
    ET.fromstring(picture)
    assert len(re.findall('class="name"', picture)) == boxes
    assert len(re.findall('class="cable', picture)) == cables
    assert f"{hosts} hosts" in picture


def test_the_colour_is_that_of_the_busiest(make_run: Callable[..., Run]) -> None:
    assert "cable u4" in draw(star(make_run, 500))


def test_names_are_escaped(make_run: Callable[..., Run]) -> None:
    picture = draw(star(make_run, 2, name="<b>&"))
    ET.fromstring(picture)
    assert "<b>" not in picture


def test_every_utilisation_has_a_colour_in_the_legend() -> None:
    assert [class_of(share) for share in (0, 0.1, 0.11, 0.5, 0.8, 0.91, 1.0)] == [
        "u0", "u0", "u1", "u2", "u3", "u4", "u4",
    ]  # fmt: skip
    assert all(name in legend() for name in ("u0", "u1", "u2", "u3", "u4"))
