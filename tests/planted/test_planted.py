"""Scenarios whose limit is known because it was made: the diagnosis has to name it first.

Each file of `cases/` has a base scenario and cases. A case changes the base with `set` (values by
path, as `--set` takes them) and `add` (lists that are appended to), and says what `sanlab explain`
has to answer for each workload named in `expect`:

- `limit`: the kind of the limit over the whole run; with `window`, of the part of the run that
  holds this time.
- `element`: a regular expression that its element matches.
- `culprits`: workloads it has to name; `victim`: the workload does not use the element itself.
- `severity = "none"`: no finding of the run is a problem.

`better` is a change that has to help: the workload's throughput or its mean response time improves
by at least a tenth. `same` is a change that must not help.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import sanlab
from sanlab.explain.explanation import explain
from sanlab.explain.findings import find

if TYPE_CHECKING:
    from sanlab.results.run import Run

CASES = Path(__file__).parent / "cases"
#: Smallest improvement by a change that has to help.
HELPS = 1.1
#: Largest one of a change that must not.
SAME = 1.03


def _cases() -> list[Any]:
    found = []
    for file in sorted(CASES.glob("*.toml")):
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        for name, case in content["case"].items():
            found.append(pytest.param(content["base"], case, id=f"{file.stem}-{name}"))
    return found


def _run(base: str, case: dict[str, Any], folder: Path) -> Run:
    scenario = yaml.safe_load(base)
    for key, rows in case.get("add", {}).items():
        scenario[key] = [*scenario.get(key, []), *rows]
    folder.mkdir()
    file = folder / "scenario.yaml"
    file.write_text(yaml.safe_dump(scenario, sort_keys=False), encoding="utf-8")
    return sanlab.run(file, overrides=case.get("set", {}), folder=folder / "run")


def _figures(run: Run, workload: str) -> tuple[float, float]:
    """Throughput, and mean response time, of a workload."""
    rows = [row for row in run.rows("workloads") if row["workload"] == workload]
    count = sum(row["io_count"] for row in rows)
    spent = sum(row["response_mean_ps"] * row["io_count"] for row in rows)
    return sum(row["throughput_bytes_per_s"] for row in rows), spent / max(1, count)


def _gain(before: Run, after: Run, workload: str) -> float:
    """The larger of the gains in throughput and in response time."""
    (slow, long), (fast, short) = _figures(before, workload), _figures(after, workload)
    return max(fast / max(1.0, slow), long / max(1.0, short))


@pytest.mark.parametrize(("base", "case"), _cases())
def test_the_planted_cause_is_named(base: str, case: dict[str, Any], tmp_path: Path) -> None:
    run = _run(base, case, tmp_path / "planted")
    explained = {one.workload: one for one in explain(run)}
    for workload, wanted in case["expect"].items():
        one = explained[workload]
        limit = one.overall
        if "window" in wanted:
            at_ps = wanted["window"] * 1e12
            (limit,) = (
                part for part in one.limits if part.window.from_ps < at_ps <= part.window.to_ps
            )
        assert limit.kind == wanted["limit"], limit.title
        assert re.search(wanted.get("element", ""), limit.element), limit.title
        assert set(wanted.get("culprits", ())) <= set(limit.culprits), limit.title
        assert limit.is_victim == wanted.get("victim", limit.is_victim), limit.title
    if case.get("severity") == "none":
        assert [one.title for one in find(run) if one.severity == "problem"] == []
    for key, helps in (("better", True), ("same", False)):
        if key not in case:
            continue
        changed = _run(base, _merged(case, case[key]), tmp_path / key)
        workload = case[key].get("workload", next(iter(case["expect"])))
        gain = _gain(run, changed, workload)
        assert gain >= HELPS if helps else gain <= SAME, (key, gain)


def _merged(case: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    return {
        "set": case.get("set", {}) | change.get("set", {}),
        "add": case.get("add", {}) | change.get("add", {}),
    }
