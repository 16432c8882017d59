"""Outputs of switches as they arrive: through terminals, logs, mails and other tools.

Each function takes the text of a file and returns what a session or an editor may make of it.
`HARMLESS` lose nothing; `LOSSY` may, so that an import has to say so.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Callable

Mangle = Callable[[str, random.Random], str | bytes]

#: Columns of a terminal.
_WIDTH = 80
_MORE = ("--More--", "--More--(12%)", "-- More --", "Type <CR> to continue, Q<CR> to stop: ")


def crlf(text: str, rng: random.Random) -> str:
    """Return a text as Windows keeps it; some terminals send the carriage return twice."""
    return text.replace("\n", rng.choice(["\r\n", "\r\r\n"]))


def utf16(text: str, rng: random.Random) -> bytes:
    """Return a text as PowerShell redirects it."""
    return text.replace("\n", "\r\n").encode(rng.choice(["utf-16", "utf-16-le", "utf-16-be"]))


def marked(text: str, _: random.Random) -> bytes:
    """Return a text with the mark of UTF-8, as an editor saves it."""
    return b"\xef\xbb\xbf" + text.encode()


def colours(text: str, rng: random.Random) -> str:
    """Put codes of a terminal before and behind some lines."""
    codes = ["\x1b[0m", "\x1b[1;32m", "\x1b[K", "\x1b[?2004h", "\x1b[2J\x1b[H", "\x1b]0;sw1\x07"]
    return "\n".join(
        rng.choice(codes) + line + "\x1b[0m" if rng.random() < 0.3 else line
        for line in text.split("\n")
    )


def pager(text: str, rng: random.Random) -> str:
    """Put prompts of a pager between the lines, erased by the terminal or left there."""
    lines = []
    for line in text.split("\n"):
        if rng.random() < 0.05:
            word = rng.choice(_MORE)
            erased = len(word) * "\b" + len(word) * " " + len(word) * "\b"
            gone = [erased, "\r" + len(word) * " " + "\r", "\n", "\x1b[K\r"]
            lines.append(word + rng.choice(gone) + line)
        else:
            lines.append(line)
    return "\n".join(lines)


def stamped(text: str, rng: random.Random) -> str:
    """Put the time of a log before each line."""
    form = rng.choice(
        [
            "[2026-03-04 10:11:{s:02d}] ",
            "2026-03-04 10:11:{s:02d}.123 ",
            "2026-03-04T10:11:{s:02d}Z ",
            "Mar  4 10:11:{s:02d} ",
            "10:11:{s:02d} ",
            "[10:11:{s:02d}] ",
        ]
    )
    lines = text.rstrip("\n").split("\n")
    return "".join(f"{form.format(s=n % 60)}{line}\n" for n, line in enumerate(lines))


def indented(text: str, rng: random.Random) -> str:
    """Return a text as a mail or a ticket quotes it."""
    sign = rng.choice(["> ", "    ", "\t", "| "])
    return "\n".join(sign + line for line in text.split("\n"))


def blank_lines(text: str, rng: random.Random) -> str:
    """Put empty lines between all lines, as a copy out of a web page has them."""
    return text.replace("\n", rng.choice(["\n\n", " \n", "\n\n\n"]))


def banners(text: str, rng: random.Random) -> str:
    """Put what a session says of itself around a text."""
    first = rng.choice(
        [
            "=~=~=~=~=~=~=~=~=~= PuTTY log 2026.03.04 10:11:12 =~=~=~=~=~=~=~=~=~=\n",
            "login as: admin\nadmin@192.0.2.1's password:\nLast login: Wed Mar  4 10:11:12 2026\n",
            "Script started on 2026-03-04 10:11:12+00:00\n",
            "************\n* Authorised use only *\n************\nUsing keyboard-interactive\n",
        ]
    )
    return f"{first}{text}\nexit\nConnection to 192.0.2.1 closed.\n"


def glued(text: str, rng: random.Random) -> str:
    """Lose the ends of lines before prompts, or add prompts without a command."""
    prompts = re.compile(r"\n(?=\S+[>#] ?\S)")
    return prompts.sub(lambda _: rng.choice(["\n", "\n\n"]), text) + "\n"


def wrapped(text: str, rng: random.Random) -> str:
    """Break lines at the edge of a terminal, in the middle of words."""
    width = rng.choice([_WIDTH, 72, 100, 132])
    lines = []
    for line in text.split("\n"):
        lines += [line[at : at + width] for at in range(0, max(len(line), 1), width)]
    return "\n".join(lines)


def filled(text: str, rng: random.Random) -> str:
    """Break lines between words, as a mail does."""
    width = rng.choice([_WIDTH, 72, 100])
    return "\n".join(
        "\n".join(textwrap.wrap(line, width, drop_whitespace=True, subsequent_indent="")) or ""
        for line in text.split("\n")
    )


def cut(text: str, rng: random.Random) -> str:
    """Lose the end, or the beginning."""
    at = rng.randrange(len(text))
    return text[:at] if rng.random() < 0.7 else text[at:]


def torn(text: str, rng: random.Random) -> str:
    """Lose some lines in the middle."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    return "\n".join(lines[:at] + lines[at + rng.randrange(1, 20) :])


def noisy(text: str, rng: random.Random) -> str:
    """Put messages of a log between lines, and change some letters."""
    lines = []
    for line in text.split("\n"):
        if rng.random() < 0.02:
            lines.append("2026 Mar  4 10:11:12 sw1 %PORT-5-IF_UP: Interface fc1/1 is up in mode F")
        lines.append(line)
    joined = "\n".join(lines)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(joined))
        joined = joined[:at] + rng.choice("0f:z ,;\n\t[é") + joined[at + 1 :]
    return joined


HARMLESS: dict[str, Mangle] = {
    function.__name__: function
    for function in (
        *(crlf, utf16, marked, colours, pager, stamped, blank_lines, banners, glued, indented),
    )
}
LOSSY: dict[str, Mangle] = {
    function.__name__: function for function in (wrapped, filled, cut, torn, noisy)
}
