"""What goes wrong, in words for the person who wrote the file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class SanlabError(Exception):
    """Base of every error this package raises on purpose."""


class RunError(SanlabError):
    """A simulation stopped because one of its own checks failed."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a scenario, and what to do about it.

    Attributes
    ----------
    file
        The file, or the override (`--set path=value`) that brought the value in.
    line, column
        Where, counted from 1; None where there is no text to point at.
    key
        The key as a path, `links[3].from`; empty where the file as a whole is meant.
    reason
        What is wrong, one sentence without its full stop.
    remedy
        What would be right, likewise.
    """

    file: str
    line: int | None
    column: int | None
    key: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        """`FILE:LINE: KEY: REASON. REMEDY.`."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        parts = [place, self.key] if self.key else [place]
        sentences = [_sentence(text) for text in (self.reason, self.remedy) if text]
        return ": ".join([*parts, " ".join(sentences)])

    def as_dict(self) -> dict[str, str | int | None]:
        """Plain data, for `--json`."""
        return asdict(self)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


class ScenarioError(SanlabError):
    """A scenario that cannot be simulated as it is written."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
