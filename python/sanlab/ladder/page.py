"""A ladder as one HTML page: the picture, and every frame in a table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sanlab.ladder.lines import heading, ladder_lines
from sanlab.ladder.picture import picture
from sanlab.report.page import STYLE

if TYPE_CHECKING:
    from sanlab.ladder.ladder import Ladder


def page(one: Ladder) -> str:
    """Return the page; it needs no network and no other file."""
    style = STYLE.read_text(encoding="utf-8")
    lines = heading(one)
    text = "\n".join(ladder_lines(one, with_all=True)[len(lines) + 1 :])
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(one.io)}</title><style>{style}</style></head><body><main>\n"
        f"<h1>{escape(lines[0])}</h1>\n"
        f"{''.join(f'<p>{escape(line)}</p>' for line in lines[1:])}\n"
        f'<div style="overflow-x:auto">{picture(one)}</div>\n'
        f'<h2>Every step</h2>\n<pre style="overflow-x:auto">{escape(text)}</pre>\n'
        "</main></body></html>\n"
    )
