"""The board of a very large day beside two timeline libraries that draw the same rows and cards.

Their packages come from npm into the measurement's folder and never into the repository. They get the finished rows as
JSON and do nothing else: no server, no states, no travel, no dragging rules.
"""

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from string import Template
from typing import Any

from playwright.sync_api import Page

from tests.bench.board_browser import ENGINEERS, JOBS, LOADS, SLOWED, board_page, paint, slow_down
from tests.bench.rows import Row
from tests.servers.browser import CHROMIUM

SECONDS = 120
# milliseconds from the navigation, and from the last byte of the page
Paint = tuple[float, float]
# what the board of the day shows, read off its own page
ROWS_AND_CARDS = """() => {
  const lanes = document.querySelector("#lanes");
  const start = Date.parse(lanes.dataset.start), quarter = 15 * 60 * 1000;
  const step = (card) => Number([...card.classList].find((name) => /^s\\d+$/.test(name)).slice(1));
  return {
    start, end: start + Number(lanes.dataset.quarters) * quarter,
    rows: [...document.querySelectorAll(".lane[data-engineer]")].map((lane) => ({
      id: lane.id, title: lane.dataset.name })),
    cards: [...document.querySelectorAll(".lane[data-engineer] .card")].map((card) => ({
      id: card.id, row: card.closest(".lane").id, title: card.dataset.title,
      more: card.querySelector(".card-more, .card-late")?.textContent ?? "",
      start: start + step(card) * quarter, end: start + step(card) * quarter + card.dataset.minutes * 60 * 1000 })),
  };
}"""
PAGE = Template("""<!doctype html><meta charset="utf-8"><title>$name</title>
<link rel="stylesheet" href="$style"><style>html, body { height: 100%; margin: 0; font: 12px sans-serif }</style>
<div id="board"></div><script src="$script"></script><script>
const day = $day, board = document.getElementById("board");
const text = (card) => "<b>" + card.title + "</b><br>" + card.more;
const drawn = () => requestAnimationFrame(
  () => requestAnimationFrame(() => { window.cardsPaintedAt = performance.now(); }));
$start
</script>""")


@dataclass(frozen=True)
class Library:
    """`start`: how a page draws `day` in `board` and calls `drawn` when its cards are in the document."""

    name: str
    package: str
    version: str
    script: str
    style: str
    start: str

    def write_page(self, folder: Path, day: dict[str, Any]) -> str:
        """The address of a page that draws this day."""
        parts = {part: f"node_modules/{self.package}/{getattr(self, part)}" for part in ("script", "style")}
        # no text may end the script
        inline = json.dumps(day).replace("<", "\\u003c")
        page = folder / f"{self.name}.html"
        page.write_text(PAGE.substitute(parts, name=self.name, day=inline, start=self.start))
        return page.as_uri()


LIBRARIES = (
    Library(
        "vis_timeline",
        "vis-timeline",
        "8.5.4",
        script="standalone/umd/vis-timeline-graph2d.min.js",
        style="styles/vis-timeline-graph2d.min.css",
        start="""new vis.Timeline(board,
  day.cards.map((card) => ({ id: card.id, group: card.row, start: card.start, end: card.end, content: text(card) })),
  day.rows.map((row) => ({ id: row.id, content: row.title })),
  { start: day.start, end: day.end, stack: false, orientation: "top", height: "100vh", verticalScroll: true,
    onInitialDrawComplete: drawn });""",
    ),
    Library(
        "event_calendar",
        "@event-calendar/build",
        "5.10.1",
        script="dist/event-calendar.min.js",
        style="dist/event-calendar.min.css",
        start="""const hour = (moment) => new Date(moment).toTimeString().slice(0, 8);
EventCalendar.create(board, { view: "resourceTimelineDay", date: new Date(day.start), height: "100vh",
  slotMinTime: hour(day.start), slotMaxTime: hour(day.end), slotDuration: "00:15", headerToolbar: false,
  resources: day.rows,
  events: day.cards.map((card) => ({ id: card.id, resourceIds: [card.row], start: new Date(card.start),
    end: new Date(card.end), title: { html: text(card) } })) });
const look = () => board.querySelector(".ec-event") ? drawn() : requestAnimationFrame(look);
look();""",
    ),
)


def missing() -> str:
    """Why there is nothing to compare with, from asking npm for one of them."""
    if not CHROMIUM:
        return "no chromium is installed"
    if not shutil.which("npm"):
        return "npm is not installed"
    asked = _npm("view", _wanted(LIBRARIES[0]), "version")
    return "" if asked.returncode == 0 else "npm cannot reach its registry"


def measure(folder: Path, *, engineers: int = ENGINEERS, jobs: int = JOBS, loads: int = LOADS) -> list[Row]:
    """From the last byte of the page until its rows are painted: each library beside the board, in turn."""
    installed = _npm("install", "--prefix", str(folder), "--ignore-scripts", *map(_wanted, LIBRARIES))
    assert installed.returncode == 0, installed.stderr
    with board_page(folder, engineers=engineers, jobs=jobs) as (page, grown):
        path = f"/board/?day={grown['day']}"
        paint(page, path)
        day = page.evaluate(ROWS_AND_CARDS)
        assert len(day["rows"]) == engineers, len(day["rows"])
        addresses = {library: library.write_page(folder, day) for library in LIBRARIES}
        usual = _in_turn(page, path, addresses, loads=loads)
        slow_down(page, SLOWED)
        slowed = _in_turn(page, path, addresses, loads=loads)
        size = f"{engineers} engineers and {len(day['cards'])} cards"
        return [
            *_rows(usual, size, ""),
            *_rows(slowed, f"{size}, processor slowed {SLOWED} times", "_slow"),
        ]


def _in_turn(
    page: Page, path: str, addresses: Mapping[Library, str], *, loads: int
) -> dict[Library | None, Paint]:
    """The middle one of so many loads; the board's under None."""
    found: dict[Library | None, list[Paint]] = {}
    for _ in range(loads):
        found.setdefault(None, []).append(paint(page, path))
        for library, address in addresses.items():
            found.setdefault(library, []).append(_paint_library(page, address))
    return {library: sorted(times, key=itemgetter(1))[loads // 2] for library, times in found.items()}


def _paint_library(page: Page, address: str) -> Paint:
    page.goto(address, wait_until="load")
    page.wait_for_function("() => window.cardsPaintedAt")
    painted = float(page.evaluate("window.cardsPaintedAt"))
    return painted, painted - float(
        page.evaluate("performance.getEntriesByType('navigation')[0].responseEnd")
    )


def _rows(found: Mapping[Library | None, Paint], unit: str, suffix: str) -> list[Row]:
    whole, board = found[None]
    return [
        Row(
            name=f"board_beside_{library.name}{suffix}",
            value=round(board, 1),
            unit=f"ms until the rows were painted, {unit}; {whole:.0f} ms with the server's time",
            compared_with=f"{alone:.0f} ms for {_wanted(library)}, {of_file:.0f} from the navigation, without a server",
            ratio=round(board / alone, 2),
            goal="ratio at most 1",
            is_within_limit=board <= alone,
        )
        for library, (of_file, alone) in found.items()
        if library
    ]


def _wanted(library: Library) -> str:
    return f"{library.package}@{library.version}"


def _npm(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["npm", *arguments, "--no-audit", "--no-fund", "--fetch-retries", "0"],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
