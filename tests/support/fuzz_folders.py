"""Run folders with a damaged file: opened and reported, or refused with one line."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from fuzz import ROOT, is_plain
from fuzz_plans import mutate

#: Examples whose folders are damaged, and what keeps their runs short.
EXAMPLES: dict[str, dict[str, object]] = {
    "hello-san": {"measure": {"duration": "2ms"}},
    "slow-receiver": {"measure": {"duration": "2ms"}},
    "zone-merge": {"measure": {"duration": "2ms"}},
    "raid5-rebuild": {"measure": {"duration": "2ms"}},
    "loop-population": {"measure": {"duration": "2ms"}, "workloads.*.ramp_time": "0s"},
}


class Fuzzer:
    """Damaged run folders."""

    def __init__(self) -> None:
        import sanlab

        self._home = tempfile.TemporaryDirectory(prefix="sanlab-fuzz-")
        self.home = Path(self._home.name)
        self.bases = []
        for name, changes in EXAMPLES.items():
            file = ROOT / "examples" / name / "scenario.yaml"
            run = sanlab.run(file, overrides=changes, folder=self.home / name)
            self.bases.append(run.folder)

    def make(self, seed: int, number: int) -> tuple[Path, str]:
        """Return a damaged folder, and what was done to it."""
        draws = random.Random(f"folder/{seed}/{number}")
        folder = self.home / "case"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.bases[number % len(self.bases)], folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        kinds = [path for path in files if path.suffix != ".parquet"]
        path = draws.choice(kinds if draws.random() < 0.6 else files)
        return folder, f"{path.relative_to(folder)}: {damage(path, draws)}"

    def run(self, case: Path) -> str:
        """Open a folder and write its report."""
        from sanlab.errors import SanlabError
        from sanlab.report.build import build
        from sanlab.results.run import Run

        try:
            run = Run.open(case)
            run.summary()
            build(run)
        except SanlabError as error:
            if not is_plain(str(error)) or str(case) not in str(error):
                return f"wrong: no plain words: {error}"
            return "refused"
        return "reported"


def damage(path: Path, draws: random.Random) -> str:  # noqa: PLR0911  one for each way
    """Damage one file; return what was done."""
    content = path.read_bytes()
    at = draws.randrange(max(1, len(content)))
    match draws.randrange(9):
        case 0:
            path.write_bytes(content[:at])
            return f"cut after {at} bytes"
        case 1:
            path.write_bytes(content[:at] + bytes([draws.randrange(256)]) + content[at + 1 :])
            return f"another byte at {at}"
        case 2:
            path.unlink()
            return "removed"
        case 3:
            path.write_bytes(draws.randbytes(draws.choice((0, 1, 100, 5000))))
            return "random bytes"
        case 4:
            path.unlink()
            path.mkdir()
            return "a folder"
        case 5:
            path.unlink()
            path.symlink_to(draws.choice((path.name, "nowhere", "/dev/null")))
            return "a link"
        case 6 if path.suffix == ".parquet":
            return retype(path, draws)
    if path.suffix == ".json":
        value = json.loads(content)
        done = "; ".join(mutate(value, draws) for _ in range(draws.choice((1, 1, 3))))
        path.write_text(json.dumps(value), encoding="utf-8")
        return done
    path.write_bytes(content + content[:at])
    return "more at its end"


def retype(path: Path, draws: random.Random) -> str:
    """Write a table again with other columns, types or rows."""
    table: Any = pq.ParquetFile(path).read()
    name = draws.choice(table.column_names)
    index = table.column_names.index(name)
    match draws.randrange(4):
        case 0:
            table = table.drop_columns([name])
        case 1:
            table = table.set_column(index, name, pa.array(["x"] * table.num_rows))
        case 2:
            table = table.set_column(index, name, pa.nulls(table.num_rows))
        case _:
            table = table.slice(0, draws.randrange(table.num_rows + 1))
    pq.write_table(table, path)
    return f"other rows, or another {name}"
