"""The phone's numbers: a processor four times slower and fast 3G, unless a row says otherwise."""

import os
import statistics
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from tests import make
from tests.bench.rows import Row
from tests.browser.phone import day_of_jobs, go_to_site, say_yes
from tests.servers import system as systems
from tests.servers.phone import APP, Phone, drawn, open_app
from tests.servers.system import System

FAST_3G = {"latency": 562, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8}
SLOW_3G = {"latency": 2000, "downloadThroughput": 400_000 / 8, "uploadThroughput": 400_000 / 8}
SLOWER = 4
OPENINGS = 5
LOADS = 3
TAPS = 200
# all but the cookies of who is signed in
STORED_DATA = "local_storage,indexeddb,service_workers,cache_storage"
# until a paint that is on its way is counted
SETTLED_MS = 500
PAINT = """() => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
    .observe({ type: "largest-contentful-paint", buffered: true });
})"""
WATCH = """
globalThis.shifted = 0;
globalThis.slowest = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) globalThis.shifted += one.value;
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) globalThis.slowest = Math.max(globalThis.slowest, one.duration);
}).observe({ type: "event", durationThreshold: 16, buffered: true });
"""
TAP_OFTEN = """async ([app, count]) => {
  const { queue } = await import(app);
  const taken = [];
  for (let number = 0; number < count; number += 1) {
    const begun = performance.now();
    await queue.add("answered", "BENCH", { question: "SAF01", value: "yes" });
    taken.push(performance.now() - begun);
  }
  for (const row of await queue.rows()) if (row.entry.job === "BENCH") await queue.updateRow(row.at, () => null);
  return taken;
}"""


@contextmanager
def on_site(
    folder: Path,
    *,
    system: System | None = None,
    jobs: int = 1,
    shipped: bool = False,
    flags: tuple[str, ...] = (),
) -> Iterator[tuple[System, Phone, list[dict[str, str]]]]:
    """A phone with the application, signed in as an engineer of its own, on `system` or else on one started for it."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    own_or_given = nullcontext(system) if system else systems.running(folder, shipped=shipped)
    with own_or_given as used, sync_playwright() as playwright:
        found = day_of_jobs(used, username=username(folder), count=jobs, seed=7, plan=[2])
        phone = Phone(playwright, folder / "phone", used.url, flags=flags)
        phone.start()
        phone.sign_in(username=username(folder), password=make.PASSWORD)
        yield used, phone, found
        phone.close()


def username(folder: Path) -> str:
    """Of a measurement's engineer, whose staff number it is too: what its folder is called, which is its name."""
    return folder.name[:20]


def slow_down(page: Page, network: dict[str, float] | None, *, times: int = SLOWER) -> CDPSession:
    tools = page.context.new_cdp_session(page)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": times})
    if network:
        tools.send("Network.enable")
        tools.send("Network.emulateNetworkConditions", {"offline": False, **network})
    return tools


def first_load(folder: Path, *, loads: int = LOADS, system: System | None = None) -> list[Row]:
    """The very first page after signing in, nothing on the phone yet, until the day's jobs stand there."""
    with on_site(folder, shipped=True, system=system) as (_system, phone, _jobs):
        # the page on which somebody signed in has the application already, and keeps its database open
        phone.page.goto("about:blank")
        fast = [_first_paint(phone, FAST_3G) for _ in range(loads)]
        slow = [_first_paint(phone, SLOW_3G) for _ in range(loads)]
    text = f"processor ÷{SLOWER}, median of {loads}"
    unit = "ms, largest paint"
    return [
        a_row("phone_first_load", round(statistics.median(fast)), unit, f"fast 3G, {text}", 2000),
        a_row("phone_first_load_slow", round(statistics.median(slow)), unit, f"slow 3G, {text}", 5000),
    ]


def _first_paint(phone: Phone, network: dict[str, float]) -> float:
    page = phone.page.context.new_page()
    tools = slow_down(page, network)
    tools.send("Network.setBypassServiceWorker", {"bypass": True})
    tools.send("Network.clearBrowserCache")
    tools.send("Storage.clearDataForOrigin", {"origin": phone.base_url, "storageTypes": STORED_DATA})
    page.goto("/phone/", wait_until="commit", timeout=60_000)
    page.locator(".phone-card").first.wait_for(timeout=60_000)
    page.wait_for_timeout(SETTLED_MS)
    paint: float = page.evaluate(PAINT)
    page.close()
    return paint


def offline_open(folder: Path, *, openings: int = OPENINGS, system: System | None = None) -> list[Row]:
    """From the home screen with and without a running worker."""
    with on_site(folder, system=system) as (_system, phone, _jobs):
        open_app(phone.page)
        cold = []
        for _ in range(openings):
            phone.close()
            phone.start(offline=True)
            slow_down(phone.page, None)
            open_app(phone.page)
            cold.append(phone.page.evaluate(PAINT))
        warm = []
        for _ in range(openings):
            open_app(phone.page)
            warm.append(phone.page.evaluate(PAINT))
    text = f"no network, processor ÷{SLOWER}, median of {openings}"
    return [
        a_row("phone_offline_open", round(statistics.median(cold)), "ms, largest paint, cold", text, 1000),
        a_row("phone_worker_open", round(statistics.median(warm)), "ms, largest paint", text, 500),
    ]


def tap(folder: Path, *, taps: int = TAPS, system: System | None = None) -> list[Row]:
    """A tap until it is on the phone for good; the slowest control and how far anything jumped on a whole way."""
    with on_site(folder, system=system) as (_system, phone, jobs):
        page = phone.page
        page.add_init_script(WATCH)
        open_app(page)
        slow_down(page, FAST_3G)
        go_to_site(page, jobs[0])
        say_yes(page, times=4)
        drawn(page)
        slowest, shifted = page.evaluate("[globalThis.slowest, globalThis.shifted]")
        page.context.set_offline(True)
        durations = sorted(page.evaluate(TAP_OFTEN, [APP, taps]))
    text = f"processor ÷{SLOWER}"
    p95 = round(durations[int(len(durations) * 0.95)], 1)
    return [
        a_row("phone_tap", p95, "ms to durable, 95th percentile", f"{len(durations)} taps, {text}", 50),
        a_row("phone_control", round(slowest), "ms, the slowest control", text, 100),
        a_row("phone_shift", round(shifted, 3), "layout shift", text, 0.02),
    ]


def a_row(name: str, value: float, unit: str, compared: str, goal: float, **more: Any) -> Row:
    return Row(name, value, unit, compared, None, f"at most {goal:g}", value <= goal, **more)
