"""Runs with loops: what limits them, how they are drawn, and no search for credit there."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from planted import planted
from planted import run as run_planted

import sanlab
from sanlab.explain.findings import Finding, find
from sanlab.explain.parts import line_of
from sanlab.plan.compile import compile_plan
from sanlab.plan.explain import totals
from sanlab.report.build import render
from sanlab.report.topology import draw
from sanlab.results.columns import STAGES, TABLES
from sanlab.results.loops import fullest, stacks, uses
from sanlab.results.ports import busiest, waiting_for_credit
from sanlab.scenario.load import load_scenario

if TYPE_CHECKING:
    from sanlab.results.run import Run

pytestmark = pytest.mark.xdist_group("loops")
EXAMPLE = Path(__file__).parents[2] / "examples" / "jbod-against-sbod" / "scenario.yaml"
QUICK = {"measure.duration": "60ms", "workloads.load.ramp_time": "10ms"}


def simulate(folder: Path, **sets: str) -> Run:
    overrides = QUICK | {path.replace("__", "."): value for path, value in sets.items()}
    return sanlab.run(EXAMPLE, overrides=overrides, folder=folder / "run")


@pytest.fixture(scope="module")
def jbod(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulate(tmp_path_factory.mktemp("jbod"))


@pytest.fixture(scope="module")
def sbod(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulate(tmp_path_factory.mktemp("sbod"), stacks__rack__model="rs-1600-sbod")


def one(findings: list[Finding], kind: str) -> Finding:
    (found,) = [finding for finding in findings if finding.id == kind]
    return found


def classes(picture: str, title: str) -> list[str]:
    """Classes of the lines that follow a title."""
    return re.findall(rf'<title>{title}[^<]*</title><path class="cable (\w+)"', picture)


def test_every_table_of_a_run_with_a_stack_is_described(sbod: Run) -> None:
    assert set(sbod.tables) == set(TABLES)
    for name in sbod.tables:
        assert sbod.table(name).column_names == list(TABLES[name][1])
    assert {row["stage"] for row in sbod.rows("stages")} == set(STAGES)
    kinds = {row["kind"] for row in sbod.rows("ports")}
    assert kinds == {"nl_port"}
    assert all(f"`{kind}`" in TABLES["ports"][1]["kind"] for kind in kinds)


def test_a_full_loop_limits_and_says_what_fills_it(jbod: Run) -> None:
    finding = one(find(jbod), "limit_loop")
    assert "loop rack." in finding.title
    assert "by circuits" in finding.title
    assert "and 1 more is full too" in finding.title
    assert "50 ports" in finding.detail
    (evidence,) = finding.evidence
    assert evidence.table == "loops"
    row = next(row for row in jbod.rows("loops") if row["loop"] == evidence.where["loop"])
    taken = row["owned_share"] + row["arbitrating_share"]
    assert finding.number == pytest.approx(taken, abs=1e-9)
    assert taken <= 1 + 1e-9


def test_time_of_a_stopped_loop_is_in_the_bins_in_which_it_passes(tmp_path: Path) -> None:
    """The engine counts a wait in the bin in which it ends, here one of 20 ms in one of 5 ms."""
    (case,) = [one for one in planted() if str(one) == "loops-stops-of-a-full-loop"]
    short = {"measure.duration": "200ms", "measure.interval": "5ms"}
    stop = [{"kind": "noisy-disk", "stack": "rack", "disk": 5, "at": "50ms", "until": "150ms"}]
    pauses = {"every": "50ms", "pause": "20ms"}
    changed = replace(case, content=case.content | {"add": {"faults": [stop[0] | pauses]}})
    found = run_planted(changed, tmp_path / "planted", {"set": short})
    line = line_of(found, "loops")
    assert line is not None
    owned, arbitrating = line.columns["owned_share"], line.columns["arbitrating_share"]
    assert min(owned.min(), arbitrating.min()) >= 0
    assert (owned + arbitrating).max() <= 1 + 1e-9
    rows = found.table("loop_series").to_pylist()
    counted = [row["owned_share"] + row["arbitrating_share"] for row in rows]
    assert max(counted) > 3
    assert (owned + arbitrating).sum() == pytest.approx(sum(counted), rel=0.01)


def test_the_ports_of_hosts_limit_a_switched_loop(sbod: Run) -> None:
    finding = one(find(sbod), "limit_loop")
    assert "2 host ports on rack." in finding.title
    assert finding.number is not None
    assert 0.9 < finding.number <= 1


def test_a_string_limits_where_all_circuits_need_it(tmp_path: Path) -> None:
    tops = {"links[0].to": "a", "links[1].to": "b", "links[2].to": "b", "links[3].to": "a"}
    sets = {place: f"rack.{loop}.top" for place, loop in tops.items()} | {
        "stacks.rack.model": "rs-1600-sbod",
        "stacks.rack.strings": "1",
        "workloads.load.targets": "rack.disk[33..48]",
    }
    run = sanlab.run(EXAMPLE, overrides=QUICK | sets, folder=tmp_path / "run")
    finding = one(find(run), "limit_loop")
    assert re.search(r"string rack\.[ab] e\d-e\d of 1 link, held", finding.title)
    assert finding.evidence[0].table == "strings"
    most = max(row["utilisation"] for row in run.rows("strings"))
    assert finding.number == pytest.approx(most)


def test_ports_on_loops_take_no_part_in_the_walk_for_credit(jbod: Run) -> None:
    assert any(row["tx_credit_wait_ps"] for row in jbod.rows("ports"))
    assert waiting_for_credit(jbod, 0.0) == []
    assert busiest(jbod) == []
    assert not [finding for finding in find(jbod) if finding.id.startswith("credit")]
    summary = jbod.summary()
    assert summary["busiest_link"] is None
    assert summary["credit_wait_ps"] == 0


def test_the_summary_names_the_fullest_loop(jbod: Run, sbod: Run) -> None:
    for run in (jbod, sbod):
        most = max(use.share for use in uses(run))
        assert run.summary()["busiest_loop_share"] == pytest.approx(most)
    kinds = [{use.kind for use in uses(run)} for run in (jbod, sbod)]
    assert kinds == [{"loop"}, {"string", "loop_ports"}]


def test_loops_behind_controllers_make_no_stack_of_an_array(tmp_path: Path) -> None:
    scenario = tmp_path / "back-end.yaml"
    scenario.write_text(
        """
        hosts: [{name: host1}]
        switches: [{name: sw1}]
        arrays:
          - name: dev1
            disk: cheetah-15k4
            groups: [{name: g1, raid: {level: 5, drives: 5}}]
            back_end: {kind: switched, loops: 2, speed: 4GFC}
            luns: [{name: lun1, size: 10GiB, group: g1}]
        links: [{from: host1, to: sw1}, {from: dev1.p0, to: sw1}]
        workloads: [{name: w, hosts: host1, targets: dev1.lun1, rw: randread, bs: 8k}]
        measure: {duration: 50ms}
        """
    )
    run = sanlab.run(scenario, folder=tmp_path / "run")
    assert stacks(run.plan) == {}
    assert "1 array" in draw(run)
    assert "1 stack" not in draw(run)
    counts = totals(compile_plan(load_scenario(scenario)))
    assert (counts["arrays_count"], counts["luns_count"], counts["stacks_count"]) == (1, 1, 0)
    assert counts["loops_count"] == 2


def test_a_run_without_loops_has_no_fullest(make_run: Any) -> None:  # noqa: ANN401
    assert fullest(make_run({"ports": []})) is None


@pytest.mark.parametrize("which", ["jbod", "sbod"])
def test_a_stack_is_known_by_its_enclosures(which: str, request: pytest.FixtureRequest) -> None:
    (stack,) = stacks(request.getfixturevalue(which).plan).values()
    assert stack.enclosures == 3
    assert sorted(stack.disks.values()) == [0] * 16 + [1] * 16 + [2] * 16
    assert [(it.port, it.enclosure) for it in stack.plugged if it.loop == "rack.a"] == [
        ("server1.hba0.p0", 0),
        ("server2.hba1.p0", 2),
    ]


def test_a_shared_stack_is_drawn_with_its_loops(jbod: Run) -> None:
    picture = draw(jbod)
    ET.fromstring(picture)
    assert picture.count('class="enclosure"') == 3
    assert picture.count(">16 disks</text>") == 3
    assert "1 stack<" in picture
    assert "arrays<" not in picture
    assert classes(picture, "loop rack.a") == ["u4"]
    assert len(classes(picture, "server")) == 4


def test_a_switched_stack_is_drawn_with_its_crossbars_and_strings(sbod: Run) -> None:
    picture = draw(sbod)
    ET.fromstring(picture)
    assert picture.count('class="crossbar"') == 6
    assert len(classes(picture, "rack.a e1-e2")) == len(classes(picture, "rack.b e2-e3")) == 1


def test_the_report_has_a_section_on_loops(jbod: Run, sbod: Run) -> None:
    shared, switched = (render(run, find(run)) for run in (jbod, sbod))
    assert 'id="table-loops"' in shared
    assert 'id="table-strings"' not in shared
    assert 'id="table-strings"' in switched
    assert shared.count("rack.e") >= 3
    # One line for the workload, none for each of its 48 disks.
    assert "No port of a link ever" in shared
