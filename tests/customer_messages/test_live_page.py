"""The live page of an appointment: every state in plain words, nothing about a person, and an end."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.core import signing
from django.test import Client
from pytest_django import Settings

from customer_messages.arrival import arrival_window
from customer_messages.live_links import SALT, live_address
from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from tests import make
from tests.customer_messages.ways import set_up_ways

pytestmark = pytest.mark.django_db
PERSONAL = (
    "Pat",
    "Tester",
    "07700",
    "Chapel",
    "LS6",
    "100012345678",
    "Erin",
    "Dog",
    "53.8",
    "Residential",
    "J-",
)


def path_of(job: Job) -> str:
    return live_address(job).removeprefix("http://127.0.0.1:8000")


def look(job: Job, clock: str = "08:40", *, language: str = "en") -> str:
    job.refresh_from_db()
    with time_machine.travel(make.at(clock)):
        answer = Client().get(path_of(job), headers={"Accept-Language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def at_state(state: JobState) -> Job:
    with time_machine.travel(make.at("07:00")):
        job = make.job()
        if state in {JobState.EN_ROUTE, JobState.ON_SITE}:
            visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("09:00"), by=make.office())
    if state in {JobState.EN_ROUTE, JobState.ON_SITE}:
        with time_machine.travel(make.at("08:30")):
            make.start_travel(job)
            if state == JobState.ON_SITE:
                make.arrive(job)
    else:
        make.walk(job, at_state=state)
    return job


@pytest.mark.parametrize(
    ("state", "title", "german"),
    [
        (JobState.RECEIVED, "Your appointment is planned", "Ihr Termin ist geplant"),
        (JobState.EN_ROUTE, "Your engineer is on the way", "unterwegs"),
        (JobState.ON_SITE, "Your engineer has arrived", "angekommen"),
        (JobState.CLOSED, "The visit is over", "Der Besuch ist beendet"),
        (JobState.CANCELLED, "This appointment was cancelled", "abgesagt"),
    ],
)
def test_each_state_in_plain_words_and_without_personal_data(
    state: JobState, title: str, german: str
) -> None:
    job = at_state(state)
    # tokens of chance, the link's own among them, may hold any letters
    html = re.sub(r'name="csrfmiddlewaretoken" value="\w+"|/visit/[\w:-]+', "", look(job))

    assert f"<h1>{title}</h1>" in html
    assert german in look(job, language="de")
    for personal in PERSONAL:
        assert personal not in html


def test_arrival_is_a_span_that_is_not_over() -> None:
    job = at_state(JobState.EN_ROUTE)

    assert "Expected between 08:40 and 09:" in look(job)
    Job.objects.update(latitude=None)
    assert "Your engineer has set off." in look(job)


@pytest.mark.parametrize(
    ("predicted", "now", "expected"),
    [
        ("09:02", "08:40", ("08:55", "09:25")),
        ("08:41", "08:40", ("08:40", "09:05")),
        ("08:40", "08:43", ("08:40", "09:05")),
    ],
)
def test_arrival_window_is_rounded(predicted: str, now: str, expected: tuple[str, str]) -> None:
    window = arrival_window(make.at(predicted), now=make.at(now))

    assert (window.start, window.end) == (make.at(expected[0]), make.at(expected[1]))


def test_nobody_in_time() -> None:
    assert "<h1>We are late</h1>" in look(at_state(JobState.RECEIVED), "13:00")


def test_job_on_hold_may_change() -> None:
    job = at_state(JobState.RECEIVED)
    Job.objects.filter(pk=job.pk).update(held_at=make.at("07:30"))

    assert "Your appointment may change" in look(job)


def test_link_of_another_window_says_that_it_has_changed() -> None:
    job = at_state(JobState.RECEIVED)
    path = path_of(job)
    Job.objects.update(window_start=make.at("08:30"))
    with time_machine.travel(make.at("08:00")):
        html = Client().get(path).content.decode()

    assert "This appointment has changed" in html
    assert "08:30" not in html


@pytest.mark.parametrize("values", ["1", [1, 2], [1, "x", "y"]], ids=str)
def test_signed_nonsense_opens_nothing(values: object) -> None:
    assert Client().get(f"/visit/{signing.dumps(values, salt=SALT)}/").status_code == 404


@pytest.mark.parametrize("token", ["x", "a:b:c"])
def test_link_that_is_none_opens_nothing(token: str) -> None:
    assert Client().get(f"/visit/{signing.dumps([1, 2, 3])}/").status_code == 404
    answer = Client().get(f"/visit/{token}/")

    assert answer.status_code == 404
    assert "This link is no longer valid" in answer.content.decode()


def test_link_ends_half_a_day_after_the_window() -> None:
    job = at_state(JobState.CLOSED)
    path = path_of(job)
    with time_machine.travel(job.window_end + timedelta(hours=11, minutes=59)):
        assert Client().get(path).status_code == 200
    with time_machine.travel(job.window_end + timedelta(hours=12)):
        assert Client().get(path).status_code == 404


def test_nobody_keeps_or_lists_the_page() -> None:
    with time_machine.travel(make.at("08:00")):
        headers = Client().get(path_of(make.job())).headers

    assert headers["X-Robots-Tag"] == "noindex, nofollow"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "no-store" in headers["Cache-Control"]


def test_page_is_not_asked_without_end(settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 0.1
    job = at_state(JobState.RECEIVED)
    with time_machine.travel(make.at("08:00:10"), tick=False):
        statuses = [Client().get(path_of(job)).status_code for _ in range(7)]

    assert statuses == [200] * 6 + [429]


def test_phone_number_is_there_where_it_is_set(settings: Settings) -> None:
    job = at_state(JobState.RECEIVED)
    assert "tel:" not in look(job)
    set_up_ways(settings, phone="0113 496 0100")

    assert 'href="tel:01134960100"' in look(job)


def test_customer_who_agreed_to_a_later_start_reads_no_apology() -> None:
    job = make.agreed_job()

    assert "Your engineer will come at about 15:00, as agreed with you." in look(job, "14:00")
    assert "<h1>We are late</h1>" in look(job, "15:10")
