"""Make the pictures of the tours again: `make tours` writes docs/images/page/.

Each picture is taken by the test of its tour, in a window of a fixed size, of a run with a fixed
seed, so that it shows what the page of the manual says.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/images/page"


def main() -> int:
    """Run the tests of the tours; each writes its pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", str(ROOT / "tests/browser/test_tours.py")]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | {"SANLAB_PICTURES": str(PICTURES)}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
