"""A real `sanlab serve` on loopback, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Two hosts, a switch, an array: a run of 20 ms takes less than a second.
SCENARIO = """\
# Made for tests of the server.
title: Two hosts  # a comment that stays
seed: 3

hosts:
  - {name: "host[1..2]", hbas: {model: generic-16g}}

switches:
  - {name: sw1, speed: 16GFC}

arrays:
  - name: dev1
    model: generic-16g
    ports: 2
    luns: [{name: "lun[1..2]", size: 10GiB}]

links:
  - {from: "host[1..2]", to: sw1}
  - {from: "dev1.p[0..1]", to: sw1}

workloads:
  - {name: load, hosts: "host[1..2]", targets: "dev1.lun[1..2]", rw: randread, bs: 8k, iodepth: 4}

measure: {duration: 20ms, interval: 1ms}
"""
LONG = SCENARIO.replace("duration: 20ms, interval: 1ms", "duration: 100s, interval: 1s")


@dataclass(frozen=True)
class Server:
    """A server that runs, and a client of it."""

    url: str
    client: httpx.Client
    process: subprocess.Popen[str]
    folder: Path

    def get(self, path: str, **query: object) -> Any:  # noqa: ANN401  plain data
        """Return an answer as plain data; anything but 200 fails."""
        answer = self.client.get(f"/api{path}", params=query)  # type: ignore[arg-type]
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: object = None, status: int = 200) -> Any:  # noqa: ANN401
        """Return an answer as plain data."""
        answer = self.client.post(f"/api{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def wait(self, job: str, *states: str, patience_s: float = 60.0) -> Any:  # noqa: ANN401
        """Return a job as soon as it has one of these states."""
        until, found = time.monotonic() + patience_s, None
        while time.monotonic() < until:
            found = self.get(f"/jobs/{job}")
            if found["state"] in states:
                return found
            assert found["state"] not in ("failed", "done", "stopped"), found
            time.sleep(0.05)
        message = f"job {job} is not {states}: {found}"
        raise AssertionError(message)

    def events(self, job: str, most: int = 1000) -> list[tuple[str, Any]]:
        """Return the events of a job, until it ends or there are enough."""
        found: list[tuple[str, Any]] = []
        with self.client.stream("GET", f"/api/jobs/{job}/events") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            name = ""
            for line in stream.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                if line.startswith("data: "):
                    found.append((name, json.loads(line.removeprefix("data: "))))
                    if len(found) >= most:
                        break
        return found


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """Start a server on a free port; end it by SIGTERM, and expect a good end."""
    command = [sys.executable, "-m", "sanlab.cli", "serve", str(folder), "--port", "0"]
    process = subprocess.Popen(
        [*command, "--no-browser", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://"), process.stderr and process.stderr.read()
        base = url.partition("?")[0].rstrip("/")
        with httpx.Client(base_url=base, trust_env=False, timeout=60) as client:
            _wait_for(client)
            yield Server(url, client, process, folder)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        finally:
            process.communicate()


def _wait_for(client: httpx.Client) -> None:
    for _ in range(200):
        with contextlib.suppress(httpx.ConnectError):
            client.get("/api/about")
            return
        time.sleep(0.05)
    message = "the server does not answer"
    raise AssertionError(message)
