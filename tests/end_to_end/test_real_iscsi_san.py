"""A real iSCSI SAN: two loads are fitted, others predicted; addresses that cannot be used.

The lines take 100 and 200 ms and carry 4 and 2 MiB/s. What a busy machine adds, some milliseconds
for each request, is far less than the 15 % that are asserted for throughputs and mean responses.
Percentiles are the machine's: nothing is asserted of them.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import SanlabError
from sanlab.measurement.iscsi import parse_iscsi

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = Path(__file__).parents[2] / "examples" / "real-iscsi-san"
#: Predictions hold within this.
WITHIN = 0.15
#: Values of the lines, as `san.sh` starts them: seconds there and back, bytes per second.
LINES = {"near": (0.1, 4 * 2**20), "far": (0.2, 2 * 2**20)}
TARGET = "iqn.2026-11.example.san"
PROGRAMS = {"fio": "fio", "tgtd": "tgt", "qemu-nbd": "qemu-utils"}
PATH = "/usr/sbin:/usr/bin:/bin"

MISSING = [name for name in PROGRAMS if not (shutil.which(name) or shutil.which(name, path=PATH))]
needs_all = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


def _script(*words: object) -> None:
    command = ["bash", str(EXAMPLE / "san.sh"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def _free_port() -> int:
    """The first of three free ports in a row."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first:
            port: int = first.getsockname()[1]
            try:
                for number in (port + 1, port + 2):
                    socket.create_server(("127.0.0.1", number)).close()
            except (OSError, OverflowError):
                continue
        return port


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder with a short path: that of a Unix socket has a limit."""
    with tempfile.TemporaryDirectory(prefix="sanlab-test-") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    found = _free_port()
    try:
        _script("start", folder / "san", found)
        yield found
    finally:
        _script("stop", folder / "san")
    assert {file.suffix for file in (folder / "san").iterdir()} == {".log"}


def _invoke(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


def _measured(folder: Path, port: int, name: str, **loads: tuple[str, int]) -> Path:
    """A measurement of 3 s; of each LUN the size and the number of open requests."""
    words: list[object] = ["--runtime", "3s", "-o", folder / name]
    for number, (lun, (size, depth)) in enumerate(loads.items(), start=1):
        words += ["--target", f"{lun}.lun1=iscsi://127.0.0.1:{port + number}/{TARGET}:{lun}/1"]
        words += [
            "--set",
            f"workloads.{lun}.bs={size}",
            "--set",
            f"workloads.{lun}.iodepth={depth}",
        ]
    code, output = _invoke("measure", EXAMPLE / "scenario.yaml", *words)
    assert code == 0, output
    return folder / name


def _number(text: str) -> float:
    """A fitted value in seconds or bytes per second."""
    for unit, factor in (("ms", 1e-3), ("MB/s", 1e6)):
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * factor
    raise AssertionError(text)


@needs_all
def test_other_loads_are_predicted(
    folder: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    small, large = ("4k", 1), ("64k", 8)
    fitted = [
        _measured(folder, port, "first", near=small, far=large),
        _measured(folder, port, "second", near=large, far=small),
    ]
    other = _measured(folder, port, "other", near=("16k", 4), far=("128k", 2))
    free = []
    for line in LINES:
        free += ["--free", f"arrays.{line}.luns.lun1.ram.latency=5ms..1000ms"]
        free += ["--free", f"arrays.{line}.luns.lun1.ram.rate=0.5MB/s..50MB/s"]
    runs = [*(word for run in fitted for word in ("--to", run)), "--check", other]
    code, output = _invoke("calibrate", EXAMPLE / "scenario.yaml", *runs, *free, "--json")
    assert code == 0, output
    found: dict[str, Any] = json.loads(output)
    predicted = [row for row in found["rows"] if not row["is_fitted"]]
    assert {(row["workload"], row["metric"]) for row in predicted} == {
        (line, metric) for line in LINES for metric in ("throughput", "mean")
    }
    assert max(abs(row["difference"]) for row in predicted) < WITHIN, predicted
    # The fit is the lines themselves.
    values = [_number(one["value"]) for one in found["parameters"]]
    for line, latency, rate in zip(LINES, values[::2], values[1::2], strict=True):
        assert (latency, rate) == pytest.approx(LINES[line], rel=WITHIN)
    # The page with both side by side.
    sets = {one["path"]: one["value"] for one in found["parameters"]}
    sets |= sanlab.Run.open(other).manifest.overrides
    sanlab.run(EXAMPLE / "scenario.yaml", overrides=sets, folder=folder / "predicted")
    code, output = _invoke("compare", folder / "predicted", other, "--html", folder / "page.html")
    assert code in (0, 3), output
    assert "An iSCSI SAN over long lines" in (folder / "page.html").read_text(encoding="utf-8")


@needs_all
def test_the_relay_costs_little_of_it(folder: Path, port: int) -> None:
    assert port
    uri = f"nbd+unix:///?socket={folder}/san/relay.sock"
    words = ["--target", f"*={uri}", "--runtime", "1s", "-o", folder / "relay"]
    code, output = _invoke("measure", EXAMPLE / "scenario.yaml", *words)
    assert code == 0, output
    for row in sanlab.Run.open(folder / "relay").rows("workloads"):
        # 0.2 ms on an idle machine, against 100 ms of the shortest line.
        assert row["response_p50_ps"] < WITHIN * LINES["near"][0] * 1e12


@needs_all
@pytest.mark.parametrize(
    ("path", "sets", "words"),
    [
        (f"{TARGET}:near/1", ["workloads.near.iodepth=17"], "16 open requests at most"),
        (f"{TARGET}:near/9", [], "LOGICAL_UNIT_NOT_SUPPORTED"),
        (f"{TARGET}:none/1", [], "cannot log in"),
        (f"{TARGET}:near/1", ["workloads.near.rw=randwrite"], "add --destructive 'iscsi://"),
    ],
)
def test_luns_that_cannot_be_used(
    folder: Path, port: int, path: str, sets: list[str], words: str
) -> None:
    place = f"iscsi://127.0.0.1:{port + 1}/{path}"
    options = [word for one in sets for word in ("--set", one)]
    code, output = _invoke(
        "measure", EXAMPLE / "scenario.yaml", "--target", f"*={place}", *options,
        "-o", folder / "refused",
    )  # fmt: skip
    assert code == 2, output
    assert words in output
    assert not (folder / "refused").exists()


@needs_all
def test_what_is_named_is_written(folder: Path, port: int) -> None:
    place = f"iscsi://127.0.0.1:{port + 1}/{TARGET}:near/1"
    before = (folder / "san" / "near.img").read_bytes()
    code, output = _invoke(
        "measure", EXAMPLE / "scenario.yaml", "--target", f"*={place}", "--destructive", place,
        "--set", "workloads.near.rw=randwrite", "--runtime", "1s", "-o", folder / "written",
    )  # fmt: skip
    assert code == 0, output
    assert (folder / "san" / "near.img").read_bytes() != before


@needs_all
def test_a_portal_that_is_not_there(folder: Path) -> None:
    place = f"iscsi://127.0.0.1:{_free_port()}/{TARGET}:near/1"
    words = ["--target", f"*={place}", "-o", folder / "nothing"]
    code, output = _invoke("measure", EXAMPLE / "scenario.yaml", *words)
    assert code == 2
    assert f"cannot log in to {place}" in output


def test_without_the_relay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fio = shutil.which("fio")
    if fio is None:
        pytest.skip("fio is not installed")
    monkeypatch.setenv("SANLAB_FIO", fio)
    monkeypatch.setenv("PATH", str(tmp_path))
    place = f"iscsi://127.0.0.1/{TARGET}:near/1"
    code, output = _invoke("measure", EXAMPLE / "scenario.yaml", "--target", f"*={place}")
    assert code == 2
    assert "apt-get install qemu-utils qemu-block-extra" in output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("iscsi://", "not the address of a LUN"),
        ("iscsi://host", "not the address of a LUN"),
        (f"iscsi://host/{TARGET}:a", "not the address of a LUN"),
        (f"iscsi://host/{TARGET}:a/b", "not the address of a LUN"),
        ("iscsi://host/disk/1", "not the address of a LUN"),
        (f"iscsi://host:x/{TARGET}:a/1", "Write iscsi://HOST"),
        (f"iscsi:///{TARGET}:a/1", "not the address of a LUN"),
        (f"iscsi://me%secret@host/{TARGET}:a/1", "a target with a password"),
    ],
)
def test_addresses_that_are_refused(text: str, words: str) -> None:
    with pytest.raises(SanlabError, match=words) as error:
        parse_iscsi(text)
    assert "secret" not in str(error.value)
