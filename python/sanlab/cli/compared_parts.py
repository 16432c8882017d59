"""Parts of one run as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from sanlab.cli.outcome import parsed, show_json
from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.compare.parts import Part, PartsOfWorkload

#: Most workloads that are listed; `--json` has all.
WORKLOADS_SHOWN = 20


def show_parts(folder: str, cuts: list[str], *, as_json: bool) -> None:
    """Print the parts of a run side by side."""
    from sanlab.compare.parts import parts
    from sanlab.quantities import parse_time
    from sanlab.results.run import Run

    run = Run.open(folder)
    found = parts(run, [parsed("--at", text, parse_time) for text in cuts])
    if as_json:
        show_json({"folder": str(run.folder), "workloads": [_document(one) for one in found]})
        return
    lines = _windows(found[0].parts)
    for one in found[:WORKLOADS_SHOWN]:
        lines += ["", one.workload, *_table(one)]
    if len(found) > WORKLOADS_SHOWN:
        lines.append(f"and {len(found) - WORKLOADS_SHOWN} workloads more: see --json")
    typer.echo("\n".join(lines))


def _windows(parts: list[Part]) -> list[str]:
    """The times of the parts, and what they begin with."""
    from sanlab.words import show_time

    rows = [
        [
            f"part {number}",
            f"{show_time(part.window.from_ps)} to {show_time(part.window.to_ps)}",
            part.window.begins_with,
        ]
        for number, part in enumerate(parts, 1)
    ]
    return text_table(rows, words={0, 1, 2})


def _table(one: PartsOfWorkload) -> list[str]:
    """Figures as rows, parts as columns; then what limits the workload in each."""
    from sanlab.compare.figures import METRICS, show_figure
    from sanlab.compare.parts import PART_METRICS

    rows = [["", *(f"part {number}" for number in range(1, len(one.parts) + 1))]]
    for metric in PART_METRICS:
        cells = [
            show_figure(metric, part.figures.get(metric), is_relative=True) for part in one.parts
        ]
        rows.append([f"  {METRICS[metric].title}", *cells])
    lines = text_table(rows, words={0})
    for number, part in enumerate(one.parts, 1):
        if part.limit:
            lines.append(f"  part {number}: {part.limit}")
    return lines


def _document(one: PartsOfWorkload) -> dict[str, Any]:
    return {
        "workload": one.workload,
        "parts": [
            {
                "from_s": part.window.from_ps / 1e12,
                "to_s": part.window.to_ps / 1e12,
                "begins_with": part.window.begins_with,
                "limit": part.limit,
                "figures": {metric: vars(figure) for metric, figure in part.figures.items()},
            }
            for part in one.parts
        ],
    }
