"""A change of the board that was not saved: signed out, a page that is out of date, no answer, an undo too late, or a
form that is half filled in."""

import pytest
from django.conf import settings
from playwright.sync_api import Page, Route, expect

from dispatch import holds, pins, visits
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.board.test_browser import BOARD, drag, open_board
from tests.board.test_two_dispatchers import streaming
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
REFUSED = "This change was not saved"


def unassign(page: Page, job: Job) -> None:
    page.locator(f"#lanes #card-{job.provider_job_id} a").focus()
    page.keyboard.press("Delete")


def sign_in(page: Page) -> None:
    page.get_by_label("User name").fill("dana")
    page.get_by_label("Password", exact=True).fill(make.PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_change_after_signing_out_leads_to_sign_in_with_a_word(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    # the board must not ask before the change is sent
    page.route("**/board/version", lambda route: route.abort())
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)

    unassign(page, job)

    expect(page.get_by_role("alert")).to_contain_text("Your last change was not saved")
    sign_in(page)
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


def test_change_without_a_line_was_not_sent(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    page.context.set_offline(True)

    unassign(page, job)

    expect(page.get_by_role("alert").filter(has_text=REFUSED)).to_contain_text("You are offline.")


def test_change_whose_answer_is_lost_is_not_called_unsaved(window: Window) -> None:
    """The server has saved it, and the board shows so."""
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)

    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/unassign/", lose_the_answer)

    unassign(page, job)

    answer = page.get_by_role("alert").filter(has_text="No answer:")
    expect(answer).to_contain_text("The board will show whether this change was saved.")
    expect(answer).not_to_contain_text("was not")
    expect(page.locator(f"#waiting #card-{job.provider_job_id}")).to_be_visible()


def test_selection_is_free_again_where_the_line_stays_silent(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    page.route("**/bulk/", lambda _route: None)
    page.locator(f"#lanes #card-{job.provider_job_id} a").focus()
    page.keyboard.press("s")
    button = page.locator("#selection").get_by_role("button", name="Unassign")

    button.click()

    expect(button).to_be_disabled()
    expect(page.get_by_role("alert").filter(has_text="No answer:")).to_be_visible()
    expect(button).to_be_enabled()


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

    expect(page.get_by_role("alert").filter(has_text="No answer:")).to_be_visible()
    expect(page.get_by_label("Save as")).to_have_value("North")


def test_half_filled_panel_stays_until_it_is_sent(window: Window) -> None:
    """Also without the focus; what was sent, or emptied again, keeps nothing back."""
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page, f"{BOARD}&job={job}")
    card, reason = page.locator(f"#card-{job}"), page.get_by_label("Reason for the hold")
    button = page.locator("#panel").get_by_role("button", name="Hold this job")
    page.locator("#panel summary", has_text="Hold this job").click()
    reason.fill("Dog in the garden")
    button.focus()

    pins.pin_visit(job=job, is_pinned=True, by=make.office())
    expect(card.get_by_role("img", name="Pinned")).to_be_visible()
    expect(reason).to_have_value("Dog in the garden")
    expect(button).to_be_focused()
    button.press("Enter")

    expect(page.get_by_role("button", name="Release job")).to_be_visible()
    expect(page.locator("#board[data-started]")).to_be_attached()
    holds.release_job(job=job, by=make.office())
    page.locator("#panel summary", has_text="Hold this job").click()
    reason.fill("Dog")
    reason.fill("")
    button.focus()
    pins.pin_visit(job=job, is_pinned=False, by=make.office())
    expect(page.get_by_role("button", name="Pin this visit")).to_be_visible()


def test_half_filled_panel_shows_what_else_was_asked_for(window: Window) -> None:
    engineer, job, page = make.engineer(), make.job(), window.page
    open_board(page, f"{BOARD}&job={job}")
    page.get_by_label("Or choose an engineer").select_option(engineer.staff_number)

    page.get_by_role("link", name="Why not others?").click()

    expect(page.get_by_role("heading", name="Why not others?")).to_be_visible()
    expect(page.get_by_label("Or choose an engineer")).to_have_value(engineer.staff_number)


@pytest.mark.parametrize("typed", ["", "Dog in the garden"])
def test_panel_of_a_stream_follows_when_its_field_is_left(
    stream_port: int, window: Window, typed: str
) -> None:
    """Or when what was typed is gone again; the stream says nothing of a change twice."""
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    with streaming(stream_port):
        open_board(page, f"{BOARD}&job={job}")
        expect(page.locator("#board")).to_have_attribute("data-live", "stream")
        reason = page.get_by_label("Reason for unassigning")
        reason.focus()
        reason.fill(typed)
        with page.expect_response(f"**/board/?*job={job}*"):
            pins.pin_visit(job=job, is_pinned=True, by=make.office())
        expect(page.locator(f"#card-{job}").get_by_role("img", name="Pinned")).to_be_visible()
        if typed:
            page.locator("#lanes").focus()
            expect(page.get_by_role("button", name="Pin this visit")).to_be_visible()
            reason.fill("")

        page.locator("#lanes").focus()

        expect(page.get_by_role("button", name="Unpin", exact=True)).to_be_visible()


def test_typed_note_is_there_again_after_signing_in(window: Window) -> None:
    """The session ended elsewhere; what was typed is filled in again, once, and is not sent by itself."""
    job, page = make.job(), window.page
    page.goto(f"/board/jobs/{job}/")
    expect(page.locator("[data-module*='typed_texts'][data-started]")).to_be_attached()
    page.get_by_label("Note", exact=True).fill("Gate code 4711")
    page.get_by_label("Show it on the engineer's phone").check()
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)

    page.get_by_role("button", name="Add note").click()
    expect(page.get_by_text("so your change was not saved")).to_be_visible()
    sign_in(page)

    expect(page.get_by_label("Note", exact=True)).to_have_value("Gate code 4711")
    expect(page.get_by_label("Show it on the engineer's phone")).to_be_checked()
    expect(page.get_by_text("is filled in again")).to_be_visible()
    page.get_by_role("button", name="Add note").click()
    expect(page.locator(".notes")).to_contain_text("Gate code 4711")
    expect(page.get_by_label("Note", exact=True)).to_have_value("")
    assert window.barriers() == []


def test_choice_that_was_dropped_changes_no_suggestion(window: Window) -> None:
    """Several forms of a job lead to one address; the hidden fields of a suggestion stay what its button says."""
    for name in ("Ann Early", "Bob Busy"):
        make.engineer(name=name)
    job, page = make.job(), window.page
    page.goto(f"/board/jobs/{job}/")
    expect(page.locator("[data-module*='typed_texts'][data-started]")).to_be_attached()
    hidden = page.locator("form[action$='/assign/'] [type=hidden]:is([name=engineer], [name=starts_at])")
    expect(hidden.first).to_be_attached()
    before = hidden.evaluate_all("fields => fields.map(({ name, value }) => [name, value])")
    form = page.locator("form").filter(has=page.locator("select[name=engineer]"))
    form.locator("select[name=engineer]").select_option(index=2)
    form.locator("[name=starts_at]").fill(f"{make.DAY.isoformat()}T15:00")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)

    form.get_by_role("button").last.click()
    sign_in(page)

    expect(form.locator("[name=starts_at]")).to_have_value(f"{make.DAY.isoformat()}T15:00")
    assert hidden.evaluate_all("fields => fields.map(({ name, value }) => [name, value])") == before
