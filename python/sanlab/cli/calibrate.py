"""`sanlab calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sanlab.cli.outcome import FileArgument, JsonOption, outcome, progress, show_json
from sanlab.cli.text_table import text_table

if TYPE_CHECKING:
    from sanlab.calibration.fit import Fit

#: Correlation from which two parameters are hard to distinguish.
ALIKE = 0.95


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(calibrate)


def calibrate(
    file: FileArgument,
    to: Annotated[
        list[str], typer.Option("--to", metavar="RUN", help="A run to fit to; repeatable.")
    ],
    free: Annotated[
        list[str],
        typer.Option(
            "--free",
            metavar="PATH[=LOW..HIGH],...",
            help="Values to fit, with bounds or around today's value; repeatable.",
        ),
    ],
    checks: Annotated[
        list[str] | None,
        typer.Option("--check", metavar="RUN", help="A run that is only predicted; repeatable."),
    ] = None,
    figures: Annotated[
        str, typer.Option("--figures", help="Figures of each workload to fit.")
    ] = "throughput,mean",
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the values as YAML."),
    ] = None,
    catalog_entry: Annotated[
        str | None,
        typer.Option(
            "--catalog-entry",
            metavar="FILE",
            help="Write the fitted arrays and switches as entries of the catalog.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite those files.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Fit values of a scenario to measured runs, and predict runs that were left out.

    Each run says by its `--set` values which point of the scenario it is. Simulations are kept in
    runs/trials, so an interrupted fit goes on.
    """
    with outcome(as_json=as_json):
        from sanlab.calibration.catalog_entry import catalog_entries, refuse_others
        from sanlab.calibration.fit import Question
        from sanlab.calibration.fit import calibrate as fit_now
        from sanlab.calibration.free import read_free
        from sanlab.compare.figures import METRICS
        from sanlab.errors import SanlabError
        from sanlab.results.run import Run
        from sanlab.scenario.load import read_text
        from sanlab.simulation.folder import DEFAULT_PARENT, require_free

        metrics = [name.strip() for name in figures.split(",") if name.strip()]
        unknown = [name for name in metrics if name not in METRICS]
        if unknown or not metrics:
            reason = f"--figures {figures}: figures are {', '.join(METRICS)}"
            raise SanlabError(reason)
        scenario = read_text(Path(file))
        question = Question(
            scenario,
            [Run.open(folder) for folder in to],
            read_free(free, scenario, file),
            [Run.open(folder) for folder in checks or []],
            metrics,
        )
        for name in filter(None, (output, catalog_entry)):
            require_free(Path(name), force=force)
        if catalog_entry is not None:
            refuse_others(parameter.path for parameter in question.parameters)
        fit = fit_now(
            question,
            cache=DEFAULT_PARENT / "trials",
            on_round=progress(lambda rounds: f"round {rounds}"),
        )
        written = {} if output is None else {output: _yaml(fit)}
        if catalog_entry is not None:
            names = [Path(folder).name for folder in to]
            written[catalog_entry] = catalog_entries(question.scenario, fit, names)
        for name, text in written.items():
            from sanlab.cli.new import write_new

            write_new(Path(name), text, force=force)
        if as_json:
            show_json(_document(fit))
        else:
            typer.echo("\n".join([*_lines(fit), *(f"written {name}" for name in written)]))


def _lines(fit: Fit) -> list[str]:
    from sanlab.compare.figures import METRICS, show

    rows = [["value", "fitted", "95 % interval", ""]]
    for one in fit.parameters:
        interval = "not known" if one.low is None else f"{one.low} to {one.high}"
        notes = [] if one.is_known else ["the runs cannot tell it"]
        notes += [f"at its {one.bound} bound"] if one.is_at_bound else []
        rows.append([one.parameter.path, one.value, interval, ", ".join(notes)])
    lines = [*text_table(rows, words={0, 3}), ""]
    for one in fit.parameters:
        low, high = one.parameter.ends
        if one.parameter.reason:
            lines.append(f"{one.parameter.path}: bounds {low} to {high}, {one.parameter.reason}")
        if one.is_at_bound:
            lines.append(
                f"{one.parameter.path} ends at the {one.bound} bound of {low} to {high}. A better "
                f"value may be beyond it: give --free {one.parameter.path}=LOW..HIGH"
            )
    for first, second, correlation in fit.correlations:
        if abs(correlation) >= ALIKE:
            lines.append(
                f"{first} and {second} are hard to distinguish (correlation {correlation:+.2f})"
            )
    table = [["run", "workload", "figure", "run's", "simulated", "difference", ""]]
    for row in fit.rows:
        write = show(row.metric)
        table.append(
            [
                row.run,
                row.workload,
                METRICS[row.metric].title,
                write(row.measured),
                write(row.simulated),
                f"{100 * row.difference:+.1f} %",
                "" if row.is_fitted else "predicted",
            ]
        )
    lines += text_table(table, words={0, 1, 2, 6})
    for is_fitted, words in ((True, "fitted"), (False, "predicted")):
        own = [abs(row.difference) for row in fit.rows if row.is_fitted == is_fitted]
        if own:
            lines.append(
                f"{words}: {100 * sum(own) / len(own):.1f} % off on average, {100 * max(own):.1f} %"
                " at most"
            )
    sets = " ".join(f"--set '{path}={value}'" for path, value in fit.overrides.items())
    return [*lines, f"to apply: {sets}"]


def _yaml(fit: Fit) -> str:
    lines = ["# Values fitted by sanlab calibrate, by path, as --set takes them."]
    for one in fit.parameters:
        interval = "" if one.low is None else f"  # {one.low} to {one.high} with 95 % confidence"
        lines.append(f"{one.parameter.path}: {one.value}{interval}")
    return "\n".join(lines) + "\n"


def _document(fit: Fit) -> dict[str, Any]:
    return {
        "parameters": [
            {
                "path": one.parameter.path,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "is_known": one.is_known,
                "is_at_bound": one.is_at_bound,
                "bounds": list(one.parameter.ends),
                "bounds_from": one.parameter.reason or "--free",
            }
            for one in fit.parameters
        ],
        "correlations": [
            {"paths": [first, second], "correlation": value}
            for first, second, value in fit.correlations
        ],
        "rows": [vars(row) | {"difference": row.difference} for row in fit.rows],
        "simulations": fit.evaluations,
    }
