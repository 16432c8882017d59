"""Prose in lines that a terminal shows whole."""

from __future__ import annotations

import re
import textwrap
from typing import Final

#: Columns of a line of prose.
WIDTH: Final = 100
#: A space at which no line ends.
NO_BREAK: Final = "\u00a0"


def wrapped(line: str) -> list[str]:
    """Return a line in as many lines as it needs, further ones indented; words stay whole.

    A number stays with its unit.
    """
    own = line[: len(line) - len(line.lstrip())]
    together = re.sub(r"(?<=\d) (?=\S)", NO_BREAK, line)
    parts = textwrap.wrap(
        together,
        WIDTH,
        subsequent_indent=f"{own}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [part.replace(NO_BREAK, " ") for part in parts]
