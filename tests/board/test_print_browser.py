"""What is printed: the plan and the job on A4 landscape, without what is for the screen only."""

import pytest
from playwright.sync_api import expect

from dispatch.states import JobState
from tests import make
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def test_printed_job_shows_no_alarm_and_no_undo(window: Window) -> None:
    """A banner that is on every page, and the message of the last change."""
    failed, job, page = make.job(at_state=JobState.ON_SITE), make.job(at_state=JobState.ASSIGNED), window.page
    make.scan(failed)
    make.result(failed, 6)
    page.goto(f"/board/jobs/{job.provider_job_id}/")
    page.get_by_role("button", name="Unassign").click()
    for part in (".alarm-banner", ".notice-undo"):
        expect(page.locator(part)).to_be_visible()

    page.emulate_media(media="print")

    expect(page.get_by_role("heading", name=job.title)).to_be_visible()
    for part in (".alarm-banner", ".notice-undo"):
        expect(page.locator(part)).to_be_hidden()
