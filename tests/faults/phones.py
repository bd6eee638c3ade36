"""The phone's browser dies at any step of the job: what its screen had confirmed arrives, once and in order."""

import os
import re
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random

from django.utils import timezone
from playwright.sync_api import Locator, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from closures.models import Photo
from dispatch import ont_scans, visits
from dispatch.models import Job
from dispatch.states import JobState, JobType
from engineers.models import Engineer, PhoneMessage, PhoneOutcome
from tests import make
from tests.browser.story import sign
from tests.faults.fault_system import FaultSystem, until
from tests.faults.load import insist
from tests.faults.scenario import Scenario, ScenarioResult
from tests.servers import line as lines
from tests.servers.browser import CHROMIUM
from tests.servers.line import Line
from tests.servers.phone import Phone, drawn, kept_rows, open_app

JOBS_AHEAD = 3
JOB_MINUTES = 10
KINDS = (JobType.INSTALLATION, JobType.CIVILS)
LATEST_KILL_MS = 80
IN_HAND_MS = 3000
DRAIN_SECONDS = 120


@dataclass(frozen=True)
class Tap:
    """What the engineer entered: `question` for an answer, else empty."""

    job: str
    kind: str
    question: str = ""


@dataclass
class Day:
    """An engineer at work; `confirmed` is what the screen moved on from."""

    phone: Phone
    engineer: Engineer
    line: Line
    picture: Path
    chance: Random
    # before the one that it dies in
    most_taps: int
    confirmed: list[Tap] = field(default_factory=list)
    # by step of the job
    kills: Counter[str] = field(default_factory=Counter)

    @property
    def page(self) -> Page:
        return self.phone.page

    def live(self) -> None:
        """The phone is switched on, a few taps are made, and it dies, if possible in the middle of the last."""
        self.line.restore()
        self.phone.start()
        self._have_work()
        self._choose_network()
        for _ in range(self.chance.randint(0, self.most_taps)):
            self._tap()
        self._tap(dies=True)

    def _have_work(self) -> None:
        while _open_jobs(self.engineer) < JOBS_AHEAD:
            insist(lambda: _one_more_job(self.engineer))
        if self.confirmed:
            open_app(self.page, f"/phone/jobs/{self.confirmed[-1].job}/next/")
            return
        open_app(self.page)
        expect(self.page.locator(".phone-card.state-assigned").first).to_be_visible(timeout=30_000)

    def _choose_network(self) -> None:
        """A third of the lives each: no signal, answers that get lost, all well."""
        manner_name = self.chance.choice(["cut", "loses answers", "well"])
        self.line.losing = b"POST /phone/sync" if manner_name == "loses answers" else b""
        if manner_name == "cut":
            self.line.cut()

    def _tap(self, *, dies: bool = False) -> None:
        tap = self._go_to_a_tap()
        before = self.page.url
        if dies:
            self.kills[tap.question or tap.kind] += 1
        try:
            self._make(tap)
            if not dies or self.chance.random() < 0.5:
                self.page.wait_for_url(lambda url: url != before)
            else:
                self.page.wait_for_timeout(self.chance.randint(0, LATEST_KILL_MS))
            if self.page.url != before:
                self.confirmed.append(tap)
        finally:
            if dies:
                self.phone.kill()

    def _go_to_a_tap(self) -> Tap:
        """By the large button of each page to the next one with a message."""
        page = self.page
        if page.locator(".phone-ended").count():
            page.locator(".phone-bar a").first.click()
            page.wait_for_url("**/phone/")
            drawn(page)
        if not page.url.startswith(f"{self.line.url}/phone/jobs/"):
            page.locator("a:has(.phone-card-place)").first.click()
            page.wait_for_url("**/phone/jobs/**")
        for _ in range(10):
            drawn(page)
            job, name, question = _job_step_and_question(page.url)
            if name in {"travel", "arrive", "close"}:
                return Tap(job, {"travel": "en_route", "arrive": "on_site", "close": "close"}[name])
            if name == "question":
                return Tap(job, "answered", question)
            if name == "scan":
                return Tap(job, "ont_scanned")
            before = page.url
            self._onward(job, name)
            page.wait_for_url(re.compile(f"^(?!{re.escape(before)}$)"))
        raise RuntimeError(f"no tap to be made from {page.url}")

    def _onward(self, job: str, name: str) -> None:
        if name != "provisioning":
            self.page.locator(".main-button").first.click()
        elif self._continue_button().count():
            self._continue_button().click()
        else:
            self._hear_the_seller(job)

    def _continue_button(self) -> Locator:
        return self.page.get_by_role("link", name="Continue with the questions")

    def _hear_the_seller(self, job: str) -> None:
        """Nobody closes an installation without signal: up the stairs, until the ONT is set up."""
        self.line.losing = b""
        self.line.restore()
        until(lambda: insist(lambda: _provision(job)), what="the scan is there", seconds=DRAIN_SECONDS)
        self.page.get_by_role("link", name="Continue", exact=True).click(timeout=DRAIN_SECONDS * 1000)

    def _make(self, tap: Tap) -> None:
        page = self.page
        if tap.kind == "ont_scanned":
            page.locator("#fsan").fill(f"CXNK{zlib.crc32(tap.job.encode()):08X}")
            page.locator("#serial_number").fill(f"{zlib.crc32(tap.job.encode()):012d}")
            self._look_at_the_label()
        if tap.kind != "answered":
            page.locator(".main-button").first.click(no_wait_after=True)
        elif page.locator("button.phone-choice").count():
            page.locator("button.phone-choice").first.click(no_wait_after=True)
        elif page.locator("canvas").count():
            sign(page)
        elif page.locator("[data-photo]").count():
            self._photograph()
        else:
            page.locator("main input, main textarea").first.fill("3")
            page.locator(".main-button").first.click(no_wait_after=True)

    def _look_at_the_label(self) -> None:
        """Another ONT than the expected one is asked about once, in this life or in an earlier one."""
        asked = self.page.get_by_role("heading", name="Check the label")
        if not asked.count():
            self.page.locator(".main-button").first.click()
            asked.wait_for()

    def _photograph(self) -> None:
        """The one that an earlier life has taken and not used is in hand again."""
        self.page.locator("#photo").or_(self.page.locator(".camera-taken")).first.wait_for(state="attached")
        self.picture.write_bytes(make.new_jpeg(width=1600, height=1200))
        with suppress(PlaywrightTimeout):
            self.page.locator("#photo").set_input_files(self.picture, timeout=IN_HAND_MS)
        use = self.page.get_by_role("button", name=re.compile("^Keep it$"))
        use.click(no_wait_after=True)

    def come_home(self) -> None:
        """Coverage, and time: everything that the phone keeps has to leave it."""
        self.line.restore()
        self.line.losing = b""
        self.phone.start()
        open_app(self.page)
        until(lambda: not self._waiting(), what="the phone's queue is empty", seconds=DRAIN_SECONDS)

    def _waiting(self) -> list[str]:
        return [row["state"] for row in kept_rows(self.page) if row["state"] == "pending"]


def _one_more_job(engineer: Engineer) -> None:
    """For today, behind the others, of each kind in turn: short ones, since a day has only so many hours."""
    window = ("08:00", "18:00")
    kind = KINDS[engineer.visits.count() % len(KINDS)]
    job = make.job(job_type=kind, day=timezone.localdate(), window=window, duration_minutes=JOB_MINUTES)
    before = timedelta(minutes=JOB_MINUTES * engineer.visits.count())
    visits.assign(job=job, engineer=engineer, starts_at=job.window_start + before, by=make.office())


def _open_jobs(engineer: Engineer) -> int:
    return insist(lambda: Job.objects.for_engineer(engineer).filter(state=JobState.ASSIGNED).count())


def _provision(job: str) -> bool:
    """The seller's result for the newest scan, once it is there."""
    found = Job.objects.get(provider_job_id=job)
    if ont_scans.newest_scan(found) and not ont_scans.is_provisioned(found):
        make.result(found, 1)
    return ont_scans.is_provisioned(found)


def _job_step_and_question(url: str) -> tuple[str, str, str]:
    """Job, step and question of an address of the phone."""
    parts = [
        *url.split("?", maxsplit=1)[0].rsplit("/phone/jobs/", maxsplit=1)[-1].strip("/").split("/"),
        "",
        "",
    ]
    return parts[0], parts[1], parts[2]


def killed_at_every_step(system: FaultSystem) -> ScenarioResult:
    """kill -9 of the whole browser, in the middle of a tap or right after the screen had confirmed it."""
    # Django refuses its ORM in a thread with a running loop, which Playwright's is
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    system.start_web()
    engineer = make.engineer()
    picture = system.demo.folder / "picture.jpg"
    with sync_playwright() as playwright, lines.to(system.demo.board_url) as line:
        phone = Phone(playwright, system.demo.folder / "phone", line.url)
        # in the long form each tap is one that it dies in
        day = Day(phone, engineer, line, picture, system.chance, most_taps=system.few(3, 0))
        phone.start()
        log_in_once(day)
        for _ in range(system.few(10, 200)):
            day.live()
        day.come_home()
        phone.close()
    return ScenarioResult(
        differences(day),
        f"{day.kills.total()} kills at {len(day.kills)} steps, {len(day.confirmed)} confirmed, "
        f"{_delivered(day).total()} taken",
    )


def log_in_once(day: Day) -> None:
    day.phone.sign_in(username=day.engineer.user.username, password=make.PASSWORD)
    open_app(day.page)
    # a browser writes its cookies down late; who signed in is not what this is about
    day.phone.close()


def _messages(day: Day) -> list[PhoneMessage]:
    return list(PhoneMessage.objects.filter(engineer=day.engineer).order_by("received_at"))


def _delivered(day: Day) -> Counter[Tap]:
    """Announced pictures are part of their question's answer."""
    delivered = [message for message in _messages(day) if message.kind != "photo_taken"]
    return Counter(
        Tap(message.provider_job_id, message.kind, message.body["body"].get("question", ""))
        for message in delivered
    )


def differences(day: Day) -> list[str]:
    """A sentence for each thing that was lost, doubled, refused or out of order."""
    delivered = _delivered(day)
    wrong = [f"confirmed and lost: {tap}" for tap in day.confirmed if tap not in delivered]
    wrong += [f"taken {times} times: {tap}" for tap, times in delivered.items() if times > 1]
    messages = _messages(day)
    wrong += [
        f"{message.kind} was {message.outcome}"
        for message in messages
        if message.outcome != PhoneOutcome.APPLIED
    ]
    for earlier, later in pairwise(messages):
        if earlier.occurred_at > later.occurred_at and earlier.provider_job_id == later.provider_job_id:
            wrong.append(f"{later.provider_job_id}: {later.kind} arrived after the later {earlier.kind}")
    wrong += [
        f"photo {message.pk} never came" for message in Photo.objects.filter(by=day.engineer, stored_at=None)
    ]
    return wrong


def _missing() -> str:
    return "" if CHROMIUM else "no chromium is installed"


SCENARIOS = [
    Scenario("phone killed at every step", killed_at_every_step, databases=("sqlite",), missing=_missing),
]
