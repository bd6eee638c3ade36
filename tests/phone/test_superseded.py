"""What another phone of the engineer's sends hours later does not replace what came after it."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from board.event_descriptions import event_line
from closures.models import Answer
from dispatch import jobs, ont_scans, visits
from dispatch.jobs import ProvisioningAnswer
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from seller_link.models import OutboundMessage
from tests import make
from tests.phone.phone import POSITION, Phone, entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(phone: Phone) -> Job:
    return make.job(at_state=JobState.ON_SITE, to=phone.engineer)


def hours_ago(hours: int) -> str:
    return (make.now() - timedelta(hours=hours)).isoformat()


def unsafe_sites() -> int:
    return open_alarms().filter(kind=AlarmKind.SITE_UNSAFE).count()


def outcome(result: dict[str, Any]) -> tuple[str, list[str]]:
    return result["outcome"], [problem["code"] for problem in result["problems"]]


def scan(job: Job, fsan: str, **other: Any) -> dict[str, Any]:
    body = {"scan_id": str(uuid.uuid4()), "fsan": fsan, "serial_number": "2612001234"}
    return entry("ont_scanned", job, body, **other)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("answered", {"question": "SAF01", "value": "no"}),
        ("answer_withdrawn", {"question": "SAF01"}),
    ],
)
def test_older_answer_goes_into_the_history(phone: Phone, job: Job, kind: str, body: dict[str, str]) -> None:
    phone.say("answered", job, {"question": "SAF01", "value": "yes"})

    result = phone.say(kind, job, body, occurred_at=hours_ago(4))

    assert outcome(result) == ("late", ["superseded"])
    assert Answer.objects.active().get().value == "yes"
    event = job.events.get(kind=EventKind.REPORTED_LATE, facts__what=kind)
    assert "had already arrived and counts." in event_line(event).sentence
    assert unsafe_sites() == 0


def test_answer_of_a_clock_that_differs_by_a_minute_counts(phone: Phone, job: Job) -> None:
    phone.say("answered", job, {"question": "SAF01", "value": "yes"})
    earlier = (make.now() - timedelta(minutes=1)).isoformat()

    phone.say("answered", job, {"question": "SAF01", "value": "no"}, occurred_at=earlier)

    assert (Answer.objects.active().get().value, unsafe_sites()) == ("no", 1)


def test_older_scan_is_not_reported_to_the_seller(phone: Phone, job: Job) -> None:
    new = scan(job, "CXNK00000002")
    phone.send(new)
    answer = ProvisioningAnswer(1, True, "", uuid.UUID(new["body"]["scan_id"]))
    jobs.record_provisioning(job=job, answer=answer, occurred_at=make.now())
    reported = OutboundMessage.objects.count()

    (result,) = phone.send(scan(job, "CXNK00000001", occurred_at=hours_ago(4)))

    assert outcome(result) == ("late", ["superseded"])
    assert ont_scans.is_provisioned(Job.objects.get())
    assert OutboundMessage.objects.count() == reported


@pytest.fixture
def late(phone: Phone, job: Job) -> Phone:
    """An engineer without signal whose job has gone to a colleague, and who finds the site unsafe."""
    colleague = Phone(make.engineer(name="Bob Second"))
    visits.assign(
        job=job,
        engineer=colleague.engineer,
        starts_at=make.now() + timedelta(minutes=15),
        by=make.office(),
        override_reason="Agreed with the engineers",
    )
    # written otherwise than it is stored
    assert outcome(phone.say("answered", job, {"question": "SAF01", "value": False}))[0] == "late"
    assert unsafe_sites() == 1
    colleague.say("on_site", job, {"position": POSITION})
    return colleague


def test_alarm_of_a_late_answer_stays_when_another_question_is_answered(late: Phone, job: Job) -> None:
    late.say("answered", job, {"question": "SAF08", "value": "yes"})

    assert unsafe_sites() == 1


def test_alarm_of_a_late_answer_ends_when_its_question_is_answered(late: Phone, job: Job) -> None:
    late.say("answered", job, {"question": "SAF01", "value": "yes"})

    assert unsafe_sites() == 0
