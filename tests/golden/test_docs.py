"""The manual and the README keep what they promise: commands run, links lead somewhere.

A block of commands that is preceded by `<!-- runnable -->` is run, all blocks of a page one after
another in one new folder, in which `examples` is that of the repository.
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
RUNNABLE = re.compile(r"<!-- runnable -->\n+```sh\n(.*?)```", re.DOTALL)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def commands_of(page: Path) -> list[str]:
    return RUNNABLE.findall(page.read_text(encoding="utf-8"))


WITH_COMMANDS = [page for page in PAGES if commands_of(page)]


def test_there_are_commands_to_run() -> None:
    assert WITH_COMMANDS


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_commands_run(page: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    bash = shutil.which("bash")
    assert bash
    for block in commands_of(page):
        done = subprocess.run(
            [bash, "-euo", "pipefail", "-c", block],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), target
