"""What can be read on a card that is narrow: its postcode and the word that calls for somebody, in each row height."""

from collections.abc import Iterator

import pytest
import time_machine
from playwright.sync_api import expect

from dispatch import jobs, visits
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
BOARD = f"/board/?day={make.DAY}"
# the boxes of the texts, in the card's own; 1 px for rounding
CUT = """card => {
  const outer = card.getBoundingClientRect();
  const texts = [...card.querySelectorAll(".postcode, .card-late")].filter((text) => text.checkVisibility());
  const boxes = texts.flatMap((text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    return [...range.getClientRects()];
  });
  const isInside = (box) => box.left >= outer.left && box.right <= outer.right + 1
    && box.top >= outer.top - 1 && box.bottom <= outer.bottom + 1;
  const isWhole = boxes.length === texts.length && boxes.every(isInside);
  return isWhole ? "" : texts.map((text) => text.textContent).join(", ");
}"""


@pytest.fixture
def in_the_morning() -> Iterator[None]:
    with time_machine.travel(make.at("08:25")):
        yield


def visit_of(minutes: int, state: JobState) -> Job:
    job = make.job(window=("08:00", "08:30"), duration_minutes=minutes)
    Job.objects.filter(pk=job.pk).update(postcode="LS37 1GW")
    job.refresh_from_db()
    return make.walk(job, at_state=state, to=make.engineer(name=f"{state} {minutes}"))


def cancelled(minutes: int) -> Job:
    job = visit_of(minutes, JobState.EN_ROUTE)
    jobs.cancel_job(job=job, reason="Changed their mind")
    return job


def failed(minutes: int) -> Job:
    job = visit_of(minutes, JobState.ON_SITE)
    make.scan(job, fsan=f"CXNK0000{minutes:04}")
    make.result(job, 6)
    return job


@pytest.mark.parametrize("density", ["Comfortable", "Compact", "Dense"])
def test_short_card_says_why_it_is_loud(in_the_morning: None, window: Window, density: str) -> None:
    page = window.page
    alerts = {
        job.provider_job_id: alert
        for minutes in (45, 60)
        for job, alert in (
            (cancelled(minutes), "Cancelled"),
            (failed(minutes), "ONT failed"),
            (visit_of(minutes, JobState.ASSIGNED), "+33 min"),
        )
    }
    # the axis of the full day: 13 hours
    make.engineer(name="Zoe Late", starts="10:00", ends="19:00")
    page.goto(BOARD)
    page.get_by_text("View", exact=True).click()
    page.get_by_role("button", name=density, exact=True).click()
    page.wait_for_load_state()

    for number, alert in alerts.items():
        card = page.locator(f"#card-{number}")
        expect(card.locator(".card-late")).to_have_text(alert)
        expect(card.locator(".card-late")).to_be_visible()
        expect(card.locator(".postcode")).to_be_visible()
        assert card.evaluate(CUT) == "", number
    window.looked_at(f"board-loud-{density.lower()}")


def test_quiet_card_keeps_its_postcode_in_the_densest_rows(in_the_morning: None, window: Window) -> None:
    page = window.page
    quiet = [visit_of(minutes, JobState.ON_SITE) for minutes in (45, 60)]
    make.engineer(name="Zoe Late", starts="10:00", ends="19:00")
    page.goto(BOARD)
    page.get_by_text("View", exact=True).click()
    page.get_by_role("button", name="Dense", exact=True).click()
    page.wait_for_load_state()

    for job in quiet:
        assert page.locator(f"#card-{job.provider_job_id}").evaluate(CUT) == ""
        expect(page.locator(f"#card-{job.provider_job_id} .card-more")).to_contain_text("since 08:25")


def test_icons_of_flags_cut_no_time(in_the_morning: None, window: Window) -> None:
    """They stand next to the postcode; the lines below it are as wide as the card."""
    page = window.page
    job, engineer = make.job(flags=("CHP", "DAN", "MDU"), duration_minutes=120), make.engineer(ends="19:00")
    visits.assign(job=job, engineer=engineer, starts_at=make.at("10:00"), by=make.office())
    page.goto(BOARD)
    page.get_by_text("View", exact=True).click()
    page.get_by_role("button", name="Comfortable", exact=True).click()
    page.wait_for_load_state()

    card = page.locator(f"#card-{job.provider_job_id}")
    expect(card.locator(".card-flags .card-icon")).to_have_count(3)
    expect(card.locator(".card-flags")).to_be_visible()
    assert card.evaluate(CUT) == ""
    assert card.locator(".card-time").evaluate("time => time.scrollWidth <= time.clientWidth") is True
    flags, postcode = card.locator(".card-flags").bounding_box(), card.locator(".postcode").bounding_box()
    assert flags and postcode
    assert flags["x"] >= postcode["x"] + postcode["width"]
    assert flags["y"] < postcode["y"] + postcode["height"]


def test_late_and_at_risk_differ_by_the_form_of_their_edge(in_the_morning: None, window: Window) -> None:
    page = window.page
    late = visit_of(60, JobState.ASSIGNED)
    at_risk = make.job(at_state=JobState.ASSIGNED)
    page.goto(BOARD)

    edges = [
        page.locator(f"#card-{job.provider_job_id}").evaluate(
            "card => getComputedStyle(card).borderLeftStyle"
        )
        for job in (late, at_risk)
    ]

    assert edges == ["solid", "dashed"]
