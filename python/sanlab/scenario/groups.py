"""Names, and groups of names: `host[1..4]` stands for host1, host2, host3, host4."""

from __future__ import annotations

import re
from itertools import product

#: Names one group may stand for.
MAX_GROUP = 100_000

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
#: The brackets of a group.
GROUP = re.compile(r"\[([^\[\]]*)\]")
#: A range within them.
RANGE = re.compile(r"([0-9]{1,18})\.\.([0-9]{1,18})")


class GroupError(ValueError):
    """A name or a group that cannot be read."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{reason}. {remedy}")


def expand(text: str) -> list[str]:
    """Names a pattern stands for, in order; the last group varies fastest.

    A group is a list of numbers and ranges, `[1..4]`, `[1,3]`, `[1..4,9]`. A leading zero is
    kept: `[01..10]`.

    >>> expand("dev[1..2].lun[1,4]")
    ['dev1.lun1', 'dev1.lun4', 'dev2.lun1', 'dev2.lun4']
    """
    if "[" not in text and "]" not in text:
        return [text]
    pieces = GROUP.split(text)
    if any("[" in piece or "]" in piece for piece in pieces):
        raise GroupError(
            reason=f"The brackets in '{text}' do not match", remedy="Write a group as host[1..4]"
        )
    choices = [_members(piece, text) if odd % 2 else [piece] for odd, piece in enumerate(pieces)]
    total = 1
    for choice in choices:
        total *= len(choice)
    if total > MAX_GROUP:
        raise GroupError(
            reason=f"'{text}' stands for {total} names, and {MAX_GROUP} is the limit",
            remedy="Write a smaller group",
        )
    return ["".join(parts) for parts in product(*choices)]


def expand_names(text: str) -> list[str]:
    """Return the names a definition stands for; each must be a word."""
    names = expand(text)
    for name in names:
        if not NAME.fullmatch(name):
            raise GroupError(
                reason=f"'{name}' cannot be a name",
                remedy="A name starts with a letter, followed by letters, digits, '_' and '-'; "
                "a group is written host[1..4]",
            )
    return names


def _members(group: str, text: str) -> list[str]:
    members: list[str] = []
    for part in group.split(","):
        piece = part.strip()
        found = RANGE.fullmatch(piece)
        if found is None:
            if not (piece.isascii() and piece.isdigit()):
                raise GroupError(
                    reason=f"'[{group}]' in '{text}' is not a group of numbers",
                    remedy="Write a range with two dots, host[1..4], a list, host[1,3], or "
                    "host[1..N] with 'counts: {N: 4}'",
                )
            members.append(piece)
            continue
        first, last = int(found[1]), int(found[2])
        if last < first:
            raise GroupError(
                reason=f"The range '{piece}' in '{text}' runs backwards",
                remedy=f"Write [{last}..{first}]",
            )
        if last - first >= MAX_GROUP:
            raise GroupError(
                reason=f"'{text}' stands for more than {MAX_GROUP} names",
                remedy="Write a smaller group",
            )
        width = len(found[1]) if found[1].startswith("0") else 0
        members.extend(f"{number:0{width}d}" for number in range(first, last + 1))
    return members
