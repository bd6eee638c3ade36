"""How many labels are read, by each engine: Chromium's WebAssembly, WebKit's, and the server; and how soon."""

import functools
import http.server
import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Browser, Page

from closures.photos import barcodes, image_validation
from dispatch.ont_scans import VENDOR_FILE
from tests.bench.labels import CELLS, KINDS, Specimen, View, specimens, whole_label
from tests.bench.rows import Row
from tests.bench.second_labels import CONDITIONS, picture
from tests.servers.browser import PHONE, chromium, open_window

ROOT = Path(__file__).resolve().parent.parent.parent
# the attempts were tuned on the seeds 1 and 2
SEED, EACH = 20261122, 12
GOALS = {"qr": 99, "code128": 95, "datamatrix": 96}
# of each generator: its name in the rows, and its ways to spoil a picture
FIRST, SECOND = ("", list(CELLS)), ("_second", list(CONDITIONS))
SERVER_GOAL_P95, TAP_GOAL = 150, 1.0
SLOWED = 4
TAPS = 5
SEEN_MILLISECONDS = 1500
TAP_ROWS = {"scan_tap_to_code": "", "scan_tap_to_code_without_worker": "delete globalThis.Worker"}
PAGE = "<!doctype html><meta charset=utf-8><title>scan</title><main id=main></main>"
READ = """
async (url) => {
  const { decodeCanvas } = await import("/js/phone/scan/decoder_client.js");
  const image = await createImageBitmap(await (await fetch(url)).blob());
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const begun = performance.now();
  const texts = await decodeCanvas(canvas);
  const milliseconds = performance.now() - begun;
  const isOnThePage = performance.getEntriesByType("resource").some(({ name }) => name.endsWith(".wasm"));
  return { texts, milliseconds, isOnThePage };
}
"""


@dataclass(frozen=True)
class Look:
    """What an engine made of one picture."""

    specimen: Specimen
    texts: list[str]
    milliseconds: float

    @property
    def is_right(self) -> bool:
        return self.specimen.text in self.texts

    @property
    def is_wrong(self) -> bool:
        return any(text != self.specimen.text for text in self.texts)


Engine = Callable[[Specimen], tuple[list[str], float]]


class Served(http.server.SimpleHTTPRequestHandler):
    """static/, one bare page, what the server serves next to it, and the picture that is looked at just now."""

    picture = b""
    paths = {
        "/": (PAGE.encode(), "text/html"),
        "/phone/reader.js": (b'import "/js/phone/scan/decoder_worker.js";', "text/javascript"),
        "/phone/vendors.json": (VENDOR_FILE.read_bytes(), "application/json"),
    }
    extensions_map = {".js": "text/javascript", ".wasm": "application/wasm", "": "application/octet-stream"}

    def do_GET(self) -> None:
        found = self.paths | {"/picture": (Served.picture, "image/jpeg")}
        if self.path.split("?")[0] not in found:
            return super().do_GET()
        content, kind = found[self.path.split("?")[0]]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(content)
        return None

    def log_message(self, *_args: Any) -> None:
        """Nobody reads it."""


@contextmanager
def served() -> Iterator[str]:
    handler = functools.partial(Served, directory=str(ROOT / "static"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def on_the_server(specimen: Specimen) -> tuple[list[str], float]:
    begun = time.perf_counter()
    texts = barcodes.read_codes(image_validation.grey(specimen.content, long_edge=barcodes.LONG_EDGE))
    return texts, (time.perf_counter() - begun) * 1000


def in_a_page(run: Callable[[str, str], Any]) -> Engine:
    """`run(script, argument)` calls a function in the page."""

    def look(specimen: Specimen) -> tuple[list[str], float]:
        Served.picture = specimen.content
        read_codes = run(READ, f"/picture?{id(specimen)}")
        assert not read_codes["isOnThePage"], "the worker beside the page did not start"
        return read_codes["texts"], read_codes["milliseconds"]

    return look


def looks(engine: Engine, *, each: int = EACH) -> list[Look]:
    return [Look(specimen, *engine(specimen)) for specimen in specimens(seed=SEED, each=each)]


def second_looks(engine: Engine, *, each: int = EACH) -> list[Look]:
    """The same with the pictures of the second generator."""
    return [
        Look(second_specimen, *engine(second_specimen))
        for second_specimen in second_specimens(seed=SEED, each=each)
    ]


def second_specimens(*, seed: int, each: int) -> Iterator[Specimen]:
    for kind in KINDS:
        for condition in CONDITIONS:
            for number in range(each):
                made, content = picture(kind, condition, seed=seed + number), io.BytesIO()
                made.image.save(content, "JPEG", quality=85)
                yield Specimen(kind, condition, made.text, content.getvalue())


def rows_of(
    engine: str,
    found: list[Look],
    generator: tuple[str, list[str]] = FIRST,
    *,
    keeps_table: bool,
) -> list[Row]:
    """`keeps_table`: leave the whole table in var/ for docs/scanning.md."""
    suffix, cells = generator
    engine += suffix
    if keeps_table:
        (ROOT / "var" / f"scan_rate_{engine}.md").write_text(f"{table(found, cells)}\n")
    compared = f"{len(found)} made pictures of {len(cells)} ways to see a label, new seed"
    rows = []
    for kind in KINDS:
        mine = [look for look in found if look.specimen.kind == kind]
        rate = 100 * sum(look.is_right for look in mine) / len(mine)
        goal = f"at least {GOALS[kind]} %"
        rows.append(
            Row(
                f"scan_rate_{engine}_{kind}",
                round(rate, 1),
                "% read",
                compared,
                None,
                goal,
                rate >= GOALS[kind],
            )
        )
    wrong = sum(look.is_wrong for look in found)
    rows.append(Row(f"scan_rate_{engine}_wrong", wrong, "wrong reads", compared, None, "none", wrong == 0))
    return rows


def table(found: list[Look], cells: list[str]) -> str:
    """Markdown for docs/scanning.md: one line for each kind, one column for each way of seeing it."""
    lines = [f"| | {' | '.join(cells)} | **all** | wrong | ms p50/p95 |", f"|---{'|---' * (len(cells) + 3)}|"]
    for kind in KINDS:
        mine = [look for look in found if look.specimen.kind == kind]
        rates = [_rate([look for look in mine if look.specimen.cell == cell]) for cell in cells]
        durations = sorted(look.milliseconds for look in mine)
        times = f"{durations[len(durations) // 2]:.0f}/{durations[int(len(durations) * 0.95)]:.0f}"
        wrong = sum(look.is_wrong for look in mine)
        lines.append(f"| {kind} | {' | '.join(rates)} | **{_rate(mine)}** | {wrong} | {times} |")
    return "\n".join(lines)


def _rate(found: list[Look]) -> str:
    return f"{100 * sum(look.is_right for look in found) / len(found):.0f}"


def measure_server(_folder: Path, *, each: int = EACH) -> list[Row]:
    found, second = looks(on_the_server, each=each), second_looks(on_the_server, each=each)
    whole = each == EACH
    durations = sorted(look.milliseconds for look in found)
    p95 = durations[int(len(durations) * 0.95)]
    goal = f"95th percentile at most {SERVER_GOAL_P95} ms at 1280×720"
    compared = f"{len(found)} photos decoded and read, up to the whole ladder"
    return [
        *rows_of("server", found, keeps_table=whole),
        *rows_of("server", second, SECOND, keeps_table=whole),
        Row("scan_server_p95", round(p95, 1), "ms", compared, None, goal, p95 <= SERVER_GOAL_P95),
    ]


def measure_chromium(_folder: Path, *, each: int = EACH) -> list[Row]:
    whole = each == EACH
    with served() as url, chromium() as browser:
        page = open_window(browser, base_url=url, kind=PHONE, located=False).page
        page.goto("/")
        engine = in_a_page(page.evaluate)
        found, second = looks(engine, each=each), second_looks(engine, each=each)
    return [
        *rows_of("chromium", found, keeps_table=whole),
        *rows_of("chromium", second, SECOND, keeps_table=whole),
    ]


def measure_tap(folder: Path, *, taps: int = TAPS) -> list[Row]:
    """From the tap to both values on the screen: camera, reader and all, with a slowed processor.

    Chromium slows the page's own thread and no worker; what a slow phone takes lies between the two rows.
    """
    film = folder / "label.mjpeg"
    codes = [("code128", "0017E4A1B2C3"), ("code128", "S/N 261200123456"), ("code128", "CXNK1A2B3C4D")]
    film.write_bytes(whole_label(codes, View(module=2, turn=3), Random(3)) * 20)
    camera = [
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    ]
    with served() as url, chromium(*camera) as browser:
        return [_tap_row(name, browser, url, script, taps) for name, script in TAP_ROWS.items()]


def _tap_row(name: str, browser: Browser, url: str, script: str, taps: int) -> Row:
    durations = sorted(_tap(open_window(browser, base_url=url, kind=PHONE).page, script) for _ in range(taps))
    median = durations[taps // 2]
    goal = f"at most {TAP_GOAL} s with the page's thread slowed {SLOWED} times"
    pages = f"median of {taps} fresh page{'s' if taps > 1 else ''}"
    compared = f"{pages}, simulated camera of 1280×720, slowest {durations[-1]:.2f} s"
    return Row(name, round(median, 2), "s", compared, None, goal, median <= TAP_GOAL)


def _tap(page: Page, script: str) -> float:
    page.add_init_script(script)
    page.goto("/")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    page.evaluate(
        """async () => {
          const { openCamera, scanField } = await import("/js/phone/scan/scan_field.js");
          const open = document.createElement("button");
          open.onclick = openCamera;
          document.querySelector("#main").append(scanField({ job: {}, onRead() {}, onPhase() {} }), open);
        }"""
    )
    # nobody taps before they have seen the page
    page.wait_for_timeout(SEEN_MILLISECONDS)
    begun = time.perf_counter()
    page.locator("#main > button").click()
    page.locator(".scan-values .code").nth(1).wait_for(timeout=30_000)
    seconds = time.perf_counter() - begun
    page.context.close()
    return seconds
