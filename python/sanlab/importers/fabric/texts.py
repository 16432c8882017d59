"""Files as lines: encodings of terminals, and what terminals leave behind in a log."""

from __future__ import annotations

import codecs
import itertools
import re
import stat
from typing import TYPE_CHECKING

from sanlab.errors import Problem, ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

#: Largest file that is read.
MAX_FILE_BYTES = 64 * 2**20
#: Share of control characters above which a file is not a text.
_BINARY_SHARE = 0.02
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Za-z0-9]|[=>])")
_BACKSPACE = re.compile(r"[^\x08\n]\x08")
_MORE = re.compile(
    r"^(?:--+ ?\(?more(?:\)|\b)[^-\n]*-*|"
    r"Type <CR> (?:to continue|or <SPACE>)[^\n]*?(?:stop|quit):?)[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
#: The time that a log puts before a line.
_TIME = re.compile(
    r"\[?(?:\d{4}[-/]\d\d?[-/]\d\d?[T ]|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d (?:\d{4} )?)?"
    r"\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?:?(?: |$)"
)
_QUOTE = re.compile(r"[>|](?: |$)")
#: Share of the lines with a prefix above which it is not the outputs' own.
_PREFIXED = 0.9
#: Lines that are looked at first.
_FIRST = 200
_BROKEN = re.compile(r"[^\s=\-]$")
#: Columns of terminals, and broken lines from which on the file is said to be broken.
_WIDTHS, _MANY = {72, 80, 100, 120, 132, 160}, 3
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def problem(file: str, line: int | None, reason: str, remedy: str) -> ScenarioError:
    """Return an error about a line of a file."""
    return ScenarioError([Problem(file, line, None, "", reason, remedy)])


def read_lines(path: Path) -> list[str]:
    """Return the lines of a file without the traces of its terminal.

    Raises
    ------
    ScenarioError
        The file cannot be read, is empty, or is not a text.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            reason = "This is not a regular file"
            raise problem(str(path), None, reason, "Save the outputs in a file")
        if status.st_size > MAX_FILE_BYTES:
            reason = f"The file is larger than {MAX_FILE_BYTES // 2**20} MiB"
            raise problem(str(path), None, reason, "Give the outputs of single commands")
        data = path.read_bytes()
    except OSError as error:
        reason = f"The file cannot be read: {error.strerror}"
        raise problem(str(path), None, reason, "Check its name") from None
    if not data.strip():
        raise problem(
            str(path), 1, "The file is empty", "Capture the output again, or leave it out"
        )
    return unprefixed(cleaned(_decoded(data, str(path))).split("\n"))


def _decoded(data: bytes, file: str) -> str:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "")
    if not encoding and b"\x00" in data[:4096]:
        encoding = _without_mark(data[:4096])
        if not encoding:
            line = data.count(b"\n", 0, data.index(b"\x00")) + 1
            reason, remedy = "The file is binary", "Save the session of the terminal as plain text"
            raise problem(file, line, reason, remedy)
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = "The file is not text in UTF-8 or UTF-16"
        raise problem(file, line, reason, "Save it as UTF-8") from None
    controls = _CONTROL.sub("", _ANSI.sub("", _BACKSPACE.sub("", text)))
    if len(text) - len(controls) > max(64, _BINARY_SHARE * len(text)) and _is_dense(text):
        reason, remedy = "The file is binary", "Save the session of the terminal as plain text"
        raise problem(file, 1, reason, remedy)
    return text


def _is_dense(text: str) -> bool:
    plain = _BACKSPACE.sub("", _ANSI.sub("", text)).replace("\x08", "")
    return len(_CONTROL.findall(plain)) > _BINARY_SHARE * len(plain)


def _without_mark(head: bytes) -> str:
    """Return the kind of UTF-16 that a text of mostly ASCII is in."""
    odd, even = head[1::2].count(0), head[0::2].count(0)
    half = len(head) // 2
    if half and odd > 0.6 * half and even < 0.1 * half:
        return "utf-16-le"
    if half and even > 0.6 * half and odd < 0.1 * half:
        return "utf-16-be"
    return ""


def unprefixed(lines: list[str]) -> list[str]:
    """Return lines without what a log or a mail puts before each of them.

    >>> unprefixed(["[10:11:12] sw1# show topology", "[10:11:13]    fc1/1"])
    ['sw1# show topology', '   fc1/1']
    >>> unprefixed(["> a", ">", "> b"])
    ['a', '', 'b']
    """
    for prefix in (_TIME, _QUOTE, _TIME):
        full = [line for line in lines if line.strip()]
        if (
            sum(1 for line in full[:_FIRST] if prefix.match(line))
            < _PREFIXED * len(full[:_FIRST]) / 2
        ):
            continue
        found = sum(1 for line in full if prefix.match(line))
        if full and found >= _PREFIXED * len(full):
            lines = [prefix.sub("", line, count=1) for line in lines]
    return lines


def wrapped_at(lines: list[str]) -> tuple[int, int] | None:
    """Return the column at which a terminal broke lines, and the first such line, if it seems so.

    The lines end in a word at the column that none passes, and the next one has its shorter rest.
    """
    width = max(map(len, lines), default=0)
    broken = [
        number
        for number, (line, rest) in enumerate(itertools.pairwise(lines), start=1)
        if len(line) == width and 0 < len(rest) < width and _BROKEN.search(line) and rest[0] != " "
    ]
    return (width, broken[0]) if width in _WIDTHS and len(broken) >= _MANY else None


def cleaned(text: str) -> str:
    r"""Return a text without escape sequences, backspaces and prompts of a pager.

    >>> cleaned("a\r\n--More--" + 8 * "\x08" + "b\x1b[0m\r\n")
    'a\nb\n'
    """
    text = re.sub(r"\r+\n", "\n", _ANSI.sub("", text))
    while _BACKSPACE.search(text):
        text = _BACKSPACE.sub("", text)
    text = "\n".join(line.rpartition("\r")[2] or line for line in text.split("\n"))
    return _CONTROL.sub("", _MORE.sub("", text)).replace("\xa0", " ")
