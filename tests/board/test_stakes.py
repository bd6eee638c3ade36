"""Of a job at risk: whose fault it would be now, and what proves it."""

import pytest
import time_machine
from django.utils import timezone

from board.jobs.job_panel import Panel, build_panel
from dispatch import holds
from dispatch.models import Job
from dispatch.states import JobState
from monitoring import alarms
from monitoring.alarms import AlarmKind, alarm_text
from tests import make

pytestmark = pytest.mark.django_db


def panel(job: Job) -> Panel:
    job.refresh_from_db()
    return build_panel(job, now=timezone.now())


def test_job_on_time_has_nothing_at_stake() -> None:
    assert panel(make.job(at_state=JobState.ASSIGNED)).stakes is None


def test_unassigned_job_without_survey_is_the_seller_s_side() -> None:
    stakes = panel(make.job(flags=("SUR",))).stakes

    assert stakes is not None
    assert (stakes.party, stakes.because) == ("Seller's side", "The premises were not surveyed.")
    assert stakes.evidence == []


def test_stuck_provisioning_puts_a_job_on_site_at_risk_with_its_evidence() -> None:
    with time_machine.travel(make.at("09:00")):
        job = make.job(at_state=JobState.ON_SITE)
        make.scan(job)
        make.result(job, 3)
        found = panel(job)

    assert (found.risk.slug, found.risk.reason) == ("at-risk", "Provisioning failed with result 3.")
    assert found.stakes is not None
    assert "provisioning does not work" in found.stakes.because
    assert [text.split(" Mon")[0] for text in found.stakes.evidence] == [
        "En route",
        "On site",
        "ONT scanned",
        "Provisioning result",
    ]


def test_unsafe_site_is_a_hazard_and_a_hold_the_network() -> None:
    job = make.job()
    holds.hold_job(job=job, by=make.office(), reason="Node down")
    held = panel(job).stakes
    alarms.raise_alarm(AlarmKind.SITE_UNSAFE, str(job), alarm_text("site_unsafe"))
    unsafe = panel(job).stakes

    assert held is not None
    assert unsafe is not None
    assert (held.party, unsafe.party) == ("Seller's side", "Hazard")
