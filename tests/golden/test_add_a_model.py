"""The worked example of the manual: its patches apply, build, and simulate what the page says.

If a patch does not apply after a change of the lines around it, refresh the page:
`python tests/support/page_patches.py docs/how-to/add-a-model.md --refresh`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from page_patches import ROOT, apply, copy_tree, files_of, patches_in, refreshed

PAGE = (ROOT / "docs" / "how-to" / "add-a-model.md").read_text(encoding="utf-8")
SECTIONS = dict(part.split("\n", 1) for part in PAGE.split("\n## ")[1:])
PATCHES = patches_in(PAGE)
SCENARIOS = dict(re.findall(r"```yaml\n# (\w+)\.yaml\n(.*?)```", PAGE, re.DOTALL))
READS = 100
MS = 10**9
US = 10**6


def test_the_patches_apply() -> None:
    apply(PATCHES, ROOT, "--check")


def test_refreshing_changes_only_line_numbers(tmp_path: Path) -> None:
    copy_tree(tmp_path)
    position = re.compile(r"^@@ .*$", re.MULTILINE)
    assert position.sub("", refreshed(PAGE, tmp_path)) == position.sub("", PAGE)


def test_the_tables_name_every_place() -> None:
    tables = "".join(line for line in PAGE.splitlines() if line.startswith("|"))
    assert [name for name in files_of(PATCHES) if f"`{name}`" not in tables] == []


def test_a_parameter_touches_at_most_five_files() -> None:
    assert len(files_of(patches_in(SECTIONS["A new parameter"]))) == 5


class Tree:
    """A copy of the repository with the patches of the page, built."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tree"
        self.target = folder / "target"
        self.environment = os.environ | {
            "CARGO_TARGET_DIR": str(self.target),
            "PYTHONPATH": str(self.folder / "python"),
        }

    def build(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        copy_tree(self.folder)
        apply(PATCHES, self.folder)
        for tool in ("gen_plan", "gen_schemas", "gen_reference"):
            self.call(sys.executable, f"tools/{tool}.py")
        self.cargo("build", "-p", "sanlab-sim", "--bin", "run_plan")

    def cargo(self, command: str, *options: str) -> str:
        return self.call("cargo", command, "--quiet", "--profile", "checked", *options)

    def call(self, *command: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def simulate(self, name: str, *sets: str, every_event: bool = False) -> dict[str, Any]:
        """Return the summary of a scenario of the page with some values changed."""
        scenario = self.folder / f"{name}.yaml"
        scenario.write_text(SCENARIOS[name], encoding="utf-8")
        changes = [word for change in sets for word in ("--set", change)]
        command = [sys.executable, "-m", "sanlab.cli", "plan", str(scenario), "--no-pilot"]
        self.call(*command, "--output", "plan.json", *changes)
        run_plan = str(self.target / "checked" / "run_plan")
        options = ["--every-event"] if every_event else []
        summary: dict[str, Any] = json.loads(self.call(run_plan, "plan.json", "--stats", *options))
        return summary

    def time_of(self, name: str, *sets: str) -> int:
        """Return the simulated time of a scenario, in picoseconds."""
        return int(self.simulate(name, *sets)["simulated_ps"])


@pytest.fixture(scope="module")
def tree() -> Tree:
    # The same place for each test run, so that libraries are compiled once.
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    tree = Tree(target / "add-a-model")
    tree.build()
    return tree


in_one_worker = pytest.mark.xdist_group("add-a-model")


@pytest.mark.slow
@in_one_worker
def test_the_models_own_tests_pass(tree: Tree) -> None:
    crates = ["-p", "sanlab-storage", "-p", "sanlab-fabric"]
    printed = tree.cargo("test", *crates, "--lib", "--", "pmem", "emulator")
    assert printed.count("1 passed") == 2


@pytest.mark.slow
@in_one_worker
def test_the_other_tests_still_compile(tree: Tree) -> None:
    tree.cargo("check", "-p", "sanlab-sim", "--tests")


@pytest.mark.slow
@in_one_worker
def test_persistent_memory_takes_its_time(tree: Tree) -> None:
    before = tree.time_of("pmem")
    key = "arrays[0].luns[0].pmem"
    assert tree.time_of("pmem", f"{key}.read=20us") - before == READS * 10 * US
    # 4096 bytes take 1.024 us longer at 2 GB/s than at 4 GB/s.
    assert tree.time_of("pmem", f"{key}.rate=2GB/s") - before == READS * 1_024_000
    write = "workloads[0].rw=randwrite"
    slower = tree.time_of("pmem", write, f"{key}.write=40us") - tree.time_of("pmem", write)
    assert slower == READS * 15 * US


@pytest.mark.slow
@in_one_worker
def test_persistent_memory_has_servers(tree: Tree) -> None:
    key = "arrays[0].luns[0].pmem"
    busy = ("workloads[0].iodepth=2", f"{key}.read=1ms")
    one, two = (tree.time_of("pmem", *busy, f"{key}.servers={count}") for count in (1, 2))
    # The other steps of a read take 1 % of its time.
    assert one == pytest.approx(READS * MS, rel=0.02)
    assert two == pytest.approx(READS * MS / 2, rel=0.02)


@pytest.mark.slow
@in_one_worker
def test_an_emulator_delays_both_directions(tree: Tree) -> None:
    delayed = tree.time_of("box", "links[0].emulator.delay=2ms")
    assert delayed - tree.time_of("box") == READS * 2 * MS


@pytest.mark.slow
@in_one_worker
def test_an_emulator_drops_its_share(tree: Tree) -> None:
    summary = tree.simulate("frames")
    assert summary["frame_hops"] == 1005
    assert summary["frames"] == 1005 - 1005 // 10


@pytest.mark.slow
@in_one_worker
def test_a_host_recovers_what_an_emulator_drops(tree: Tree) -> None:
    summary = tree.simulate("box", "links[0].emulator.drop_every=50")
    assert summary["frames"] < summary["frame_hops"]
    assert summary["ios"] == READS


@pytest.mark.slow
@in_one_worker
@pytest.mark.parametrize(
    "changes",
    [("frames",), ("box", "links[0].emulator.drop_every=50"), ("pmem", "workloads[0].iodepth=3")],
    ids=lambda changes: changes[0],
)
def test_the_reference_agrees(tree: Tree, changes: tuple[str, ...]) -> None:
    quick, slow = (tree.simulate(*changes, every_event=reference) for reference in (False, True))
    assert quick["events"] < slow["events"]
    for key in ("fingerprint", "simulated_ps", "frames", "ios"):
        assert quick[key] == slow[key]
