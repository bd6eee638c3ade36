"""The live page of an appointment: every state in plain words, nothing about a person, and an end."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.core import signing
from django.test import Client
from pytest_django import Settings

from customer_messages.arrival import arrival_window, expected_arrival
from customer_messages.live_links import SALT, live_address
from dispatch import holds, visits
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.customer_messages.ways import set_up_ways
from tests.dispatch.night_visits import AFTER_MIDNIGHT, at_night, evening_and_night_job

pytestmark = pytest.mark.django_db
ATTENDED = {JobState.EN_ROUTE, JobState.ON_SITE, JobState.CLOSED}
TUESDAY = make.DAY + timedelta(days=1)
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
    """A closed one with a visit."""
    with time_machine.travel(make.at("07:00")):
        job = make.job()
        if state in ATTENDED:
            visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("09:00"), by=make.office())
    if state in ATTENDED:
        with time_machine.travel(make.at("08:30")):
            make.start_travel(job)
            if state != JobState.EN_ROUTE:
                make.arrive(job)
            if state == JobState.CLOSED:
                make.answer_all(job, code="HAZ")
                make.close(job, "HAZ")
    else:
        make.walk(job, at_state=state)
    return job


@pytest.mark.parametrize(
    ("state", "title", "german"),
    [
        (JobState.UNASSIGNED, "Your appointment is planned", "Ihr Termin ist geplant"),
        (JobState.EN_ROUTE, "Your engineer is on the way", "unterwegs"),
        (JobState.ON_SITE, "Your engineer has arrived", "angekommen"),
        (JobState.CLOSED, "The visit has ended", "Der Besuch ist beendet"),
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


def test_arrival_after_midnight_counts_from_the_visit_of_the_evening() -> None:
    """Who lives far away comes from the customer next door."""
    evening, following = evening_and_night_job()
    Engineer.objects.update(home_latitude=55.9)
    evening.visits.update(ended_at=AFTER_MIDNIGHT)
    Job.objects.filter(pk=evening.pk).update(state=JobState.CLOSED)
    with time_machine.travel(AFTER_MIDNIGHT):
        make.start_travel(following)
        following.refresh_from_db()

        arrival = expected_arrival(following, now=AFTER_MIDNIGHT)

    assert arrival and arrival.end <= at_night("00:30")


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
    assert "<h1>We are late</h1>" in look(at_state(JobState.UNASSIGNED), "13:00")


def test_job_closed_without_a_visit_is_not_called_done() -> None:
    with time_machine.travel(make.at("07:00")):
        job = make.job()
        make.close_without_visit(job)

    html = look(job)

    assert "<h1>This appointment was closed without a visit</h1>" in html
    assert "The visit has ended" not in html and "live-done" not in html and "live-now" not in html
    assert "Your appointment</b>" not in html


@pytest.mark.parametrize(
    ("element", "text"),
    [
        ("", "We are checking whether the appointment can go ahead."),
        ("NODE-1", "There is a fault in the network."),
    ],
)
def test_job_on_hold_may_change(element: str, text: str) -> None:
    job = at_state(JobState.UNASSIGNED)
    holds.hold_job(job=job, by=make.office(), reason="Wayleave missing", element=element)

    html = look(job)

    assert "Your appointment may change" in html and text in html
    assert "Wayleave" not in html


def test_link_of_another_window_says_that_it_has_changed() -> None:
    job = at_state(JobState.UNASSIGNED)
    path = path_of(job)
    Job.objects.update(window_start=make.at("08:30"))
    with time_machine.travel(make.at("08:00")):
        html = Client().get(path).content.decode()

    assert "This appointment has changed" in html
    assert "08:30" not in html


def test_window_with_parts_of_a_second_has_not_changed() -> None:
    job = at_state(JobState.UNASSIGNED)
    Job.objects.update(window_start=make.at("08:00") + timedelta(milliseconds=250))

    assert "<h1>Your appointment is planned</h1>" in look(job)


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
    job = at_state(JobState.UNASSIGNED)
    with time_machine.travel(make.at("08:00:10"), tick=False):
        answers = [Client().get(path_of(job)) for _ in range(7)]

    assert [answer.status_code for answer in answers] == [200] * 6 + [429]
    html = answers[-1].content.decode()
    assert "This page was opened too often. Please try again in 50 s." in html
    # the entry of the staff is not for a customer
    assert 'href="/"' not in html


def test_phone_number_is_there_where_it_is_set(settings: Settings) -> None:
    job = at_state(JobState.UNASSIGNED)
    assert "tel:" not in look(job)
    set_up_ways(settings, phone="0113 496 0100")

    assert 'href="tel:01134960100"' in look(job)


def test_customer_who_agreed_to_a_later_start_reads_no_apology() -> None:
    job = make.agreed_job()

    assert "Your engineer will come at about 15:00, as agreed with you." in look(job, "14:00")
    assert "<h1>We are late</h1>" in look(job, "15:10")


def test_start_agreed_for_a_later_day_is_written_with_its_day() -> None:
    job = make.agreed_job()
    Job.objects.filter(pk=job.pk).update(window_end=make.at("14:00", day=TUESDAY))
    job.visits.update(planned_start=make.at("13:30", day=TUESDAY), planned_end=make.at("14:30", day=TUESDAY))
    job.refresh_from_db()

    page = look(job, "14:00")

    assert "Your engineer will come on Tue 24 Nov at about 13:30, as agreed with you." in page


def test_half_done_job_that_was_handed_over_reads_no_apology() -> None:
    job = at_state(JobState.ON_SITE)
    with time_machine.travel(make.at("12:00")):
        visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("14:00"), by=make.office())
    html = look(job, "13:30")

    assert "<h1>The work is not finished yet</h1>" in html
    assert "nobody has arrived" not in html
