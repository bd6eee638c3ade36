"""An undo or a redo in one window against something new in another: no two wait for each other (PostgreSQL)."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date, timedelta

import pytest
from django.db import connection, transaction

from demo.environment import wait_until
from dispatch.job_events import Performer
from dispatch.models import Job, PlanAction, Visit
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange, lock_changes
from dispatch.plan_changes.plan_actions import NothingToUndo
from dispatch.teams import lock_engineers
from engineers.models import Engineer, User
from engineers.shifts import TimeSpan
from tests import make
from tests.together import is_somebody_waiting_behind_them, is_somebody_waiting_for_us

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgresql,
    pytest.mark.skipif(
        "connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other"
    ),
]


@pytest.fixture
def dana() -> Performer:
    return make.office()


def user(by: Performer) -> User:
    assert by.user
    return by.user


def tomorrow() -> date:
    return make.today() + timedelta(days=1)


def move(job: Job, engineer: Engineer, clock: str, by: Performer) -> PlanAction:
    starts_at = make.at(clock, day=tomorrow())
    action = plan_actions.change_plan([AssignmentChange(job, engineer, starts_at)], by=by)
    assert action
    return action


def moved(by: Performer) -> tuple[Job, PlanAction]:
    job = make.job(day=tomorrow())
    return job, move(job, make.engineer(), "09:00", by)


def apart(pool: ThreadPoolExecutor, work: Callable[[], object]) -> "Future[object]":
    """Its answer, or the refusal."""

    def run() -> object:
        try:
            return work()
        except NothingToUndo as refused:
            return refused
        finally:
            connection.close()

    return pool.submit(run)


def test_redo_against_a_move_of_the_same_job(dana: Performer) -> None:
    job, action = moved(dana)
    plan_actions.undo(action, by=dana)
    other = make.engineer(name="Hassan Malik")

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        lock_changes([AssignmentChange(job)])
        redone = apart(pool, lambda: plan_actions.redo(action, by=dana))
        assert wait_until(is_somebody_waiting_for_us, seconds=10)
        move(job, other, "10:00", dana)
        transaction.on_commit(redone.result)

    assert isinstance(redone.result(), NothingToUndo)
    assert Visit.objects.current().get().engineer == other


def test_redo_of_an_absence_against_another_of_the_same_engineer(dana: Performer) -> None:
    engineer, noon = make.engineer(), make.at("12:00", day=tomorrow())
    first, second = (
        TimeSpan(start, start + timedelta(hours=1)) for start in (noon, noon + timedelta(hours=2))
    )
    action = plan_actions.mark_absent(engineer, span=first, reason="", by=dana)
    assert action
    plan_actions.undo(action, by=dana)

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        lock_engineers([engineer.pk])
        redone = apart(pool, lambda: plan_actions.redo(action, by=dana))
        assert wait_until(is_somebody_waiting_for_us, seconds=10)
        plan_actions.mark_absent(engineer, span=second, reason="", by=dana)
        transaction.on_commit(redone.result)

    assert isinstance(redone.result(), NothingToUndo)
    assert engineer.absences.get().starts_at == second.start


def test_redo_against_a_move_of_another_job(dana: Performer) -> None:
    """The move forgets what could be redone, and waits where the redo is faster."""
    job, _first = moved(dana)
    action = move(job, make.engineer(name="Bea Okafor"), "10:00", dana)
    plan_actions.undo(action, by=dana)
    other, engineer = make.job(day=tomorrow()), make.engineer(name="Hassan Malik")

    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            # the redo has locked its action when it ends this visit
            Visit.objects.current().select_for_update().get(job=job)
            redone = apart(pool, lambda: plan_actions.redo(action, by=dana))
            assert wait_until(is_somebody_waiting_for_us, seconds=10)
            done = apart(pool, lambda: move(other, engineer, "10:00", dana))
            assert wait_until(is_somebody_waiting_behind_them, seconds=10)
        assert (redone.result(), done.result()) == ([], PlanAction.objects.last())

    assert Visit.objects.current().get(job=job).engineer.name == "Bea Okafor"
    assert PlanAction.objects.done().count() == 3
