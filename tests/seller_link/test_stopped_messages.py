"""A message that the seller can never accept: a person stops it, with a reason, and everything else goes on."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import AuditEntry
from monitoring.alarms import open_alarms
from seller_link import outbox, outbox_queue, relay, replays, retention
from seller_link.client import Rejected
from seller_link.models import OutboundMessage, OutboundState
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)


def held_job() -> Job:
    """On the way, its first message rejected for ever."""
    job = make.job(at_state=JobState.EN_ROUTE)
    (claim,) = outbox_queue.claim_due(1)
    relay.settle([relay.DeliveryResult(claim, Rejected(404, "jobNotFound"))])
    return job


def test_stopped_message_lets_the_later_ones_of_its_job_go() -> None:
    job, person = held_job(), make.dispatcher()
    (alarm,) = open_alarms()

    stopped = outbox.stop_message(
        message=outbox.stuck_messages().get(), by=person, reason="They lost the job"
    )

    assert stopped.state == OutboundState.STOPPED
    assert [message.seq for message in OutboundMessage.objects.due(timezone.now())] == [2]
    assert (alarm.kind, open_alarms().count()) == ("message_held", 0)
    entry = AuditEntry.objects.get(action="message_stopped")
    assert (entry.actor, entry.after["reason"]) == (person, "They lost the job")
    assert outbox.find_stop(stopped) == entry
    assert retention.undelivered(job.outbound_messages.filter(seq=1)) == []


def test_stopped_message_holds_back_neither_purge_nor_mask() -> None:
    job, person = held_job(), make.dispatcher()
    outbox.stop_message(message=outbox.stuck_messages().get(), by=person, reason="They lost the job")
    OutboundMessage.objects.filter(seq=2).update(state=OutboundState.SENT)
    Job.objects.filter(pk=job.pk).update(state=JobState.CANCELLED)
    later = timezone.now() + timedelta(days=4000)

    assert retention.expired_outbound(later).count() == 2
    assert retention.mask_outbound(job.outbound_messages.all()) == 2
    assert not Job.objects.filter(retention.has_undelivered(job="pk")).exists()


def test_stopped_message_without_its_personal_data_is_not_sent_again() -> None:
    job, person = held_job(), make.dispatcher()
    stopped = outbox.stop_message(message=outbox.stuck_messages().get(), by=person, reason="They lost it")
    retention.mask_outbound(job.outbound_messages.all())

    # from a page that was opened before
    with pytest.raises(outbox.MessagePurged):
        outbox.replay_message(message=stopped, by=person)

    stopped.refresh_from_db()
    assert (stopped.state, AuditEntry.objects.filter(action="replayed").exists()) == ("stopped", False)


def test_stopping_needs_a_reason_and_a_message_in_trouble() -> None:
    job, person = held_job(), make.dispatcher()
    held, waiting = job.outbound_messages.order_by("seq")

    with pytest.raises(outbox.ReasonMissing):
        outbox.stop_message(message=held, by=person, reason=" ")
    with pytest.raises(outbox.NotStuck):
        outbox.stop_message(message=waiting, by=person, reason="x")

    assert not AuditEntry.objects.filter(action="message_stopped").exists()


def test_resent_message_that_fails_for_ever_goes_back_to_delivered() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    job.outbound_messages.update(failures=5, sent_at=timezone.now())

    stopped = outbox.stop_message(
        message=job.outbound_messages.get(), by=make.dispatcher(), reason="They have it"
    )

    assert stopped.state == OutboundState.SENT


def test_stopped_message_may_be_resent_by_itself() -> None:
    held_job()
    person = make.dispatcher()
    stopped = outbox.stop_message(message=outbox.stuck_messages().get(), by=person, reason="A mistake")

    replays.start_replay(messages=[stopped], by=person, reason="They have the job now")

    assert [message.seq for message in OutboundMessage.objects.due(timezone.now())] == [1]


def test_all_messages_of_a_lost_job_are_stopped_together() -> None:
    job, other, person = held_job(), make.job(at_state=JobState.ASSIGNED), make.dispatcher()
    keys = [message.pk for message in job.outbound_messages.all()]

    stopped = outbox.stop_job_messages(job=job, seen=keys, by=person, reason="They lost the job")

    assert [(row.seq, row.state) for row in stopped] == [(1, "stopped"), (2, "stopped")]
    assert {entry.after["reason"] for row in stopped if (entry := outbox.find_stop(row))} == {
        "They lost the job"
    }
    assert AuditEntry.objects.filter(action="message_stopped", actor=person).count() == 2
    assert [row.job for row in OutboundMessage.objects.due(timezone.now())] == [other]
    assert not open_alarms().exists()


def test_stop_of_all_is_refused_as_a_whole() -> None:
    job, person = held_job(), make.dispatcher()
    first, second = job.outbound_messages.order_by("seq")
    healthy = make.job(at_state=JobState.ASSIGNED)

    def stop(keys: list[int], *, of: Job = job, reason: str = "They lost the job") -> None:
        outbox.stop_job_messages(job=of, seen=keys, by=person, reason=reason)

    with pytest.raises(outbox.MessagesChanged):
        stop([first.pk])
    with pytest.raises(outbox.ReasonMissing):
        stop([first.pk, second.pk], reason=" ")
    with pytest.raises(outbox.NotStuck):
        stop([healthy.outbound_messages.get().pk], of=healthy)
    OutboundMessage.objects.filter(pk=second.pk).update(
        lease_expires_at=timezone.now() + timedelta(minutes=1)
    )
    with pytest.raises(outbox.BeingSent):
        stop([first.pk, second.pk])

    assert not OutboundMessage.objects.filter(state=OutboundState.STOPPED).exists()
    assert not AuditEntry.objects.filter(action="message_stopped").exists()


def test_what_happens_after_the_stop_is_sent() -> None:
    job, person = held_job(), make.dispatcher()
    keys = [message.pk for message in job.outbound_messages.all()]
    outbox.stop_job_messages(job=job, seen=keys, by=person, reason="They lost the job")

    job.refresh_from_db()
    make.arrive(job)

    assert [message.seq for message in OutboundMessage.objects.due(timezone.now())] == [3]
