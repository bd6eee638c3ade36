"""The Attention list: loud until somebody takes care of it, on the card, on the row and on every page."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.utils.html import strip_tags

from board.alarms.alarm_presenter import build_attention_list, read_open_alarms
from dispatch import attention, holds, jobs, visits
from dispatch.models import Job, Visit
from dispatch.states import JobState
from engineers.models import Absence, Engineer
from monitoring import alarms
from monitoring.models import Alarm
from tests import make
from tests.board.office import signed_in
from tests.dispatch.night_visits import AFTER_MIDNIGHT, BEFORE_MIDNIGHT, evening_and_night_job

pytestmark = pytest.mark.django_db
PATH = f"/board/?day={make.DAY}"


def open_kinds() -> list[tuple[str, str]]:
    return sorted(alarms.open_alarms().values_list("kind", "subject"))


def cancelled_on_the_way() -> Job:
    job = make.job(at_state=JobState.EN_ROUTE)
    jobs.cancel_job(job=job, reason="Changed their mind")
    return job


def press(client: Client, action: str) -> None:
    answer = client.post(f"/board/alarms/{Alarm.objects.get().pk}/{action}/", {"next": PATH})
    assert (answer.status_code, answer.headers["Location"]) == (302, PATH)


def test_cancellation_on_the_way_is_loud_until_somebody_takes_it() -> None:
    job, client = cancelled_on_the_way(), signed_in()
    board = client.get(PATH).content.decode()
    assert "needs-attention" in board
    assert "Cancelled while en route" in board
    assert '<b class="card-late is-loud">Cancelled</b>' in board
    listed = strip_tags(board[board.index('id="attention"') :])
    assert f"The seller cancelled job {job}" in listed
    assert "What to do: Call the engineer, make sure that nobody goes there" in listed
    assert 'data-unhandled="1"' in client.get("/board/messages/").content.decode()

    press(client, "acknowledge")

    board = client.get(PATH).content.decode()
    assert "needs-attention" not in board
    assert 'data-unhandled="0"' in board
    assert "is handling this since" in board
    press(client, "dismiss")
    assert open_kinds() == []
    cleared = client.get("/board/alarms/").context["page"].cleared
    assert [line.job_id for line in cleared] == [str(job)]


@pytest.mark.parametrize("state", [JobState.UNASSIGNED, JobState.ASSIGNED])
def test_cancellation_before_anybody_has_set_out_needs_nobody(state: JobState) -> None:
    jobs.cancel_job(job=make.job(at_state=state))

    assert open_kinds() == []


@pytest.mark.parametrize("start", [make.start_travel, make.arrive])
def test_engineer_who_starts_a_job_on_hold_is_called(start: Callable[[Job], object]) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    holds.hold_job(job=job, by=make.office(), reason="The network is down")

    start(job)

    assert open_kinds() == [("started_on_hold", str(job))]
    listed = strip_tags(signed_in().get(PATH).content.decode())
    assert f"has started job {job}, {job.address}, although it is on hold. Call" in listed
    holds.release_job(job=job, by=make.office())
    assert open_kinds() == []


def test_hold_of_a_job_that_has_started_needs_no_call() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)
    holds.hold_job(job=job, by=make.office(), reason="The network is down")

    make.arrive(job)

    assert open_kinds() == []


def test_snoozed_entry_comes_back_after_half_an_hour() -> None:
    cancelled_on_the_way()
    client = signed_in()
    press(client, "snooze")
    quiet = client.get("/board/alarms/").context["frame"].unhandled

    with time_machine.travel(make.at("12:31", day=make.DAY - timedelta(days=1))):
        loud = client.get("/board/alarms/").context["frame"].unhandled

    assert (quiet, loud) == (0, 1)


@pytest.mark.parametrize("action", ["acknowledge", "snooze"])
def test_entry_that_somebody_took_can_be_given_back(action: str) -> None:
    cancelled_on_the_way()
    client = signed_in()
    press(client, action)
    page = client.get(PATH).content.decode()
    assert "Stop handling</button>" in page
    assert "I'll handle it</button>" not in page

    press(client, "release")

    again = client.get(PATH)
    assert again.context["frame"].unhandled == 1
    assert "I'll handle it</button>" in again.content.decode()
    assert "Stop handling</button>" not in again.content.decode()


def test_check_that_raised_it_clears_it_and_nobody_else() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 6)
    assert open_kinds() == [("provisioning_failed", str(job))]
    press(signed_in(), "dismiss")
    assert open_kinds() == [("provisioning_failed", str(job))]

    make.result(job, 1)

    assert open_kinds() == []


def test_unknown_action_and_foreign_next_are_refused() -> None:
    cancelled_on_the_way()
    client, pk = signed_in(), Alarm.objects.get().pk

    assert client.post(f"/board/alarms/{pk}/delete/").status_code == 404
    assert client.post("/board/alarms/999999/acknowledge/").status_code == 404
    assert client.get(f"/board/alarms/{pk}/acknowledge/").status_code == 405
    for address in ("https://evil.example/", "//evil.example/", "1_000", "board:day", "24:00", "../x"):
        answer = client.post(f"/board/alarms/{pk}/acknowledge/", {"next": address})
        assert answer.headers["Location"] == "/board/", address


def test_version_changes_when_somebody_takes_an_entry() -> None:
    cancelled_on_the_way()
    client = signed_in()
    before = client.get("/board/version").json()["version"]

    press(client, "acknowledge")

    assert client.get("/board/version").json()["version"] != before


def watched(clock: str, *, days_later: int = 0) -> list[tuple[str, str]]:
    with time_machine.travel(make.at(clock) + timedelta(days=days_later)):
        attention.watch_day()
    return open_kinds()


def test_job_that_will_miss_its_window_is_on_the_list_until_it_does_not() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    assert watched("09:00") == []
    assert watched("12:58") == [("job_late", str(job))]
    assert watched("12:59") == [("job_late", str(job))]
    assert Alarm.objects.count() == 1
    jobs.cancel_job(job=job)
    assert watched("13:00") == []


def test_unassigned_job_is_on_the_list_when_time_runs_out() -> None:
    job = make.job()

    # two hours of work and one to find somebody, before 13:00
    assert watched("09:59") == []
    assert watched("10:01") == [("job_late", str(job))]
    # missed now, and on the list until it is closed or planned anew
    assert watched("13:01") == [("job_late", str(job))]
    assert "nobody was on site" in str(alarms.text_of(Alarm.objects.get()))
    make.close_without_visit(job)
    assert watched("13:02") == []


def test_agreed_start_is_on_the_list_only_when_it_is_missed() -> None:
    job = make.agreed_job()

    assert watched("13:05") == []
    assert watched("15:05") == [("job_late", str(job))]
    assert "at the agreed time (Mon 23 Nov, 15:00)" in str(alarms.text_of(Alarm.objects.get()))
    assert watched("15:11") == [("job_late", str(job))]
    assert "the agreed start (Mon 23 Nov, 15:00) has passed" in str(alarms.text_of(Alarm.objects.get()))


def test_alarm_and_card_see_the_same_day() -> None:
    """A visit that has ended is where the engineer comes from, in the watch as on the board."""
    engineer = make.engineer()
    engineer.home_latitude, engineer.home_longitude = 54.8, -1.56
    engineer.save()
    done = make.job(at_state=JobState.ASSIGNED, to=engineer, duration_minutes=60)
    following = make.job(window=("08:00", "10:30"), duration_minutes=30)
    Visit.objects.create(
        job=following, engineer=engineer, planned_start=make.at("10:00"), planned_end=make.at("10:30")
    )
    Job.objects.filter(pk=following.pk).update(state=JobState.ASSIGNED)
    Job.objects.filter(pk=done.pk).update(state=JobState.CLOSED)
    Visit.objects.filter(job=done).update(arrived_at=make.at("08:00"), ended_at=make.at("09:30"))

    assert watched("09:40") == []


@pytest.mark.parametrize("now", [BEFORE_MIDNIGHT, AFTER_MIDNIGHT])
def test_visit_that_goes_on_over_midnight_makes_the_next_one_late(now: datetime) -> None:
    _evening, following = evening_and_night_job()

    with time_machine.travel(now):
        attention.watch_day()

    assert open_kinds() == [("job_late", str(following))]


def test_alarm_names_the_new_engineer_and_is_loud_again() -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=make.engineer(name="Priya Shah"))
    watched("12:58")
    press(signed_in(), "acknowledge")
    assert not alarms.is_unhandled(Alarm.objects.get(), now=make.now())
    visit = job.visits.get()
    visit.engineer = make.engineer(name="Tom Hill")
    visit.save()

    watched("12:59")

    alarm = Alarm.objects.get()
    assert "Tom Hill" in str(alarms.text_of(alarm))
    assert alarms.is_unhandled(alarm, now=make.now())


def handed_over(clock: str = "14:00") -> Job:
    """Begun by somebody who could not go on."""
    job = make.job(at_state=JobState.ON_SITE)
    visits.assign(
        job=job, engineer=make.engineer(name="Olu Other"), starts_at=make.at(clock), by=make.office()
    )
    return job


def test_job_that_was_begun_is_not_missed() -> None:
    handed_over()

    assert watched("13:30") == []


def test_job_that_nobody_continues_is_on_the_list_until_somebody_does() -> None:
    job = handed_over()

    assert watched("14:09") == []
    assert watched("14:10") == [("job_late", str(job))]
    assert str(alarms.text_of(Alarm.objects.get())) == (
        f"Job {job}, 12 Chapel Row, Leeds, LS6 3AB was begun, and Olu Other was to continue it (Mon 23 Nov, 14:00). "
        "Nobody is on site."
    )
    assert watched("09:00", days_later=10) == [("job_late", str(job))]
    make.arrive(job)
    assert watched("09:01", days_later=10) == []


def test_job_that_was_begun_in_time_is_not_late_once_a_colleague_goes_on() -> None:
    job, next_day = make.job(at_state=JobState.ON_SITE), make.DAY + timedelta(days=1)
    nine = make.at("09:00", day=next_day)
    visits.assign(job=job, engineer=make.engineer(), starts_at=nine, by=make.office())
    with time_machine.travel(nine):
        make.arrive(job)

    assert watched("09:10", days_later=1) == []


def test_begun_job_without_an_engineer_is_on_the_list_until_it_has_one() -> None:
    job = handed_over()
    visits.unassign(job=job, by=make.office())

    assert watched("13:00") == [("job_late", str(job))]
    assert "was begun and has no engineer" in str(alarms.text_of(Alarm.objects.get()))
    visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("16:00"), by=make.office())
    assert watched("13:01") == []


def test_place_that_is_none_on_earth_stops_neither_board_nor_watch() -> None:
    engineer = make.engineer()
    Engineer.objects.filter(pk=engineer.pk).update(home_latitude=531.0, home_longitude=float("1e300"))
    make.job(at_state=JobState.ASSIGNED, to=engineer)

    assert watched("07:00") == []
    assert signed_in().get(PATH).status_code == 200


def test_result_of_an_older_scan_raises_nothing() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    old = make.scan(job, fsan="CXNK0000000A")
    make.scan(job, fsan="CXNK0000000B")
    make.result(job, 1)

    jobs.record_provisioning(
        job=job,
        answer=jobs.ProvisioningAnswer(6, success=False, details="late", scan_id=old.scan_id),
        occurred_at=make.now(),
    )

    assert open_kinds() == []


def test_second_of_two_dispatchers_reads_who_was_first() -> None:
    cancelled_on_the_way()
    client, pk = signed_in(), Alarm.objects.get().pk
    press(client, "acknowledge")

    page = client.post(f"/board/alarms/{pk}/snooze/", {"next": PATH}, follow=True).content.decode()

    assert "Dana Dispatch is handling this since" in page
    assert Alarm.objects.get().acknowledged_at is not None


@pytest.mark.parametrize("late", ["acknowledge", "release", "dismiss"])
def test_nobody_handles_an_alarm_that_is_cleared(late: str) -> None:
    cancelled_on_the_way()
    client, pk = signed_in(), Alarm.objects.get().pk
    press(client, "acknowledge")
    press(client, "dismiss")

    page = client.post(f"/board/alarms/{pk}/{late}/", {"next": PATH}, follow=True).content.decode()

    assert ("This entry has changed since" in page, "is handling this since" in page) == (True, False)


def test_entries_of_all_pages_come_before_single_late_jobs() -> None:
    cancelled_on_the_way()
    for _ in range(3):
        make.job()
    watched("10:01")

    assert [line.title for line in build_attention_list(read_open_alarms(2))] == [
        "Cancelled while en route",
        "A job is late",
    ]


def test_absent_engineer_with_jobs_is_on_the_list_and_on_the_row() -> None:
    engineer = make.engineer(name="Erin Engineer")
    make.job(at_state=JobState.ASSIGNED, to=engineer)
    absence = Absence.objects.create(
        engineer=engineer, starts_at=make.at("00:00"), ends_at=make.at("23:59"), reason="Sick"
    )

    assert watched("07:00") == [("engineer_absent", engineer.staff_number)]
    board = signed_in().get(PATH).content.decode()
    assert "Erin Engineer is absent and still has 1 job today." in strip_tags(board)
    assert "Sick" not in board
    absence.delete()
    assert watched("07:05") == []


def test_watch_costs_the_same_for_one_engineer_and_for_three(django_assert_num_queries: object) -> None:
    for _ in range(3):
        make.job(at_state=JobState.ASSIGNED, to=make.engineer())
        make.job()

    with time_machine.travel(make.at("07:00")), django_assert_num_queries(13):  # type: ignore[operator]
        attention.watch_day()

    assert Engineer.objects.count() == 3


@pytest.mark.parametrize(("clock", "is_late"), [("09:59", False), ("10:01", True)])
def test_unassigned_job_is_loud_among_the_waiting_when_listed(clock: str, is_late: bool) -> None:
    make.job()
    assert bool(watched(clock)) == is_late
    with time_machine.travel(make.at(clock)):
        board = signed_in().get(PATH).content.decode()
    waiting = board[board.index('id="waiting"') : board.index('id="middle"')]
    assert ("needs-attention" in waiting) == is_late
    assert ('<b class="card-late is-loud">Late</b>' in waiting) == is_late


def test_row_head_says_what_nobody_takes_care_of() -> None:
    cancelled_on_the_way()
    absent = make.engineer(name="Abe Absent")
    make.job(at_state=JobState.ASSIGNED, to=absent)
    Absence.objects.create(engineer=absent, starts_at=make.at("00:00"), ends_at=make.at("23:59"))
    watched("07:00")

    with time_machine.travel(make.at("07:01")):
        lanes = signed_in().get(PATH).context["page"].board.lanes

    assert [(lane.name, lane.attention) for lane in lanes] == [
        ("Abe Absent", "An engineer who is away has jobs"),
        ("Erin Engineer", "Cancelled while en route"),
    ]
