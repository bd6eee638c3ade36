"""An engineer's phone without a screen: the same queue messages, photos and looks at the day as the pages send."""

import hashlib
import time
import uuid
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.utils import timezone

from demo.rehearsal.http_session import HttpSession, SessionError, UnexpectedAnswer

# forty simulated phones beside each other on a small machine
TIMEOUT_SECONDS = 180
JPEG = {"Content-Type": "image/jpeg", "Accept": "application/json"}


class PhoneRejected(SessionError):
    """The phone's message was refused; the problems say why."""

    def __init__(self, kind: str, job_id: str, problems: list[dict[str, Any]]) -> None:
        said = "; ".join(f"{one['where']}: {one['message']}" for one in problems)
        super().__init__(f"{kind} for {job_id} was refused: {said}")
        self.problems = problems


@dataclass
class PhoneClient:
    browser: HttpSession

    def day(self) -> list[dict[str, Any]]:
        """Today's jobs of this engineer, in order."""
        found: list[dict[str, Any]] = self.browser.get_json("/phone/day.json")["jobs"]
        return found

    def pulse(self, job_id: str) -> dict[str, Any]:
        """What the waiting page asks every two seconds."""
        found: dict[str, Any] = self.browser.get_json(f"/phone/jobs/{job_id}/pulse.json")
        return found

    def say(self, kind: str, job_id: str, **body: Any) -> str:
        """One message; its outcome: applied, or late when the job went on without us. Raises Refused."""
        return self.send_all([entry(kind, job_id, **body)])[0]

    def send_all(self, entries: list[dict[str, Any]]) -> list[str]:
        """A batch in order, as a queue that found signal again."""
        answer = self.browser.post_json("/phone/sync", {"messages": entries})
        if answer.status != 200:
            raise UnexpectedAnswer("POST", "/phone/sync", answer.status, answer.text)
        results = answer.json()["results"]
        for said, result in zip(entries, results, strict=True):
            if result["outcome"] == "refused":
                raise PhoneRejected(said["kind"], said["job"], result["problems"])
        return [result["outcome"] for result in results]

    def put_photo(self, photo_id: str, content: bytes) -> None:
        """As the phone: a server that is busy with other pictures gets it a moment later."""
        path = f"/phone/photos/{photo_id}"
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while True:
            answer = self.browser.fetch("PUT", path, body=content, headers=JPEG)
            if answer.status != HTTPStatus.SERVICE_UNAVAILABLE or time.monotonic() > deadline:
                break
            time.sleep(1)
        if answer.status != 200 or not answer.json()["stored"]:
            raise UnexpectedAnswer("PUT", path, answer.status, answer.text)


def entry(kind: str, job_id: str, *, occurred_at: datetime | None = None, **body: Any) -> dict[str, Any]:
    """A message as the phone's queue holds it."""
    return {
        "message_id": str(uuid.uuid4()),
        "kind": kind,
        "job": job_id,
        "occurred_at": (occurred_at or timezone.now()).isoformat(),
        "body": body,
    }


def photo_entry(job_id: str, *, question: str, photo_id: str, content: bytes) -> dict[str, Any]:
    return entry(
        "photo_taken",
        job_id,
        photo_id=photo_id,
        question=question,
        taken_at=timezone.now().isoformat(),
        source="camera",
        sha256=hashlib.sha256(content).hexdigest(),
    )
