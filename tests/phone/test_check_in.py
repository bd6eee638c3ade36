"""Working alone: a timer set on the phone alarms the office when it runs out, until somebody has seen to it."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.utils.html import strip_tags

from board.board_version import read_version
from dispatch.models import Job
from dispatch.states import JobState
from engineers import lone_worker
from engineers.models import AuditEntry, CheckIn, CheckInEnd, LastPosition
from engineers.moment_texts import format_day, format_time
from engineers.shifts import local_time
from monitoring.alarms import open_alarms
from tests import make
from tests.board.office import signed_in
from tests.phone.phone import Phone, entry

ALARM = "Erin Engineer has not checked in"


@pytest.fixture
def job(phone: Phone) -> Job:
    return make.job(at_state=JobState.ON_SITE, to=phone.engineer)


@pytest.fixture
def office(db: None) -> Client:
    return signed_in()


def later(minutes: int) -> time_machine.travel:
    return time_machine.travel(make.now() + timedelta(minutes=minutes))


def board(office: Client) -> str:
    """Its texts; names are links."""
    return strip_tags(office.get("/board/").content.decode())


def press(office: Client, action: str) -> int:
    return office.post(f"/board/check-ins/{CheckIn.objects.get().pk}/{action}/").status_code


def test_timer_that_runs_out_alarms_every_page_of_the_office(phone: Phone, job: Job, office: Client) -> None:
    assert phone.say("check_in", job, {"minutes": 30})["outcome"] == "applied"
    with later(29):
        assert ALARM not in board(office)
        before = read_version()
    with later(31):
        paths = ("/board/", "/board/messages/", f"/board/jobs/{job}/")
        pages = [office.get(path).content.decode() for path in paths]

        assert [ALARM in strip_tags(page) for page in pages] == [True] * 3
        assert read_version().trouble != before.trouble
    for text in ("tel:07700900123", f"/board/jobs/{job}/", "12 Chapel Row", "53.80000, −1.55000"):
        assert text in pages[0]


def test_check_in_on_time_prevents_the_alarm_and_a_late_one_clears_it(
    phone: Phone, job: Job, office: Client
) -> None:
    phone.say("check_in", job, {"minutes": 30})
    with later(31):
        assert ALARM in board(office)
        phone.say("check_in_done", job)
        assert ALARM not in board(office)
    assert CheckIn.objects.get().end_reason == CheckInEnd.DONE


def test_alarm_of_an_earlier_day_says_its_day(phone: Phone, job: Job, office: Client) -> None:
    phone.say("check_in", job, {"minutes": 30})
    due, seen = CheckIn.objects.get().due_at, LastPosition.objects.get().taken_at
    with later(31):
        assert f"Due at {format_time(due)}, 1 min ago" in board(office)
    with time_machine.travel(due + timedelta(days=1)):
        page, alarms = board(office), strip_tags(office.get("/board/alarms/").content.decode())

    day = format_day(local_time(due).date())
    assert f"Due on {day} at {format_time(due)}, 1440 min ago" in page
    # half an hour before, which is another day in the last half hour of one
    seen_on = format_day(local_time(seen).date())
    assert f"last position 53.80000, −1.55000 on {seen_on} at {format_time(seen)}" in page
    assert f"was due on {day} at {format_time(due)}, 1440 min ago" in alarms


def test_more_time_replaces_the_timer(phone: Phone, job: Job, office: Client) -> None:
    phone.say("check_in", job, {"minutes": 30})
    phone.say("check_in", job, {"minutes": 60})

    with later(31):
        assert ALARM not in board(office)
    with later(61):
        assert ALARM in board(office)
    assert list(CheckIn.objects.order_by("pk").values_list("end_reason", flat=True)) == [CheckInEnd.AGAIN, ""]


def hours_ago(hours: int) -> str:
    return (make.now() - timedelta(hours=hours)).isoformat()


def test_message_from_before_the_timer_does_not_end_it(phone: Phone, job: Job) -> None:
    """It stood in the queue of another phone of this engineer's."""
    phone.say("check_in", job, {"minutes": 30})

    assert phone.say("check_in_done", job, occurred_at=hours_ago(2))["outcome"] == "applied"

    assert CheckIn.objects.get().end_reason == ""


@pytest.mark.parametrize("newer", ["running", "done"])
def test_timer_that_comes_after_a_newer_sign_is_over(
    phone: Phone, job: Job, office: Client, newer: str
) -> None:
    phone.say("check_in", job, {"minutes": 30})
    if newer == "done":
        phone.say("check_in_done", job)

    phone.say("check_in", job, {"minutes": 60}, occurred_at=hours_ago(3))

    old = CheckIn.objects.get(due_at__lt=make.now())
    running = CheckIn.objects.running().count()
    assert (old.end_reason, running) == (CheckInEnd.AGAIN, 1 if newer == "running" else 0)
    assert ALARM not in board(office)


def test_timer_that_is_set_after_the_office_called_runs_by_a_clock_that_is_behind(
    phone: Phone, job: Job, office: Client
) -> None:
    """A phone's clock is not corrected for a minute and a half; the office's click is by ours."""
    phone.say("check_in", job, {"minutes": 30})
    with later(31):
        press(office, "reached")
    with later(32):
        behind = (make.now() - timedelta(seconds=90)).isoformat()
        phone.say("check_in", job, {"minutes": 30}, occurred_at=behind)

        assert CheckIn.objects.running().count() == 1
    with later(63):
        assert ALARM in board(office)


def test_timer_of_a_clock_that_was_ahead_stops_no_later_one_and_is_ended_like_any_other(
    phone: Phone, job: Job
) -> None:
    with later(180):
        phone.say("check_in", job, {"minutes": 30})

    phone.say("check_in", job, {"minutes": 60})
    assert CheckIn.objects.running().get().due_at < make.now() + timedelta(minutes=61)

    with later(180):
        phone.say("check_in", job, {"minutes": 30})
    phone.say("check_in_done", job)
    assert not CheckIn.objects.running().exists()


def test_closing_the_job_is_a_check_in_too(phone: Phone, job: Job) -> None:
    make.answer_all(job, code="HAZ")
    phone.say("check_in", job, {"minutes": 30})
    assert phone.say("close", job, {"code": "HAZ", "remarks": "Loose roof tiles"})["outcome"] == "applied"

    assert CheckIn.objects.get().end_reason == CheckInEnd.CLOSED


def test_dispatcher_acknowledges_an_alarm_then_clears_it(phone: Phone, job: Job, office: Client) -> None:
    phone.say("check_in", job, {"minutes": 30})
    with later(31):
        assert [press(office, "seen") for _ in range(2)] == [302, 302]
        page = board(office)
        assert (ALARM in page, "Dana Dispatch has been handling this since" in page) == (True, True)
        assert "I'll handle it" not in page
        press(office, "reached")
        assert ALARM not in board(office)

    assert CheckIn.objects.get().end_reason == CheckInEnd.OFFICE
    audited = AuditEntry.objects.filter(action__startswith="check_in").values_list("action", flat=True)
    assert sorted(audited) == ["check_in_reached", "check_in_seen"]


def test_dispatcher_gives_an_overdue_engineer_back(phone: Phone, job: Job, office: Client) -> None:
    phone.say("check_in", job, {"minutes": 30})
    with later(31):
        press(office, "seen")
        lone_worker.watch_check_ins()
        handled = open_alarms().exists()
        assert "Stop handling" in board(office)
        press(office, "release")
        lone_worker.watch_check_ins()

        assert (handled, open_alarms().exists()) == (False, True)
        assert "I'll handle it" in board(office)


def test_second_dispatcher_reads_who_is_handling_it(phone: Phone, job: Job, office: Client) -> None:
    phone.say("check_in", job, {"minutes": 30})
    with later(31):
        press(office, "seen")
        second = signed_in()
        press(second, "seen")
        page = board(second)

    assert "Dana Dispatch has been handling this since" in page
    assert "You are now handling" not in page


@pytest.mark.parametrize("late", ["seen", "release", "reached"])
def test_nobody_handles_a_check_in_that_is_over(phone: Phone, job: Job, office: Client, late: str) -> None:
    phone.say("check_in", job, {"minutes": 30})
    with later(31):
        press(office, "seen")
        press(office, "reached")
        second = signed_in()
        press(second, late)
        page = board(second)

    assert ("This entry has changed since" in page, "has been handling this" in page) == (True, False)


def test_timer_set_in_a_cellar_counts_from_its_tap(phone: Phone, job: Job, office: Client) -> None:
    tapped = make.now() - timedelta(minutes=45)
    phone.send(entry("check_in", job, {"minutes": 30}, occurred_at=tapped.isoformat()))

    assert ALARM in board(office)


@pytest.mark.parametrize("minutes", [30, 60, 120])
@pytest.mark.parametrize(
    "started_at",
    [
        datetime(2027, 3, 28, 0, 30, tzinfo=UTC),
        datetime(2027, 10, 30, 23, 30, tzinfo=UTC),
        datetime(2027, 10, 31, 0, 30, tzinfo=UTC),
    ],
)
def test_timer_runs_its_minutes_when_the_clocks_change(
    phone: Phone, job: Job, started_at: datetime, minutes: int
) -> None:
    with time_machine.travel(started_at, tick=False):
        Phone(phone.engineer).say("check_in", job, {"minutes": minutes})

    timer = CheckIn.objects.get()
    assert (timer.started_at, timer.due_at) == (started_at, started_at + timedelta(minutes=minutes))


def test_timer_of_a_job_that_went_still_alarms(phone: Phone, job: Job, office: Client) -> None:
    make.walk(job, at_state=JobState.ASSIGNED, to=make.engineer(name="Sam Second"))

    assert phone.say("check_in", job, {"minutes": 30})["outcome"] == "applied"
    with later(31):
        assert ALARM in board(office)


@pytest.mark.parametrize("body", [{}, {"minutes": 0}, {"minutes": 481}, {"minutes": "soon"}])
def test_impossible_timer_is_refused(phone: Phone, job: Job, body: dict[str, object]) -> None:
    assert phone.say("check_in", job, body)["outcome"] == "refused"


def test_day_carries_the_running_timer(phone: Phone, job: Job) -> None:
    assert phone.json("/phone/day.json")["check_in"] is None
    phone.say("check_in", job, {"minutes": 30})
    check_in = phone.json("/phone/day.json")["check_in"]

    running = CheckIn.objects.get()
    assert check_in == {
        "job": str(job),
        "started_at": running.started_at.isoformat(),
        "due_at": (running.started_at + timedelta(minutes=30)).isoformat(),
    }


def test_unknown_action_is_not_there(phone: Phone, job: Job, office: Client) -> None:
    phone.say("check_in", job, {"minutes": 30})

    assert press(office, "shout") == 404


def test_overdue_engineer_is_on_card_row_and_attention_list(phone: Phone, job: Job, office: Client) -> None:
    with time_machine.travel(make.at("10:00")):
        phone.say("check_in", job, {"minutes": 30})
    with time_machine.travel(make.at("10:31")):
        page = office.get("/board/").context["page"].board
        (lane,) = [lane for lane in page.lanes if lane.cards]
        assert lane.attention == "Has not checked in"
        assert [card.attention and card.attention.short for card in lane.cards] == ["Overdue"]
        opened = office.get("/board/alarms/").context["page"].opened
        assert [(line.title, line.job_id, line.is_unhandled) for line in opened] == [
            ("An engineer has not checked in", str(job), True)
        ]
        assert "Call the engineer now." in opened[0].what_to_do

        press(office, "seen")

        (lane,) = [lane for lane in office.get("/board/").context["page"].board.lanes if lane.cards]
        assert (lane.attention, [card.attention for card in lane.cards]) == ("", [None])
        (line,) = office.get("/board/alarms/").context["page"].opened
        assert "has been handling this since" in line.handled
        press(office, "reached")
        page = office.get("/board/alarms/").context["page"]

    assert page.opened == []
    assert [(line.title, line.job_id) for line in page.cleared] == [
        ("An engineer has not checked in: Reached by the office", str(job))
    ]
    assert "Dana Dispatch" in page.cleared[0].handled
