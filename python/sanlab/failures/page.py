"""The page of a failure matrix: a row for each failure, a column for each workload."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from sanlab.report.page import REPORT_SCRIPT, STYLE, template
from sanlab.simulation.folder import write_file
from sanlab.words import show_count, show_percent, show_rate, show_time

if TYPE_CHECKING:
    from sanlab.failures.effect import Effect
    from sanlab.failures.matrix import Matrix, Row

_TEMPLATES = Path(__file__).parent / "templates"


def write_page(matrix: Matrix, file: str) -> Path:
    """Write a matrix as one HTML page; return its path."""
    workloads = list(dict.fromkeys(one.workload for row in matrix.rows for one in row.effects))
    singles = [row for row in matrix.rows if not row.is_pair]
    pairs = [row for row in matrix.rows if row.is_pair]
    text = template(_TEMPLATES, "failures.html").render(
        title=matrix.title or "Single failures",
        at=show_time(matrix.at_ps),
        end=show_time(matrix.end_ps),
        timeout=show_time(matrix.timeout_ps),
        is_too_short=matrix.is_too_short,
        workloads=workloads,
        singles=[_cells(row, workloads) for row in singles],
        pairs=[_cells(row, workloads) for row in pairs],
        cards=[
            _card(rows, name) for rows, name in ((singles, "failures"), (pairs, "pairs")) if rows
        ],
        style=Markup(STYLE.read_text(encoding="utf-8")),
        script=Markup(REPORT_SCRIPT.read_text(encoding="utf-8")),
    )
    path = Path(file)
    write_file(path, text)
    return path


def _card(rows: list[Row], name: str) -> dict[str, str]:
    known = [row for row in rows if not row.refusal]
    survived = sum(row.is_survived for row in known)
    return {
        "label": f"{name} survived, with no failed I/O and no host down",
        "value": f"{survived} of {len(known)}",
    }


def _cells(row: Row, workloads: list[str]) -> dict[str, object]:
    effects = {one.workload: one for one in row.effects}
    return {
        "name": row.failure.name,
        "refusal": row.refusal,
        "cells": [_cell(effects.get(workload)) for workload in workloads],
    }


def _cell(one: Effect | None) -> dict[str, str]:
    """State of a workload, as a class of the style, in words, and in detail."""
    if one is None:
        return {"state": "", "word": "–", "detail": ""}
    if not one.is_touched:
        return {"state": "untouched", "word": "does not notice", "detail": show_rate(one.after)}
    details = []
    if one.error_count:
        details.append(f"{show_count(one.error_count)} failed I/Os")
    if one.stall_ps:
        details.append(f"stall of {show_time(one.stall_ps)}")
    if one.host_words:
        details.append(f"worst host {one.host_words}")
    if one.state == "slower" and one.before:
        details.append(f"{show_percent(one.after / one.before)} of the throughput before")
    elif one.state == "as before" and one.recovered_ps:
        details.append(f"back after {show_time(one.recovered_ps)}")
    is_failed = one.error_count or one.hosts_down
    state = "down" if one.state == "down" else "failed" if is_failed else one.state
    return {"state": state.replace(" ", "-"), "word": one.state, "detail": ", ".join(details)}
