"""WebKit, Safari's engine, driven by WebKitWebDriver (Debian: webkit2gtk-driver, xvfb, xauth)."""

import json
import os
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from demo.environment import wait_until
from tests.servers.ports import free_port

DRIVER, SCREEN = "WebKitWebDriver", "xvfb-run"
NEEDED = (DRIVER, SCREEN, "xauth")
SECONDS = 60
# how the protocol names a reference to an element
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
CALL = """
const done = arguments[arguments.length - 1];
(%s)(arguments[0]).then((said) => done({ said }), (problem) => done({ problem: String(problem) }));
"""


class Refused(Exception):
    """The driver could not do it; its own message."""


def missing() -> str:
    absent = [name for name in NEEDED if not shutil.which(name)]
    return f"not installed: {', '.join(absent)}" if absent else ""


class Session:
    """One window of WebKit; what it keeps is gone with it."""

    def __init__(self, url: str) -> None:
        self.url = url
        wanted: dict[str, Any] = {"capabilities": {"alwaysMatch": {}}}
        self.url = f"{url}/session/{self.ask('/session', wanted)['sessionId']}"
        self.ask("/timeouts", {"script": SECONDS * 1000, "pageLoad": SECONDS * 1000})

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """POST, or GET without a body."""
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}", content)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS + 30) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as refused:
            raise Refused(json.load(refused)["value"]) from refused

    def end(self) -> None:
        urllib.request.urlopen(urllib.request.Request(self.url, method="DELETE"), timeout=SECONDS).close()

    def run(self, script: str, argument: Any = None) -> Any:
        """What an asynchronous function in the page gives."""
        answer = self.ask("/execute/async", {"script": CALL % script, "args": [argument]})
        if "problem" in answer:
            raise Refused(answer["problem"])
        return answer["said"]

    def open(self, address: str) -> None:
        self.ask("/url", {"url": address})

    @property
    def address(self) -> str:
        return str(self.ask("/url"))

    def has(self, selector: str) -> bool:
        return bool(self.run("async (selector) => Boolean(document.querySelector(selector))", selector))

    def text(self, selector: str = "body") -> str:
        script = "async (selector) => document.querySelector(selector)?.innerText ?? ''"
        return str(self.run(script, selector))

    def click(self, selector: str) -> None:
        self.ask(f"/element/{self._found(selector)}/click", {})

    def type(self, selector: str, value: str) -> None:
        """Keys; for a file's field the path of a file."""
        self.ask(f"/element/{self._found(selector)}/value", {"text": value})

    def _found(self, selector: str) -> str:
        assert wait_until(lambda: self.has(selector), seconds=SECONDS), f"{selector} is not on {self.address}"
        return str(self.ask("/element", {"using": "css selector", "value": selector})[ELEMENT])


@contextmanager
def driver() -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen(
        [SCREEN, "--auto-servernum", DRIVER, f"--port={port}"],
        env={**os.environ, "WEBKIT_DISABLE_COMPOSITING_MODE": "1"},
        start_new_session=True,
    )
    try:
        if not wait_until(lambda: _listens(port), seconds=60):
            raise RuntimeError("WebKitWebDriver does not answer")
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, 15)
        process.wait(timeout=20)


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0
