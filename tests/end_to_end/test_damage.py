"""Full disks, damaged run folders, links to nowhere: one line and the right exit code."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import RunError, SanlabError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sanlab.results.run import Run

pytestmark = pytest.mark.xdist_group("damage")
HELLO = Path(__file__).resolve().parents[2] / "examples" / "hello-san" / "scenario.yaml"
SHORT = {"measure.duration": "1ms"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return sanlab.run(HELLO, overrides=SHORT, folder=tmp_path_factory.mktemp("runs") / "hello")


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """A run folder to damage."""
    return Path(shutil.copytree(run.folder, tmp_path / "run"))


def one_line(*words: str | Path, code: int) -> str:
    """Run a command that fails; return the one line it says."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    return result.stderr


def test_a_folder_is_no_scenario(folder: Path, tmp_path: Path) -> None:
    for command in ("run", "check", "plan", "sweep", "trace"):
        options = ["-p", "a=1"] if command == "sweep" else ["-o", "x"] if command == "trace" else []
        line = one_line(command, folder, *options, code=2)
        assert line == f"{folder}: This is a folder. Write {folder / 'scenario.yaml'}.\n"
    (tmp_path / "empty").mkdir()
    assert "Name a YAML file in it" in one_line("run", tmp_path / "empty", code=2)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garble(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


def retype(path: Path) -> None:
    """Replace the numbers of a table by words."""
    table = pq.ParquetFile(path).read()
    words = pa.array(["word"] * table.num_rows)
    pq.write_table(pa.table(dict.fromkeys(table.column_names, words)), path)


def turn_into_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [truncate, empty, garble, Path.unlink, turn_into_folder])
@pytest.mark.parametrize(
    "file", ["manifest.json", "plan.json", "tables/ports.parquet", "tables/workloads.parquet"]
)
def test_a_damaged_file(folder: Path, file: str, damage: Callable[[Path], None]) -> None:
    damage(folder / file)
    line = one_line("report", folder, code=2)
    assert str(folder) in line
    if (file, damage) != ("manifest.json", Path.unlink):
        assert str(folder / file) in line
    # A manifest with one other bit may still be one, with another digest.
    assert "Run its scenario again" in line or file == "manifest.json"


def test_a_table_of_other_types(folder: Path) -> None:
    retype(folder / "tables" / "ports.parquet")
    line = one_line("report", folder, code=2)
    assert line.startswith(f"{folder / 'tables' / 'ports.parquet'} is damaged: ")


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("seed", "x", "manifest.json is damaged: seed: "),
        ("simulated_ps", -1, "manifest.json is damaged: simulated_ps: "),
        ("digests", {}, "plan.json is damaged"),
        ("checks", [1], "manifest.json is damaged: checks.0: "),
        ("format", None, "manifest.json is damaged: format: "),
        ("format", 1, "earlier version"),
    ],
)
def test_a_manifest_with_other_values(folder: Path, key: str, value: object, words: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    (folder / "manifest.json").write_text(json.dumps(manifest | {key: value}), encoding="utf-8")
    assert words in one_line("report", folder, code=2)


def test_a_scenario_in_another_encoding_is_shown_anyway(folder: Path) -> None:
    (folder / "scenario.yaml").write_bytes(b"title: \xff\xfe\n")
    assert CliRunner().invoke(app, ["report", str(folder)]).exit_code == 0


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "nowhere")
    line = one_line("run", HELLO, "--out", dangling, code=2)
    assert line == f"{dangling} is a link that leads nowhere. Name another folder, or remove it\n"
    line = one_line("run", HELLO, "--out", dangling / "below", code=2)
    assert line.startswith(f"{dangling} is a link that leads nowhere, so nothing can be written")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling"]


def test_a_link_to_an_empty_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    done = sanlab.run(HELLO, overrides=SHORT, folder=tmp_path / "link")
    assert done.summary()["io_count"] > 0
    assert (tmp_path / "there" / "manifest.json").is_file()
    assert (tmp_path / "link").is_symlink()


def test_a_parent_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "file is a file, so nothing" in one_line("run", HELLO, "-o", tmp_path / "file/x", code=2)
    assert "file" in one_line("plan", HELLO, "--no-pilot", "-o", tmp_path / "file/x", code=2)
    assert "file" in one_line("trace", HELLO, "-o", tmp_path / "file/x", code=2)


#: Runs a command with files that may not grow beyond some bytes, as on a disk that is full.
FULL = """\
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
from sanlab.cli.main import main
sys.argv = ["sanlab", *sys.argv[2:]]
main()
"""


def on_full_disk(folder: Path, size: int, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder whose files hold few bytes, with a cache of its own."""
    command = [sys.executable, "-B", "-c", FULL, str(size), *(str(word) for word in words)]
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("size", "words", "file"),
    [
        (0, ("run", HELLO, "--out", "new"), "new/scenario.yaml"),
        (2000, ("run", HELLO, "--out", "new"), "new/plan.json"),
        (0, ("plan", HELLO, "--no-pilot", "-o", "plan.json"), "plan.json"),
        (0, ("trace", HELLO, "-o", "t.pcapng", "--set", "measure.duration=1ms"), "t.pcapng"),
        (0, ("new", "san.yaml"), "san.yaml"),
        (0, ("report", "run"), "run/findings.json"),
        (20_000, ("report", "run"), "run/report.html"),
        (0, ("sweep", HELLO, "-p", "workloads.readers.iodepth=1,2", "--out", "sw"), "sw/lock"),
    ],
    ids=lambda value: " ".join(map(str, value))[:20] if isinstance(value, tuple) else str(value),
)
def test_a_full_disk_is_no_bad_input(
    folder: Path, size: int, words: tuple[str, ...], file: str
) -> None:
    before = sorted(folder.parent.rglob("*"))
    done = on_full_disk(folder.parent, size, *words)
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith(f"{file}: ")
    assert done.stderr.count("\n") == 1
    left = [path for path in sorted(folder.parent.rglob("*")) if path not in before]
    assert not [path for path in left if path.suffix == ".partial"]
    assert not [path for path in left if path.name in {"new", "t.pcapng", "san.yaml"}]


def test_no_space_on_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pq, "write_table", fail)
    line = one_line("run", HELLO, "--set", "measure.duration=1ms", "-o", tmp_path / "new", code=1)
    assert line.startswith(f"{tmp_path / 'new' / 'tables'}/")
    assert line.endswith(".parquet: No space left on device\n")
    assert list(tmp_path.iterdir()) == []


def test_stdout_on_a_full_device() -> None:
    command = [sys.executable, "-m", "sanlab.cli", "check", str(HELLO)]
    for options in ([], ["--json"]):
        with Path("/dev/full").open("w", encoding="utf-8") as full:
            done = subprocess.run(
                [*command, *options], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.returncode == 1
        assert done.stderr == "Cannot write: No space left on device\n"


def test_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("sanlab.plan.compile.compile_plan", fail)
    assert one_line("check", HELLO, code=1).startswith("There is not enough memory. ")


def test_python_gets_errors_of_sanlab(folder: Path, tmp_path: Path) -> None:
    truncate(folder / "tables" / "ports.parquet")
    with pytest.raises(SanlabError, match="is damaged"):
        sanlab.Run.open(folder).table("ports")
    with pytest.raises(SanlabError, match="This is a folder"):
        sanlab.run(folder, folder=tmp_path / "new")
    assert issubclass(RunError, SanlabError)
