"""One request to an endpoint and its answer, in the terms of job-messages.md (Refusals)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

MAX_BODY_BYTES = 1024 * 1024
JSON = "application/json"


@dataclass(frozen=True)
class Request:
    """What came in at an endpoint; `body` is None when it was longer than `MAX_BODY_BYTES`.

    `operation` is the path below the base path. `role` is the one in which the caller is served, empty until known.
    """

    endpoint: str
    operation: str
    method: str
    content_type: str
    body: bytes | None
    subject: str | None
    address: str
    path: str = ""
    role: str = ""


@dataclass(frozen=True)
class Answer:
    """A status and the bytes that go out; `headers` only where the status asks for one."""

    status: int
    content: bytes
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_accepted(self) -> bool:
        return self.status < 300

    @property
    def body(self) -> Any:
        """What the content says: an object for JSON, otherwise the text."""
        return json.loads(self.content) if self.content_type == JSON else self.content.decode()

    def with_headers(self, headers: Mapping[str, str]) -> "Answer":
        return replace(self, headers={**self.headers, **headers})


@dataclass(frozen=True)
class Problem:
    """One entry of a fault's `detail`: `pointer` is a JSON pointer, "/" for the whole message."""

    pointer: str
    code: str
    message: str

    def as_detail(self) -> dict[str, str]:
        return {"field": self.pointer, "code": self.code, "message": self.message}


def json_answer(status: int, body: Any) -> Answer:
    return Answer(status, json.dumps(body).encode())


def refuse(status: int, code: str, message: str, problems: list[Problem] | None = None) -> Answer:
    """A JSON fault with all problems at once."""
    detail = [problem.as_detail() for problem in problems or [Problem("/", code, message)]]
    return json_answer(status, {"fault": {"faultcode": code, "faultmessage": message, "detail": detail}})


def try_again() -> Answer:
    """Nothing has changed; the caller may repeat the message as it is."""
    return refuse(503, "tryAgain", "The message was not stored; send it again").with_headers(
        {"Retry-After": "2"}
    )
