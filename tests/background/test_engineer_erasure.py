"""An engineer whose name or staff number was changed is erased under each of them, and nobody else."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from alerting import contact_records, delivery_records
from alerting.models import AlarmDelivery, AlarmEvent, Channel
from background import erasure
from board.models import SavedFilter
from closures import closing
from closures.closing import Outcome
from dispatch import jobs
from dispatch.job_events import Performer
from dispatch.models import Job, JobEvent
from dispatch.second_engineers import change_second_engineer
from dispatch.states import Actor, JobState
from engineers.engineer_records import read_record, update_engineer
from engineers.models import AuditEntry, Engineer, Role, User
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from seller_link.models import DeliveryAttempt, InboundMessage, OutboundMessage, OutboundState
from tests import make
from tests.alerting.contacts import contact
from tests.background.test_personal_data_everywhere import left
from tests.seller_link.inbox import say
from tests.seller_link.wire import message

pytestmark = pytest.mark.django_db(transaction=True)
DURING = make.at("09:00")


def changed(engineer: Engineer, **fields: Any) -> Engineer:
    stored = read_record(engineer)
    record = replace(stored, **fields)
    update_engineer(engineer=engineer, record=record, version=stored.version, by=make.dispatcher())
    return Engineer.objects.get(pk=engineer.pk)


def zelda() -> Engineer:
    engineer = make.engineer(name="Zelda Zuckermann", skills=())
    Engineer.objects.filter(pk=engineer.pk).update(phone="07700 900777")
    return Engineer.objects.get(pk=engineer.pk)


def worked_with_and_after_a_colleague(engineer: Engineer) -> Job:
    """The first job is the engineer's own, in the second one the colleague is accompanied for a while."""
    colleague = make.engineer(name="Connie Colleague", skills=())
    make.close_without_visit(make.job(at_state=JobState.EN_ROUTE, to=engineer))
    accompanied = make.job(at_state=JobState.EN_ROUTE, to=colleague)
    for second in (engineer, None):
        change_second_engineer(job=accompanied, second=second, by=make.office())
    return accompanied


def erase(engineer: Engineer) -> None:
    """Once the seller has every message and nothing is left to do."""
    for job in Job.objects.open():
        make.close_without_visit(job)
    OutboundMessage.objects.update(state=OutboundState.SENT)
    erasure.erase_engineer(engineer.staff_number)


def test_name_and_telephone_of_before_the_number_changed_are_in_no_column() -> None:
    texts = ("Zelda", "Zuckermann", "07700 900777")
    with time_machine.travel(DURING) as clock:
        engineer = zelda()
        worked_with_and_after_a_colleague(engineer)
        clock.shift(timedelta(minutes=1))
        engineer = changed(engineer, staff_number="E900")
        tables = {table for table, _text in left(texts)}
        assert tables >= {"dispatch_jobevent", "seller_link_outboundmessage"}
        clock.shift(timedelta(minutes=1))

        erase(engineer)

    assert left(texts) == []
    assert {
        event.facts["second_name"] for event in JobEvent.objects.filter(facts__has_key="second_name")
    } == {"E900"}


def test_every_name_of_the_engineer_is_in_no_column() -> None:
    texts = ("Zelda", "Zuckermann", "Yates")
    with time_machine.travel(DURING) as clock:
        engineer = zelda()
        job = worked_with_and_after_a_colleague(engineer)
        text = coded_text(
            "message_held", address="1 Mill Lane", job=str(job), reason="Zelda Zuckermann knows"
        )
        alarms.raise_alarm(AlarmKind.MESSAGE_HELD, str(job), text)
        query = "text=Zelda Zuckermann"
        SavedFilter.objects.create(user=make.dispatcher(), page="board", name="Visits", query=query)
        clock.shift(timedelta(minutes=1))
        engineer = changed(engineer, name="Zelda Yates", username="zelda.yates")
        clock.shift(timedelta(minutes=1))

        erase(engineer)

    assert left(texts) == []


def test_colleague_who_has_the_number_now_keeps_the_name() -> None:
    with time_machine.travel(DURING) as clock:
        engineer = zelda()
        number = engineer.staff_number
        job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
        clock.shift(timedelta(minutes=1))
        engineer = changed(engineer, staff_number="E900")
        clock.shift(timedelta(minutes=1))
        colleague = changed(make.engineer(name="Connie Colleague", skills=()), staff_number=number)
        change_second_engineer(job=job, second=colleague, by=make.office())
        clock.shift(timedelta(minutes=1))

        erase(engineer)

    assert left(("Zelda",)) == []
    named = job.events.filter(facts__has_key="second_name").values_list("facts", flat=True)
    assert {facts["second_name"] for facts in named} == {"Connie Colleague"}


def test_numbers_are_in_the_audit_until_the_erasure() -> None:
    with time_machine.travel(DURING) as clock:
        engineer = zelda()
        number = engineer.staff_number
        clock.shift(timedelta(minutes=1))
        engineer = changed(engineer, staff_number="E900")
        line = AuditEntry.objects.get(action="person_changed")
        assert (line.before, line.after) == ({"staff_number": number}, {"staff_number": "E900"})
        clock.shift(timedelta(minutes=1))

        erase(engineer)

    line.refresh_from_db()
    assert (line.subject, line.before, line.after) == ("former-E900", None, None)


def test_engineer_who_went_to_the_office_is_a_former_engineer() -> None:
    engineer = zelda()
    User.objects.filter(pk=engineer.user_id).update(role=Role.DISPATCHER)
    outcome = Outcome(code="NTR", remarks="Solved by telephone")
    by = Performer(Actor.DISPATCHER, User.objects.get(pk=engineer.user_id))
    closure = make.act(
        closing.close_job, job=make.job(), outcome=outcome, by=by, closed_at=make.now(), engineer=None
    )
    name = closure.by_name

    erase(engineer)

    closure.refresh_from_db()
    assert (name != closure.by_name, closure.by_name) == (True, engineer.staff_number)
    user = User.objects.get(pk=engineer.user_id)
    assert (user.role, user.display_name) == (Role.DISPATCHER, f"Former engineer {engineer.staff_number}")


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "zelda zuckermann"},
        {"name": "Zelda Zuckermann (mobile)"},
        {"address": "Zelda@example.com"},
        {"channel": Channel.SMS, "address": "+447700900777"},
    ],
    ids=str,
)
def test_engineer_who_still_gets_alarms_is_not_erased(fields: dict[str, Any]) -> None:
    engineer = zelda()
    User.objects.filter(pk=engineer.user.pk).update(email="zelda@example.com")
    contact("Connie Zuckermann")
    contact(**fields)

    with pytest.raises(erasure.AlarmContactLeft) as refusal:
        erase(engineer)

    (problem,) = refusal.value.problems
    assert problem.message.endswith(f": {fields.get('name', 'Anna')}.")
    assert Engineer.objects.get(pk=engineer.pk).name == "Zelda Zuckermann"


def test_what_was_sent_to_the_engineer_about_alarms_names_nobody() -> None:
    engineer, supervisor = zelda(), make.dispatcher(role=Role.SUPERVISOR)
    own = contact("Zelda's number", channel=Channel.SMS, address="+447700900777")
    others = contact("Connie Colleague", channel=Channel.SMS, address="+447700900778")
    for each in (own, others):
        delivery_records.create_delivery(each, [], event=AlarmEvent.TEST, now=make.now())
    changes = {"name": "Zelda Zuckermann"}
    version = contact_records.contact_version(own)
    contact_records.change_contact(pk=own.pk, changes=changes, seen=version, by=supervisor)
    contact_records.delete_contact(pk=own.pk, by=supervisor)

    erase(engineer)

    assert left(("Zelda Zuckermann", "7700900777")) == []
    sent = AlarmDelivery.objects.order_by("pk").values_list("contact_name", "address")
    former = f"former-{engineer.staff_number}"
    assert list(sent) == [(former, ""), ("Connie Colleague", "+447700900778")]


def test_name_in_what_the_seller_wrote_about_the_job_is_gone() -> None:
    """In answers to our messages, in a result, in the reason of a cancellation; and what it says of others stays."""
    engineer, written = zelda(), "Ask ZELDA Zuckermann or Connie Colleague"
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.scan(job)
    result = message("notifyJob", providerJobId=str(job), sellerJobId=job.seller_job_id)
    result |= {"event": "ontProvisioned", "result": {"id": 3, "success": False, "details": written}}
    answer = say("notifyJob", result)
    assert answer.status == 200, answer.body
    make.answer_all(job, code="RNA/NA")
    make.close(job, "RNA/NA", engineer=engineer)
    sent = job.outbound_messages.get(operation="notifyJob", body__event="ontScanned")
    OutboundMessage.objects.filter(pk=sent.pk).update(held_reason=f"400 {json.dumps({'fault': written})}")
    DeliveryAttempt.objects.create(
        message=sent, endpoint="a", started_at=make.now(), milliseconds=1, response=f"“{written}”"
    )
    others = make.job(at_state=JobState.ASSIGNED)
    jobs.cancel_job(job=others, reason="Zelda Zuckermann")
    cancelled = make.job(at_state=JobState.ASSIGNED, to=engineer, window=("13:00", "18:00"))
    jobs.cancel_job(job=cancelled, reason=written)
    number = engineer.staff_number

    erase(engineer)

    tables = [table for table, _text in left(("Zelda",))]
    # of the job that the engineer never had
    assert tables == ["dispatch_jobevent"]
    assert Job.objects.get(pk=others.pk).events.get(kind="cancelled").facts["reason"] == "Zelda Zuckermann"
    remaining = f"Ask {number} or Connie Colleague"
    assert cancelled.events.get(kind="cancelled").facts["reason"] == remaining
    assert remaining in OutboundMessage.objects.get(pk=sent.pk).held_reason
    assert DeliveryAttempt.objects.get().response == f"“{remaining}”"
    masked = InboundMessage.objects.get(operation="notifyJob")
    assert (masked.purged_at is not None, masked.response_status) == (True, 200)
