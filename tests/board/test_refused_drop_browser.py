"""A drop that is refused: why, what may be done instead, and a rule that is overridden with a reason."""

import re
from datetime import time

import pytest
from playwright.sync_api import expect

from dispatch.states import JobState
from tests import make
from tests.board.test_browser import drag, open_board
from tests.board.test_double_submit_browser import click_twice, posts_of
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def test_refused_drop_says_why_and_its_offer_is_one_press(window: Window) -> None:
    busy, free = make.engineer(name="Tara Taken"), make.engineer(name="Fred Free")
    other = make.job(at_state=JobState.ASSIGNED, to=busy)
    job, page = make.job(), window.page
    open_board(page)

    drag(page, job, busy, 6)

    answer = page.get_by_role("alert").filter(has_text="This change was not saved")
    expect(answer).to_contain_text("Tara Taken already has a visit at LS6 3AB, 08:00–10:00.")
    expect(answer.get_by_role("listitem").get_by_role("link", name=other.title)).to_have_attribute(
        "href", re.compile(f"/board/jobs/{other.provider_job_id}/$")
    )
    assert window.barriers() == []
    expect(answer).to_contain_text("Assign instead to:")
    answer.get_by_role("button", name="Fred Free").click()
    expect(page.locator(f"#lane-{free.staff_number} #card-{job.provider_job_id}")).to_be_visible()


def test_rule_is_overridden_with_a_reason_and_escape_goes_back_to_the_card(window: Window) -> None:
    """Outside the shift: allowed with a reason, which the history keeps."""
    engineer, job, page = make.engineer(starts="10:00"), make.job(), window.page
    open_board(page)
    drag(page, job, engineer, 6)
    answer = page.get_by_role("alert").filter(has_text="This change was not saved")
    expect(answer).to_contain_text("LS6 3AB This change was not saved")

    page.keyboard.press("Escape")
    expect(answer).to_be_hidden()
    expect(page.locator(f"#card-{job.provider_job_id} a")).to_be_focused()
    drag(page, job, engineer, 6)
    answer.get_by_label("Reason for assigning anyway").fill("Starts early today")
    assert window.barriers() == []
    answer.get_by_role("button", name="Assign anyway").click()

    expect(page.locator(f"#lane-{engineer.staff_number} #card-{job.provider_job_id}.s6")).to_be_visible()
    page.goto(f"/board/jobs/{job.provider_job_id}/")
    expect(page.get_by_text("A rule was overridden: Starts early today")).to_be_visible()


def test_typed_reason_overrides_no_other_start_and_is_offered_again(window: Window) -> None:
    late, free = make.engineer(name="Lee Late", starts="10:00"), make.engineer(name="Fred Free")
    job, page = make.job(), window.page
    open_board(page)
    drag(page, job, late, 6)
    answer = page.get_by_role("alert").filter(has_text="This change was not saved")
    answer.get_by_label("Reason for assigning anyway").fill("Starts early today")
    free.shifts.update(starts=time(12))

    answer.get_by_role("button", name="Fred Free").click()

    expect(answer).to_contain_text("Fred Free")
    expect(answer.get_by_role("listitem").first).not_to_contain_text("Lee Late")
    expect(answer.get_by_label("Reason for assigning anyway")).to_have_value("Starts early today")
    answer.get_by_role("button", name="Assign anyway").click()
    expect(page.locator(f"#lane-{free.staff_number} #card-{job.provider_job_id}")).to_be_visible()


@pytest.mark.parametrize("name", ["Fred Free", "Assign anyway"])
def test_double_click_in_a_refusal_assigns_once(window: Window, name: str) -> None:
    late, job, page = make.engineer(name="Lee Late", starts="10:00"), make.job(), window.page
    make.engineer(name="Fred Free")
    open_board(page)
    drag(page, job, late, 6)
    answer = page.get_by_role("alert").filter(has_text="This change was not saved")
    answer.get_by_label("Reason for assigning anyway").fill("Starts early today")
    posted = posts_of(page)

    with page.expect_response("**/assign/"):
        click_twice(answer.get_by_role("button", name=name))

    expect(page.locator(f"#lanes #card-{job}")).to_be_visible()
    expect(page.locator("#action-response")).to_be_hidden()
    assert len(posted) == 1
