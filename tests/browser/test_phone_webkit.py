"""The phone in WebKit, Safari's engine: without signal, with a photo, with a label.

Given an engineer whose browser is WebKit, when the line is cut, then each tap is kept and shown as only here, survives
a reload, and arrives once when the line is back; photos arrive with their SHA-256; a label is read without signal.
WebKit's driver cannot cut the network, so the line to the server is.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from demo.environment import wait_until
from tests import make
from tests.bench.labels import View, whole_label
from tests.browser import phone
from tests.servers import webkit
from tests.servers.line import Line
from tests.servers.phone import APP, READY
from tests.servers.system import System
from tests.servers.webkit import Session

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(webkit.missing()), reason=webkit.missing() or "WebKit"),
]
Job = dict[str, str]
FSAN, SERIAL_NUMBER = "CXNK5E6F7A8B", "261200123457"
SECONDS = 90
LOADED = "async () => performance.getEntriesByType('resource').map(({ name }) => name)"
PICTURE = f"""async (id) => {{
  const {{ queue }} = await import("{APP}");
  return [...new Uint8Array((await queue.getPhoto(id)).bytes)];
}}"""


@pytest.fixture(scope="module")
def jobs(system: System) -> list[Job]:
    return phone.day_of_jobs(system, username="wilma", count=2, seed=396, plan=[2])


@pytest.fixture(scope="module")
def safari(line: Line, jobs: list[Job]) -> Iterator[Session]:
    """Signed in, with the application on the phone."""
    with webkit.driver() as url:
        session = Session(url)
        session.ask("/window/rect", {"width": 390, "height": 844})
        session.open(f"{line.url}/login/")
        session.type("#id_username", "wilma")
        session.type("#id_password", make.PASSWORD)
        session.click(".login-button")
        ready(session)
        yield session
        session.end()


def ready(session: Session) -> None:
    comes(lambda: session.has(READY), f"the application on {session.address}")


def comes(condition: Any, what: str) -> None:
    assert wait_until(condition, seconds=SECONDS), f"never came: {what}"


def open_app(session: Session, line: Line, path: str = "") -> None:
    session.open(f"{line.url}/phone/{path}")
    ready(session)


def tap(session: Session, selector: str = ".main-button") -> None:
    """And the page that it leads to."""
    drawn(session)
    before = session.address
    session.click(selector)
    comes(lambda: session.address != before, f"another page than {before}")
    drawn(session)


def drawn(session: Session) -> None:
    script = """async () =>
      document.querySelector("[data-address]")?.dataset.address === location.pathname + location.search"""
    comes(lambda: session.run(script), f"the page {session.address}")


def go_to_site(session: Session, line: Line, job: Job) -> None:
    open_app(session, line, f"jobs/{job['ours']}/travel/")
    tap(session)
    tap(session)


def stored(session: Session) -> list[dict[str, Any]]:
    script = "async (app) => (await import(app)).queue.rows()"
    found: list[dict[str, Any]] = session.run(script, APP)
    return found


def wait_until_safe(session: Session) -> None:
    comes(lambda: all(row["state"] != "pending" for row in stored(session)), "an empty queue")
    is_safe = wait_until(lambda: "All sent" in session.text("[data-status]"), seconds=SECONDS)
    assert is_safe, (
        session.text("[data-status]"),
        [row for row in stored(session) if row["state"] == "refused"],
    )


def ids(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["message_id"] for entry in entries]


def test_taps_without_signal_are_kept_and_arrive_once(
    system: System, line: Line, safari: Session, jobs: list[Job]
) -> None:
    job = jobs[0]
    line.cut()
    go_to_site(safari, line, job)
    tap(safari, "button.phone-choice")
    tap(safari, "button.phone-choice")
    assert "4 waiting to send" in safari.text("[data-status]")
    entries = [row["entry"] for row in stored(safari)]
    open_app(safari, line, f"jobs/{job['ours']}/")
    assert [row["entry"] for row in stored(safari)] == entries
    assert "4 waiting to send" in safari.text("[data-status]")
    assert phone.arrived(system, job) == []

    line.restore()
    wait_until_safe(safari)

    delivered = phone.arrived(system, job)
    assert [entry["kind"] for entry in delivered] == ["en_route", "on_site", "answered", "answered"]
    assert ids(delivered) == ids(entries)
    assert [entry["occurred_at"] for entry in delivered] == [entry["occurred_at"] for entry in entries]
    assert {entry["outcome"] for entry in delivered} == {"applied"}


@pytest.fixture(scope="module")
def on_site(line: Line, safari: Session, jobs: list[Job]) -> Job:
    """The second job, at its door."""
    go_to_site(safari, line, jobs[1])
    return jobs[1]


def test_photo_without_signal_arrives_as_it_was(
    system: System, line: Line, safari: Session, on_site: Job, photo: Path
) -> None:
    open_app(safari, line, f"jobs/{on_site['ours']}/question/PHO01/")
    line.cut()
    safari.type("#photo", str(photo))
    comes(lambda: safari.has(".camera-taken"), "the photo to be looked at")
    tap(safari)
    (row,) = [row for row in stored(safari) if row["photo"]]
    picture = bytes(safari.run(PICTURE, row["photo"]))
    assert hashlib.sha256(picture).hexdigest() == row["entry"]["body"]["sha256"]
    assert row["photo"] not in phone.stored_photos(system)

    line.restore()
    wait_until_safe(safari)

    assert phone.stored_photos(system)[row["photo"]] == row["entry"]["body"]["sha256"]
    entries = [entry for entry in phone.arrived(system, on_site) if entry["body"].get("question") == "PHO01"]
    assert [entry["kind"] for entry in entries] == ["photo_taken", "answered"]


def test_label_is_read_from_a_photo_without_signal(
    system: System, line: Line, safari: Session, on_site: Job, tmp_path: Path
) -> None:
    label = tmp_path / "label.jpg"
    codes = ["0017E4A1B2C3", f"S/N {SERIAL_NUMBER}", FSAN]
    label.write_bytes(whole_label([("code128", code) for code in codes], View(module=2, turn=3), Random(3)))
    line.cut()
    open_app(safari, line, f"jobs/{on_site['ours']}/scan/")
    safari.type("#scan-photo", str(label))
    comes(lambda: safari.has(".scan-values"), "what the label says")
    # the worker next to the page has it
    assert not [name for name in safari.run(LOADED) if name.endswith(".wasm")]
    assert SERIAL_NUMBER in safari.text(".scan-values")
    tap(safari)
    assert "ont_scanned" not in {entry["kind"] for entry in phone.arrived(system, on_site)}

    line.restore()
    wait_until_safe(safari)

    entries = {entry["kind"]: entry["body"] for entry in phone.arrived(system, on_site)}
    assert (entries["ont_scanned"]["fsan"], entries["ont_scanned"]["source"]) == (FSAN, "camera")
    (evidence,) = [
        entry["body"]
        for entry in phone.arrived(system, on_site)
        if entry["kind"] == "photo_taken" and entry["body"]["question"] == "PHO04"
    ]
    assert phone.stored_photos(system)[evidence["photo_id"]] == evidence["sha256"]


def test_pages_that_were_left_hold_up_no_later_one(
    system: System, line: Line, safari: Session, on_site: Job
) -> None:
    """WebKit keeps a page that is left for the Back button, frozen in the middle of what it was writing."""
    values = ["yes", "no"] * 8
    for answer in values:
        open_app(safari, line, f"jobs/{on_site['ours']}/question/SAF03/")
        tap(safari, f"button.phone-choice[value={answer}]")

    wait_until_safe(safari)

    entries = [entry["body"] for entry in phone.arrived(system, on_site)]
    assert [body["value"] for body in entries if body.get("question") == "SAF03"] == values
