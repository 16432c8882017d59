"""Classes of arrays in the catalog beside published results of products; nothing is fitted."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import sanlab

SUPPORT = Path(__file__).parents[1] / "support"
BENCHMARKS = tomllib.loads((SUPPORT / "array_benchmarks.toml").read_text(encoding="utf-8"))
#: SPC-1 allows no larger mean response at its full load.
MOST_MS = 30.0
BSU_IOPS = 50

pytestmark = pytest.mark.slow


def load(folder: Path, scenario: str, bsus: int, **changes: object) -> tuple[float, float]:
    """I/Os per second and their mean response in ms of an SPC-1-like load."""
    overrides = {"workloads.spc1.spc1.bsus": bsus, **changes}
    run = sanlab.run(SUPPORT / scenario, overrides=overrides, folder=folder / f"run-{bsus}")
    rows = run.rows("workloads")
    count = sum(row["io_count"] for row in rows)
    mean_ps = sum(row["io_count"] * row["response_mean_ps"] for row in rows) / count
    return sum(row["iops"] for row in rows), mean_ps / 1e9


@pytest.mark.parametrize("of", BENCHMARKS["sustained"][:2], ids=lambda of: of["case"])
def test_drives_of_a_class_sustain_what_published_ones_do(
    of: dict[str, Any], tmp_path: Path
) -> None:
    """The class carries its published load for each drive, and not twice as much."""
    iops, mean_ms = load(tmp_path, of["scenario"], of["sustained_bsus"])
    assert mean_ms <= MOST_MS
    assert iops / of["drives"] == pytest.approx(of["today"], rel=0.02)
    assert of["published"] <= iops / of["drives"] <= 2 * of["published"]
    iops, mean_ms = load(tmp_path, of["scenario"], of["exceeded_bsus"])
    assert mean_ms > MOST_MS
    assert iops / of["drives"] == pytest.approx(of["exceeded"], rel=0.02)


@pytest.mark.parametrize(("order", "grows"), [("age", True), ("address", False)])
def test_half_of_the_published_rate_is_too_much_in_the_order_of_age(
    order: str, *, grows: bool, tmp_path: Path
) -> None:
    """Unwritten data grow through the second minute; by address they have settled."""
    of = BENCHMARKS["sustained"][0]
    half = of["published"] * of["drives"] // BSU_IOPS // 2 + 1
    changes = {"workloads.spc1.spc1.bsus": half, "arrays.dev1.cache.destage_order": order}
    run = sanlab.run(SUPPORT / of["scenario"], overrides=changes, folder=tmp_path / "run")
    dirty: dict[int, int] = {}
    for row in run.rows("cache_series"):
        second = row["time_ps"] // 10**12
        dirty[second] = dirty.get(second, 0) + row["mean_dirty_bytes"]
    middle, end = (sum(dirty[second] for second in range(at - 9, at + 1)) for at in (60, 120))
    assert (end > 1.5 * middle) == grows


@pytest.mark.parametrize("of", BENCHMARKS["most"], ids=lambda of: of["case"])
def test_five_disks_write_as_much_as_measured(of: dict[str, Any], tmp_path: Path) -> None:
    """The largest rate in each order of destages; the load asks for more."""
    order = {"arrays.dev1.cache.destage_order": of["order"]}
    iops, mean_ms = load(tmp_path, of["scenario"], of["bsus"], **order)
    assert mean_ms > MOST_MS
    assert iops < 0.98 * of["bsus"] * BSU_IOPS
    assert iops == pytest.approx(of["today"], rel=0.02)
    assert iops == pytest.approx(of["published"], rel=of["tolerance"])


@pytest.mark.parametrize("of", BENCHMARKS["response"], ids=lambda of: of["case"])
def test_arrays_of_flash_carry_the_load_of_their_class(of: dict[str, Any], tmp_path: Path) -> None:
    """They take the published load and answer as soon, but not in less than a quarter of the time.

    The products are at their limit there, and the classes at three quarters of the time of their
    processors, so their queues are shorter.
    """
    iops, mean_ms = load(tmp_path, of["scenario"], of["bsus"])
    assert iops == pytest.approx(of["iops"], rel=0.02)
    assert mean_ms == pytest.approx(of["today"], abs=0.01)
    assert of["at_least"] <= mean_ms / of["published"] <= of["at_most"]
