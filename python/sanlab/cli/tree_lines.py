"""The tree of waits for credit as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sanlab.cli.text_table import text_table
from sanlab.words import show_count, show_percent, show_time

if TYPE_CHECKING:
    from sanlab.explain.credit_tree import Tree, Waiting

#: Senders behind one port that are listed; `--json` has all.
SENDERS_SHOWN: Final = 8


def tree_lines(trees: list[Tree]) -> list[str]:
    """Return each tree with the counters of its ports, and their meaning once."""
    lines: list[str] = []
    for tree in trees:
        span = ""
        if not tree.window.is_whole:
            begin, end = show_time(tree.window.from_ps), show_time(tree.window.to_ps)
            span = f" from {begin} to {end}"
        rows = [["  port", "no credit", "tim_txcrd_z"], *_rows(tree.root, "  ", "  ")]
        lines += ["", f"Ports that wait for {tree.root.port}{span}, back to the senders:"]
        lines += text_table(rows, words={0})
    if lines:
        lines += [
            "  no credit: share of the time with frames to send and no BB credit (TxWait)",
            "  tim_txcrd_z: the same as a switch counts it for its ports, in ticks of 2.5 µs",
        ]
    return lines


def _rows(node: Waiting, first: str, further: str) -> list[list[str]]:
    """A row for each port, drawn as a tree; `first` stands before it, `further` below it."""
    share = show_percent(node.share) if node.share else ""
    ticks = "" if node.ticks is None or not node.share else show_count(node.ticks)
    rows = [[f"{first}{node.port}", share, ticks]]
    shown = node.senders[:SENDERS_SHOWN]
    more = len(node.senders) - len(shown)
    for place, sender in enumerate(shown):
        is_last = place == len(shown) - 1 and not more
        branch, below = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        rows += _rows(sender, further + branch, further + below)
    if more:
        rows.append([f"{further}└─ {more} more", "", ""])
    return rows
