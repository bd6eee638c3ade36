"""A change of the board that was not saved: signed out, a page that is out of date, no answer, or an undo too late."""

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.board.test_browser import drag, open_board
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
REFUSED = "This change was not saved"


def unassign(page: Page, job: Job) -> None:
    page.locator(f"#lanes #card-{job.provider_job_id} a").focus()
    page.keyboard.press("Delete")


def test_change_after_signing_out_leads_to_sign_in_with_a_word(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    # the board must not ask before the change is sent
    page.route("**/board/version", lambda route: route.abort())
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)

    unassign(page, job)

    expect(page.get_by_role("alert")).to_contain_text("Your last change was not saved")
    page.get_by_label("User name").fill("dana")
    page.get_by_label("Password", exact=True).fill(make.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(f"#lanes #card-{job.provider_job_id}")).to_be_visible()


def test_old_page_is_loaded_again_after_signing_in_in_another_tab(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    page.evaluate(
        "document.querySelectorAll('[name=csrfmiddlewaretoken]').forEach(e => e.value = 'x'.repeat(64))"
    )

    unassign(page, job)

    answer = page.get_by_role("alert").filter(has_text=REFUSED)
    expect(answer).to_contain_text("This page is out of date")
    assert window.barriers() == []
    answer.get_by_role("button", name="Reload page").click()
    expect(answer).to_be_hidden()
    expect(page.locator("#announcement[data-started]")).to_be_attached()
    unassign(page, job)
    expect(page.locator(f"#waiting #card-{job.provider_job_id}")).to_be_visible()


@pytest.mark.parametrize(
    ("status", "body", "text"),
    [
        (404, "<h1>Page not found</h1>", "This page is out of date"),
        (502, "<h1>Bad gateway</h1>", "The server failed (error 502)"),
        (429, '{"error": "rate_limited", "message": "Too many requests."}', "Too many requests."),
    ],
)
def test_answer_of_the_server_is_not_called_offline(
    window: Window, status: int, body: str, text: str
) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    page.route("**/unassign/", lambda route: route.fulfill(status=status, body=body))

    unassign(page, job)

    expect(page.get_by_role("alert").filter(has_text=REFUSED)).to_contain_text(text)


def test_change_without_an_answer_is_offline(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    page.route("**/unassign/", lambda route: route.abort())

    unassign(page, job)

    expect(page.get_by_role("alert").filter(has_text=REFUSED)).to_contain_text("You are offline.")


def test_refused_undo_names_its_job_and_what_it_offers_works(window: Window) -> None:
    busy, free = make.engineer(name="Tara Taken"), make.engineer(name="Fred Free")
    job, page = make.job(at_state=JobState.ASSIGNED, to=busy), window.page
    open_board(page)
    unassign(page, job)
    expect(page.locator(f"#waiting #card-{job.provider_job_id}")).to_be_visible()
    visits.assign(job=make.job(), engineer=busy, starts_at=make.at("08:00"), by=make.office())

    page.keyboard.press("Control+z")

    answer = page.get_by_role("alert").filter(has_text=REFUSED)
    expect(answer).to_contain_text(f"{job.title} {REFUSED}")
    expect(answer).to_contain_text("Assign instead to:")
    assert window.barriers() == []
    answer.get_by_role("listitem").get_by_role("button", name="Fred Free").click()
    expect(page.locator(f"#lane-{free.staff_number} #card-{job.provider_job_id}")).to_be_visible()


def test_reason_of_spaces_and_filter_without_a_name_say_what_is_missing(window: Window) -> None:
    engineer, job, page = make.engineer(starts="10:00"), make.job(), window.page
    open_board(page)
    drag(page, job, engineer, 6)
    reason = page.get_by_label("Reason for assigning anyway")
    reason.fill("   ")

    page.get_by_role("button", name="Assign anyway").click()

    assert reason.evaluate("field => [field.validity.valid, field.title]") == [False, "Enter a reason."]
    expect(reason).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_text("More filters").click()
    name = page.get_by_label("Save as")
    name.locator("..").get_by_role("button", name="Save").click()
    assert name.evaluate("field => field.validationMessage") == "Enter a name for the filter."
    name.fill("North")
    name.locator("..").get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="North")).to_be_visible()


def test_filter_that_was_not_saved_says_why(window: Window) -> None:
    page = window.page
    open_board(page)
    page.route("**/board/saved-filters/**", lambda route: route.abort())
    page.get_by_text("More filters").click()
    page.get_by_label("Save as").fill("North")

    page.get_by_label("Save as").press("Enter")

    expect(page.get_by_role("alert").filter(has_text=REFUSED)).to_contain_text("You are offline.")
    expect(page.get_by_label("Save as")).to_have_value("North")
