"""The scenario's text while it is written, with the origin of every value."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.importers.fabric.facts import Source

#: Sources shown beside a value; `--explain` shows all.
_SHOWN = 2


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from."""

    key: str
    value: str
    sources: tuple[Source, ...] = ()
    guess: str = ""
    """Why it was chosen, of a value that no file has."""

    def __str__(self) -> str:
        """`KEY: VALUE`, then files and lines, or the reason of a guess."""
        where = [f"from {', '.join(map(str, self.sources))}"] if self.sources else []
        where += [f"guessed: {self.guess}"] if self.guess else []
        return f"{self.key}: {self.value}  {'; '.join(where)}".rstrip()


@dataclass(slots=True)
class Page:
    """Lines of YAML."""

    lines: list[str] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)

    def line(self, text: str = "") -> None:
        """Write a line without a value."""
        self.lines.append(text)

    def value(
        self, text: str, key: str, value: str, sources: Iterable[Source] = (), guess: str = ""
    ) -> None:
        """Write a line with one value and its origin."""
        origin = Origin(key, value, tuple(dict.fromkeys(sources)), guess)
        self.origins.append(origin)
        self.line(f"{text}  # {plain(_short(origin))}")

    def also(self, key: str, value: str, sources: Iterable[Source] = (), guess: str = "") -> None:
        """Keep the origin of a further value of the line before."""
        self.origins.append(Origin(key, value, tuple(dict.fromkeys(sources)), guess))

    def explain(self, key: str) -> list[Origin]:
        """Return the origins of a key, of all keys below it, or of a pattern with `*`."""
        return [
            origin
            for origin in self.origins
            if origin.key == key
            or origin.key.startswith(f"{key}.")
            or (("*" in key) and fnmatchcase(origin.key, key))
        ]


def _short(origin: Origin) -> str:
    parts = [", ".join(map(str, origin.sources[:_SHOWN]))] if origin.sources else []
    parts += [f"guessed: {origin.guess}"] if origin.guess else []
    return "; ".join(parts)


def plain(text: str) -> str:
    """Return a text without characters that a comment cannot have."""
    return re.sub(r"[^\x20-\x7e]", "?", text)


def quoted(text: str) -> str:
    """Return a text as YAML reads it back, whatever is in it."""
    return "'" + plain(text).replace("'", "''") + "'"
