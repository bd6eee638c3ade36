"""A team of two in a real browser: chosen in the panel, drawn in both rows, and on both engineers' phones."""

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from dispatch import visits
from engineers.models import Engineer
from tests import make
from tests.servers.browser import PHONE, Window, open_window
from tests.servers.phone import open_app

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
PICKER = ("cherry-picker",)


@pytest.mark.parametrize("window", [1440, 390], indirect=True)
def test_pair_is_suggested_assigned_and_drawn_in_both_rows(window: Window) -> None:
    make.engineer(name="Erin Engineer", skills=PICKER)
    make.engineer(name="Sam Second", skills=())
    job, page = make.job(flags=("CHP",)), window.page
    width = (page.viewport_size or {})["width"]
    page.goto(f"/board/?day={make.DAY}&job={job.provider_job_id}")

    expect(page.get_by_label("Second engineer")).to_be_visible()
    window.looked_at(f"board-team-choice-{width}")
    page.get_by_role("button", name="Erin Engineer with Sam Second").click()

    first = page.locator(f"#card-{job.provider_job_id}")
    second = page.locator(f"#card-{job.provider_job_id}-second")
    expect(first).to_contain_text("with Sam Second")
    expect(second).to_contain_text("with Erin Engineer")
    window.looked_at(f"board-team-{width}")
    page.goto(f"/board/?day={make.DAY}&job={job.provider_job_id}")
    expect(page.get_by_role("link", name="Erin Engineer with Sam Second")).to_be_visible()
    page.goto(f"/board/jobs/{job.provider_job_id}/")
    window.looked_at(f"job-team-{width}")


def phone_of(browser: Browser, engineer: Engineer, live_server: LiveServer) -> Window:
    opened = open_window(browser, base_url=live_server.url, kind=PHONE)
    client = Client()
    client.force_login(engineer.user)
    session = client.cookies[settings.SESSION_COOKIE_NAME]
    cookie = {"name": session.key, "value": session.value, "url": live_server.url}
    opened.page.context.add_cookies([cookie])  # type: ignore[list-item]
    return opened


def test_second_engineer_reads_what_the_first_one_works_through(
    browser: Browser, live_server: LiveServer
) -> None:
    erin, sam = make.engineer(name="Erin Engineer"), make.engineer(name="Sam Second")
    day = timezone.localdate()
    job = make.job(day=day)
    starts_at = make.at("10:00", day=day)
    visits.assign(job=job, engineer=erin, starts_at=starts_at, by=make.office(), second_engineer=sam)

    for engineer, text, step in (
        (sam, "You accompany Erin Engineer, who works through the checklist", False),
        (erin, "Sam Second accompanies you. You work through the checklist", True),
    ):
        window = phone_of(browser, engineer, live_server)
        page = window.page
        open_app(page)
        window.looked_at(f"phone-team-day-{'first' if step else 'second'}")
        page.locator(".phone-card a").first.click()
        expect(page.locator("[data-team]")).to_contain_text(text)
        expect(page.get_by_role("link", name="On my way")).to_have_count(int(step))
        window.looked_at(f"phone-team-job-{'first' if step else 'second'}")
        page.context.close()
