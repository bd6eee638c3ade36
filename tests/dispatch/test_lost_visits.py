"""Whoever lost a visit after setting off for it is not at home: forecasts of the day let them drive on from there."""

from datetime import timedelta

import pytest
import time_machine

from board.day.board_presenter import Board, build_board
from board.day.week_data import load_week
from board.jobs.job_panel import build_panel
from closures import closing
from closures.closing import Outcome
from dispatch.models import Job
from dispatch.risk import Level
from tests import make
from tests.dispatch.day_comparisons import planned
from tests.dispatch.test_drives_of_today import FAR, NEAR, WINDOW, end_visit, live_at

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("end", ["cancelled", "reassigned", "unassigned", "closed"])
def test_drive_to_the_next_visit_begins_where_one_was_lost(end: str) -> None:
    """As the check of a new visit has it; from home it would be more than two hours."""
    engineer = live_at(FAR)
    lost = planned(engineer, "09:00", window=WINDOW, latitude=53.93)
    following = planned(engineer, "11:00", window=WINDOW)
    make.start_travel(lost, occurred_at=make.at("08:10"))

    with time_machine.travel(make.at("10:00")):
        lose(lost, end)
    with time_machine.travel(make.at("10:10")):
        (lane,) = [lane for lane in todays_board().lanes if lane.name == engineer.name]
        week = load_week([make.DAY], now=make.at("10:10"))
        panel = risk_of(following)

    assert [leg.minutes for leg in lane.legs][-1] == 33
    assert week.forecasts[make.DAY].of_visits[following.visits.get().pk].late == timedelta()
    assert (lane.status.text, panel) == ("On time", Level.NONE)


def test_visit_that_was_lost_before_anybody_set_off_is_no_place_to_come_from() -> None:
    engineer = live_at(NEAR)
    lost = planned(engineer, "09:00", window=WINDOW, latitude=FAR)
    planned(engineer, "11:00", window=WINDOW)

    with time_machine.travel(make.at("10:00")):
        end_visit(lost, "cancelled")
    with time_machine.travel(make.at("10:10")):
        (lane,) = todays_board().lanes

    assert [leg.minutes for leg in lane.legs][-1] == 33


def todays_board() -> Board:
    return build_board(make.DAY, now=make.at("10:10"), today=make.DAY)


def risk_of(job: Job) -> str:
    return build_panel(job, now=make.at("10:10")).risk.slug


def lose(job: Job, end: str) -> None:
    if end != "closed":
        return end_visit(job, end)
    job.refresh_from_db()
    outcome = Outcome("MBORC", remarks="Road flooded", without_visit=True)
    engineer = closing.attending_engineer(job)
    return closing.close_job(
        job=job, outcome=outcome, by=make.office(), closed_at=make.at("10:00"), engineer=engineer
    )
