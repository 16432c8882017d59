"""Parameter files as DiskSim 4 writes them: blocks, keys with spaces, lists, files by `source`.

The grammar is that of DiskSim's reference manual (Carnegie Mellon University, CMU-PDL-08-101):
`type name { key = value, ... }`, where a value is a number, a word, a list in brackets, another
block, or `source FILE`. `#` begins a comment.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from sanlab.errors import Problem, ScenarioError
from sanlab.quantities import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Largest file that is read.
MAX_BYTES = 16 * 2**20
_TOKEN = re.compile(r"[{}\[\],=]|[^{}\[\],=]+")


@dataclass(frozen=True)
class Text:
    """A number or a word, and where it stands."""

    text: str
    file: str
    line: int


@dataclass
class Block:
    """`type name { ... }`."""

    kind: str
    name: str
    file: str
    line: int
    entries: dict[str, Value] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def problem(self, key: str, reason: str, remedy: str) -> ScenarioError:
        """Return an error that points at a key of this block, or at the block."""
        line = self.lines.get(key, self.line)
        return ScenarioError([Problem(self.file, line, None, key, reason, remedy)])

    def refuse(self, key: str, reason: str, remedy: str) -> NoReturn:
        """Raise it."""
        raise self.problem(key, reason, remedy)

    def get(self, key: str) -> Value | None:
        """Return a value, None if the key is not there."""
        return self.entries.get(key)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a word."""
        value = self.entries.get(key)
        if isinstance(value, Text):
            return value.text
        if value is None and default is not None:
            return default
        raise self._missing(key, "a word")

    def number(self, key: str, default: float | None = None, *, signed: bool = False) -> float:
        """Return a number, of at least 0 unless it may be `signed`."""
        value = self.entries.get(key)
        if value is None and default is not None:
            return default
        if isinstance(value, Text):
            return self._parse(key, value, signed=signed)
        raise self._missing(key, "a number")

    def whole(self, key: str, default: int | None = None) -> int:
        """Return a whole number of at least 0."""
        number = self.number(key, default)
        if number != int(number):
            self.refuse(key, f"{number:g} is not a whole number", "Write a whole number")
        return int(number)

    def numbers(self, key: str) -> list[float]:
        """Return a list of numbers, empty where the key is not there."""
        value = self.entries.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._missing(key, "a list in brackets")
        numbers = []
        for item in value:
            if not isinstance(item, Text):
                raise self._missing(key, "a list of numbers")
            numbers.append(self._parse(key, item, signed=True))
        return numbers

    def block(self, key: str) -> Block:
        """Return a block within this one."""
        value = self.entries.get(key)
        if isinstance(value, Block):
            return value
        raise self._missing(key, "a block")

    def _missing(self, key: str, what: str) -> ScenarioError:
        if key in self.entries:
            return self.problem(key, f"This is not {what}", f"Write {what}")
        guess = nearest(key, list(self.entries))
        hint = f"; '{guess}' is there" if guess else ""
        reason = f"The block '{self.kind}' has no '{key}'{hint}"
        return self.problem(key, reason, f"Add '{key} = ...'")

    def _parse(self, key: str, value: Text, *, signed: bool = False) -> float:
        try:
            number = float(value.text)
        except ValueError:
            number = float("nan")
        is_good = not math.isnan(number) and abs(number) < float("inf") and (signed or number >= 0)
        if not is_good:
            what = "a number" if signed else "a number of at least 0"
            problem = Problem(
                value.file, value.line, None, key, f"'{value.text}' is not {what}", f"Write {what}"
            )
            raise ScenarioError([problem])
        return number


Value = Text | Block | list["Value"]


@dataclass(frozen=True)
class _Token:
    text: str
    line: int

    @property
    def is_mark(self) -> bool:
        return self.text in {"{", "}", "[", "]", ",", "="}


def read_blocks(path: Path, *, follows: bool = True) -> list[Block]:
    """Read the blocks at the top of a file, and of the files it names there by `source`.

    Parameters
    ----------
    follows
        False leaves out the files it names.

    Raises
    ------
    ScenarioError
        The file cannot be read; the error names file and line.
    """
    return _Parser(path, (), follows=follows).blocks()


def read_text(path: Path, named_in: Problem | None = None) -> str:
    """Read a text file; where it cannot be read, `named_in` says who named it."""
    try:
        if path.stat().st_size > MAX_BYTES:
            reason, remedy = f"The file is larger than {MAX_BYTES // 2**20} MiB", "Check its name"
        else:
            return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        reason, remedy = "The file is not text in UTF-8", "Check its name"
    except OSError as error:
        reason, remedy = f"The file cannot be read: {error.strerror}", "Check its name"
    if named_in is None:
        raise ScenarioError([Problem(str(path), None, None, "", reason, remedy)])
    reason = f"{path.name}: {reason}"
    raise ScenarioError(
        [
            Problem(
                named_in.file, named_in.line, None, named_in.key, reason, "Put it beside this file"
            )
        ]
    )


class _Parser:
    def __init__(
        self,
        path: Path,
        through: tuple[Path, ...],
        named_in: Problem | None = None,
        *,
        follows: bool = True,
    ) -> None:
        self.follows = follows
        self.path = path
        self.through = (*through, path)
        self.tokens = list(_tokens(read_text(path, named_in)))
        self.at = 0

    def blocks(self) -> list[Block]:
        found: list[Block] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.text == "[":
                self.at -= 1
                self._list(token)  # of an 'instantiate' or a 'topology'
            elif not token.is_mark:
                *before, (line, header) = _lines(token)
                for at, text in before:
                    found.extend(self._sourced(text, at))
                if self._peek() == "{":
                    found.append(self._block(header, line))
                else:
                    found.extend(self._sourced(header, line))
            elif token.text not in {",", "]"}:
                raise self._error(
                    token.line, f"Unexpected '{token.text}'", "Begin with 'type name {'"
                )
        return found

    def _sourced(self, text: str, line: int) -> list[Block]:
        words = text.split()
        if len(words) != 2 or words[0] != "source" or not self.follows:
            return []  # 'instantiate', 'as', 'topology': nothing of a drive
        return self._source(words[1], line)

    def _source(self, name: str, line: int) -> list[Block]:
        path = self.path.parent / name
        if path in self.through:
            raise self._error(line, f"'{name}' names itself", "Remove this 'source'")
        place = Problem(str(self.path), line, None, "source", "", "")
        return _Parser(path, self.through, place).blocks()

    def _peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def _block(self, header: str, line: int) -> Block:
        kind, _, name = header.partition(" ")
        block = Block(kind, name.strip(), str(self.path), line)
        self.at += 1
        while True:
            token = self._next(line, "}")
            if token.text == "}":
                return block
            if token.text == ",":
                continue
            if token.is_mark:
                raise self._error(token.line, f"Unexpected '{token.text}'", "Write 'key = value'")
            key = " ".join(token.text.split())
            equals = self._next(token.line, "=")
            if equals.text != "=":
                reason = f"'=' is missing behind '{_shown(key)}'"
                raise self._error(equals.line, reason, "Write 'key = value', with commas between")
            if key in block.entries:
                raise self._error(token.line, f"'{key}' is written twice", "Keep one of them")
            block.lines[key] = _lines(token)[-1][0]
            block.entries[key] = self._value(key)
            if self._peek() not in {",", "}", ""}:
                reason = f"A comma is missing behind '{_shown(key)}'"
                raise self._error(
                    self.tokens[min(self.at, len(self.tokens)) - 1].line, reason, "Add ','"
                )

    def _value(self, key: str) -> Value:
        token = self._next(0, "a value")
        if token.text == "[":
            self.at -= 1
            return self._list(token)
        if token.is_mark:
            raise self._error(token.line, f"'{_shown(key)}' has no value", "Write 'key = value'")
        line, text = _lines(token)[-1][0], " ".join(token.text.split())
        if self._peek() == "{":
            return self._block(text, line)
        words = text.split()
        if len(words) == 2 and words[0] == "source":
            blocks = self._source(words[1], line)
            if len(blocks) != 1:
                reason = f"'{words[1]}' holds {len(blocks)} blocks"
                raise self._error(line, reason, "Name a file with one block")
            return blocks[0]
        return Text(text, str(self.path), line)

    def _list(self, opened: _Token) -> list[Value]:
        self.at += 1
        values: list[Value] = []
        while True:
            token = self._next(opened.line, "]")
            if token.text == "]":
                return values
            if token.text == ",":
                continue
            if token.text == "[":
                self.at -= 1
                values.append(self._list(token))
            elif token.is_mark:
                raise self._error(
                    token.line, f"Unexpected '{token.text}' in a list", "Close it with ']'"
                )
            else:
                line, text = _lines(token)[-1][0], " ".join(token.text.split())
                is_block = self._peek() == "{"
                values.append(
                    self._block(text, line) if is_block else Text(text, str(self.path), line)
                )

    def _next(self, line: int, wanted: str) -> _Token:
        if self.at >= len(self.tokens):
            last = self.tokens[-1].line if self.tokens else 1
            since = f" of line {line}" if line else ""
            reason = f"The file ends where '{wanted}'{since} is still missing"
            raise self._error(last, reason, f"Add '{wanted}'")
        self.at += 1
        return self.tokens[self.at - 1]

    def _error(self, line: int, reason: str, remedy: str) -> ScenarioError:
        return ScenarioError([Problem(str(self.path), line, None, "", reason, remedy)])


def _tokens(text: str) -> Iterator[_Token]:
    """Marks, and the text between them, which may have several lines."""
    without = "\n".join(line.partition("#")[0] for line in text.splitlines())
    line = 1
    for match in _TOKEN.finditer(without):
        piece = match.group()
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            yield _Token(piece.strip(), line + piece[:lead].count("\n"))
        line += piece.count("\n")


def _lines(token: _Token) -> list[tuple[int, str]]:
    """Lines of a text with their numbers."""
    lines = enumerate(token.text.splitlines(), token.line)
    return [(number, " ".join(line.split())) for number, line in lines if line.strip()]


def _shown(key: str) -> str:
    return key if len(key) <= 60 else f"{key[:60]}..."
