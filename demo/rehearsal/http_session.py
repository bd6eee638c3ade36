"""A browser without a face: cookies, form tokens, JSON. Speaks to the board and the phone as people's browsers do."""

import json
import re
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urljoin

import urllib3

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
REDIRECTS = {301, 302, 303}
SECONDS = 60


class SessionError(Exception):
    """The day cannot go on as planned; the text says where."""


class UnexpectedAnswer(SessionError):
    """An address answered otherwise than a person's browser could have used."""

    def __init__(self, method: str, path: str, status: int, text: str) -> None:
        super().__init__(f"{method} {path} answered {status}: {text[:500]}")
        self.status, self.text = status, text


@dataclass
class SessionResponse:
    status: int
    data: bytes
    headers: dict[str, str]

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
        words = {"username": username, "password": password, "csrfmiddlewaretoken": token.group(1)}
        answer = self.submit("/login/", words)
        if answer.status not in REDIRECTS:
            raise UnexpectedAnswer("POST", "/login/", answer.status, f"{username} was not let in")

    def get(self, path: str, *, accept: str = "text/html") -> SessionResponse:
        return self.fetch("GET", path, headers={"Accept": accept})

    def get_json(self, path: str) -> Any:
        answer = self.get(path, accept="application/json")
        if answer.status != 200:
            raise UnexpectedAnswer("GET", path, answer.status, answer.text)
        return answer.json()

    def submit(self, path: str, words: dict[str, str], *, accept: str = "text/html") -> SessionResponse:
        """A form, with the token that the pages carry."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": accept}
        return self.fetch("POST", path, body=urlencode(words).encode(), headers=headers)

    def post_json(self, path: str, body: Any) -> SessionResponse:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return self.fetch("POST", path, body=json.dumps(body).encode(), headers=headers)

    def fetch(
        self, method: str, path: str, *, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> SessionResponse:
        """One request; redirects are left to the caller, as a test of the door wants to see them."""
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
                timeout=SECONDS,
            )
        except urllib3.exceptions.HTTPError as problem:
            raise SessionError(f"{method} {path} got no answer: {problem}") from problem
        for line in answer.headers.getlist("Set-Cookie"):
            self.cookies.update({name: morsel.value for name, morsel in SimpleCookie(line).items()})
        return SessionResponse(answer.status, answer.data, dict(answer.headers))
