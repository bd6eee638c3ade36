"""An engineer whose name or staff number was changed is erased under each of them, and nobody else."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from background import erasure
from board.models import SavedFilter
from dispatch.models import Job, JobEvent
from dispatch.second_engineers import change_second_engineer
from dispatch.states import JobState
from engineers.engineer_records import read_record, update_engineer
from engineers.models import AuditEntry, Engineer
from monitoring import alarms
from monitoring.alarms import alarm_text
from monitoring.models import AlarmKind
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.background.test_personal_data_everywhere import left

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
        text = alarm_text(
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
