"""Commands in the manual and the README run, and links point to existing files.

The test runs each block of commands or Python that follows `<!-- runnable -->`. The blocks of a
page run in order in one new folder, which contains the repository's `examples` and a `./sanlab`.
A block after `<!-- file NAME -->` is written to that file. A block after `<!-- prints -->` is the
expected output of the block before it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(
    r"<!-- (runnable|prints|file (?P<name>\S+)) -->\n+```(?P<language>\w+)\n(?P<text>.*?)```",
    re.DOTALL,
)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[re.Match[str]]:
    return list(BLOCK.finditer(page.read_text(encoding="utf-8")))


WITH_COMMANDS = [page for page in PAGES if blocks_of(page)]


def test_there_are_commands_to_run() -> None:
    assert WITH_COMMANDS


def output_of(language: str, text: str, folder: Path) -> str:
    """What commands or Python print, run in a folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    bash = shutil.which("bash")
    assert bash
    start = {"sh": [bash, "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
    done = subprocess.run(
        [*start[language], text],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_commands_run(page: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    # The launcher ends in this command; the tests run in the environment that has it.
    (tmp_path / "sanlab").symlink_to(Path(sys.executable).parent / "sanlab")
    printed = ""
    for block in blocks_of(page):
        if block["name"]:
            (tmp_path / block["name"]).write_text(block["text"], encoding="utf-8")
        elif block[1] == "prints":
            assert printed == block["text"]
        else:
            printed = output_of(block["language"], block["text"], tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), target


def test_the_architecture_names_every_crate_and_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    crates = {file.parent.name for file in ROOT.glob("crates/*/Cargo.toml")}
    packages = {file.parent.name for file in ROOT.glob("python/sanlab/*/__init__.py")}
    assert crates | packages <= named


def test_the_architecture_names_no_folder_that_is_gone() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    written = re.findall(r"`((?:crates|docs|python|studies|tests|tools)/[^`*]*)`", text)
    assert written
    assert [name for name in written if not (ROOT / name).exists()] == []


def test_every_source_file_says_what_it_is_for() -> None:
    rust = dict.fromkeys(ROOT.glob("crates/*/src/**/*.rs"), "//!")
    python = dict.fromkeys(ROOT.glob("python/sanlab/**/*.py"), '"""')
    missing = [
        name_of(file)
        for file, begin in (rust | python).items()
        if not file.read_text(encoding="utf-8").startswith(begin)
    ]
    assert missing == []
