"""A phone whose clock is wrong: times are corrected, the original times are stored, and nothing happens twice."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from board.event_descriptions import event_line
from closures.models import Answer
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from engineers.clock_skew import describe_difference, phone_clock
from engineers.models import CheckIn, Engineer, PhoneMessage
from engineers.shifts import local_time
from tests import make
from tests.phone.phone import POSITION, Phone, entry

HOURS = timedelta(hours=3)
NEAR = timedelta(seconds=20)
# of a phone that was restarted without signal, and of one whose battery was empty
LOST_TIME, NO_TIME = "2015-01-01T08:00:00Z", "1970-01-01T00:05:00Z"


def assigned(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ASSIGNED, to=engineer)


def send(phone: Phone, *entries: dict[str, Any], wrong_by: timedelta = timedelta()) -> list[str]:
    """By a clock that is wrong by this much at the moment of sending."""
    sent_at = (make.now() + wrong_by).isoformat()
    answer = phone.post({"sent_at": sent_at, "messages": list(entries)}).json()
    return [result["outcome"] for result in answer["results"]]


def tapped(job: Job, *, ago: timedelta, wrong_by: timedelta) -> dict[str, Any]:
    moment = make.now() - ago + wrong_by
    return entry("en_route", job, {"position": POSITION}, occurred_at=moment.isoformat())


def is_near(moment: datetime, expected: datetime) -> bool:
    return abs(moment - expected) < NEAR


@pytest.mark.parametrize(("wrong_by", "text"), [(HOURS, "3 h ahead"), (-HOURS, "3 h behind")])
def test_wrong_clock_is_put_right_and_shown(phone: Phone, wrong_by: timedelta, text: str) -> None:
    job = assigned(phone.engineer)
    sent = tapped(job, ago=timedelta(minutes=40), wrong_by=wrong_by)

    assert send(phone, sent, wrong_by=wrong_by) == ["applied"]

    event = job.events.get(kind=EventKind.EN_ROUTE)
    message = PhoneMessage.objects.get()
    really = make.now() - timedelta(minutes=40)
    assert is_near(event.occurred_at, really)
    assert is_near(message.occurred_at, really)
    assert abs(event.facts["clock_ahead_seconds"] - wrong_by.total_seconds()) < 20
    assert datetime.fromisoformat(event.facts["phone_time"]) == datetime.fromisoformat(sent["occurred_at"])
    assert message.body["occurred_at"] == sent["occurred_at"]
    assert event_line(event).clock.startswith(f"phone clock {text}, showed ")


@pytest.mark.parametrize("seconds", [0, 60, -90])
def test_the_way_here_is_no_error_of_the_clock(phone: Phone, seconds: int) -> None:
    job = assigned(phone.engineer)
    message = tapped(job, ago=timedelta(minutes=5), wrong_by=timedelta())
    send(phone, message, wrong_by=timedelta(seconds=seconds))

    event = job.events.get(kind=EventKind.EN_ROUTE)
    assert event.occurred_at.isoformat() == message["occurred_at"]
    assert "phone_time" not in event.facts
    assert event_line(event).clock == ""


def test_repetition_after_the_clock_was_corrected_is_the_same_message(phone: Phone) -> None:
    job = assigned(phone.engineer)
    message = tapped(job, ago=timedelta(minutes=40), wrong_by=HOURS)

    outcomes = [send(phone, message, wrong_by=wrong)[0] for wrong in (HOURS, timedelta(), -HOURS)]

    assert outcomes == ["applied", "already", "already"]
    assert job.events.filter(kind=EventKind.EN_ROUTE).count() == 1


def test_tap_of_a_clock_corrected_since_is_not_in_the_future(phone: Phone) -> None:
    job = assigned(phone.engineer)
    message = tapped(job, ago=timedelta(minutes=40), wrong_by=HOURS)
    send(phone, message)

    event = job.events.get(kind=EventKind.EN_ROUTE)
    assert is_near(event.occurred_at, make.now())
    assert event.facts["phone_time"].startswith(message["occurred_at"][:19])


def answers(job: Job | str, *taps: tuple[str, timedelta, timedelta]) -> list[dict[str, Any]]:
    """Of one question: each with its value, how long ago it was tapped, and by how much the clock was wrong then."""
    return [
        entry(
            "answered",
            job,
            {"question": "SAF01", "value": value},
            occurred_at=(make.now() - ago + wrong_by).isoformat(),
        )
        for value, ago, wrong_by in taps
    ]


@pytest.mark.parametrize(
    "ago", [timedelta(minutes=40), timedelta(hours=5)], ids=["ahead of us", "in the past"]
)
def test_tap_after_the_clock_was_corrected_is_the_newer_one(phone: Phone, ago: timedelta) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    second_ago = ago - timedelta(minutes=25)
    taps = answers(job, ("yes", ago, HOURS), ("no", second_ago, timedelta()))

    assert [send(phone, *taps) for _ in range(2)] == [["applied"] * 2, ["already"] * 2]
    first, second = Answer.objects.order_by("pk")
    assert (first.value, second.value, second.withdrawn_at) == ("yes", "no", None)
    assert first.answered_at == second.answered_at
    assert is_near(second.answered_at, make.now() - second_ago)


@pytest.mark.parametrize("phone_time", [NO_TIME, LOST_TIME])
def test_tap_of_a_phone_that_had_lost_its_time_takes_no_other_tap_along(
    phone: Phone, phone_time: str
) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    (tap,) = answers(job, ("yes", timedelta(minutes=40), timedelta()))
    lost = entry("answered", job, {"question": "SAF02", "value": "no"}, occurred_at=phone_time)

    assert send(phone, tap, lost) == ["applied"] * 2

    answer = Answer.objects.get(question_code="SAF01")
    assert answer.answered_at.isoformat() == tap["occurred_at"]


@pytest.mark.parametrize("phone_time", [NO_TIME, LOST_TIME])
@pytest.mark.parametrize("ago", [timedelta(minutes=10), timedelta(days=2)], ids=["soon", "days later"])
def test_tap_of_a_phone_that_had_lost_its_time_is_the_newer_one(
    phone: Phone, ago: timedelta, phone_time: str
) -> None:
    """It was restarted without signal, and had its time again before it sent."""
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    Job.objects.update(received_at=make.now() - ago - HOURS)
    send(phone, *answers(job, ("yes", ago + timedelta(minutes=30), timedelta())))
    body = {"question": "SAF01", "value": "no"}
    lost = entry("answered", job, body, occurred_at=phone_time)
    (after,) = answers(job, ("yes", ago, timedelta()))

    assert send(phone, lost, after) == ["applied"] * 2

    _first, *later = Answer.objects.order_by("pk")
    assert [answer.answered_at.isoformat() for answer in later] == [after["occurred_at"]] * 2


@pytest.mark.parametrize("kind", ["check_in_done", "close"])
def test_lost_time_ends_the_timer_that_was_set_before(phone: Phone, kind: str) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    make.answer_all(job, code="HAZ")
    began = make.now() - timedelta(minutes=40)
    send(phone, entry("check_in", job, {"minutes": 30}, occurred_at=began.isoformat()))
    body = {"code": "HAZ", "remarks": "Loose roof tiles"} if kind == "close" else {}

    send(phone, entry(kind, job, body, occurred_at=LOST_TIME))

    assert not CheckIn.objects.running().exists()


@pytest.mark.parametrize("sent_at", [NO_TIME, ""], ids=["not corrected yet", "no time sent"])
def test_tap_of_1970_happened_when_it_arrived_and_says_what_the_phone_showed(
    phone: Phone, sent_at: str
) -> None:
    job = assigned(phone.engineer)
    tap = entry("en_route", job, {"position": POSITION}, occurred_at=NO_TIME)

    answer = phone.post({"sent_at": sent_at, "messages": [tap]}).json()

    assert [result["outcome"] for result in answer["results"]] == ["applied"]
    event, message = job.events.get(kind=EventKind.EN_ROUTE), PhoneMessage.objects.get()
    assert is_near(event.occurred_at, make.now())
    assert is_near(message.occurred_at, make.now())
    assert event.facts["phone_time"].startswith("1970-01-01T00:05")
    assert "showed" in event_line(event).clock


def test_tap_of_the_far_future_happened_when_it_arrived(phone: Phone) -> None:
    """The difference has more seconds than fit into four bytes."""
    job = assigned(phone.engineer)
    tap = entry("en_route", job, {"position": POSITION}, occurred_at="2190-01-01T00:00:00Z")

    assert send(phone, tap) == ["applied"]

    assert is_near(job.events.get(kind=EventKind.EN_ROUTE).occurred_at, make.now())


def test_photo_of_1970_is_stored_with_the_time_of_its_tap(phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    body = {"photo_id": "00000000-0000-0000-0000-000000000003", "question": "PHO01", "taken_at": NO_TIME}

    assert send(phone, entry("photo_taken", job, body, occurred_at=NO_TIME)) == ["applied"]

    assert is_near(job.photos.get().taken_at, make.now())


@pytest.mark.parametrize("phone_time", [NO_TIME, LOST_TIME])
def test_timer_set_by_a_phone_that_had_lost_its_time_is_not_over_at_once(
    phone: Phone, phone_time: str
) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    send(phone, entry("check_in", job, {"minutes": 30}, occurred_at=phone_time))

    assert is_near(CheckIn.objects.running().get().due_at, make.now() + timedelta(minutes=30))


def test_earlier_time_on_another_job_corrects_nothing(phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    (tap,) = answers(job, ("yes", timedelta(minutes=10), timedelta()))
    (later,) = answers("J-9", ("yes", timedelta(minutes=5), -HOURS))

    assert send(phone, tap, later) == ["applied", "refused"]
    assert Answer.objects.get().answered_at.isoformat() == tap["occurred_at"]


@pytest.mark.parametrize("wrong_by", [timedelta(days=2), -timedelta(days=2)])
@pytest.mark.parametrize("month_and_day", [(3, 27), (3, 29), (10, 30), (11, 1)])
def test_clock_that_is_wrong_by_days_is_put_right_when_the_clocks_change(
    phone: Phone, month_and_day: tuple[int, int], wrong_by: timedelta
) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    with time_machine.travel(datetime(2027, *month_and_day, 10, tzinfo=UTC), tick=False):
        really = make.now() - timedelta(minutes=90)
        tap = entry("check_in", job, {"minutes": 120}, occurred_at=(really + wrong_by).isoformat())
        send(Phone(phone.engineer), tap, wrong_by=wrong_by)

    timer = CheckIn.objects.get()
    assert (timer.started_at, timer.due_at) == (really, really + timedelta(minutes=120))


def test_time_of_the_site_s_zone_is_put_right_when_the_clocks_change() -> None:
    really = datetime(2027, 10, 30, 10, tzinfo=UTC)
    clock = phone_clock((really + timedelta(days=2)).isoformat(), received_at=really)

    assert clock.to_server_time(local_time(really + timedelta(days=2))) == really


def test_photo_s_own_time_is_put_right(phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    taken_at = (make.now() + HOURS).isoformat()
    body = {"photo_id": "00000000-0000-0000-0000-000000000002", "question": "PHO01", "taken_at": taken_at}
    send(phone, entry("photo_taken", job, body, occurred_at=taken_at), wrong_by=HOURS)

    assert is_near(job.photos.get().taken_at, make.now())


def test_engineer_gets_each_result(phone: Phone) -> None:
    results = [
        phone.post({"sent_at": (make.now() + wrong).isoformat(), "messages": []}).json()["clock_words"]
        for wrong in (timedelta(), HOURS)
    ]

    assert results == [
        "",
        "This phone's clock is 3 h ahead. Your times were corrected. Check the clock settings.",
    ]


@pytest.mark.parametrize("sent_at", [None, 7, "", "soon", "2026-11-23T08:00:00", "0001-01-01T00:00:00Z"])
def test_unreadable_clock_is_believed(phone: Phone, sent_at: object) -> None:
    assert phone_clock(sent_at, received_at=make.now()).ahead == timedelta()
    job = assigned(phone.engineer)
    answer = phone.post({"sent_at": sent_at, "messages": [entry("en_route", job, {"position": POSITION})]})

    assert answer.json()["results"][0]["outcome"] == "applied"


def test_time_at_the_edge_of_time_is_refused(phone: Phone) -> None:
    job = assigned(phone.engineer)
    message = entry("en_route", job, {"position": POSITION}, occurred_at="0001-01-01T01:00:00Z")

    assert send(phone, message, wrong_by=HOURS) == ["refused"]


@pytest.mark.parametrize(
    ("minutes", "text"), [(180, "3 h ahead"), (-5, "5 min behind"), (90, "1 h 30 min ahead")]
)
def test_difference_as_text(minutes: int, text: str) -> None:
    assert describe_difference(timedelta(minutes=minutes)) == text
