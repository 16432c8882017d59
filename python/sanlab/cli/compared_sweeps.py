"""Compared sweeps as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sanlab.cli.outcome import show_json
from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.compare.sweeps import SweepComparison

#: Most settings that are listed; `--json` has all.
SETTINGS_SHOWN = 60


def show_sweeps(before: str, others: list[str], tolerance: float, *, as_json: bool) -> list[str]:
    """Print sweeps against the first; return their verdicts."""
    from sanlab.compare.document import sweeps_document
    from sanlab.compare.sweeps import compare_sweeps
    from sanlab.sweeps.result import Sweep

    first = Sweep.open(before)
    found = [compare_sweeps(first, Sweep.open(other), tolerance) for other in others]
    if as_json:
        show_json({"comparisons": [sweeps_document(one) for one in found]})
    else:
        for one in found:
            typer.echo("\n".join(_lines(one)))
    return [one.verdict for one in found]


def _lines(one: SweepComparison) -> list[str]:
    from sanlab.compare.figures import METRICS
    from sanlab.compare.verdict import difference_text

    lines = [f"{one.after.folder} against {one.before.folder}: {one.verdict}", ""]
    names = list(one.settings[0].setting)
    titles = [METRICS[line.metric].title for line in one.settings[0].lines]
    rows = [[*names, *titles, ""]]
    rows += [
        [*map(str, row.setting.values()), *map(difference_text, row.lines), row.verdict]
        for row in one.settings[:SETTINGS_SHOWN]
    ]
    lines += text_table(rows, words={len(rows[0]) - 1})
    more = len(one.settings) - SETTINGS_SHOWN
    lines += [f"and {more} settings more: see --json"] if more > 0 else []
    for count, where in ((one.only_before, "first"), (one.only_after, "second")):
        if count:
            lines.append(f"{count} settings only in the {where}")
    return lines
