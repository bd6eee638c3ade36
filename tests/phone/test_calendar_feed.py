"""The calendar feed: what is in it, what is not, and that a revoked address opens nothing."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from icalendar import Calendar

from dispatch.states import JobState
from engineers import calendar_feeds, rota, staff
from engineers.models import AuditEntry, CalendarFeed, Engineer, Role
from tests import make
from tests.engineers.test_admin import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer(name="Erin, the; second")


def secret_of(engineer: Engineer) -> str:
    return calendar_feeds.issue(engineer=engineer, by=make.office().user)


def read(secret: str) -> Calendar:
    with time_machine.travel(make.at("06:00"), tick=False):
        answer = Client().get(f"/calendar/{secret}.ics")
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    return Calendar.from_ical(answer.content)


def events(calendar: Calendar, kind: str) -> list[object]:
    return [event for event in calendar.walk("VEVENT") if str(event["uid"]).startswith(kind)]


def test_feed_has_visits_shifts_and_absences_and_no_customer(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    make.job(at_state=JobState.ASSIGNED, to=make.engineer())
    away = {
        "starts_at": make.at("15:00"),
        "ends_at": make.at("18:00"),
        "reason": "Dentist",
        "by": make.office().user,
    }
    rota.add_absence(engineer=engineer, **away)

    calendar = read(secret_of(engineer))

    (visit,) = events(calendar, "visit")
    assert (visit["dtstart"].dt, str(visit["location"])) == (job.window_start, "LS6 3AB")
    assert job.provider_job_id in str(visit["url"])
    (absence,) = events(calendar, "absence")
    assert absence["dtstart"].dt == make.at("15:00")
    assert [event["dtend"].dt for event in events(calendar, f"shift-{engineer.pk}-{make.DAY}")] == [
        make.at("15:00")
    ]
    assert str(calendar["x-wr-calname"]) == "Fibre dispatch: Erin, the; second"
    text = calendar.to_ical().decode()
    assert not [secret for secret in ("Pat Tester", "Chapel Row", "07700", "Dentist") if secret in text]


def test_address_ends_when_it_is_replaced_revoked_or_the_account_is_suspended(engineer: Engineer) -> None:
    first, second = secret_of(engineer), secret_of(engineer)
    assert [Client().get(f"/calendar/{secret}.ics").status_code for secret in (first, second)] == [404, 200]

    staff.suspend(user=engineer.user, by=make.office().user)
    assert Client().get(f"/calendar/{second}.ics").status_code == 404
    staff.reinstate(user=engineer.user, by=make.office().user)
    assert Client().get(f"/calendar/{second}.ics").status_code == 404

    third = secret_of(engineer)
    for _time in range(2):
        calendar_feeds.revoke(engineer=engineer, by=make.office().user)
    assert Client().get(f"/calendar/{third}.ics").status_code == 404
    assert AuditEntry.objects.filter(action="calendar_feed_revoked").count() == 1


@pytest.mark.parametrize("action", ["sign-out", "second-factor"])
def test_whoever_signs_an_engineer_out_learns_of_the_address(engineer: Engineer, action: str) -> None:
    supervisor = signed_in(make.dispatcher(role=Role.SUPERVISOR))
    address, text = f"/board/people/{engineer.pk}/{action}/", "The calendar address still works."
    assert text not in supervisor.post(address, follow=True).content.decode()

    secret = secret_of(engineer)

    page = supervisor.post(address, follow=True).content.decode()
    assert (text in page, "Revoke calendar address" in page) == (True, True)
    assert Client().get(f"/calendar/{secret}.ics").status_code == 200


def test_engineer_who_signs_out_everywhere_learns_of_the_address(engineer: Engineer) -> None:
    text = "Your calendar address still works."
    assert text not in signed_in(engineer.user).post("/sessions/end/", follow=True).content.decode()

    secret_of(engineer)

    assert text in signed_in(engineer.user).post("/sessions/end/", follow=True).content.decode()


def test_reading_is_written_down_once_an_hour_and_the_secret_never(engineer: Engineer) -> None:
    secret = secret_of(engineer)
    read(secret)
    first = CalendarFeed.objects.get().last_read_at
    read(secret)

    assert CalendarFeed.objects.get().last_read_at == first
    assert secret not in str(CalendarFeed.objects.values().get())


def test_feed_costs_the_same_queries(engineer: Engineer, django_assert_num_queries: object) -> None:
    secret = secret_of(engineer)
    for hour in ("08:00", "10:00", "12:00"):
        make.job(at_state=JobState.ASSIGNED, to=engineer, window=(hour, f"{int(hour[:2]) + 2}:00"))
    read(secret)

    with django_assert_num_queries(5):
        read(secret)


def test_feed_is_limited(engineer: Engineer) -> None:
    secret = secret_of(engineer)
    with time_machine.travel(make.at("06:00") + timedelta(days=9), tick=False):
        answers = [Client().get(f"/calendar/{secret}.ics").status_code for _time in range(31)]

    assert answers[-2:] == [200, 429]


def test_supervisor_creates_and_revokes_it(engineer: Engineer) -> None:
    ruth = signed_in(make.dispatcher(username="ruth", role=Role.SUPERVISOR))
    page = ruth.post(f"/board/people/{engineer.pk}/calendar/").content.decode()
    assert ".ics" in page
    assert "not read yet" in ruth.get(f"/board/people/{engineer.pk}/").content.decode()

    ruth.post(f"/board/people/{engineer.pk}/calendar/revoke/")

    assert not CalendarFeed.objects.exists()
    assert signed_in(make.dispatcher()).post(f"/board/people/{engineer.pk}/calendar/").status_code == 403
