"""Each view works by keys, in narrow and wide windows, dark and light, and with strange names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browsing import WIDTHS, Visit, faults_of, sideways, visit
from playwright.sync_api import BrowserContext, Page, expect
from serving import SCENARIO, Server, serving
from workspaces import LIVE

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.xdist_group("browser")

RUN = "runs:pulled"
#: What shows that a view is there, by its address.
VIEWS = {
    ("",): "tbody tr",
    ("scenario", "san.yaml"): "svg.map .box",
    ("run", RUN): "#limits",
    ("run", RUN, "topology"): "output",
    ("run", RUN, "ports"): ".panel",
    ("run", RUN, "zones"): "tbody tr",
    ("run", "runs:zoned", "zones"): ".conflicts",
    ("run", RUN, "charts"): ".uplot",
    ("run", RUN, "io"): "tbody tr",
    ("run", RUN, "tables", "ports"): "tbody tr",
    ("run", RUN, "files"): "main li, main td",
    ("jobs",): "h1",
    ("compare",): "tbody tr",
    ("sweeps",): "tbody tr",
    ("sweeps", "sweeps:depths"): "figure svg circle",
    ("failures",): "form",
    ("catalog",): "main summary",
    ("nowhere",): ".problem",
}


def require_usable(page: Page, name: str) -> None:
    """At each width and in both schemes: nothing sideways, nothing that axe finds serious.

    The schemes differ in their colours only.
    """
    found = []
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="light")
        if sideways(page) > 0:
            found.append(f"{name} at {width}: {sideways(page)} pixels too wide")
        found += [f"{name} at {width}: {fault}" for fault in faults_of(page)]
        page.emulate_media(color_scheme="dark")
        found += [f"{name} at {width}, dark: {one}" for one in faults_of(page, ["color-contrast"])]
    assert found == []


@pytest.mark.parametrize("view", VIEWS, ids="/".join)
def test_a_view_is_usable(tab: Visit, view: tuple[str, ...]) -> None:
    query = {"before": "runs:san", "after": "runs:deep"} if view == ("compare",) else {}
    page = tab.open(*view, **query)
    page.locator(VIEWS[view]).first.wait_for()
    require_usable(page, "/".join(view))


@pytest.mark.parametrize("button", ["New scenario", "Import"])
def test_a_dialog_is_usable(tab: Visit, button: str) -> None:
    page = tab.open()
    page.get_by_role("button", name=button).click()
    page.get_by_role("dialog").wait_for()
    require_usable(page, button)


def test_the_table_of_runs_shows_all_its_columns(tab: Visit) -> None:
    page = tab.open()
    table = page.get_by_role("region", name="Table of runs")
    table.wait_for()
    assert table.evaluate("(table) => table.scrollWidth - table.clientWidth") == 0


def test_a_ladder_and_details_are_usable(tab: Visit) -> None:
    page = tab.open("run", "runs:san", "io")
    page.locator("tbody a").first.click()
    page.get_by_role("group", name="Ladder of").wait_for()
    require_usable(page, "ladder")
    page = tab.open("run", RUN, "topology", place="sw1")
    page.get_by_role("complementary", name="Details").wait_for()
    require_usable(page, "details")


def test_a_live_job_and_a_failure_matrix_are_usable(tab: Visit, server: Server) -> None:
    job = server.post("/jobs", {"text": LIVE, "pace": 0.5}, 201)["id"]
    page = tab.open("job", job)
    page.locator(".uplot").first.wait_for()
    tab.choose("host1")
    require_usable(page, "live")
    server.post(f"/jobs/{job}/stop")
    matrix = server.post("/failures", {"path": "san.yaml", "kinds": ["switch"]}, 201)["id"]
    server.wait(matrix, "done")
    page = tab.open("job", matrix)
    page.locator("tbody tr").first.wait_for()
    require_usable(page, "matrix")


def test_keys_reach_boxes_tabs_and_dialogs(tab: Visit) -> None:
    page = tab.open("run", RUN, "topology")
    tab.box("host1").wait_for()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement?.hasAttribute('data-box') ?? false"):
            break
    else:
        pytest.fail("Tab does not reach the map")
    page.keyboard.press("ArrowDown")
    name = page.evaluate("() => document.activeElement.getAttribute('data-box')")
    assert name.startswith("sw")
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary", name="Details")).to_contain_text(name)
    page.get_by_role("link", name="Charts").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".uplot").first).to_be_visible()
    page = tab.open()
    page.get_by_role("button", name="New scenario").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    for _ in range(12):
        page.keyboard.press("Tab")
        inside = "() => !document.hasFocus() || document.activeElement === document.body || "
        assert page.evaluate(inside + "Boolean(document.activeElement.closest('dialog'))")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_script_in_names_stays_text(tab: Visit, server: Server) -> None:
    attack = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    text = SCENARIO.replace("title: Two hosts", f"title: '{attack}'")
    (server.folder / "script.yaml").write_text(text, encoding="utf-8")
    job = server.post("/jobs", {"path": "script.yaml"}, 201)["id"]
    run = server.wait(job, "done")["run"]
    tab.page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    for place in [(), ("run", run), ("run", run, "charts"), ("scenario", "script.yaml"), ("jobs",)]:
        page = tab.open(*place)
        page.locator("h1").first.wait_for(state="attached")
        expect(page.locator("img[src=x], main script")).to_have_count(0)
    expect(tab.open("run", run).locator("h1")).to_contain_text(attack)


def test_long_names_stay_in_their_places(tab: Visit, server: Server) -> None:
    name = "x" * 120
    text = (
        SCENARIO.replace("host[", f"host{name}[").replace("sw1", name).replace("dev1", f"d{name}")
    )
    text = text.replace("name: load", f"name: w{name}").replace("Two hosts", "T" * 300)
    job = server.post("/jobs", {"text": text}, 201)["id"]
    run = server.wait(job, "done")["run"]
    (server.folder / "long.yaml").write_text(text, encoding="utf-8")
    views = [(), ("scenario", "long.yaml"), ("jobs",), ("job", job)]
    views += [
        ("run", run, part) for part in ("summary", "topology", "ports", "zones", "charts", "io")
    ]
    for width in (390, 1280):
        tab.page.set_viewport_size({"width": width, "height": 900})
        for view in views:
            page = tab.open(*view)
            page.locator("h1").first.wait_for(state="attached")
            expect(page.get_by_text("Loading …")).to_have_count(0)
            page.wait_for_timeout(300)
            assert sideways(page) <= 0, (view, width)
    page = tab.open("run", run, "topology")
    tab.box(f"d{name}").wait_for()
    label = tab.box(f"d{name}").locator(".name")
    expect(label).to_contain_text("…")
    box, text_box = tab.box(f"d{name}").locator("rect").first.bounding_box(), label.bounding_box()
    assert box
    assert text_box
    assert text_box["width"] < box["width"]
    (server.folder / "long.yaml").unlink()


def test_a_token_opens_the_page_and_becomes_a_cookie(browser: Browser, tmp_path: Path) -> None:
    token = "0123456789abcdef0123456789abcdef"
    file = tmp_path / "token"
    file.write_text(token, encoding="utf-8")
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "san.yaml").write_text(SCENARIO, encoding="utf-8")
    options = ("--host", "0.0.0.0", "--token-file", str(file))
    with serving(folder, *options) as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        refused: BrowserContext = browser.new_context()
        answer = refused.new_page().goto(url.partition("?")[0])
        assert answer
        assert answer.status == 401
        refused.close()
        allowed = browser.new_context()
        tab = visit(allowed, url)
        tab.page.goto(url)
        expect(tab.page.get_by_role("link", name="Two hosts")).to_be_visible()
        assert token not in tab.page.url
        (cookie,) = allowed.cookies()
        assert cookie["httpOnly"]
        assert cookie["sameSite"] == "Strict"
        expect(tab.open().get_by_role("link", name="Two hosts")).to_be_visible()
        tab.require_quiet()
        allowed.close()


def test_the_first_paint_is_quick(tab: Visit) -> None:
    page = tab.open()
    page.locator("tbody tr").first.wait_for()
    paint = page.evaluate(
        "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
    )
    assert paint < 1000
