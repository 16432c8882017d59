"""Tables as aligned text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def text_table(rows: Sequence[Sequence[str]], words: Collection[int] = ()) -> list[str]:
    """Return lines with aligned columns.

    Parameters
    ----------
    rows
        Cells of the header and of each row, all of one length.
    words
        Numbers of the columns with text, which are aligned left; numbers are aligned right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column in words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
