"""The pages of the planner: requested, made as the worker does, shown, accepted in part, undone."""

from datetime import timedelta

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from board.plans import forms, views
from dispatch.models import ChangeKind, Job, PlanAction, PlanProposal, ProposalState
from dispatch.plan_changes import plan_actions
from dispatch.planning import proposals
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.reason_codes import UnassignedCode
from dispatch.states import JobState
from engineers.models import Area, Role, User
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
ASKED = {"first": f"{make.DAY}", "days": "1", "part": "day", "weight": "few", "seconds": "10"}


def made_plan(client: Client, **more: str) -> PlanProposal:
    """Asked for on the page, and made as the worker's process does."""
    answer = client.post("/board/plans/", ASKED | more)
    proposal = PlanProposal.objects.get()
    assert answer["Location"] == f"/board/plans/{proposal.pk}/"
    # so little work that it ends before its time
    PlanProposal.objects.update(neighbourhoods=2)
    make_proposal(proposal.pk)
    return PlanProposal.objects.get()


def engineers_of(*jobs: Job) -> list[str]:
    return [visit.engineer.name if (visit := job.visits.active().first()) else "" for job in jobs]


def test_plan_is_looked_at_accepted_in_part_and_undone() -> None:
    make.engineer(name="Erin")
    jobs, client = [make.job(), make.job()], signed_in()
    proposal = made_plan(client)
    address = f"/board/plans/{proposal.pk}/"

    page = client.get(address).context["page"]
    assert (page.is_over, page.failure, page.open_count) == (True, "", 2)
    assert {line.reason for line in page.changes} == {"The job is unassigned, and the engineer has time."}
    assert [(line.name, line.gets, line.gives) for line in page.engineers] == [("Erin", 2, 0)]

    chosen = next(line for line in page.changes if line.job_id == str(jobs[0]))
    client.post(f"{address}accept/", {"change": [chosen.pk]})
    assert engineers_of(*jobs) == ["Erin", ""]
    client.post(f"{address}accept/", {"all": "1"})
    assert engineers_of(*jobs) == ["Erin", "Erin"]
    assert client.get(address).context["page"].open_count == 0

    client.post("/board/undo/")
    assert engineers_of(*jobs) == ["", ""]
    assert client.get(address).context["page"].open_count == 2
    client.post("/board/redo/")
    assert engineers_of(*jobs) == ["Erin", "Erin"]
    assert client.get(address).context["page"].open_count == 0
    client.post("/board/undo/")
    client.post(f"{address}accept/", {"all": "1"})
    assert engineers_of(*jobs) == ["Erin", "Erin"]


def test_visits_that_a_plan_gives_to_nobody_lead_its_changes() -> None:
    engineer, client = make.engineer(), signed_in()
    make.job()
    proposal = made_plan(client)
    visit = make.job(at_state=JobState.ASSIGNED, to=engineer).visits.get()
    now = {"engineer_before": visit.engineer, "start_before": visit.planned_start}
    proposal.changes.create(
        job=visit.job, kind=ChangeKind.UNASSIGN, version="1", reason=UnassignedCode.CAPACITY, **now
    )

    answer = client.get(f"/board/plans/{proposal.pk}/")

    page = answer.context["page"]
    assert [line.after for line in page.changes][:1] == [""]
    assert page.warning.startswith("This plan unassigns 1 planned visit.")
    assertContains(answer, page.warning)


@pytest.mark.parametrize(
    ("weight", "minutes", "saved"),
    [
        ("few", 30, "30 minutes"),
        ("balanced", 10, "10 minutes"),
        ("needed", 1, "1 minute"),
        ("free", 0, ""),
    ],
)
def test_how_much_may_change_is_kept_with_the_plan(weight: str, minutes: int, saved: str) -> None:
    client = signed_in()
    make.job(at_state=JobState.ASSIGNED, to=make.engineer())

    proposal = made_plan(client, weight=weight)

    assert proposal.change_minutes == minutes
    expected = (
        f"A visit changes its engineer or its start only where that saves {saved} of driving or makes time for another "
        "job."
    )
    assert client.get(f"/board/plans/{proposal.pk}/").context["page"].weight == (expected if saved else "")


def test_plan_of_a_part_without_jobs_says_that_there_is_nothing_to_plan() -> None:
    make.engineer()
    client = signed_in()

    page = client.get(f"/board/plans/{made_plan(client).pk}/")

    assertContains(page, "No open job has its window in this part: there is nothing to plan.")
    assertNotContains(page, "of the work assigned")
    assertNotContains(page, "No better plan was found")


def test_latest_plans_say_what_they_are_for_and_which_was_accepted() -> None:
    make.engineer()
    client, job = signed_in(), make.job()
    proposal = made_plan(client)
    client.post(f"/board/plans/{proposal.pk}/accept/", {"all": "1"})
    leeds = Area.objects.create(name="Leeds")
    client.post("/board/plans/", ASKED | {"area": f"{leeds.pk}"})
    client.post("/board/plans/", ASKED | {"jobs": job.provider_job_id})
    client.post("/board/plans/replan/", {"occasion": "urgent_job", "job": job.provider_job_id})

    lines = client.get("/board/plans/").context["page"].lines

    about = [(line.subject, line.state) for line in lines]
    assert {subject.partition(": ")[0] for subject, _state in about[:-3]} == {f"{job.title} is urgent"}
    assert about[-3:] == [("1 chosen job", "Waiting"), ("Leeds", "Waiting"), ("All areas", "Accepted")]


def test_plan_stays_accepted_as_long_as_a_change_of_it_stands() -> None:
    make.engineer()
    jobs, client = [make.job(), make.job()], signed_in()
    address = f"/board/plans/{made_plan(client).pk}/"

    chosen = client.get(address).context["page"].changes[0]
    client.post(f"{address}accept/", {"change": [chosen.pk]})
    # older actions than the last twenty are forgotten
    PlanAction.objects.all().delete()
    client.post(f"{address}accept/", {"all": "1"})
    client.post("/board/undo/")

    assert sorted(engineers_of(*jobs)) == ["", "Erin Engineer"]
    assert client.get("/board/plans/").context["page"].lines[0].state == "Accepted"
    assert client.get(address).context["page"].line.state == "Accepted"


def test_change_that_the_plan_overtook_is_refused_with_its_reason() -> None:
    engineer, client = make.engineer(name="Erin"), signed_in()
    job = make.job()
    proposal = made_plan(client)
    make.walk(job, at_state=JobState.ASSIGNED, to=engineer)

    page = client.post(f"/board/plans/{proposal.pk}/accept/", {"all": "1"}, follow=True)

    texts = [str(message) for message in page.context["messages"]]
    assert texts[0] == "1 change was not accepted, for these reasons:"
    assert len(texts) == 2 and job.title in texts[1]


def test_job_that_nobody_can_take_says_why() -> None:
    engineer, client = make.engineer(), signed_in()
    engineer.held_skills.all().delete()
    make.job(flags=("CHP",))

    page = client.get(f"/board/plans/{made_plan(client).pk}/").context["page"]

    assert [line.reason for line in page.unassigned] == ["No engineer here is qualified for Cherry picker."]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"first": f"{make.DAY - timedelta(days=7)}"}, "first"),
        ({"first": "0001-01-01"}, "first"),
        ({"first": "9999-12-31"}, "first"),
        ({"first": ""}, "first"),
        ({"days": "15"}, "days"),
        ({"days": "0"}, "days"),
        ({"seconds": "4000"}, "seconds"),
        ({"part": "night"}, "part"),
        ({"area": "99"}, "area"),
        ({"area": "9" * 30}, "area"),
    ],
)
def test_wrong_value_names_its_field_and_asks_for_nothing(values: dict[str, str], field: str) -> None:
    answer = signed_in().post("/board/plans/", ASKED | values)

    assert (answer.status_code, list(answer.context["page"].form.errors)) == (400, [field])
    assert not PlanProposal.objects.exists()


@pytest.mark.parametrize(("part", "hours"), [("day", (0, 24)), ("morning", (0, 13)), ("afternoon", (13, 24))])
def test_half_days_meet_at_one_o_clock(part: str, hours: tuple[int, int]) -> None:
    form = forms.PlanForm(ASKED | {"part": part})
    assert form.is_valid(), form.errors

    span, midnight = form.scope().span, make.at("00:00")

    assert (span.start, span.end) == tuple(midnight + timedelta(hours=hour) for hour in hours)


def test_nobody_is_left_waiting() -> None:
    client = signed_in()
    client.post("/board/plans/", ASKED)
    proposal = PlanProposal.objects.get()
    address = f"/board/plans/{proposal.pk}/"
    assert client.get(address).context["page"].is_running

    client.post(f"{address}stop/")
    PlanProposal.objects.update(requested_at=make.now() - timedelta(hours=1))
    assert "planner does not answer" in client.get(address).context["page"].failure
    assert PlanProposal.objects.get().stop_requested_at is not None

    proposals.record_failure(proposal.pk, "ended with exit code 1")
    page = client.get(address).context["page"]
    assert (page.is_over, PlanProposal.objects.get().state) == (True, ProposalState.FAILED)
    assert page.failure.startswith("The plan could not be made. Nothing has changed.")


def test_plan_says_with_what_it_is_made_again() -> None:
    make.engineer()
    make.job()
    client = signed_in()
    proposal = made_plan(client, seed="7", steps="2")

    page = client.get(f"/board/plans/{proposal.pk}/")

    assertContains(page, "Searched: 2 steps, seed 7.")
    assert (proposal.seed, proposal.neighbourhoods) == (7, 2)


def test_plan_of_a_region_is_accepted_in_several_presses(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, client = [make.job(), make.job()], signed_in()
    for name in ("Erin", "Fred"):
        make.engineer(name=name)
    proposal = made_plan(client, max_jobs="1")
    address = f"/board/plans/{proposal.pk}/"
    # as many boxes as a region has visits, ticked all
    boxes = {"all": "1", "change": [str(key) for key in range(1, 2600)]}
    monkeypatch.setattr(views, "ACCEPT_SECONDS", 0)

    first = client.post(f"{address}accept/", boxes)

    texts = [str(message) for message in first.context["messages"]]
    assert texts[0] == "1 change accepted."
    assert texts[1].startswith("There was no time for 1 change, which is still ticked.")
    assert sorted(engineers_of(*jobs))[0] == ""
    client.post(f"{address}accept/", boxes)
    assert sorted(engineers_of(*jobs)) == ["Erin", "Fred"]


def test_what_was_not_ticked_is_not_ticked_by_the_next_press(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, client = [make.job() for _ in range(3)], signed_in()
    for name in ("Erin", "Fred", "Gil"):
        make.engineer(name=name)
    proposal = made_plan(client, max_jobs="1")
    ticked = [str(change.pk) for change in proposal.changes.all()][:2]
    monkeypatch.setattr(views, "ACCEPT_SECONDS", 0)

    page = client.post(f"/board/plans/{proposal.pk}/accept/", {"change": ticked})

    (left,) = page.context["page"].accept_form.ticked
    assert left in ticked
    assert page.content.decode().count(" checked") == 1
    assert engineers_of(*jobs).count("") == 2


def test_nothing_chosen_changes_nothing() -> None:
    make.engineer()
    job, client = make.job(), signed_in()
    proposal = made_plan(client)

    answer = client.post(
        f"/board/plans/{proposal.pk}/accept/", {"change": ["x", "9" * 30, "9" * 5000]}, follow=True
    )

    assert [str(message) for message in answer.context["messages"]] == ["Choose at least one change."]
    assert engineers_of(job) == [""]
    assert plan_actions.last_action(User.objects.get(role=Role.DISPATCHER)) is None


def test_list_has_a_hint_and_then_the_plans() -> None:
    client = signed_in()
    assert b"There is no plan yet." in client.get("/board/plans/").content

    client.post("/board/plans/", ASKED)
    page = client.get(f"/board/plans/?day={make.DAY}").context["page"]

    assert [line.state for line in page.lines] == ["Waiting"]
    assert page.form["first"].value() == f"{make.DAY}"
