"""`sanlab explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sanlab.cli.outcome import JsonOption, outcome, progress, show_json
from sanlab.cli.prose import wrapped
from sanlab.cli.tree_lines import tree_lines
from sanlab.cli.trial_lines import trial_document, trial_lines
from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from sanlab.explain.explanation import Explained
    from sanlab.explain.limit import Limit
    from sanlab.remedies.trial import Trial
    from sanlab.results.run import Run
    from sanlab.results.slowest import SlowIo

#: Most workloads that are listed; `--json` has all.
WORKLOADS_SHOWN = 20
#: Most of the slowest I/Os that are listed; `--json` has all.
SLOWEST_LISTED = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)


def explain(
    folder: Annotated[str, typer.Argument(metavar="RUN", help="A run folder.")],
    is_tried: Annotated[
        bool, typer.Option("--try", help="Simulate remedies and rank what they gain.")
    ] = False,
    workload: Annotated[
        str | None, typer.Option("--workload", metavar="NAME", help="Only this workload.")
    ] = None,
    has_slowest: Annotated[
        bool, typer.Option("--slowest", help="List the slowest I/Os with the time of each stage.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what limits each workload of a run, over the whole run and while something differs.

    With `--try`, remedies that fit the limits are simulated on all cores and compared with the run.
    Results are kept in runs/trials, so an interrupted command goes on.
    """
    with outcome(as_json=as_json):
        from sanlab.explain.credit_tree import trees
        from sanlab.explain.document import workload_document
        from sanlab.explain.explanation import explain as explain_run
        from sanlab.explain.explanation import explain_flows
        from sanlab.explain.findings import find
        from sanlab.results.run import Run
        from sanlab.results.slowest import slowest

        run = Run.open(folder)
        if run.manifest.measured is not None:
            reason = (
                f"{folder} is a measurement: only its I/Os are known, not where their time passes."
                " Simulate the scenario, and compare both with sanlab compare"
            )
            raise SanlabError(reason)
        every = [*explain_run(run), *explain_flows(run)]
        explained = [one for one in every if workload in (None, one.workload)]
        if workload is not None and not explained:
            known = ", ".join(one.workload for one in every)
            reason = f"{folder} has no workload '{workload}'; its workloads are {known}"
            raise SanlabError(reason)
        waiting = trees(run, explained)
        trials = _tried(run, workload) if is_tried else []
        slow = slowest(run, workload) if has_slowest else []
        if as_json:
            document: dict[str, Any] = {"title": run.title, "folder": str(run.folder)}
            documents = [workload_document(one) for one in explained]
            ios = {"slowest": [io.as_dict() for io in slow]} if has_slowest else {}
            document |= {"workloads": documents, "waits": [tree.as_dict() for tree in waiting]}
            show_json(document | {"tried": trial_document(trials)} | ios)
            return
        lines = [line for one in explained[:WORKLOADS_SHOWN] for line in workload_lines(one)]
        if len(explained) > WORKLOADS_SHOWN:
            lines.append(f"and {len(explained) - WORKLOADS_SHOWN} workloads more: see --json")
        others = [
            finding
            for finding in find(run)
            if finding.severity == "problem" and not finding.id.startswith("limit_")
        ]
        lines += [f"{finding.title}. {finding.detail}".strip() for finding in others]
        lines = [part for line in lines for part in wrapped(line)]
        lines += tree_lines(waiting)
        lines += trial_lines(trials)
        lines += _slowest_lines(slow) if has_slowest else []
        typer.echo("\n".join(lines or ["This run has no workload and no plain frames to explain."]))


def _slowest_lines(slow: list[SlowIo]) -> list[str]:
    """The slowest I/Os as a table; `sanlab ladder` takes their places in it."""
    from sanlab.cli.text_table import text_table
    from sanlab.words import show_bytes, show_time

    if not slow:
        return ["", "No I/O completed in the measured window."]
    header = ["", "workload", "op", "start", "response", "size", "host", "LUN", "most of it"]
    rows = [
        [
            str(io.rank),
            *(io.workload, io.op, show_time(io.start_ps), show_time(io.response_ps)),
            *(show_bytes(io.bytes), io.host, io.lun, io.where(3)),
        ]
        for io in slow[:SLOWEST_LISTED]
    ]
    lines = ["", "The slowest I/Os:", *text_table([header, *rows], words={1, 2, 6, 7, 8})]
    if len(slow) > SLOWEST_LISTED:
        lines.append(f"and {len(slow) - SLOWEST_LISTED} more: see --json")
    return lines


def _tried(run: Run, workload: str | None) -> list[Trial]:
    from sanlab.remedies.trial import try_remedies
    from sanlab.simulation.folder import DEFAULT_PARENT

    return try_remedies(
        run,
        workload=workload,
        cache=DEFAULT_PARENT / "trials",
        on_done=progress(lambda done, count: f"{done} of {count} simulations"),
    )


def workload_lines(one: Explained) -> list[str]:
    """What limits a workload, as lines of text."""
    from sanlab.results.columns import stage_name
    from sanlab.words import show_percent, show_time

    overall = one.overall
    lines = [f"{overall.headline}."]
    lines += [f"  {part}" for part in (overall.detail, _remedy(overall)) if part]
    if one.domains:
        shares = ", ".join(f"{name} {show_percent(share)}" for name, share in one.domains.items())
        stages = ", ".join(
            f"{stage_name(stage)} {show_percent(share)}"
            for stage, share in list(one.stages.items())[:4]
        )
        lines.append(f"  response time: {shares}; most of it: {stages}")
    if len(one.limits) > 1:
        for limit in one.limits:
            span = f"{show_time(limit.window.from_ps)} to {show_time(limit.window.to_ps)}"
            after = f" ({limit.window.begins_with})" if limit.window.begins_with else ""
            lines.append(f"  {span}{after}: {_short(limit)}")
    return lines


def _short(limit: Limit) -> str:
    """The limit without the name of the workload."""
    if limit.kind == "offered_load":
        return "nothing limits it"
    if limit.kind == "outstanding":
        return "nothing is saturated"
    return f"{limit.sentence}{limit.shared}"


def _remedy(limit: Limit) -> str:
    return f"Not tried: {limit.remedy}." if limit.remedy else ""
