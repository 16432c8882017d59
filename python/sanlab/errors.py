"""Errors with messages for the author of a scenario."""

from __future__ import annotations

import errno
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable


#: Errors of the system that another name of a file would avoid; any other, such as a full disk,
#: is a failure.
BAD_NAMES = {
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY, errno.ELOOP),
    *(errno.ENAMETOOLONG, errno.EINVAL, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENXIO),
}
#: Most characters of a value that a message shows.
VALUE_SHOWN = 100
_LONG_VALUE = re.compile(rf"'([^']{{{VALUE_SHOWN}}})[^']*'")


class SanlabError(Exception):
    """Base class of all errors of this package."""


class RunError(SanlabError):
    """A simulation stopped because one of its own checks failed."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in a scenario, and its remedy.

    Attributes
    ----------
    file
        The file, or the override (`--set path=value`) that set the value.
    line, column
        Place in the file, counted from 1; None without a text.
    key
        The key as a path, `links[3].from`; empty for the file as a whole.
    reason
        What is wrong, one sentence without its full stop.
    remedy
        What to write instead, likewise.
    """

    file: str
    line: int | None
    column: int | None
    key: str
    reason: str
    remedy: str

    def __post_init__(self) -> None:
        """Shorten long values: a message is for reading."""
        object.__setattr__(self, "reason", shortened(self.reason))

    def __str__(self) -> str:
        """`FILE:LINE: KEY: REASON. REMEDY.`."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        parts = [place, self.key] if self.key else [place]
        sentences = [_sentence(text) for text in (self.reason, self.remedy) if text]
        return ": ".join([*parts, " ".join(sentences)])

    def as_dict(self) -> dict[str, str | int | None]:
        """Plain data, for `--json`."""
        return asdict(self)


def shortened(text: str) -> str:
    """Return a message with only the beginning of each long value that it quotes.

    >>> shortened(f"'{'9' * 5000}s' is too large")[95:]
    "99999...' is too large"
    """
    return _LONG_VALUE.sub(r"'\1...'", text)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


class ScenarioError(SanlabError):
    """An error in a scenario."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def refuse(file: str, line: int | None, key: str, reason: str, remedy: str) -> NoReturn:
    """Raise the error for one place of a file."""
    raise ScenarioError([Problem(file, line, None, key, reason, remedy)])
