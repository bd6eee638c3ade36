"""A day that has not changed is known by a few counts; whatever anybody does to it is sent at once."""

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.http import HttpResponse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from closures.models import Photo
from dispatch import holds, notes, visits
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer, User
from phone.day_version import UNCHANGED_SECONDS
from phone.provisioning_advice import RESULT_TIMEOUT
from tests import make
from tests.phone.phone import Phone

# session, user, and the five of read_version
QUERIES_OF_AN_UNCHANGED_DAY = 7
PHOTO = "PHO01"


def ask(phone: Phone, *, before: HttpResponse | None = None) -> HttpResponse:
    headers = {"If-None-Match": before["ETag"]} if before else {}
    answer: HttpResponse = phone.client.get("/phone/day.json", headers=headers)
    return answer


@pytest.fixture
def job(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ON_SITE, to=engineer, day=make.today())


@pytest.fixture
def sent(engineer: Engineer, phone: Phone, job: Job) -> HttpResponse:
    """The day as the phone has it: a job on site with a photo that is stored, and one tomorrow."""
    make.photo(job, question_code=PHOTO)
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today() + timedelta(days=1))
    return ask(phone)


def test_day_that_has_not_changed_is_not_read_again(
    sent: HttpResponse, phone: Phone, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(QUERIES_OF_AN_UNCHANGED_DAY):
        again = ask(phone, before=sent)

    assert (again.status_code, again.content, again["ETag"]) == (304, b"", sent["ETag"])


def test_day_is_the_same_when_it_is_read_again(sent: HttpResponse, phone: Phone) -> None:
    # a signed link to a photo is another one each second
    with time_machine.travel(timezone.now() + timedelta(seconds=UNCHANGED_SECONDS + 1)):
        again = ask(phone, before=sent)

    assert (again.status_code, again.content) == (304, b"")


def another_photo(_phone: Phone, job: Job) -> None:
    make.photo(job, question_code=PHOTO, raw=make.jpeg(colour="red"))


def photo_purged(_phone: Phone, job: Job) -> None:
    Photo.objects.filter(job=job).update(purged_at=timezone.now())


def result(_phone: Phone, job: Job) -> None:
    make.scan(job)
    make.result(job, 1)


def answer(phone: Phone, job: Job) -> None:
    phone.say("answered", job, {"question": "SAF01", "value": "yes"})


def check_in(phone: Phone, job: Job) -> None:
    phone.say("check_in", job, {"minutes": 30})


def hold(_phone: Phone, _job: Job) -> None:
    holds.hold_job(job=tomorrows_job(), by=make.office(), reason="The network is down")


def note(_phone: Phone, job: Job) -> None:
    notes.add_note(
        job=job, by=make.office(), note_id=uuid.uuid4(), text="The key is next door", is_for_engineer=True
    )


def unassigned(_phone: Phone, _job: Job) -> None:
    visits.unassign(job=tomorrows_job(), by=make.office(), reason="The customer called")


def new_job(_phone: Phone, job: Job) -> None:
    tomorrow = make.today() + timedelta(days=1)
    engineer = job.visits.get().engineer
    make.job(at_state=JobState.ASSIGNED, to=engineer, day=tomorrow, window=("13:00", "18:00"))


def tomorrows_job() -> Job:
    return Job.objects.get(state=JobState.ASSIGNED)


@pytest.mark.parametrize(
    "change", [another_photo, photo_purged, result, answer, check_in, hold, note, unassigned, new_job]
)
def test_change_is_sent_at_once(
    change: Callable[[Phone, Job], None], sent: HttpResponse, phone: Phone, job: Job
) -> None:
    change(phone, job)

    changed = ask(phone, before=sent)

    assert (changed.status_code, changed["ETag"] == sent["ETag"]) == (200, False)


def test_what_the_version_does_not_show_is_sent_a_while_later(
    sent: HttpResponse, phone: Phone, job: Job, engineer: Engineer
) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        job.visits.update(second_engineer=make.engineer(username="second"))
        with_colleague = ask(phone, before=sent)
        User.objects.filter(username="second").update(first_name="Another", last_name="Name")
        at_once = ask(phone, before=with_colleague)
        clock.shift(timedelta(seconds=UNCHANGED_SECONDS + 1))
        later = ask(phone, before=with_colleague)

    assert (with_colleague.status_code, at_once.status_code, later.status_code) == (200, 304, 200)
    assert later.json()["jobs"][0]["team"]["name"] == "Another Name"


def test_advice_that_changes_with_time_alone_is_sent_in_time(phone: Phone, job: Job) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        make.scan(job)
        clock.shift(RESULT_TIMEOUT - timedelta(seconds=1))
        waiting = ask(phone)
        clock.shift(timedelta(seconds=2))
        overdue = ask(phone, before=waiting)

    assert overdue.status_code == 200
    assert "longer than usual" in overdue.json()["jobs"][0]["advice"]["text"]


@pytest.mark.parametrize("header", ["*x", 'W/"', '"' + "g" * 64 + '"', "\x00" * 300])
def test_strange_etag_gets_the_day(sent: HttpResponse, phone: Phone, header: str) -> None:
    assert phone.client.get("/phone/day.json", headers={"If-None-Match": header}).status_code == 200
