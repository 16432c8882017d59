"""Compared sweeps as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from sanlab.cli.outcome import show_json
from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.compare.sweeps import SweepComparison

#: Most settings that are listed; `--json` has all.
SETTINGS_SHOWN = 60


def show_sweeps(before: str, others: list[str], tolerance: float, *, as_json: bool) -> list[str]:
    """Print sweeps against the first; return their verdicts."""
    from sanlab.compare.sweeps import compare_sweeps
    from sanlab.sweeps.result import Sweep

    first = Sweep.open(before)
    found = [compare_sweeps(first, Sweep.open(other), tolerance) for other in others]
    if as_json:
        show_json({"comparisons": [_document(one) for one in found]})
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


def _document(one: SweepComparison) -> dict[str, Any]:
    return {
        "before": str(one.before.folder),
        "after": str(one.after.folder),
        "verdict": one.verdict,
        "only_before": one.only_before,
        "only_after": one.only_after,
        "settings": [
            {
                "setting": row.setting,
                "verdict": row.verdict,
                "figures": [
                    {
                        "metric": line.metric,
                        "before": None if line.before is None else vars(line.before),
                        "after": None if line.after is None else vars(line.after),
                        "difference": line.difference,
                        "half_width": line.half_width,
                        "verdict": line.verdict,
                    }
                    for line in row.lines
                ],
            }
            for row in one.settings
        ],
    }
