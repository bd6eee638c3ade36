"""One request to an endpoint and its answer, in the terms of job-messages.md (Refusals)."""

from dataclasses import dataclass, field
from typing import Any

MAX_BODY_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Request:
    """What came in at an endpoint; `body` is None when it was longer than `MAX_BODY_BYTES`."""

    endpoint: str
    operation: str
    method: str
    content_type: str
    body: bytes | None
    subject: str | None
    address: str


@dataclass(frozen=True)
class Answer:
    """A status and a JSON object; `headers` only where the status asks for one."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def is_accepted(self) -> bool:
        return self.status < 300


@dataclass(frozen=True)
class Problem:
    """One entry of a fault's `detail`: `pointer` is a JSON pointer, "/" for the whole message."""

    pointer: str
    code: str
    message: str

    def as_detail(self) -> dict[str, str]:
        return {"field": self.pointer, "code": self.code, "message": self.message}


def refuse(status: int, code: str, message: str, problems: list[Problem] | None = None) -> Answer:
    """A fault answer with all problems at once."""
    detail = [problem.as_detail() for problem in problems or [Problem("/", code, message)]]
    return Answer(status, {"fault": {"faultcode": code, "faultmessage": message, "detail": detail}})


def try_again(*, status: int = 503, seconds: int | None = 2) -> Answer:
    """Nothing has changed; the caller may repeat the message as it is."""
    answer = refuse(status, "tryAgain", "The message was not stored; send it again")
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    return Answer(answer.status, answer.body, headers)
