"""What somebody else does while a person is erased: nothing that was removed comes back, and nobody waits in vain."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from pytest_django import Settings

import dispatch.retention
import engineers.retention
from background import erasure, personal_data
from dispatch import visits
from dispatch.availability import NotBookable
from dispatch.models import Job, JobEvent
from dispatch.states import JobState
from engineers import location_history, staff
from engineers.models import Engineer, PhoneMessage, User
from phone import sync
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.background.test_personal_data_everywhere import left
from tests.together import after_first_read

pytestmark = pytest.mark.django_db(transaction=True)
DURING = make.at("09:00")
EXACT = {"latitude": 53.81234, "longitude": -1.56789}
NAME = "Zelda Zuckermann"


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer(name=NAME)


@pytest.fixture
def job(engineer: Engineer) -> Job:
    """The engineer set off, and the office closed it; the seller has every message."""
    with time_machine.travel(DURING):
        job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    make.close_without_visit(job)
    OutboundMessage.objects.update(state=OutboundState.SENT)
    return job


def phone_message(engineer: Engineer, job: Job, **fields: Any) -> PhoneMessage:
    long_ago = timezone.now() - timedelta(days=100)
    values = {"body": {}, "answer": {}, "occurred_at": long_ago, "received_at": long_ago, **fields}
    return PhoneMessage(
        message_id=uuid.uuid4(),
        engineer=engineer,
        kind="note",
        provider_job_id=job.provider_job_id,
        body_sha256="x",
        outcome="applied",
        **values,
    )


def add_many_rows(engineer: Engineer, job: Job) -> None:
    """More than the two thousand that a database cursor of Django reads at once."""
    event = job.events.filter(facts__has_key="engineer_name")[0]
    events = []
    for number in range(2100):
        event.pk, event.seq = None, 1000 + number
        events.append(
            JobEvent(**{field.attname: getattr(event, field.attname) for field in event._meta.fields})
        )
    JobEvent.objects.bulk_create(events)
    answer = {"problems": [{"message": f"{NAME} has this job"}]}
    PhoneMessage.objects.bulk_create(phone_message(engineer, job, answer=answer) for _number in range(2100))


@pytest.mark.parametrize("table", ["dispatch_jobevent", "engineers_phonemessage"])
def test_engineer_with_thousands_of_rows_is_erased_while_others_write(
    engineer: Engineer, job: Job, table: str
) -> None:
    add_many_rows(engineer, job)
    other = make.dispatcher()

    with after_first_read(table, lambda: staff.choose_language(user=other, language="de")):
        erasure.erase_engineer(engineer.staff_number)

    assert not JobEvent.objects.filter(facts__engineer_name=NAME).exists()
    assert not PhoneMessage.objects.filter(answer__icontains=NAME).exists()


def test_customer_who_is_erased_in_between_stays_erased(engineer: Engineer, job: Job) -> None:
    event = job.events.filter(facts__has_key="engineer_name")[0]
    facts = {**event.facts, "override_reason": "Pat Tester is in hospital"}
    JobEvent.objects.filter(pk=event.pk).update(facts=facts)

    with after_first_read("dispatch_jobevent", lambda: erasure.erase_customer(job.provider_job_id)):
        dispatch.retention.forget_engineer(engineer)

    event.refresh_from_db()
    assert "override_reason" not in event.facts
    assert event.facts["engineer_name"] == engineer.staff_number


def test_position_of_an_engineer_who_is_erased_in_between_is_not_rounded(
    engineer: Engineer, job: Job
) -> None:
    event = job.events.get(kind="en_route")
    JobEvent.objects.filter(pk=event.pk).update(facts={**event.facts, **EXACT}, user=engineer.user)

    with after_first_read("dispatch_jobevent", lambda: erasure.erase_engineer(engineer.staff_number)):
        dispatch.retention.coarsen_positions(timezone.now() + timedelta(days=200))

    event.refresh_from_db()
    assert not {"latitude", "position_rounded"} & event.facts.keys()
    assert event.facts["engineer_name"] == engineer.staff_number


def test_phone_message_that_is_purged_in_between_stays_empty(engineer: Engineer, job: Job) -> None:
    message = phone_message(engineer, job, body={"body": {"position": EXACT, "reason": "Pat Tester shouts"}})
    message.save()

    def purge() -> None:
        engineers.retention.purge_phone_messages(PhoneMessage.objects.all())

    with after_first_read("engineers_phonemessage", purge):
        location_history.coarsen_phone_messages(timezone.now())

    message.refresh_from_db()
    assert (message.body, message.purged_at is None) == ({}, False)


def assign_tomorrow(job: Job, engineer: Engineer) -> None:
    tomorrow = make.today() + timedelta(days=1)
    starts_at = make.at("09:00", day=tomorrow)
    visits.assign(
        job=job, engineer=Engineer.objects.get(pk=engineer.pk), starts_at=starts_at, by=make.office()
    )


def test_nobody_assigns_a_job_to_an_engineer_who_is_being_erased(engineer: Engineer) -> None:
    job = make.job(day=make.today() + timedelta(days=1))
    refusals = []

    def assign() -> None:
        try:
            assign_tomorrow(job, engineer)
        except NotBookable as refused:
            refusals.extend(problem.code for problem in refused.problems)

    with after_first_read("dispatch_jobevent", assign):
        erasure.erase_engineer(engineer.staff_number)

    assert refusals == ["engineer_suspended"]
    assert not JobEvent.objects.filter(facts__engineer_name=NAME).exists()


def test_engineer_who_gets_a_job_just_before_is_not_erased(engineer: Engineer) -> None:
    job = make.job(day=make.today() + timedelta(days=1))

    def assign() -> None:
        assign_tomorrow(job, engineer)
        OutboundMessage.objects.update(state=OutboundState.SENT)

    with (
        after_first_read("dispatch_visit", assign),
        pytest.raises(erasure.JobStillOpen),
    ):
        erasure.erase_engineer(engineer.staff_number)

    user = User.objects.get(pk=engineer.user_id)
    assert (user.display_name, user.is_active) == (NAME, False)


def late_report(job: Job) -> dict[str, Any]:
    return {
        "message_id": str(uuid.uuid4()),
        "kind": "handover_requested",
        "job": job.provider_job_id,
        "occurred_at": timezone.now().isoformat(),
        "body": {"reason": "Pat Tester attacked me"},
    }


def test_late_phone_message_during_the_erasure_of_a_customer_is_emptied(engineer: Engineer, job: Job) -> None:
    def report() -> None:
        assert sync.apply_message(entry=late_report(job), engineer=engineer).outcome == "late"

    with after_first_read("customer_messages_customermessage", report):
        counts = erasure.erase_customer(job.provider_job_id)

    assert (counts["phone messages"], left(("attacked",))) == (1, [])


def test_phone_message_after_the_erasure_goes_with_the_later_events_of_its_job(
    engineer: Engineer, job: Job, settings: Settings
) -> None:
    settings.RETENTION_PHONE_MESSAGE_DAYS = settings.RETENTION_PACK_DAYS + 100
    erasure.erase_customer(job.provider_job_id)
    sync.apply_message(entry=late_report(job), engineer=engineer)

    personal_data.purge(timezone.now() + timedelta(days=settings.RETENTION_PACK_DAYS + 1))

    assert left(("attacked",)) == []
