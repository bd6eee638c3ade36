"""An undo or redo that a rule is against by now: it is told once, and the rest and older actions are reached."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dispatch import holds, pins, visits
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from engineers.models import Engineer, User
from tests import make
from tests.board.office import JSON, version_of
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
UNDO, REDO = "/board/undo/", "/board/redo/"


@pytest.fixture
def bea() -> Engineer:
    return make.engineer(name="Bea Okafor")


@pytest.fixture
def hassan() -> Engineer:
    return make.engineer(name="Hassan Malik")


@pytest.fixture
def dana() -> Performer:
    return make.office()


@pytest.fixture
def client(dana: Performer) -> Client:
    return client_of(user(dana))


def user(by: Performer) -> User:
    assert by.user
    return by.user


def planned(engineer: Engineer, clock: str) -> Job:
    made = make.job(duration_minutes=60)
    visits.assign(job=made, engineer=engineer, starts_at=make.at(clock), by=make.office())
    return made


def move(by: Performer, to: Engineer, **jobs: Job) -> None:
    """As one action; the names are the hours, `h10` is 10:00."""
    changes = [
        AssignmentChange(job, to, make.at(f"{hour[1:]}:00"), version_of(job)) for hour, job in jobs.items()
    ]
    assert plan_actions.change_plan(changes, by=by)


def plan(job: Job) -> tuple[str, str] | None:
    visit = visits.current_visit(job)
    return (visit.engineer.name, f"{visit.planned_start:%H:%M}") if visit else None


def urgent_job_at(job: Job, bea: Engineer) -> None:
    planned(bea, "09:00")


def hold(job: Job, bea: Engineer) -> None:
    holds.hold_job(job=job, by=make.office(), reason="Network down")


def pin(job: Job, bea: Engineer) -> None:
    pins.pin_visit(job=job, is_pinned=True, by=make.office())


def remaining_jobs(answer: dict[str, Any], done: str = "undone") -> list[str]:
    """Which jobs the answer to a script says to stay."""
    assert answer["ok"]
    assert all(
        message["html"].endswith(f"Your change can&#x27;t be {done}.") for message in answer["messages"]
    )
    return [re.findall(r"/jobs/([^/]+)/", message["html"])[0] for message in answer["messages"]]


OBSTACLES: dict[str, Callable[[Job, Engineer], None]] = {
    "double_booking": urgent_job_at,
    "on_hold": hold,
    "pinned": pin,
}


@pytest.mark.parametrize("code", OBSTACLES)
def test_rest_of_a_plan_is_undone_without_what_a_rule_is_against_and_then_what_came_before(
    client: Client, dana: Performer, bea: Engineer, hassan: Engineer, code: str
) -> None:
    older, obstructed, other = make.job(duration_minutes=60), planned(bea, "09:00"), planned(bea, "10:00")
    move(dana, bea, h11=older)
    move(dana, hassan, h09=obstructed, h10=other)
    OBSTACLES[code](obstructed, bea)

    answer = client.post(UNDO, {"in_place": "1"}, headers=JSON).json()

    assert remaining_jobs(answer) == [str(obstructed)]
    assert (plan(obstructed), plan(other)) == (("Hassan Malik", "09:00"), ("Bea Okafor", "10:00"))
    assert client.post(UNDO, headers=JSON).json() == {"ok": True}
    assert plan(older) is None


def test_older_action_is_reached_after_the_refusal_of_a_newer_one(
    client: Client, dana: Performer, bea: Engineer, hassan: Engineer
) -> None:
    older, moved = make.job(duration_minutes=60), planned(bea, "09:00")
    move(dana, bea, h11=older)
    move(dana, hassan, h09=moved)
    bea.user.is_active = False
    bea.user.save()

    (problem,) = client.post(UNDO, headers=JSON).json()["problems"]

    assert problem["code"] == "engineer_suspended"
    assert client.post(UNDO, headers=JSON).json() == {"ok": True}
    assert (plan(older), plan(moved)) == (None, ("Hassan Malik", "09:00"))


def test_rest_of_a_plan_is_redone_without_what_a_rule_is_against(
    client: Client, dana: Performer, bea: Engineer, hassan: Engineer
) -> None:
    obstructed, other = planned(hassan, "09:00"), planned(hassan, "10:00")
    move(dana, bea, h09=obstructed, h10=other)
    client.post(UNDO, headers=JSON)
    urgent_job_at(obstructed, bea)

    answer = client.post(REDO, {"in_place": "1"}, headers=JSON).json()

    assert remaining_jobs(answer, "redone") == [str(obstructed)]
    assert (plan(obstructed), plan(other)) == (("Hassan Malik", "09:00"), ("Bea Okafor", "10:00"))


def test_visit_that_has_begun_is_none_of_the_other_changes(
    client: Client, dana: Performer, bea: Engineer, hassan: Engineer
) -> None:
    obstructed, begun = planned(bea, "09:00"), planned(bea, "10:00")
    move(dana, hassan, h09=obstructed, h10=begun)
    make.start_travel(begun)
    urgent_job_at(obstructed, bea)

    problems = client.post(UNDO, headers=JSON).json()["problems"]

    assert [problem["code"] for problem in problems] == ["double_booking"]
    assert plan_actions.last_action(user(dana)) is None


def two_refused(dana: Performer, bea: Engineer, hassan: Engineer) -> tuple[list[Job], Job]:
    """Jobs of one change of the plan that cannot go back, and who has the hour of the first."""
    jobs = [planned(bea, "09:00"), planned(bea, "10:00")]
    move(dana, hassan, h09=jobs[0], h10=jobs[1])
    hold(jobs[1], bea)
    return jobs, planned(bea, "09:00")


def test_refusal_of_several_jobs_leads_to_each_and_offers_nobody(
    client: Client, dana: Performer, bea: Engineer, hassan: Engineer
) -> None:
    jobs, in_the_way = two_refused(dana, bea, hassan)

    answer = client.post(UNDO, headers=JSON)

    refusal = answer.json()
    found = [(each["job"], each["title"], each["other_job"]) for each in refusal["problems"]]
    assert (answer.status_code, found) == (
        409,
        [(str(jobs[0]), jobs[0].title, str(in_the_way)), (str(jobs[1]), jobs[1].title, "")],
    )
    assert (refusal["suggestions"], "job" in refusal) == ([], False)
    assert not any(each["message"].startswith(jobs[0].title) for each in refusal["problems"])


def test_page_after_the_refusal_of_several_jobs_links_each(
    client: Client, dana: Performer, bea: Engineer, hassan: Engineer
) -> None:
    jobs, in_the_way = two_refused(dana, bea, hassan)

    page = client.post(UNDO, {"next": "/board/messages/"}, follow=True).content.decode()

    for job in jobs:
        assert f'<a href="{reverse("board:job", args=[job.provider_job_id])}">{job.title}</a>: ' in page
    assert f'at <a href="{reverse("board:job", args=[in_the_way.provider_job_id])}">' in page


def test_refusal_of_the_only_job_offers_others(
    client: Client, dana: Performer, bea: Engineer, hassan: Engineer
) -> None:
    moved = planned(bea, "09:00")
    move(dana, hassan, h11=moved)
    urgent_job_at(moved, bea)

    refusal = client.post(UNDO, headers=JSON).json()

    assert (refusal["job"], refusal["problems"][0]["job"]) == (str(moved), "")
    assert refusal["suggestions"]
