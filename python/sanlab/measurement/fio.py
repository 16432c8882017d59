"""Running fio: its version, its output, its end."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sanlab.errors import RunError, SanlabError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sanlab.measurement.clients import Client

#: Oldest version whose output is understood.
OLDEST = (3, 33)
#: The program, and the variable of the environment that names another one.
PROGRAM, VARIABLE = "fio", "SANLAB_FIO"
#: What fio calls the sum of the jobs of its clients.
_SUM = "All clients"
#: How long fio gets to write its results after it was interrupted, in seconds.
GRACE_S = 20


@dataclass(frozen=True)
class Fio:
    """An installed fio."""

    path: str
    version: str


@dataclass(frozen=True)
class Answer:
    """What fio wrote.

    Attributes
    ----------
    document
        Its JSON.
    is_complete
        False if it was interrupted.
    wall_s
        How long it ran.
    """

    document: dict[str, Any]
    is_complete: bool
    wall_s: float
    command: str


def find() -> Fio:
    """Return the fio of this machine.

    Raises
    ------
    SanlabError
        It is not installed, or it is too old.
    """
    asked = os.environ.get(VARIABLE, PROGRAM)
    path = shutil.which(asked)
    if path is None:
        reason = f"{asked} is not installed. Install it: sudo apt-get install fio"
        raise SanlabError(reason)
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        reason = f"{path} does not say its version, so it is not fio"
        raise SanlabError(reason) from None
    match = re.match(r"fio-(\d+)\.(\d+)", done.stdout.strip())
    if match is None:
        said = (done.stdout.splitlines() or [""])[0][:60]
        reason = f"{path} says '{said}', which is not a version of fio"
        raise SanlabError(reason)
    if (int(match[1]), int(match[2])) < OLDEST:
        reason = (
            f"{path} is {match[0]}, and fio-{OLDEST[0]}.{OLDEST[1]} or newer is needed. Install a"
            f" newer one, and name it in {VARIABLE}"
        )
        raise SanlabError(reason)
    return Fio(path, done.stdout.strip().removeprefix("fio-"))


def engines(fio: Fio) -> set[str]:
    """Return the I/O engines that this fio has."""
    try:
        done = subprocess.run(
            [fio.path, "--enghelp"], capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return set()
    return {line.strip() for line in done.stdout.splitlines()}


def require_engine(fio: Fio, name: str) -> None:
    """Raise if this fio lacks an I/O engine.

    Raises
    ------
    SanlabError
        It was built without it.
    """
    if name not in engines(fio):
        reason = (
            f"{fio.path} has no engine {name}. Install one that has, such as Debian's package, and"
            f" name it in {VARIABLE}"
        )
        raise SanlabError(reason)


def run(
    fio: Fio,
    folder: Path,
    jobs: dict[str, str],
    clients: Mapping[str, Client],
    lasts_s: float,
) -> Answer:
    """Run job files in a folder, where their logs are written; Ctrl-C keeps what they have.

    Parameters
    ----------
    jobs
        Texts by the names of the files.
    clients
        Machines that run them, by the names of the files; none for this one.

    Raises
    ------
    RunError
        It failed.
    """
    command = [fio.path, "--output-format=json+", "--output=result.json", "--eta=never"]
    for name, text in jobs.items():
        (folder / name).write_text(text, encoding="utf-8")
        command += [f"--client={clients[name]}", name] if name in clients else [name]
    started = time.monotonic()
    is_complete = True
    with (folder / "errors.txt").open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(command, cwd=folder, stdout=errors, stderr=errors)
        try:
            _wait(process, started, lasts_s)
        except KeyboardInterrupt:
            is_complete = False
            process.send_signal(signal.SIGINT)
            try:
                process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    wall_s = time.monotonic() - started
    for log in folder.glob("*.log.*"):  # a client adds the address of the server
        log.rename(folder / (log.name.partition(".log.")[0] + ".log"))
    document = _document(folder / "result.json")
    done = (document or {}).get("jobs", ())
    failed = not done or any(job.get("error") for job in done)
    if document is None or (is_complete and (process.returncode or failed)):
        lines = [*_said(folder), f"it ended with code {process.returncode}"]
        reason = f"fio failed: {lines[0].removeprefix('fio: ')[:300]}"
        raise RunError(reason)
    return Answer(document, is_complete, wall_s, " ".join(command))


def _said(folder: Path) -> list[str]:
    """What fio said of errors; what its servers said stands before its JSON."""
    own = (folder / "errors.txt").read_text(encoding="utf-8", errors="replace").strip()
    if own:
        return own.splitlines()
    try:
        text = (folder / "result.json").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    before = text.partition("\n{")[0].splitlines()
    return [line.partition("> ")[2] for line in before if "> fio: " in line]


def _wait(process: subprocess.Popen[bytes], started: float, lasts_s: float) -> None:
    is_shown = sys.stderr.isatty()
    while True:
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            if is_shown:
                passed = time.monotonic() - started
                sys.stderr.write(f"\r\033[K{passed:.0f} of {lasts_s:.0f} s measured\r")
                sys.stderr.flush()
        else:
            if is_shown:
                sys.stderr.write("\r\033[K")
            return


def _document(file: Path) -> dict[str, Any] | None:
    """The JSON that fio wrote; lines of warnings may come before it."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
        found: dict[str, Any] = json.loads(text[text.index("{") :])
    except (OSError, ValueError):
        return None
    # Of several clients there is a sum besides the jobs.
    of_clients = [one for one in found.get("client_stats", ()) if one["jobname"] != _SUM]
    return found if "jobs" in found else found | {"jobs": of_clients}
