"""Create, locate, cancel, close: one test per exit."""

import pytest
import time_machine

from dispatch import jobs, locations, visits
from dispatch.job_events import IllegalEvent
from dispatch.models import Job
from dispatch.states import EventKind, JobState, JobType
from tests import make

pytestmark = pytest.mark.django_db


def test_pack_becomes_a_job_to_place() -> None:
    creation = jobs.create_job(pack=make.pack(seller_job_id="S-1", flags=("CHP", "NEW")))

    job = creation.job
    assert (creation.already_known, job.state, job.flags) == (False, JobState.UNASSIGNED, ["CHP", "NEW"])
    assert (job.seller_job_id, job.postcode, job.postcode_key) == ("S-1", "LS6 3AB", "LS63AB")
    assert len(job.provider_job_id) == 11


@pytest.mark.parametrize(("job_type", "minutes"), [*zip(JobType, [120, 60, 90, 150], strict=True)])
def test_each_job_type_has_its_length(job_type: JobType, minutes: int) -> None:
    assert make.job(job_type=job_type).duration_minutes == minutes


def test_duration_of_the_pack_takes_precedence() -> None:
    assert make.job(duration_minutes=45).duration_minutes == 45


def test_only_installation_and_revisit_have_the_scan() -> None:
    with_scan = [job_type for job_type in JobType if make.job(job_type=job_type).has_ont_scan]

    assert with_scan == [JobType.INSTALLATION, JobType.REVISIT]


def test_same_pack_again_is_known() -> None:
    first = jobs.create_job(pack=make.pack(seller_job_id="S-1"))

    again = jobs.create_job(pack=make.pack(seller_job_id="S-1"))

    assert (again.already_known, again.job) == (True, first.job)
    assert first.job.events.count() == 1


def test_same_seller_job_with_another_content_is_refused() -> None:
    jobs.create_job(pack=make.pack(seller_job_id="S-1"))

    with pytest.raises(jobs.DuplicateJob):
        jobs.create_job(pack=make.pack(seller_job_id="S-1", flags=("CHP",)))

    assert Job.objects.count() == 1


def test_located_job_no_longer_waits() -> None:
    job = make.job(located=False)

    locations.set_location(job=job, latitude=53.8, longitude=-1.5, by=make.office())

    job.refresh_from_db()
    assert not job.needs_location
    assert job.events.last().facts == {"latitude": 53.8, "longitude": -1.5, "found_by": "dispatcher"}


def test_cancelled_job_cannot_be_located() -> None:
    job = make.job(at_state=JobState.CANCELLED)

    with pytest.raises(IllegalEvent):
        locations.set_location(job=job, latitude=53.8, longitude=-1.5, by=make.office())


def test_cancelled_visit_stays_with_its_engineer() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    jobs.cancel_job(job=job, reason="Not wanted")

    assert list(Job.objects.for_engineer(engineer)) == [job]
    assert job.visits.get().ended_at is not None


def test_cancel_on_site_changes_nothing() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    with pytest.raises(jobs.JobAlreadyStarted):
        jobs.cancel_job(job=job)

    job.refresh_from_db()
    assert job.state == JobState.ON_SITE


@pytest.mark.parametrize("state", [JobState.UNASSIGNED, JobState.ASSIGNED, JobState.EN_ROUTE])
def test_result_before_arrival_is_a_late_fact(state: JobState) -> None:
    job = make.job(at_state=state)

    make.result(job, 2)

    assert job.events.last().kind == EventKind.REPORTED_LATE
    assert job.events.last().facts["what"] == EventKind.ONT_PROVISIONED


def test_history_numbers_its_events() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    assert list(job.events.values_list("seq", "from_state", "to_state")) == [
        (1, "", "unassigned"),
        (2, "unassigned", "assigned"),
        (3, "assigned", "en_route"),
        (4, "en_route", "on_site"),
    ]


def test_matrix_edition_is_pinned_once() -> None:
    first, second = make.engineer(), make.engineer(username="second")
    job = make.job(at_state=JobState.EN_ROUTE, to=first)

    make.arrive(job, engineer=first, matrix_edition="sample-1")
    visits.assign(job=job, engineer=second, starts_at=job.window_start, by=make.office())
    make.arrive(job, engineer=second, matrix_edition="sample-2")

    job.refresh_from_db()
    assert job.matrix_edition == "sample-1"


@pytest.mark.parametrize("key", ["uprn", "order", "previous"])
def test_earlier_job_of_the_same_premises_is_found(key: str) -> None:
    earlier = make.job(uprn="1")
    changes = {"uprn": {"uprn": "1"}, "order": {"uprn": "2"}, "previous": {"uprn": "3"}}[key]
    job = make.job(previous_provider_job_id=earlier.provider_job_id if key == "previous" else "", **changes)
    if key != "order":
        Job.objects.filter(pk=job.pk).update(buyer_order_reference="B-other")
        job.refresh_from_db()

    assert list(Job.objects.same_premises(job)) == [earlier]


def test_visit_ends_by_our_clock_whoever_ends_it() -> None:
    """Availability is computed from it: a phone's clock must not free an engineer before or after the fact."""
    closed, cancelled = make.job(at_state=JobState.ASSIGNED), make.job(at_state=JobState.ASSIGNED)
    now = make.at("10:00")

    with time_machine.travel(now, tick=False):
        make.close_without_visit(closed, closed_at=make.at("08:15"))
        jobs.cancel_job(job=cancelled, occurred_at=make.at("09:00"))

    assert [job.visits.get().ended_at for job in (closed, cancelled)] == [now, now]
    assert closed.events.last().occurred_at == make.at("08:15")
