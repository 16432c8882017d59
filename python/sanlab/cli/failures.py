"""`sanlab failures`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.outcome import (
    ClusterOption,
    FileArgument,
    JsonOption,
    SetOption,
    outcome,
    progress,
    show_json,
)
from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.failures.effect import Effect
    from sanlab.failures.matrix import Matrix, Row


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("failures")(failures)


def failures(
    file: FileArgument,
    sets: SetOption = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            help="Only link, member, switch, module, hba, controller or drive; repeatable.",
        ),
    ] = None,
    with_pairs: Annotated[
        bool, typer.Option("--pairs", help="Also every two at once that are survived alone.")
    ] = False,
    page: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Also write one HTML page.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="DIR", help="Results so far; default runs/failures."),
    ] = None,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate every single failure of a scenario; print what each does to the workloads.

    Each failure comes after 30 % of the run and lasts to its end; `--set measure.duration=60s`
    makes runs long enough for the time-outs of hosts. Results are kept, so an interrupted matrix
    goes on.
    """
    with outcome(as_json=as_json):
        from sanlab.failures.document import matrix_document
        from sanlab.failures.matrix import Wanted, failure_matrix
        from sanlab.scenario.overrides import parse_assignment
        from sanlab.simulation.folder import DEFAULT_PARENT
        from sanlab.trials.places import place_at

        with place_at(cluster) as place:
            matrix = failure_matrix(
                Path(file),
                overrides=dict(parse_assignment(text) for text in sets or []),
                wanted=Wanted(tuple(kinds or ()), with_pairs),
                cache=Path(out) if out else DEFAULT_PARENT / "failures",
                on_row=progress(lambda done, count: f"{done} of {count} failures"),
                place=place,
            )
        written = None
        if page is not None:
            from sanlab.failures.page import write_page

            written = write_page(matrix, page)
        if as_json:
            show_json(matrix_document(matrix) | ({} if written is None else {"page": str(written)}))
        else:
            typer.echo("\n".join([*_lines(matrix), *([f"page {written}"] if written else [])]))


def _lines(matrix: Matrix) -> list[str]:
    from sanlab.words import show_time

    begin, end = show_time(matrix.at_ps), show_time(matrix.end_ps)
    lines = [f"{matrix.title or 'Single failures'}: each at {begin} of {end}, for good", ""]
    head = [
        *("failure", "workload", "failed", "stall", "worst host"),
        *("before", "after", "back after", "at the end"),
    ]
    table = [head]
    quiet = []
    for row in matrix.rows:
        if row.is_pair and row.is_survived:
            continue
        touched = [effect for effect in row.effects if effect.is_touched]
        if not touched and not row.refusal:
            quiet.append(row.failure.name)
        table += [_cells(row, effect) for effect in touched]
    if len(table) > 1:
        lines += _without_empty(table)
    if quiet:
        lines.append(f"no workload notices: {', '.join(quiet)}")
    lines += [
        f"not simulated: {row.failure.name}: {row.refusal}" for row in matrix.rows if row.refusal
    ]
    if matrix.is_too_short:
        lines.append(
            f"Note: the runs end {show_time(matrix.end_ps - matrix.at_ps)} after the failure, and"
            f" hosts wait up to {show_time(matrix.timeout_ps)} for a path or a command. Add --set"
            f" measure.duration={_duration(matrix)}"
        )
    for rows, word in (
        ([row for row in matrix.rows if not row.is_pair], ""),
        ([row for row in matrix.rows if row.is_pair], " pairs"),
    ):
        fatal = [row.failure.name for row in rows if not row.is_survived]
        known = [row for row in rows if not row.refusal]
        if rows:
            survived = f"{len(known) - len(fatal)} of {len(known)}{word}"
            lines.append(f"survived, with no failed I/O and no host down: {survived}")
        if fatal and not word:
            lines.append(f"not survived: {', '.join(fatal)}")
    return lines


def _without_empty(table: list[list[str]]) -> list[str]:
    """The table; without the column of hosts where each workload has one, or none stood still."""
    place, words = table[0].index("worst host"), {0, 1, 4, 8}
    if all(row[place] == "–" for row in table[1:]):
        table = [[*row[:place], *row[place + 1 :]] for row in table]
        words = {0, 1, 7}
    return text_table(table, words=words)


def _duration(matrix: Matrix) -> str:
    """A duration that is long enough, in whole seconds."""
    share = 1 - matrix.at_ps / matrix.end_ps
    return f"{-(-2 * matrix.timeout_ps // int(share * 1e12))}s"


def _cells(row: Row, effect: Effect) -> list[str]:
    from sanlab.words import show_count, show_rate, show_time

    back = "not" if effect.recovered_ps is None else show_time(effect.recovered_ps)
    return [
        row.failure.name,
        effect.workload,
        show_count(effect.error_count),
        show_time(effect.stall_ps) if effect.stall_ps else "–",
        effect.host_words or "–",
        show_rate(effect.before),
        show_rate(effect.after),
        back,
        effect.state,
    ]
