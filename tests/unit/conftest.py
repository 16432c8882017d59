"""A run made by hand: a test chooses its tables and its plan."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from by_hand import SECOND

from sanlab.results.run import Run
from sanlab.simulation import folder as run_folder
from sanlab.simulation.manifest import Check, Manifest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Run]:
    """Write a run folder with the tables and the plan a test wants."""

    def make(
        tables: dict[str, list[dict[str, Any]]],
        plan: dict[str, Any] | None = None,
        *,
        title: str = "By hand",
        scenario: str = "title: By hand\n",
        is_complete: bool = True,
    ) -> Run:
        whole: dict[str, Any] = {
            "jobs": [],
            "traffic": [],
            "hosts": [],
            "switches": [],
            "arrays": [],
            "n_ports": [],
            "links": [],
            "loops": [],
            "loop_faults": [],
            "qos": [],
            "services": None,
            "workloads": [],
            "phases": [],
            "file_systems": [],
            "faults": {"drains": [], "credit_losses": []},
        }
        manifest = Manifest(
            sanlab_version="0.1.0",
            title=title,
            scenario_file="by-hand.yaml",
            seed=7,
            fingerprint="0123456789abcdef",
            simulated_ps=SECOND,
            wall_s=0.5,
            events=1000,
            is_complete=is_complete,
            checks=(Check(name="frames conserved", checked_count=3, is_ok=True),),
        )
        folder = run_folder.write(
            tmp_path / "run",
            "run",
            scenario=scenario,
            plan=json.dumps(whole | (plan or {})),
            manifest=manifest,
            tables={name: pa.Table.from_pylist(rows) for name, rows in tables.items()},
        )
        return Run.open(folder)

    return make
