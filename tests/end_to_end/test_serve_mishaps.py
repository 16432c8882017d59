"""What can go wrong around `sanlab serve`: odd files, full disks, ends at a bad moment."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
from typing import TYPE_CHECKING

import httpx
import pytest
from serving import LONG, SCENARIO, Server, serving
from typer.testing import CliRunner

import sanlab
from sanlab.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("serve")

SERVE = [sys.executable, "-m", "sanlab.cli", "serve"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "san.yaml").write_text(SCENARIO, encoding="utf-8")
    with serving(folder) as server:
        job = server.post("/jobs", {"path": "san.yaml"}, 201)
        server.wait(job["id"], "done")
        yield server


def refused(server: Server, path: str, status: int, text: str = "a: 1\n") -> dict[str, str]:
    """Save a scenario, expect this status, and return the error."""
    answer = server.client.put(f"/api/scenarios/{path}", json={"text": text}, timeout=10)
    assert answer.status_code == status, answer.text
    error: dict[str, str] = answer.json()["error"]
    assert error["message"]
    assert error["remedy"]
    return error


def test_a_pipe_is_no_scenario_and_holds_nothing_up(server: Server) -> None:
    pipe = server.folder / "fifo.yaml"
    os.mkfifo(pipe)
    try:
        assert "pipe" in refused(server, "fifo.yaml", 400)["message"]
        answer = server.client.get("/api/scenarios/fifo.yaml", timeout=10)
        assert answer.status_code == 404
        assert "fifo.yaml" not in [row["path"] for row in server.get("/scenarios")]
        saved = server.client.put("/api/scenarios/after.yaml", json={"text": "a: 1\n"}, timeout=10)
        assert saved.status_code == 200
        checked = CliRunner().invoke(app, ["check", str(pipe)])
        assert checked.exit_code == 2
        assert "This is a pipe or a device, not a file" in checked.output
    finally:
        pipe.unlink()
        (server.folder / "after.yaml").unlink(missing_ok=True)


def test_a_pipe_in_place_of_a_manifest_is_no_run(server: Server) -> None:
    (server.folder / "odd").mkdir()
    os.mkfifo(server.folder / "odd/manifest.json")
    assert [row["id"] for row in server.get("/runs")] == ["runs:san"]
    (server.folder / "odd/manifest.json").unlink()


def test_an_open_stream_does_not_hold_up_the_end(tmp_path: Path) -> None:
    (tmp_path / "long.yaml").write_text(LONG, encoding="utf-8")
    with serving(tmp_path) as server:
        job = server.post("/jobs", {"path": "long.yaml", "pace": 0.01}, 201)["id"]
        while server.get(f"/jobs/{job}")["now_ps"] == 0:
            time.sleep(0.05)
        with server.client.stream("GET", f"/api/jobs/{job}/events") as stream:
            next(stream.iter_lines())
            begun = time.monotonic()
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(20) == 0
            assert time.monotonic() - begun < 3.0  # less than requests are given
        assert server.process.stderr is not None
        assert server.process.stderr.read() == ""


@pytest.mark.parametrize("size", [0, 4096])
def test_a_full_disk_leaves_the_list_without_an_index(tmp_path: Path, size: int) -> None:
    """A file that can be no larger than this stands for a disk that is full."""
    code = (
        "import resource, signal, sys; from pathlib import Path;"
        "from sanlab.server.index import Index; from sanlab.server.workspace import Workspace;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
        "print(len(Index(Workspace(Path(sys.argv[1]))).runs()))"
    )
    (tmp_path / "san.yaml").write_text(SCENARIO, encoding="utf-8")
    sanlab.run(tmp_path / "san.yaml", folder=tmp_path / "runs/san")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr
    index = tmp_path / ".sanlab/index.sqlite"
    assert not index.exists() or index.stat().st_size > 0


@pytest.mark.parametrize(
    "path",
    ["runs/san/scenario.yaml", "runs/san/new/a.yaml", "runs/fresh/scenario.yaml", "alias/a.yaml"],
)
def test_results_are_not_written_to(server: Server, path: str) -> None:
    alias = server.folder / "alias"
    alias.symlink_to(server.folder / "runs/san")
    before = sorted(server.folder.rglob("*"))
    try:
        error = refused(server, path, 409)
        assert "a folder of results" in error["message"]
        assert sorted(server.folder.rglob("*")) == before
    finally:
        alias.unlink()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{'a' * 251}.yaml", 400),
        (f"{'a' * 245}.yaml", 400),
        (f"{'a' * 300}/a.yaml", 400),
        ("san.yaml/a.yaml", 409),
        ("folder.yaml", 400),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(server: Server, path: str, status: int) -> None:
    (server.folder / "folder.yaml").mkdir(exist_ok=True)
    error = refused(server, path, status)
    assert str(server.folder) not in str(error)
    assert server.client.get(f"/api/scenarios/{path}").status_code in (400, 404)


def test_a_save_on_a_full_disk_keeps_the_file(tmp_path: Path) -> None:
    """The largest size that a file may have stands for what is free on the disk."""
    with serving(tmp_path) as server:
        first = server.client.put("/api/scenarios/a.yaml", json={"text": "a: 1\n"})
        number = server.process.pid
        resource.prlimit(number, resource.RLIMIT_FSIZE, (4096, 4096))
        body = {"text": "# more\n" * 2000, "digest": first.json()["digest"]}
        answer = server.client.put("/api/scenarios/a.yaml", json=body)
        assert answer.status_code == 507
        assert answer.json()["error"]["message"] == "a.yaml is not saved: File too large"
        assert "Free space" in answer.json()["error"]["remedy"]
        assert (tmp_path / "a.yaml").read_text(encoding="utf-8") == "a: 1\n"
        assert [one.name for one in tmp_path.iterdir()] == ["a.yaml"]


def test_errors_name_paths_within_the_workspace(server: Server) -> None:
    (server.folder / "bad.yaml").write_bytes(b"title: \xff\n")
    (server.folder / "odd").mkdir(exist_ok=True)
    (server.folder / "odd/manifest.json").write_text("{", encoding="utf-8")
    for path in ("/scenarios/bad.yaml", "/runs/odd"):
        answer = server.client.get(f"/api{path}")
        assert answer.status_code == 422
        assert str(server.folder) not in answer.text
    assert server.client.get("/api/scenarios/bad.yaml").json()["error"]["file"] == "bad.yaml"
    (server.folder / "odd/manifest.json").unlink()


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("slowest?workload=zz", 404, "load"),
        ("explain?workload=zz", 404, "load"),
        ("access?host=zz", 404, "host1, host2"),
        ("ladder?io=load%231&rank=1", 422, "one of them"),
        ("capture?io=load%231&rank=1", 422, "one of them"),
    ],
)
def test_names_that_are_not_there_are_refused(
    server: Server, path: str, status: int, said: str
) -> None:
    answer = server.client.get(f"/api/runs/runs:san/{path}")
    assert answer.status_code == status
    assert said in answer.json()["error"]["remedy"]


def test_one_workload_is_explained(server: Server) -> None:
    found = server.get("/runs/runs:san/explain", workload="load")
    assert [one["workload"] for one in found["workloads"]] == ["load"]


def test_the_printed_address_can_be_opened_elsewhere(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*SERVE, str(tmp_path), "--no-browser", "--port", "0", "--host", "0.0.0.0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        url = urllib.parse.urlsplit(process.stdout.readline().strip())
        assert url.hostname in (socket.gethostname().lower(), "localhost")
        # A browser writes a warning where the header cannot hold.
        other = httpx.get(f"http://127.0.0.1:{url.port}", headers={"Host": "10.1.2.3"})
        assert "cross-origin-opener-policy" not in other.headers
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("content", "said"), [(None, "No such file"), (b"\xff\xfe" * 20, "is not text")]
)
def test_a_token_file_that_cannot_be_read_is_one_sentence(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    done = CliRunner().invoke(app, ["serve", str(tmp_path), "--token-file", str(file)])
    assert done.exit_code == 2
    assert said in done.output
    assert "openssl rand -hex 24" in done.output
    assert "Errno" not in done.output


@pytest.mark.parametrize("host", ["san.example", "127.0.0.1:8717"])
def test_a_proxy_shows_the_page_under_its_name(tmp_path: Path, host: str) -> None:
    """Some proxies pass the name on, others write their own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    public = ["--public-url", "https://SAN.example/"]
    process = subprocess.Popen(
        [*SERVE, str(tmp_path), "--no-browser", *public, "--port", str(port)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        address, _, token = process.stdout.readline().strip().partition("?token=")
        assert address == "https://san.example/"
        base = f"http://127.0.0.1:{port}"
        headers = {"Host": host, "Origin": "https://san.example"}

        def save(more: dict[str, str]) -> int:
            url = f"{base}/api/check"
            sent = headers | more
            return httpx.post(url, json={"text": ""}, headers=sent, trust_env=False).status_code

        assert save({}) == 401
        bearer = {"Authorization": f"Bearer {token}"}
        assert save(bearer) == 200
        assert save(bearer | {"Origin": "https://other.example"}) == 403
        assert save(bearer | {"Host": "other.example"}) == 421
        signed = httpx.get(f"{base}/?token={token}", headers={"Host": host}, trust_env=False)
        assert ("Secure" in signed.headers["set-cookie"]) == (host == "san.example")
        assert "cross-origin-opener-policy" in signed.headers
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("url", ["san.example", "https://a.example/san", "https://", "ftp://a.b"])
def test_a_public_url_is_one_of_a_whole_server(tmp_path: Path, url: str) -> None:
    done = CliRunner().invoke(app, ["serve", str(tmp_path), "--public-url", url])
    assert done.exit_code == 2
    assert "https://NAME" in done.output
