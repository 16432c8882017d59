"""Edits of a scenario's text: the result has the expected data, and comments stay."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanlab.errors import ScenarioError
from sanlab.scenario.document import read_document
from sanlab.scenario.edit import Edit, Operation, difference, edited
from sanlab.scenario.edit_text import flow

ROOT = Path(__file__).resolve().parents[2]
#: Those without anchors, whose aliases are refused.
EXAMPLES = [
    path
    for path in sorted(ROOT.glob("examples/*/scenario.yaml"))
    if not re.search(r": &\w", path.read_text(encoding="utf-8"))
]
COMMENT = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)

TEXT = """\
# about everything
title: One   # the title
seed: 1
hosts:
  # about the first
  - name: h1  # its name
    hbas: {model: generic-16g}
    # about the processors
    cpu:
      cores: 4   # four
      per_io: 5us
  - {name: h2, os: aix}
links:
- {from: h1, to: sw1}   # outdented
- from: h2
  to: sw1
description: |
  several
  lines
zoning: {zones: {z1: [h1, dev1], "z 2": [h2, dev1]}}  # one line
measure:
  duration: 10ms
# at the end
"""


def data_of(text: str) -> Any:  # noqa: ANN401  plain data
    def plain(node: Any) -> Any:  # noqa: ANN401
        if isinstance(node, dict):
            return {key: plain(value) for key, value in node.items()}
        return [plain(value) for value in node] if isinstance(node, list) else node

    return plain(read_document(text, "test"))


def changed_lines(before: str, after: str) -> list[str]:
    lines = difference(before, after, "f").splitlines()
    return [line for line in lines[2:] if line[:1] in "+-"]


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        (("set", "seed", 7), ["-seed: 1", "+seed: 7"]),
        (("set", "title", "2"), ["-title: One   # the title", '+title: "2"   # the title']),
        (
            ("set", "hosts.h1.cpu.cores", 8),
            ["-      cores: 4   # four", "+      cores: 8   # four"],
        ),
        (("set", "hosts.h1.cpu.engines", 2), ["+      engines: 2"]),
        (("set", "hosts.h1.os", "aix"), ["+    os: aix"]),
        (("remove", "hosts.h1.cpu.cores", None), ["-      cores: 4   # four"]),
        (
            ("set", "hosts.h2.os", ["qle2672"]),
            ["-  - {name: h2, os: aix}", "+  - {name: h2, os: [qle2672]}"],
        ),
        (("insert", "links", {"from": "a", "to": "b"}), ["+- {from: a, to: b}"]),
        (("insert", "links[0]", {"from": "a", "to": "b"}), ["+- {from: a, to: b}"]),
        (("insert", "faults", {"kind": "x"}), ["+", "+faults:", "+  - {kind: x}"]),
        (("remove", "links[0]", None), ["-- {from: h1, to: sw1}   # outdented"]),
        (("remove", "description", None), ["-description: |", "-  several", "-  lines"]),
        (
            ("set", "description", "short"),
            ["-description: |", "-  several", "-  lines", "+description: short"],
        ),
        (
            ("remove", "zoning.zones.z1", None),
            [
                '-zoning: {zones: {z1: [h1, dev1], "z 2": [h2, dev1]}}  # one line',
                '+zoning: {zones: {"z 2": [h2, dev1]}}  # one line',
            ],
        ),
        (
            ("set", "zoning.active", "s1"),
            [
                '-zoning: {zones: {z1: [h1, dev1], "z 2": [h2, dev1]}}  # one line',
                '+zoning: {zones: {z1: [h1, dev1], "z 2": [h2, dev1]}, active: s1}  # one line',
            ],
        ),
        (("set", "links[1].from", "h1"), ["-- from: h2", "+- from: h1"]),
        (("remove", "links[1].from", None), ["-- from: h2", "-  to: sw1", "+- to: sw1"]),
        (("remove", "measure.duration", None), ["-measure:", "-  duration: 10ms", "+measure: {}"]),
    ],
)
def test_only_what_changes_is_touched(edit: Edit, lines: list[str]) -> None:
    assert changed_lines(TEXT, edited(TEXT, [edit])) == lines


def test_a_short_form_is_opened() -> None:
    after = edited(TEXT, [("set", "hosts.h2.os.timeout", "30s")])
    assert data_of(after)["hosts"][1]["os"] == {"model": "aix", "timeout": "30s"}
    single = edited(TEXT, [("set", "hosts.h1.hbas[0].speed", "8GFC")])
    assert data_of(single)["hosts"][0]["hbas"] == {"model": "generic-16g", "speed": "8GFC"}


def test_an_item_without_its_list_gets_one() -> None:
    after = edited(TEXT, [("insert", "zoning", {"switches": "sw2"})])
    assert data_of(after)["zoning"] == [data_of(TEXT)["zoning"], {"switches": "sw2"}]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (("set", "hosts.h9.cpu.cores", 8), "No item is called 'h9'"),
        (("remove", "hosts[7]", None), "has no item 7"),
        (("remove", "qos", None), "'qos' is not in the file"),
        (("set", "seed.x", 1), "single value"),
        (("set", "hosts..x", 1), "empty step"),
        (("insert", "seed", 1), "not a list"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(edit: Edit, words: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(words)):
        edited(TEXT, [edit])


def test_an_alias_is_not_changed_behind_its_anchor() -> None:
    text = "a: &x {k: 1}\nb: *x\n"
    with pytest.raises(ScenarioError, match="anchor"):
        edited(text, [("set", "b.k", 2)])


OPERATIONS: tuple[Operation, ...] = ("set", "insert", "remove")
LEAVES = st.one_of(
    st.integers(-(2**40), 2**40),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(max_size=12),
    st.sampled_from(
        ["64k", "10us", "1e3", "0x1F", "true", "~", "- a", "a: b", "#c", "host[1..4]", "é", ""]
    ),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(min_size=1, max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(VALUES)
def test_a_value_on_one_line_reads_back(value: object) -> None:
    assert data_of(f"k: {flow(value)}\n") == {"k": value}


def places(node: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(node, dict):
        for key, value in node.items():
            found += places(value, (*path, key))
    if isinstance(node, list):
        for index, value in enumerate(node):
            found += places(value, (*path, index))
    return found


def written(path: tuple[Any, ...]) -> str:
    text = ""
    for step in path:
        quoted = str(step).replace("'", "''")
        text += f"[{step}]" if isinstance(step, int) else f"['{quoted}']"
    return text


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_edit_of_any_example(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(EXAMPLES)).read_text(encoding="utf-8")
    before = data_of(text)
    path = data.draw(st.sampled_from(places(before)))
    operation: Operation = data.draw(st.sampled_from(OPERATIONS))
    value = data.draw(VALUES)
    expected = copy.deepcopy(before)
    above = expected
    for step in path[:-1]:
        above = above[step]
    if operation == "remove":
        del above[path[-1]]
    elif operation == "set":
        above[path[-1]] = value
    elif isinstance(above[path[-1]], list):
        above[path[-1]].append(value)
    elif isinstance(above, list):
        above.insert(path[-1], value)
    else:
        return
    if not expected:
        return
    after = edited(text, [(operation, written(path), value)])
    assert data_of(after) == expected
    # Comments outside the value that went stay, in their order.
    lines = text.splitlines()
    kept = [
        line
        for line in lines
        if COMMENT.search(line) and lines.count(line) == 1 and line in after.splitlines()
    ]
    assert [line for line in after.splitlines() if line in kept] == kept
    whole = [line.strip() for line in text.splitlines() if line.strip().startswith("#")]
    still = [line.strip() for line in after.splitlines() if line.strip().startswith("#")]
    if operation == "insert":
        assert still == whole
