"""An Iometer test as a scenario, and its cycling as a list of points.

Each manager becomes a host, each of its targets a LUN, each worker a workload with the access
specification it is assigned first. Iometer runs a test once for each further specification and for
each step of its cycling: `expand` returns what each of these runs changes of the scenario.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from sanlab.importers.generic_san import LUN_BYTES, TAKEN, plain, quoted, slug, unused
from sanlab.importers.icf import IDLE, Cycling, IcfManager, IcfSpec, IcfWorker
from sanlab.quantities import format_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sanlab.importers.icf import IcfLine, IometerTest

_SECTOR_BYTES = 512
#: Run time of a test that runs until it is stopped.
_OPEN_RUN_S = 10
#: Points listed in the comments of a scenario.
_MAX_SHOWN = 20


@dataclass(frozen=True, slots=True)
class _Work:
    """A worker under the names it has in the scenario."""

    name: str
    host: str
    luns: tuple[str, ...]
    worker: IcfWorker


@dataclass(frozen=True, slots=True)
class _Step:
    """What one worker does in one run; None in place of it where it does nothing."""

    spec: str
    targets_count: int
    outstanding: int


_Point = dict[str, _Step]


def expand(test: IometerTest) -> list[dict[str, str]]:
    """Return one set of overrides for each run of a test, in Iometer's order.

    The keys are paths as `--set` takes them. A test that is a single run has one set without keys.
    Runs in which every worker is idle are left out.
    """
    works = _works(test)
    base = {work.name: _first(work) for work in works}
    return [_overrides(point, base, works, test) for point in _points(test, works) if point]


def sweep_arguments(points: list[dict[str, str]]) -> list[str]:
    """Return `-p` arguments that give these points as a grid; None if they are not a grid."""
    keys = list(points[0]) if points else []
    if not keys or any(list(point) != keys for point in points):
        return []
    values = [list(dict.fromkeys(point[key] for point in points)) for key in keys]
    grid = [dict(zip(keys, row, strict=True)) for row in product(*values)]
    if grid != points or any("," in value for row in values for value in row):
        return []
    pairs = zip(keys, values, strict=True)
    return [f"-p '{key}={','.join(row)}'" for key, row in pairs]


def scenario_text(test: IometerTest, file: str) -> str:
    """Return the scenario, a YAML text to be saved as `file`, with comments on what to change."""
    return "\n".join(_lines(test, file)) + "\n"


def _works(test: IometerTest) -> list[_Work]:
    works = []
    hosts = set(TAKEN)
    names: set[str] = set()
    for manager in _managers(test):
        host = unused(slug(manager.name, "host"), hosts)
        numbers: dict[str, int] = {}
        for worker in manager.workers:
            if set(worker.specs) == {IDLE}:
                continue
            for target in worker.targets:
                numbers.setdefault(target, len(numbers) + 1)
            luns = tuple(f"{host}-lun{numbers[target]}" for target in worker.targets)
            name = unused(f"{host}-{slug(worker.name, 'worker')}", names)
            works.append(_Work(name, host, luns, worker))
    return works


def _managers(test: IometerTest) -> list[IcfManager]:
    """Managers of the file; one with one worker where it has none."""
    managers = [manager for manager in test.managers if manager.workers]
    if managers:
        return managers
    named = [name for name, spec in test.specs.items() if spec.lines]
    worker = IcfWorker("worker-1", 1, specs=named, targets=["PHYSICALDRIVE:1"])
    return [IcfManager("host1", [worker])]


def _first(work: _Work) -> _Step:
    busy = [name for name in work.worker.specs if name != IDLE]
    return _Step(busy[0] if busy else IDLE, len(work.luns), work.worker.outstanding)


def _points(test: IometerTest, works: list[_Work]) -> Iterator[_Point]:
    runs = max(len(work.worker.specs) for work in works)
    for run in range(runs):
        for counts in _counts(test, works):
            for depth in _depths(test):
                point = {}
                for work in works:
                    specs = work.worker.specs
                    spec = specs[run] if run < len(specs) else IDLE
                    count = counts.get(work.name, 0)
                    is_busy = spec != IDLE and test_lines(test, spec)
                    if count and is_busy:
                        point[work.name] = _Step(spec, count, depth or work.worker.outstanding)
                yield point


def test_lines(test: IometerTest, name: str) -> list[IcfLine]:
    """Return the lines of a specification; none of one that idles."""
    return test.specs.get(name, IcfSpec(name, "NONE", [])).lines


def _depths(test: IometerTest) -> list[int]:
    """Outstanding I/Os of each step; 0 stands for those of the worker."""
    return test.queue_depth.values(0) if "OUTSTANDING_IOS" in test.test_type else [0]


def _counts(test: IometerTest, works: list[_Work]) -> Iterator[dict[str, int]]:
    """For each step the number of targets of each worker; one that does not take part has none."""
    everything = {work.name: len(work.luns) for work in works}
    by_host: dict[str, list[_Work]] = {}
    for work in works:
        by_host.setdefault(work.host, []).append(work)
    most_workers = max(len(of_host) for of_host in by_host.values())
    kind = test.test_type
    workers = test.workers.values(most_workers) if "WORKERS" in kind else [most_workers]
    if kind.startswith("INCREMENT_TARGETS"):
        groups = [works] if kind.endswith("SERIAL") else list(by_host.values())
        most = max(sum(everything[work.name] for work in group) for group in groups)
        for total in test.targets.values(most):
            yield {name: n for group in groups for name, n in _deal(group, total).items()}
        return
    cycling = test.targets if "TARGETS" in kind else Cycling(max(everything.values()))
    for active, count in product(workers, cycling.values(max(everything.values()))):
        yield {
            work.name: min(count, everything[work.name])
            for of_host in by_host.values()
            for work in of_host[:active]
        }


def _deal(works: list[_Work], total: int) -> dict[str, int]:
    """Give the first `total` targets of some workers, one worker after another."""
    dealt = {}
    for work in works:
        dealt[work.name] = min(total, len(work.luns))
        total -= dealt[work.name]
    return dealt


def _overrides(
    point: _Point, base: _Point, works: list[_Work], test: IometerTest
) -> dict[str, str]:
    active = [work for work in works if work.name in point]
    if len(active) < len(works):
        items = [_flow_workload(work, point[work.name], test) for work in active]
        return {"workloads": f"[{', '.join(items)}]"}
    found: dict[str, str] = {}
    for work in active:
        step, usual = point[work.name], base[work.name]
        if step.spec != usual.spec:
            lines = ", ".join(_flow_line(line) for line in test_lines(test, step.spec))
            found[f"workloads.{work.name}.access"] = f"[{lines}]"
        if step.targets_count != usual.targets_count or "TARGETS" in test.test_type:
            targets = ", ".join(_targets(work, step))
            found[f"workloads.{work.name}.targets"] = f"[{targets}]"
    if "OUTSTANDING_IOS" in test.test_type:
        depths = {step.outstanding for step in point.values()}
        found["workloads.*.iodepth"] = str(depths.pop())
    return found


def _targets(work: _Work, step: _Step) -> list[str]:
    return [f"array1.{lun}" for lun in work.luns[: step.targets_count]]


def _keys(work: _Work, step: _Step, test: IometerTest) -> dict[str, str]:
    """Keys of a workload but for its lines, each with its text."""
    worker = work.worker
    keys = {
        "name": work.name,
        "hosts": work.host,
        "targets": f"[{', '.join(_targets(work, step))}]",
        "iodepth": str(step.outstanding),
        "ramp_time": f"{test.ramp_s}s",
        "runtime": f"{test.run_s or _OPEN_RUN_S}s",
    }
    if worker.starting_sector:
        keys["offset"] = format_size(worker.starting_sector * _SECTOR_BYTES)
    if worker.maximum_sectors:
        keys["size"] = format_size(worker.maximum_sectors * _SECTOR_BYTES)
    return keys


def _flow_workload(work: _Work, step: _Step, test: IometerTest) -> str:
    keys = _keys(work, step, test)
    lines = ", ".join(_flow_line(line) for line in test_lines(test, step.spec))
    words = [f"{key}: {value}" for key, value in keys.items()]
    return f"{{{', '.join([*words, f'access: [{lines}]'])}}}"


def _flow_line(line: IcfLine) -> str:
    words = [
        f"size: {format_size(line.size)}",
        f"of_size: {line.of_size}%",
        f"reads: {line.reads}%",
        f"random: {line.random}%",
    ]
    words += [f"delay: {line.delay}ms"] if line.delay else []
    words += [f"burst: {line.burst}"] if line.burst != 1 else []
    words += [f"align: {format_size(line.align)}"] if line.align else []
    words += [f"reply: {format_size(line.reply)}"] if line.reply else []
    return f"{{{', '.join(words)}}}"


def _lines(test: IometerTest, file: str) -> Iterator[str]:
    works = _works(test)
    title = test.description or f"Iometer test of {test.file}"
    seeds = [work.worker.seed for work in works if work.worker.seed]
    yield f"# Imported from {plain(test.file)}, which Iometer {plain(test.version)} wrote."
    yield "#"
    yield "# The array, its LUNs and the fabric are generic, since the file does not describe them."
    yield "# Give the array a 'model' of `sanlab catalog arrays`, put LUNs on disks with 'raid: 0'"
    yield "# and 'disks: 8', and set their sizes. Beside each LUN stands what it is in Iometer."
    if not any(manager.workers for manager in test.managers):
        yield "# The file has no workers either: one host with one worker stands for them."
    yield from _about_points(test, file)
    yield f"title: {quoted(title)}"
    yield f"seed: {seeds[0] if seeds else 1}"
    yield ""
    yield "hosts:"
    for host in dict.fromkeys(work.host for work in works):
        yield f"  - name: {host}"
    yield ""
    yield "switches:"
    yield "  - name: sw1"
    yield f"    ports: {len({work.host for work in works}) + 2}"
    yield ""
    yield "arrays:"
    yield "  - name: array1"
    yield "    ports: 2"
    yield "    luns:"
    for lun, (size, target) in _luns(works).items():
        yield f"      - {{name: {lun}, size: {format_size(size)}}} # {plain(target)}"
    yield ""
    yield "links:"
    for host in dict.fromkeys(work.host for work in works):
        yield f"  - {{from: {host}, to: sw1}}"
    yield "  - {from: array1.p0, to: sw1}"
    yield "  - {from: array1.p1, to: sw1}"
    yield ""
    yield "workloads:"
    for work in works:
        yield from _workload(work, test)
    yield ""
    yield f"measure: {{duration: {test.ramp_s + (test.run_s or _OPEN_RUN_S)}s}}"


def _luns(works: list[_Work]) -> dict[str, tuple[int, str]]:
    """Size and target of each LUN, large enough for all that is done on it."""
    luns: dict[str, tuple[int, str]] = {}
    for work in works:
        worker = work.worker
        end = (worker.starting_sector + worker.maximum_sectors) * _SECTOR_BYTES
        needed = end if worker.maximum_sectors else end + LUN_BYTES
        for lun, target in zip(work.luns, worker.targets, strict=True):
            size = max(needed, luns.get(lun, (LUN_BYTES, ""))[0])
            luns[lun] = (size, target)
    return luns


def _workload(work: _Work, test: IometerTest) -> Iterator[str]:
    step = _first(work)
    keys = _keys(work, step, test)
    yield f"  # {plain(work.worker.name)}: {plain(step.spec)}"
    for index, (key, value) in enumerate(keys.items()):
        yield f"  {'-' if index == 0 else ' '} {key}: {value}"
    yield "    access:"
    for line in test_lines(test, step.spec):
        yield f"      - {_flow_line(line)}"


def _about_points(test: IometerTest, file: str) -> Iterator[str]:
    if test.run_s == 0:
        yield f"# The test runs until it is stopped; 'runtime' is {_OPEN_RUN_S}s instead."
    points = expand(test)
    if points in ([], [{}]):
        return
    yield "#"
    yield f"# The test ({test.test_type}) is a series of {len(points)} runs. In Iometer's order:"
    for point in points[:_MAX_SHOWN]:
        sets = " ".join(f"--set '{key}={value}'" for key, value in point.items())
        yield f"#   sanlab run {plain(file)} {sets}".rstrip()
    if len(points) > _MAX_SHOWN:
        yield f"#   and {len(points) - _MAX_SHOWN} more"
    arguments = sweep_arguments(points)
    if arguments:
        yield "# All of them at once:"
        yield f"#   sanlab sweep {plain(file)} {' '.join(arguments)}"
