"""How quick the page is, in the system's Chromium; `make page-speed` runs it.

CPU time where it can be, so that other work on the machine matters little.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))

from browsing import Visit, launch, visit  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from serving import SCENARIO, Server, serving  # noqa: E402
from workspaces import LIVE  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: 480 hosts, 8 arrays and 12 switches; the links follow.
BOXES = """\
title: Many boxes
hosts: [{name: "host[1..480]"}]
switches: [{name: "edge[1..10]", ports: 64}, {name: "core[1..2]", ports: 64}]
arrays: [{name: "dev[1..8]", ports: 2, luns: [{name: lun1}]}]
links:
"""
#: Load and duration of the 500 boxes that are watched: slow enough for ten updates a second.
LIVE_BOXES = ("bs: 8k, rate_iops: 20", "{duration: 60s, interval: 1s}")
ROUNDS = 3
#: Many seconds of work for the engine, so that the start of a process matters little.
LONG = "12s, interval: 100ms"
FRAMES = """() => new Promise((done) => {
  let count = 0; const begin = performance.now();
  const next = (now) => {
    count += 1;
    if (now - begin < 2000) requestAnimationFrame(next); else done(count / (now - begin) * 1000);
  };
  requestAnimationFrame(next);
})"""


def many_boxes(load: str = "bs: 8k", measure: str = "{duration: 1ms}") -> str:
    """A scenario of 500 boxes."""
    lines = [
        f'  - {{from: "host[{48 * edge + 1}..{48 * edge + 48}]", to: edge{edge + 1}}}'
        for edge in range(10)
    ]
    lines += [f'  - {{from: "edge[1..10]", to: core{core}, count: 2}}' for core in (1, 2)]
    lines += [f'  - {{from: "dev[1..8]", to: core{core}}}' for core in (1, 2)]
    who = 'hosts: "host[1..480]", targets: dev1.lun1'
    lines += ["workloads:", f"  - {{name: load, {who}, rw: randread, {load}}}"]
    return BOXES + "\n".join([*lines, f"measure: {measure}", ""])


def first_paint_s(browser: Browser, server: Server) -> float:
    """Median time to the first contents of the page."""
    found = []
    for _ in range(ROUNDS):
        tab = visit(browser.new_context(), server.url)
        tab.open().locator("tbody tr").first.wait_for()
        paint = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
        found.append(tab.page.evaluate(paint) / 1000)
        tab.page.context.close()
    return statistics.median(found)


def zooming(browser: Browser, server: Server) -> float:
    """Frames per second while 500 boxes are zoomed."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    tab = visit(context, server.url)
    page = tab.open("scenario", "many.yaml")
    tab.box("host1").wait_for()
    assert page.locator("g.box").count() == 500
    page.get_by_role("button", name="Picture").click()
    page.wait_for_timeout(1000)
    place = page.locator("svg.map").bounding_box()
    assert place
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.evaluate(f"() => {{ window.frames_per_s = ({FRAMES})(); }}")
    begin = time.monotonic()
    while time.monotonic() - begin < 2:
        page.mouse.wheel(0, -60 if time.monotonic() - begin < 1 else 60)
        page.wait_for_timeout(20)
    found: float = page.evaluate("() => window.frames_per_s")
    context.close()
    return found


def live_share(browser: Browser, server: Server, text: str, history_s: float) -> float:
    """Share of a core that the page uses while samples arrive ten times a second.

    It is the greater of two: at the top of the page, and where the charts are in view. The page is
    opened after `history_s`, and shows what happened until then.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    tab = visit(context, server.url)
    job = server.post("/jobs", {"text": text, "pace": 0.05}, 201)["id"]
    time.sleep(history_s)
    page = tab.open("job", job)
    page.locator(".uplot").first.wait_for()
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy_s() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def share() -> float:
        page.wait_for_timeout(1000)
        begin, before = time.monotonic(), busy_s()
        page.wait_for_timeout(8000)
        return (busy_s() - before) / (time.monotonic() - begin)

    at_top = share()
    page.locator(".uplot").last.scroll_into_view_if_needed()
    most = max(at_top, share())
    server.post(f"/jobs/{job}/stop")
    context.close()
    return most


def cpu_of(process: int) -> float:
    """CPU seconds of a process and of those it started that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def watched_ratio(browser: Browser, server: Server) -> float:
    """CPU time of a run that a page watches, with the server's, over that of one without a page."""
    (server.folder / "alone.yaml").write_text(
        SCENARIO.replace("20ms, interval: 1ms", LONG), encoding="utf-8"
    )
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    fingerprints = set()

    def cost_s(*, is_watched: bool) -> float:
        before = cpu_of(server.process.pid)
        job = server.post("/jobs", {"path": "alone.yaml"}, 201)["id"]
        page = context.new_page()
        if is_watched:
            Visit(page, server.url).open("job", job)
        while (found := server.get(f"/jobs/{job}"))["run"] is None:
            time.sleep(1)
        time.sleep(1.5)  # the worker ends after its last message
        fingerprints.add(server.get(f"/runs/{found['run']}")["summary"]["fingerprint"])
        page.close()
        return cpu_of(server.process.pid) - before

    pairs = [(cost_s(is_watched=False), cost_s(is_watched=True)) for _ in range(ROUNDS)]
    context.close()
    assert len(fingerprints) == 1, fingerprints
    return min(watched for _, watched in pairs) / min(alone for alone, _ in pairs)


def main() -> int:
    """Measure, print, and fail if a figure is beyond its limit."""
    with (
        tempfile.TemporaryDirectory() as place,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        folder = Path(place)
        (folder / "many.yaml").write_text(many_boxes(), encoding="utf-8")
        with serving(folder) as server:
            rows = [
                ("first contents of the page, s", first_paint_s(browser, server), "<", 1.0),
                ("frames per second, 500 boxes zoomed", zooming(browser, server), ">", 30.0),
                (
                    "share of a core of live updates",
                    live_share(browser, server, LIVE, 60),
                    "<",
                    0.10,
                ),
                (
                    "the same, 500 boxes",
                    live_share(browser, server, many_boxes(*LIVE_BOXES), 2),
                    "<",
                    0.10,
                ),
                ("cost of a watched run over another's", watched_ratio(browser, server), "<", 1.10),
            ]
    is_good = True
    for name, value, sign, limit in rows:
        holds = value < limit if sign == "<" else value > limit
        is_good = is_good and holds
        print(f"{name:40} {value:8.3f}   {sign} {limit:g}   {'holds' if holds else 'FAILS'}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
