"""A session lasts from its last use, so that no working day ends in a sign-in page, at one write an hour."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings as configured
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from engineers.models import Engineer, Role
from tests import make
from tests.engineers.test_admin import signed_in

pytestmark = pytest.mark.django_db
SIX = datetime(2026, 11, 23, 6, 0, tzinfo=UTC)


@pytest.fixture
def engineer(settings: Settings) -> Engineer:
    """With the example of docs/operating.md: SESSION_HOURS=12."""
    settings.SESSION_COOKIE_AGE = 12 * 3600
    return make.engineer()


@pytest.fixture
def clock(engineer: Engineer) -> Iterator[time_machine.Traveller]:
    with time_machine.travel(SIX, tick=False) as clock:
        yield clock


def ask(client: Client) -> int:
    return client.get("/phone/positions.json", headers={"Accept": "application/json"}).status_code


def writes(client: Client) -> int:
    """How often one request writes the session."""
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert ask(client) == 200
    return sum("UPDATE" in query["sql"] and "django_session" in query["sql"] for query in queries)


def test_phone_stays_signed_in_through_a_week_of_shifts(
    engineer: Engineer, clock: time_machine.Traveller
) -> None:
    phone = signed_in(engineer.user)
    for _day in range(7):
        for _half_hour in range(26):
            assert ask(phone) == 200
            clock.shift(timedelta(minutes=30))
        clock.shift(timedelta(hours=10))


def test_session_ends_when_it_was_not_used(engineer: Engineer, clock: time_machine.Traveller) -> None:
    phone = signed_in(engineer.user)
    assert ask(phone) == 200

    clock.shift(timedelta(hours=12, seconds=1))

    assert ask(phone) == 401


def test_session_is_written_once_an_hour(engineer: Engineer, clock: time_machine.Traveller) -> None:
    phone = signed_in(engineer.user)
    ask(phone)
    written = []
    for _minute in range(180):
        clock.shift(timedelta(minutes=1))
        written.append(writes(phone))

    assert sum(written) == 3


@pytest.mark.parametrize(("language", "moment"), [("en-gb", "Mon 23 Nov 06:00"), ("de", "Mo 23. Nov 06:00")])
def test_own_sessions_have_their_moments_in_the_reader_s_language(
    engineer: Engineer, clock: time_machine.Traveller, language: str, moment: str
) -> None:
    phone = signed_in(engineer.user)
    ask(phone)

    html = phone.get("/sessions/", headers={"Accept-Language": language}).content.decode()

    assert html.count(moment) == 2, html


def test_short_session_is_renewed_in_time(
    engineer: Engineer, settings: Settings, clock: time_machine.Traveller
) -> None:
    settings.SESSION_COOKIE_AGE = 3600
    phone = signed_in(engineer.user)
    for _quarter in range(12):
        assert ask(phone) == 200
        clock.shift(timedelta(minutes=40))


def test_session_that_was_renewed_by_a_clock_that_was_ahead_lasts_from_its_last_use(
    engineer: Engineer, clock: time_machine.Traveller
) -> None:
    phone = signed_in(engineer.user)
    clock.shift(timedelta(days=30))
    Session.objects.update(expire_date=SIX + timedelta(days=60))
    ask(phone)
    clock.move_to(SIX)

    answer = phone.get("/phone/positions.json", headers={"Accept": "application/json"})

    # without the cookie's new end, the browser would forget it twelve hours after the wrong clock
    assert configured.SESSION_COOKIE_NAME in answer.cookies
    assert Session.objects.get().expire_date == SIX + timedelta(hours=12)


def test_cookie_gets_its_new_end(engineer: Engineer, clock: time_machine.Traveller) -> None:
    phone = signed_in(engineer.user)
    ask(phone)
    clock.shift(timedelta(hours=2))

    answer = phone.get("/phone/positions.json", headers={"Accept": "application/json"})

    assert answer.cookies[configured.SESSION_COOKIE_NAME]["max-age"] == 12 * 3600


def test_visitor_without_an_account_gets_no_session(engineer: Engineer) -> None:
    answer = Client().get("/login/")

    assert configured.SESSION_COOKIE_NAME not in answer.cookies
    assert not Session.objects.exists()


def test_session_that_has_ended_is_not_written_again(engineer: Engineer) -> None:
    phone = signed_in(engineer.user)
    Session.objects.all().delete()

    assert ask(phone) == 401
    assert not Session.objects.exists()


def test_session_that_ends_during_a_request_that_would_renew_it_refuses_nothing(
    engineer: Engineer, clock: time_machine.Traveller
) -> None:
    """A phone reads 400 as a refusal of what it has sent, which was applied."""
    phone = signed_in(engineer.user)
    ask(phone)
    clock.shift(timedelta(hours=2))

    def end_sessions(execute: Any, sql: str, *more: Any) -> Any:
        found = execute(sql, *more)
        if sql.startswith("SELECT") and "engineers_user" in sql:
            Session.objects.all().delete()
        return found

    with connection.execute_wrapper(end_sessions):
        assert ask(phone) == 200

    assert (Session.objects.exists(), ask(phone)) == (False, 401)


def test_whoever_signs_out_everywhere_reads_so_however_old_the_session_is(
    clock: time_machine.Traveller,
) -> None:
    supervisor = make.dispatcher(username="ruth", role=Role.SUPERVISOR)
    office = signed_in(supervisor)
    office.get("/board/people/accounts/")
    clock.shift(timedelta(hours=2))

    answer = office.post(f"/board/people/accounts/{supervisor.pk}/sign-out/")

    assert (answer.status_code, Session.objects.exists()) == (302, False)


@pytest.mark.django_db(transaction=True)
def test_signing_in_waits_for_the_fair_lock_only() -> None:
    """A write without a transaction waits for SQLite's own lock, behind everybody who queues for ours."""
    form = {"username": make.engineer().user.username, "password": make.PASSWORD}
    alone: list[str] = []

    def noted(execute: Any, sql: str, *more: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")) and not connection.in_atomic_block:
            alone.append(sql)
        return execute(sql, *more)

    with connection.execute_wrapper(noted):
        assert Client().post("/login/", form).status_code == 302

    assert alone == []
