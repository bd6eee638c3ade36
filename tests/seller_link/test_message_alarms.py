"""A failure that many jobs have in common is one alarm, and another failure is never hidden behind it."""

import json

import pytest
from django.test import Client

from alerting import alarm_rules, escalation
from alerting.models import AlarmDelivery, AlarmRule
from board.alarms.alarm_presenter import build_attention_list, list_job_alarms, read_open_alarms
from board.alarms.views import alarms_page
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Area, AreaLimit
from monitoring import alarms
from monitoring.models import Alarm, AlarmKind, Urgency
from seller_link import message_alarms, outbox, outbox_queue, relay
from seller_link.client import DeliveryOutcome, Rejected, RetryLater
from seller_link.models import OutboundMessage
from seller_link.wire.v1.refusals import Detail, Refusal, job_not_found
from tests import make
from tests.alerting.contacts import contact
from tests.alerting.test_escalation import NOON
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db(transaction=True)
MANY = message_alarms.MANY_JOBS


def rejected(refusal: Refusal) -> Rejected:
    return Rejected(refusal.status, json.dumps(refusal.body()))


UNKNOWN = rejected(job_not_found())


def failing_jobs(number: int, outcome: DeliveryOutcome = UNKNOWN) -> list[Job]:
    """The first message of each was answered so."""
    jobs = [make.job(at_state=JobState.ASSIGNED) for _ in range(number)]
    claims = outbox_queue.claim_due(number)
    relay.settle([relay.DeliveryResult(claim, outcome) for claim in claims])
    return jobs


def invalid(number: int) -> Rejected:
    """What a seller says of one member, with what stands there."""
    detail = Detail(f"/answers/{number}/value", "invalidValue", f"The value of job {number} is unknown.")
    return rejected(Refusal(422, "invalidMessage", f"Job {number} is invalid.", (detail,)))


def listed() -> list[tuple[str, str, bool]]:
    """Title, sentence, and whether nobody takes care of it."""
    lines = build_attention_list(read_open_alarms())
    return [(line.title, line.text, line.is_unhandled) for line in lines]


def group_of(*, failure: str = "404 jobNotFound") -> Alarm:
    return alarms.open_alarms().get(kind=AlarmKind.MESSAGES_FAILING, parameters__failure=failure)


def test_few_failures_are_alarms_of_their_own() -> None:
    failing_jobs(MANY - 1)

    message_alarms.group_alarms()

    assert len(listed()) == MANY - 1


def test_many_failures_are_one_entry_that_says_how_many_and_leads_to_them(client: Client) -> None:
    jobs = failing_jobs(MANY)
    failing_jobs(2)
    message_alarms.group_alarms()
    client.force_login(make.dispatcher())

    page = client.get("/board/alarms/").content.decode()

    ((title, text, _is_unhandled),) = listed()
    assert title == "Messages of many jobs fail for the same reason"
    assert text.startswith(f"{MANY + 2} jobs: the seller's answer was “404 jobNotFound”.")
    assert page.count("alarm-line") == 1
    assert 'href="/board/messages/stuck/"' in page
    # and each job's own page and card still say what its trouble is
    assert [line.title for line in list_job_alarms(jobs[0])] == ["The seller rejected a message"]


def test_same_member_of_several_jobs_is_one_cause() -> None:
    for number in range(MANY):
        failing_jobs(1, invalid(number))

    assert [text.split(":")[0] for _title, text, _unhandled in listed()] == [f"{MANY} jobs"]


def test_contacts_are_notified_of_one() -> None:
    contact()
    failing_jobs(MANY)

    escalation.create_due_deliveries(NOON)

    kinds = AlarmDelivery.objects.values_list("alarms__kind", flat=True)
    assert list(kinds) == [AlarmKind.MESSAGES_FAILING]


def test_many_failures_wake_whom_one_of_them_wakes() -> None:
    assert alarm_rules.notice_urgencies()[AlarmKind.MESSAGES_FAILING] == Urgency.OFFICE_HOURS

    AlarmRule.objects.create(kind=AlarmKind.MESSAGES_FAILING, urgency=Urgency.BOARD_ONLY)
    AlarmRule.objects.create(kind=AlarmKind.MESSAGE_HELD, urgency=Urgency.ANY_HOUR)

    assert alarm_rules.notice_urgencies()[AlarmKind.MESSAGES_FAILING] == Urgency.ANY_HOUR


def test_who_is_limited_to_some_areas_handles_no_job_of_another() -> None:
    jobs, user = failing_jobs(MANY), make.dispatcher(username="yara")
    Area.objects.create(name="Leeds", postcodes="LS")
    AreaLimit.objects.create(user=user, area=Area.objects.create(name="York", postcodes="YO"))
    Job.objects.filter(provider_job_id=str(jobs[0])).update(postcode="YO1 7HH", postcode_key="YO17HH")
    address = f"/board/alarms/{group_of().pk}/acknowledge/"

    page = client_of(user).post(address, follow=True).content.decode()

    assert "Some of these jobs are in other areas." in page
    assert not alarms.open_alarms().exclude(owner=None).exists()


def test_whoever_takes_care_of_it_takes_care_of_its_jobs_and_of_no_other_failure() -> None:
    (job, *_others), person = failing_jobs(MANY), make.dispatcher()
    alarms.acknowledge_alarm(group_of(), owner_id=person.pk)

    failing_jobs(1, rejected(Refusal(409, "jobClosed", "The job is closed.")))
    message_alarms.group_alarms()

    assert [unhandled for _title, _text, unhandled in listed()] == [True, False]
    assert [line.is_unhandled for line in list_job_alarms(job)] == [False]
    failing_jobs(MANY - 1, rejected(Refusal(409, "jobClosed", "The job is closed.")))
    assert [unhandled for _title, _text, unhandled in listed()] == [True, False]
    alarms.release_alarm(group_of())
    assert [line.is_unhandled for line in list_job_alarms(job)] == [True]


def test_whoever_takes_care_of_one_job_goes_on_when_the_whole_is_released() -> None:
    (job, *_others), ours, theirs = failing_jobs(MANY), make.dispatcher(), make.dispatcher()
    own = alarms.open_alarms().get(subject=job.provider_job_id)
    alarms.acknowledge_alarm(own, owner_id=ours.pk)
    alarms.acknowledge_alarm(group_of(), owner_id=theirs.pk)

    alarms.release_alarm(group_of())

    own.refresh_from_db()
    assert own.owner == ours


def test_it_is_over_with_the_last_job_and_not_before() -> None:
    failing_jobs(MANY)
    person, stuck = make.dispatcher(), list(outbox.stuck_messages())

    for message in stuck[1:]:
        outbox.stop_message(message=message, by=person, reason="They lost the jobs")
    assert [text.split(":")[0] for _title, text, _unhandled in listed()] == ["1 job"]
    outbox.stop_message(message=stuck[0], by=person, reason="They lost the jobs")

    assert not alarms.open_alarms().exists()
    cleared = [line.title for line in alarms_page().cleared]
    assert cleared == ["Messages of many jobs fail for the same reason"]


def test_unconfirmed_messages_of_many_jobs_are_one_entry() -> None:
    for _ in range(MANY):
        make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(failures=2)
    outcome = RetryLater("answered 302", 302, "", is_unconfirmed=True)

    relay.settle([relay.DeliveryResult(claim, outcome) for claim in outbox_queue.claim_due(MANY)])

    ((_title, text, _unhandled),) = listed()
    assert "confirm messages (answered 302)" in text
