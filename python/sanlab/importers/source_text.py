"""Text of a file of another tool: read with bounds, and refused with file, line, key and remedy."""

from __future__ import annotations

import re
import stat
from typing import TYPE_CHECKING

from sanlab.errors import refuse

if TYPE_CHECKING:
    from pathlib import Path

#: Largest configuration file that is read.
MAX_FILE_BYTES = 16 * 2**20
_HEAD_BYTES = 4096
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file, empty where it cannot be read or is not a regular file."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""


def read_source(path: Path, *, most: int = MAX_FILE_BYTES) -> str:
    """Return the text of a file, whatever its line ends are and whether it has a byte order mark.

    Raises
    ------
    ScenarioError
        It cannot be read, is not a regular file, is too large, or is not text.
    """
    name = str(path)
    try:
        if path.is_dir():
            refuse(name, None, "", "This is a folder", "Name a file in it")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            refuse(name, None, "", "This is not a regular file", "Save the text in a file")
        if status.st_size > most:
            reason = f"The file is larger than {most // 2**20} MiB"
            refuse(name, None, "", reason, "A configuration is a few kB; check its name")
        data = path.read_bytes()
    except OSError as error:
        reason = f"The file cannot be read: {error.strerror}"
        refuse(name, None, "", reason, "Check its name")
    return text_of(data, name)


def text_of(data: bytes, file: str) -> str:
    """Return bytes as text: UTF-8, or UTF-16 with a byte order mark; names may be of a code page.

    Raises
    ------
    ScenarioError
        They are not text, with the line of the first byte that is not.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            refuse(file, None, "", "The file is cut off within a character", "Copy the whole file")
    if found := _CONTROL.search(data):
        line = data.count(b"\n", 0, found.start()) + 1
        reason = f"Byte 0x{found[0].hex()} is not text"
        refuse(file, line, "", reason, "Name a text file in UTF-8")
    return data.decode("utf-8-sig", errors="replace")
