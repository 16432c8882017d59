"""Classes of arrays in the catalog: controllers, owners of LUNs, pools, caches."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sanlab
from sanlab.catalog import entries_of
from sanlab.catalog.entries import ArrayEntry
from sanlab.plan.compile import compile_plan
from sanlab.plan.schema import PagesCache, RaidMedia

if TYPE_CHECKING:
    from sanlab.plan.schema import ArrayPlan

CLASSES = (
    "midrange-disk",
    "midrange-hybrid",
    "midrange-flash",
    "enterprise-disk",
    "enterprise-flash",
)
OWNED = CLASSES[:3]


def array_of(
    folder: Path,
    model: str,
    keys: str = "",
    luns: str = "{name: 'lun[1..4]'}",
    links: str = "dev1.p[0..7]",
) -> ArrayPlan:
    """Plan one array of a model, with these keys, LUNs, and ports that have a link."""
    path = folder / "san.yaml"
    path.write_text(
        f"""hosts: [{{name: host1}}]
switches: [{{name: sw1}}]
arrays: [{{name: dev1, model: {model}, {keys} luns: [{luns}]}}]
links: [{{from: host1, to: sw1}}, {{from: "{links}", to: sw1}}]
workloads: [{{name: load, hosts: host1, targets: "dev1.lun*", bs: 4KiB}}]
measure: {{duration: 1ms}}
""",
        encoding="utf-8",
    )
    return compile_plan(sanlab.load_scenario(path)).arrays[0]


@pytest.mark.parametrize("model", CLASSES)
def test_a_class_has_controllers_with_mirrored_caches_and_a_pool(
    model: str, tmp_path: Path
) -> None:
    array = array_of(tmp_path, model)
    entry = entries_of("arrays")[model]
    assert isinstance(entry, ArrayEntry)
    assert len(array.controllers) == (2 if model in OWNED else 8)
    assert all(one.processors == entry.processors for one in array.controllers)
    assert len({len(one.n_ports) for one in array.controllers}) == 1
    assert isinstance(array.cache, PagesCache)
    assert array.cache.partner is not None
    assert array.cache.write_back
    assert array.cache.destage_order == ("age" if model.endswith("flash") else "address")
    (pool,) = array.groups
    assert pool.level == "raid10"
    assert bool(array.ssds) == model.endswith("flash")
    assert all(isinstance(lun.media, RaidMedia) for lun in array.luns)


def test_luns_have_the_controllers_of_a_mid_range_class_in_turn(tmp_path: Path) -> None:
    assert [lun.owner for lun in array_of(tmp_path, "midrange-flash").luns] == [0, 1, 0, 1]


def test_large_classes_serve_each_lun_with_all_controllers(tmp_path: Path) -> None:
    assert {lun.owner for lun in array_of(tmp_path, "enterprise-flash").luns} == {None}


def test_a_controller_without_a_link_owns_nothing_by_default(tmp_path: Path) -> None:
    array = array_of(tmp_path, "midrange-disk", links="dev1.p1")
    assert [lun.owner for lun in array.luns] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("keys", "owner", "owners"),
    [
        ("", "all", [None] * 4),
        ("", "c1", [1] * 4),
        ("controllers: 1,", "", [None] * 4),
        ("controllers: 3,", "", [0, 1, 2, 0]),
    ],
)
def test_a_scenario_changes_controllers_and_owners(
    keys: str, owner: str, owners: list[int | None], tmp_path: Path
) -> None:
    luns = f"{{name: 'lun[1..4]'{f', owner: {owner}' if owner else ''}}}"
    array = array_of(tmp_path, "midrange-disk", keys, luns)
    assert [lun.owner for lun in array.luns] == owners


def test_a_pool_of_a_model_with_disks_has_disks_of_their_size(tmp_path: Path) -> None:
    """A pool of four disks of 600 GB in RAID 5 holds 1.8 TB; SSDs are possible by name."""
    keys = "pool: {raid: {level: 5, drives: 4}},"
    array = array_of(tmp_path, "midrange-disk", keys, "{name: lun1, size: 1.79TB}")
    assert len(array.disks) == 4
    assert array.groups[0].rows * array.groups[0].unit_bytes == pytest.approx(600e9, rel=1e-6)
    keys = "pool: {raid: {level: 5, drives: 4}, ssd: sas-ssd},"
    assert len(array_of(tmp_path, "midrange-disk", keys).ssds) == 1


@pytest.mark.parametrize(
    ("model", "pool", "destages"),
    [
        ("midrange-disk", "{raid: {level: 10, drives: 240}}", 240),
        ("midrange-disk", "{raid: {level: 5, drives: 4}}", 8),
        ("midrange-disk", "{raid: {level: 3, drives: 33}}", 8),
        ("midrange-flash", "{raid: {level: 10, drives: 24}}", 192),
    ],
)
def test_destages_keep_all_drives_busy(
    model: str, pool: str, destages: int, tmp_path: Path
) -> None:
    cache = array_of(tmp_path, model, f"pool: {pool},", "{name: lun1, size: 1GiB}").cache
    assert isinstance(cache, PagesCache)
    assert cache.destages == destages
    keys = f"pool: {pool}, cache: {{size: 1GiB, destages: 3}},"
    cache = array_of(tmp_path, model, keys, "{name: lun1, size: 1GiB}").cache
    assert isinstance(cache, PagesCache)
    assert cache.destages == 3


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/accuracy/arrays.md").read_text(encoding="utf-8")
BENCHMARKS = tomllib.loads(
    (ROOT / "tests/support/array_benchmarks.toml").read_text(encoding="utf-8")
)


def has_row(*cells: object) -> bool:
    """Whether a line of the page has all of these cells."""
    lines = PAGE.splitlines()
    return any(all(str(cell) in line for cell in cells) for line in lines if line[:1] == "|")


def test_the_page_has_the_bound_of_each_class_beside_its_benchmarks() -> None:
    for name in CLASSES:
        entry = entries_of("arrays")[name]
        assert isinstance(entry, ArrayEntry)
        for result in entry.benchmarks:
            if result.iops is not None:
                bound = f"{int(entry.computed['processors_iops']):,}"
                assert has_row(name, result.product, result.name, f"{result.iops:,}", bound)


def test_the_page_has_each_comparison() -> None:
    for of in BENCHMARKS["sustained"]:
        product = of["product"].split(",")[0]
        cells = (of["published"], of["first"], of["today"], of["exceeded"])
        assert has_row(f"`{of['case']}`", product, *cells)
    for of in BENCHMARKS["most"]:
        off = of["today"] / of["published"] - 1
        assert has_row(of["published"], of["today"], f"{off:+.0%}".replace("%", " %"))
    for of in BENCHMARKS["response"]:
        times = (f"{of['published']:.2f} ms", f"{of['today']:.2f} ms")
        ratio = f"{of['today'] / of['published']:.2f}"
        assert has_row(f"`{of['case']}`", of["product"], f"{of['iops']:,}", *times, ratio)
