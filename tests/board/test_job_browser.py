"""The page of a job in a real browser: what is urgent first, ten photos, contents that stay; wide and narrow."""

from uuid import uuid4

import pytest
from playwright.sync_api import expect
from pytest_django import Settings

from closures.question_matrix.matrix_editions import matrix_for_job
from dispatch import notes, visits
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from tests import make
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("window", [1440, 390], indirect=True),
]
COLOURS = (
    "seagreen",
    "steelblue",
    "tomato",
    "gold",
    "orchid",
    "sienna",
    "slategray",
    "teal",
    "plum",
    "olive",
)


def job_with_ten_photos() -> Job:
    """On site, scanned, every question answered, ten photos, a provisioning failure that needs somebody."""
    make.job()
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 4)
    make.answer_all(job)
    codes = [question.code for question in matrix_for_job(job).questions if question.kind == "photo"]
    for number in range(job.photos.count(), 10):
        raw = make.jpeg(width=640, height=480, colour=COLOURS[number])
        make.photo(job, question_code=codes[number % len(codes)], raw=raw)
    text = coded_text(
        "provisioning_failed",
        job=job.provider_job_id,
        address=job.address,
        result=6,
        details="FSAN incorrect",
    )
    alarms.raise_alarm(AlarmKind.PROVISIONING_FAILED, job.provider_job_id, text)
    return job


def look(window: Window, name: str) -> None:
    window.fits_its_width()
    window.looked_at(f"{name}-{window.page.viewport_size['width']}")


def test_job_page_settles_a_dispute(window: Window) -> None:
    job, page = job_with_ten_photos(), window.page
    page.goto(f"/board/jobs/{job.provider_job_id}/")

    expect(page.get_by_role("heading", name="Needs attention")).to_be_in_viewport()
    look(window, "job-page")
    contents = page.get_by_role("navigation", name="On this page")
    contents.get_by_role("link", name="Photos").click()
    expect(page.get_by_role("heading", name="Photos")).to_be_in_viewport()
    expect(page.locator(".photos img").first).to_be_visible()
    look(window, "phone-job-photos")
    # the contents stay
    expect(contents.get_by_role("link", name="Answers")).to_be_in_viewport()
    expect(page.locator(".photos img")).to_have_count(10)


def close(job: Job, engineer: Engineer, *, lights: str) -> None:
    """As completed, with what the ONT shows."""
    make.record_answer(job, "ONT03", lights)
    make.close(job, engineer=engineer)


def in_review(engineer: Engineer) -> Job:
    """Closed by its engineer with an answer that contradicts it and a photo that another job has."""
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    make.photo(make.job(at_state=JobState.ON_SITE), question_code="PHO01")
    close(job, engineer, lights="no_service")
    return job


def test_closure_is_reviewed_sent_back_and_approved(window: Window, settings: Settings) -> None:
    settings.CLOSURE_REVIEW = True
    engineer, page = make.engineer(), window.page
    job = in_review(engineer)
    page.goto(f"/board/jobs/{job.provider_job_id}/")
    expect(page.get_by_text("this doesn't match a completed job")).to_be_visible()
    page.get_by_role("heading", name="Send something back").click()
    expect(page.get_by_label("Reason for the engineer")).to_be_visible()
    look(window, "job-review")

    page.get_by_role("checkbox", name="Which lights does the ONT show?").check()
    page.get_by_label("Reason for the engineer").fill("Is the service light off?")
    page.get_by_role("button", name="Send back to the engineer").click()

    expect(page.get_by_text("sent back. The engineer sees it on the phone.")).to_be_visible()
    expect(page.get_by_role("heading", name="Review")).to_have_count(0)
    close(job, engineer, lights="all_green")
    page.reload()
    page.get_by_role("button", name="Approve and notify the seller").click()
    expect(page.get_by_text("approved. The seller is being notified.")).to_be_visible()
    look(window, "job-reviewed")


def test_long_word_in_the_history_does_not_widen_the_page(window: Window) -> None:
    """At the sizes of this file, and of a laptop."""
    job = make.job()
    visits.assign(
        job=job,
        engineer=make.engineer(starts="10:00"),
        starts_at=make.at("08:30"),
        by=make.office(),
        override_reason="x" * 200,
    )
    notes.add_note(job=job, note_id=uuid4(), text="y" * 200, by=make.office())
    if window.page.viewport_size and window.page.viewport_size["width"] > 1000:
        window.page.set_viewport_size({"width": 1024, "height": 768})

    window.page.goto(f"/board/jobs/{job.provider_job_id}/")

    expect(window.page.get_by_text("A rule was overridden: xxx")).to_be_visible()
    window.fits_its_width()
