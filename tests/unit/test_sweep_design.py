"""Which points a sweep has, and which come later."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from sanlab.errors import ScenarioError
from sanlab.sweeps.design import check_list, from_file, grid, latin_hypercube, zipped
from sanlab.sweeps.knee import knee
from sanlab.sweeps.refine import Curve, halfway_points
from sanlab.sweeps.schedule import Rules, Schedule
from sanlab.sweeps.syntax import parse_parameter

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.sweeps.design import Setting
    from sanlab.sweeps.syntax import Parameter


def of(*texts: str) -> list[Parameter]:
    return [parse_parameter(text) for text in texts]


def test_a_grid_has_every_combination() -> None:
    found = grid(of("a=1,2", "b=x,y,z"))
    assert found.count == len(list(found)) == 6
    assert list(found)[:4] == [
        {"a": "1", "b": "x"},
        {"a": "1", "b": "y"},
        {"a": "1", "b": "z"},
        {"a": "2", "b": "x"},
    ]


def test_zipped_lists_go_together() -> None:
    assert list(zipped(of("a=1,2", "b=x,y"))) == [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]
    with pytest.raises(ScenarioError, match="3 values, and 'a' has 2"):
        zipped(of("a=1,2", "b=x,y,z"))


def test_a_path_is_given_once() -> None:
    with pytest.raises(ScenarioError, match="given twice"):
        grid(of("a=1,2", "a=3"))


def test_points_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("a,b\n1, x\n\n2,y\n", encoding="utf-8")
    assert list(from_file(path)) == [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no points"),
        ("a,b\n", "no points"),
        ("a,a\n1,2\n", "there twice"),
        ("a,\n1,2\n", "empty"),
        ("a,seed\n1,2\n", ":1: A seed is not a parameter"),
        ("a,b\n1\n", ":2: 1 values for 2 paths"),
        ("a,b\n1,2\n3,4\n1,2\n", ":4: The same point as on line 2"),
    ],
)
def test_files_that_are_no_points(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match=words):
        from_file(path)


def test_a_latin_hypercube_has_one_value_in_each_stratum() -> None:
    found = list(latin_hypercube(of("a=1..100", "b=0.5..2.5", "c=x,y"), 20, seed=3))
    assert len(found) == 20
    assert sorted((int(point["a"]) - 1) // 5 for point in found) == list(range(20))
    assert sorted(int((float(point["b"]) - 0.5) / 0.1) for point in found) == list(range(20))
    assert sum(point["c"] == "x" for point in found) == 10


def test_a_logarithmic_range_is_even_in_its_logarithm() -> None:
    found = list(latin_hypercube(of("a=64KiB..65536KiB:log"), 40, seed=1))
    amounts = [int(point["a"].removesuffix("KiB")) for point in found]
    assert min(amounts) >= 64
    assert max(amounts) <= 65536
    assert 19 <= sum(amount <= 2048 for amount in amounts) <= 21


def test_random_points_follow_from_the_seed_and_not_from_each_other() -> None:
    one = [point["a"] for point in latin_hypercube(of("a=1..1000"), 10, seed=1)]
    again = [point["a"] for point in latin_hypercube(of("b=1..9", "a=1..1000"), 10, seed=1)]
    other = [point["a"] for point in latin_hypercube(of("a=1..1000"), 10, seed=2)]
    assert one == again
    assert one != other


def test_a_range_without_values_makes_no_grid() -> None:
    with pytest.raises(ScenarioError, match="no values of its own"):
        grid(of("a=1..256:log"))


def test_values_from_python() -> None:
    assert check_list("a", [1, 2.5, True, "4k"]).values == ("1", "2.5", "true", "4k")
    with pytest.raises(ScenarioError, match="twice"):
        check_list("a", [1, 1])


@pytest.mark.parametrize(
    ("iops", "response", "at"),
    [
        ([1, 2, 4, 8, 8.1, 8.1], [1, 1, 1, 1, 2, 4], 3),
        ([1, 2, 3], [1, 1, 1], None),  # still below it
        ([8, 8, 8], [1, 2, 3], None),  # beyond it from the start
        ([1, 2], [1, 1], None),
    ],
)
def test_knees(iops: list[float], response: list[float], at: int | None) -> None:
    assert knee(iops, response) == at


def test_points_are_added_beside_the_sharpest_turn() -> None:
    at = [Fraction(value) for value in (1, 4, 16, 64, 256)]
    curve = Curve({"b": "x"}, "a", "", at, [10, 40, 80, 80, 80])
    assert halfway_points(curve) == [{"b": "x", "a": "8"}, {"b": "x", "a": "32"}]
    line = Curve({}, "a", "KiB", [Fraction(v) for v in (2, 4, 6)], [1.0, 2.0, 3.0])
    assert halfway_points(line) == []
    close = Curve({}, "a", "", [Fraction(v) for v in (1, 2, 3)], [1.0, 2.0, 2.0])
    assert halfway_points(close) == []


def drain(schedule: Schedule, value: dict[str, list[float]]) -> list[tuple[Setting, int]]:
    """Answer every point from a table: values of each repeat by the value of `a`."""
    asked = []
    while True:
        while item := schedule.next():
            setting, repeat = item
            asked.append(item)
            table = value.get(setting["a"], [float(setting["a"])])
            schedule.done(setting, repeat, {"iops": table[repeat % len(table)]})
        if not schedule.refine():
            return asked


def test_repeats_are_added_until_the_mean_is_sure() -> None:
    rules = Rules(repeats=1, until=0.02, max_repeats=6)
    schedule = Schedule(grid(of("a=1,2,3")), rules)
    table = {"1": [100.0], "2": [100.0, 90.0], "3": [98.0, 102.0, 100.0, 100.0, 100.0]}
    asked = drain(schedule, table)
    counts = {a: sum(setting["a"] == a for setting, _ in asked) for a in "123"}
    assert counts["1"] == 3  # equal values are sure after the least there must be
    assert counts["2"] == 6
    assert schedule.unsure == [{"a": "2"}]
    assert 3 < counts["3"] < 6
    assert schedule.total == len(asked)


def test_a_curve_is_refined_down_to_its_knee_and_no_further() -> None:
    rules = Rules(refine="iops", max_points=50)
    schedule = Schedule(grid(of("a=1,4,16,64")), rules, "a")
    table = {str(a): [float(min(a, 10))] for a in range(1, 65)}
    asked = {int(setting["a"]) for setting, _ in drain(schedule, table)}
    assert {9, 10, 11} <= asked
    assert len(asked) < 16
    limited = Schedule(grid(of("a=1,4,16,64")), Rules(refine="iops", max_points=3), "a")
    assert len(drain(limited, table)) == 7
