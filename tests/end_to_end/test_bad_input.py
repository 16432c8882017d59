"""Whatever is thrown at a command: one clear error, exit code 2, and with `--json` one document."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HELLO = Path(__file__).resolve().parents[2] / "examples" / "hello-san" / "scenario.yaml"


def sanlab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, as its own process."""
    command = [sys.executable, "-m", "sanlab.cli", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good scenario, bad ones, and a file where a folder would be wanted."""
    (tmp_path / "good.yaml").write_text(HELLO.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "deep.yaml").write_text("[" * 3000, encoding="utf-8")
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "file").write_text("a file", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("check", "deep.yaml"),
        ("check", "binary.yaml"),
        ("plan", "loop.yaml"),
        ("run", "folder.yaml"),
        ("check", "good.yaml", "--set", "title=" + "[" * 2000),
        ("run", "good.yaml", "--out", "file/below"),
        ("run", "good.yaml", "--out", "file"),
        ("run", "good.yaml", "--out", "/proc/none/here"),
        ("run", "good.yaml", "--out", "x" * 300),
        ("run", "good.yaml", "--seed", "-1"),
        ("run", "good.yaml", "--seed", str(2**64)),
        ("run", "good.yaml", "--no-such-option"),
        ("run",),
        ("trace", "good.yaml"),
        ("validate", "x" * 5000),
        ("catalog", "no-such-word"),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_one_error_and_one_document(folder: Path, words: tuple[str, ...]) -> None:
    before = sorted(folder.iterdir())
    done = sanlab(folder, *words, "--json")
    assert done.returncode == 2, done.stderr
    assert json.loads(done.stdout)["error"]["message"]
    assert "Traceback" not in done.stderr
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("words", [("report", "x" * 5000), ("report", "loop.yaml"), ("new", "/")])
def test_one_error_as_text(folder: Path, words: tuple[str, ...]) -> None:
    done = sanlab(folder, *words)
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr
