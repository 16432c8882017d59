"""A finished run: its manifest, its plan, its tables."""

from __future__ import annotations

import difflib
import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from sanlab.errors import SanlabError
from sanlab.plan.defaults import LATEST_END_PS
from sanlab.simulation import folder as run_folder
from sanlab.simulation.execute import execute, prepare
from sanlab.simulation.folder import PLAN
from sanlab.simulation.manifest import FORMAT, Manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from sanlab.scenario.scenario import Scenario


#: What to do about a folder that is damaged.
_AGAIN = "Run its scenario again"


class Run:
    """One run folder; its parts are read on first use.

    Examples
    --------
    >>> run = Run.open("runs/first-san")  # doctest: +SKIP
    >>> run.summary()["iops"]  # doctest: +SKIP
    20143.5
    >>> run.table("ports").column_names[:3]  # doctest: +SKIP
    ['port', 'node', 'kind']
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._tables: dict[str, pa.Table] = {}
        self._rows: dict[str, list[dict[str, Any]]] = {}

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"

    @classmethod
    def open(cls, folder: str | Path) -> Run:
        """Open a run folder.

        Raises
        ------
        SanlabError
            The folder is not a run folder, or a newer sanlab wrote it.
        """
        folder = Path(folder)
        try:
            text = (folder / "manifest.json").read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            reason = (
                f"{folder} is not a run folder: it has no manifest.json. `sanlab run` makes one"
            )
            raise SanlabError(reason) from None
        except OSError as error:
            reason = f"{folder / 'manifest.json'} cannot be read: {error.strerror}. {_AGAIN}"
            raise SanlabError(reason) from None
        try:
            manifest = Manifest.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(step) for step in first["loc"])
            told = f"{place}: {first['msg']}" if place else first["msg"]
            reason = f"{folder / 'manifest.json'} is damaged: {told}. {_AGAIN}"
            raise SanlabError(reason) from None
        if manifest.format > FORMAT:
            reason = (
                f"{folder} was written by sanlab {manifest.sanlab_version}. Use that or a newer one"
            )
            raise SanlabError(reason)
        if manifest.format < FORMAT:
            reason = (
                f"{folder} was written by an earlier version of sanlab, with another form of plan. "
                "Run its scenario again"
            )
            raise SanlabError(reason)
        return cls(folder, manifest)

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return self.manifest.title

    @cached_property
    def tables(self) -> list[str]:
        """Names of the tables."""
        return sorted(Path(file).stem for file in self.manifest.digests if file != PLAN)

    def table(self, name: str) -> pa.Table:
        """One table as Arrow columns; `docs/reference/tables.md` says what they mean."""
        if name not in self._tables:
            if name not in self.tables:
                alike = difflib.get_close_matches(name, self.tables, n=1)
                hint = (
                    f"did you mean {alike[0]!r}?"
                    if alike
                    else f"its tables are {', '.join(self.tables)}"
                )
                reason = f"{self.folder} has no table {name!r}; {hint}"
                raise SanlabError(reason)
            content = pa.BufferReader(self._content(run_folder.table_file(name)))
            self._tables[name] = pq.ParquetFile(content).read(use_threads=False)
        return self._tables[name]

    def _content(self, file: str) -> bytes:
        """Return a file of the folder as it was written.

        Raises
        ------
        SanlabError
            It is gone, or has changed since.
        """
        path = self.folder / file
        try:
            content = path.read_bytes()
        except OSError as error:
            reason = f"{path} cannot be read: {error.strerror}. {_AGAIN}"
            raise SanlabError(reason) from None
        if run_folder.digest_of(content) != self.manifest.digests.get(file):
            reason = f"{path} is damaged: it is not as it was written. {_AGAIN}"
            raise SanlabError(reason)
        return content

    def frame(self, name: str) -> pd.DataFrame:
        """One table as a pandas frame; needs pandas (`pip install sanlab[notebook]`)."""
        return self.table(name).to_pandas()

    def rows(self, name: str) -> list[dict[str, Any]]:
        """One table as a list of rows; empty where the run has no such table.

        The list is made once and kept: take a copy to change it.
        """
        if name not in self._rows:
            self._rows[name] = self.table(name).to_pylist() if name in self.tables else []
        return self._rows[name]

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The resolved plan, as in `plan.json`."""
        plan: dict[str, Any] = json.loads(self._content(PLAN))
        return plan

    @property
    def planned_end_ps(self) -> int | None:
        """Simulated time at which the run was to end; None where it ends with its work."""
        end_ps: int = self.plan["end_ps"]
        return end_ps if end_ps < LATEST_END_PS else None

    @property
    def scenario(self) -> str | None:
        """Text of the scenario as written; None if the folder has none."""
        path = self.folder / "scenario.yaml"
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None

    def summary(self) -> dict[str, Any]:
        """Headline numbers of the run as plain data.

        Keys
        ----
        io_count, iops, throughput_bytes_per_s
            Of all workloads together; a rate is None without I/O.
        open_share, throughput_note
            Share of the bytes of the throughput that belongs to I/Os which were open at the end,
            None without I/O; and a sentence about it, None where the share is small.
        span_note
            Which time the rates and response times are of; None where that is the whole run.
        error_count
            I/Os of all workloads that failed in the measured windows.
        response_mean_us, response_p50_us, response_p99_us, response_p99_99_us
            Of all I/Os together; None with too few I/Os.
        busiest_link, busiest_link_utilisation
            The port with the busiest transmitter of a link; None without links.
        busiest_loop, busiest_loop_share
            The busiest loop or string of a loop, and the share of the time it is in use; None
            without loops.
        credit_wait_ps
            Time with a frame to send and no BB credit, summed over ports of links.
        worst_mirror, worst_mirror_lag_us
            The asynchronous mirror with the worst recovery point, and that: greatest age of an
            acknowledged write whose copy was not done. None without asynchronous mirrors.
        phases
            Figures of each phase, workload and operation, as `sanlab.results.phases` gives them;
            empty without phases.
        """
        from sanlab.results.latency import response_percentiles
        from sanlab.results.loops import fullest
        from sanlab.results.mirrors import worst_mirror
        from sanlab.results.phases import phases
        from sanlab.results.ports import busiest, on_links
        from sanlab.results.throughput import note_on_open, note_on_span, totals

        total = totals(self)
        tail = response_percentiles(self)
        links = busiest(self, 1)
        loop = fullest(self)
        mirror = worst_mirror(self)

        def at(percent: float) -> float | None:
            return tail[percent] / 1e6 if percent in tail else None

        return {
            "title": self.title,
            "folder": str(self.folder),
            "is_complete": self.manifest.is_complete,
            "seed": self.manifest.seed,
            "fingerprint": self.manifest.fingerprint,
            "simulated_s": self.manifest.simulated_ps / 1e12,
            "setup_s": self.manifest.setup_s,
            "wall_s": self.manifest.wall_s,
            "events": self.manifest.events,
            "io_count": total.io_count,
            "error_count": total.error_count,
            "iops": total.iops,
            "throughput_bytes_per_s": total.throughput_bytes_per_s,
            "open_share": total.open_share,
            "throughput_note": note_on_open(total.open_share),
            "span_note": note_on_span(self),
            "response_mean_us": (
                None if total.response_mean_ps is None else total.response_mean_ps / 1e6
            ),
            "response_p50_us": at(50),
            "response_p99_us": at(99),
            "response_p99_99_us": at(99.99),
            "busiest_link": links[0]["port"] if links else None,
            "busiest_link_utilisation": links[0]["tx_utilisation"] if links else None,
            "busiest_loop": loop.name if loop else None,
            "busiest_loop_share": loop.share if loop else None,
            "worst_mirror": mirror["source"] if mirror else None,
            "worst_mirror_lag_us": mirror["max_lag_ps"] / 1e6 if mirror else None,
            "phases": [phase.as_dict() for phase in phases(self)],
            "credit_wait_ps": sum(row["tx_credit_wait_ps"] for row in on_links(self)),
        }


def run(
    source: str | Path | Scenario,
    *,
    overrides: Mapping[str, object] | None = None,
    folder: str | Path | None = None,
    seed: int | None = None,
    show_progress: bool = False,
) -> Run:
    """Simulate a scenario, write its run folder and open it; `sanlab.run` says what they mean."""
    target = None if folder is None else Path(folder)
    run_folder.refuse_target(target)
    prepared = prepare(source, overrides or {}, seed)
    return Run.open(execute(prepared, target, show_progress=show_progress))
