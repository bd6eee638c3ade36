"""The board of a day as values: who lies where, what it says, and how many queries it takes."""

from datetime import timedelta

import pytest
from django.utils import timezone

from board.day.board_presenter import Board, build_board
from board.day.timeline import GridPosition
from closures import closing
from closures.closing import Outcome
from dispatch import jobs, visits
from dispatch.states import EventKind, JobState
from engineers.models import Absence
from tests import make

pytestmark = pytest.mark.django_db
EARLY = "06:30"


def board(clock: str = EARLY) -> Board:
    return build_board(make.DAY, now=make.at(clock), today=make.DAY)


def test_waiting_job_stands_on_the_left() -> None:
    job = make.job(flags=("CHP", "ZZZ"))

    card = board().unassigned[0]

    assert (card.job_id, card.title, card.kind) == (job.provider_job_id, "LS6 3AB", "Installation")
    assert (card.window, card.length) == ("08:00–13:00", "2 h")
    assert [(flag.words, flag.icon) for flag in card.flags] == [
        ("Cherry picker required", "hoist"),
        ("ZZZ", "flag"),
    ]
    assert (card.look.slug, card.look.icon, card.look.word) == ("unassigned", "circle", "Unassigned")


def test_assigned_job_lies_in_its_lane() -> None:
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer)

    lane = board().lanes[0]

    assert (lane.name, lane.booked, lane.at_work) == ("Erin Engineer", "2 h", "10 h")
    assert [(card.place, card.look.slug) for card in lane.cards] == [(GridPosition(4, 8), "assigned")]
    assert [block.place for block in lane.shifts] == [GridPosition(4, 40)]
    assert board().unassigned == []


def test_absence_is_shown_with_its_reason_and_cuts_the_shift() -> None:
    engineer = make.engineer()
    Absence.objects.create(
        engineer=engineer, starts_at=make.at("12:00"), ends_at=make.at("20:00"), reason="Dentist"
    )

    lane = board().lanes[0]

    assert [block.words for block in lane.absences] == ["Dentist"]
    assert (lane.at_work, lane.to_reassign) == ("4 h", 0)


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
    assert (lane.booked, lane.depth) == ("2 h", 2)


def test_late_engineer_is_at_risk() -> None:
    make.job(at_state=JobState.ASSIGNED)

    card = board("08:30").lanes[0].cards[0]

    assert (card.risk.slug, card.risk.word) == ("alarm", "At risk")
    assert card.risk.reason == "30 min late, due at 08:00"
    assert board("08:30").at_risk == 1


def test_closed_without_visit_says_why() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    closing.close_job(
        job=job,
        ending=Outcome("NTR", remarks="Line works already"),
        by=make.office(),
        closed_at=timezone.now(),
        engineer=None,
    )

    card = board().lanes[0].cards[0]

    assert (card.look.slug, card.look.icon) == ("closed", "check-bar")
    assert card.look.word.startswith("Closed: ")
    assert card.can_move is False


def test_late_report_is_marked_on_the_card() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    visits.report_late(job=job, by=make.office(), what=EventKind.ON_SITE, occurred_at=make.now(), facts={})

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

    shown = board()

    assert (len(shown.unassigned), shown.waiting_elsewhere, shown.needing_location) == (1, 1, 1)


@pytest.mark.parametrize("rows", [1, 3])
def test_number_of_queries_does_not_grow(rows: int, django_assert_num_queries: object) -> None:
    for _ in range(rows):
        engineer = make.engineer()
        make.job(at_state=JobState.ASSIGNED, to=engineer)
        make.job(at_state=JobState.ON_SITE, to=make.engineer())
        make.job()

    with django_assert_num_queries(10):
        shown = board()

    assert (len(shown.unassigned), len(shown.lanes)) == (rows, 2 * rows)
