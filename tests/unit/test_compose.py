"""Two YAML parsers that must agree: nodes, their values and their places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanlab.errors import ScenarioError
from sanlab.scenario import compose as parsers
from sanlab.scenario.document import Mark, read_value
from sanlab.scenario.load import load_scenario, parse_scenario

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [
    *("a", "host[1..4]", "a:b", "http://x", "yes", "on", "off", "No", "true", "null", "~", "é"),
    *("010", "0o10", "0x1F", "0b11", "1_000", "1:30", "1e3", ".5", "1.5", "+1", ".inf", "1.5.2"),
    *("2020-01-01", "=", "<<", "-", "--", "?", "!", "'y'", '"x"', "*a", "&a ", "@", "%", "`"),
    *(": ", "- ", ", ", "{", "}", "[", "]", "# ", " # ", "\n", "\n  ", "\n- ", "k: ", "k: |\n  "),
]


def flat(node: Any) -> object:  # noqa: ANN401  of either library
    """A tree of nodes as plain data; the tags of texts are one."""
    if node is None:
        return None
    kind, place = type(node).__name__, (node.start_mark.line, node.start_mark.column)
    tag = str(node.tag).rpartition(":")[2]
    if kind == "ScalarNode":
        is_text = tag in {"merge", "value", "timestamp"}
        return "str" if is_text else tag, str(node.value), place
    groups = node.value if kind == "MappingNode" else [(item,) for item in node.value]
    return kind, tag, place, [[flat(child) for child in group] for group in groups]


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=14).map("".join))
def test_the_parsers_agree(text: str) -> None:
    if not parsers._is_sure(text):
        return
    node, is_good = parsers._compose_with_libyaml(text)
    if is_good:
        assert flat(node) == flat(parsers._compose_with_ruamel(text, "scenario"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(
            ("on", "on"),
            ("no", "no"),
            ("True", True),
            ("1:30", "1:30"),
            ("2020-01-01", "2020-01-01"),
        ),
        *(("0o17", 15), ("0x1F", 31), ("1_000", 1000), ("1e3", 1000.0), ("~", None), ("'1'", "1")),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    assert read_value(text, Mark("scenario")) == value


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000, "? " * 100_000])
def test_what_is_nested_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(ScenarioError):
        read_value(text, Mark("scenario"))


def test_what_is_nested_too_deeply_has_a_line() -> None:
    with pytest.raises(ScenarioError) as refused:
        parse_scenario("hosts:\n  - name: host1\n    cpu: " + "[" * 100_000)
    assert [problem.line for problem in refused.value.problems] == [3]


@pytest.mark.parametrize("text", ["[" * 51 + "]" * 51, "&a [*a]"])
def test_more_than_50_levels_are_refused_as_such(text: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse_scenario(f"title: here\nhosts: {text}\n")
    (problem,) = refused.value.problems
    assert (problem.line, problem.reason) == (2, "This is nested more than 50 levels deep")


def test_a_file_that_is_not_utf_8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes("hosts:\n  - name: h\u00e9\n".encode("latin-1"))
    with pytest.raises(ScenarioError) as refused:
        load_scenario(path)
    assert [problem.line for problem in refused.value.problems] == [2]


def test_many_brackets_are_no_depth() -> None:
    text = "".join(f"- {{from: host{number}, to: sw1}}\n" for number in range(2_000))
    node, is_good = parsers._compose_with_libyaml(text)
    assert is_good
    assert len(node.value) == 2_000
