"""Visits of a team of two: the second engineer's time is held, checked and put back like the first's."""

from datetime import datetime

import pytest
from django.db import IntegrityError, connection, transaction

from dispatch import reassignment, visits
from dispatch.availability import NotBookable
from dispatch.job_events import Performer
from dispatch.models import Job, PlanAction, Visit
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.plan_changes.plan_refusals import PlanRefused
from dispatch.plan_changes.plan_versions import PlanChanged, plan_version
from dispatch.requirements import list_requirements
from dispatch.retention import forget_engineer
from dispatch.risk_concerns import list_concerns
from dispatch.states import EventKind, JobState
from dispatch.teams import RequestedSecondEngineer, Unchanged
from engineers.models import Absence, Engineer
from seller_link.models import OutboundMessage
from tests import make
from tests.together import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def erin() -> Engineer:
    return make.engineer(name="Erin Engineer", skills=("cherry-picker",))


@pytest.fixture
def sam() -> Engineer:
    return make.engineer(name="Sam Second", skills=())


def assign(
    job: Job,
    engineer: Engineer,
    second: RequestedSecondEngineer = Unchanged.SECOND_ENGINEER,
    clock: str = "09:00",
    *,
    reason: str = "",
    not_before: datetime | None = None,
) -> Visit:
    return visits.assign(
        job=job,
        engineer=engineer,
        starts_at=make.at(clock),
        by=make.office(),
        second_engineer=second,
        override_reason=reason,
        not_before=not_before,
    )


def refusal(*arguments: object, **options: object) -> list[tuple[str, str]]:
    with pytest.raises(NotBookable) as refused:
        assign(*arguments, **options)  # type: ignore[arg-type]
    return [(problem.code, problem.message) for problem in refused.value.problems]


def team(job: Job) -> tuple[str, str, str] | None:
    visit = visits.current_visit(job)
    if visit is None:
        return None
    names = [person.name.split()[0] for person in visit.people]
    return (names[0], names[1] if names[1:] else "", f"{visit.planned_start:%H:%M}")


def test_job_for_two_people_needs_no_reason_with_a_second_engineer(erin: Engineer, sam: Engineer) -> None:
    visit = assign(make.job(flags=("CHP",)), erin, sam)

    assert visit.people == [erin, sam]
    facts = visit.job.events.get(kind=EventKind.ENGINEER_ASSIGNED).facts
    assert (facts["second_number"], facts["second_name"]) == (sam.staff_number, "Sam Second")
    assert "overridden" not in facts


def test_second_engineer_needs_no_skill_but_the_first_one_does(erin: Engineer, sam: Engineer) -> None:
    assert [code for code, _text in refusal(make.job(flags=("CHP",)), sam, erin)] == ["skill_missing"]


def test_engineer_who_goes_alone_to_a_job_for_two_puts_it_at_risk(erin: Engineer, sam: Engineer) -> None:
    job = make.job(flags=("CHP",))
    found = []
    for second, reason in ((None, "Nobody else is free"), (sam, "")):
        visit = assign(job, erin, second, reason=reason)
        required = list_requirements([job])
        found.append(
            list_concerns(
                [visit.job], visits={job.pk: visit}, requirements=required, begun=(), now=make.at("07:00")
            )
        )

    text = "This job needs two people, and Erin Engineer works alone. Say who comes along."
    assert found == [{job.pk: [text]}, {}]


def test_second_engineer_who_has_a_visit_refuses_with_both_named(erin: Engineer, sam: Engineer) -> None:
    make.walk(make.job(), at_state=JobState.ASSIGNED, to=sam)

    assert refusal(make.job(), erin, sam) == [
        (
            "double_booking",
            "Sam Second (with Erin Engineer): Sam Second already has a visit at LS6 3AB, 08:00–10:00.",
        )
    ]


def test_second_engineer_s_time_is_held_against_visits_of_their_own(erin: Engineer, sam: Engineer) -> None:
    assign(make.job(), erin, sam)

    assert refusal(make.job(), sam) == [
        ("double_booking", "Sam Second already has a visit at LS6 3AB, 09:00–11:00.")
    ]
    fred = make.engineer(name="Fred First")
    assert [code for code, _text in refusal(make.job(), fred, sam)] == ["double_booking"]


def test_first_engineer_of_a_team_who_is_busy_refuses_with_both_named(erin: Engineer, sam: Engineer) -> None:
    make.walk(make.job(), at_state=JobState.ASSIGNED, to=erin)

    (problem,) = refusal(make.job(), erin, sam)

    assert problem[1].startswith("Erin Engineer (with Sam Second): Erin Engineer already has a visit")


def test_absent_second_engineer_is_refused_unless_there_is_a_reason(erin: Engineer, sam: Engineer) -> None:
    Absence.objects.create(engineer=sam, starts_at=make.at("07:00"), ends_at=make.at("12:00"))
    job = make.job()

    assert refusal(job, erin, sam) == [
        ("outside_shift", "Sam Second (with Erin Engineer): Sam Second is absent 07:00–12:00.")
    ]
    assert assign(job, erin, sam, reason="Comes in for it").second_engineer == sam


def test_second_engineer_must_have_time_for_the_drive(erin: Engineer, sam: Engineer) -> None:
    far = make.job(duration_minutes=60)
    Job.objects.filter(pk=far.pk).update(latitude=54.9, longitude=-1.56)
    far.refresh_from_db()
    assign(far, sam, clock="08:00")

    (problem,) = refusal(make.job(), erin, sam, clock="09:15", not_before=make.at("07:00"))

    assert problem[0] == "travel"
    assert problem[1].startswith(
        "Sam Second (with Erin Engineer): The drive from LS6 3AB (08:00–09:00) takes"
    )


def test_nobody_accompanies_themselves(erin: Engineer) -> None:
    assert ("same_engineer", "Erin Engineer can't be the second engineer too. Choose somebody else.") in (
        refusal(make.job(), erin, erin)
    )
    visit = assign(make.job(), erin)
    with pytest.raises(IntegrityError), transaction.atomic():
        Visit.objects.filter(pk=visit.pk).update(second_engineer=erin)


def test_team_stays_together_when_the_visit_is_moved_or_reassigned(erin: Engineer, sam: Engineer) -> None:
    job, fred = make.job(), make.engineer(name="Fred First")
    assign(job, erin, sam)

    assign(job, erin, clock="10:00")
    assert team(job) == ("Erin", "Sam", "10:00")
    assign(job, fred, clock="10:00")
    assert team(job) == ("Fred", "Sam", "10:00")
    # who accompanied takes over: the two change places
    assign(job, sam, clock="10:00")
    assert team(job) == ("Sam", "Fred", "10:00")
    assign(job, sam, None, clock="10:00")
    assert team(job) == ("Sam", "", "10:00")


def test_seller_is_notified_of_one_engineer_only(erin: Engineer, sam: Engineer) -> None:
    job = make.job()
    assign(job, erin)
    assign(job, erin, sam)

    (message,) = OutboundMessage.objects.all()
    assert message.body["engineer"]["name"] == "Erin Engineer"
    assert "Sam" not in str(message.body)
    assert job.events.last().kind == EventKind.SECOND_ENGINEER_CHANGED


def test_change_on_a_plan_with_another_second_engineer_is_refused(erin: Engineer, sam: Engineer) -> None:
    job = make.job()
    seen = plan_version(assign(job, erin))
    assign(job, erin, sam)

    with pytest.raises(PlanChanged, match="Dana Dispatch changed the second engineer of this job at"):
        visits.unassign(job=job, by=make.office(), seen=seen)


def change(job: Job, engineer: Engineer | None, second: RequestedSecondEngineer, by: Performer) -> PlanAction:
    starts_at = make.at("09:00") if engineer else None
    action = plan_actions.change_plan(
        [AssignmentChange(job, engineer, starts_at, second_engineer=second)], by=by
    )
    assert action
    return action


def test_undo_and_redo_put_the_second_engineer_back(erin: Engineer, sam: Engineer) -> None:
    job, dana, alma = make.job(), make.office(), make.engineer(name="Alma Also")
    plans = [None, ("Erin", "", "09:00"), ("Erin", "Sam", "09:00"), ("Sam", "Alma", "09:00"), None]
    changes = [(erin, None), (erin, sam), (sam, alma), (None, None)]
    actions = [change(job, engineer, second, dana) for engineer, second in changes]

    for action, before in zip(reversed(actions), reversed(plans[:-1]), strict=True):
        plan_actions.undo(action, by=dana)
        assert team(job) == before
    for action, after in zip(actions, plans[1:], strict=True):
        plan_actions.redo(action, by=dana)
        assert team(job) == after


def test_undo_is_refused_where_the_second_engineer_has_something_else(erin: Engineer, sam: Engineer) -> None:
    job, dana = make.job(), make.office()
    assign(job, erin, sam)
    action = change(job, None, Unchanged.SECOND_ENGINEER, dana)
    assign(make.job(), sam)

    with pytest.raises(PlanRefused, match="Sam Second already has a visit"):
        plan_actions.undo(action, by=dana)


def test_swap_of_days_also_swaps_whom_the_two_accompany(erin: Engineer, sam: Engineer) -> None:
    fred, alma = make.engineer(name="Fred First"), make.engineer(name="Alma Also")
    together, led, accompanied = make.job(), make.job(), make.job()
    assign(together, erin, sam, clock="08:00")
    assign(led, erin, alma, clock="10:30")
    assign(accompanied, fred, sam, clock="10:30")

    seen = {
        str(visit.job): plan_version(visit)
        for visit in reassignment.movable_visits([erin, sam], day=make.DAY)
    }
    reassignment.swap_days(erin, sam, day=make.DAY, seen=seen, by=make.office())

    assert team(together) == ("Sam", "Erin", "08:00")
    assert team(led) == ("Sam", "Alma", "10:30")
    assert team(accompanied) == ("Fred", "Erin", "10:30")


@pytest.mark.parametrize("leads", [False, True])
@pytest.mark.django_db(transaction=True)
def test_second_engineer_is_booked_once_in_a_race(leads: bool, erin: Engineer, sam: Engineer) -> None:
    """Sam accompanies both at the same hour, or leads one: whoever comes second is refused."""
    fred, jobs = make.engineer(name="Fred First"), [make.job(), make.job()]
    teams = [(erin, sam), (sam, None) if leads else (fred, sam)]
    refused: list[NotBookable] = []

    def book(job: Job, people: tuple[Engineer, Engineer | None]) -> None:
        try:
            assign(job, *people)
        except NotBookable as refusal:
            refused.append(refusal)

    make.office()
    at_once(
        *[lambda job=job, people=people: book(job, people) for job, people in zip(jobs, teams, strict=True)]
    )

    assert Visit.objects.attended_by([sam]).count() == 1
    assert [problem.code for refusal in refused for problem in refusal.problems] == ["double_booking"]


@pytest.mark.django_db(transaction=True)
def test_two_who_accompany_each_other_do_not_wait_in_a_ring(erin: Engineer, sam: Engineer) -> None:
    jobs, dana = [make.job(), make.job()], make.office()
    changes = [
        AssignmentChange(jobs[0], erin, make.at("08:00"), second_engineer=sam),
        AssignmentChange(jobs[1], sam, make.at("10:30"), second_engineer=erin),
    ]

    at_once(*[lambda change=change: plan_actions.change_plan([change], by=dana) for change in changes])

    assert [team(job) for job in jobs] == [("Erin", "Sam", "08:00"), ("Sam", "Erin", "10:30")]


@pytest.mark.parametrize("booked", [1, 3])
def test_team_costs_the_same_queries_however_full_the_day(
    booked: int, erin: Engineer, sam: Engineer, django_assert_num_queries: object
) -> None:
    for hour in range(13, 13 + booked):
        assign(make.job(duration_minutes=30, window=("13:00", "18:00")), sam, clock=f"{hour}:00")
    job = make.job(flags=("CHP",))
    dana = make.office()

    # one for the accounts of the two, read after the lock; PostgreSQL wakes the relay by a statement of its own
    with django_assert_num_queries(22 if connection.vendor == "sqlite" else 23):  # type: ignore[operator]
        visits.assign(job=job, engineer=erin, starts_at=make.at("09:00"), by=dana, second_engineer=sam)


def test_erasing_the_second_engineer_leaves_no_name_in_the_history(erin: Engineer, sam: Engineer) -> None:
    job = make.job()
    assign(job, erin, sam)
    assign(job, erin, None)

    forget_engineer(sam)

    facts = [event.facts for event in job.events.all()]
    assert "Sam Second" not in str(facts)
    assert [fact.get("second_name") or fact.get("second_before") for fact in facts[1:]] == [
        sam.staff_number
    ] * 2
