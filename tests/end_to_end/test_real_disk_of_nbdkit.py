"""Real disks of nbdkit: measured against simulated, and addresses that cannot be used.

The delay is 200 ms and the rate 5 MiB/s, so that what a busy machine adds, some milliseconds, is
far less than the 5 % that are asserted. The tail of the response times is the machine's: nothing
is asserted of it.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app
from sanlab.errors import SanlabError
from sanlab.measurement.nbd import Export, Nbd, ask, parse_nbd

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = Path(__file__).parents[2] / "examples" / "real-rate-limited-disk"
SCRIPT = EXAMPLE / "servers.sh"
#: Simulated and measured figures agree within this.
WITHIN = 0.05

needs_nbdkit = pytest.mark.skipif(shutil.which("nbdkit") is None, reason="nbdkit is not installed")
needs_both = pytest.mark.skipif(
    shutil.which("nbdkit") is None or shutil.which("fio") is None,
    reason="nbdkit or fio is not installed",
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path: that of a Unix socket has a limit."""
    with tempfile.TemporaryDirectory(prefix="sanlab-test-") as name:
        yield Path(name)


def _script(*words: object) -> None:
    done = subprocess.run(
        ["bash", SCRIPT, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def _served(folder: Path, *words: str) -> Iterator[str]:
    """A server of nbdkit with these arguments; its URI without a name of an export."""
    place, pid = folder / "n.sock", folder / "n.pid"
    subprocess.run(["nbdkit", "-U", str(place), "-P", str(pid), *words], check=True)
    try:
        yield f"?socket={place}"
    finally:
        subprocess.run(["kill", pid.read_text().strip()], check=False)


def _measure(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["measure", str(EXAMPLE / "scenario.yaml"), *map(str, words)])
    return result.exit_code, result.output


@needs_both
def test_the_example_is_measured_as_it_is_simulated(folder: Path) -> None:
    servers = folder / "servers"
    delayed, limited = (
        f"nbd+unix:///?socket={servers}/{name}.sock" for name in ("delayed", "limited")
    )
    _script("start", servers)
    try:
        targets = ["--target", f"nbdkit.delayed={delayed}", "--target", f"nbdkit.limited={limited}"]
        code, output = _measure(*targets, "-o", folder / "refused")
        assert code == 2
        assert f"add --destructive '{delayed}'" in output
        assert not (folder / "refused").exists()
        code, output = _measure(*targets, "--destructive", delayed, "-o", folder / "measured")
        assert code == 0, output
    finally:
        _script("stop", servers)
    assert not list(servers.iterdir())
    real = sanlab.Run.open(folder / "measured")
    simulated = sanlab.run(EXAMPLE / "scenario.yaml", folder=folder / "simulated")
    assert real.manifest.measured is not None
    assert real.manifest.measured["places"]["nbdkit.delayed"] == delayed
    beside = {(row["workload"], row["op"]): row for row in simulated.rows("workloads")}
    rows = real.rows("workloads")
    assert {(row["workload"], row["op"]) for row in rows} == set(beside)
    for row in rows:
        told = beside[row["workload"], row["op"]]
        for column in ("iops", "throughput_bytes_per_s", "response_mean_ps", "response_p50_ps"):
            # The buckets of the limited disk do not serve in order: its median is the machine's.
            if column != "response_p50_ps" or row["workload"] != "scan":
                assert row[column] == pytest.approx(told[column], rel=WITHIN), (row, column)


@needs_nbdkit
@pytest.mark.parametrize(
    "words",
    [
        ["memory", "12M"],
        # Servers of other ages: without the fixed negotiation, and without padding after it.
        ["--mask-handshake=0", "memory", "12M"],
        ["--mask-handshake=1", "memory", "12M"],
    ],
)
def test_the_size_is_asked(folder: Path, words: list[str]) -> None:
    with _served(folder, *words) as place:
        assert ask(parse_nbd(f"nbd+unix:///{place}")) == Export(12 << 20, is_read_only=False)


@needs_nbdkit
def test_a_question_leaves_the_server_as_it_is(folder: Path) -> None:
    with _served(folder, "-r", "memory", "1M") as place:
        address = parse_nbd(f"nbd+unix:///{place}")
        assert [ask(address).is_read_only for _ in range(3)] == [True, True, True]


@needs_both
@pytest.mark.parametrize(
    ("server", "export", "words"),
    [
        (["-r", "memory", "64M"], "", "is read-only, and a workload writes"),
        (["memory", "0"], "", "has no bytes"),
        (
            ["--filter=exportname", "memory", "1M", "exportname=a", "exportname-strict=true"],
            "b",
            "export",
        ),
    ],
)
def test_exports_that_cannot_be_used(
    folder: Path, server: list[str], export: str, words: str
) -> None:
    with _served(folder, *server) as place:
        uri = f"nbd+unix:///{export}{place}"
        code, output = _measure("--target", f"*={uri}", "--destructive", uri, "-o", folder / "run")
    assert code == 2, output
    assert words in output
    assert not (folder / "run").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nbd://", "not the address of an export"),
        ("nbd:///disk", "not the address of an export"),
        ("nbd+unix:///disk", "not the address of an export"),
        ("nbd+unix://host/disk?socket=/s", "not the address of an export"),
        ("nbd://host?socket=/s", "not the address of an export"),
        ("nbds://host/disk", "exports with TLS"),
        ("nbd://host:port/disk", "Write nbd://HOST"),
        ("nbd://host:99999/disk", "Write nbd://HOST"),
        ("nbd://[::1/disk", "Write nbd://HOST"),
        ("http://host/disk", "not the address of an export"),
        ("nbd://host/a disk", "a space"),
        ("nbd://host/${HOME}", "fio would change"),
        ("nbd+unix:///?socket=/" + 120 * "s", "107 bytes at most"),
    ],
)
def test_addresses_that_are_refused(text: str, words: str) -> None:
    with pytest.raises(SanlabError, match=words.replace("$", r"\$")):
        parse_nbd(text)


def test_addresses_are_compared_by_their_meaning() -> None:
    assert parse_nbd("nbd://Server") == parse_nbd("nbd://server:10809/") == Nbd("", None, "server")
    assert str(parse_nbd("nbd://[::1]:5/a")) == "nbd://[::1]:5/a"
    assert parse_nbd("nbd+unix:///?socket=s") == Nbd("", Path.cwd() / "s")


def test_a_server_that_is_not_there(folder: Path) -> None:
    with pytest.raises(SanlabError, match=r"no NBD server answers at .* No such file"):
        ask(Nbd("", folder / "nothing"))
    with socket.create_server(("127.0.0.1", 0)) as line:
        port = line.getsockname()[1]
    with pytest.raises(SanlabError, match="Connection refused"):
        ask(Nbd("", None, "127.0.0.1", port))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"", "ends the connection"),
        (b"NBDMAGIC", "ends the connection"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak the newstyle"),
        (b"NBDMAGIC\x00\x00\x42\x02\x81\x86\x12\x53" + bytes(136), "does not speak the newstyle"),
        (b"NBDMAGICIHAVEOPT\x00\x03" + bytes(20), "does not follow the NBD protocol"),
    ],
)
def test_what_answers_is_not_a_server_of_exports(said: bytes, words: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as line:

        def answer() -> None:
            peer, _ = line.accept()
            with peer, contextlib.suppress(OSError):
                peer.sendall(said)
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(1024):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(SanlabError, match=words):
            ask(Nbd("", None, "127.0.0.1", line.getsockname()[1]))
        thread.join()
