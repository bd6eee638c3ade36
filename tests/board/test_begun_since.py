"""A page that still shows a job as assigned, whose engineer has set off or arrived since, takes it from nobody."""

from collections.abc import Callable

import pytest
import time_machine
from django.http import HttpResponse
from django.test import Client

from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.board.office import JSON, assign, press, signed_in, version_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def bea() -> Engineer:
    return make.engineer(name="Bea Okafor")


@pytest.fixture
def hassan() -> Engineer:
    return make.engineer(name="Hassan Malik")


@pytest.fixture(params=["En route", "On site"])
def reported(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def begin(job: Job, reported: str) -> None:
    """At 10:41; who arrives has set off before."""
    with time_machine.travel(make.at("10:41"), tick=False):
        make.start_travel(job)
        if reported == "On site":
            make.arrive(job)
    job.refresh_from_db()


def who_has(job: Job) -> tuple[str, str]:
    visit = visits.current_visit(job)
    job.refresh_from_db()
    return (visit.engineer.name if visit else "", job.get_state_display())


def bulk(client: Client, job: Job, seen: str, **fields: str) -> HttpResponse:
    return client.post("/board/bulk/", {"job": [f"{job}|{seen}"], **fields}, headers=JSON)


Press = Callable[[Client, Job, str, Engineer], HttpResponse]
BUTTONS: dict[str, Press] = {
    "assign": lambda client, job, seen, to: press(
        client,
        job,
        "assign",
        version=seen,
        engineer=to.staff_number,
        starts_at=make.at("10:45").isoformat(),
    ),
    "unassign": lambda client, job, seen, _to: press(client, job, "unassign", version=seen),
    "close": lambda client, job, seen, _to: press(
        client, job, "close", version=seen, code="MBORC", remarks="Road flooded"
    ),
    "pin": lambda client, job, seen, _to: press(client, job, "pin", version=seen, is_pinned="1"),
}


@pytest.mark.parametrize("button", BUTTONS)
def test_button_of_an_older_page_is_refused(
    bea: Engineer, hassan: Engineer, button: str, reported: str
) -> None:
    job, client = make.job(at_state=JobState.ASSIGNED, to=bea), signed_in()
    seen = version_of(job)
    begin(job, reported)

    with time_machine.travel(make.at("10:42")):
        answer = BUTTONS[button](client, job, seen, hassan)

    (problem,) = answer.json()["problems"]
    assert (answer.status_code, problem["code"]) == (409, "plan_changed")
    assert problem["message"] == f"Bea Okafor reported {reported} at 10:41."
    assert who_has(job) == ("Bea Okafor", reported)
    assert answer.json()["version"] == version_of(job)


@pytest.mark.parametrize("action", ["reassign", "unassign"])
def test_selection_of_an_older_board_is_refused(
    bea: Engineer, hassan: Engineer, action: str, reported: str
) -> None:
    job, client = make.job(at_state=JobState.ASSIGNED, to=bea), signed_in()
    seen = version_of(job)
    begin(job, reported)

    with time_machine.travel(make.at("10:42")):
        answer = bulk(client, job, seen, action=action, engineer=hassan.staff_number)

    (row,) = answer.json()["rows"]
    assert (row["ok"], row["text"]) == (False, f"Bea Okafor reported {reported} at 10:41.")
    assert who_has(job) == ("Bea Okafor", reported)


def test_arrival_refuses_the_hand_over_of_a_page_that_shows_the_departure(
    bea: Engineer, hassan: Engineer
) -> None:
    job, client = make.job(at_state=JobState.EN_ROUTE, to=bea), signed_in()
    seen = version_of(job)
    make.arrive(job)

    answer = BUTTONS["assign"](client, job, seen, hassan)

    assert (answer.status_code, who_has(job)) == (409, ("Bea Okafor", "On site"))


def test_hand_over_of_a_fresh_page_is_taken(bea: Engineer, hassan: Engineer, reported: str) -> None:
    job, client = make.job(at_state=JobState.ASSIGNED, to=bea), signed_in()
    begin(job, reported)

    with time_machine.travel(make.at("10:42")):
        answer = assign(client, job, hassan, "10:45")

    assert (answer.status_code, who_has(job)) == (200, ("Hassan Malik", "Assigned"))
