"""The board in a real Chromium: first paint, weight on the wire, and a card that is dragged."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from demo.environment import wait_until
from demo.ports import free_ports, is_listening
from tests.bench.board_live import environment_of, run_module
from tests.bench.rows import Row
from tests.bench.weight import KB, Wire
from tests.servers.browser import DESKTOP, chromium, open_window

ENGINEERS, JOBS = 200, 1500
SLOWED = 4
LOADS, DROPS = 5, 10
STEPS = ("16:45", "15:30")
# until two frames after the rows were in the document
PAINT = """addEventListener("DOMContentLoaded", () =>
  requestAnimationFrame(() => requestAnimationFrame(() => { window.paintedAt = performance.now(); })));
addEventListener("pointerup", () => { window.droppedAt = performance.now(); }, true);
addEventListener("pointerdown", () => {
  window.frames_ = [];
  let before = performance.now();
  const next = (now) => {
    window.frames_.push(now - before);
    before = now;
    if (!window.isOver) requestAnimationFrame(next);
  };
  window.isOver = false;
  requestAnimationFrame(next);
}, true);"""
ASSIGNMENTS = "performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/assign/'))"


@contextmanager
def board_page(folder: Path, *, engineers: int, jobs: int) -> Iterator[tuple[Page, dict[str, Any]]]:
    """A signed-in page before a web server of its own, and what board_day has grown."""
    day = run_module(folder, "board_day", engineers, jobs)
    port = free_ports().people
    server = subprocess.Popen(
        [sys.executable, "manage.py", "web", "--port", str(port)],
        env=environment_of(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert wait_until(lambda: is_listening(port), seconds=60)
        with chromium() as browser:
            url = f"http://127.0.0.1:{port}"
            page = open_window(browser, base_url=url, kind=DESKTOP).page
            name, value = day["cookie"]["name"], day["cookie"]["value"]
            page.context.add_cookies([{"name": name, "value": value, "url": url}])
            page.add_init_script(PAINT)
            page.set_default_timeout(60_000)
            yield page, day
    finally:
        server.terminate()
        server.wait(timeout=30)


def slow_down(page: Page, rate: int) -> None:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})


def paint(page: Page, path: str) -> tuple[float, float]:
    """Milliseconds from the navigation, and from the last byte of the page, until its rows were painted."""
    page.goto(path, wait_until="load")
    expect(page.locator("#board")).to_be_visible()
    painted = float(page.evaluate("window.paintedAt"))
    received = float(page.evaluate("performance.getEntriesByType('navigation')[0].responseEnd"))
    return painted, painted - received


def measure(folder: Path, *, engineers: int = ENGINEERS, jobs: int = JOBS, loads: int = LOADS) -> list[Row]:
    """First paint and weight of a very large day."""
    with board_page(folder, engineers=engineers, jobs=jobs) as (page, day):
        path, size = f"/board/?day={day['day']}", f"{engineers} engineers and {jobs} jobs"
        paint(page, path)
        usual = sorted(paint(page, path) for _ in range(loads))[loads // 2]
        slow_down(page, SLOWED)
        slowed = sorted(paint(page, path)[1] for _ in range(loads))[loads // 2]
        return [
            a_row("board_first_paint", usual[0], f"ms, whole page, {size}", 1500),
            a_row("board_rows_painted", usual[1], f"ms after the page was here, {size}", 300),
            a_row("board_rows_painted_slow", slowed, f"ms, processor slowed {SLOWED} times, {size}", 1200),
        ]


def weigh(folder: Path, *, engineers: int = 60, jobs: int = 300) -> list[Row]:
    """Bytes on the wire, headers and all, of the day that a dispatcher really has."""
    with board_page(folder, engineers=engineers, jobs=jobs) as (page, day):
        wire, path = Wire(page), f"/board/?day={day['day']}"
        page.goto(path, wait_until="networkidle")
        size = f"{engineers} engineers and {jobs} jobs"
        html = wire.weights["/board/"] / KB
        scripts = wire.of_kind("Script")
        return [
            a_row("board_page_weight", html, f"KB of HTML, compressed, {size}", 60),
            a_row("board_script_weight", wire.kilobytes(scripts), f"KB in {len(scripts)} scripts", 40),
        ]


def drop(folder: Path, *, engineers: int = 60, jobs: int = 300, drops: int = DROPS) -> list[Row]:
    """One card there and back: until the server has confirmed it, and the longest frame while it is dragged."""
    with board_page(folder, engineers=engineers, jobs=jobs) as (page, day):
        page.goto(f"/board/?day={day['day']}")
        for part in ("#board", "#lanes", "#announcement"):
            expect(page.locator(f"{part}[data-started]")).to_be_attached()
        confirmed = [_drop(page, day, number)[0] for number in range(drops)]
        slow_down(page, SLOWED)
        frames = [frame for number in range(2) for frame in _drop(page, day, number)[1]]
        return [
            a_row(
                "board_drop", max(confirmed), f"ms until the server has confirmed it, longest of {drops}", 300
            ),
            a_row(
                "board_drag_frame",
                max(frames),
                f"ms, longest of {len(frames)} frames, slowed {SLOWED} times",
                50,
            ),
        ]


def _drop(page: Page, day: dict[str, Any], number: int) -> tuple[float, list[float]]:
    """Five quarter hours to the right, or back."""
    card = page.locator(f"#card-{day['job']}")
    card.scroll_into_view_if_needed()
    box, track = card.bounding_box(), page.locator(f"#lane-{day['engineer']} .track").bounding_box()
    assert box and track
    quarters = 5 if number % 2 == 0 else -5
    quarter = track["width"] / int(page.locator("#lanes").get_attribute("data-quarters") or 52)
    x, y = box["x"] + 4, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + quarters * quarter, y, steps=40)
    page.evaluate("window.isOver = true")
    before = page.evaluate(f"{ASSIGNMENTS}.length")
    with page.expect_response(lambda answer: answer.url.endswith("/assign/")) as answer:
        page.mouse.up()
    assert answer.value.status == 200, answer.value.text()
    answer.value.finished()
    step = round((box["x"] - track["x"]) / quarter) + quarters
    expect(page.locator(f"#card-{day['job']}.s{step}")).to_be_visible()
    ended = page.evaluate(f"{ASSIGNMENTS}[{before}].responseEnd")
    return float(ended) - float(page.evaluate("window.droppedAt")), page.evaluate("window.frames_")


def a_row(name: str, value: float, unit: str, most: float) -> Row:
    return Row(
        name=name,
        value=round(value, 1),
        unit=unit,
        compared_with="",
        ratio=None,
        goal=f"at most {most:g}",
        is_within_limit=value <= most,
    )
