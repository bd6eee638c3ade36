"""Undo and redo stop at the areas to which a dispatcher has been limited since."""

from datetime import timedelta

import pytest
from django.test import Client

from dispatch.job_events import Performer
from dispatch.models import Job, PinHoldChange
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.plan_changes.plan_actions import NothingToUndo
from dispatch.plan_changes.plan_overruns import enter_overrun
from dispatch.states import Actor, JobState
from engineers.area_scope import scope_of
from engineers.current_scope import limited_to
from engineers.models import Area, AreaLimit, Engineer, User
from engineers.shifts import TimeSpan
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
UNDO, REDO = "/board/undo/", "/board/redo/"


@pytest.fixture
def areas() -> dict[str, Area]:
    return {
        name: Area.objects.create(name=name, postcodes=code)
        for name, code in (("Leeds", "LS"), ("York", "YO"))
    }


@pytest.fixture
def dana() -> User:
    return make.dispatcher(username="dana")


def limit(user: User, area: Area) -> Client:
    AreaLimit.objects.create(user=user, area=area)
    return client_of(User.objects.get(pk=user.pk))


def engineer_in(area: Area, name: str) -> Engineer:
    engineer = make.engineer(name=name)
    Engineer.objects.filter(pk=engineer.pk).update(area=area)
    return engineer


def assign(user: User, job: Job, engineer: Engineer) -> None:
    change = AssignmentChange(job, engineer, make.at("09:00"))
    plan_actions.change_plan([change], by=performer(user))


def performer(user: User) -> Performer:
    return Performer(Actor.DISPATCHER, user)


def test_assignment_of_another_area_is_neither_named_nor_undone(areas: dict[str, Area], dana: User) -> None:
    job, anna = make.job(), engineer_in(areas["Leeds"], "Anna Fibre")
    assign(dana, job, anna)
    client = limit(dana, areas["York"])

    html = client.get("/board/").content.decode()
    client.post(UNDO)

    assert {text for text in (job.postcode, str(job), "Anna Fibre") if text in html} == set()
    assert Job.objects.get(pk=job.pk).state == JobState.ASSIGNED


def test_assignment_of_another_area_is_not_redone(areas: dict[str, Area], dana: User) -> None:
    job = make.job()
    assign(dana, job, engineer_in(areas["Leeds"], "Anna Fibre"))
    client_of(dana).post(UNDO)
    client = limit(dana, areas["York"])

    html = client.get("/board/").content.decode()
    client.post(REDO)

    assert job.postcode not in html
    assert Job.objects.get(pk=job.pk).state == JobState.UNASSIGNED


def test_own_job_is_not_given_to_another_area_again(areas: dict[str, Area], dana: User) -> None:
    job = make.job()
    Job.objects.filter(pk=job.pk).update(postcode="YO1 7HH", postcode_key="YO17HH")
    assign(dana, job, engineer_in(areas["Leeds"], "Anna Fibre"))
    client_of(dana).post(UNDO)

    limit(dana, areas["York"]).post(REDO)

    assert Job.objects.get(pk=job.pk).state == JobState.UNASSIGNED


def test_absence_of_another_area_is_not_undone(areas: dict[str, Area], dana: User) -> None:
    anna = engineer_in(areas["Leeds"], "Anna Fibre")
    span = TimeSpan(make.at("09:00"), make.at("10:00"))
    plan_actions.mark_absent(anna, span=span, reason="", by=performer(dana))
    client = limit(dana, areas["York"])

    html = client.get("/board/").content.decode()
    client.post(UNDO)

    assert "Anna Fibre" not in html
    assert anna.absences.count() == 1


def test_hold_of_another_area_is_not_undone(areas: dict[str, Area], dana: User) -> None:
    job = make.job()
    plan_actions.pin_or_hold_jobs([job], PinHoldChange.HELD, by=performer(dana), reason="Duct blocked")
    client = limit(dana, areas["York"])

    html = client.get("/board/").content.decode()
    client.post(UNDO)

    assert job.postcode not in html
    assert Job.objects.get(pk=job.pk).on_hold_since


def test_overrun_of_another_area_is_not_undone(areas: dict[str, Area], dana: User) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer_in(areas["Leeds"], "Anna Fibre"))
    enter_overrun(plan_actions.new_action(dana), visit=job.visits.get(), overrun=timedelta(hours=1))
    client = limit(dana, areas["York"])

    html = client.get("/board/").content.decode()
    client.post(UNDO)

    assert job.postcode not in html
    assert job.visits.get().overrun == timedelta(hours=1)


def test_own_change_is_undone_behind_one_of_another_area(areas: dict[str, Area], dana: User) -> None:
    own, other = make.job(), make.job()
    Job.objects.filter(pk=own.pk).update(postcode="YO1 7HH", postcode_key="YO17HH")
    assign(dana, own, engineer_in(areas["York"], "Yann Light"))
    assign(dana, other, engineer_in(areas["Leeds"], "Anna Fibre"))

    limit(dana, areas["York"]).post(UNDO)

    states = dict(Job.objects.values_list("pk", "state"))
    assert states == {own.pk: JobState.UNASSIGNED, other.pk: JobState.ASSIGNED}


def test_action_found_before_the_limit_is_refused(areas: dict[str, Area], dana: User) -> None:
    """The action refuses, too, whatever page asks."""
    job = make.job()
    assign(dana, job, engineer_in(areas["Leeds"], "Anna Fibre"))
    action = plan_actions.last_action(dana)
    assert action
    limit(dana, areas["York"])

    with limited_to(scope_of(User.objects.get(pk=dana.pk))), pytest.raises(NothingToUndo):
        plan_actions.undo(action, by=performer(dana))
    assert Job.objects.get(pk=job.pk).state == JobState.ASSIGNED
