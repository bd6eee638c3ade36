"""Simulated engineers: each takes the jobs of the day off the phone, one after the other, and does them."""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from random import Random
from threading import Event
from typing import Any

from django.utils import timezone
from PIL import Image, ImageDraw

from closures import flow
from closures.question_matrix.matrix import Question, configured_matrix
from demo.rehearsal.app_client import PhoneClient, SessionError, entry, photo_entry
from demo.rehearsal.job_scenarios import JobScenario, PlannedOutcome
from demo.rehearsal.sandbox_client import SandboxClient
from demo.rehearsal.visit_clock import NoTime, VisitClock
from dispatch.models import Job
from dispatch.states import WITH_ONT_SCAN, JobState

POLL_SECONDS = 0.3
STEP_TIMEOUT_SECONDS = 180
SUCCESSES = {1, 2}
RETRIED_BY_SELLER = 4
RETRY_SECONDS = 300
POSITION = {"latitude": 53.8, "longitude": -1.548, "accuracy_metres": 12.0}
# a phone indoors does not always know where it is
NO_POSITION = {"missing_because": "no_fix_in_time"}


def position_at(job: Job) -> dict[str, float]:
    """What a phone at the premises knows of its place."""
    if job.latitude is None or job.longitude is None:
        return POSITION
    return {**POSITION, "latitude": job.latitude, "longitude": job.longitude}


class StepTimedOut(SessionError):
    """Something that the application should have shown did not appear."""


@dataclass
class Order:
    """A job as the rehearsal knows it: what it is called on both sides and what shall happen to it."""

    seller_job_id: str
    job_id: str
    fate: JobScenario


@dataclass
class SimulatedEngineer:
    """One engineer. `finished` receives the order when a job is over."""

    name: str
    phone: PhoneClient
    seller: SandboxClient
    orders: dict[str, Order]
    finished: Callable[[Order], None]
    over: Event
    chance: Random = field(default_factory=Random)
    done: set[str] = field(default_factory=set)

    def work(self) -> None:
        """Until the rehearsal is over: the next job of the day that is not done yet."""
        while not self.over.is_set():
            order = self._next()
            if order is None:
                self.over.wait(POLL_SECONDS)
                continue
            self.done.add(order.job_id)
            SimulatedVisit(self, order).run()
            self.finished(order)

    def _next(self) -> Order | None:
        waiting = [job["id"] for job in self.phone.day() if job["id"] not in self.done]
        return next((self.orders[job_id] for job_id in waiting if job_id in self.orders), None)


@dataclass
class SimulatedVisit:
    """One job from `state` to its end, or until the step `stop_after`: en_route, on_site or scan.

    `minutes_of_travel` and `minutes_on_site` pass on the clock.
    """

    worker: SimulatedEngineer
    order: Order
    clock: VisitClock = field(default_factory=NoTime)
    state: str = JobState.ASSIGNED
    stop_after: str = ""
    position: Mapping[str, Any] = field(default_factory=lambda: POSITION)
    minutes_of_travel: float = 0
    minutes_on_site: float = 0
    answers: dict[str, Any] = field(default_factory=dict)

    @property
    def job_id(self) -> str:
        return self.order.job_id

    @property
    def fate(self) -> JobScenario:
        return self.order.fate

    def run(self) -> None:
        if self.fate.cancelled_when == "assigned":
            self._be_cancelled()
            return
        if self.state == JobState.ASSIGNED:
            self._say("en_route", position=self.position)
        if self.fate.cancelled_when == "en_route":
            self._be_cancelled()
            return
        if self.stop_after == "en_route":
            return
        if self.state != JobState.ON_SITE:
            self._arrive()
        if self.stop_after != "on_site":
            self._work()

    def _arrive(self) -> None:
        self.clock.spend(self.minutes_of_travel)
        self._say("on_site", position=NO_POSITION if self.fate.number % 6 == 5 else self.position)

    def _work(self) -> None:
        self._answer_all("safety")
        self._pass(0.4)
        if self.fate.outcome.succeeds:
            if self.stop_after == "scan":
                self._scan()
                return
            if self.fate.job_type in WITH_ONT_SCAN:
                self._provision()
            self._answer_all("work")
        self._pass(0.6)
        self._answer_all("closing")
        self._close(self.fate.outcome)

    def _pass(self, share: float) -> None:
        self.clock.spend(self.minutes_on_site * share)

    def _say(self, kind: str, **body: Any) -> None:
        self.worker.phone.say(kind, self.job_id, occurred_at=self.clock.now(), **body)

    def _be_cancelled(self) -> None:
        self.worker.seller.cancel(self.order.seller_job_id)
        self._wait(lambda: self._job_version()["state"] == "cancelled", "the cancellation")

    def _job_version(self) -> dict[str, Any]:
        return self.worker.phone.job_version(self.job_id)

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + STEP_TIMEOUT_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise StepTimedOut(
                    f"{self.worker.name} waited {STEP_TIMEOUT_SECONDS} s for {what} of {self.job_id}"
                )
            time.sleep(POLL_SECONDS)

    # --- ONT: scan until the seller says 1 or 2 -------------------------------------------------------------
    def _provision(self) -> None:
        result = 0
        while result not in SUCCESSES:
            latest = self._result_of(self._scan(), after="")
            while latest["result_id"] == RETRIED_BY_SELLER:
                # instead of five minutes of everybody's life
                self.worker.seller.move_clock(seconds=RETRY_SECONDS)
                latest = self._result_of(self._job_version()["scan"]["scan_id"], after=latest["occurred_at"])
            result = latest["result_id"]

    def _scan(self) -> str:
        scan_id = str(uuid.uuid4())
        fsan = f"CXNK{self.worker.chance.getrandbits(32):08X}"
        serial_number = f"{self.worker.chance.randrange(10**12):012d}"
        self._say("ont_scanned", scan_id=scan_id, fsan=fsan, serial_number=serial_number)
        return scan_id

    def _result_of(self, scan_id: str, *, after: str) -> dict[str, Any]:
        """The seller's answer to this scan, as soon as there is one after that instant."""
        self._wait(lambda: self._new_result(scan_id, after) is not None, "a provisioning result")
        found: dict[str, Any] = self._job_version()["result"]
        return found

    def _new_result(self, scan_id: str, after: str) -> dict[str, Any] | None:
        version = self._job_version()
        result: dict[str, Any] | None = version["result"]
        is_new = result is not None and result["occurred_at"] > after
        return result if is_new and version["scan"]["scan_id"] == scan_id else None

    # --- questions and photos -------------------------------------------------------------------------------
    def _answer_all(self, stage: str) -> None:
        entries: list[dict[str, Any]] = []
        photos: list[tuple[str, bytes]] = []
        while (question := self._next_question(stage)) is not None:
            if question.is_picture:
                photo_id, content = self._take_photo(question)
                photos.append((photo_id, content))
                entries.append(
                    photo_entry(
                        self.job_id,
                        question=question.code,
                        photo_id=photo_id,
                        content=content,
                        taken_at=self.clock.now(),
                    )
                )
                self.answers[question.code] = [photo_id]
            else:
                self.answers[question.code] = generate_answer(question, chance=self.worker.chance)
            value = self.answers[question.code]
            entries.append(self._answered(question.code, value))
        if entries:
            self.worker.phone.send_all(entries)
        for photo_id, content in photos:
            self.worker.phone.put_photo(photo_id, content)

    def _answered(self, code: str, value: Any) -> dict[str, Any]:
        return entry("answered", self.job_id, occurred_at=self.clock.now(), question=code, value=value)

    def _next_question(self, stage: str) -> Question | None:
        return flow.next_question(
            configured_matrix(),
            job_type=self.fate.job_type,
            answers=self.answers,
            stages=(stage,),
            closure_code=self.fate.outcome.code,
        )

    def _take_photo(self, question: Question) -> tuple[str, bytes]:
        caption = f"{question.code} {question.text}"
        content = generate_photo(
            caption=caption, taken_at=timezone.localtime(self.clock.now()), chance=self.worker.chance
        )
        return str(uuid.uuid4()), content

    def _close(self, outcome: PlannedOutcome) -> None:
        self._say("close", code=outcome.code, secondary_code=outcome.secondary, remarks=outcome.remarks)


# where "yes" or the first choice would report a problem
KNOWN = {"DAM01": "no", "SAF07": "in_place", "NOA02": 15, "POP11": -38.5}
TEXT_ANSWERS = {"ROU03": "Pole 14 on the corner", "REV02": "Cleaned and reseated the connector, tested again"}
DEFAULT_WORDS = "Seen on site, the office and the customer know"


def generate_answer(question: Question, *, chance: Random) -> Any:
    """A value for any kind but a photo, which needs a picture first."""
    if question.code in KNOWN:
        return KNOWN[question.code]
    match question.kind:
        case "yes_no":
            return "yes"
        case "choice":
            return question.choices[0].code
        case "number":
            return _number(question, chance)
        case _:
            return TEXT_ANSWERS.get(question.code, DEFAULT_WORDS)


def _number(question: Question, chance: Random) -> float:
    expected: Mapping[str, tuple[float, float]] = question.expected
    low, high = next(iter(expected.values()), (question.minimum or 0, question.maximum or 0))
    middle, spread = (low + high) / 2, (high - low) / 8
    return round(chance.uniform(middle - spread, middle + spread), question.decimals)


SIZE = (1024, 768)
EXIF_MAKE, EXIF_MODEL, EXIF_TAKEN_AT, EXIF_ORIENTATION = 271, 272, 306, 274


def generate_photo(*, caption: str, taken_at: datetime, chance: Random) -> bytes:
    """A picture of coloured shapes with the words on it, about a hundred kilobytes."""
    picture = Image.effect_noise(SIZE, 12).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for _ in range(12):
        left, top = chance.randrange(SIZE[0]), chance.randrange(SIZE[1])
        colour = tuple(chance.randrange(256) for _ in range(3))
        draw.rectangle((left, top, left + chance.randrange(40, 400), top + chance.randrange(40, 400)), colour)
    draw.text((40, 40), caption, fill="white", stroke_width=2, stroke_fill="black", font_size=40)
    exif = Image.Exif()
    exif[EXIF_MAKE], exif[EXIF_MODEL], exif[EXIF_ORIENTATION] = "Rehearsal", "Pocket 1", 1
    exif[EXIF_TAKEN_AT] = taken_at.strftime("%Y:%m:%d %H:%M:%S")
    file = BytesIO()
    picture.save(file, "JPEG", quality=70, exif=exif)
    return file.getvalue()
