"""The public `Run`: a finished run and the questions that can be asked of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sanlab.results.run import Run as FinishedRun
from sanlab.results.run import run as simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sanlab.compare.comparison import Comparison
    from sanlab.explain.explanation import Explained
    from sanlab.explain.findings.finding import Finding
    from sanlab.ladder.ladder import Ladder
    from sanlab.remedies.trial import Trial
    from sanlab.results.slowest import SlowIo
    from sanlab.results.steady import Steady
    from sanlab.scenario.scenario import Scenario

#: Most workloads that a notebook shows.
_SHOWN = 20


class Run(FinishedRun):
    """A run folder with all that can be asked of it; a notebook shows its figures.

    Examples
    --------
    >>> run = Run.open("runs/first-san")  # doctest: +SKIP
    >>> run.explain()[0].overall.title  # doctest: +SKIP
    'database is limited by the link from sw1.e0 to sw2.e0 (8GFC), busy 100 % of the time'
    """

    @classmethod
    def open(cls, folder: str | Path) -> Run:
        """Open a run folder; raises a SanlabError where it is none, or a newer sanlab wrote it."""
        base = FinishedRun.open(folder)
        return cls(base.folder, base.manifest)

    def explain(self) -> list[Explained]:
        """Return what limits each workload, in the order of the scenario."""
        from sanlab.explain.explanation import explain

        return explain(self)

    def slowest(self, workload: str | None = None) -> list[SlowIo]:
        """Return the slowest I/Os of all workloads or of one, with the time of every stage."""
        from sanlab.results.slowest import slowest

        return slowest(self, workload)

    def ladder(self, io: str | None = None, rank: int = 1) -> Ladder:
        """Return one I/O step by step; the run is simulated again up to its end.

        Parameters
        ----------
        io
            `JOB#NUMBER`; without it the I/O at place `rank` among the slowest.

        Raises
        ------
        SanlabError
            The run has no such I/O, or this version of sanlab simulates it differently.
        """
        from sanlab.ladder.ladder import ladder

        return ladder(self, io=io, rank=rank)

    def findings(self) -> list[Finding]:
        """Return the findings of the report, problems first."""
        from sanlab.explain.findings import find

        return find(self)

    def steady(self, workload: str | None = None) -> Steady | None:
        """Return the steady part of the run with the intervals of its means.

        None where there are no means to be sure of; see `sanlab.results.steady.steady`.
        """
        from sanlab.results.steady import steady

        return steady(self, workload)

    def compare(self, after: FinishedRun, tolerance: float | None = None) -> Comparison:
        """Compare another run with this one.

        Parameters
        ----------
        tolerance
            Relative difference up to which figures are the same; 2 % by default.

        Raises
        ------
        SanlabError
            One was stopped before its end, or they have no workload in common.
        """
        from sanlab.compare.comparison import compare
        from sanlab.compare.verdict import TOLERANCE

        return compare(self, after, TOLERANCE if tolerance is None else tolerance)

    def try_remedies(self, workload: str | None = None, cache: Path | None = None) -> list[Trial]:
        """Simulate the changes that fit what limits the workloads; see `sanlab explain --try`.

        Raises
        ------
        SanlabError
            The run has no scenario, was stopped early, or has no such workload.
        """
        from sanlab.remedies.trial import try_remedies

        return try_remedies(self, workload=workload, cache=cache)

    def report(self) -> Path:
        """Write `report.html` into the folder; return its path."""
        from sanlab.report.build import build

        return Path(build(self))

    def _repr_html_(self) -> str:
        """Figures and limits of each workload, for notebooks."""
        from markupsafe import escape

        from sanlab.compare.figures import figures, show_figure

        metrics = ("iops", "throughput", "mean", "p99")
        names = dict.fromkeys(row["workload"] for row in self.rows("workloads"))
        limits = {one.workload: one.overall.headline for one in self.explain()}
        rows = []
        for name in list(names)[:_SHOWN]:
            found = figures(self, name)
            cells = [name]
            cells += [show_figure(one, found.get(one), is_relative=False) for one in metrics]
            cells.append(limits.get(name, ""))
            rows.append("".join(f"<td>{escape(cell)}</td>" for cell in cells))
        titles = ("workload", "IOPS", "throughput", "mean response", "p99", "limit")
        head = "".join(f"<th>{title}</th>" for title in titles)
        more = len(names) - _SHOWN
        rest = f"<p>and {more} workloads more</p>" if more > 0 else ""
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return (
            f"<b>{escape(self.title or self.folder.name)}</b>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"
        )


def run(
    source: str | Path | Scenario,
    *,
    overrides: Mapping[str, object] | None = None,
    folder: str | Path | None = None,
    seed: int | None = None,
    show_progress: bool = False,
) -> Run:
    """Simulate a scenario, write its run folder and open it.

    Parameters
    ----------
    source
        A scenario file, or a scenario made in Python.
    overrides
        Values that replace those of the file, by path: `{"workloads.readers.iodepth": 32}`.
    folder
        Run folder to write; it must not exist yet. Default: `runs/` and the name of the file.
    seed
        Replaces the seed of the scenario.
    show_progress
        Draw a progress line on standard error, if that is a terminal.

    Examples
    --------
    >>> import sanlab
    >>> run = sanlab.run("examples/hello-san/scenario.yaml")  # doctest: +SKIP
    >>> run.summary()["throughput_bytes_per_s"]  # doctest: +SKIP
    """
    done = simulate(
        source, overrides=overrides, folder=folder, seed=seed, show_progress=show_progress
    )
    return Run(done.folder, done.manifest)
