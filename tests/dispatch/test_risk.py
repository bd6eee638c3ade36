"""A word and a reason for each danger."""

import pytest

from dispatch.risk import ON_TIME, Level, Risk, assess_risk
from dispatch.states import JobState
from tests import make

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("state", "clock", "said"),
    [
        (JobState.RECEIVED, "05:00", ON_TIME),
        (JobState.RECEIVED, "06:30", Risk(Level.WATCH, "Window starts at 08:00, unassigned")),
        (JobState.RECEIVED, "08:30", Risk(Level.ALARM, "Window started at 08:00, unassigned")),
        (JobState.RECEIVED, "13:30", Risk(Level.ALARM, "Window ended at 13:00, nobody on site")),
        (JobState.ASSIGNED, "08:05", ON_TIME),
        (JobState.ASSIGNED, "08:12", Risk(Level.ALARM, "12 min late, due at 08:00")),
        (JobState.EN_ROUTE, "08:12", Risk(Level.WATCH, "En route, due at 08:00")),
        (JobState.EN_ROUTE, "13:00", Risk(Level.ALARM, "Window ended at 13:00, nobody on site")),
        (JobState.ON_SITE, "14:00", ON_TIME),
        (JobState.CANCELLED, "14:00", ON_TIME),
    ],
)
def test_risk_of_a_job(state: JobState, clock: str, said: Risk) -> None:
    job = make.job(at_state=state)

    visit = job.visits.active().first()

    assert assess_risk(job=job, visit=visit, now=make.at(clock)) == said
