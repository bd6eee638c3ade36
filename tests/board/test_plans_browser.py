"""A plan on a screen and on a phone: asked for, looked at, accepted, seen on the board."""

import pytest
from playwright.sync_api import expect

from dispatch.models import PlanComparison, PlanProposal
from dispatch.planning.comparison_making import make_comparison
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import read_scope
from tests import make
from tests.board.proposals import planned, proposal_of
from tests.servers.browser import Window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("window", [1440, 390], indirect=True)
def test_dispatcher_plans_a_day_and_accepts_it(window: Window) -> None:
    make.engineer(skills=())
    make.job()
    # nobody has the skill
    make.job(flags=("MDU",))
    page = window.page
    page.goto(f"/board/plans/?day={make.DAY}")
    window.looked_at("plans")
    window.fits_its_width()

    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.get_by_text("The planner is working.")).to_be_visible()
    window.looked_at("plan-working")
    proposal = PlanProposal.objects.get()
    PlanProposal.objects.update(neighbourhoods=2)
    make_proposal(proposal.pk)

    expect(page.get_by_role("heading", name="1 change")).to_be_visible()
    expect(page.get_by_text("1 job remains unassigned")).to_be_visible()
    window.looked_at("plan-proposed")
    window.fits_its_width()
    page.get_by_role("button", name="Accept the chosen ones").click()
    expect(page.get_by_text("1 change accepted.")).to_be_visible()
    expect(page.get_by_text("Accepted", exact=True)).to_be_visible()
    page.goto(f"/board/?day={make.DAY}")
    expect(page.locator("#lanes").get_by_text("LS6 3AB").first).to_be_visible()


@pytest.mark.parametrize("window", [1440], indirect=True)
@pytest.mark.parametrize("job_numbers", ["", "J-" + 60 * "X"])
def test_fields_of_a_plan_line_up(window: Window, job_numbers: str) -> None:
    """Also next to the list of engineers, which is the highest, and under hints of one and two lines and an error."""
    make.engineer()
    window.page.goto(f"/board/plans/?day={make.DAY}")
    if job_numbers:
        window.page.get_by_label("Only these jobs").fill(job_numbers)
        window.page.get_by_role("button", name="Plan", exact=True).click()
        expect(window.page.get_by_text(f"There is no job {job_numbers}.")).to_be_visible()
        window.page.wait_for_load_state()
    expect(window.page.get_by_role("button", name="Plan", exact=True)).to_be_in_viewport(ratio=1)

    tops, distances = [], []
    for field in window.page.locator("form > .field-grid .field").all():
        label, control = field.locator("label").bounding_box(), field.locator(":scope > *").last
        box = control.bounding_box()
        assert label and box
        tops.append(round(box["y"]))
        distances.append(box["y"] - label["y"] - label["height"])
    lines = [tops[first : first + 3] for first in range(0, len(tops), 3)]
    assert [len(set(line)) for line in lines] == [1] * len(lines)
    assert all(-1 < distance < 2 for distance in distances)


@pytest.mark.parametrize("window", [390], indirect=True)
def test_long_job_number_does_not_widen_the_form(window: Window) -> None:
    window.page.goto(f"/board/plans/?day={make.DAY}")
    window.page.get_by_label("Only these jobs").fill(60 * "X")
    window.page.get_by_role("button", name="Plan", exact=True).click()
    expect(window.page.get_by_text("There is no job")).to_be_visible()

    window.fits_its_width()


@pytest.mark.parametrize("window", [1440], indirect=True)
def test_long_plan_is_accepted_from_its_first_line(window: Window) -> None:
    ann, lee = make.engineer(name="Ann Early"), make.engineer(name="Lee Late")
    hours = [f"{hour:02}:00" for hour in range(8, 13)]
    proposal = proposal_of(*((planned(ann, hour), lee, hour) for hour in hours))
    page = window.page
    page.set_viewport_size({"width": 1440, "height": 500})
    page.goto(f"/board/plans/{proposal.pk}/")

    expect(page.get_by_role("button", name="Accept the chosen ones")).to_be_in_viewport(ratio=1)
    page.get_by_role("checkbox").last.click()
    expect(page.get_by_role("checkbox").last).not_to_be_checked()
    window.looked_at("plan-long")


def test_enter_accepts_the_chosen_ones(window: Window) -> None:
    ann, lee = make.engineer(name="Ann Early"), make.engineer(name="Lee Late")
    proposal = proposal_of(
        (make.job(duration_minutes=60), ann, "08:00"), (make.job(duration_minutes=60), lee, "08:00")
    )
    page = window.page
    page.goto(f"/board/plans/{proposal.pk}/")
    page.get_by_role("checkbox").first.uncheck()

    page.get_by_role("checkbox").first.press("Enter")

    expect(page.get_by_text("1 change accepted.")).to_be_visible()


@pytest.mark.parametrize("window", [1440, 390], indirect=True)
def test_dispatcher_finds_a_slot_for_an_urgent_job(window: Window) -> None:
    make.engineer(skills=(), name="Erin")
    job = make.job(duration_minutes=60)
    make.job(duration_minutes=60)
    page = window.page
    page.goto(f"/board/?day={make.DAY}&job={job.provider_job_id}")
    page.get_by_role("link", name="Urgent: find a slot for this job").first.click()
    expect(page.get_by_role("textbox", name="Job number")).to_have_value(job.provider_job_id)
    window.looked_at("replan")
    window.fits_its_width()

    page.get_by_role("button", name="Compare options").click()
    expect(page.get_by_text("The planner is working.")).to_be_visible()
    make_comparison(PlanComparison.objects.get().pk)
    expect(page.get_by_role("heading", name="1. Only the nearest engineers")).to_be_visible()
    expect(page.get_by_role("heading", name="2. Everybody")).to_be_visible()
    window.looked_at("replan-options")
    window.fits_its_width()

    page.get_by_role("button", name="Accept this option").first.click()
    expect(page.get_by_text("1 change accepted.")).to_be_visible()
    page.goto(f"/board/?day={make.DAY}")
    expect(page.locator("#lanes").get_by_text("LS6 3AB").first).to_be_visible()


@pytest.mark.parametrize("window", [1440, 390], indirect=True)
def test_dispatcher_looks_at_a_proposal_on_the_board_and_accepts_a_part(window: Window) -> None:
    ann, lee = make.engineer(name="Ann Early"), make.give_break(make.engineer(name="Lee Late"))
    to_lee, later, dropped = planned(ann, "08:00"), planned(ann, "09:30"), planned(ann, "11:00")
    planned(lee, "11:00")
    proposal = proposal_of((to_lee, lee, "09:00"), (later, ann, "10:00"), (dropped, None, ""))
    page = window.page
    page.goto(f"/board/plans/{proposal.pk}/")
    page.get_by_role("link", name="Show on the board").click()
    expect(page.get_by_text("3 changes on this day")).to_be_visible()
    window.looked_at("plan-on-board")
    window.fits_its_width()

    for label in ("was 09:30", "Unassigned"):
        card = page.locator("li.proposed").filter(has_text=label)
        card.get_by_role("checkbox").uncheck()
    page.get_by_role("button", name="Accept the chosen ones").click()
    expect(page.get_by_text("1 change accepted.")).to_be_visible()
    visit = to_lee.visits.active().get()
    assert (visit.engineer, visit.planned_start) == (lee, make.at("09:00"))
    page.get_by_role("link", name="Show on the board").click()
    expect(page.get_by_text("2 changes on this day")).to_be_visible()


def test_jobs_selected_on_the_board_are_in_the_form_of_a_plan(window: Window) -> None:
    make.engineer(name="Erin Engineer")
    jobs_of_day, page = [make.job(), make.job()], window.page
    make.job()
    page.goto(f"/board/?day={make.DAY}")
    expect(page.locator("#selection[data-started]")).to_be_attached()
    for job in jobs_of_day:
        page.locator(f"#card-{job.provider_job_id}").click(modifiers=["Control"])
    page.get_by_role("button", name="Plan these").click()

    numbers = page.get_by_label("Only these jobs").input_value().split(", ")
    assert set(numbers) == {job.provider_job_id for job in jobs_of_day}
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.get_by_text("The planner is working.")).to_be_visible()
    assert set(read_scope(PlanProposal.objects.get()).jobs or ()) == {job.pk for job in jobs_of_day}


@pytest.mark.parametrize("window", [1440, 1024, 390], indirect=True)
def test_proposal_opens_at_its_first_change(window: Window) -> None:
    """Of a late shift: the hours before it are wider than the screen."""
    engineer, page = make.engineer(skills=(), starts="13:00", ends="23:00"), window.page
    early = make.engineer(skills=())
    planned(early, "08:00")
    proposal = proposal_of((make.job(window=("18:00", "23:00"), duration_minutes=60), engineer, "21:00"))

    page.goto(f"/board/plans/{proposal.pk}/board/")

    expect(page.locator(".card.look-new")).to_be_in_viewport(ratio=1)
