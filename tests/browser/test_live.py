"""A simulation as one watches it, and as one changes it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from browsing import visit
from playwright.sync_api import Locator, Page, expect
from serving import SCENARIO, Server
from workspaces import LIVE, PULLED

if TYPE_CHECKING:
    from pathlib import Path

    from browsing import Visit
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.xdist_group("browser")


def watch(
    tab: Visit, server: Server, pace: float | None = 1.0, text: str = LIVE
) -> tuple[str, Page]:
    """Start a simulation and watch it until samples arrive."""
    job = server.post("/jobs", {"text": text, "pace": pace}, 201)["id"]
    page = tab.open("job", job)
    expect(page.locator(".card", has_text="Throughput")).to_be_visible()
    return job, page


def finish(page: Page) -> None:
    page.get_by_role("button", name="Full speed").click()
    expect(page.locator("h1")).to_contain_text("done", timeout=30_000)


def stop(page: Page) -> None:
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("h1")).to_contain_text("stopped")


def job_folder(server: Server, job: str) -> str:
    """Return the folder of the run of a job, as the list of runs shows it."""
    run: str = server.get(f"/jobs/{job}")["run"]
    return run.removeprefix("runs:")


def changes_of(page: Page) -> Locator:
    return page.get_by_label("Changes", exact=True)


def ready(page: Page) -> None:
    """Wait until the run is back at its last change."""
    expect(page.get_by_text("simulating again")).to_have_count(0)


def test_a_run_is_started_watched_and_opened(tab: Visit, server: Server) -> None:
    page = tab.open("scenario", "live.yaml")
    page.get_by_role("button", name="Run …").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="1×", exact=True).click()
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("h1")).to_contain_text("running")
    expect(page.locator("svg.map .wire.level-1").first).to_be_attached()
    before = page.locator("progress").get_attribute("value")
    expect(page.locator("progress")).not_to_have_attribute("value", before or "")
    finish(page)
    page.get_by_role("link", name="Open the run").click()
    expect(page.get_by_role("heading", name="Limits", exact=True)).to_be_visible()


def test_a_pulled_cable_is_an_event_that_the_file_repeats(
    tab: Visit, server: Server, tmp_path: Path
) -> None:
    job, page = watch(tab, server)
    details = tab.choose_link("sw1", "sw2.e2")
    details.get_by_role("button", name="Pull this cable").click()
    expect(changes_of(page)).to_contain_text("link-down")
    expect(details).to_contain_text("down")
    expect(page.locator("svg.map .wire.down")).to_have_count(1)
    finish(page)
    done = server.wait(job, "done")
    folder = server.folder / "runs" / done["run"].removeprefix("runs:")
    command = [sys.executable, "-m", "sanlab.cli", "run", str(folder / "scenario.yaml")]
    subprocess.run([*command, "--out", str(tmp_path / "again")], check=True, capture_output=True)
    again = json.loads((tmp_path / "again/manifest.json").read_text(encoding="utf-8"))
    run = server.get(f"/runs/{done['run']}")
    assert again["fingerprint"] == run["summary"]["fingerprint"]


def test_the_rate_follows_a_limit(tab: Visit, server: Server) -> None:
    job, page = watch(tab, server)
    details = tab.choose("host1")
    details.get_by_label("QoS limit").fill("2MB/s")
    details.get_by_role("button", name="Limit", exact=True).click()
    expect(changes_of(page)).to_contain_text("limit: 2MB/s")
    finish(page)
    at_s = server.get(f"/jobs/{job}")["changed_at_ps"] / 1e12
    run = server.wait(job, "done")["run"]
    series = server.get(f"/runs/{run}/series/port/sw1.f0", metric="sent")
    by_time = list(zip(series["at_s"], series["values"], strict=True))
    before = [rate for time_s, rate in by_time if 0.1 < time_s < at_s - 0.2]
    after = [rate for time_s, rate in by_time if time_s > at_s + 0.5]
    assert before
    assert sum(before) / len(before) == pytest.approx(20e6, rel=0.15)
    # A limit is one for each pair of ports, and the array has two.
    assert 2e6 * 0.8 < sum(after) / len(after) < 4e6 * 1.2


def test_a_module_fails_and_a_zone_set_is_activated(tab: Visit, server: Server) -> None:
    job, page = watch(tab, server)
    details = tab.choose("sw1")
    details.get_by_label("Module").select_option("1")
    details.get_by_role("button", name="Fail", exact=True).click()
    expect(changes_of(page)).to_contain_text("module-failure")
    ready(page)
    details.get_by_label("Zone set").select_option("night")
    details.get_by_role("button", name="Activate").click()
    expect(changes_of(page)).to_contain_text("set: night")
    assert "set: night" in server.get(f"/jobs/{job}")["text"]
    stop(page)


def test_two_changes_at_one_instant_are_both_shown(tab: Visit, server: Server) -> None:
    job, page = watch(tab, server)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("h1")).to_contain_text("paused")
    details = tab.choose("sw1")
    details.get_by_label("Module").select_option("1")
    details.get_by_role("button", name="Fail", exact=True).click()
    expect(changes_of(page)).to_contain_text("module-failure")
    details.get_by_label("Zone set").select_option("night")
    details.get_by_role("button", name="Activate").click()
    expect(changes_of(page)).to_contain_text("set: night")
    heads = changes_of(page).get_by_role("heading", level=3).all_inner_texts()
    assert len(heads) == 2
    assert heads[0] == heads[1]
    assert "set: night" in server.get(f"/jobs/{job}")["text"]
    stop(page)


def test_a_fault_of_the_scenario_shows_when_it_happens(tab: Visit, server: Server) -> None:
    job, page = watch(tab, server, pace=0.1, text=PULLED)
    expect(page.locator("svg.map .wire.down")).to_have_count(1)
    expect(page.locator("svg.map .wire.was_down")).to_have_count(1)
    stop(page)
    assert server.wait(job, "stopped")


def test_pace_pause_and_stop(tab: Visit, server: Server) -> None:
    job, page = watch(tab, server, pace=0.1)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("h1")).to_contain_text("paused")
    page.wait_for_timeout(500)  # the worker hears of it at its next look
    held = server.get(f"/jobs/{job}")["now_ps"]
    page.wait_for_timeout(300)
    assert server.get(f"/jobs/{job}")["now_ps"] == held
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("h1")).to_contain_text("running")
    page.get_by_role("button", name="1×", exact=True).click()
    expect(page.get_by_role("button", name="1×", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    stop(page)
    page.get_by_role("link", name="Open the run").click()
    expect(page.get_by_text("stopped at").first).to_contain_text("of 6.00 s")
    row = (
        tab.open()
        .get_by_role("row")
        .filter(has=tab.page.get_by_role("cell", name=job_folder(server, job), exact=True))
    )
    expect(row.first).to_contain_text(re.compile(r"stopped.* of 6\.00 s"))


def test_two_tabs_show_one_run(context: BrowserContext, tab: Visit, server: Server) -> None:
    job, page = watch(tab, server, pace=0.1)
    other = visit(context, tab.url)
    second = other.open("job", job)
    expect(second.locator("h1")).to_contain_text("running")
    second.get_by_role("button", name="Pause").click()
    expect(second.locator("h1")).to_contain_text("paused")
    expect(page.locator("h1")).to_contain_text("paused")
    second.get_by_role("button", name="Continue").click()
    expect(page.locator("h1")).to_contain_text("running")
    second.close()
    stop(page)
    other.require_quiet()


def test_a_watched_run_has_the_fingerprint_of_one_that_is_not(tab: Visit, server: Server) -> None:
    job, page = watch(tab, server, pace=0.02, text=SCENARIO)
    expect(page.locator("h1")).to_contain_text("done")
    watched = server.get(f"/runs/{server.wait(job, 'done')['run']}")["summary"]
    alone = server.get("/runs/runs:san")["summary"]
    assert watched["fingerprint"] == alone["fingerprint"]


def test_updates_draw_only_what_is_in_view_and_changes(tab: Visit, server: Server) -> None:
    _job, page = watch(tab, server, pace=0.1)
    page.evaluate(
        """() => {
          window.drawn = 0;
          const { clearRect } = CanvasRenderingContext2D.prototype;
          CanvasRenderingContext2D.prototype.clearRect = function (...area) {
            window.drawn += 1;
            return clearRect.apply(this, area);
          };
        }"""
    )
    charts = page.locator(".uplot")
    progress = page.locator("progress")

    def drawn() -> int:
        """Return the charts drawn while the run goes on for ten updates."""
        count: int = page.evaluate(
            """async () => {
              const progress = document.querySelector('progress');
              window.drawn = 0;
              let moves = 0;
              await new Promise((done) => {
                const observer = new MutationObserver(() => {
                  moves += 1;
                  if (moves === 10) { observer.disconnect(); done(); }
                });
                observer.observe(progress, { attributes: true });
              });
              return window.drawn;
            }"""
        )
        return count

    charts.last.scroll_into_view_if_needed()
    page.wait_for_timeout(3000)  # the busiest ports are found
    before = charts.element_handles()
    assert drawn() >= 10
    page.set_viewport_size({"width": 1280, "height": 500})
    page.evaluate("() => window.scrollTo(0, 0)")
    expect(progress).to_be_in_viewport()
    expect(charts.first).not_to_be_in_viewport()
    page.wait_for_timeout(500)
    assert drawn() == 0
    assert all(chart.evaluate("(node) => node.isConnected") for chart in before)
    expect(page.locator("svg.map .wire title")).to_have_count(0)
    stop(page)
