"""The other side's own line: HTTP over mutual TLS, by hand enough to send what no client would."""

import json
import ssl
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from engineers.input_values import parse_foreign_json

JSON_HEADERS = {"Content-Type": "application/json"}
TIMEOUT_SECONDS = 15


@dataclass(frozen=True)
class Reply:
    """An answer as it came; `body` is None when it is not JSON, as `contract.problems` then says."""

    status: int
    media_type: str
    headers: dict[str, str]
    body: Any

    @property
    def faultcode(self) -> str:
        fault = self.body.get("fault") if isinstance(self.body, dict) else None
        return str(fault.get("faultcode", "")) if isinstance(fault, dict) else ""

    @property
    def fields(self) -> list[str]:
        """The JSON pointers of a refusal."""
        details = self.body["fault"].get("detail", []) if self.faultcode else []
        return [str(detail.get("field")) for detail in details if isinstance(detail, dict)]


@dataclass(frozen=True)
class ConformanceClient:
    """Where the implementation is, who we are there, and the jobs that only its people can make."""

    endpoint: str
    ca: str
    certificate: str = ""
    key: str = ""
    jobs: tuple[tuple[str, str], ...] = ()
    # an instant in the window of the seller's open job
    planned_start: str = ""

    def job(self, kind: str) -> str:
        """The providerJobId given for this kind of job, or nothing."""
        return dict(self.jobs).get(kind, "")

    def nobody(self) -> "ConformanceClient":
        return replace(self, certificate="", key="")

    def connect(self) -> HTTPSConnection:
        context = ssl.create_default_context(cafile=self.ca)
        if self.certificate:
            context.load_cert_chain(self.certificate, self.key)
        parts = urlsplit(self.endpoint)
        return HTTPSConnection(
            parts.hostname or "", parts.port or 443, context=context, timeout=TIMEOUT_SECONDS
        )

    def path(self, operation: str) -> str:
        return f"{urlsplit(self.endpoint).path.rstrip('/')}/{operation}"

    def send(self, operation: str, message: dict[str, Any]) -> Reply:
        return self.send_raw(operation, json.dumps(message, ensure_ascii=False).encode())

    def send_raw(
        self,
        operation: str,
        body: bytes | Iterable[bytes] | None,
        *,
        method: str = "POST",
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """One request on a connection of its own; an iterable goes in chunks."""
        connection = self.connect()
        try:
            return ask(connection, self.path(operation), body, method=method, headers=headers or JSON_HEADERS)
        finally:
            connection.close()


def ask(
    connection: HTTPConnection,
    path: str,
    body: bytes | Iterable[bytes] | None,
    *,
    method: str = "POST",
    headers: dict[str, str],
) -> Reply:
    """On an open connection; who refuses early may have closed its ear, its answer is read all the same."""
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.request(method, path, body, headers)
    answer = connection.getresponse()
    raw, response_headers = answer.read(), dict(answer.headers.items())
    media_type = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    try:
        found = parse_foreign_json(raw)
    except ValueError:
        found = None
    return Reply(
        answer.status, media_type, {name.lower(): value for name, value in response_headers.items()}, found
    )


TROUBLE = (OSError, HTTPException)
