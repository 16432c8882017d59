"""Scenarios on the page: written, broken, mended, saved, changed by hand, imported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from browsing import Visit, visit
from fabrics import brocade, devices
from playwright.sync_api import BrowserContext, Page, Route, expect
from serving import SCENARIO, Server

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture
def own(server: Server, request: pytest.FixtureRequest) -> Path:
    """A scenario file of this test."""
    file = server.folder / f"{request.node.name}.yaml"
    file.write_text(SCENARIO, encoding="utf-8")
    return file


def open_text(tab: Visit, file: Path) -> Page:
    page = tab.open("scenario", file.name)
    expect(page.get_by_text("No problem.")).to_be_visible()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    return page


def test_a_scenario_is_written_broken_mended_and_saved(tab: Visit, own: Path) -> None:
    page = open_text(tab, own)
    page.keyboard.type("qo")
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("qos")
    page.keyboard.press("Escape")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("qos:\n- {from: host9, limit: 10MB/s}")
    problems = page.get_by_label("Problems")
    line = SCENARIO.count("\n") + 2
    expect(problems).to_contain_text(f"Line {line}")
    expect(problems).to_contain_text("host9")
    expect(problems.locator(".quiet")).not_to_be_empty()
    expect(page.locator(".cm-lint-marker-error")).to_be_visible()
    expect(page.get_by_role("button", name="Run …")).to_be_disabled()
    problems.get_by_role("button", name=f"Line {line}").click()
    page.keyboard.press("End")
    for _ in "9, limit: 10MB/s}":
        page.keyboard.press("Backspace")
    page.keyboard.type("1, limit: 10MB/s}", delay=10)
    expect(page.get_by_text("No problem.")).to_be_visible()
    expect(page.locator("h1")).to_contain_text("not saved")
    page.keyboard.press("Control+s")
    expect(page.locator("h1")).not_to_contain_text("not saved")
    assert own.read_text(encoding="utf-8") == f"{SCENARIO}qos:\n- {{from: host1, limit: 10MB/s}}"


def test_a_completion_comes_once_the_schema_is_there(tab: Visit, own: Path) -> None:
    held: list[Route] = []
    tab.page.route("**/api/schema", lambda route: held.append(route))  # noqa: PLW0108 - no builtin here
    page = open_text(tab, own)
    page.keyboard.type("qo")
    expect(page.locator(".cm-content")).to_contain_text("qo")
    assert page.locator(".cm-tooltip-autocomplete li").count() == 0
    held[0].continue_()
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("qos")


def test_a_file_that_changed_meanwhile_is_not_lost(tab: Visit, own: Path) -> None:
    tab.expected.append("409")
    page = open_text(tab, own)
    page.keyboard.type("# mine")
    own.write_text(f"{SCENARIO}# other\n", encoding="utf-8")
    page.get_by_role("button", name="Save", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("# other")
    assert own.read_text(encoding="utf-8") == f"{SCENARIO}# other\n"
    dialog.get_by_role("button", name="Replace it with mine").click()
    expect(page.locator("h1")).not_to_contain_text("not saved")
    assert own.read_text(encoding="utf-8") == f"{SCENARIO}# mine"


def test_two_tabs_do_not_disturb_each_other(context: BrowserContext, tab: Visit, own: Path) -> None:
    page = open_text(tab, own)
    other = visit(context, tab.url)
    open_text(other, own)
    other.page.keyboard.type("# second")
    other.page.keyboard.press("Control+s")
    expect(other.page.locator("h1")).not_to_contain_text("not saved")
    expect(page.locator(".cm-content")).not_to_contain_text("# second")
    page.keyboard.type("# first")
    tab.expected.append("409")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("dialog")).to_contain_text("# second")
    other.require_quiet()


def test_a_cable_drawn_by_hand_is_a_difference_first(tab: Visit, own: Path) -> None:
    page = open_text(tab, own)
    start, end = tab.box("sw1").bounding_box(), tab.box("dev1").bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 8, start["y"] + 12)
    page.mouse.down()
    page.mouse.move(end["x"] + 8, end["y"] + 20, steps=4)
    page.mouse.up()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".added")).to_contain_text("from: sw1")
    assert own.read_text(encoding="utf-8") == SCENARIO
    dialog.get_by_role("button", name="Discard").click()
    expect(page.locator("h1")).not_to_contain_text("not saved")


def test_a_new_scenario_works_at_once(tab: Visit, server: Server) -> None:
    page = tab.open()
    page.get_by_role("button", name="New scenario").click()
    page.get_by_role("dialog").get_by_label("File in the workspace").fill("made/first.yaml")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No problem.")).to_be_visible()
    expect(page.get_by_role("button", name="Run …")).to_be_enabled()
    assert (server.folder / "made/first.yaml").exists()


def test_an_import_ends_in_a_scenario(tab: Visit, server: Server, tmp_path: Path) -> None:
    file = tmp_path / "switches.txt"
    file.write_text(brocade(devices(2)), encoding="utf-8")
    page = tab.open()
    page.get_by_role("button", name="Import …").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Files to import").set_input_files(file)
    dialog.get_by_label("File in the workspace").fill("imported.yaml")
    dialog.get_by_role("button", name="Keep and open").click()
    expect(page.get_by_text("No problem.")).to_be_visible()
    expect(page.locator("svg.map")).to_be_visible()
    assert (server.folder / "imported.yaml").exists()


def test_answers_of_several_switches_are_imported_from_their_folder(
    tab: Visit, server: Server, tmp_path: Path
) -> None:
    """Each answer belongs to the switch that its folder is named after."""
    host, array = (device.wwpn for device in devices(1, arrays=1)[:2])
    for number, (device, role) in enumerate(((host, "Initiator"), (array, "Target")), start=1):
        tail = f"88:94:71:00:0{number}:00"
        far = {"port-type": 7, "neighbor-node-wwn": f"10:00:88:94:71:00:0{3 - number}:00"}
        near = {"port-type-string": "f-port", "neighbor": {"wwn": [device]}}
        rows = [
            {"name": f"0/{port}", "wwn": f"20:0{port}:{tail}", "operational-status": 2} | more
            for port, more in ((0, near), (7, far))
        ]
        named = {"port-name": device, "port-id": f"0x0{number}0000", "fc4-features": f"FCP-{role}"}
        folder = tmp_path / "capture" / f"core{number}"
        folder.mkdir(parents=True)
        for name, key, value in (
            ("ports", "fibrechannel", rows),
            ("names", "fibrechannel-name-server", [named]),
        ):
            text = json.dumps({"Response": {key: value}})
            (folder / f"{name}.json").write_text(text, encoding="utf-8")
        (folder / ".DS_Store").write_bytes(b"\0")
    page = tab.open()
    page.get_by_role("button", name="Import …").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Folder to import").set_input_files(tmp_path / "capture")
    expect(dialog.locator("pre")).to_contain_text("name: core1")
    expect(dialog.locator("pre")).to_contain_text("capture/core2/ports.json:1")
    expect(dialog.get_by_text("2 switches")).to_be_visible()


def test_the_interval_of_two_scrapes_is_given_on_the_page(tab: Visit, tmp_path: Path) -> None:
    names = ("reads_completed", "read_bytes", "writes_completed", "written_bytes")
    file = tmp_path / "scrapes.prom"
    file.write_text(
        "".join(
            f'node_disk_{name}_total{{device="sda"}} {count * 4096 if "byt" in name else count}\n'
            for count in (1000, 4000)
            for name in names
        ),
        encoding="utf-8",
    )
    tab.expected.append("422")
    page = tab.open()
    page.get_by_role("button", name="Import …").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Load").click()
    dialog.get_by_label("Files to import").set_input_files(file)
    expect(dialog.get_by_text("The scrapes have no times")).to_be_visible()
    dialog.get_by_label("Time between two captures").fill("10s")
    page.keyboard.press("Tab")
    expect(dialog.locator("pre")).to_contain_text("rate_iops: 600")


def test_one_cable_of_a_group_is_changed_on_the_picture(tab: Visit, own: Path) -> None:
    page = open_text(tab, own)
    details = tab.choose_link("host2", "hba0.p0")
    details.get_by_label("Speed").select_option("8GFC")
    details.get_by_role("button", name="Set").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".added")).to_contain_text(["host1", "from: host2, to: sw1, speed: 8GFC"])
    dialog.get_by_role("button", name="Keep").click()
    expect(details.locator("dd").filter(has_text="8GFC")).to_be_visible()
    page.get_by_role("button", name="Fit").click()
    page.keyboard.press("Control+s")


def test_a_picture_uses_the_height_there_is(tab: Visit, own: Path) -> None:
    page = tab.open("scenario", own.name)
    tab.box("dev1").wait_for()
    for height in (900, 1300):
        page.set_viewport_size({"width": 1280, "height": height})
        shares = """() => {
          const map = document.querySelector('svg.map').getBoundingClientRect();
          const all = [...document.querySelectorAll('.box')];
          const boxes = all.map((box) => box.getBoundingClientRect());
          const top = Math.min(...boxes.map((b) => b.top)) - map.top;
          return Math.max(top, map.bottom - Math.max(...boxes.map((b) => b.bottom)));
        }"""
        page.wait_for_function(f"() => ({shares})() < 120")
