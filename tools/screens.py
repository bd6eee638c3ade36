"""`python -m tools.screens FOLDER URL`: pictures of a running demo into docs/screens, those of a day as it is.

First `make demo ARGS=--full`; FOLDER is its folder (var/demo) and URL its board, once the log of demo_day says that the
engineers have reported. It makes a plan and a comparison and accepts neither. The tests make the other pictures
(SCREENS=1).
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect

from tests.servers.browser import DESKTOP, SCREENS, chromium, open_window

COLOURS = 256
PLANNING_SECONDS = 180


def main(folder: Path, url: str) -> None:
    with chromium() as browser:
        page = open_window(browser, base_url=url, kind=DESKTOP).page
        page.set_default_timeout(PLANNING_SECONDS * 1000)
        expect.set_options(timeout=PLANNING_SECONDS * 1000)
        page.goto("/login/")
        page.get_by_label("User name").fill("supervisor")
        page.locator("input[type=password]").fill((folder / "password").read_text().strip())
        page.keyboard.press("Enter")
        expect(page.locator("#lanes[data-started]")).to_be_attached()
        for name, open_page in PAGES.items():
            open_page(page)
            page.wait_for_load_state("networkidle")
            save(page, name)


def save(page: Page, name: str) -> None:
    """A picture with a palette: less than half of the size, and no difference to be seen."""
    path = SCREENS / f"{name}.png"
    page.screenshot(path=path, animations="disabled")
    with Image.open(path) as picture:
        reduced = picture.convert("RGB").quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True)


def at(path: str) -> Callable[[Page], object]:
    return lambda page: page.goto(path)


def open_closed_job(page: Page) -> None:
    page.goto("/board/")
    job = page.locator(".lane .card.state-done").first.get_attribute("data-job")
    page.goto(f"/board/jobs/{job}/")


def open_evidence(page: Page) -> None:
    open_closed_job(page)
    page.locator("#evidence, .photos").first.scroll_into_view_if_needed()


def make_plan(page: Page) -> None:
    page.goto("/board/plans/")
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile(r"\d+ changes?"))).to_be_visible()


def show_plan_on_board(page: Page) -> None:
    """The plan that the page shows now."""
    page.get_by_role("link", name="Show on the board").click()
    expect(page.locator("li.proposed").first).to_be_visible()


def compare_options(page: Page) -> None:
    page.goto("/board/")
    page.locator(".lane-name h4 a").first.click()
    page.get_by_role("link", name="What if this engineer is absent?").click()
    page.get_by_role("button", name="Compare options").click()
    expect(page.get_by_role("heading", name=re.compile("^1. "))).to_be_visible()


# by the name of the picture
PAGES: dict[str, Callable[[Page], object]] = {
    "board": at("/board/"),
    "link-messages-1440": at("/board/messages/"),
    "link-alarms-1440": at("/board/alarms/"),
    "reports": at("/board/reports/"),
    "people-list": at("/board/people/"),
    "matrix": at("/board/matrix/"),
    "job-done": open_closed_job,
    "job-evidence": open_evidence,
    "plan-proposed": make_plan,
    "plan-on-board": show_plan_on_board,
    "plan-learned": at("/board/plans/learned/"),
    "capacity": at("/board/plans/capacity/"),
    "comparison": compare_options,
}


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
