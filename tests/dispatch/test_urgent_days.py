"""An urgent job is planned on the first day of its window on which somebody can still do it."""

from datetime import date, timedelta

import pytest
import time_machine

from dispatch.models import ChangeKind, Job, Occasion
from engineers.models import HeldSkill, ShiftException
from engineers.shifts import local_time
from tests import make
from tests.dispatch.day_comparisons import compared, job_at, kinds, proposal_of

pytestmark = pytest.mark.django_db
TUESDAY, THURSDAY = (make.DAY + timedelta(days=days) for days in (1, 3))


def urgent_job(**fields: object) -> Job:
    """Its window ends on Thursday evening."""
    job = job_at(53.82, **fields)
    job.window_end = make.at("18:00", day=THURSDAY)
    job.save(update_fields=["window_end"])
    return job


def day_planned(job: Job, clock: str) -> tuple[date, dict[int, str]]:
    with time_machine.travel(make.at(clock), tick=True):
        proposal = proposal_of(compared(Occasion.URGENT_JOB, job=job))
    return local_time(proposal.starts_at).date(), kinds(proposal)


@pytest.mark.parametrize(("clock", "day"), [("10:00", make.DAY), ("17:30", TUESDAY), ("22:30", TUESDAY)])
def test_day_on_which_somebody_works_long_enough(clock: str, day: date) -> None:
    make.engineer()
    job = urgent_job()

    assert day_planned(job, clock) == (day, {job.pk: ChangeKind.ASSIGN})


def test_day_off_is_skipped() -> None:
    engineer = make.engineer()
    ShiftException.objects.create(engineer=engineer, day=TUESDAY)
    job = urgent_job()

    assert day_planned(job, "22:30") == (TUESDAY + timedelta(days=1), {job.pk: ChangeKind.ASSIGN})


def test_only_who_has_the_skill_that_day_counts() -> None:
    make.engineer(skills=())
    able = make.engineer(skills=("mdu",))
    ShiftException.objects.create(engineer=able, day=make.DAY)
    job = urgent_job(flags=("MDU",))

    assert day_planned(job, "10:00") == (TUESDAY, {job.pk: ChangeKind.ASSIGN})
    HeldSkill.objects.filter(engineer=able).update(expires_on=make.DAY)
    assert day_planned(job, "10:00") == (make.DAY, {job.pk: ChangeKind.REMAIN_UNASSIGNED})
