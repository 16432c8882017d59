"""The data set of a sweep: what is in it stays, whatever happens to its writer."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from sanlab.errors import RunError, SanlabError
from sanlab.sweeps import store as stores
from sanlab.sweeps.store import MERGED, Request, Store, choose_folder, read, type_of

REQUEST = Request({"scenario": "x", "seed": None}, {"repeats": 1}, {"a": "int64"})


def rows(number: int) -> list[dict[str, Any]]:
    common = {"point": f"key{number}", "repeat": 0, "seed": 1, "a": number, "status": "done"}
    return [common | {"iops": 1.0}, common | {"workload": "w", "op": "read", "iops": 1.0}]


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "points").glob("*.parquet"))


def test_types_of_columns() -> None:
    assert type_of(["1", "-2"]) == "int64"
    assert type_of(["1", "2.5"]) == "double"
    assert type_of(["4KiB", "1"]) == "string"
    assert type_of(["99999999999999999999"]) == "double"


def test_parts_are_merged_and_nothing_is_lost(tmp_path: Path) -> None:
    count = MERGED * 2 + 5
    with Store(tmp_path / "s", REQUEST, "x") as store:
        assert store.finished() == {}
        for number in range(count):
            store.add(rows(number))
    assert len(parts(tmp_path / "s")) == 2 + 5
    request, table = read(tmp_path / "s")
    assert request["types"] == {"a": "int64"}
    assert table.num_rows == 2 * count
    with Store(tmp_path / "s", REQUEST, "x") as store:
        assert sorted(store.finished()) == sorted(f"key{n}" for n in range(count))


def test_a_merge_that_was_cut_short_leaves_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "s"
    with Store(folder, REQUEST, "x") as store:
        store.finished()
        for number in range(MERGED - 1):
            store.add(rows(number))
        monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)  # as if killed before it
        store.add(rows(MERGED - 1))
        monkeypatch.undo()
    assert len(parts(folder)) == MERGED + 1
    assert read(folder)[1].num_rows == 2 * MERGED
    with Store(folder, REQUEST, "x") as store:
        assert len(store.finished()) == MERGED
    assert len(parts(folder)) == 1


def test_what_was_growing_is_removed_and_what_is_damaged_put_aside(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with Store(folder, REQUEST, "x") as store:
        store.finished()
        store.add(rows(1))
        store.add(rows(2))
    (folder / "points" / ".part-0-0000009.parquet.partial").write_bytes(b"PAR1")
    broken = folder / "points" / parts(folder)[0]
    broken.write_bytes(broken.read_bytes()[:100])
    assert read(folder)[1].num_rows == 2
    with Store(folder, REQUEST, "x") as store:
        assert list(store.finished()) == ["key2"]
        assert store.damaged_count == 1
    assert not list((folder / "points").glob(".*"))


def test_a_full_disk_is_said_and_leaves_no_half_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with Store(tmp_path / "s", REQUEST, "x") as store:
        store.finished()
        store.add(rows(1))
        monkeypatch.setattr(pq, "write_table", full)
        with pytest.raises(RunError, match=r"No space left on device.*the same command goes on"):
            store.add(rows(2))
        monkeypatch.undo()
        assert len(list((tmp_path / "s" / "points").iterdir())) == 1


def test_two_writers_clash(tmp_path: Path) -> None:
    with (
        Store(tmp_path / "s", REQUEST, "x"),
        pytest.raises(SanlabError, match=rf"in use: process {os.getpid()} on "),
        Store(tmp_path / "s", REQUEST, "x"),
    ):
        pass
    with Store(tmp_path / "s", REQUEST, "x"):
        pass


def test_another_sweep_never_mixes_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = choose_folder(None, "san", REQUEST, extend=False)
    assert first == Path("sweeps/san")
    with Store(first, REQUEST, "x"):
        pass
    assert choose_folder(None, "san", REQUEST, extend=False) == first
    longer = Request(REQUEST.identity, {"repeats": 2}, REQUEST.types)
    assert choose_folder(None, "san", longer, extend=False) == Path("sweeps/san-2")
    assert choose_folder(None, "san", longer, extend=True) == first
    other = Request({"scenario": "y", "seed": None}, {"repeats": 1}, REQUEST.types)
    assert choose_folder(None, "san", other, extend=True) == Path("sweeps/san-2")
    with pytest.raises(SanlabError, match="holds another sweep: its scenario file differs"):
        choose_folder(first, "san", other, extend=True)
    with pytest.raises(SanlabError, match="--extend adds to it"):
        choose_folder(first, "san", longer, extend=False)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SanlabError, match="exists and is not a sweep"):
        choose_folder(tmp_path, "san", REQUEST, extend=False)
    with pytest.raises(SanlabError, match="exists and is not a sweep"):
        choose_folder(tmp_path / "notes.txt", "san", REQUEST, extend=False)
    with pytest.raises(SanlabError, match="is not a sweep"):
        read(tmp_path)
    (tmp_path / "sweep.json").write_text("{", encoding="utf-8")
    with pytest.raises(SanlabError, match="cannot be read"):
        read(tmp_path)


def test_every_column_is_explained() -> None:
    assert all(meaning for _, meaning in stores.COLUMNS.values())
