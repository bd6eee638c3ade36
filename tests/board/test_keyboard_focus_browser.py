"""Somebody who works by keyboard stays where they are when parts of a page change, and is led back by what closes."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from dispatch import visits
from dispatch.models import PlanProposal, ProposalState
from dispatch.states import JobState
from engineers import lone_worker
from engineers.models import CheckIn
from engineers.models.phones import CheckInEnd
from tests import make
from tests.board.proposals import proposal_of
from tests.board.test_browser import BOARD, open_board
from tests.board.test_panel_forms_browser import raise_alarm
from tests.servers.browser import Window

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def test_button_of_a_running_plan_has_the_focus_while_its_figures_change(window: Window) -> None:
    make.engineer()
    proposal, page = proposal_of(), window.page
    PlanProposal.objects.update(state=ProposalState.PLANNING, started_at=timezone.now(), possible_value=100)
    page.goto(f"/board/plans/{proposal.pk}/")
    expect(page.locator("section[data-started]")).to_be_attached()
    button = page.get_by_role("button", name="Stop and show the best plan")
    button.focus()
    status = page.locator("#progress [role=status]").element_handle()

    PlanProposal.objects.update(value=77)
    expect(page.locator("#progress")).to_contain_text("77 % of the work assigned")

    expect(button).to_be_focused()
    assert status.evaluate("status => status.isConnected")


def test_control_without_an_id_has_the_focus_after_its_part_was_replaced(window: Window) -> None:
    engineer = make.engineer(name="Erin Engineer")
    job, page = make.job(), window.page
    open_board(page)
    name = page.locator(f"#lane-{engineer.staff_number}").get_by_role("link", name="Erin Engineer")
    name.focus()

    visits.assign(job=job, engineer=engineer, starts_at=make.at("09:00"), by=make.office())
    expect(page.locator(f"#lane-{engineer.staff_number} #card-{job}")).to_be_visible()
    expect(name).to_be_focused()

    raise_alarm(job)
    button = page.locator("#attention").get_by_role("button", name="I'll handle it")
    button.focus()
    raise_alarm(make.job())
    expect(page.locator("#attention li")).to_have_count(2)
    assert page.evaluate("document.querySelector('#attention').contains(document.activeElement)")


def test_panel_is_reached_from_the_card_and_closes_to_it(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)
    card = page.locator(f"#card-{job} a")
    heading = page.locator("#panel h2 a")
    card.focus()

    page.keyboard.press("Enter")
    expect(heading).to_be_focused()
    page.locator("#panel").get_by_role("link", name="Close").focus()
    page.keyboard.press("Enter")
    expect(card).to_be_focused()

    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Show details").press("Enter")
    expect(heading).to_be_focused()

    engineer = page.locator("#lanes .lane[data-engineer] h4 a").first
    engineer.focus()
    page.keyboard.press("Enter")
    expect(heading).to_have_text(engineer.inner_text())
    expect(heading).to_be_focused()
    page.locator("#panel").get_by_role("link", name="Close").focus()
    page.keyboard.press("Enter")
    expect(engineer).to_be_focused()


def test_card_is_clicked_without_moving_the_focus_into_the_panel(window: Window) -> None:
    job, page = make.job(at_state=JobState.ASSIGNED), window.page
    open_board(page)

    page.locator(f"#card-{job} a").click()

    expect(page.locator("#panel h2")).to_be_visible()
    expect(page.locator(f"#card-{job} a")).to_be_focused()


def test_accepted_suggestion_of_a_refusal_leads_back_to_the_card(window: Window) -> None:
    bea, hassan = make.engineer(name="Bea Okafor"), make.engineer(name="Hassan Malik")
    job, page = make.job(), window.page
    open_board(page)
    page.locator(f"#card-{job} a").focus()
    page.keyboard.press("m")
    visits.assign(job=job, engineer=bea, starts_at=make.at("09:00"), by=make.office())
    page.keyboard.press("Enter")

    page.get_by_role("alert").get_by_role("button", name="Hassan Malik").press("Enter")

    card = page.locator(f"#lane-{hassan.staff_number} #card-{job} a")
    expect(card).to_be_visible()
    expect(card).to_be_focused()


def test_selection_leads_back_to_its_first_card(window: Window) -> None:
    engineer, job, page = make.engineer(name="Erin Engineer"), make.job(), window.page
    open_board(page)
    expect(page.locator("#selection[data-started]")).to_be_attached()
    card = page.locator(f"#card-{job} a")
    for name in ("Clear selection", "Assign"):
        card.focus()
        page.keyboard.press("s")
        page.locator("#selection").get_by_role("button", name=name, exact=True).press("Enter")
        expect(page.locator("#selection")).to_be_hidden()
        expect(card).to_be_focused()

    expect(page.locator(f"#lane-{engineer.staff_number} #card-{job} a")).to_be_focused()


def test_day_that_is_over_offers_no_absence(window: Window) -> None:
    make.engineer(name="Erin Engineer")
    page = window.page
    for path, is_offered in ((BOARD, True), (f"/board/?day={make.DAY - make.minutes(24 * 60 * 9)}", False)):
        open_board(page, path)
        page.get_by_role("link", name="Erin Engineer").click(button="right")
        expect(page.get_by_role("menuitem", name="Visits, absence, swap")).to_be_visible()
        for name in ("Mark absent", "Swap the day with another engineer"):
            expect(page.get_by_role("menuitem", name=name)).to_be_visible(visible=is_offered)


def test_focus_never_goes_from_one_engineers_check_in_to_anothers(window: Window) -> None:
    page, job, now = window.page, make.job(), timezone.now()
    for name in ("Ann First", "Bo Second"):
        CheckIn.objects.create(
            engineer=make.engineer(name=name),
            provider_job_id=str(job),
            started_at=now - timedelta(hours=2),
            due_at=now - timedelta(hours=1),
        )
    lone_worker.watch_check_ins()
    open_board(page)
    buttons = page.locator("#alarm-banner").get_by_role("button", name="Engineer is OK")
    buttons.first.focus()

    first = CheckIn.objects.earliest("pk").engineer
    lone_worker.end_check_in(engineer=first, at=timezone.now(), how=CheckInEnd.DONE)
    expect(buttons).to_have_count(1)

    expect(buttons).not_to_be_focused()
    assert page.evaluate("document.activeElement.tagName") != "BUTTON"


def test_focus_stays_at_the_suggestion_that_had_it(window: Window) -> None:
    for name in ("Ann First", "Bo Second", "Cy Third"):
        make.engineer(name=name)
    job, page = make.job(), window.page
    open_board(page, f"{BOARD}&job={job}")
    chosen = page.locator("#panel .suggestion").nth(2)
    text = chosen.inner_text()
    chosen.focus()

    raise_alarm(job)
    expect(page.locator("#attention li")).to_have_count(1)
    expect(page.locator("#panel .suggestion:focus")).to_have_text(text, use_inner_text=True)
