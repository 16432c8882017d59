"""Simulations of the server: progress, samples, pace, stop, changes while they run."""

from __future__ import annotations

import concurrent.futures
import signal
import socket
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from serving import LONG, SCENARIO, Server, serving
from workspaces import PULLED

import sanlab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("serve")

PS = 10**12
PULL = {"op": "insert", "path": "faults", "value": {"kind": "link-down", "port": "dev1.p1"}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "san.yaml").write_text(SCENARIO, encoding="utf-8")
    (folder / "long.yaml").write_text(LONG, encoding="utf-8")
    with serving(folder) as server:
        yield server


def test_a_watched_run_has_the_fingerprint_of_one_that_is_not(
    server: Server, tmp_path: Path
) -> None:
    job = server.post("/jobs", {"path": "san.yaml", "pace": 0.02}, 201)
    events = server.events(job["id"])
    done = server.get(f"/jobs/{job['id']}")
    assert (done["state"], done["error"]) == ("done", None)
    alone = sanlab.run(server.folder / "san.yaml", folder=tmp_path / "alone")
    run = server.get(f"/runs/{done['run']}")
    end_ps = run["manifest"]["simulated_ps"]
    assert (done["now_ps"], done["end_ps"]) == (end_ps, end_ps), "a finished job is at its end"
    assert events[-1][1]["now_ps"] == end_ps
    assert run["summary"]["fingerprint"] == alone.summary()["fingerprint"]
    samples = [data for name, data in events if name == "sample"]
    times = [data["at_ps"] for data in samples]
    assert times == sorted(times)
    assert times[-1] > times[0]
    assert done["workload_names"] == ["load"]
    assert "dev1.p0" in done["port_names"]
    ports = {place for data in samples for place, _, _ in data["ports"]}
    assert ports <= set(range(len(done["port_names"])))
    rates = [data["workloads"][0][1] for data in samples]
    assert sum(rates) / len(rates) == pytest.approx(run["summary"]["iops"], rel=0.2)
    states = [data["state"] for name, data in events if name == "progress"]
    assert states[-1] == "done"


def test_a_pace_is_kept_and_a_pause_holds(server: Server) -> None:
    job = server.post("/jobs", {"path": "long.yaml", "pace": 0.1}, 201)["id"]
    while server.get(f"/jobs/{job}")["now_ps"] == 0:
        time.sleep(0.05)
    begun, first = time.monotonic(), server.get(f"/jobs/{job}")["now_ps"]
    time.sleep(2)
    moved = server.get(f"/jobs/{job}")["now_ps"] - first
    assert moved == pytest.approx((time.monotonic() - begun) * 0.1 * PS, rel=0.3)
    paused = server.post(f"/jobs/{job}/pace", {"pace": 0.1, "is_paused": True})
    assert paused["state"] == "paused"
    time.sleep(0.5)
    held = server.get(f"/jobs/{job}")["now_ps"]
    time.sleep(0.5)
    assert server.get(f"/jobs/{job}")["now_ps"] == held
    assert server.post(f"/jobs/{job}/pace", {"pace": 0.2})["state"] == "running"
    time.sleep(1)
    assert server.get(f"/jobs/{job}")["now_ps"] > held
    server.post(f"/jobs/{job}/stop")
    server.wait(job, "stopped")


def test_a_stopped_run_keeps_what_it_has(server: Server) -> None:
    job = server.post("/jobs", {"path": "long.yaml", "pace": 0.05}, 201)["id"]
    while server.get(f"/jobs/{job}")["now_ps"] < PS // 100:
        time.sleep(0.05)
    server.post(f"/jobs/{job}/stop")
    done = server.wait(job, "stopped")
    run = server.get(f"/runs/{done['run']}")
    assert run["summary"]["is_complete"] is False
    assert 0 < run["summary"]["simulated_s"] < 100
    assert server.post(f"/jobs/{job}/stop")["state"] == "stopped"
    late = server.post(f"/jobs/{job}/pace", {"pace": 1}, 409)
    assert "stopped" in late["error"]["message"]


def test_a_change_is_an_event_that_the_file_repeats(server: Server, tmp_path: Path) -> None:
    text = SCENARIO.replace("duration: 20ms", "duration: 600ms").replace("generic-16g}", "qle2672}")
    text = text.replace("rw: randread", "rw: randread, rate: 20MB/s").replace(
        "interval: 1ms", "interval: 10ms"
    )
    job = server.post("/jobs", {"text": text, "pace": 0.1}, 201)["id"]
    while server.get(f"/jobs/{job}")["now_ps"] < PS // 50:
        time.sleep(0.05)
    changed = server.post(f"/jobs/{job}/changes", {"edits": [PULL]})
    at_ps = changed["at_ps"]
    assert PS // 50 <= at_ps < PS
    assert "+faults:" in changed["diff"].splitlines()
    assert "a comment that stays" in changed["job"]["text"]
    while (found := server.get(f"/jobs/{job}"))["now_ps"] < at_ps + PS // 100:
        assert found["state"] == "running", found
        time.sleep(0.05)
    end = {"op": "set", "path": "faults[0].until"}
    again = server.post(f"/jobs/{job}/changes", {"edits": [end]})
    assert again["at_ps"] > at_ps
    server.post(f"/jobs/{job}/pace", {"pace": None})
    done = server.wait(job, "done")
    run = server.get(f"/runs/{done['run']}")
    folder = server.folder / run["summary"]["folder"]
    kept = (folder / "scenario.yaml").read_text(encoding="utf-8")
    assert kept == done["text"] == again["job"]["text"]
    repeated = sanlab.run(folder / "scenario.yaml", folder=tmp_path / "again").summary()
    assert repeated["fingerprint"] == run["summary"]["fingerprint"]
    happened = [one["at_ps"] for one in server.get(f"/runs/{done['run']}/happenings")]
    assert at_ps in happened


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"op": "set", "path": "seed", "value": 7}, "only takes new events"),
        (
            {"op": "insert", "path": "faults", "value": {"kind": "link-down", "port": "no.p1"}},
            "called 'no'",
        ),
        (
            {
                "op": "insert",
                "path": "faults",
                "value": {"kind": "link-down", "port": "dev1.p1", "at": "1us"},
            },
            "in the past",
        ),
    ],
)
def test_changes_that_are_not_events_are_refused(
    server: Server, edit: dict[str, object], words: str
) -> None:
    job = server.post("/jobs", {"path": "long.yaml", "pace": 0.1}, 201)["id"]
    while server.get(f"/jobs/{job}")["now_ps"] < PS // 100:
        time.sleep(0.05)
    refused = server.post(f"/jobs/{job}/changes", {"edits": [edit]}, 422)
    assert words in refused["error"]["message"]
    assert server.get(f"/jobs/{job}")["state"] == "running", "the run is not disturbed"
    server.post(f"/jobs/{job}/stop")
    server.wait(job, "stopped")


def test_the_map_is_that_of_the_present_time(server: Server) -> None:
    job = server.post("/jobs", {"text": PULLED, "pace": 0.1}, 201)["id"]

    def down() -> list[str]:
        found = server.get(f"/jobs/{job}/topology")
        return [link["a"] for link in found["topology"]["links"] if link["state"] == "down"]

    first = server.get(f"/jobs/{job}/topology")
    assert down() == []
    assert first["next_ps"] == PS // 10
    while server.get(f"/jobs/{job}")["now_ps"] < first["next_ps"]:
        time.sleep(0.05)
    assert down() == ["sw1.e2"]
    server.post(f"/jobs/{job}/stop")
    server.wait(job, "stopped")


def test_after_a_change_the_run_is_behind_until_it_is_back(server: Server) -> None:
    job = server.post("/jobs", {"path": "long.yaml", "pace": 0.1}, 201)["id"]
    while server.get(f"/jobs/{job}")["now_ps"] < PS // 100:
        time.sleep(0.05)
    answer = server.post(f"/jobs/{job}/changes", {"edits": [PULL]})
    assert answer["job"]["now_ps"] == 0
    map_now = server.get(f"/jobs/{job}/topology")["topology"]
    assert map_now["at_ps"] == answer["at_ps"]
    assert [one["a"] for one in map_now["links"] if one["state"] == "down"] == ["dev1.p1"]
    server.post(f"/jobs/{job}/stop")
    server.wait(job, "stopped")


def test_a_scenario_with_problems_fails_with_their_lines(server: Server) -> None:
    text = SCENARIO.replace("to: sw1}", "to: sw7}")
    job = server.post("/jobs", {"text": text, "path": "san.yaml"}, 201)["id"]
    events = server.events(job)
    assert events[-1][1]["state"] == "failed"
    found = server.get(f"/jobs/{job}")
    assert (
        found["error"]["line"] == text.splitlines().index('  - {from: "host[1..2]", to: sw7}') + 1
    )
    assert next(one["line"] for one in found["problems"]) == found["error"]["line"]


def test_jobs_beyond_the_limit_wait_and_then_are_refused(server: Server) -> None:
    slow = {"path": "long.yaml", "pace": 0.001}
    jobs = [server.client.post("/api/jobs", json=slow) for _ in range(40)]
    ids = [answer.json()["id"] for answer in jobs if answer.status_code == 201]
    try:
        assert {answer.status_code for answer in jobs} == {201, 429}
        assert jobs[-1].json()["error"]["remedy"]
        states = [job["state"] for job in server.get("/jobs")]
        assert states.count("queued") == 20
    finally:
        for job in reversed(ids):
            server.post(f"/jobs/{job}/stop")
    for job in ids:
        server.wait(job, "stopped")


def test_a_failure_matrix_is_a_job(server: Server) -> None:
    job = server.post("/failures", {"path": "san.yaml", "kinds": ["switch"]}, 201)["id"]
    done = server.wait(job, "done")
    (failure,) = done["matrix"]["failures"]
    assert (failure["kind"], failure["part"]) == ("switch", "sw1")
    assert server.post(f"/jobs/{job}/pace", {"pace": 1}, 409)["error"]["message"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, -15), (signal.SIGINT, 0)])
def test_the_end_of_the_server_ends_its_workers(tmp_path: Path, number: int, code: int) -> None:
    (tmp_path / "long.yaml").write_text(LONG, encoding="utf-8")
    with serving(tmp_path) as server:
        job = server.post("/jobs", {"path": "long.yaml", "pace": 0.1}, 201)["id"]
        while server.get(f"/jobs/{job}")["now_ps"] < PS // 100:
            time.sleep(0.05)
        server.process.send_signal(number)
        assert server.process.wait(20) == code
    runs = [path.name for path in (tmp_path / "runs").iterdir()]
    assert runs == ["long"], "the run keeps what it has"


def test_streams_beyond_the_limit_are_refused_and_closed_ones_do_not_count(server: Server) -> None:
    job = server.post("/jobs", {"path": "long.yaml", "pace": 0.05}, 201)["id"]
    url = httpx.URL(server.url)
    request = f"GET /api/jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

    def streams(count: int) -> list[socket.socket]:
        found = []
        for _ in range(count):
            sock = socket.create_connection((url.host, url.port or 80), timeout=30)
            sock.sendall(request)
            assert b" 200 OK" in sock.recv(100)
            found.append(sock)
        return found

    first = streams(64)
    time.sleep(0.5)
    answer = server.client.get(f"/api/jobs/{job}/events")
    assert answer.status_code == 429
    for sock in first:
        sock.close()
    time.sleep(1)
    for sock in streams(64):
        sock.close()
    server.post(f"/jobs/{job}/stop")
    server.wait(job, "stopped")


def test_a_second_page_sees_the_same_run(server: Server) -> None:
    job = server.post("/jobs", {"path": "san.yaml", "pace": 0.01}, 201)["id"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        one, other = pool.map(server.events, [job, job])
    assert [data for name, data in one if name == "sample"] == [
        data for name, data in other if name == "sample"
    ]
    again = server.events(job)
    assert [data for name, data in again if name == "sample"] == [
        data for name, data in one if name == "sample"
    ], "a page that comes late gets what it missed"
