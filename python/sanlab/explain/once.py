"""Answers about a run that several questions need, found once for each run."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.results.record import Record

T = TypeVar("T")


def once_for_each_run(question: Callable[[Record], T]) -> Callable[[Record], T]:
    """Keep the answer to a question as long as its run is in use: a run never changes.

    The answer may not refer to the run itself, or neither would ever be freed. Callers share it,
    so they take a copy to change it.
    """
    answers: WeakKeyDictionary[Record, T] = WeakKeyDictionary()

    @wraps(question)
    def answer(run: Record) -> T:
        try:
            return answers[run]
        except KeyError:
            return answers.setdefault(run, question(run))

    return answer
