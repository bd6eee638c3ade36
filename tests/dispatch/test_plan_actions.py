"""Changes of the plan: several jobs or none, and the last twenty undone and redone."""

import pytest
from django.utils import translation

from dispatch import pins, visits
from dispatch.job_events import Performer
from dispatch.models import Job, PinHoldChange, PlanAction, Visit
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.plan_changes.plan_actions import NothingToUndo
from dispatch.plan_changes.plan_refusals import PlanRefused
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.states import Actor, EventKind, JobState
from engineers.models import Engineer, User
from monitoring.coded_texts import reason_text
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def dana() -> Performer:
    return make.office()


def user(by: Performer) -> User:
    assert by.user
    return by.user


def change(job: Job, engineer: Engineer | None, clock: str, by: Performer) -> PlanAction:
    starts_at = make.at(clock) if engineer else None
    seen = plan_version(visits.current_visit(job))
    action = plan_actions.change_plan([AssignmentChange(job, engineer, starts_at, seen)], by=by)
    assert action
    return action


def undo(by: Performer) -> list[Job]:
    """The jobs that stay."""
    action = plan_actions.last_action(user(by))
    assert action
    return [refusal.job for refusal in plan_actions.undo(action, by=by)]


def redo(by: Performer) -> None:
    action = plan_actions.last_undone(user(by))
    assert action
    plan_actions.redo(action, by=by)


def plan(job: Job) -> tuple[str, str] | None:
    visit = visits.current_visit(job)
    return (visit.engineer.name, f"{visit.planned_start:%H:%M}") if visit else None


def test_each_change_is_undone_and_redone_in_order(dana: Performer) -> None:
    job, erin, fred = make.job(), make.engineer(name="Erin"), make.engineer(name="Fred")
    plans = [None, ("Erin", "08:30"), ("Fred", "09:00"), ("Fred", "10:00"), None]
    change(job, erin, "08:30", dana)
    change(job, fred, "09:00", dana)
    change(job, fred, "10:00", dana)
    change(job, None, "", dana)

    for before in reversed(plans[:-1]):
        undo(dana)
        assert plan(job) == before
    assert plan_actions.last_action(user(dana)) is None
    for after in plans[1:]:
        redo(dana)
        assert plan(job) == after
    undo(dana)
    assert plan(job) == ("Fred", "10:00")


def test_reason_of_what_was_undone_reads_in_the_language_of_the_reader(dana: Performer) -> None:
    job = make.job()
    change(job, make.engineer(), "08:30", dana)

    undo(dana)

    reason = job.events.get(kind=EventKind.UNASSIGNED).facts["reason"]
    with translation.override("de"):
        assert reason_text(reason) == "Rückgängig gemacht"


def test_something_new_ends_what_could_be_redone(dana: Performer) -> None:
    job, erin = make.job(), make.engineer()
    change(job, erin, "08:30", dana)
    undo(dana)

    change(job, erin, "09:00", dana)

    assert plan_actions.last_undone(user(dana)) is None


def test_twenty_actions_are_kept(dana: Performer) -> None:
    job, erin = make.job(), make.engineer()
    for number in range(22):
        change(job, erin, "08:30" if number % 2 else "09:00", dana)

    assert user(dana).plan_actions.count() == plan_actions.MAX_STORED


def test_two_engineers_swap_their_hours_together(dana: Performer) -> None:
    erin, fred = make.engineer(name="Erin"), make.engineer(name="Fred")
    first = make.job(at_state=JobState.ASSIGNED, to=erin)
    second = make.job(at_state=JobState.ASSIGNED, to=fred)
    start = Visit.objects.get(job=first).planned_start
    swap = [AssignmentChange(first, fred, start), AssignmentChange(second, erin, start)]

    plan_actions.change_plan(swap, by=dana)

    assert [visits.current_visit(job).engineer for job in (first, second)] == [fred, erin]
    undo(dana)
    assert [visits.current_visit(job).engineer for job in (first, second)] == [erin, fred]


def test_change_of_several_jobs_is_whole_or_not_at_all(dana: Performer) -> None:
    erin, good, bad = make.engineer(skills=()), make.job(), make.job(flags=("MDU",))

    with pytest.raises(PlanRefused) as refused:
        plan_actions.change_plan(
            [AssignmentChange(good, erin, make.at("08:00")), AssignmentChange(bad, erin, make.at("10:00"))],
            by=dana,
        )

    (refusal,) = refused.value.refusals
    assert (refusal.job, [problem.code for problem in refusal.problems]) == (bad, ["skill_missing"])
    assert not Visit.objects.exists()
    assert not PlanAction.objects.exists()


def test_jobs_of_one_change_are_checked_against_each_other(dana: Performer) -> None:
    erin, jobs = make.engineer(), [make.job(), make.job()]

    with pytest.raises(PlanRefused) as refused:
        plan_actions.change_plan([AssignmentChange(job, erin, make.at("08:30")) for job in jobs], by=dana)

    assert [problem.code for problem in refused.value.problems] == ["double_booking"]


def test_change_of_a_colleague_stays_and_the_rest_is_undone(dana: Performer) -> None:
    erin, fred = make.engineer(name="Erin"), make.engineer(name="Fred")
    other, own = make.job(), make.job()
    plan_actions.change_plan(
        [AssignmentChange(other, erin, make.at("08:00")), AssignmentChange(own, erin, make.at("10:45"))],
        by=dana,
    )
    imran = Performer(Actor.DISPATCHER, make.dispatcher(username="imran"))
    visits.assign(job=other, engineer=fred, starts_at=make.at("08:00"), by=imran)

    assert undo(dana) == [other]

    assert (plan(own), plan(other)) == (None, ("Fred", "08:00"))


def test_nothing_is_left_to_undo_of_what_a_colleague_has_changed(dana: Performer) -> None:
    job, erin = make.job(), make.engineer()
    plan_actions.change_plan([AssignmentChange(job, erin, make.at("08:00"))], by=dana)
    imran = Performer(Actor.DISPATCHER, make.dispatcher(username="imran"))
    visits.unassign(job=job, by=imran)

    with pytest.raises(PlanRefused):
        undo(dana)

    assert not PlanAction.objects.exists()


def test_second_press_of_the_same_undo_does_nothing(dana: Performer) -> None:
    job, erin = make.job(), make.engineer()
    action = change(job, erin, "08:30", dana)
    plan_actions.undo(action, by=dana)

    with pytest.raises(NothingToUndo):
        plan_actions.undo(action, by=dana)

    assert plan(job) is None


def test_job_that_is_under_way_is_handed_over_without_a_way_back(dana: Performer) -> None:
    job = make.job(at_state=JobState.EN_ROUTE)
    fred = make.engineer(name="Fred")

    assert plan_actions.change_plan([AssignmentChange(job, fred, make.at("10:00"))], by=dana) is None
    assert not PlanAction.objects.exists()


def test_action_of_this_morning_is_not_undone_in_the_evening(dana: Performer) -> None:
    change(make.job(), make.engineer(), "08:30", dana)
    PlanAction.objects.update(made_at=make.at("08:00") - plan_actions.MAX_AGE * 400)

    assert plan_actions.last_action(user(dana)) is None


def test_undo_passes_over_a_job_that_has_begun(dana: Performer) -> None:
    older, begun = make.job(), make.job()
    change(older, make.engineer(name="Erin"), "08:30", dana)
    change(begun, make.engineer(name="Fred"), "08:30", dana)
    make.start_travel(begun)

    undo(dana)

    assert (plan(older), plan(begun)) == (None, ("Fred", "08:30"))
    assert plan_actions.last_action(user(dana)) is None
    redo(dana)
    assert plan(older) == ("Erin", "08:30")


def test_undo_of_a_whole_plan_leaves_the_visit_that_has_begun(dana: Performer) -> None:
    older, moved, begun = make.job(), make.job(), make.job()
    change(older, make.engineer(name="Ann"), "08:30", dana)
    erin, fred = make.engineer(name="Erin"), make.engineer(name="Fred")
    moves = [
        AssignmentChange(moved, erin, make.at("08:30")),
        AssignmentChange(begun, fred, make.at("08:30")),
    ]
    plan_actions.change_plan(moves, by=dana)
    make.start_travel(begun)

    undo(dana)

    assert [plan(job) for job in (older, moved, begun)] == [("Ann", "08:30"), None, ("Fred", "08:30")]
    redo(dana)
    assert (plan(moved), plan(begun)) == (("Erin", "08:30"), ("Fred", "08:30"))
    make.start_travel(moved)
    last = plan_actions.last_action(user(dana))
    assert last
    assert [step.job for step in last.steps.all()] == [older]


def test_undo_of_a_swap_goes_on_without_whose_time_is_taken(dana: Performer) -> None:
    jobs, other = (make.job(), make.job()), make.job()
    erin, fred, gil = (make.engineer(name=name) for name in ("Erin", "Fred", "Gil"))
    for job, engineer in zip(jobs, (erin, fred), strict=True):
        change(job, engineer, "08:30", dana)
    swap = [
        AssignmentChange(jobs[0], fred, make.at("08:30")),
        AssignmentChange(jobs[1], erin, make.at("08:30")),
        AssignmentChange(other, gil, make.at("08:30")),
    ]
    plan_actions.change_plan(swap, by=dana)
    make.start_travel(jobs[0])

    assert undo(dana) == [jobs[1]]

    assert [plan(job) for job in (*jobs, other)] == [("Fred", "08:30"), ("Erin", "08:30"), None]


def chain_of_moves(by: Performer) -> list[Job]:
    """Each takes the place of the next, the last one a free place; and one apart."""
    jobs = [make.job() for _ in range(5)]
    people = [make.engineer(name=name) for name in ("Ann", "Bea", "Cem", "Dan", "Eve", "Fay")]
    for job, engineer in zip(jobs, (*people[:4], people[5]), strict=True):
        visits.assign(job=job, engineer=engineer, starts_at=make.at("08:30"), by=by)
    chain = zip(jobs[:4], people[1:5], strict=True)
    moves = [AssignmentChange(job, engineer, make.at("08:30")) for job, engineer in chain]
    plan_actions.change_plan([*moves, AssignmentChange(jobs[4], people[5], make.at("10:30"))], by=by)
    return jobs


def test_one_undo_of_a_chain_restores_all_but_the_links_behind_a_visit_that_has_begun(
    dana: Performer,
) -> None:
    jobs = chain_of_moves(dana)
    make.start_travel(jobs[1])

    stayed = undo(dana)

    assert stayed == [jobs[2], jobs[3]]
    names = [visits.current_visit(job).engineer.name for job in jobs[:4]]
    assert (names, plan(jobs[4])) == (["Ann", "Cem", "Dan", "Eve"], ("Fay", "08:30"))
    assert plan_actions.last_action(user(dana)) is None
    redo(dana)
    assert (plan(jobs[0]), plan(jobs[4])) == (("Bea", "08:30"), ("Fay", "10:30"))


def test_one_undo_of_a_chain_restores_all_but_the_links_behind_a_colleagues_change(dana: Performer) -> None:
    jobs = chain_of_moves(dana)
    imran = Performer(Actor.DISPATCHER, make.dispatcher(username="imran"))
    pins.pin_visit(job=jobs[1], is_pinned=True, by=imran)

    stayed = undo(dana)

    assert stayed == [jobs[1], jobs[2], jobs[3]]
    names = [visits.current_visit(job).engineer.name for job in jobs[:4]]
    assert (names, plan(jobs[4])) == (["Ann", "Cem", "Dan", "Eve"], ("Fay", "08:30"))
    assert plan_actions.last_action(user(dana)) is None


def test_undo_that_comes_after_the_departure_moves_nothing(dana: Performer) -> None:
    begun = make.job()
    action = change(begun, make.engineer(name="Fred"), "08:30", dana)
    make.start_travel(begun)

    with pytest.raises(NothingToUndo):
        plan_actions.undo(action, by=dana)

    assert plan(begun) == ("Fred", "08:30")


def test_undo_of_a_pin_on_a_job_that_has_begun_is_refused_and_dropped(dana: Performer) -> None:
    assigned, begun = (make.job(at_state=JobState.ASSIGNED) for _ in range(2))
    pinned = plan_actions.pin_or_hold_jobs([assigned, begun], PinHoldChange.PINNED, by=dana)
    assert pinned
    make.start_travel(begun)

    refusals = plan_actions.undo(pinned, by=dana)

    assert [(refusal.job, refusal.is_conflict) for refusal in refusals] == [(begun, True)]
    with pytest.raises(NothingToUndo):
        plan_actions.undo(pinned, by=dana)
    assert pins.pin_visit(job=assigned, is_pinned=False, by=dana) is False


def is_pinned(job: Job) -> bool:
    visit = visits.current_visit(job)
    return visit is not None and visit.is_pinned


def refused_undo(by: Performer) -> str:
    with pytest.raises(PlanRefused) as refused:
        undo(by)
    (refusal,) = refused.value.refusals
    assert refusal.is_conflict
    return str(refused.value)


def test_undo_of_a_pin_leaves_the_pin_of_a_colleague(dana: Performer) -> None:
    job, ali = make.job(at_state=JobState.ASSIGNED), make.engineer(name="Ali")
    imran = Performer(Actor.DISPATCHER, make.dispatcher(username="imran"))
    plan_actions.pin_or_hold_jobs([job], PinHoldChange.PINNED, by=dana)
    plan_actions.pin_or_hold_jobs([job], PinHoldChange.UNPINNED, by=imran)
    change(job, ali, "09:00", imran)
    plan_actions.pin_or_hold_jobs([job], PinHoldChange.PINNED, by=imran)

    assert "changed this job" in refused_undo(dana)

    assert (plan(job), is_pinned(job)) == (("Ali", "09:00"), True)
    assert plan_actions.last_action(user(dana)) is None
    undo(imran)
    assert not is_pinned(job)


def test_undo_of_an_unpin_pins_no_other_visit(dana: Performer) -> None:
    job, ali = make.job(at_state=JobState.ASSIGNED), make.engineer(name="Ali")
    pins.pin_visit(job=job, is_pinned=True, by=dana)
    plan_actions.pin_or_hold_jobs([job], PinHoldChange.UNPINNED, by=dana)
    change(job, ali, "09:00", Performer(Actor.DISPATCHER, make.dispatcher(username="imran")))

    assert "assigned this job to Ali" in refused_undo(dana)

    assert not is_pinned(job)


def test_pins_and_moves_of_one_dispatcher_are_undone_and_redone_in_order(dana: Performer) -> None:
    job, erin, fred = make.job(), make.engineer(name="Erin"), make.engineer(name="Fred")
    seen: list[tuple[object, bool]] = [(None, False)]

    def note() -> None:
        seen.append((plan(job), is_pinned(job)))

    change(job, erin, "08:30", dana)
    note()
    for clock in ("09:00", "10:00"):
        plan_actions.pin_or_hold_jobs([job], PinHoldChange.PINNED, by=dana)
        note()
        plan_actions.pin_or_hold_jobs([job], PinHoldChange.UNPINNED, by=dana)
        note()
        change(job, fred, clock, dana)
        note()
    plan_actions.pin_or_hold_jobs([job], PinHoldChange.HELD, by=dana, reason="Network down")
    note()
    plan_actions.pin_or_hold_jobs([job], PinHoldChange.PINNED, by=dana)
    note()

    for _ in range(2):
        for before in reversed(seen[:-1]):
            undo(dana)
            assert (plan(job), is_pinned(job)) == before
        for after in seen[1:]:
            redo(dana)
            assert (plan(job), is_pinned(job)) == after
