from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sanlab.errors import SanlabError
from sanlab.results.run import Run
from sanlab.simulation import folder as run_folder
from sanlab.simulation.execute import stem_of
from sanlab.simulation.manifest import Manifest
from sanlab.simulation.tables import from_native, numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

MANIFEST = Manifest(
    sanlab_version="0.1.0", title="", scenario_file="x.yaml", seed=1, fingerprint="00",
    simulated_ps=1, wall_s=0.0, events=1, is_complete=True,
)  # fmt: skip


def write(target: Path | None, tables: dict[str, pa.Table] | None = None) -> Path:
    return run_folder.write(
        target, "first-san", scenario="a: b\n", plan="{}", manifest=MANIFEST, tables=tables or {}
    )


def test_names_count_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [write(None).as_posix() for _ in range(3)]
    assert names == ["runs/first-san", "runs/first-san-2", "runs/first-san-3"]


def test_a_folder_with_something_in_it_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(SanlabError, match="is not empty"):
        write(tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text(encoding="utf-8") == "dear"


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert (write(tmp_path / "empty") / "manifest.json").is_file()


class _Broken:
    """What pyarrow cannot write."""


def test_what_fails_halfway_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(AttributeError):
        write(tmp_path / "run", {"ports": _Broken()})
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    run_folder.write_file(path, "one")
    run_folder.write_file(path, "two")
    assert path.read_text(encoding="utf-8") == "two"
    assert os.listdir(tmp_path) == ["report.html"]  # noqa: PTH208  hidden files as well


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        folder = write(tmp_path / "run")
        run_folder.write_file(folder / "report.html", "")
    finally:
        os.umask(old)
    assert folder.stat().st_mode & 0o777 == 0o750
    assert (folder / "report.html").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("a/b.yaml", "b"),
        ("a/slow-drain/scenario.yaml", "slow-drain"),
        ("two words.yaml", "two-words"),
    ],
)
def test_a_run_is_named_after_its_file(path: str, stem: str) -> None:
    assert stem_of(Path(path)) == stem


def test_columns_keep_every_bit() -> None:
    big = 2**64 - 1
    table = from_native(
        {
            "time_ps": memoryview(big.to_bytes(8, sys.byteorder)).cast("Q"),
            "port": ["sw1.f0"],
            "share": memoryview(bytes(8)).cast("d"),
        }
    )
    assert table["time_ps"].to_pylist() == [big]
    assert numbers(table, "time_ps").dtype == "uint64"
    assert table.schema.field("time_ps").metadata == {b"unit": b"ps"}


def test_no_rows_are_a_table_too() -> None:
    table = from_native({"port": [], "tx_bytes": memoryview(b"").cast("Q")})
    assert table.num_rows == 0
    assert numbers(table, "tx_bytes").shape == (0,)


def test_what_is_no_run_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(SanlabError, match=r"no manifest\.json"):
        Run.open(tmp_path)


def test_a_newer_folder_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "run")
    newer = MANIFEST.model_copy(update={"format": 99, "sanlab_version": "9.0"})
    (folder / "manifest.json").write_text(newer.model_dump_json(), encoding="utf-8")
    with pytest.raises(SanlabError, match=r"sanlab 9\.0"):
        Run.open(folder)


def test_a_table_that_is_not_there_names_the_nearest(make_run: Callable[..., Run]) -> None:
    run = make_run({"ports": [{"port": "sw1.f0"}]})
    with pytest.raises(SanlabError, match="did you mean 'ports'"):
        run.table("port")
