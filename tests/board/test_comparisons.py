"""The pages that compare options to go on with a day: asked for, made as the worker's process does, shown, accepted."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertContains

from dispatch.models import Job, Occasion, PlanComparison, PlanProposal, ProposalState
from dispatch.planning import proposals
from dispatch.planning.comparison_making import make_comparison
from dispatch.planning.comparisons import request_comparison
from dispatch.planning.reason_codes import EndedBy
from dispatch.states import JobState
from engineers.models import Role
from tests import make
from tests.board.office import signed_in
from tests.board.proposals import planned

pytestmark = pytest.mark.django_db
FORM = "/board/plans/replan/"


def made_comparison(client: Client, **values: str) -> str:
    """Its address."""
    answer = client.post(FORM, values)
    comparison = PlanComparison.objects.get()
    assert answer["Location"] == f"/board/plans/compare/{comparison.pk}/"
    make_comparison(comparison.pk)
    return answer["Location"]


def urgent(job: Job) -> dict[str, str]:
    return {"occasion": Occasion.URGENT_JOB, "job": job.provider_job_id}


def test_urgent_job_is_compared_accepted_and_undone() -> None:
    engineer, client = make.engineer(name="Erin"), signed_in()
    job = make.job()
    address = made_comparison(client, **urgent(job))

    page = client.get(address).context["page"]
    assert (page.is_over, page.failure, page.title) == (True, "", f"{job.title} is urgent")
    # one job, one engineer: all options come to the same
    (option,) = page.columns
    assert len(option.names) == 3
    assert (option.assigned, option.figures.given_up, option.figures.moved, option.missed) == (1, 0, 0, "")
    client.post(f"/board/plans/{option.pk}/accept/", {"all": "1"})

    assert job.visits.active().get().engineer == engineer
    assert client.get(address).context["page"].columns[0].is_accepted
    client.post("/board/undo/")
    assert not job.visits.active().exists()


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [({}, [30, 30, 10]), ({"weight": "balanced"}, [10, 10, 3]), ({"weight": "needed"}, [1, 1, 1])],
)
def test_how_much_may_change_is_chosen_kept_and_shown(chosen: dict[str, str], expected: list[int]) -> None:
    make.engineer(name="Erin")
    client, job = signed_in(), make.job()

    address = made_comparison(client, **urgent(job), **chosen)

    weights = PlanProposal.objects.order_by("pk").values_list("change_minutes", flat=True)
    assert list(weights) == expected
    assert client.get(address).context["page"].columns[0].weight_minutes == expected[0]


def test_option_that_moves_nobody_comes_before_one_that_assigns_other_jobs_too() -> None:
    make.engineer(name="Erin")
    client = signed_in()
    job, _other = make.job(duration_minutes=60), make.job(duration_minutes=60)
    page = client.get(made_comparison(client, **urgent(job))).context["page"]

    assert [column.figures.given_up for column in page.columns] == [0, 0]
    assert [column.assigned for column in page.columns] == [1, 2]


def test_job_that_nobody_can_take_says_so_first_in_every_option() -> None:
    make.engineer().held_skills.all().delete()
    client = signed_in()
    answer = client.get(made_comparison(client, **urgent(make.job(flags=("CHP",)))))

    assertContains(answer, "The urgent job would remain unassigned.")
    columns = answer.context["page"].columns
    assert {column.missed for column in columns} == {"No engineer here is qualified for Cherry picker."}
    assert not any(column.has_changes for column in columns)
    assert "button-primary" not in answer.content.decode().split("plan-options")[1]


def test_urgent_job_without_a_location_says_so_in_every_option() -> None:
    make.engineer()
    client, job = signed_in(), make.job()
    Job.objects.filter(pk=job.pk).update(latitude=None, longitude=None)
    page = client.get(made_comparison(client, **urgent(job))).context["page"]

    assert {column.missed for column in page.columns} == {
        "This job has no location yet. Set the location first."
    }


def test_option_that_gives_a_planned_visit_to_nobody_comes_last() -> None:
    erin, client = make.engineer(name="Erin"), signed_in()
    planned = make.job(at_state=JobState.ASSIGNED, to=erin)
    waiting = [make.job() for _ in range(3)]
    comparison = request_comparison(
        occasion=Occasion.JOB_CANCELLED,
        by=make.dispatcher(),
        job=make.job(at_state=JobState.ASSIGNED, to=make.engineer()),
    )
    nearest, wider, everybody = comparison.proposals.order_by("pk")
    for proposal, gained in ((nearest, waiting), (wider, waiting[:1]), (everybody, waiting[:2])):
        for job in gained:
            proposal.changes.create(
                job=job,
                kind="assign",
                engineer_after=erin,
                start_after=make.at("09:00"),
                reason="better_route",
            )
    nearest.changes.create(job=planned, kind="unassign", engineer_before=erin, reason="capacity")
    comparison.proposals.update(state=ProposalState.READY)

    columns = client.get(f"/board/plans/compare/{comparison.pk}/").context["page"].columns

    assert [column.pk for column in columns] == [everybody.pk, wider.pk, nearest.pk]


def test_form_is_filled_in_from_the_address() -> None:
    engineer = make.engineer(name="Erin")
    since = f"{make.DAY}T10:00"
    values = {"occasion": "engineer_absent", "engineer": engineer.staff_number, "absent_since": since}

    text = signed_in().get(FORM, values).content.decode()

    assert f'<option value="{engineer.staff_number}" selected>' in text
    assert f'value="{since}"' in text


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"occasion": "urgent_job"}, "job"),
        ({"occasion": "urgent_job", "job": "no such job"}, "job"),
        ({"occasion": "visit_longer", "job": "JOB", "longer_minutes": "30"}, "job"),
        ({"occasion": "visit_longer", "job": "JOB"}, "longer_minutes"),
        ({"occasion": "visit_longer", "job": "JOB", "longer_minutes": "1000000000000"}, "longer_minutes"),
        ({"occasion": "job_cancelled", "job": "JOB"}, "job"),
        ({"occasion": "no_access", "job": "JOB"}, "job"),
        ({"occasion": "engineer_absent"}, "engineer"),
        ({"occasion": "engineer_absent", "engineer": "nobody"}, "engineer"),
        (
            {"occasion": "engineer_absent", "engineer": "ENGINEER", "absent_since": "0001-01-01T00:00"},
            "absent_since",
        ),
        ({"occasion": "an earthquake"}, "occasion"),
        ({}, "occasion"),
    ],
)
def test_bad_request_names_its_field_and_keeps_what_was_typed(values: dict[str, str], field: str) -> None:
    job, engineer = make.job(), make.engineer()
    known = {"JOB": job.provider_job_id, "ENGINEER": engineer.staff_number}
    values = {name: known.get(value, value) for name, value in values.items()}

    answer = signed_in().post(FORM, values)

    assert answer.status_code == 400
    assert field in answer.context["page"].errors
    assert not PlanComparison.objects.exists()


def test_urgent_job_on_which_work_has_begun_is_refused() -> None:
    job = make.job()
    make.walk(job, at_state=JobState.ON_SITE, to=make.engineer())

    assert "job" in signed_in().post(FORM, urgent(job)).context["page"].errors


def test_comparison_that_failed_or_that_nobody_makes_says_so() -> None:
    make.engineer()
    client = signed_in()
    client.post(FORM, urgent(make.job()))
    address = f"/board/plans/compare/{PlanComparison.objects.get().pk}/"
    assert not client.get(address).context["page"].is_over

    long_ago = timezone.now() - proposals.OVERDUE - timedelta(minutes=10)
    PlanProposal.objects.update(requested_at=long_ago)
    assert "does not answer" in client.get(address).context["page"].failure

    PlanProposal.objects.update(state=ProposalState.FAILED)
    page = client.get(address).context["page"]
    assert (page.is_over, page.columns) == (True, [])
    assert "Nothing has changed" in page.failure


def test_pages_are_for_the_office() -> None:
    engineer = Client()
    engineer.force_login(make.engineer().user)
    for address in (FORM, "/board/plans/compare/1/"):
        assert engineer.get(address).status_code in {302, 403}
    assert signed_in().get("/board/plans/compare/999/").status_code == 404


def test_number_of_queries_does_not_grow_with_the_changes(
    django_assert_max_num_queries: object,
) -> None:
    client = signed_in()
    for number in range(4):
        make.engineer(name=f"Erin {number}")
        make.job(duration_minutes=60)
    address = made_comparison(client, **urgent(make.job(duration_minutes=60)))

    with django_assert_max_num_queries(12):  # type: ignore[operator]
        client.get(address)


def test_supervisor_and_dispatcher_may_compare() -> None:
    for role in (Role.DISPATCHER, Role.SUPERVISOR):
        client = Client()
        client.force_login(make.dispatcher(username=f"user-{role}", role=role))
        assert client.get(FORM).status_code == 200


def test_option_for_an_absent_engineer_enters_the_absence_with_its_private_reason() -> None:
    erin, client = make.engineer(name="Erin"), signed_in()
    values = {
        "occasion": "engineer_absent",
        "engineer": erin.staff_number,
        "absent_since": f"{make.DAY}T10:00",
    }
    address = made_comparison(client, **values)
    (option,) = client.get(address).context["page"].columns
    assert "only assumed" in client.get(address).content.decode()
    # nobody has a visit: the absence is all there is to accept
    assert (option.has_changes, option.can_accept) == (False, True)

    refused = client.post(f"/board/plans/{option.pk}/accept/", {"all": "1", "reason": "x" * 121})
    text = refused.content.decode()
    assert (refused.status_code, erin.absences.exists()) == (400, False)
    assert "The reason can have at most 120 characters. This one has 121." in text
    assert f'name="reason" value="{"x" * 121}"' in text
    page = client.post(f"/board/plans/{option.pk}/accept/", {"all": "1", "reason": "flu"}, follow=True)

    assert [str(message) for message in page.context["messages"]] == ["Erin is marked absent."]
    assert erin.absences.get().reason == "flu"
    assert "flu" not in page.content.decode()
    assert not client.get(address).context["page"].columns[0].can_accept
    assert "only assumed" not in client.get(address).content.decode()
    undone = client.get(f"/board/?day={make.DAY}").content.decode()
    assert "Erin marked absent from" in undone
    client.post("/board/undo/")
    assert not erin.absences.exists()


def test_option_for_a_cancelled_job_unassigns_it() -> None:
    engineer, client = make.engineer(name="Erin"), signed_in()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    address = made_comparison(client, occasion=Occasion.JOB_CANCELLED, job=job.provider_job_id)
    (option,) = client.get(address).context["page"].columns

    page = client.post(f"/board/plans/{option.pk}/accept/", {"all": "1"}, follow=True)

    assert [str(message) for message in page.context["messages"]] == [f"{job.title} unassigned."]
    assert not job.visits.active().exists()


def test_ways_are_ranked_by_the_windows_that_they_would_miss() -> None:
    """All leave as many jobs unassigned; how many visits move decides only where the misses are equal."""
    erin, client = make.engineer(name="Erin"), signed_in()
    jobs = [make.job(at_state=JobState.ASSIGNED, to=make.engineer()) for _ in range(3)]
    comparison = request_comparison(
        occasion=Occasion.ENGINEER_ABSENT, by=make.dispatcher(), engineer=make.engineer(name="Away")
    )
    for proposal, job, misses in zip(comparison.proposals.order_by("pk"), jobs, (1.4, 0.2, 0.7), strict=True):
        proposal.changes.create(
            job=job, kind="reassign", engineer_after=erin, start_after=make.at("09:00"), reason="better_route"
        )
        PlanProposal.objects.filter(pk=proposal.pk).update(misses=misses, state=ProposalState.READY)

    page = client.get(f"/board/plans/compare/{comparison.pk}/").context["page"]

    assert [column.figures.misses for column in page.columns] == [0.2, 0.7, 1.4]


def test_option_that_its_time_ended_says_so() -> None:
    make.engineer(name="Erin")
    client = signed_in()
    address = made_comparison(client, **urgent(make.job()))
    (option,) = client.get(address).context["page"].columns
    assert option.note == ""

    PlanProposal.objects.update(ended_by=EndedBy.TIME_LIMIT)

    answer = client.get(address)
    assert b"The search ran out of time" in answer.content


@pytest.mark.parametrize("state", [JobState.ASSIGNED, JobState.ON_SITE])
def test_panel_of_a_job_with_a_visit_leads_to_the_ways_to_go_on(state: JobState) -> None:
    client, waiting = signed_in(), make.job()
    job = make.job(at_state=state, to=make.engineer())
    for occasion in (Occasion.VISIT_LONGER, Occasion.JOB_CANCELLED):
        address = f"{FORM}?occasion={occasion}&amp;job={job.provider_job_id}"
        assert address in client.get(f"/board/?day={make.DAY}&job={job.provider_job_id}").content.decode()
        form = client.get(address.replace("&amp;", "&")).context["page"]
        assert (form["occasion"].value(), form["job"].value()) == (occasion, job.provider_job_id)
    panel = client.get(f"/board/?day={make.DAY}&job={waiting.provider_job_id}").content.decode()
    assert "occasion=visit_longer" not in panel


def test_visits_that_stay_late_are_listed_and_not_accepted() -> None:
    """Ann's first visit is to end ten to one; the next one, planned for noon, has a window until one."""
    ann, client = make.engineer(name="Ann"), signed_in()
    longer = planned(ann, "08:00")
    longer.visits.update(is_pinned=True)
    following = planned(ann, "12:00")

    address = made_comparison(
        client, occasion=Occasion.VISIT_LONGER, job=longer.provider_job_id, longer_minutes="230"
    )

    (option,) = client.get(address).context["page"].columns
    assert [(line.job_id, line.after) for line in option.late] == [
        (following.provider_job_id, "Ann, Mon 23 Nov 12:50")
    ]
    assert (option.figures.given_up, option.figures.at_risk, option.has_changes) == (0, 1, False)
    assertContains(client.get(f"/board/plans/{option.pk}/"), "1 visit stays, but begins later")
    client.post(f"/board/plans/{option.pk}/accept/", {"all": "1"})
    assert following.visits.active().get().planned_start == make.at("12:00")


def test_later_day_of_an_urgent_job_is_named() -> None:
    """At half past ten at night nobody works any more, and the window ends a day later."""
    make.engineer()
    job = make.job()
    Job.objects.filter(pk=job.pk).update(window_end=make.at("18:00", day=make.DAY + timedelta(days=1)))

    with time_machine.travel(make.at("22:30"), tick=True):
        client = signed_in()
        address = made_comparison(client, **urgent(job))

        answer = client.get(address)

    assertContains(answer, "These options change the plan of Tue 24 Nov.")
    assert answer.context["page"].columns[0].assigned == 1
