"""From a scenario and places for its LUNs to a run folder with measured figures."""

from __future__ import annotations

import platform
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sanlab.measurement import fio
from sanlab.measurement.clients import require_clients
from sanlab.measurement.job import PS_PER_MS, job_text, luns_of, sections_of
from sanlab.measurement.places import Places
from sanlab.measurement.tables import tables_of
from sanlab.plan.compile import compile_plan
from sanlab.scenario.load import parse_scenario, read_text
from sanlab.scenario.overrides import as_texts
from sanlab.simulation import folder as run_folder
from sanlab.simulation.execute import stem_of
from sanlab.simulation.manifest import Manifest, sanlab_version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sanlab.measurement.places import Wanted

#: Bins of a measurement, unless the scenario asks for fewer.
BINS = 100
#: Shortest bin, in milliseconds.
LEAST_BIN_MS = 100


@dataclass(frozen=True)
class Question:
    """What is measured.

    Attributes
    ----------
    wanted
        Places of the LUNs, and what may be written.
    run_ms
        How long; None for the times of the scenario.
    is_buffered
        Through the page cache; else fio bypasses it.
    """

    file: Path
    wanted: Wanted
    overrides: Mapping[str, object]
    run_ms: int | None = None
    is_buffered: bool = False


def measure(
    question: Question,
    target: Path | None = None,
    on_job: Callable[[str], None] | None = None,
) -> Path:
    """Run the workloads of a scenario with fio; write a run folder and return it.

    Parameters
    ----------
    target
        Run folder to write. Default: `runs/` and the name of the scenario with `-measured`.
    on_job
        Called with the job file before it runs.

    Raises
    ------
    SanlabError
        fio is missing, a LUN has no place, or one that must not be written.
    RunError
        fio failed.
    """
    run_folder.refuse_target(target)
    changes = as_texts(question.overrides)
    text = read_text(question.file)
    scenario = parse_scenario(text, str(question.file), changes)
    plan = compile_plan(scenario)
    program = fio.find()
    uses = luns_of(plan, scenario)
    if question.wanted.clients:
        hosts = [host for use in uses.values() for host in use.hosts]
        require_clients(question.wanted.clients, hosts)
    places = Places(question.wanted, uses)
    work = Path(tempfile.mkdtemp(prefix="sanlab-fio-"))
    try:
        clients = question.wanted.clients
        if not clients and any(place.is_nbd for place in places.by_lun.values()):
            fio.require_engine(program, "nbd")
        sections = sections_of(plan, scenario, places.by_lun, question.run_ms)
        end_ms = max(section.end_ms for section in sections)
        interval_ms = max(LEAST_BIN_MS, -(-end_ms // BINS // 10) * 10)
        files = {host: f"job-{host}.fio" if host else "job.fio" for host in clients or [""]}
        jobs = {
            file: job_text(
                [one for one in sections if host in ("", one.host)],
                interval_ms,
                is_buffered=question.is_buffered,
            )
            for host, file in files.items()
        }
        if on_job is not None:
            on_job("\n".join(jobs.values()))
        machines = {files[host]: client for host, client in clients.items()}
        answer = fio.run(program, work, jobs, machines, end_ms / 1000)
        tables = tables_of(answer.document, sections, work, interval_ms)
    finally:
        places.close()
        shutil.rmtree(work, ignore_errors=True)
    manifest = Manifest(
        sanlab_version=sanlab_version(),
        title=plan.title,
        scenario_file=question.file.name,
        overrides=dict(changes),
        seed=plan.seed,
        fingerprint="measured",
        simulated_ps=end_ms * PS_PER_MS,
        wall_s=answer.wall_s,
        events=0,
        is_complete=answer.is_complete,
        tables=tuple(sorted(tables)),
        measured={
            "fio": program.version,
            "command": answer.command,
            "machine": f"{platform.system()} {platform.release()} {platform.machine()}",
            "places": {
                lun: "a file of its own" if place.is_own else place.address
                for lun, place in places.by_lun.items()
            },
            "is_buffered": question.is_buffered,
            **({"clients": {host: str(one) for host, one in clients.items()}} if clients else {}),
        },
    )
    return run_folder.write(
        target,
        f"{stem_of(question.file)}-measured",
        scenario=text,
        plan=msgspec.json.format(plan.to_json(), indent=1) + "\n",
        manifest=manifest,
        tables=tables,
        extras=jobs,
    )
