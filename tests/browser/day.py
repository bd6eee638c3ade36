"""Somebody's whole day at work, by hand: each step as the screen offers it, and what it has confirmed is noted."""

import io
import re
from dataclasses import dataclass, field
from random import Random
from typing import Any

from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.story import answer_page, main_button, sign
from tests.servers.browser import Window
from tests.servers.phone import Phone, drawn, kept_rows, open_app

Job = dict[str, str]
Entry = dict[str, Any]
MAY: dict[str, Any] = {"permissions": ["geolocation", "camera"]}
# one picture of these, two of all others: forty in the day
ONE_IS_ENOUGH = {"PHO04", "PHO05"}
MOST_STEPS = 80
STEPS = {"travel": "en_route", "arrive": "on_site", "question": "answered", "close": "close"}


@dataclass
class Engineer:
    """Somebody at work; `confirmed` is what the screen moved on from, `said` what lay on the phone at some time."""

    phone: Phone
    chance: Random
    confirmed: list[tuple[str, str, str]] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    pictures: int = 0
    kills: int = 0

    @property
    def page(self) -> Page:
        return self.phone.page

    def die(self) -> None:
        """The phone falls into the cellar, and is switched on again."""
        self.look()
        self.phone.kill()
        self.kills += 1
        self.phone.start(**MAY)
        open_app(self.page)

    def look(self) -> None:
        self.entries |= {row["entry"]["message_id"]: row["entry"] for row in kept_rows(self.page)}

    def take_up(self, job: Job) -> None:
        """From the day's list, as after every opening."""
        self.page.goto("/phone/", wait_until="commit")
        self.page.locator("a:has(.phone-card-place)").filter(has_text=job["postcode"]).click()
        self.page.wait_for_url(f"**/jobs/{job['ours']}/")

    def work(self, job: Job, *, ends_at: str) -> None:
        """One large button after the other, until this kind of page has come."""
        for _ in range(MOST_STEPS):
            drawn(self.page)
            if re.search(ends_at, self.page.url):
                return
            self.step(job)
            self.look()
        raise AssertionError(f"{ends_at} never came; the last page was {self.page.url}")

    def step(self, job: Job) -> None:
        before, (name, question) = self.page.url, job_and_page(self.page.url)
        kind = STEPS.get(name)
        if name == "question":
            self.answer(question)
        elif name == "provisioning":
            # the seller may answer at any moment
            self.page.locator("a.main-button").click()
        else:
            main_button(self.page)
        self.page.wait_for_url(lambda url: bool(url != before))
        if kind:
            self.confirmed.append((job["ours"], kind, question))

    def finish(self, job: Job) -> None:
        self.work(job, ends_at="/close/")
        self.step(job)
        expect(self.page.locator(".phone-ended")).to_be_visible()

    def answer(self, question: str) -> None:
        if self.page.locator("canvas").count():
            sign(self.page)
        elif self.page.locator("#photo").count():
            for last in [True] if question in ONE_IS_ENOUGH else [False, True]:
                self.photograph(last=last)
        else:
            answer_page(Window(self.page))

    def photograph(self, *, last: bool) -> None:
        """Taken, looked at, used; each one another."""
        self.page.locator("#photo").set_input_files(self.picture())
        self.use(last=last)

    def use(self, *, last: bool) -> None:
        if last:
            self.page.get_by_role("button", name="Keep it", exact=True).click()
        else:
            self.page.get_by_role("button", name="Keep it, take another").click()
            expect(self.page.locator(".camera-taken")).to_have_count(0)

    def picture(self) -> dict[str, Any]:
        self.pictures += 1
        content = io.BytesIO()
        grain = Image.frombytes("RGB", (80, 60), self.chance.randbytes(80 * 60 * 3))
        grain.resize((640, 480)).save(content, "JPEG", quality=85)
        return {"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": content.getvalue()}

    def send_the_scan(self, job: Job) -> None:
        """The values stand in the fields, and go on their way."""
        main_button(self.page)
        self.page.wait_for_url(re.compile("/(provisioning|question)/"))
        self.confirmed.append((job["ours"], "ont_scanned", ""))


def job_and_page(url: str) -> tuple[str, str]:
    """Step and question of an address of the phone."""
    parts = [
        *url.split("?", maxsplit=1)[0].rsplit("/phone/jobs/", maxsplit=1)[-1].strip("/").split("/"),
        "",
        "",
    ]
    return parts[1], parts[2]
