"""What can go wrong around `sanlab serve`: odd files, full disks, ends at a bad moment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from serving import SCENARIO, Server, serving
from typer.testing import CliRunner

from sanlab.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.xdist_group("serve")


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
