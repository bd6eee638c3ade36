"""Searches by reference, number and postcode, and an engineer's own jobs, are read by indexes, on each database."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from closures.models import Closure
from closures.photos.thumbnails import photos_without_thumbnail
from dispatch import ont_scans
from dispatch.models import Job, has_order, has_reference
from dispatch.states import JobState
from tests import make

pytestmark = pytest.mark.django_db


def plan_of(rows: QuerySet[Any]) -> str:
    """How the database would read them if it had too many rows to read them all."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
    return str(rows.explain())


def reads_all(plan: str) -> bool:
    return "Seq Scan" in plan or any(
        line.strip().startswith("SCAN dispatch_job") or " SCAN dispatch_job" in line
        for line in plan.splitlines()
    )


@pytest.mark.parametrize(
    "condition",
    [has_reference("o-9"), has_order("b-7"), has_reference("x") | has_order("y")],
    ids=["reference", "order", "both"],
)
def test_no_search_reads_all_jobs(condition: object) -> None:
    plan = plan_of(Job.objects.order_by().filter(condition))

    assert not reads_all(plan), plan


def test_newest_results_of_open_jobs_are_read_by_indexes() -> None:
    found = ont_scans.newest_results().filter(result_id=ont_scans.RETRY_RESULT).order_by()
    plan = plan_of(found)

    assert ("DISTINCT" in str(found.query), reads_all(plan)) == (False, False), plan
    assert "SCAN dispatch_provisioningresult" not in plan


def test_recent_closures_are_read_by_their_time() -> None:
    plan = plan_of(Closure.objects.filter(closed_at__gt=make.at("09:00")).values_list("code"))

    assert "closure_by_time" in plan, plan


def test_photos_that_wait_for_a_thumbnail_are_read_by_their_index() -> None:
    plan = plan_of(photos_without_thumbnail(stored_before=make.at("09:00")))

    assert "photo_awaiting_thumbnail" in plan, plan


def test_search_for_a_name_reads_all_jobs() -> None:
    """The other way round, so that the test above can fail."""
    plan = plan_of(Job.objects.order_by().filter(contact_name__icontains="x"))

    assert reads_all(plan), plan


def test_job_of_an_engineer_is_read_once_without_distinct() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    other = make.job(at_state=JobState.ASSIGNED, to=engineer, window=("13:00", "18:00"))
    make.walk(other, at_state=JobState.ASSIGNED, to=make.engineer())
    own = Job.objects.for_engineer(engineer)

    assert list(own) == [job]
    assert "DISTINCT" not in str(own.query)


@pytest.mark.parametrize("reference", ["B-1001", "b-1001", "s-find-1", "100012345678"])
def test_reference_is_found_in_any_case(reference: str) -> None:
    job = make.job(seller_job_id="S-Find-1")

    assert list(Job.objects.filter(has_reference(reference))) == [job]
    assert list(Job.objects.filter(has_reference(str(job).lower()))) == [job]
    assert list(Job.objects.filter(has_reference("S-FIND"))) == []
