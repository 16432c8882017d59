"""The `sanlab` script of a clone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone whose build writes "built" and whose command prints its name and arguments."""
    clone = tmp_path / "clone"
    (clone / "crates").mkdir(parents=True)
    for name in ("Cargo.toml", "Cargo.lock", "pyproject.toml"):
        (clone / name).touch()
    shutil.copy2(ROOT / "sanlab", clone / "sanlab")
    script(clone / "tools" / "setup.sh", "echo setup >&2")
    script(clone / ".tools" / "bin" / "uv", "echo built >&2")
    script(clone / ".venv" / "bin" / "sanlab", 'echo "$SANLAB_PROGRAM" "$PWD" "$@"')
    return clone


def run(clone: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(clone / "sanlab"), "run", "a file.yaml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)


def test_it_builds_once_and_keeps_name_folder_and_arguments(clone: Path, tmp_path: Path) -> None:
    first, second = run(clone, tmp_path), run(clone, tmp_path)
    assert first.stdout == second.stdout == f"{clone}/sanlab {tmp_path} run a file.yaml\n"
    assert first.stderr == "setup\nbuilt\n"
    assert second.stderr == ""


def test_a_changed_source_is_built(clone: Path, tmp_path: Path) -> None:
    run(clone, tmp_path)
    source = clone / "crates" / "new.rs"
    source.touch()
    later = (clone / ".venv" / "built").stat().st_mtime + 10
    os.utime(source, (later, later))
    assert "built" in run(clone, tmp_path).stderr
