"""The line of a job in a real browser: checked, down, checked again; wide and narrow, light and dark."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect
from pytest_django import Settings

from dispatch.models import Job
from dispatch.states import JobState, JobType
from tests import make
from tests.servers import line_tester, seller
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("window", [1440, 390], indirect=True),
]
STORY = {
    "kind": "Service Outage",
    "description": "No light since the storm",
    "started_at": "2026-11-20T21:15:00+00:00",
    "findings": ["ONT down since the night", "Visit booked"],
    "last_diagnostics": {"code": "CFH001", "ont": "down", "connection": "down_seller", "port": "up"},
    "buyer_reference": "BF-1",
}


def look(window: Window, name: str) -> None:
    width = window.page.viewport_size["width"]
    window.fits_its_width()
    window.looked_at(f"{name}-{width}")
    window.page.emulate_media(color_scheme="dark")
    window.looked_at(f"{name}-dark-{width}")
    window.page.emulate_media(color_scheme="light")


def test_line_is_checked_until_it_is_up(
    window: Window, endpoint: seller.Endpoint, settings: Settings
) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, is_on=True, cache_seconds=0)
    endpoint.behaviours = [
        line_tester.answered(**line_tester.FIBRE_CUT),
        line_tester.refused("serviceId is not known"),
        line_tester.answered(**line_tester.WORKING),
    ]
    job, page = make.job(at_state=JobState.ON_SITE, job_type=JobType.REVISIT), window.page
    Job.objects.filter(pk=job.pk).update(service_identifier="FBR100000001", fault=STORY)
    page.goto(f"/board/jobs/{job.provider_job_id}/#line")
    line = page.locator("#line")

    line.get_by_role("button", name="Check the line").click()
    expect(line.get_by_text("Line down")).to_be_visible()
    expect(line.get_by_text("Offline", exact=True)).to_be_visible()
    look(window, "job-line-down")

    line.get_by_role("button", name="Check the line again").click()
    expect(page.get_by_text("The seller refused to check this line.")).to_be_visible()
    expect(line.get_by_text("Line down")).to_be_visible()
    assert window.barriers() == []

    line.get_by_role("button", name="Check the line again").click()
    expect(line.get_by_text("Line up", exact=True)).to_be_visible()
    assert window.barriers() == []


def test_line_is_checked_in_the_panel(window: Window, endpoint: seller.Endpoint, settings: Settings) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, is_on=True)
    endpoint.behaviours = [line_tester.answered(**line_tester.WORKING)]
    job, page = make.job(at_state=JobState.ON_SITE), window.page
    Job.objects.filter(pk=job.pk).update(service_identifier="FBR100000001")
    page.goto(f"/board/?day={make.DAY}&job={job.provider_job_id}")

    page.locator("#panel").get_by_role("button", name="Check the line").click()

    expect(page.locator("#panel").get_by_text("Line up", exact=True)).to_be_visible()
    look(window, "board-line")
