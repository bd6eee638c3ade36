"""A thumb that is faster than ours: taps through the application's own modules, in the page of the engineer.

For stories about what becomes of the entries; how they are made by hand is tested elsewhere.
"""

import base64
from typing import Any

from playwright.sync_api import Page, expect

from tests import make
from tests.browser.story import main_button
from tests.servers.browser import Window
from tests.servers.phone import APP, READY
from tests.servers.system import System

# of one job
MOST_PICTURES = 12
# a picture of its own for each tap: {id, bytes, sha256}, and the entry that announces it
PICTURE = """
async function pictureOf(question, base64) {
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)).buffer;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const id = crypto.randomUUID();
  const body = { photo_id: id, question, taken_at: new Date().toISOString(), sha256, source: "camera" };
  return { kind: "photo_taken", body, picture: { id, bytes, sha256 } };
}
"""
ANSWERS = """
const VALUES = { yes_no: () => "yes", text: () => "As seen on site", number: ({ minimum }) => minimum };
VALUES.choice = ({ choices }) => choices[0].code;
async function answerTo(question, pictures) {
  const value = VALUES[question.kind];
  if (value) return [{ kind: "answered", body: { question: question.code, value: value(question) } }];
  const photo = await pictureOf(question.code, pictures.pop());
  return [photo, { kind: "answered", body: { question: question.code, value: [photo.body.photo_id] } }];
}
"""


def ready(page: Page) -> None:
    expect(page.locator(READY)).to_be_attached()


def opened(van: Window, system: System, path: str = "/phone/") -> Page:
    """The page of the application, also without network."""
    van.page.goto(f"{system.url}{path}")
    ready(van.page)
    return van.page


def go_on_site(van: Window, system: System, job: str) -> None:
    page = opened(van, system, f"/phone/jobs/{job}/travel/")
    main_button(page)
    page.wait_for_url("**/arrive/")
    main_button(page)
    page.wait_for_url(lambda url: "/arrive/" not in url)


def photograph(page: Page, job: str, *, question: str = "PHO01", raw: bytes = b"") -> None:
    script = f"""async ([job, question, base64]) => {{
      {PICTURE}
      const {{ queue }} = await import("{APP}");
      const tap = await pictureOf(question, base64);
      await queue.addAll([{{ ...tap, job }}]);
    }}"""
    page.evaluate(script, [job, question, _base64(raw)])


def answer_with_photo(page: Page, job: str, *, question: str, raw: bytes) -> None:
    """Added to the photos that the question has, as the photo's page does it."""
    script = f"""async ([id, question, base64]) => {{
      {PICTURE}
      const {{ applyQueue, queue }} = await import("{APP}");
      const told = await queue.readDayAndRows();
      const job = applyQueue(told.day, told.rows).jobs.find((one) => one.id === id);
      const photo = await pictureOf(question, base64);
      const value = [...(job.answers[question] ?? []), photo.body.photo_id];
      const taps = [photo, {{ kind: "answered", body: {{ question, value }} }}];
      await queue.addAll(taps.map((tap) => ({{ ...tap, job: id }})));
    }}"""
    page.evaluate(script, [job, question, base64.b64encode(raw).decode()])


def tap(page: Page, job: str, kind: str, body: dict[str, Any]) -> None:
    script = f"""async ([job, kind, body]) => {{
      const {{ queue }} = await import("{APP}");
      await queue.add(kind, job, body);
    }}"""
    page.evaluate(script, [job, kind, body])


def answer(page: Page, job: str, question: str, value: Any) -> None:
    tap(page, job, "answered", {"question": question, "value": value})


def close(page: Page, job: str, code: str) -> None:
    """Everything that this closure code asks for, with its photos, and then the closing."""
    answer_all(page, job, code, closes=True)


def answer_all(page: Page, job: str, code: str, *, closes: bool = False) -> None:
    script = f"""async ([id, code, pictures, closes]) => {{
      {PICTURE} {ANSWERS}
      const {{ applyQueue, queue, workflow }} = await import("{APP}");
      const told = await queue.readDayAndRows();
      const day = applyQueue(told.day, told.rows);
      const job = day.jobs.find((one) => one.id === id);
      const closure = job.closures.find((one) => one.code === code);
      const taps = [];
      for (;;) {{
        const questions = workflow.listQuestions(job, day.matrices[job.matrix], code);
        const next = questions.find((one) => !(one.code in job.answers));
        if (!next) break;
        taps.push(...(await answerTo(next, pictures)));
        job.answers[next.code] = taps.at(-1).body.value;
      }}
      const secondary = closure.secondary_required ? closure.secondaries[0].code : "";
      if (closes) taps.push({{ kind: "close", body: {{ code, secondary_code: secondary, remarks: "" }} }});
      await queue.addAll(taps.map((tap) => ({{ ...tap, job: id }})));
    }}"""
    page.evaluate(script, [job, code, [_base64(b"") for _ in range(MOST_PICTURES)], closes])


def states(page: Page) -> list[str]:
    """Where each entry of the queue stands, oldest first."""
    script = f"""async () => (await (await import("{APP}")).queue.rows()).map(({{ state }}) => state)"""
    found: list[str] = page.evaluate(script)
    return found


def pictures(page: Page) -> int:
    """How many are kept on the phone."""
    script = f"""async () => {{
      const {{ database }} = await import("{APP}");
      return database.read("photos", ({{ photos }}) => database.resultOf(photos.count()));
    }}"""
    found: int = page.evaluate(script)
    return found


def fill(page: Page) -> None:
    """Something else takes all the space that is left, down to the last hundred bytes; again, what a reload freed."""
    script = f"""async () => {{
      const {{ database }} = await import("{APP}");
      let number = Date.now();
      for (let size = 65536; size >= 64; size /= 2) {{
        try {{
          for (;;) await database.setValue(`filler ${{number++}}`, crypto.getRandomValues(new Uint8Array(size)));
        }} catch (problem) {{
          if (problem.name !== "Full") throw problem;
        }}
      }}
    }}"""
    page.evaluate(script)


def databases(page: Page) -> list[str]:
    found: list[str] = page.evaluate("async () => (await indexedDB.databases()).map(({ name }) => name)")
    return sorted(found)


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw or make.new_jpeg(width=640, height=480)).decode()
