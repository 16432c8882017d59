"""Which element limits each side of the JBOD and SBOD study: found by tenancies, not put in."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import load_scenario
from sanlab.simulation.execute import simulate
from sanlab.validate.study import load_study, spell_out

if TYPE_CHECKING:
    import pyarrow as pa

pytestmark = pytest.mark.xdist_group("sbod")
#: Taken so much of the time, an element is what limits.
FULL = 0.95
#: Below this it is not.
FREE = 0.8


@cache
def tables(case: str) -> dict[str, pa.Table]:
    """Run one case of the study."""
    found = next(one for one in spell_out(load_study("sbod")) if one.name == case)
    return dict(simulate(compile_plan(load_scenario(found.scenario, found.overrides))).tables)


def busiest(case: str, kind: str) -> float:
    """Utilisation of the busiest station of a kind."""
    rows = tables(case)["stations"].to_pylist()
    return float(max(row["utilisation"] for row in rows if row["kind"] == kind))


def taken(case: str) -> list[float]:
    """Share of the time each shared loop is taken, or arbitrated for."""
    rows = tables(case)["loops"].to_pylist()
    return [row["owned_share"] + row["arbitrating_share"] for row in rows]


def host_links(case: str) -> list[float]:
    """Share of the time each host port has frames on its link, in the busier direction."""
    rows = tables(case)["ports"].to_pylist()
    hosts = [row for row in rows if row["node"].startswith("server")]
    return [max(row["tx_utilisation"], row["rx_utilisation"]) for row in hosts]


@pytest.mark.parametrize("disks", [16, 112])
def test_large_reads_fill_the_loops_of_a_jbod(disks: int) -> None:
    case = f"jbod-seq64k-read-{disks}x16"
    assert min(taken(case)) > FULL
    assert max(busiest(case, "cpu"), busiest(case, "hba")) < FREE
    assert disks == 16 or busiest(case, "disk") < FREE


def test_large_reads_fill_the_host_links_of_an_sbod() -> None:
    case = "sbod-seq64k-read-112x16"
    assert len(host_links(case)) == 8
    assert min(host_links(case)) > FULL
    assert max(busiest(case, kind) for kind in ("cpu", "hba", "disk")) < FREE


def test_the_strings_carry_what_the_top_links_take() -> None:
    """Six enclosures of seven are served from the top, over strings of two links on each loop."""
    rows = tables("sbod-seq64k-read-112x16")["strings"].to_pylist()
    shares = {(row["loop"], row["from"]): row["utilisation"] for row in rows}
    # The nearest string carries five sixths of what the two links of its loop take.
    for loop in ("stack.a", "stack.b"):
        assert shares[loop, "stack.e1"] == pytest.approx(5 / 6, abs=0.05)
        assert shares[loop, "stack.e6"] < 0.02  # the bottom enclosure has links of its own


def test_small_reads_fill_the_processors_with_an_sbod_and_the_hbas_with_a_jbod() -> None:
    assert busiest("sbod-seq512-read-16x16", "cpu") > 0.99
    assert busiest("jbod-seq512-read-16x16", "hba") > 0.99
    assert busiest("jbod-seq512-read-16x16", "cpu") < FREE


def test_the_mix_fills_the_loops_of_a_large_jbod_and_the_disks_of_a_small_one() -> None:
    assert min(taken("jbod-spc1-112x16")) > FULL
    assert max(taken("jbod-spc1-16x16")) < FREE
    assert busiest("jbod-spc1-16x16", "disk") > FULL
    assert busiest("sbod-spc1-112x16", "disk") > FULL


def test_a_tenancy_costs_few_events() -> None:
    """A random read of 512 B and one of 4 KiB on 112 disks: 40 events at most, for all of it."""
    found = next(
        case for case in spell_out(load_study("sbod")) if case.name == "jbod-rand512-read-112x16"
    )
    access = {"workloads.load.access": "[{size: 4KiB, reads: 100%, random: 100%}]"}
    outcome = simulate(compile_plan(load_scenario(found.scenario, found.overrides | access)))
    assert outcome.summary["events"] / outcome.summary["ios"] < 40
