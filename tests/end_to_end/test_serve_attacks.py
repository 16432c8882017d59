"""Requests that must not get through: paths, sizes, origins, tokens, slow and broken ones."""

from __future__ import annotations

import concurrent.futures
import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from serving import SCENARIO, Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("serve")

TOKEN = "a-token-for-tests-0123456789"
SECRET = "not for you"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    base = tmp_path_factory.mktemp("base")
    (base / "outside.yaml").write_text(SECRET, encoding="utf-8")
    (base / "outside").mkdir()
    (base / "outside/manifest.json").write_text("{}", encoding="utf-8")
    folder = base / "workspace"
    folder.mkdir()
    (folder / "san.yaml").write_text(SCENARIO, encoding="utf-8")
    (folder / "link.yaml").symlink_to(base / "outside.yaml")
    (folder / "linked").symlink_to(base / "outside")
    (folder / f"{SCRIPT.replace('/', '')}.yaml").write_text(f"title: {SCRIPT}\n", encoding="utf-8")
    (folder / ".hidden.yaml").write_text(SECRET, encoding="utf-8")
    with serving(folder) as server:
        yield server


def raw(server: Server, request: bytes, patience_s: float = 10.0) -> bytes:
    """Send bytes as they are; return everything that comes back."""
    url = httpx.URL(server.url)
    with socket.create_connection((url.host, url.port or 80), timeout=patience_s) as sock:
        sock.sendall(request)
        parts = []
        while part := sock.recv(65536):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(
    "path",
    [
        "../outside.yaml",
        "%2e%2e/outside.yaml",
        "..%2foutside.yaml",
        "..%252foutside.yaml",
        "x/../../outside.yaml",
        "%2fetc%2fpasswd",
        "/etc/passwd.yaml",
        "san.yaml%00.yaml",
        "%00",
        "..%5coutside.yaml",
        "link.yaml",
        ".hidden.yaml",
        ".sanlab/index.sqlite",
        "linked/x.yaml",
        "a" * 5000 + ".yaml",
        "sa%0an.yaml",
        "manifest.json",
    ],
)
def test_no_path_leaves_the_workspace(server: Server, path: str) -> None:
    head = f"/api/scenarios/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    answer = raw(server, f"GET {head}\r\n".encode())
    assert answer.split(b" ")[1] in (b"400", b"404")
    assert SECRET.encode() not in answer
    body = '{"text": "changed: 1"}'
    length = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    answer = raw(server, f"PUT {head}{length}".encode())
    assert answer.split(b" ")[1] in (b"400", b"404")
    outside = server.folder.parent / "outside.yaml"
    assert outside.read_text(encoding="utf-8") == SECRET
    assert not (server.folder.parent / "outside/x.yaml").exists()


@pytest.mark.parametrize(
    "run", ["linked", "..", "..:outside", "%2e%2e", "x", ":etc", "~1", "%00", ""]
)
def test_no_run_is_outside_the_workspace(server: Server, run: str) -> None:
    for path in (f"/runs/{run}/tables", f"/runs/{run}/files/manifest.json", f"/sweeps/{run}/x"):
        answer = server.client.get(f"/api{path}")
        assert answer.status_code in (400, 404), answer.text
    assert server.get("/runs") == []


@pytest.mark.parametrize(
    "file", ["../../san.yaml", "%2e%2e/x", "tables/../plan.json", "tables/x.csv"]
)
def test_no_file_is_outside_a_run(server: Server, file: str) -> None:
    job = server.post("/jobs", {"path": "san.yaml"}, 201)["id"]
    run = server.wait(job, "done")["run"]
    head = (
        f"GET /api/runs/{run}/files/{file} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    assert raw(server, head.encode()).split(b" ")[1] in (b"400", b"404")
    for path in (server.folder / "runs").iterdir():
        for part in sorted(path.rglob("*"), reverse=True):
            part.unlink() if part.is_file() else part.rmdir()
        path.rmdir()


def test_the_page_has_no_files_but_its_own(server: Server) -> None:
    for path in ("../app.py", "%2e%2e/app.py", "..%2fapp.py", "assets/../../app.py", "%00"):
        head = f"GET /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        answer = raw(server, head.encode())
        assert answer.split(b" ")[1] in (b"200", b"404")
        assert b"create_app" not in answer


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "", "[::2]", "10.0.0.1"]
)
def test_another_host_name_is_refused(server: Server, host: str) -> None:
    answer = server.client.get("/api/about", headers={"Host": host})
    assert answer.status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "file://"},
    ],
)
def test_another_site_changes_nothing(server: Server, headers: dict[str, str]) -> None:
    for method, path in (("POST", "/api/jobs"), ("PUT", "/api/scenarios/a.yaml")):
        body = {"text": "a: 1"}
        answer = server.client.request(method, path, json=body, headers=headers)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
    assert not (server.folder / "a.yaml").exists()


def test_another_site_reads_nothing(server: Server) -> None:
    answer = server.client.get("/api/scenarios", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    answer = server.client.get("/api/scenarios", headers={"Origin": "http://evil.example"})
    assert "access-control-allow-origin" not in answer.headers
    preflight = server.client.options(
        "/api/jobs",
        headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"},
    )
    assert preflight.status_code >= 400


def test_a_form_of_another_site_is_no_request(server: Server) -> None:
    text = '{"text": "a: 1"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = server.client.post("/api/check", content=text, headers={"Content-Type": kind})
        assert answer.status_code == 422


def test_the_page_of_the_server_may_write(server: Server) -> None:
    origin = server.url.rstrip("/")
    headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin"}
    answer = server.client.post("/api/check", json={"text": "a: 1"}, headers=headers)
    assert answer.status_code == 200


def test_large_bodies_are_refused(server: Server) -> None:
    large = b'{"text": "' + b"a" * (40 * 2**20) + b'"}'
    head = {"Content-Type": "application/json"}
    try:
        answer = server.client.post("/api/check", content=large, headers=head)
    except httpx.WriteError:
        pass  # it closed the connection before the end of the body
    else:
        assert answer.status_code == 413

    def parts() -> Iterator[bytes]:
        for _ in range(80):
            yield b"a" * 2**20

    try:
        answer = server.client.post("/api/check", content=parts(), headers=head)
    except httpx.WriteError:
        pass
    else:
        assert answer.status_code == 413
    answer = server.client.request("GET", "/api/about", content=b"x")
    assert answer.status_code == 413
    text = {"text": "#" * (17 * 2**20)}
    assert server.client.post("/api/check", json=text).status_code == 422
    assert server.client.get(f"/api/about?x={'y' * 9000}").status_code == 414
    assert server.get("/about")["version"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"nul",
        b'{"text": 3}',
        b'{"text": "a", "unknown": 1}',
        b"\xff\xfe",
        b'{"text": "\\ud800"}',
        b"[" * 100_000,
        b'{"text": NaN}',
    ],
)
def test_malformed_bodies_get_a_clear_error(server: Server, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    for path in ("/api/check", "/api/jobs", "/api/edit"):
        answer = server.client.post(path, content=body, headers=headers)
        assert 400 <= answer.status_code < 500, answer.text
        assert set(answer.json()) == {"error"}


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /api/about HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n",
        b"POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        (
            b"POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    ],
)
def test_broken_requests_are_refused(server: Server, request_: bytes) -> None:
    try:
        answer = raw(server, request_)
    except ConnectionResetError:
        answer = b""
    assert answer == b"" or answer.split(b" ")[1][:1] == b"4"
    assert server.get("/about")["version"]


@pytest.mark.slow
def test_slow_requests_are_ended(server: Server) -> None:
    url = httpx.URL(server.url)
    begun = time.monotonic()
    idle = socket.create_connection((url.host, url.port or 80), timeout=60)
    head = socket.create_connection((url.host, url.port or 80), timeout=60)
    head.sendall(b"GET /api/about HTTP/1.1\r\nHost: localhost\r\n")
    body = socket.create_connection((url.host, url.port or 80), timeout=60)
    body.sendall(b"POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    assert server.get("/about")["version"], "others are served meanwhile"
    assert idle.recv(100) == b""
    assert head.recv(100) == b""
    assert time.monotonic() - begun < 25
    assert b" 408 " in body.recv(1000)
    for sock in (idle, head, body):
        sock.close()


def test_names_with_scripts_are_inert(server: Server) -> None:
    answer = server.client.get("/api/scenarios")
    assert SCRIPT in {row["title"] for row in answer.json()}
    assert answer.headers["content-type"] == "application/json"
    refused = server.client.get(f"/api/scenarios/{SCRIPT}.txt")
    for one in (answer, refused, server.client.get(f"/{SCRIPT}")):
        assert one.headers["x-content-type-options"] == "nosniff"
        policy = one.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        script = next(part for part in policy.split("; ") if part.startswith("script-src"))
        assert script == "script-src 'self'"
        assert one.headers["referrer-policy"] == "no-referrer"


def test_fifty_clients_at_once(server: Server) -> None:
    def ask(number: int) -> list[int]:
        with httpx.Client(base_url=server.client.base_url, trust_env=False, timeout=60) as client:
            text = SCENARIO.replace("seed: 3", f"seed: {number}")
            answers = [
                client.get("/api/about"),
                client.get("/api/scenarios/san.yaml"),
                client.post("/api/check", json={"text": text}),
                client.put(f"/api/scenarios/many/{number}.yaml", json={"text": text}),
                client.get(f"/api/scenarios/many/{number}.yaml"),
                client.get("/api/runs"),
                client.get("/api/jobs"),
            ]
            assert answers[4].json()["text"] == text
            return [answer.status_code for answer in answers]

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        codes = list(pool.map(ask, range(50)))
    assert codes == [[200] * 7] * 50


def test_of_fifty_that_save_at_once_one_wins(server: Server) -> None:
    digest = server.client.put("/api/scenarios/race.yaml", json={"text": "a: 0\n"}).json()["digest"]

    def save(number: int) -> int:
        body = {"text": f"a: {number + 1}\n", "digest": digest}
        url = server.client.base_url.join("/api/scenarios/race.yaml")
        return httpx.put(url, json=body, trust_env=False, timeout=60).status_code

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        codes = sorted(pool.map(save, range(50)))
    assert codes == [200] + [409] * 49


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("locked")
    (folder.parent / "token").write_text(f"{TOKEN}\n", encoding="ascii")
    with serving(folder, "--token-file", str(folder.parent / "token")) as server:
        yield server


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer x"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Cookie": "sanlab_token=wrong"},
        {"Cookie": 'sanlab_token="\\'},
        {"Authorization": "Bearer tökén".encode("latin-1").decode("latin-1")},
    ],
)
def test_without_the_token_nothing_is_served(locked: Server, headers: dict[str, str]) -> None:
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    for path in ("/", "/api/about", "/api/openapi.json", "/?token=wrong", "/assets/x.js"):
        answer = httpx.get(locked.client.base_url.join(path), headers=encoded, trust_env=False)
        assert answer.status_code == 401, path
        assert TOKEN not in answer.text


def test_the_token_is_a_header_or_a_cookie_that_scripts_cannot_read(locked: Server) -> None:
    about = locked.client.base_url.join("/api/about")
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert httpx.get(about, headers=bearer, trust_env=False).status_code == 200
    assert locked.url.endswith(f"/?token={TOKEN}")
    with httpx.Client(trust_env=False) as client:
        answer = client.get(locked.url)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert client.get(about).status_code == 200


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "sanlab.cli", "serve", *words, "--no-browser"]


def test_other_addresses_get_a_token_of_their_own(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as server:
        port = httpx.URL(server.url).port
        token = server.url.partition("?token=")[2]
        assert len(token) >= 32
        base = f"http://127.0.0.1:{port}"
        assert httpx.get(f"{base}/api/about", trust_env=False).status_code == 401
        bearer = {"Authorization": f"Bearer {token}"}
        answer = httpx.get(f"{base}/api/about", headers=bearer, trust_env=False)
        assert answer.status_code == 200
        evil = bearer | {"Host": "evil.example"}
        assert httpx.get(f"{base}/api/about", headers=evil, trust_env=False).status_code == 421


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "is not a folder"),
        ([".", "--token-file", "nowhere"], "cannot be read as a token"),
        ([".", "--token-file", "short"], "a token has 16 letters"),
        ([".", "--host", "192.0.2.1"], "Cannot listen on 192.0.2.1"),
        ([".", "--port", "70000"], "--port"),
    ],
)
def test_bad_options_get_one_clear_error(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "short").write_text("abc", encoding="ascii")
    done = subprocess.run(
        command(*words),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"COLUMNS": "300"},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_port_in_use_is_said(server: Server, tmp_path: Path) -> None:
    port = str(httpx.URL(server.url).port)
    done = subprocess.run(
        command(str(tmp_path), "--port", port),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "Choose another --port" in done.stderr
