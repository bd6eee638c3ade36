"""Results for scans: by plan, by the general rule, by what was scanned, by hand; result 4 and the moved clock."""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from seller_sandbox import clock
from seller_sandbox.due_actions import run_due
from seller_sandbox.jobs import provisioning
from seller_sandbox.jobs.models import Job, JobState, RuleMode
from seller_sandbox.messages import outbox
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.models import DueAction
from seller_sandbox.tests import make

pytestmark = pytest.mark.django_db
DETAILS = {
    1: (True, "ONT Successfully Provisioned"),
    2: (True, "ONT Install Successful"),
    3: (False, "ONT Provision Failed. Contact Order Desk"),
    4: (False, "Delay - Retrying in 5 minutes"),
    5: (False, "ONT Provision Failed. Incorrect Device Type Used"),
    6: (
        False,
        "ONT Provision Failed. Incorrect provisioning details entered. FSAN or Serial Number incorrect",
    ),
    7: (False, "ONT Provision Failed. Duplicate Device"),
}


def scan(job: Job, fsan: str = "CXNK12AB34CD") -> str:
    scan_id = str(uuid4())
    provisioning.schedule_scan(job=job, scan_id=scan_id, fsan=fsan)
    return scan_id


def in_hexadecimal(fsan: str) -> str:
    """As some scanners show it: the vendor's letters as digits, too."""
    return fsan[:4].encode().hex().upper() + fsan[4:]


def pass_time(seconds: int) -> list[int]:
    """Move the clock and give the results that were sent in order until now."""
    clock.advance(seconds=seconds)
    run_due()
    messages = OutboundMessage.objects.filter(operation="notifyJob")
    return [message.members["result"]["id"] for message in messages]


def test_a_scan_is_answered_after_three_seconds_with_result_1() -> None:
    job = make.job()
    scan_id = scan(job)

    assert pass_time(2) == []
    assert pass_time(1) == [1]
    members = OutboundMessage.objects.last().members
    assert members["event"] == "ontProvisioned"
    assert members["scanId"] == scan_id
    job.refresh_from_db()
    assert job.state == JobState.PROVISIONED
    assert not provisioning.has_succeeded(job)
    OutboundMessage.objects.update(state=OutboundState.DELIVERED)
    assert provisioning.has_succeeded(job)


@pytest.mark.parametrize("result", range(1, 8))
def test_each_result_has_the_text_of_the_document(result: int) -> None:
    job = make.job(plan=[result])
    scan(job)
    pass_time(3)

    success, details = DETAILS[result]
    assert OutboundMessage.objects.last().members["result"] == {
        "id": result,
        "success": success,
        "details": details,
    }


def test_result_4_is_tried_again_after_five_minutes_of_the_sandbox_clock() -> None:
    job = make.job(plan=[4, 2])
    scan_id = scan(job)

    assert pass_time(3) == [4]
    assert not provisioning.has_succeeded(job)
    assert pass_time(299) == [4]
    assert pass_time(1) == [4, 2]
    scans = {message.members["scanId"] for message in OutboundMessage.objects.filter(operation="notifyJob")}
    assert scans == {scan_id}


def test_after_its_plan_a_job_follows_the_general_rule() -> None:
    job = make.job(plan=[6])
    scan(job)
    assert pass_time(3) == [6]

    scan(job)

    assert pass_time(3) == [6, 1]


def test_a_newer_scan_replaces_one_that_waits() -> None:
    job = make.job()
    scan(job)
    newer = scan(job)

    assert pass_time(3) == [1]
    assert OutboundMessage.objects.last().members["scanId"] == newer


def test_plans_for_new_jobs_are_taken_in_turn() -> None:
    provisioning.set_rule(plan_cycle=[[1], [4, 2], [7]])

    jobs = [make.job(seed=seed) for seed in range(4)]

    assert [job.provisioning_plan for job in jobs] == [[1], [4, 2], [7], [1]]


def due() -> list[str]:
    return [action.name for action in DueAction.objects.open()]


def test_nothing_is_due_for_a_try_that_was_answered_by_hand_or_replaced() -> None:
    job, other = make.job(), make.job(seed=1)
    for scanned in (job, job, other):
        scan(scanned)
    assert due() == ["jobs.finish_try"] * 2

    provisioning.give_result(job=job, result=4)
    # that of the other job, and the second try
    assert due() == ["jobs.finish_try"] * 2
    provisioning.give_result(job=job, result=1)

    assert due() == ["jobs.finish_try"]
    assert pass_time(400) == [4, 1, 1]


def test_by_hand_waits_for_the_button() -> None:
    provisioning.set_rule(mode=RuleMode.BY_HAND)
    job = make.job()
    scan_id = scan(job)
    assert pass_time(3600) == []

    provisioning.give_result(job=job, result=5)

    assert pass_time(0) == [5]
    assert OutboundMessage.objects.last().members["scanId"] == scan_id
    assert not job.tries.waiting()


def test_by_hand_result_4_still_brings_a_second_try() -> None:
    provisioning.set_rule(mode=RuleMode.BY_HAND)
    job = make.job()
    scan(job)
    provisioning.give_result(job=job, result=4)

    assert pass_time(300) == [4, 1]


def test_a_result_without_a_scan_has_no_scan_id() -> None:
    provisioning.give_result(job=make.job(), result=3)

    assert "scanId" not in OutboundMessage.objects.last().members


def test_by_what_was_scanned() -> None:
    provisioning.set_rule(mode=RuleMode.CHECKED)
    expected = {seed: make.job(seed=seed) for seed in range(4)}
    fsans = [job.pack["ont"]["fsan"] for job in expected.values()]
    other_vendor = {"CXNK": "ALCL", "ALCL": "CXNK"}[fsans[2][:4]] + "00000001"

    for job, fsan in zip(expected.values(), [fsans[0], "12345", other_vendor, fsans[0]], strict=True):
        scan(job, fsan)

    assert pass_time(3) == [7, 6, 5, 7]


@pytest.mark.parametrize("written", [str.lower, in_hexadecimal, lambda fsan: in_hexadecimal(fsan).lower()])
def test_a_scan_counts_however_the_fsan_is_written(written: Callable[[str], str]) -> None:
    provisioning.set_rule(mode=RuleMode.CHECKED)
    job, again, other = (make.job(seed=seed) for seed in range(3))
    fsan = job.pack["ont"]["fsan"]
    other_vendor = {"CXNK": "ALCL", "ALCL": "CXNK"}[other.pack["ont"]["fsan"][:4]] + "00000001"

    scan(job, written(fsan))
    assert pass_time(3) == [1]
    scan(again, fsan)
    scan(other, written(other_vendor))

    assert pass_time(3) == [1, 7, 5]


@pytest.mark.parametrize("text", ["0001020300000001", "12345", "CXNK12AB34CG", "ſxnk12ab34cd"])
def test_what_is_no_fsan_earns_result_6(text: str) -> None:
    provisioning.set_rule(mode=RuleMode.CHECKED)
    scan(make.job(), text)

    assert pass_time(3) == [6]


def test_a_sound_scan_is_provisioned_where_scans_are_checked() -> None:
    provisioning.set_rule(mode=RuleMode.CHECKED)
    job = make.job()
    scan(job, job.pack["ont"]["fsan"])

    assert pass_time(3) == [1]


def test_a_result_for_a_closed_job_is_sent_as_a_late_fact() -> None:
    job = make.job()
    scan(job)
    Job.objects.update(state=JobState.CLOSED)

    assert pass_time(3) == [1]
    job.refresh_from_db()
    assert job.state == JobState.CLOSED


def test_the_clock_moves_and_says_so() -> None:
    before = clock.now()

    after = clock.advance(seconds=300)

    assert timedelta(seconds=300) <= after - before < timedelta(seconds=310)
    assert clock.offset() == timedelta(seconds=300)


def deliver_all() -> None:
    OutboundMessage.objects.update(state=OutboundState.DELIVERED)


def test_only_the_ont_scanned_last_counts() -> None:
    job = make.job()
    scan(job)
    pass_time(3)
    deliver_all()
    scan(job, "CXNK00000001")

    assert not provisioning.has_succeeded(job)
    pass_time(3)
    deliver_all()
    assert provisioning.has_succeeded(job)


def test_an_older_result_that_comes_later_changes_nothing() -> None:
    job = make.job()
    scan_id = scan(job)
    pass_time(3)
    newest = OutboundMessage.objects.last()
    earlier = datetime.fromisoformat(newest.members["occurredAt"]) - timedelta(minutes=5)
    late = {
        "event": "ontProvisioned",
        "occurredAt": earlier.isoformat(),
        "result": {"id": 4, "success": False, "details": "Delay"},
        "scanId": scan_id,
    }
    outbox.enqueue(thread=job.thread, operation="notifyJob", members=late)
    deliver_all()

    assert provisioning.has_succeeded(job)


def test_a_result_that_the_partner_refused_does_not_count() -> None:
    job = make.job()
    scan(job)
    pass_time(3)
    OutboundMessage.objects.update(state=OutboundState.REFUSED)

    assert not provisioning.has_succeeded(job)
