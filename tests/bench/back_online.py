"""Back in coverage: how long until the server has what the phone stored offline, and that it never gets stuck."""

import io
import math
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from demo.environment import wait_until
from tests import make
from tests.bench.phone import FAST_3G, SLOWER, a_row, on_site, slow_down, username
from tests.bench.photo import picture
from tests.bench.rows import Row
from tests.browser import thumb
from tests.browser.phone import arrived, come_back, go_to_site, stored_photos
from tests.servers import line as lines
from tests.servers.phone import APP, Phone, kept_rows, open_app, wait_until_safe
from tests.servers.system import System

# bytes a second
ONE_MBIT_UP = 1_000_000 / 8
RUNS = 20
ANSWERS = 20
PHOTOS = 10
LONGEST = 60
# about 400 KB, the most that the phone may keep on average
AS_SENT = (1600, 1200)
AS_SENT_QUALITY = 92
SAY_MANY = """async ([app, count, job]) => {
  const { queue } = await import(app);
  for (let number = 0; number < count; number += 1) {
    await queue.add("answered", job, { question: "SAF01", value: number % 2 ? "yes" : "no" });
  }
}"""


def measure(
    folder: Path, *, runs: int = RUNS, photos: int = PHOTOS, system: System | None = None
) -> Iterator[Row]:
    with on_site(folder, system=system) as (used, phone, (job,)):
        page = phone.page
        open_app(page)
        go_to_site(page, job)
        # the tap that brought it on site may still wait to be sent, and would count as an answer
        wait_until_safe(page)
        signal = Signal(page)
        yield from _answer_rows([_answers(used, signal, job) for _ in range(runs)])
        phone.close()
        narrow = Phone(phone.playwright, folder / "narrow", "")
        seconds = _photos(used, narrow, job, count=photos, username=username(folder))
    unit, compared = f"s, {photos} photos", f"1 Mbit/s up, processor ÷{SLOWER}"
    yield a_row("phone_back_online_photos", round(seconds, 1), unit, compared, LONGEST)


class Signal:
    """The network of a page, and its processor slowed; Playwright's own switch would lift what is slowed here."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tools = slow_down(page, FAST_3G)

    def lose(self) -> None:
        self._conditions({**FAST_3G, "offline": True})

    def find(self) -> None:
        self._conditions({**FAST_3G, "offline": False})
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def _conditions(self, conditions: dict[str, float]) -> None:
        self.tools.send("Network.emulateNetworkConditions", conditions)


def _answers(system: System, signal: Signal, job: dict[str, str]) -> float:
    before = len(arrived(system, job))
    signal.lose()
    signal.page.evaluate(SAY_MANY, [APP, ANSWERS, job["ours"]])
    assert len([row for row in kept_rows(signal.page) if row["state"] == "pending"]) == ANSWERS
    return _drained(signal.page, signal.find, lambda: len(arrived(system, job)) >= before + ANSWERS)


def _photos(system: System, phone: Phone, job: dict[str, str], *, count: int, username: str) -> float:
    """Over a line that is narrow in truth: Chromium's own brake lets what is sent pass nearly unhindered."""
    pictures = [_as_sent(number) for number in range(count)]
    before = len(stored_photos(system))
    with lines.to(system.url) as line:
        phone.base_url = line.url
        phone.start()
        phone.sign_in(username=username, password=make.PASSWORD)
        open_app(phone.page)
        slow_down(phone.page, None)
        phone.context.set_offline(True)
        for raw in pictures:
            thumb.photograph(phone.page, job["ours"], raw=raw)
        line.up = ONE_MBIT_UP
        begin = partial(come_back, phone.page)
        seconds = _drained(phone.page, begin, lambda: len(stored_photos(system)) >= before + count)
        phone.close()
    assert seconds > sum(map(len, pictures)) / ONE_MBIT_UP, "the line was not narrow"
    return seconds


def _drained(page: Page, begin: Callable[[], None], done: Callable[[], bool]) -> float:
    """Seconds from the first sign of the network until the server has everything; the phone knows of it after that."""
    started = time.monotonic()
    begin()
    if not wait_until(done, seconds=2 * LONGEST):
        return math.inf
    seconds = time.monotonic() - started
    known = wait_until(lambda: all(row["state"] != "pending" for row in kept_rows(page)), seconds=LONGEST)
    return seconds if known else math.inf


def _as_sent(number: int) -> bytes:
    """As large as the phone's own pictures are on average."""
    content = io.BytesIO()
    with Image.open(io.BytesIO(picture(number))) as image:
        image.resize(AS_SENT).save(content, "JPEG", quality=AS_SENT_QUALITY)
    return content.getvalue()


def _answer_rows(answers: list[float]) -> list[Row]:
    in_time, runs = sum(seconds <= LONGEST for seconds in answers), len(answers)
    text = f"{runs} runs of {ANSWERS} answers, processor ÷{SLOWER}, fast 3G"
    whole, unit = f"{RUNS} of {RUNS}", f"of {runs} runs within 60 s"
    return [
        a_row("phone_back_online", round(statistics.median(answers), 1), "s, 20 answers, median", text, 5),
        a_row("phone_back_online_worst", round(max(answers), 1), "s, 20 answers, the slowest", text, 5),
        Row("phone_never_stuck", in_time, unit, text, None, whole, in_time == runs),
    ]
