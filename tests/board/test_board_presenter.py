"""The board of a day as values: the position and text of each card, and how many queries it takes."""

from datetime import date, datetime, time, timedelta

import pytest

from board.day.board_presenter import Board, build_board
from board.day.day_data import load_day
from board.day.timeline import GridPosition
from board.day.view_options import Viewer
from board.jobs.suggestion_lines import suggestion_lines
from dispatch import job_events, jobs, visits
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from engineers.models import Absence
from tests import make
from tests.dispatch.night_visits import AFTER_MIDNIGHT, BEFORE_MIDNIGHT, NEXT_DAY, evening_and_night_job

pytestmark = pytest.mark.django_db
EARLY = "06:30"


def board(clock: str = EARLY) -> Board:
    return build_board(make.DAY, now=make.at(clock), today=make.DAY)


def test_unassigned_job_is_listed_on_the_left() -> None:
    job = make.job(flags=("CHP", "ZZZ"))

    card = board().unassigned[0]

    assert (card.job_id, card.title, card.kind) == (job.provider_job_id, "LS6 3AB", "Installation")
    assert (card.window, card.length) == ("08:00–13:00", "2 h")
    assert [(flag.label, flag.icon) for flag in card.flags] == [
        ("Cherry picker required", "hoist"),
        ("ZZZ", "flag"),
    ]
    assert (card.look.slug, card.look.icon, card.look.label) == ("unassigned", "circle", "Unassigned")


def test_assigned_job_lies_in_its_lane() -> None:
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer)

    lane = board().lanes[0]

    assert (lane.name, lane.load) == ("Erin Engineer", "2 h of 10 h")
    assert [(card.cell, card.look.slug) for card in lane.cards] == [(GridPosition(4, 8), "assigned")]
    assert [block.cell for block in lane.shifts] == [GridPosition(4, 40)]
    assert board().unassigned == []


def test_absence_is_shown_without_its_reason_and_cuts_the_shift() -> None:
    engineer = make.engineer()
    Absence.objects.create(
        engineer=engineer, starts_at=make.at("12:00"), ends_at=make.at("20:00"), reason="Dentist"
    )

    lane = board().lanes[0]

    assert [block.cell for block in lane.absences] == [GridPosition(20, 32)]
    assert "Dentist" not in repr(lane)
    assert (lane.at_work_minutes, lane.to_reassign) == (240, 0)


def test_engineer_who_is_absent_all_day_has_jobs_to_reassign() -> None:
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer)
    make.job(at_state=JobState.CLOSED, to=engineer)
    Absence.objects.create(engineer=engineer, starts_at=make.at("00:00"), ends_at=make.at("23:59"))

    lane = board().lanes[0]

    assert (lane.at_work_minutes, lane.to_reassign) == (0, 1)


def test_cancelled_job_frees_time_and_its_card_gets_a_row_of_its_own() -> None:
    engineer = make.engineer()
    gone = make.job(at_state=JobState.ASSIGNED, to=engineer)
    jobs.cancel_job(job=gone, reason="Changed their mind")
    make.job(at_state=JobState.ASSIGNED, to=engineer)

    lane = board().lanes[0]

    assert sorted((card.look.slug, card.row) for card in lane.cards) == [("assigned", 1), ("cancelled", 0)]
    assert (lane.booked_minutes, lane.depth) == (120, 2)


def test_late_engineer_is_at_risk() -> None:
    make.job(at_state=JobState.ASSIGNED)

    card = board("08:30").lanes[0].cards[0]

    assert (card.risk.slug, card.risk.label) == ("at-risk", "At risk")
    assert card.risk.reason == "38 min late: predicted 08:38, planned 08:00. Not started travelling."
    assert (board("08:30").at_risk, board("08:30").late) == (1, 0)
    assert board("09:20").lanes[0].status.text == "1 h 27 late"


def test_closed_without_visit_says_why() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    make.close_without_visit(job, remarks="Line works already")

    card = board().lanes[0].cards[0]

    assert (card.look.slug, card.look.icon) == ("closed", "check-bar")
    assert card.look.label.startswith("Closed: ")
    assert card.can_move is False


def test_late_report_is_marked_on_the_card() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    make.act(
        job_events.record_late,
        job=job,
        by=make.office(),
        what=EventKind.ON_SITE,
        occurred_at=make.now(),
        facts={},
    )

    assert [card.reported_late for card in board().lanes[0].cards] == [True]


def test_suspended_engineer_is_shown_only_while_holding_a_visit() -> None:
    holder, other = make.engineer(name="Hal Holder"), make.engineer(name="Olga Other")
    make.job(at_state=JobState.ASSIGNED, to=holder)
    for engineer in (holder, other):
        engineer.user.is_active = False
        engineer.user.save()

    assert [lane.name for lane in board().lanes] == ["Hal Holder"]


def test_counts_look_beyond_the_day() -> None:
    make.job(day=make.DAY + timedelta(days=3))
    make.job(located=False)

    page = board()

    assert (len(page.unassigned), page.waiting_elsewhere, page.needing_location) == (1, 1, 1)


@pytest.mark.parametrize("rows", [1, 3])
def test_number_of_queries_does_not_grow(rows: int, django_assert_num_queries: object) -> None:
    for _ in range(rows):
        engineer = make.engineer()
        make.job(at_state=JobState.ASSIGNED, to=engineer)
        make.job(at_state=JobState.ON_SITE, to=make.engineer())
        make.job()

    with django_assert_num_queries(18):
        page = board()

    assert (len(page.unassigned), len(page.lanes)) == (rows, 2 * rows)


def test_break_is_drawn_and_is_no_working_time() -> None:
    make.give_break(make.engineer())

    lane = board().lanes[0]

    assert [block.cell for block in lane.shifts] == [GridPosition(4, 40)]
    assert [(block.cell, block.text) for block in lane.breaks] == [(GridPosition(20, 2), "12:00–12:30")]
    assert lane.at_work_minutes == 570


def test_visit_over_midnight_lies_on_both_days() -> None:
    engineer, tuesday = make.engineer(), make.DAY + timedelta(days=1)
    engineer.shifts.filter(weekday=0).update(starts=time(20), ends=time(4))
    engineer.shifts.exclude(weekday=0).delete()
    job = make.job(duration_minutes=240)
    Job.objects.update(window_start=make.at("22:00"), window_end=make.at("06:00", day=tuesday))
    visits.assign(job=job, engineer=engineer, starts_at=make.at("22:00"), by=make.office())

    (first,), (second,) = (
        build_board(day, now=make.at(EARLY), today=make.DAY).lanes for day in (make.DAY, tuesday)
    )

    assert [(card.cell, card.planned) for card in first.cards] == [
        (GridPosition(60, 8), "Mon 23 Nov 22:00 – Tue 24 Nov 02:00")
    ]
    assert [card.cell for card in second.cards] == [GridPosition(0, 8)]
    assert [block.cell for block in first.shifts + second.shifts] == [
        GridPosition(52, 16),
        GridPosition(0, 16),
    ]
    assert [lane.load for lane in (first, second)] == ["2 h of 4 h", "2 h of 4 h"]


@pytest.mark.parametrize("now", [BEFORE_MIDNIGHT, AFTER_MIDNIGHT])
def test_card_after_midnight_knows_the_visit_that_holds_it_up(now: datetime) -> None:
    evening, following = evening_and_night_job()

    board = build_board(NEXT_DAY, now=now, today=make.DAY)

    (risk,) = [card.risk for lane in board.lanes for card in lane.cards if card.job_id == str(following)]
    assert risk.slug == "late"
    assert f"The visit at {evening.title} takes longer." in risk.reason


def test_first_card_of_a_day_knows_nothing_of_the_evening_before() -> None:
    """The engineer has slept in between, wherever the last visit was."""
    engineer = make.engineer(ends="22:00")
    for day in (make.DAY, NEXT_DAY):
        job = make.job(day=day, window=("08:00", "21:00"), duration_minutes=60)
        clock = "20:00" if day == make.DAY else "08:30"
        visits.assign(job=job, engineer=engineer, starts_at=make.at(clock, day=day), by=make.office())
    data = load_day(NEXT_DAY, now=make.at(EARLY), open_alarms=(), viewer=Viewer())

    assert list(data.forecasts.of_visits) == [job.visits.get().pk]


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25)])
def test_night_of_a_clock_change_is_drawn_to_its_real_length(day: date, hours: int) -> None:
    """From 00:30 to 06:30 by the clock: five hours in March, seven in October."""
    engineer = make.engineer(starts="00:00", ends="08:00")
    job = make.job(duration_minutes=hours * 60 - 18 * 60, day=day)
    Job.objects.update(window_start=make.at("00:00", day=day), window_end=make.at("08:00", day=day))
    visits.assign(job=job, engineer=engineer, starts_at=make.at("00:30", day=day), by=make.office())

    page = build_board(day, now=make.at("00:00", day=day), today=day)

    (card,) = page.lanes[0].cards
    assert (card.planned, card.length) == ("00:30–06:30", f"{hours - 18} h")
    assert card.cell == GridPosition(2, 4 * (hours - 18))
    assert (page.lanes[0].at_work_minutes, page.quarters) == (60 * (hours - 16), 4 * (hours - 4))


def test_drive_is_drawn_before_its_visit_and_is_tight_where_the_plan_is() -> None:
    engineer = make.engineer()
    near, far = (make.job(duration_minutes=60) for _ in range(2))
    Job.objects.filter(pk=far.pk).update(latitude=54.01)
    far.refresh_from_db()
    for job, clock in ((near, "08:00"), (far, "09:15")):
        visits.assign(job=job, engineer=engineer, starts_at=make.at(clock), by=make.office())

    home, between = board().lanes[0].legs

    assert (home.is_tight, between.is_tight) == (False, True)
    assert home.minutes < 15 < between.minutes
    # 09:15 on an axis of 13 hours from 07:00, and as long before as the drive takes
    assert between.end == pytest.approx(100 * 135 / 780, abs=0.01)
    assert between.end - between.start == pytest.approx(100 * between.minutes / 780, abs=0.2)


@pytest.mark.parametrize("latitude", [53.85, 53.88, 53.9, 53.93])
def test_drive_has_the_number_that_was_suggested(latitude: float) -> None:
    engineer = make.engineer()
    job = make.job(duration_minutes=60)
    Job.objects.filter(pk=job.pk).update(latitude=latitude)
    job.refresh_from_db()
    (offer,) = suggestion_lines(job, visit=None)
    starts_at = datetime.fromisoformat(offer.starts_at)
    visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=make.office())

    (leg,) = board().lanes[0].legs

    assert f" {leg.minutes} min drive" in offer.text
