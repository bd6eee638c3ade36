"""What travels to a phone: bytes on the wire, headers and all, to a real Chromium, of the files as shipped."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.urls import reverse
from playwright.sync_api import Page

from phone import pwa
from tests.bench.phone import a_row, on_site
from tests.bench.rows import Row
from tests.scanner_files import scanner_files
from tests.servers.system import System

KB = 1024
SHELL = "/phone/shell/"
FETCH = """async (paths) => {
  for (const path of paths) await (await fetch(path, { cache: "reload" })).arrayBuffer();
}"""


class Wire:
    """Listens to the network of a page, past its worker and its cache."""

    def __init__(self, page: Page) -> None:
        self.weights: dict[str, float] = {}
        self.kinds: dict[str, str] = {}
        self._paths: dict[str, str] = {}
        tools = page.context.new_cdp_session(page)
        tools.send("Network.enable")
        tools.send("Network.setBypassServiceWorker", {"bypass": True})
        tools.send("Network.setCacheDisabled", {"cacheDisabled": True})
        tools.on("Network.responseReceived", self._begun)
        tools.on("Network.loadingFinished", self._done)

    def _begun(self, event: dict[str, Any]) -> None:
        path = urlsplit(event["response"]["url"]).path
        self._paths[event["requestId"]] = path
        self.kinds[path] = event["type"]

    def _done(self, event: dict[str, Any]) -> None:
        path = self._paths.get(event["requestId"])
        if path:
            self.weights[path] = event["encodedDataLength"]

    def kilobytes(self, paths: Iterable[str]) -> float:
        return round(sum(self.weights[path] for path in paths) / KB, 1)

    def of_kind(self, kind: str) -> list[str]:
        return [path for path, found in self.kinds.items() if found == kind and path in self.weights]


def measure(folder: Path, *, system: System | None = None) -> list[Row]:
    with on_site(folder, shipped=True, system=system) as (_system, phone, jobs):
        page = phone.page.context.new_page()
        wire = Wire(page)
        page.goto(SHELL, wait_until="networkidle")
        scripts, styles = wire.of_kind("Script"), wire.of_kind("Stylesheet")
        assert set(pwa.scripts_of("page")) <= set(scripts)
        page.evaluate(FETCH, scanner_files())
        page.goto(job := reverse("phone:job", args=[jobs[0]["ours"]]), wait_until="networkidle")
        page.goto(day := reverse("phone:day"), wait_until="networkidle")
        heaviest = max((SHELL, day, job), key=lambda path: wire.weights[path])
        detail = "files, on the wire to Chromium (br, gzip), headers and all"
        scanner = scanner_files()
        return [
            a_row("phone_script_size", wire.kilobytes(scripts), "KB", f"{len(scripts)} {detail}", 40),
            a_row("phone_style_size", wire.kilobytes(styles), "KB", f"{len(styles)} {detail}", 12),
            a_row("phone_page_size", wire.kilobytes([heaviest]), "KB", f"the heaviest: {heaviest}", 10),
            a_row("phone_scanner_size", wire.kilobytes(scanner), "KB", f"{len(scanner)} {detail}", 420),
        ]
