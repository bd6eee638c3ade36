"""What is on an ONT's label, as typed by somebody with cold hands."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from dispatch import jobs, ont_scans
from dispatch.ont_scans import LabelReading
from dispatch.states import JobState
from tests import make


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("CXNK00ABCDEF", "CXNK00ABCDEF"),
        ("cxnk 00ab cdef", "CXNK00ABCDEF"),
        ("CXNK-00AB-CDEF", "CXNK00ABCDEF"),
        ("43584E4B00ABCDEF", "CXNK00ABCDEF"),
        ("414c434cf1234567", "ALCLF1234567"),
        ("48575443 83F7C537", "HWTC83F7C537"),
    ],
)
def test_fsan_is_understood_in_its_usual_shapes(typed: str, read: str) -> None:
    assert ont_scans.read_label_codes(fsan=typed, serial_number="S123") == LabelReading(read, "S123")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "An FSAN has 12 characters; this has 0."),
        ("CXNK00ABCDE", "An FSAN has 12 characters; this has 11."),
        ("12NK00ABCDEF", "An FSAN begins with four letters; this begins with 12NK."),
        (
            "CXNK0OABCDEF",
            "The last eight characters must be 0 to 9 or A to F; O is not. Letter O is often digit 0.",
        ),
        ("CXNK00ABXYZF", "The last eight characters must be 0 to 9 or A to F; X Y Z is not."),
        ("0000000000000000", "An FSAN has 12 characters; this has 16."),
    ],
)
def test_wrong_fsan_says_what_is_wrong(typed: str, sentence: str) -> None:
    with pytest.raises(ont_scans.BadScan) as refusal:
        ont_scans.read_label_codes(fsan=typed, serial_number="S123")

    assert [problem.message for problem in refusal.value.problems] == [sentence]


@pytest.mark.parametrize("typed", ["", "abc", "1 2 3", "12/34", "x" * 41])
def test_serial_number_is_asked_for(typed: str) -> None:
    with pytest.raises(ont_scans.BadScan) as refusal:
        ont_scans.read_label_codes(fsan="CXNK00ABCDEF", serial_number=typed)

    assert [problem.where for problem in refusal.value.problems] == ["serial_number"]


def test_both_values_are_checked_at_once() -> None:
    with pytest.raises(ont_scans.BadScan) as refusal:
        ont_scans.read_label_codes(fsan="X", serial_number="a b")

    assert [problem.where for problem in refusal.value.problems] == ["fsan", "serial_number"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("results", "provisioned"),
    [
        ([], False),
        ([1], True),
        ([2], True),
        ([3], False),
        ([4], False),
        ([4, 1], True),
        ([1, 3], False),
        ([7], False),
    ],
)
def test_newest_result_of_the_newest_scan_decides(results: list[int], provisioned: bool) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)

    for result_id in results:
        make.result(job, result_id)

    assert ont_scans.is_provisioned(job) == provisioned


@pytest.mark.django_db
@pytest.mark.parametrize(("early", "late", "provisioned"), [(1, 3, False), (3, 1, True)])
def test_result_of_a_clock_that_is_ahead_decides_only_until_the_next(
    early: int, late: int, provisioned: bool
) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    scan = make.scan(job)

    with time_machine.travel(timezone.now(), tick=False) as clock:
        for number, ahead in ((early, timedelta(hours=2)), (late, timedelta())):
            answer = jobs.ProvisioningAnswer(number, ont_scans.is_successful(number), "", scan.scan_id)
            jobs.record_provisioning(job=job, answer=answer, occurred_at=timezone.now() + ahead)
            clock.shift(120)

    assert ont_scans.is_provisioned(job) == provisioned
    newest = ont_scans.newest_results().get(job=job)
    assert newest.result_id == late
    assert newest.occurred_at < job.results.get(result_id=early).occurred_at


@pytest.mark.django_db
@pytest.mark.parametrize("minutes", [(0, -4), (0, -4, -8), (0, -8, -4), (-8, 0, -4)], ids=str)
def test_older_result_of_a_clock_that_is_ahead_changes_nothing(minutes: tuple[int, ...]) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    scan = make.scan(job)
    occurred_at = timezone.now() + timedelta(hours=1)

    with time_machine.travel(timezone.now(), tick=False) as clock:
        for minute in minutes:
            clock.shift(1)
            # the newest is a success
            answer = jobs.ProvisioningAnswer(3 if minute else 1, minute == 0, str(minute), scan.scan_id)
            jobs.record_provisioning(
                job=job, answer=answer, occurred_at=occurred_at + timedelta(minutes=minute)
            )

    assert ont_scans.is_provisioned(job)
    assert ont_scans.newest_results().get(job=job).result_id == 1
    in_order = job.results.order_by(*ont_scans.RESULT_ORDER)
    assert [int(result.details) for result in in_order] == sorted(minutes)
    assert job.events.last().facts["older_than_result"] == 1


@pytest.mark.django_db
def test_older_result_stays_older_where_only_the_newer_one_was_ahead() -> None:
    """Of a clock that is some minutes ahead a late answer is not in the future any more."""
    job = make.job(at_state=JobState.ON_SITE)
    scan, now = make.scan(job), timezone.now()

    with time_machine.travel(now, tick=False) as clock:
        for result_id, seconds in ((2, 340), (4, 100)):
            clock.shift(30)
            answer = jobs.ProvisioningAnswer(result_id, result_id == 2, "", scan.scan_id)
            jobs.record_provisioning(job=job, answer=answer, occurred_at=now + timedelta(seconds=seconds))

    assert ont_scans.is_provisioned(job)


@pytest.mark.django_db
def test_success_of_an_earlier_device_does_not_count() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 1)

    make.scan(job, fsan="ALCLF1234567")

    assert not ont_scans.is_provisioned(job)
