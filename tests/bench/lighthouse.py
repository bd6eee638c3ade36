"""What Lighthouse says of each page of the phone, with the application on it and an engineer signed in."""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.bench.phone import on_site
from tests.bench.rows import Row
from tests.browser import thumb
from tests.browser.phone import go_to_site
from tests.servers.phone import APP, open_app
from tests.servers.ports import free_port
from tests.servers.system import ROOT, System

PROGRAM = ROOT / "frontend" / "lighthouse" / "node_modules" / ".bin" / "lighthouse"
GOALS = {"performance": 95, "accessibility": 100, "best-practices": 100}
RUNS = 3
SIGN_IN = "sign_in"
SECONDS = 180
A_CLOSURE = """async (app) => {
  const { database } = await import(app);
  return (await database.getValue("day")).jobs[0].closures[0].code;
}"""


def missing() -> str:
    return "" if PROGRAM.exists() else "no Lighthouse (cd frontend/lighthouse && npm ci --ignore-scripts)"


def measure(
    folder: Path, *, pages: int | None = None, runs: int = RUNS, system: System | None = None
) -> Iterator[Row]:
    """Of the first `pages` pages, each at most `runs` times."""
    port = free_port()
    flags = (f"--remote-debugging-port={port}",)
    with on_site(folder, shipped=True, flags=flags, system=system) as (used, phone, jobs):
        page = phone.page
        open_app(page)
        go_to_site(page, jobs[0])
        # something to list on the page of unsent work
        page.context.set_offline(True)
        thumb.answer(page, jobs[0]["ours"], "SAF01", "yes")
        page.context.set_offline(False)
        for name, path in islice(_pages(page, jobs[0]["ours"]), pages):
            if name == SIGN_IN:
                page.context.clear_cookies()
            yield _row(name, _judged(f"{used.url}{path}", port, folder, runs))


def _pages(page: Page, job: str) -> Iterator[tuple[str, str]]:
    of_job = f"/phone/jobs/{job}/"
    closing = page.evaluate(A_CLOSURE, APP)
    yield "day", "/phone/"
    yield "job", of_job
    yield "question", f"{of_job}question/SAF01/"
    yield "photo", f"{of_job}question/PHO01/"
    yield "scan", f"{of_job}scan/"
    yield "review", f"{of_job}review/"
    yield "cant_complete", f"{of_job}cant-complete/"
    yield "close", f"{of_job}close/?code={closing}"
    # with the offline export
    yield "queue", "/phone/queue/"
    yield "me", "/phone/me/"
    yield "positions", "/phone/me/positions/"
    yield SIGN_IN, "/login/"


def _judged(url: str, port: int, folder: Path, runs: int) -> dict[str, int]:
    """Points by category: the best of up to `runs`, since whatever else the machine does only takes points away."""
    best: dict[str, int] = {}
    for _run in range(runs):
        points = _points(url, port, folder)
        if sum(points.values()) > sum(best.values()):
            best = points
        if _is_met(best):
            break
    return best


def _points(url: str, port: int, folder: Path) -> dict[str, int]:
    """What cost points is reported; none at all when Lighthouse itself failed."""
    output = folder / "lighthouse.json"
    what = ["--quiet", f"--port={port}", "--disable-storage-reset", f"--only-categories={','.join(GOALS)}"]
    to = ["--output=json", f"--output-path={output}"]
    if subprocess.run([PROGRAM, url, *what, *to], check=False, timeout=SECONDS).returncode:
        return {}
    report = json.loads(output.read_text())
    for line in _costs(report):
        sys.stdout.write(f"  {line}\n")
    return {name: round(100 * (category["score"] or 0)) for name, category in report["categories"].items()}


def _costs(report: dict[str, Any]) -> Iterator[str]:
    for category in report["categories"].values():
        for audit_ref in category["auditRefs"]:
            audit = report["audits"][audit_ref["id"]]
            if audit_ref["weight"] and audit["score"] is not None and audit["score"] < 0.9:
                display = audit.get("displayValue", "")
                yield f"{report['requestedUrl']}: {audit['id']} {audit['score']} {display} {_where(audit)}"


def _where(audit: dict[str, Any]) -> list[str]:
    items = audit.get("details", {}).get("items", [])[:3]
    return [str(item.get("node", {}).get("snippet") or item.get("description", ""))[:160] for item in items]


def _is_met(points: dict[str, int]) -> bool:
    return all(points.get(name, 0) >= goal for name, goal in GOALS.items())


def _row(page: str, points: dict[str, int]) -> Row:
    text = ", ".join(f"{name} {points.get(name, 0)}" for name in GOALS)
    sys.stdout.write(f"  {page}: {text}\n")
    value = points.get("performance", 0)
    goal = ", ".join(f"{name} {goal}" for name, goal in GOALS.items())
    return Row(f"lighthouse_{page}", value, "points, performance", text, None, goal, _is_met(points))
