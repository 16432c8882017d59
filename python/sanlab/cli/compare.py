"""`sanlab compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sanlab.cli.outcome import JsonOption, outcome, show_json
from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.compare.figures import Figure
    from sanlab.compare.verdict import Comparison, Line

EXIT_WORSE = 3
#: Most differences of scenarios that are listed.
CHANGES_SHOWN = 20
#: Most workloads that are listed.
WORKLOADS_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)


def compare(
    before: Annotated[str, typer.Argument(metavar="RUN", help="A run folder to compare with.")],
    others: Annotated[list[str], typer.Argument(metavar="RUN...", help="Other run folders.")],
    tolerance: Annotated[
        str, typer.Option("--tolerance", help="Difference up to which figures are the same.")
    ] = "2%",
    page: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Also write one HTML page.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare runs with the first: what differs in the scenario, then in the figures.

    A figure is better or worse if the difference is larger than its 95 % confidence interval and
    than the tolerance. Exit code 3 means that a run is worse than the first.
    """
    with outcome(as_json=as_json):
        from sanlab.compare.verdict import compare as compare_runs
        from sanlab.errors import SanlabError
        from sanlab.quantities import QuantityError, parse_share
        from sanlab.results.run import Run

        try:
            share = parse_share(tolerance) / 1e6
        except QuantityError as error:
            reason = f"--tolerance: {error.reason}. {error.remedy}"
            raise SanlabError(reason) from None
        first = Run.open(before)
        found = [compare_runs(first, Run.open(other), share) for other in others]
        written = None
        if page is not None:
            from sanlab.compare.page import write_page

            written = write_page(found, page, share)
        if as_json:
            document = {"comparisons": [_document(one) for one in found]}
            show_json(document | ({} if written is None else {"page": str(written)}))
        else:
            for one in found:
                typer.echo("\n".join(_lines(one)))
            if written is not None:
                typer.echo(f"page: {written}")
    if any(one.verdict in ("worse", "mixed") for one in found):
        raise typer.Exit(EXIT_WORSE)


def _lines(one: Comparison) -> list[str]:
    lines = [f"{one.after.folder} against {one.before.folder}: {one.verdict}"]
    lines += ["", *(_change_lines(one) or ["The scenarios are the same."]), ""]
    rows = [["", "before", "after", "difference", ""]]
    workload: str | None = ""
    shown = 0
    for line in one.lines:
        if line.workload != workload:
            workload = line.workload
            shown += 1
            if shown > WORKLOADS_SHOWN + 1:
                rows.append(["more workloads: see --json", "", "", "", ""])
                break
            rows.append([workload or "all workloads", "", "", "", ""])
        rows.append(_row(line))
    lines += text_table(rows, words={0, 4})
    for names, where in ((one.only_before, "before"), (one.only_after, "after")):
        if names:
            lines.append(f"only {where}: {', '.join(names)}")
    return lines


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


def _document(one: Comparison) -> dict[str, Any]:
    return {
        "before": str(one.before.folder),
        "after": str(one.after.folder),
        "verdict": one.verdict,
        "changes": [vars(change) for change in one.changes],
        "only_before": one.only_before,
        "only_after": one.only_after,
        "figures": [
            {
                "workload": line.workload,
                "metric": line.metric,
                "before": _figure(line.before),
                "after": _figure(line.after),
                "difference": line.difference,
                "half_width": line.half_width,
                "verdict": line.verdict,
            }
            for line in one.lines
        ],
    }


def _figure(figure: Figure | None) -> dict[str, float | None] | None:
    return None if figure is None else {"value": figure.value, "half_width": figure.half_width}
