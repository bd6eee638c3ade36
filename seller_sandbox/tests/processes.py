"""Really started processes of the sandbox, and a caller who speaks to an endpoint as a partner does."""

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.db import connection

REPOSITORY = Path(__file__).resolve().parents[2]
START_SECONDS = 60


@dataclass(frozen=True)
class Response:
    """An answer as it came over the wire."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


def fault_of(response: Response) -> tuple[int, str]:
    return response.status, response.body["fault"]["faultcode"]


@dataclass
class Process:
    """A running command of the sandbox."""

    popen: subprocess.Popen[bytes]
    log: Path

    def stop(self) -> int:
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(timeout=20)


def environment_of_processes() -> dict[str, str]:
    """What lets a process of the sandbox use the tests' database."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return {**os.environ, "SANDBOX_DATABASE_PATH": name}
    url = urlsplit(os.environ["SANDBOX_DATABASE_URL"])._replace(path=f"/{name}")
    return {**os.environ, "SANDBOX_DATABASE_URL": url.geturl()}


def start(*command: str, log: Path) -> Process:
    """Run a command of the sandbox on the tests' database."""
    with log.open("wb") as errors:
        popen = subprocess.Popen(
            [sys.executable, "-m", "seller_sandbox.manage", *command],
            cwd=REPOSITORY,
            env=environment_of_processes(),
            stderr=errors,
        )
    return Process(popen, log)


def wait_for_port(port: int, process: Process) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.popen.poll() is not None:
            raise RuntimeError(process.log.read_text())
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(process.log.read_text())


@dataclass(frozen=True)
class Caller:
    """Speaks to one endpoint over mutual TLS; each call is a connection of its own."""

    folder: Path
    port: int
    certificate: str | None = "partner"

    def post(self, operation: str, body: Any, **options: Any) -> Response:
        return self.send("POST", operation, json.dumps(body).encode(), **options)

    def send(
        self,
        method: str,
        operation: str,
        content: bytes = b"",
        content_type: str = "application/json",
        **headers: str,
    ) -> Response:
        line = http.client.HTTPSConnection("127.0.0.1", self.port, context=self._context(), timeout=10)
        try:
            headers = {"Content-Type": content_type, **headers}
            line.request(method, f"/{operation}", body=content, headers=headers)
            answer = line.getresponse()
            is_json = answer.headers.get_content_type() == "application/json"
            body = json.loads(answer.read()) if is_json else answer.read().decode()
            return Response(answer.status, body, dict(answer.headers))
        finally:
            line.close()

    def _context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self.folder / "ca.pem")
        if self.certificate:
            names = (self.folder / f"{self.certificate}.pem", self.folder / f"{self.certificate}.key")
            context.load_cert_chain(*names)
        return context
