"""Engineers' phones without a screen: each asks for its day as the application does and works through its visits."""

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from random import Random
from typing import Any, Protocol

from django.utils import timezone

from closures import flow
from closures.question_matrix.matrix import Question, configured_matrix
from demo.rehearsal.app_client import JPEG, HttpSession, entry, photo_entry
from demo.rehearsal.simulated_engineers import POSITION, generate_answer, generate_photo

# frontend: a phone that waits for nothing asks as often
DAY_SECONDS = 30.0
# five visits of 25 taps in a shift of eight hours, and six photos a visit
TAP_SECONDS = 230.0
PHOTO_ATTEMPTS, PHOTO_SECONDS = 5, 5
STAGES = ("safety", "work", "closing")
Timed = Callable[[str, Callable[[], Any]], Any]


class Later(Protocol):
    """Does `act` in so many seconds, while nobody else has the lock."""

    def __call__(self, act: Callable[[], None], *, after: float, lock: threading.Lock) -> None: ...


@dataclass
class Offline:
    """What a phone without signal keeps: entries in order, and our ids of the jobs that were scanned."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    scanned: list[str] = field(default_factory=list)


@dataclass
class Phone:
    """One engineer. `timed` measures a request by its kind; `provision` asks the seller for a result of our job;
    `uploads` is a second session of the same person, for photos beside the taps."""

    browser: HttpSession
    uploads: HttpSession
    timed: Timed
    later: Later
    provision: Callable[[str], None]
    chance: Random
    etag: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    uploading: threading.Lock = field(default_factory=threading.Lock)
    taps: Iterator[None] = field(init=False)
    waiting: list[str] = field(default_factory=list)
    offline: Offline | None = None
    refused: int = 0
    unchanged: int = 0

    def __post_init__(self) -> None:
        self.taps = self._work()

    def ask_for_day(self) -> None:
        """With the ETag of the last one, as the application does."""
        headers = {"Accept": "application/json", **({"If-None-Match": self.etag} if self.etag else {})}
        answer = self.timed("day", lambda: self.browser.fetch("GET", "/phone/day.json", headers=headers))
        self.unchanged += answer.status == HTTPStatus.NOT_MODIFIED
        if answer.status == HTTPStatus.OK:
            self.etag = answer.headers.get("ETag", "")
            found = json.loads(answer.data)["jobs"]
            self.waiting = [job["id"] for job in found if job["state"] == "assigned"]

    def tap(self) -> None:
        """The next thing that this engineer does; nothing once the day is done."""
        next(self.taps, None)

    def catch_up(self, taps: int) -> None:
        """So many taps in one request, as after an hour without signal; their photos wait for Wi-Fi."""
        self.offline = stored = Offline()
        for _ in range(taps):
            self.tap()
        self.offline = None
        if stored.entries:
            self._send(stored.entries)
        for job_id in stored.scanned:
            self.provision(job_id)

    def _work(self) -> Iterator[None]:
        while self.waiting:
            yield from self._visit(self.waiting[0])
            self.ask_for_day()

    def _visit(self, job_id: str) -> Iterator[None]:
        self._say("en_route", job_id, position=POSITION)
        yield
        self._say("on_site", job_id, position=POSITION)
        yield
        answers: dict[str, Any] = {}
        yield from self._answer(job_id, "safety", answers)
        label = {
            "fsan": f"CXNK{self.chance.getrandbits(32):08X}",
            "serial_number": f"{self.chance.randrange(10**12):012d}",
        }
        self._say("ont_scanned", job_id, scan_id=str(uuid.uuid4()), **label)
        if self.offline:
            self.offline.scanned.append(job_id)
        else:
            self.provision(job_id)
        yield
        for stage in STAGES[1:]:
            yield from self._answer(job_id, stage, answers)
        self._say("close", job_id, code="SP", secondary_code="", remarks="")
        yield

    def _answer(self, job_id: str, stage: str, answers: dict[str, Any]) -> Iterator[None]:
        while (question := self._next_question(stage, answers)) is not None:
            if question.is_picture:
                self._take_photo(job_id, question, answers)
            else:
                answers[question.code] = generate_answer(question, chance=self.chance)
                self._say("answered", job_id, question=question.code, value=answers[question.code])
            yield

    def _next_question(self, stage: str, answers: dict[str, Any]) -> Question | None:
        matrix = configured_matrix()
        return flow.next_question(
            matrix, job_type="installation", answers=answers, stages=(stage,), closure_code="SP"
        )

    def _take_photo(self, job_id: str, question: Question, answers: dict[str, Any]) -> None:
        photo_id, now = str(uuid.uuid4()), timezone.localtime()
        content = generate_photo(caption=question.code, taken_at=now, chance=self.chance)
        answers[question.code] = [photo_id]
        announced = photo_entry(job_id, question=question.code, photo_id=photo_id, content=content)
        answered = entry("answered", job_id, question=question.code, value=[photo_id])
        self._send([announced, answered])
        if not self.offline:
            self._upload(partial(self._put_photo, f"/phone/photos/{photo_id}", content, PHOTO_ATTEMPTS))

    def _upload(self, put: Callable[[], None], *, after: float = 0) -> None:
        self.later(put, after=after, lock=self.uploading)

    def _put_photo(self, path: str, content: bytes, attempts: int) -> None:
        """A server that is busy with other pictures gets it a moment later, as from a real phone."""
        kind = "photo, may be busy" if attempts > 1 else "photo"
        answer = self.timed(kind, lambda: self.uploads.fetch("PUT", path, body=content, headers=JPEG))
        if answer.status == HTTPStatus.SERVICE_UNAVAILABLE and attempts > 1:
            after = float(answer.headers.get("Retry-After", PHOTO_SECONDS))
            self._upload(partial(self._put_photo, path, content, attempts - 1), after=after)

    def _say(self, kind: str, job_id: str, **body: Any) -> None:
        self._send([entry(kind, job_id, **body)])

    def _send(self, entries: list[dict[str, Any]]) -> None:
        if self.offline:
            self.offline.entries += entries
            return
        answer = self.timed("tap", lambda: self.browser.post_json("/phone/sync", {"messages": entries}))
        if answer.status == HTTPStatus.OK:
            self.refused += sum(result["outcome"] == "refused" for result in answer.json()["results"])
