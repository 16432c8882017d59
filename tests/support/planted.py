"""Scenarios whose limit is known because it was made: the diagnosis has to name it first.

Each file of `tests/planted/cases/` is a theme. It has a `base` scenario, or several in `bases` of
which a case names one, and cases. A case changes its base with `set` (values by path, as `--set`
takes them) and `add` (lists that are appended to), and says what `sanlab explain` has to answer for
each workload or stream of plain frames named in `expect`:

- `limit`: the kind of the limit over the whole run, a regular expression.
- `element`: a regular expression that its element matches.
- `culprits`: workloads it has to name; `victim`: the workload does not use the element itself.
- `met`: whether the workload gets all the I/Os that it asks for.
- `detail`: a regular expression that matches what is added to the limit.
- `parts`: the same for parts of the run, each with `at`, a time in seconds that it holds.

`severity = "none"`: no finding of the run is a problem. `steady`: what the run is called.
`finding`: a regular expression that the title of one finding matches; `absent`: one that no title
matches; `problem`: the kind of a finding that is a problem.

`better` is a list of changes that have to help: the throughput of the workload (`workload`, else
the first of `expect`) or its mean response time improves by at least a tenth. With `remedy`, a
regular expression, the limit has to suggest the change. `same` is a list of changes that do not
help; with `remedy`, the limit must not suggest them.

`python tests/support/planted.py [WORD]` prints the score by theme, and what is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

import sanlab
from sanlab.errors import SanlabError
from sanlab.explain.explanation import explain, explain_flows
from sanlab.explain.findings import find
from sanlab.explain.steadiness import steadiness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.explain.explanation import Explained
    from sanlab.explain.limit import Limit
    from sanlab.results.run import Run

CASES = Path(__file__).parents[1] / "planted" / "cases"
#: Smallest improvement by a change that has to help.
HELPS = 1.1
#: Largest one of a change that must not.
SAME = 1.03


@dataclass(frozen=True)
class Planted:
    """One scenario with its known answer."""

    theme: str
    name: str
    base: str
    content: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.theme}-{self.name}"

    @property
    def is_slow(self) -> bool:
        """Whether it takes longer than tests may."""
        return bool(self.content.get("slow", False))


def planted() -> list[Planted]:
    """Return all cases, by theme and in the order of their files."""
    found = []
    for file in sorted(CASES.glob("*.toml")):
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        for name, case in content["case"].items():
            base = content["bases"][case["base"]] if "base" in case else content["base"]
            found.append(Planted(file.stem, name, base, case))
    return found


def mistakes(case: Planted, folder: Path) -> list[str]:
    """Simulate a case below a folder; return each wrong answer in words."""
    planted_run = run(case, folder / "planted", {})
    found = (*explain(planted_run), *explain_flows(planted_run))
    explained = {one.workload: one for one in found}
    wrong = [
        mistake
        for workload, wanted in case.content["expect"].items()
        for mistake in _wrong_of(explained[workload], wanted)
    ]
    wrong += _wrong_findings(case.content, planted_run)
    for kind in ("better", "same"):
        for number, change in enumerate(case.content.get(kind, ())):
            changed = run(case, folder / f"{kind}{number}", change)
            workload = change.get("workload", next(iter(case.content["expect"])))
            limit = explained[workload].overall
            wrong += _wrong_change(kind, change, limit, _gain(planted_run, changed, workload))
    return wrong


def run(case: Planted, folder: Path, change: dict[str, Any]) -> Run:
    scenario = yaml.safe_load(case.base)
    for added in (case.content, change):
        for key, rows in added.get("add", {}).items():
            scenario[key] = [*scenario.get(key, []), *rows]
    folder.mkdir()
    file = folder / "scenario.yaml"
    file.write_text(yaml.safe_dump(scenario, sort_keys=False), encoding="utf-8")
    overrides = case.content.get("set", {}) | change.get("set", {})
    return sanlab.run(file, overrides=overrides, folder=folder / "run")


def _wrong_of(one: Explained, wanted: dict[str, Any]) -> Iterator[str]:
    yield from _wrong_limit(one.overall, wanted)
    for part in wanted.get("parts", ()):
        at_ps = part["at"] * 1e12
        inside = [
            limit for limit in one.limits if limit.window.from_ps < at_ps <= limit.window.to_ps
        ]
        if not inside:
            spans = [(limit.window.from_ps, limit.window.to_ps) for limit in one.limits]
            yield f"no part of {one.workload} holds {part['at']} s: {spans}"
        for limit in inside:
            yield from (f"at {part['at']} s: {text}" for text in _wrong_limit(limit, part))


def _wrong_limit(limit: Limit, wanted: dict[str, Any]) -> Iterator[str]:
    answer = f"{limit.title} [{limit.kind}, {limit.element!r}]"
    if not re.fullmatch(wanted.get("limit", limit.kind), limit.kind):
        yield f"wanted {wanted['limit']}: {answer}"
    elif not re.search(wanted.get("element", ""), limit.element):
        yield f"wanted {wanted['element']}: {answer}"
    elif not set(wanted.get("culprits", ())) <= set(limit.culprits):
        yield f"wanted {wanted['culprits']}: {answer}"
    elif not re.search(wanted.get("detail", ""), limit.detail):
        yield f"wanted {wanted['detail']}: {limit.detail}"
    elif limit.is_met != wanted.get("met", limit.is_met):
        yield f"{'gets' if limit.is_met else 'does not get'} all its I/Os: {answer}"
    elif limit.is_victim != wanted.get("victim", limit.is_victim):
        yield f"{'is' if limit.is_victim else 'is not'} called a victim: {answer}"


def _wrong_findings(content: dict[str, Any], run: Run) -> Iterator[str]:
    findings = find(run)
    if content.get("severity") == "none":
        yield from (f"false alarm: {one.title}" for one in findings if one.severity == "problem")
    if "steady" in content and steadiness(run).kind != content["steady"]:
        yield f"wanted {content['steady']}: {steadiness(run)}"
    problems = [one.id for one in findings if one.severity == "problem"]
    if "problem" in content and content["problem"] not in problems:
        yield f"wanted a problem {content['problem']}: {problems}"
    if "absent" in content:
        yield from (
            f"not wanted: {one.title}"
            for one in findings
            if re.search(content["absent"], one.title)
        )
    if "finding" in content and not any(re.search(content["finding"], it.title) for it in findings):
        yield f"no finding {content['finding']}: {[it.title for it in findings]}"


def _wrong_change(kind: str, change: dict[str, Any], limit: Limit, gain: float) -> Iterator[str]:
    helps = kind == "better"
    if (gain < HELPS) if helps else (gain > SAME):
        yield f"{'no help' if helps else 'helps'}, {gain:.3f} times: {change}"
    if "remedy" in change and bool(re.search(change["remedy"], limit.remedy)) != helps:
        yield f"{'does not suggest' if helps else 'suggests'} {change['remedy']}: {limit.remedy}"


def _gain(before: Run, after: Run, workload: str) -> float:
    """The larger of the gains in throughput and in response time."""
    (slow, long), (fast, short) = _figures(before, workload), _figures(after, workload)
    return max(fast / max(1.0, slow), long / max(1.0, short))


def _figures(run: Run, workload: str) -> tuple[float, float]:
    """Throughput, and mean response time, of a workload or a stream of plain frames."""
    for row in run.rows("frames"):
        if (row["flow"], row["kind"]) == (workload, "traffic"):
            span_s = run.manifest.simulated_ps / 1e12
            return row["payload_bytes"] / span_s, row["end_to_end_mean_ps"]
    rows = [row for row in run.rows("workloads") if row["workload"] == workload]
    count = sum(row["io_count"] for row in rows)
    spent = sum(row["response_mean_ps"] * row["io_count"] for row in rows)
    return sum(row["throughput_bytes_per_s"] for row in rows), spent / max(1, count)


def main() -> int:
    """Print the score; 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description="Score of the diagnosis on planted causes.")
    parser.add_argument("word", nargs="?", default="", help="only cases whose name has this word")
    parser.add_argument("--slow", action="store_true", help="also the slow ones")
    args = parser.parse_args()
    scores: dict[str, list[bool]] = {}
    for case in planted():
        if args.word not in str(case) or (case.is_slow and not args.slow):
            continue
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            try:
                wrong = mistakes(case, Path(folder))
            except SanlabError as error:
                wrong = [str(error)]
        scores.setdefault(case.theme, []).append(not wrong)
        if wrong:
            print(f"{case} ({time.perf_counter() - begun:.1f} s)")
            print("".join(f"    {mistake}\n" for mistake in wrong), end="", flush=True)
    for theme, right in scores.items():
        print(f"{theme:20} {sum(right):3} of {len(right):3}")
    right = [one for rights in scores.values() for one in rights]
    print(f"{'all':20} {sum(right):3} of {len(right):3}")
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
