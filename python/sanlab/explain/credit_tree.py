"""Who waits behind whom for BB credit: from the cause of the waits back to the senders."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from sanlab.explain.credit import cause_of_waiting
from sanlab.explain.culprits import SPREADING
from sanlab.explain.view import Evidences
from sanlab.results.ports import WAITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sanlab.explain.credit import Cause
    from sanlab.explain.explanation import Explained
    from sanlab.explain.limit import Limit
    from sanlab.explain.view import View
    from sanlab.explain.window import Window
    from sanlab.results.record import Record

#: What tim_txcrd_z of Brocade switches counts in (Fabric OS Command Reference, `portStatsShow`).
TICK_PS: Final = 2_500_000
#: Kinds of limits whose waits have a tree; short waits of frames for each other have none.
WITH_TREE: Final = tuple(kind for kind in SPREADING if kind != "bursts")


@dataclass(frozen=True)
class Waiting:
    """A port, and those that wait for credit because of it.

    Attributes
    ----------
    port
        Its name.
    share
        Share of the time in which it has frames to send and no BB credit, TxWait in percent.
    ticks
        The same as the counter tim_txcrd_z of its switch; None at a host or an array.
    senders
        Ports that wait because of it, longest wait first.
    """

    port: str
    share: float
    ticks: int | None
    senders: tuple[Waiting, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON shows it."""
        return {
            "port": self.port,
            "credit_wait_share": self.share,
            "tim_txcrd_z": self.ticks,
            "senders": [sender.as_dict() for sender in self.senders],
        }


@dataclass(frozen=True)
class Tree:
    """What waits behind one cause in a part of the run."""

    root: Waiting
    window: Window

    def as_dict(self) -> dict[str, Any]:
        """As JSON shows it."""
        return {
            "from_s": self.window.from_ps / 1e12,
            "to_s": self.window.to_ps / 1e12,
            **self.root.as_dict(),
        }


def trees_of(view: View, causes: Iterable[Cause]) -> list[Waiting]:
    """Join the ways from waiting ports to their causes; one tree for each cause."""
    behind: dict[str, list[str]] = {}
    ends = []
    for cause in causes:
        nodes = list(dict.fromkeys((*cause.path, cause.port)))
        ends.append(nodes[-1])
        for sender, receiver in pairwise(nodes):
            if sender not in behind.setdefault(receiver, []):
                behind[receiver].append(sender)

    def waiting(name: str, above: tuple[str, ...]) -> Waiting:
        row = view.ports.get(name)
        is_switch = row is not None and row["kind"] != "n_port"
        wait = row["tx_credit_wait_ps"] if row else 0
        senders = [
            waiting(sender, (*above, name))
            for sender in behind.get(name, ())
            if sender not in (*above, name)
        ]
        return Waiting(
            name,
            view.credit_wait_share(row) if row else 0.0,
            round(wait / TICK_PS) if is_switch else None,
            tuple(sorted(senders, key=lambda one: (-one.share, one.port))),
        )

    return [waiting(root, ()) for root in dict.fromkeys(ends)]


def trees(run: Record, explained: Iterable[Explained]) -> list[Tree]:
    """Return a tree for each cause of congestion that limits a workload, in their order.

    Of several parts of the run with the same cause, the one with the longest waits is shown.
    """
    evidences = Evidences(run)
    found: dict[str, Tree] = {}
    limits = [limit for one in explained for limit in (one.overall, *one.limits)]
    for limit in dict.fromkeys(_key(limit) for limit in limits if limit.kind in WITH_TREE):
        window, element = limit
        tree = _tree(evidences.view(window), element)
        if tree is None:
            continue
        known = found.get(element)
        if known is None or _longest(tree) > _longest(known.root):
            found[element] = Tree(tree, window)
    return list(found.values())


def _key(limit: Limit) -> tuple[Window, str]:
    return limit.window, limit.element


def _tree(view: View, element: str) -> Waiting | None:
    """The tree of one cause; None if nothing waits behind it."""
    causes = [
        cause
        for row in view.ports.values()
        if view.credit_wait_share(row) >= WAITS
        and (cause := cause_of_waiting(view, row)).port == element
    ]
    found = trees_of(view, causes)
    return next((one for one in found if one.port == element), None)


def _longest(tree: Waiting) -> float:
    return max([tree.share, *(_longest(sender) for sender in tree.senders)])
