"""The same labels in WebKit, Safari's engine, driven by WebKitWebDriver (Debian: webkit2gtk-driver, xvfb)."""

import json
import os
import shutil
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from config.demonstration import wait_until
from tests.bench import scan
from tests.bench.rows import Row

DRIVER, SCREEN = "WebKitWebDriver", "xvfb-run"
# fewer than in Chromium: its wasm is the same, and each picture takes its way through the driver
EACH = 5
CALL = """
const done = arguments[arguments.length - 1];
(%s)(arguments[0]).then(done, (problem) => done({ texts: [], milliseconds: 0, problem: String(problem) }));
"""


def missing() -> str:
    absent = [name for name in (DRIVER, SCREEN) if not shutil.which(name)]
    return f"not installed: {', '.join(absent)}" if absent else ""


class Session:
    """One window of WebKit."""

    def __init__(self, url: str) -> None:
        self.url = url
        wanted: dict[str, Any] = {"capabilities": {"alwaysMatch": {}}}
        self.url = f"{url}/session/{self.ask('/session', wanted)['sessionId']}"
        self.ask("/timeouts", {"script": 60_000})

    def ask(self, path: str, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(f"{self.url}{path}", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=90) as answer:
            return json.load(answer)["value"]

    def run(self, script: str, argument: str) -> Any:
        said = self.ask("/execute/async", {"script": CALL % script, "args": [argument]})
        if said.get("problem"):
            raise RuntimeError(said["problem"])
        return said


@contextmanager
def driver() -> Iterator[str]:
    port = _free_port()
    process = subprocess.Popen(
        [SCREEN, "--auto-servernum", DRIVER, f"--port={port}"],
        env={**os.environ, "WEBKIT_DISABLE_COMPOSITING_MODE": "1"},
        start_new_session=True,
    )
    try:
        if not wait_until(lambda: _listens(port), seconds=20):
            raise RuntimeError("WebKitWebDriver does not answer")
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, 15)
        process.wait(timeout=20)


def _free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def measure(_folder: Path) -> list[Row]:
    with scan.served() as url, driver() as driven:
        session = Session(driven)
        session.ask("/url", {"url": f"{url}/"})
        found = scan.looks(scan.in_a_page(session.run), each=EACH)
    return scan.rows_of("webkit", found)
