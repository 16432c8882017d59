"""Damaged files of other tools: a scenario whose plan is complete, or one refusal of that file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanlab.errors import ScenarioError
from sanlab.importers import import_file
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
BASES = {
    suffix: tomllib.loads((ROOT / f"tests/reject/{suffix}.toml").read_text(encoding="utf-8"))[
        "base"
    ]
    for suffix in ("fio", "parm", "cmd", "xml")
} | {
    "icf": (ROOT / "examples/iometer-import/test.icf").read_text(encoding="utf-8"),
    "spc": "0,20941264,4096,R,0.5\n1,20941272,8192,W,0.75\n",
    "csv": "128166372003061629,usr,0,Write,7014609920,4096,41286\n" * 3,
    "log": "fio version 3 iolog\n1 a open\n2 a read 4096 8192\n3 a write 0 512\n",
}
#: What is put into a file in place of some of its characters.
WORDS = (
    *("", "0", "-1", "99999999999999999999", "%", "=", ",", "\n", "k", "[", "]", "(", ")", ":"),
    *("\0", "\udcff", "nan", "${", "<", "\nnumjobs=3\n", "\ntime_based\n", "\nrate=1\n"),
    *("\nbssplit=4k/10:8k/\n", "\nthinktime=1\n", "\nfilename=a:b:c\n", "\nloops=3\n"),
    *("\nstonewall\n", "\nnumber_ios=1\n", "\noffset=10%\n", "\npercentage_random=30\n"),
)


@pytest.mark.parametrize("suffix", BASES)
def test_damage(suffix: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("damage")

    @given(
        st.lists(
            st.tuples(st.integers(0, 4000), st.integers(0, 12), st.sampled_from(WORDS)),
            min_size=1,
            max_size=3,
        )
    )
    def check(edits: list[tuple[int, int, str]]) -> None:
        text = BASES[suffix]
        for at, count, word in edits:
            place = at % (len(text) + 1)
            text = text[:place] + word + text[place + count :]
        one_outcome(folder / f"a.{suffix}", text.encode("utf-8", errors="surrogateescape"))

    run: Callable[[], None] = check
    run()


def one_outcome(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        imported = import_file(path, "load.yaml", {})
    except ScenarioError as error:
        (problem,) = error.problems
        assert problem.file == str(path)
        assert problem.reason
        assert problem.remedy
        return
    compile_plan(parse_scenario(imported.text))
