"""The workspace: one folder, which no path of a request leaves."""

from __future__ import annotations

import datetime
import errno
import hashlib
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from sanlab.scenario.load import MAX_FILE_BYTES, read_text
from sanlab.server.refusal import Refusal
from sanlab.simulation.folder import DEFAULT_PARENT, write_file

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Endings of scenario files.
SUFFIXES = (".yaml", ".yml")
#: Levels of folders that are looked through.
MAX_LEVELS = 6
#: Most entries that are looked at.
MAX_ENTRIES = 100_000
#: Longest path of a request.
MAX_PATH = 1000
#: Longest name of a file or folder, in bytes.
MAX_NAME = 255
#: Folder below which runs are written.
RUNS = DEFAULT_PARENT.name
#: Bytes of a file in which its title is looked for.
TITLE_BYTES = 8192
#: Files that make a folder one of results.
RESULTS = ("manifest.json", "sweep.json")


@dataclass
class Workspace:
    """One folder with scenario files and results.

    Attributes
    ----------
    root
        The folder, without links.
    """

    root: Path
    _saving: threading.Lock = field(default_factory=threading.Lock)

    def path(self, name: str) -> Path:
        """Return the file or folder that a request names.

        Raises
        ------
        Refusal
            It is absolute, goes up, contains control characters or hidden parts, or a link leads
            out of the workspace.
        """
        steps = PurePosixPath(name).parts
        is_clean = name.isprintable() and "\\" not in name and len(name) <= MAX_PATH
        if not steps or not is_clean or name.startswith("/"):
            raise _outside(name)
        if any(step.startswith(".") for step in steps):
            raise _outside(name)
        if any(len(step.encode()) > MAX_NAME for step in steps):
            reason = f"A name in the path is longer than {MAX_NAME} bytes"
            raise Refusal(400, reason, "Choose a shorter name")
        path = self.root.joinpath(*steps)
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):
            raise _outside(name) from None
        if not real.is_relative_to(self.root):
            raise _outside(name)
        return path

    def name(self, path: Path) -> str:
        """Return the name of a file or folder of the workspace in requests."""
        return path.relative_to(self.root).as_posix()

    def scenario(self, name: str) -> Path:
        """Return the scenario file that a request names, which need not be there."""
        path = self.path(name)
        if path.suffix not in SUFFIXES:
            reason = "A scenario file ends in .yaml or .yml"
            raise Refusal(400, reason, "Name such a file")
        return path

    def read(self, name: str) -> str:
        """Return the text of a scenario file."""
        path = self.scenario(name)
        if not path.is_file():
            raise Refusal(404, f"There is no scenario {name}", "Choose one of the list")
        return read_text(path)

    def save(self, name: str, text: str, digest: str | None) -> str:
        """Replace the text with this digest; None is a file that is not there. Return the new one.

        Raises
        ------
        Refusal
            The file changed meanwhile, or exists already.
        """
        path = self.scenario(name)
        if len(text.encode()) > MAX_FILE_BYTES:
            raise Refusal(413, f"The file is larger than {MAX_FILE_BYTES // 2**20} MiB")
        self._require_place(path, name)
        with self._saving:
            present = digest_of(read_text(path)) if path.exists() else None
            if present != digest:
                reason = f"{name} changed since it was read"
                if digest is None:
                    reason = f"{name} exists already"
                elif present is None:
                    reason = f"{name} was removed since it was read"
                raise Refusal(409, reason, "Read it again, then repeat the change")
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                # A link is followed: what it leads to is within the workspace.
                write_file(Path(os.path.realpath(path)), text)
            except OSError as error:
                raise _unsaved(name, error) from None
        return digest_of(text)

    def _require_place(self, path: Path, name: str) -> None:
        """Refuse to save where no file can be, or within results, which are not edited."""
        if path.exists() and not path.is_file():
            raise Refusal(400, f"{name} is a folder, a pipe or a device", "Choose another name")
        above = self._above(path)
        for folder in above:
            if folder.exists() and not folder.is_dir():
                reason = f"{self.name(folder)} is a file, not a folder"
                raise Refusal(409, reason, "Choose another folder")
        kept = {step for step in above if step.parent in above and step.parent.name == RUNS}
        if path.exists():
            kept = set()
        for folder in above | self._above(Path(os.path.realpath(path))):
            if folder in kept or any((folder / marker).is_file() for marker in RESULTS):
                reason = f"{self.name(folder)} is a folder of results, which are not edited"
                raise Refusal(409, reason, "Save the scenario in another folder")

    def _above(self, path: Path) -> set[Path]:
        """Return the folders that a path is in, the workspace itself left out."""
        return {step for step in path.parents if self.root in step.parents}

    def scenarios(self) -> Iterator[Path]:
        """Return all files that may be scenarios, those within results left out."""
        for path in self._walk(MAX_LEVELS):
            if path.suffix in SUFFIXES and path.is_file():
                yield path

    def results(self, marker: str) -> Iterator[Path]:
        """Return the folders that contain a file of this name."""
        for path in self._walk(MAX_LEVELS, in_results=True):
            if path.name == marker and path.is_file():
                yield path.parent

    def _walk(self, levels: int, *, in_results: bool = False) -> Iterator[Path]:
        """Return files below the root; hidden folders and links to folders are left out."""
        count = 0
        for folder, below, files in os.walk(self.root):
            here = Path(folder)
            depth = len(here.relative_to(self.root).parts)
            is_result = depth > 0 and any(marker in files for marker in RESULTS)
            below[:] = sorted(name for name in below if not name.startswith("."))
            if depth >= levels or is_result:
                below.clear()
            if is_result and not in_results:
                continue
            for name in sorted(files):
                count += 1
                if count > MAX_ENTRIES:
                    return
                path = here / name
                if not name.startswith(".") and self._is_within(path):
                    yield path

    def _is_within(self, path: Path) -> bool:
        return not path.is_symlink() or Path(os.path.realpath(path)).is_relative_to(self.root)

    def result(self, identifier: str, marker: str) -> Path:
        """Return the folder of a run or a sweep by its id."""
        path = self.path(name_of(identifier))
        if not (path / marker).is_file():
            kind = "run" if marker == RESULTS[0] else "sweep"
            raise Refusal(404, f"There is no {kind} {identifier}", "Choose one of the list")
        return path

    def identifier(self, folder: Path) -> str:
        """Return the id of a folder with results: its path in a form without slashes."""
        return identifier_of(self.name(folder))


def _unsaved(name: str, error: OSError) -> Refusal:
    """Return why a file was not saved, with what helps."""
    reason = f"{name} is not saved: {error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return Refusal(507, reason, "Free space on the disk of the workspace, then save again")
    if error.errno == errno.ENAMETOOLONG:
        return Refusal(400, reason, "Choose a shorter name")
    return Refusal(409, reason, "Check the permissions of its folder, or choose another name")


def identifier_of(name: str) -> str:
    """Return a path in a form without slashes.

    >>> identifier_of("runs/first-san"), identifier_of("a:b/c~d")
    ('runs:first-san', 'a~1b:c~0d')
    """
    return name.replace("~", "~0").replace(":", "~1").replace("/", ":")


def name_of(identifier: str) -> str:
    """Return the path of an id.

    >>> name_of("runs:first-san"), name_of("a~1b:c~0d")
    ('runs/first-san', 'a:b/c~d')
    """
    return identifier.replace(":", "/").replace("~1", ":").replace("~0", "~")


def title_of(path: Path) -> str:
    """Return the title of a scenario file from its first lines; its name where it has no title."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(TITLE_BYTES)
    except OSError:
        return path.stem
    for line in head.splitlines():
        if line.startswith("title:"):
            return line.removeprefix("title:").split(" #")[0].strip().strip("'\"") or path.stem
    return path.stem


def modified(path: Path) -> str:
    """Return when a file changed last, as a date and time in UTC."""
    at = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC)
    return at.isoformat(timespec="seconds")


def digest_of(text: str) -> str:
    """Return the digest of a text."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _outside(name: str) -> Refusal:
    shown = name if name.isprintable() and len(name) < 100 else "The path"
    reason = f"{shown} is not a path within the workspace"
    return Refusal(400, reason, "Write a path below the workspace, without '..' or hidden parts")
