"""The tours of the manual, step by step; with SANLAB_PICTURES they write its pictures."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import visit
from playwright.sync_api import expect
from serving import Server, serving

import sanlab

if TYPE_CHECKING:
    from collections.abc import Iterator

    from browsing import Visit
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PICTURES = os.environ.get("SANLAB_PICTURES")
#: Largest file of a picture, in bytes.
MOST_BYTES = 150_000
#: A fabric with two links between its switches, slow enough to watch.
FAILOVER = """\
title: Two links between two switches
seed: 1
hosts:
  - {name: "host[1..4]", hbas: {model: generic-16g, command_timeout: 500ms}}
switches:
  - {name: "sw[1..2]", speed: 16GFC}
arrays:
  - {name: dev1, model: generic-16g, ports: 4, luns: [{name: "lun[1..4]", size: 100GiB}]}
links:
  - {from: "host[1..4]", to: sw1}
  - {from: "dev1.p[0..3]", to: sw2}
  - {from: sw1, to: sw2, count: 2}
workloads:
  - {name: load, hosts: "host[1..4]", targets: "dev1.lun[1..4]",
     rw: randread, bs: 64k, iodepth: 4, rate: 100MB/s}
measure: {duration: 4s, interval: 50ms}
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("my-san")
    (folder / "failover.yaml").write_text(FAILOVER, encoding="utf-8")
    slow = folder / "slow-receiver.yaml"
    slow.write_text((EXAMPLES / "slow-receiver/scenario.yaml").read_text("utf-8"), "utf-8")
    sanlab.run(slow, folder=folder / "runs/slow-receiver")
    with serving(folder) as server:
        yield server


@pytest.fixture
def tour(browser: Browser, workspace: Server) -> Iterator[Visit]:
    context = browser.new_context(
        viewport={"width": 1100, "height": 680}, color_scheme="light", reduced_motion="reduce"
    )
    tab = visit(context, workspace.url)
    yield tab
    tab.require_quiet()
    context.close()


def picture(page: Page, name: str) -> None:
    """Take a picture for the manual, where it is asked for."""
    if PICTURES:
        page.wait_for_timeout(400)
        target = Path(PICTURES) / f"{name}.png"
        page.screenshot(path=target)
        assert target.stat().st_size < MOST_BYTES, name


def test_from_an_imported_fabric_to_a_finding(tour: Visit) -> None:
    page = tour.open()
    page.get_by_role("button", name="Import …").click()
    dialog = page.get_by_role("dialog")
    captures = sorted((EXAMPLES / "fabric-import/captures").glob("*.txt"))
    dialog.get_by_label("Files to import").set_input_files(captures)
    expect(dialog.get_by_text("Questions to answer")).to_be_visible()
    picture(page, "import-questions")
    dialog.get_by_label("File in the workspace").fill("fabric.yaml")
    dialog.get_by_role("button", name="Keep and open").click()
    expect(page.get_by_text("No problem.")).to_be_visible()
    picture(page, "import-scenario")
    page.get_by_role("button", name="Run …").click()
    page.get_by_role("dialog").get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("link", name="Open the run").click(timeout=60_000)
    expect(page.get_by_role("heading", name="Limits", exact=True)).to_be_visible()
    page.locator("#limits").scroll_into_view_if_needed()
    picture(page, "import-finding")


def test_a_cable_is_pulled_during_a_run(tour: Visit, workspace: Server) -> None:
    page = tour.open("scenario", "failover.yaml")
    page.get_by_role("button", name="Run …").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="1×", exact=True).click()
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".uplot").first).to_be_visible()
    details = tour.choose_link("sw1", "sw2.e4")
    page.get_by_role("button", name="Fit").click()
    picture(page, "live-before")
    details.get_by_role("button", name="Pull this cable").click()
    expect(page.locator("svg.map .wire.down")).to_have_count(1)
    expect(page.get_by_text("simulating again")).to_have_count(0)
    page.wait_for_timeout(800)  # until the lost commands are repeated over the other link
    picture(page, "live-pulled")
    page.get_by_role("button", name="Full speed").click()
    expect(page.locator("h1")).to_contain_text("done", timeout=60_000)
    changes = page.get_by_label("Changes", exact=True)
    expect(changes).to_contain_text("link-down")
    changes.scroll_into_view_if_needed()
    page.get_by_role("link", name="Open the run").click()
    expect(page.get_by_role("heading", name="Events of the run")).to_be_visible()


def test_one_slow_io_is_a_ladder(tour: Visit) -> None:
    page = tour.open("run", "runs:slow-receiver", "io")
    expect(page.get_by_role("heading", name="Slowest I/Os")).to_be_visible()
    picture(page, "ladder-slowest")
    page.locator("tbody a").first.click()
    ladder = page.get_by_role("group", name="Ladder of")
    expect(ladder).to_contain_text("credit wait")
    picture(page, "ladder-whole")


def test_a_port_is_found(tour: Visit) -> None:
    page = tour.open("run", "runs:slow-receiver", "ports")
    host = page.locator("button.port .device").filter(has_not_text="–").first.inner_text()
    page.get_by_label("Find a port by host").fill(host)
    expect(page.get_by_role("status")).to_contain_text("port")
    page.locator("button.port.found").first.click()
    expect(page.locator(".facts")).to_be_visible()
    picture(page, "port-found")
    page.locator(".facts").get_by_role("link", name="On the map").click()
    expect(page.get_by_role("complementary", name="Details")).to_be_visible()
    picture(page, "port-on-the-map")


def test_the_tours_show_pictures_that_are_there() -> None:
    pages = sorted((ROOT / "docs/tours").glob("*.md"))
    shown = {
        name
        for page in pages
        for name in re.findall(r"\]\(\.\./images/page/([\w-]+\.png)\)", page.read_text("utf-8"))
    }
    files = {file.name: file.stat().st_size for file in (ROOT / "docs/images/page").glob("*.png")}
    assert shown == set(files)
    assert max(files.values()) < MOST_BYTES
