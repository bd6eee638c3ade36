"""Our board and phone as a rehearsal uses them: HTTP sessions of people who signed in, with cookies and form tokens.

An engineer's phone without a screen sends the same queue messages and photos as the pages do.
"""

import hashlib
import json
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from http import HTTPStatus
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urljoin

import urllib3
from django.utils import timezone

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
PAGE_VERSION = re.compile(r'data-version="(\w+)"')
REDIRECTS = {301, 302, 303}
REQUEST_SECONDS = 60
# forty simulated phones with photos in parallel on a small machine
AVAILABLE_SECONDS = 180
JPEG = {"Content-Type": "image/jpeg", "Accept": "application/json"}


class SessionError(Exception):
    """The day cannot go on as planned; the text says where."""


class UnexpectedAnswer(SessionError):
    """An address answered otherwise than a person's browser could have used."""

    def __init__(self, method: str, path: str, status: int, text: str) -> None:
        super().__init__(f"{method} {path} answered {status}: {text[:500]}")
        self.status, self.text = status, text


@dataclass
class SessionResponse:
    """`headers` are found whatever the case of their names: a server may write `etag`, a proxy `ETag`."""

    status: int
    data: bytes
    headers: Mapping[str, str]

    @property
    def text(self) -> str:
        return self.data.decode(errors="replace")

    def json(self) -> Any:
        return json.loads(self.data)


@dataclass
class HttpSession:
    """One signed-in person. Not for several threads at once."""

    base: str
    cookies: dict[str, str] = field(default_factory=dict)
    pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(retries=False))

    def sign_in(self, *, username: str, password: str) -> None:
        page = self.get("/login/")
        token = TOKEN.search(page.text)
        if token is None:
            raise UnexpectedAnswer("GET", "/login/", page.status, "no form token")
        fields = {"username": username, "password": password, "csrfmiddlewaretoken": token.group(1)}
        answer = self.submit("/login/", fields)
        if answer.status not in REDIRECTS:
            raise UnexpectedAnswer("POST", "/login/", answer.status, f"{username} was not let in")

    def get(self, path: str, *, accept: str = "text/html") -> SessionResponse:
        return self.fetch("GET", path, headers={"Accept": accept})

    def get_json(self, path: str) -> Any:
        answer = self.get(path, accept="application/json")
        if answer.status != 200:
            raise UnexpectedAnswer("GET", path, answer.status, answer.text)
        return answer.json()

    def submit(self, path: str, fields: dict[str, str], *, accept: str = "text/html") -> SessionResponse:
        """A form, with the token that the pages carry."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": accept}
        return self.fetch("POST", path, body=urlencode(fields).encode(), headers=headers)

    def post_json(self, path: str, body: Any, *, headers: Mapping[str, str] | None = None) -> SessionResponse:
        own = {"Content-Type": "application/json", "Accept": "application/json", **(headers or {})}
        return self.fetch("POST", path, body=json.dumps(body).encode(), headers=own)

    def fetch(
        self, method: str, path: str, *, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> SessionResponse:
        """One request; redirects are left to the caller, as a test of the server needs to see them."""
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if method not in {"GET", "HEAD"}:
            sent["X-CSRFToken"] = self.cookies.get("csrftoken", "")
        try:
            answer = self.pool.request(
                method,
                urljoin(self.base, path),
                body=body or None,
                headers={**sent, **(headers or {})},
                redirect=False,
                timeout=REQUEST_SECONDS,
            )
        except urllib3.exceptions.HTTPError as problem:
            raise SessionError(f"{method} {path} got no answer: {problem}") from problem
        for line in answer.headers.getlist("Set-Cookie"):
            self.cookies.update({name: morsel.value for name, morsel in SimpleCookie(line).items()})
        return SessionResponse(answer.status, answer.data, answer.headers)


class PhoneRejected(SessionError):
    """The phone's message was refused; the problems say why."""

    def __init__(self, kind: str, job_id: str, problems: list[dict[str, Any]]) -> None:
        text = "; ".join(f"{problem['where']}: {problem['message']}" for problem in problems)
        super().__init__(f"{kind} for {job_id} was refused: {text}")
        self.problems = problems


@dataclass
class PhoneClient:
    browser: HttpSession

    @cached_property
    def headers(self) -> dict[str, str]:
        """Each message names the version of the page that sent it."""
        found = PAGE_VERSION.search(self.browser.get("/phone/").text)
        return {"X-Phone-Version": found[1]} if found else {}

    def day(self) -> list[dict[str, Any]]:
        """Today's jobs of this engineer, in order."""
        found: list[dict[str, Any]] = self.browser.get_json("/phone/day.json")["jobs"]
        return found

    def job_version(self, job_id: str) -> dict[str, Any]:
        """What the waiting page asks every two seconds."""
        found: dict[str, Any] = self.browser.get_json(f"/phone/jobs/{job_id}/version.json")
        return found

    def say(self, kind: str, job_id: str, *, occurred_at: datetime | None = None, **body: Any) -> str:
        """One message; its outcome: applied, or late when the job went on without us. Raises PhoneRejected."""
        return self.send_all([entry(kind, job_id, occurred_at=occurred_at, **body)])[0]

    def send_all(self, entries: list[dict[str, Any]]) -> list[str]:
        """A batch in order, as a queue that found signal again."""
        answer = when_available(
            lambda: self.browser.post_json("/phone/sync", {"messages": entries}, headers=self.headers)
        )
        if answer.status != 200:
            raise UnexpectedAnswer("POST", "/phone/sync", answer.status, answer.text)
        results = answer.json()["results"]
        for entry, result in zip(entries, results, strict=True):
            if result["outcome"] == "refused":
                raise PhoneRejected(entry["kind"], entry["job"], result["problems"])
        return [result["outcome"] for result in results]

    def put_photo(self, photo_id: str, content: bytes) -> None:
        path = f"/phone/photos/{photo_id}"
        answer = when_available(lambda: self.browser.fetch("PUT", path, body=content, headers=JPEG))
        if answer.status != 200 or not answer.json()["stored"]:
            raise UnexpectedAnswer("PUT", path, answer.status, answer.text)


def when_available(send: Callable[[], SessionResponse]) -> SessionResponse:
    """As phones and people do: a server that is busy, or whose database did not answer in time, gets the same a moment
    later.
    """
    deadline = time.monotonic() + AVAILABLE_SECONDS
    while (answer := send()).status == HTTPStatus.SERVICE_UNAVAILABLE and time.monotonic() < deadline:
        time.sleep(1)
    return answer


def signed_in_phone(board_url: str, *, username: str, password: str) -> PhoneClient:
    browser = HttpSession(board_url)
    browser.sign_in(username=username, password=password)
    return PhoneClient(browser)


def entry(kind: str, job_id: str, *, occurred_at: datetime | None = None, **body: Any) -> dict[str, Any]:
    """A message as the phone's queue holds it."""
    return {
        "message_id": str(uuid.uuid4()),
        "kind": kind,
        "job": job_id,
        "occurred_at": (occurred_at or timezone.now()).isoformat(),
        "body": body,
    }


def photo_entry(
    job_id: str, *, question: str, photo_id: str, content: bytes, taken_at: datetime | None = None
) -> dict[str, Any]:
    taken_at = taken_at or timezone.now()
    return entry(
        "photo_taken",
        job_id,
        occurred_at=taken_at,
        photo_id=photo_id,
        question=question,
        taken_at=taken_at.isoformat(),
        source="camera",
        sha256=hashlib.sha256(content).hexdigest(),
    )
