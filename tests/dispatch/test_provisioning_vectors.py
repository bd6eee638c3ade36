"""Which result counts, is the device provisioned, is an attempt overdue: the vectors that the phone runs too."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from dispatch import jobs, ont_scans
from dispatch.models import Job, OntScan
from dispatch.states import JobState
from phone import provisioning_advice
from tests import make

FILE = json.loads((Path(__file__).parents[1] / "data" / "provisioning_vectors.json").read_text())


def record(job: Job, scan: OntScan, result_id: int, minute: int) -> None:
    answer = jobs.ProvisioningAnswer(result_id, ont_scans.is_successful(result_id), "", scan.scan_id)
    occurred_at = timezone.now() + timedelta(minutes=minute)
    # the same moment for the same minute
    occurred_at = occurred_at.replace(second=0, microsecond=0)
    jobs.record_provisioning(job=job, answer=answer, occurred_at=occurred_at)


@pytest.mark.django_db
@pytest.mark.parametrize("vector", FILE["vectors"], ids=lambda vector: vector["name"])
def test_result_of_the_last_scan_by_the_sellers_time(vector: dict[str, Any]) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    scanned = [make.scan(job, fsan=fsan) for fsan in vector["scans"]]

    for result in vector["results"]:
        # a moment that lies ahead counts from its receipt
        record(job, scanned[result["scan"]], result["id"], result["minute"] - 30)

    scan, result = ont_scans.newest_scan(job), ont_scans.newest_result(job)
    found = {"fsan": scan.fsan if scan else None, "result_id": result.result_id if result else None}
    assert found == vector["last"]
    assert ont_scans.is_provisioned(job) == vector["provisioned"]
    if "then_scanned" in vector:
        make.scan(job, fsan=vector["then_scanned"])
        assert not ont_scans.is_provisioned(job)


@pytest.mark.django_db
@pytest.mark.parametrize("vector", FILE["overdue"], ids=lambda vector: vector["name"])
def test_attempt_that_was_promised_grows_overdue(vector: dict[str, Any]) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    record(job, make.scan(job), vector["result_id"], minute=0)
    result = job.results.get()
    now = result.occurred_at + timedelta(seconds=vector["seconds"])

    assert ont_scans.is_retry_overdue(result, now=now) == vector["overdue"]


@pytest.mark.django_db
def test_phone_gets_when_and_what_it_shows_then() -> None:
    """With the same text that the server uses as soon as it applies."""
    job = make.job(at_state=JobState.ON_SITE)
    record(job, make.scan(job), 4, minute=0)
    result = job.results.get()
    before = provisioning_advice.advice_for(job)
    assert before is not None
    assert before.overdue_at == result.occurred_at + timedelta(seconds=FILE["overdue_after_seconds"])

    job.results.update(occurred_at=result.occurred_at - timedelta(hours=24))
    after = provisioning_advice.advice_for(job)
    assert after is not None
    assert after == before.overdue


@pytest.mark.django_db
@pytest.mark.parametrize("vector", FILE["advice"], ids=lambda vector: f"result {vector['result_id']}")
def test_each_result_has_its_instruction(vector: dict[str, Any]) -> None:
    job = make.job(at_state=JobState.ON_SITE)
    # the very ONT that was expected: another scan of it would not help after result 5
    record(job, make.scan(job), vector["result_id"], minute=0)
    advice = provisioning_advice.advice_for(job)

    assert advice is not None
    assert (advice.title, advice.tone, advice.scan_again) == (
        vector["title"],
        vector["tone"],
        vector["scan_again"],
    )
    assert (advice.call != "", advice.until is not None) == (vector["calls"], vector["counts_down"])
