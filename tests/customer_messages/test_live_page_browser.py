"""The live page on a customer's telephone: readable at 390 px, without barriers, and fresh without a reload."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django import Settings

from customer_messages.live_links import live_address
from dispatch import jobs
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.customer_messages.ways import set_up_ways
from tests.servers.browser import Window
from tests.servers.reach import TARGET, too_small

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def job(settings: Settings) -> Job:
    """Today, whatever the hour."""
    set_up_ways(settings, phone="0113 496 0100")
    made = make.job(day=timezone.localdate(), window=("00:00", "23:59"))
    return make.walk(made, at_state=JobState.EN_ROUTE, to=make.engineer(starts="00:00", ends="23:59"))


def open_page(telephone: Window, job: Job) -> None:
    telephone.page.goto(live_address(job).removeprefix("http://127.0.0.1:8000"))
    expect(telephone.page.locator("#live-status[data-started]")).to_be_attached()


def test_page_is_good_to_read_and_without_barriers(telephone: Window, job: Job) -> None:
    open_page(telephone, job)

    expect(telephone.page.get_by_role("heading", level=1)).to_have_text("Your engineer is on the way")
    expect(telephone.page.locator("[aria-current=step]")).to_have_text("On the way")
    expect(telephone.page.get_by_role("link", name="Call us: 0113 496 0100")).to_be_visible()
    telephone.fits_its_width()
    telephone.looked_at("customer-live")
    assert too_small(telephone.page) == []
    reload = telephone.page.get_by_role("link", name="Reload").bounding_box()
    assert reload and reload["height"] >= TARGET


def test_customer_reads_it_in_german(telephone: Window, job: Job) -> None:
    open_page(telephone, job)
    telephone.page.get_by_role("button", name="Deutsch").click()

    expect(telephone.page.get_by_role("heading", level=1)).to_have_text("Ihr Techniker ist unterwegs")
    telephone.fits_its_width()


def test_new_state_appears_without_a_reload(telephone: Window, job: Job) -> None:
    telephone.page.clock.install()
    open_page(telephone, job)
    status = telephone.page.get_by_role("status").element_handle()
    make.arrive(job)
    telephone.page.clock.run_for(31_000)

    expect(telephone.page.get_by_role("heading", level=1)).to_have_text("Your engineer has arrived")
    expect(telephone.page.locator("[aria-current=step]")).to_have_count(1)
    # what a screen reader watches is the same element with another text
    assert status.evaluate("status => status.isConnected")
    assert telephone.complaints == []


def test_cancelled_appointment_is_shown_and_not_asked_again(telephone: Window, job: Job) -> None:
    jobs.cancel_job(job=job, reason="Customer changed their mind")
    telephone.page.goto(live_address(job).removeprefix("http://127.0.0.1:8000"))

    expect(telephone.page.get_by_role("heading", level=1)).to_have_text("This appointment was cancelled")
    expect(telephone.page.get_by_role("link", name="Reload")).to_have_count(0)
    telephone.fits_its_width()
    assert telephone.barriers() == []
