"""Ctrl-C at any moment of a short command: no traceback, and 130 unless it was over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HELLO = str(Path(__file__).parents[2] / "examples" / "hello-san" / "scenario.yaml")
#: Says when Python has started: before that, no module of the package can answer Ctrl-C.
PROGRAM = "import os; from sanlab.cli.start import main; os.write(2, b'.'); main()"
#: Time for the first lines of `main`.
FIRST_S = 0.01


@pytest.mark.parametrize("words", [["check", HELLO], ["check", HELLO, "--json"], ["--help"]])
@pytest.mark.parametrize("delay_s", [0.0, 0.02, 0.05, 0.1, 0.2, 0.3])
def test_it_is_silent(words: list[str], delay_s: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        assert os.read(process.stderr.fileno(), 1) == b"."
        time.sleep(FIRST_S + delay_s)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert err == b""
    # Python itself ends by the signal if it comes after the command; a shell shows that as 130.
    assert process.returncode in {0, 130, -signal.SIGINT}
    if process.returncode == 130 and "--json" in words:
        assert b'"kind": "Interrupted"' in out


def test_where_it_is_ignored_it_stays_so() -> None:
    program = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{PROGRAM}"
    with subprocess.Popen(
        [sys.executable, "-c", program, "check", HELLO],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert os.read(process.stderr.fileno(), 1) == b"."
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 0
