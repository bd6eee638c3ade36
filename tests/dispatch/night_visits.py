"""A night shift whose visit of the evening goes on over midnight, so that the next one cannot begin in its window."""

from datetime import datetime, timedelta

import time_machine

from dispatch import visits
from dispatch.models import Job
from tests import make

NEXT_DAY = make.DAY + timedelta(days=1)
# on both sides of midnight the same is to be expected
BEFORE_MIDNIGHT, AFTER_MIDNIGHT = make.at("23:50"), make.at("00:05", day=NEXT_DAY)


def at_night(clock: str) -> datetime:
    """After midnight."""
    return make.at(clock, day=NEXT_DAY)


def evening_and_night_job() -> tuple[Job, Job]:
    """One planned 22:00–23:45 at which the engineer has been since 23:30, so that it ends at 01:15, and one planned for
    00:30 whose window ends at 01:00."""
    night = make.engineer(starts="22:00", ends="06:00")
    evening = make.job(window=("21:00", "23:50"), duration_minutes=105)
    following = make.job(day=NEXT_DAY, window=("00:00", "01:00"), duration_minutes=30)
    for job, starts_at in ((evening, make.at("22:00")), (following, at_night("00:30"))):
        visits.assign(job=job, engineer=night, starts_at=starts_at, by=make.office())
    with time_machine.travel(make.at("23:30")):
        make.arrive(evening)
    return evening, following
