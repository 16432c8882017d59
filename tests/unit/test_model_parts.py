"""What a scenario writes of controllers, cache and pool changes those of the model."""

from __future__ import annotations

import re

import pytest

from sanlab.errors import ScenarioError
from sanlab.plan.compile import compile_plan
from sanlab.plan.schema import ArrayPlan, HitRateCache, PagesCache
from sanlab.scenario.load import parse_scenario

SAN = """
hosts: [{{name: host1}}]
switches: [{{name: sw1}}]
arrays: [{{name: dev1, model: {model}, luns: [{{name: lun1, size: 100GiB}}]}}]
links: [{{from: host1, to: sw1}}, {{from: dev1.p0, to: sw1}}]
workloads: [{{name: load, hosts: host1, targets: dev1.lun1, rw: randread}}]
measure: {{duration: 1ms}}
"""


def array_of(model: str, **sets: str) -> ArrayPlan:
    overrides = {f"arrays.dev1.{key.replace('__', '.')}": value for key, value in sets.items()}
    text = SAN.format(model=model)
    scenario = parse_scenario(text, overrides=overrides)
    (array,) = compile_plan(scenario).arrays
    return array


def pages_of(array: ArrayPlan) -> PagesCache:
    assert isinstance(array.cache, PagesCache)
    return array.cache


def test_a_larger_cache_keeps_what_else_the_model_says_of_it() -> None:
    model = pages_of(array_of("midrange-disk"))
    larger = pages_of(array_of("midrange-disk", cache__size="32GiB"))
    assert larger.pages == 4 * model.pages
    kept = ("prefetch", "destage_order", "destage_age_ps", "access_ps", "partner")
    assert {key: getattr(larger, key) for key in kept} == {key: getattr(model, key) for key in kept}
    assert model.prefetch is not None


def test_an_empty_value_takes_away_what_the_model_has() -> None:
    assert pages_of(array_of("midrange-disk")).destage_age_ps
    assert pages_of(array_of("midrange-disk", cache__destage_age="null")).destage_age_ps is None
    assert array_of("midrange-disk", cache="off").cache is None


def test_a_cache_of_the_other_kind_takes_nothing_over() -> None:
    cache = array_of("midrange-disk", cache="{read_hit: 50%}").cache
    assert cache == HitRateCache(
        read_hit_ppm=500_000, access_ps=200_000_000, dirty_limit_bytes=None
    )


def test_controllers_are_as_many_as_the_model_has() -> None:
    array = array_of("midrange-disk", controllers="{takeover: 2s}")
    assert len(array.controllers) == 2
    assert array.failover is not None
    assert array.failover.takeover_ps == 2 * 10**12


def test_a_pool_with_more_drives_keeps_its_level() -> None:
    array = array_of("midrange-disk", pool__raid__drives="96")
    (group,) = array.groups
    assert (group.level, len(group.disks)) == ("raid10", 96)
    (group,) = array_of("midrange-disk", pool__raid__level="5").groups
    assert (group.level, len(group.disks)) == ("raid5", 48)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (
            "controllers",
            "{takeover: 2s}",
            "controllers.count: The key 'count' is missing",
        ),
        ("pool", "{ssd: sas-ssd}", "arrays[0].pool.raid: The key 'raid' is missing"),
        ("pool", "{raid: {drives: 4}}", "arrays[0].pool.raid.level: The key 'level' is missing"),
        ("cache", "{prefetch: 1MiB}", "'prefetch' has no effect without 'size'"),
    ],
)
def test_what_no_model_has_is_asked_for(key: str, value: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(words)):
        array_of("s2a-8500", **{key: value})
