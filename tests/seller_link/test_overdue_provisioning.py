"""Result 4 that grew old: the engineer reads it, the office gets an alarm, and both end with the next result."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from dispatch import attention, jobs
from dispatch.models import Job
from dispatch.states import JobState
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from phone import provisioning_advice
from phone.assigned_jobs import job_version
from seller_link.relay_maintenance import RelayMaintenance
from tests import make
from tests.phone.phone import Phone
from tests.seller_link.legal_packs import FIRST, LAST
from tests.together import after_first_read

pytestmark = pytest.mark.django_db(transaction=True)
LONG_AGO, JUST_NOW = timedelta(minutes=9), timedelta(minutes=7)


@pytest.fixture
def job() -> Job:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    return job


def result(job: Job, result_id: int, *, ago: timedelta = timedelta()) -> None:
    answer = jobs.ProvisioningAnswer(result_id, result_id < 3, "")
    jobs.record_provisioning(job=job, answer=answer, occurred_at=timezone.now() - ago)


def alarmed() -> list[str]:
    return list(open_alarms().filter(kind=AlarmKind.PROVISIONING_OVERDUE).values_list("subject", flat=True))


def test_delay_counts_down_while_the_attempt_may_still_come(job: Job) -> None:
    result(job, 4, ago=JUST_NOW)

    attention.watch_provisioning()

    advice = provisioning_advice.advice_for(job)
    assert advice is not None
    assert (advice.title, bool(advice.until), alarmed()) == (
        "The seller will retry in five minutes",
        True,
        [],
    )


def test_overdue_attempt_says_so_with_the_number_to_call(job: Job, settings: Settings) -> None:
    settings.ORDER_DESK_PHONE = "0113 496 0000"
    result(job, 4, ago=JUST_NOW)
    waiting = job_version(job)
    job.results.update(occurred_at=timezone.now() - LONG_AGO)

    advice = provisioning_advice.advice_for(job)

    assert advice is not None
    assert (advice.title, advice.tone, advice.until) == ("The seller has not retried", "alarm", None)
    assert advice.call == "0113 496 0000"
    assert job_version(job) != waiting


def test_overdue_attempt_is_an_alarm_until_a_result_comes(job: Job) -> None:
    result(job, 4, ago=LONG_AGO)

    RelayMaintenance().run_due()
    assert alarmed() == [job.provider_job_id]

    result(job, 1)
    attention.watch_provisioning()
    assert alarmed() == []


def test_alarm_ends_with_the_job(job: Job) -> None:
    result(job, 4, ago=LONG_AGO)
    attention.watch_provisioning()
    Job.objects.filter(pk=job.pk).update(state=JobState.CLOSED)

    attention.watch_provisioning()

    assert alarmed() == []


def test_delay_of_a_device_that_was_replaced_is_none(job: Job) -> None:
    result(job, 4, ago=LONG_AGO)
    make.scan(job, fsan="ALCLF1234567")

    attention.watch_provisioning()

    assert alarmed() == []


def test_old_delay_that_arrives_after_a_newer_result_is_none(job: Job) -> None:
    result(job, 1)
    result(job, 4, ago=LONG_AGO)

    attention.watch_provisioning()

    assert alarmed() == []
    assert job.events.last().facts["older_than_result"] == 1


@pytest.mark.parametrize("moment", [LAST, FIRST])
@pytest.mark.parametrize("since", [timedelta(), LONG_AGO])
def test_attempt_of_the_calendars_end_counts_from_its_arrival(
    job: Job, moment: datetime, since: timedelta
) -> None:
    """Version 51662c8 stored such results; the limits of profile 1.1 refuse them now."""
    result(job, 4)
    job.results.update(occurred_at=moment, recorded_at=timezone.now() - since)

    attention.watch_provisioning()

    is_overdue = moment == FIRST or bool(since)
    phone = Phone(job.visits.get().engineer)
    assert (alarmed() == [job.provider_job_id], bool(phone.json("/phone/day.json")["broken"])) == (
        is_overdue,
        False,
    )
    assert phone.client.get(f"/phone/jobs/{job}/version.json").status_code == 200


def test_result_that_fails_while_the_watch_looks_stays_an_alarm(job: Job) -> None:
    result(job, 4, ago=JUST_NOW)

    with after_first_read("dispatch_provisioningresult", lambda: result(job, 3)):
        attention.watch_provisioning()

    assert open_alarms().get().kind == AlarmKind.PROVISIONING_FAILED


def test_one_query_finds_what_is_overdue(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(3):
        job = make.job(at_state=JobState.ON_SITE)
        make.scan(job, fsan=f"CXNK0000000{number}")
        result(job, 3)
        result(job, 4, ago=JUST_NOW)
        result(job, 4, ago=timedelta(minutes=1))

    # and one for the alarms that are open
    with django_assert_num_queries(2):
        attention.watch_provisioning()
