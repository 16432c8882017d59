"""The map of a fabric: ports with states and reasons, zones, sites, and what hosts may see."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from workspaces import PULLED

from sanlab.plan.compile import compile_plan
from sanlab.results.run import run
from sanlab.scenario.load import load_scenario, parse_scenario
from sanlab.topology import METRICS, access_of, colours_of, instants_of, topology_of

if TYPE_CHECKING:
    from sanlab.topology import Port, Topology

EXAMPLES = Path(__file__).parents[2] / "examples"


def plan_of(name: str) -> dict[str, Any]:
    plan: dict[str, Any] = json.loads(
        compile_plan(load_scenario(EXAMPLES / name / "scenario.yaml")).to_json()
    )
    return plan


def map_of(name: str, at_ps: int = 0) -> Topology:
    scenario = load_scenario(EXAMPLES / name / "scenario.yaml")
    return topology_of(json.loads(compile_plan(scenario).to_json()), scenario=scenario, at_ps=at_ps)


def port(topology: Topology, name: str) -> Port:
    return next(one for one in topology.ports if one.name == name)


@pytest.mark.parametrize(
    "folder", sorted(path.parent.name for path in EXAMPLES.glob("*/scenario.yaml"))
)
def test_every_name_on_the_map_leads_somewhere(folder: str) -> None:
    topology = map_of(folder)
    ports = {one.name: one for one in topology.ports}
    nodes = {node.name: node for node in topology.nodes}
    loops = {loop.name for loop in topology.loops}
    assert len(ports) == len(topology.ports)
    for one in topology.ports:
        assert one.name in nodes[one.node].ports
        assert one.peer is None or one.peer in ports or one.peer in loops
        assert set(one.logins) <= set(ports)
    for link in topology.links:
        for end, node in ((link.a, link.a_node), (link.b, link.b_node)):
            assert end in loops or ports[end].node == node
            assert node in nodes
    placed = [name for site in topology.sites for name in site.nodes]
    assert len(placed) == len(set(placed))
    assert {name: node.site for name, node in nodes.items() if node.site} == {
        name: site.name for site in topology.sites for name in site.nodes if name in nodes
    }


def test_a_port_is_found_by_host_attached_port_and_world_wide_name() -> None:
    topology = map_of("hello-san")
    host = port(topology, "host1.hba0.p0")
    assert host.peer == "sw1.f0"
    assert port(topology, "sw1.f0").logins == ("host1.hba0.p0",)
    assert host.wwpn is not None
    for text in ("HOST1", host.wwpn, host.wwpn.replace(":", "").upper()):
        assert host in topology.find_ports(text)
    assert port(topology, "sw1.f0") in topology.find_ports("host1")
    assert topology.find_ports("no such name") == ()
    idle = port(topology, "sw1.g40")
    assert (idle.state, idle.peer, idle.reason) == ("no light", None, "nothing is plugged in")


def test_sites_are_boxes_that_only_long_links_join() -> None:
    topology = map_of("three-data-centres")
    assert [site.name for site in topology.sites] == ["site 1", "site 2", "site 3"]
    site_of = {node.name: node.site for node in topology.nodes}
    for link in topology.links:
        assert (site_of[link.a_node] != site_of[link.b_node]) == (link.length_m > 500)
    assert map_of("hello-san").sites == ()


def test_a_conflict_is_known_before_the_merge_and_drawn_after_it() -> None:
    before, after = map_of("zone-merge"), map_of("zone-merge", 10**15)
    assert before.conflicts == after.conflicts
    assert any("isolated" in sentence for sentence in before.conflicts)
    assert "isolated" not in {link.state for link in before.links}
    isolated = [link for link in after.links if link.state == "isolated"]
    assert isolated
    assert isolated[0].reason is not None


ZONED = """
hosts:
  - {name: "host[1..2]"}
arrays:
  - {name: "dev[1..2]", luns: [{name: "lun[1..2]", size: 1GiB}]}
switches:
  - {name: sw1, ports: 8}
links:
  - {from: "host[1..2].hba0.p0", to: sw1}
  - {from: "dev[1..2].p0", to: sw1}
zoning:
  aliases: {left: [host1.hba0.p0]}
  zones: {one: [left, dev1.p0], two: [host2.hba0.p0, dev2.p0], spare: [host1.hba0.p0, dev2.p0]}
  sets: {now: [one, two], later: [spare]}
  active: now
workloads:
  - {name: load, hosts: host1, targets: dev1.lun1, rw: randread, bs: 4KiB}
measure: {duration: 1ms}
"""


def test_a_host_sees_what_its_zones_and_masks_allow() -> None:
    scenario = parse_scenario(ZONED, "zoned.yaml")
    plan = json.loads(compile_plan(scenario).to_json())
    assert {lun.array for lun in access_of(plan, "host1")} == {"dev1"}
    assert {lun.array for lun in access_of(plan, "host2")} == {"dev2"}
    assert access_of(plan, "host9") == []
    found = access_of(plan, "host1")
    assert [lun.paths for lun in found] == [(("host1.hba0.p0", "dev1.p0"),)] * 2
    plan["arrays"][0]["luns"][0]["initiators"] = []
    assert [lun.lun for lun in access_of(plan, "host1")] == ["dev1.lun2"]
    topology = topology_of(plan, scenario=scenario)
    assert port(topology, "host1.hba0.p0").zones == ("one",)
    assert [alias.name for alias in topology.aliases] == ["left"]
    assert port(topology, "host1.hba0.p0") in topology.find_ports("left")
    assert {zone.name: zone.is_active for zone in topology.zones} == {
        "one": True, "two": True, "spare": False,
    }  # fmt: skip


def test_disks_of_a_stack_are_luns_with_ports_of_their_own() -> None:
    found = access_of(
        plan_of("jbod-against-sbod"), plan_of("jbod-against-sbod")["hosts"][0]["name"]
    )
    assert found
    for lun in found:
        assert all(path[1].startswith(f"{lun.lun}.") for path in lun.paths)


def test_a_run_colours_its_links_over_time(tmp_path: Path) -> None:
    finished = run(
        EXAMPLES / "hello-san" / "scenario.yaml",
        folder=tmp_path / "run",
        overrides={"measure.duration": "20ms", "measure.interval": "1ms"},
    )
    topology = topology_of(finished.plan, run=finished)
    busiest = max(topology.links, key=lambda link: link.utilisation or 0.0)
    assert busiest.utilisation is not None
    assert busiest.utilisation > 0.05
    for metric in METRICS:
        colours = colours_of(finished, metric)
        assert len(colours.values) == len(colours.links)
        assert {len(row) for row in colours.values} == {len(colours.at_ps)}
    colours = colours_of(finished)
    row = colours.values[colours.links.index(busiest.id)]
    mean = sum(row) / len(row)
    assert mean == pytest.approx(busiest.utilisation, abs=0.03)
    assert max(max(row) for row in colours.values) <= 1.0


def test_many_bins_are_put_together(tmp_path: Path) -> None:
    finished = run(
        EXAMPLES / "hello-san" / "scenario.yaml",
        folder=tmp_path / "run",
        overrides={"measure.duration": "35ms", "measure.interval": "50us"},
    )
    colours = colours_of(finished)
    assert 200 < len(colours.at_ps) <= 300
    assert colours.at_ps[-1] == max(row["time_ps"] for row in finished.rows("port_series"))


def test_the_command_lists_ports_and_finds_one(capsys: pytest.CaptureFixture[str]) -> None:
    from sanlab.cli.main import app

    file = str(EXAMPLES / "zone-merge" / "scenario.yaml")
    app(["ports", file, "--find", "db2"], standalone_mode=False)
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown[:3]] == ["box", "db2", "new"]
    assert "db" in shown[1].split()
    assert any(line.startswith("conflict: old port 3 to new port 3 is isolated") for line in shown)
    app(["ports", file, "--at", "3s", "--json"], standalone_mode=False)
    found = json.loads(capsys.readouterr().out)
    states = {port["name"]: port["state"] for port in found["ports"]}
    assert (states["old.e3"], states["old.f0"]) == ("isolated", "online")


@pytest.mark.parametrize(
    ("at_ms", "state"), [(0, "up"), (99, "up"), (100, "down"), (299, "down"), (300, "was_down")]
)
def test_a_pulled_cable_is_down_until_it_is_back_although_the_fabric_is_zoned(
    at_ms: int, state: str
) -> None:
    scenario = parse_scenario(PULLED)
    plan = json.loads(compile_plan(scenario).to_json())
    assert plan["services"] is not None
    found = topology_of(plan, scenario=scenario, at_ps=at_ms * 10**9)
    assert {link.a: link.state for link in found.links if link.state != "up"} == (
        {} if state == "up" else {"sw1.e2": state}
    )
    assert instants_of(plan) == [0, 100 * 10**9, 300 * 10**9]


@pytest.mark.parametrize("name", ["zone-merge", "path-failover", "three-data-centres"])
def test_between_its_instants_a_map_stays(name: str) -> None:
    instants = instants_of(plan_of(name))
    for begin, end in itertools.pairwise(instants):
        first, last = (map_of(name, at_ps) for at_ps in (begin, end - 1))
        states = [[(one.name, one.state) for one in found.ports] for found in (first, last)]
        links = [[(one.id, one.state) for one in found.links] for found in (first, last)]
        assert states[0] == states[1]
        assert links[0] == links[1]
        assert first.zones == last.zones
