"""`-p path=values`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanlab.errors import ScenarioError
from sanlab.sweeps.syntax import amounts, magnitude, parse_parameter


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=1", ["1"]),
        ("a=1,2, 4", ["1", "2", "4"]),
        ("a=1,2,4,..,32", ["1", "2", "4", "8", "16", "32"]),
        ("a=10,20,30,..,60", ["10", "20", "30", "40", "50", "60"]),
        ("a=1,..,4", ["1", "2", "3", "4"]),
        ("a=1,3,..,7", ["1", "3", "5", "7"]),
        ("a=2,6,..,54", None),
        ("a=8,4,..,1", ["8", "4", "2", "1"]),
        ("a=9,7,5,..,1", ["9", "7", "5", "3", "1"]),
        ("a=4KiB,8KiB,16KiB,..,64KiB", ["4KiB", "8KiB", "16KiB", "32KiB", "64KiB"]),
        ("a=0.5,1,1.5,..,3", ["0.5", "1", "1.5", "2", "2.5", "3"]),
        ("a=3..6", ["3", "4", "5", "6"]),
        ("a=8GFC,16GFC", ["8GFC", "16GFC"]),
        ("a=read,write", ["read", "write"]),
        ("a=[1,2],[3,4]", ["[1,2]", "[3,4]"]),
        ("a='x,y',z", ["'x,y'", "z"]),
        ("links[0].length=1km,10km", ["1km", "10km"]),
        ("hosts.host[1..4].cpu.cores=1,2", ["1", "2"]),
        ("a=b=c", ["b=c"]),
    ],
)
def test_values(text: str, values: list[str] | None) -> None:
    if values is None:  # 2,6,..,54 goes on by 4 as well as by the factor 3
        with pytest.raises(ScenarioError, match=r"'10' or '18'"):
            parse_parameter(text)
    else:
        assert list(parse_parameter(text).values) == values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a", "No '='"),
        ("=1", "No '='"),
        ("a=", "no values"),
        ("a=1,,2", "Value 2 is empty"),
        ("a=1,2,", "Value 3 is empty"),
        ("a=1,2,1", "'1' is here twice"),
        ("a=4KiB,4096B", "'4KiB' and '4096B' are the same"),
        ("a=1,01", "'1' and '01' are the same"),
        ("a=1,2,4,..,100", "does not come to '100'"),
        ("a=1,2,5,..,100", "neither one step nor one factor"),
        ("a=..,4", "goes on between numbers"),
        ("a=1,..", "not the last but one"),
        ("a=1,..,4,8", "not the last but one"),
        ("a=read,..,write", "goes on between numbers"),
        ("a=1KiB,2KiB,..,1MiB", "goes on in one unit"),
        ("a=7..1", "The range from 7 to 1 is empty"),
        ("a=3..3", "is empty"),
        ("a=4KiB..1MiB", "different units"),
        ("a=0..8:log", "no zero"),
        ("a=1,2:log", "goes with a range"),
        ("a=1..10000000", "more than 1000000 values"),
        ("a=[1,2", "bracket or quote is open"),
    ],
)
def test_refusals(text: str, words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_parameter(text)
    (problem,) = caught.value.problems
    assert words in problem.reason
    assert problem.file == f"-p {text}"
    assert problem.remedy


@pytest.mark.parametrize("text", ["a=1..256:log", "a=0.5..2.5", "a=1KiB..64KiB:log"])
def test_some_ranges_are_for_random_designs(text: str) -> None:
    parameter = parse_parameter(text)
    assert parameter.values == ()
    assert parameter.span is not None


@given(st.integers(1, 50), st.integers(1, 20), st.integers(3, 30))
def test_a_progression_by_steps_is_what_was_left_out(first: int, step: int, count: int) -> None:
    whole = [str(first + step * index) for index in range(count)]
    short = whole if count == 3 else [*whole[:3], "..", whole[-1]]
    assert list(parse_parameter(f"a={','.join(short)}").values) == whole


@given(st.integers(1, 9), st.integers(2, 5), st.integers(4, 12))
def test_a_progression_by_factors_is_what_was_left_out(first: int, by: int, count: int) -> None:
    whole = [str(first * by**index) for index in range(count)]
    assert list(parse_parameter(f"a={','.join([*whole[:3], '..', whole[-1]])}").values) == whole


def test_magnitudes() -> None:
    assert magnitude("1.5ms") == ("time", 1.5e9)
    assert magnitude("40MB/s") == ("rate", 4e7)
    assert magnitude("16gfc") == ("speed", 1.7e9)
    assert magnitude("30%") == ("share", 300_000)
    assert magnitude("10km") == ("length", 1e7)
    assert magnitude("zipf") is None


def test_values_have_one_kind_together() -> None:
    assert amounts(["10km", "10m", "50km"]) == [1e7, 1e4, 5e7]
    assert amounts(["2h", "90s"]) == [7.2e15, 9e13]
    assert amounts(["4KiB", "1m"]) == [4096, 2**20]
    assert amounts(["8", "4KiB"]) == [8, 4096]
    assert amounts(["read", "4KiB"]) is None


def test_equal_values_of_one_kind_are_refused() -> None:
    with pytest.raises(ScenarioError, match="'1km' and '1000m' are the same"):
        parse_parameter("links[0].length=1km,1000m,50km")
