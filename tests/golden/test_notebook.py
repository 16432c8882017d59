"""The notebook shows what its cells show today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "notebook", sorted((ROOT / "examples" / "notebook").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_outputs_are_current(notebook: Path) -> None:
    command = [sys.executable, "tools/run_notebook.py", "--check", str(notebook)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
