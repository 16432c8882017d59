"""`sanlab compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sanlab.cli.compared_parts import show_parts
from sanlab.cli.compared_sweeps import show_sweeps
from sanlab.cli.outcome import JsonOption, outcome, show_json
from sanlab.cli.prose import wrapped
from sanlab.cli.text_table import text_table
from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from sanlab.compare.comparison import Comparison
    from sanlab.compare.verdict import Line

EXIT_WORSE = 3
#: Most differences of scenarios that are listed.
CHANGES_SHOWN = 20
#: Most workloads that are listed.
WORKLOADS_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)


def compare(
    before: Annotated[
        str, typer.Argument(metavar="RUN", help="A run folder, or the folder of a sweep.")
    ],
    others: Annotated[
        list[str] | None, typer.Argument(metavar="OTHER", help="Folders to compare with it.")
    ] = None,
    cuts: Annotated[
        list[str] | None,
        typer.Option("--at", metavar="TIME", help="Of one run: a part begins here; repeatable."),
    ] = None,
    tolerance: Annotated[
        str, typer.Option("--tolerance", help="Difference up to which figures are the same.")
    ] = "2%",
    page: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Also write one HTML page.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare runs or sweeps with the first: what differs in the scenario, then in the figures.

    A figure is better or worse if the difference is larger than its 95 % confidence interval and
    than the tolerance. Exit code 3 means that one is worse than the first.

    Runs with events, such as faults, are also compared before, during and after them, with the
    longest stall of each.

    One run alone is cut into parts, before, during and after each fault, job, phase and full cache,
    or at the times of `--at`; its parts stand side by side.
    """
    verdicts: list[str] = []
    with outcome(as_json=as_json):
        share = _share(tolerance)
        if not others:
            _refuse_page(page)
            if _is_sweep(before):
                reason = f"{before} is a sweep: name another one to compare it with"
                raise SanlabError(reason)
            show_parts(before, cuts or [], as_json=as_json)
        elif cuts:
            reason = "--at cuts one run into parts: leave out the other folders"
            raise SanlabError(reason)
        elif _is_sweep(before):
            _refuse_page(page)
            verdicts = show_sweeps(before, others, share, as_json=as_json)
        else:
            verdicts = _show_runs(before, others, share, page, as_json=as_json)
    if any(verdict in ("worse", "mixed") for verdict in verdicts):
        raise typer.Exit(EXIT_WORSE)


def _share(text: str) -> float:
    from sanlab.quantities import QuantityError, parse_share

    try:
        return parse_share(text) / 1e6
    except QuantityError as error:
        reason = f"--tolerance: {error.reason}. {error.remedy}"
        raise SanlabError(reason) from None


def _is_sweep(folder: str) -> bool:
    return (Path(folder) / "sweep.json").is_file()


def _refuse_page(page: str | None) -> None:
    if page is not None:
        reason = (
            "--html is for several runs; the report of a run and the page of a sweep have plots"
        )
        raise SanlabError(reason)


def _show_runs(
    before: str, others: list[str], share: float, page: str | None, *, as_json: bool
) -> list[str]:
    from sanlab.compare.comparison import compare as compare_runs
    from sanlab.compare.document import comparison_document
    from sanlab.results.run import Run

    first = Run.open(before)
    found = [compare_runs(first, Run.open(other), share) for other in others]
    written = None
    if page is not None:
        from sanlab.compare.page import write_page

        written = write_page(found, page, share)
    if as_json:
        document = {"comparisons": [comparison_document(one) for one in found]}
        show_json(document | ({} if written is None else {"page": str(written)}))
    else:
        for one in found:
            typer.echo("\n".join(_lines(one)))
        if written is not None:
            typer.echo(f"page: {written}")
    return [one.verdict for one in found]


def _lines(one: Comparison) -> list[str]:
    lines = [f"{one.after.folder} against {one.before.folder}: {one.verdict}"]
    lines += ["", *(_change_lines(one) or ["The scenarios are the same."]), ""]
    lines += _table(one.lines)
    for phase in one.phases:
        lines += ["", *wrapped(f"{phase.title}: {phase.verdict}"), *_table(phase.lines)]
    for names, where in ((one.only_before, "before"), (one.only_after, "after")):
        if names:
            lines.append(f"only {where}: {', '.join(names)}")
    return lines


def _table(lines: list[Line]) -> list[str]:
    """Figures side by side, those of each workload under its name."""
    rows = [["", "before", "after", "difference", ""]]
    workload: str | None = ""
    shown = 0
    for line in lines:
        if line.workload != workload:
            workload = line.workload
            shown += 1
            if shown > WORKLOADS_SHOWN + 1:
                rows.append(["more workloads: see --json", "", "", "", ""])
                break
            rows.append([workload or "all workloads", "", "", "", ""])
        rows.append(_row(line))
    return text_table(rows, words={0, 4})


def _change_lines(one: Comparison) -> list[str]:
    shown = [
        f"  {change.path}: {_side(change.before)} -> {_side(change.after)}"
        for change in one.changes[:CHANGES_SHOWN]
    ]
    more = len(one.changes) - CHANGES_SHOWN
    head = ["What differs in the scenario:"] if shown else []
    return [*head, *shown, *([f"  and {more} values more"] if more > 0 else [])]


def _side(value: str | None) -> str:
    return "not set" if value is None else value


def _row(line: Line) -> list[str]:
    from sanlab.compare.figures import METRICS, show
    from sanlab.compare.verdict import difference_text

    write = show(line.metric)
    cells = ["–" if side is None else write(side.value) for side in (line.before, line.after)]
    return [f"  {METRICS[line.metric].title}", *cells, difference_text(line), line.verdict or ""]
