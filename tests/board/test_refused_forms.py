"""What a person sees and can do after a form was refused."""

import pytest
from django.test import Client
from pytest_django.asserts import assertContains

from engineers.models import Absence, Role
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def supervisor() -> Client:
    return client_of(make.dispatcher(role=Role.SUPERVISOR))


@pytest.mark.parametrize(
    ("first", "last", "starts", "ends"),
    [
        ("2027-03-28", "", "01:30", "02:30"),
        ("2027-03-28", "", "00:30", "01:30"),
        ("2027-10-31", "", "01:30", "01:45"),
        ("2027-10-30", "2027-10-31", "08:00", "01:30"),
    ],
)
def test_absence_in_the_hour_of_a_clock_change_is_refused(
    supervisor: Client, first: str, last: str, starts: str, ends: str
) -> None:
    sent = {"first_day": first, "last_day": last, "starts": starts, "ends": ends}

    answer = supervisor.post(f"/board/people/{make.engineer().pk}/absences/", sent)

    assertContains(answer, "The clocks change in this hour", status_code=400)
    assert not Absence.objects.exists()


def test_absence_over_a_clock_change_counts_real_hours(supervisor: Client) -> None:
    sent = {"first_day": "2027-03-28", "last_day": "", "starts": "00:30", "ends": "02:30"}

    supervisor.post(f"/board/people/{make.engineer().pk}/absences/", sent)

    absence = Absence.objects.get()
    assert (absence.ends_at - absence.starts_at).total_seconds() == 3600


def test_language_is_changed_on_the_page_that_the_form_came_from(supervisor: Client) -> None:
    page, address = "http://testserver/board/people/areas/", "/board/people/areas/new/"

    refused = supervisor.post(address, {"name": ""}, headers={"Referer": page})

    assert refused.status_code == 400
    assertContains(refused, '<input type="hidden" name="next" value="/board/people/areas/">', status_code=400)
    assertContains(
        supervisor.get("/board/people/?state=suspended"), 'name="next" value="/board/people/?state=suspended"'
    )


def test_address_of_a_button_opened_as_a_page_leads_on(supervisor: Client) -> None:
    job = make.job()

    answer = supervisor.get(f"/board/jobs/{job.provider_job_id}/assign/")

    assertContains(answer, "This is the address of a button", status_code=405)
    assertContains(answer, "Go to home page", status_code=405)
    assert answer["Allow"] == "POST"


def test_script_that_uses_the_wrong_method_gets_no_page(supervisor: Client) -> None:
    address = f"/board/jobs/{make.job().provider_job_id}/assign/"

    answers = [
        supervisor.get(address, headers={"accept": "application/json"}),
        supervisor.put(address),
    ]

    assert {(answer.status_code, answer.content) for answer in answers} == {(405, b"")}
