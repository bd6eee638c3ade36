"""Sent again together: a selection, an outage, delivered ones too; the id, the place and the first time stay."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dispatch.states import JobState
from engineers.models import AuditEntry
from monitoring.alarms import open_alarms, raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from seller_link import message_states, outbox, outbox_queue, relay, replays
from seller_link.client import Rejected
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundState
from tests import make

pytestmark = pytest.mark.django_db(transaction=True)
WHY = "The seller restored a copy of last night"


def delivered(*, jobs: int = 1) -> None:
    """Jobs on site whose three messages each were acknowledged an hour ago."""
    engineer = make.engineer()
    for _ in range(jobs):
        make.job(at_state=JobState.ON_SITE, to=engineer)
    an_hour_ago = timezone.now() - timedelta(hours=1)
    OutboundMessage.objects.update(
        state=OutboundState.SENT, sent_at=an_hour_ago, claims=1, created_at=an_hour_ago
    )


def try_it(message: OutboundMessage, *, minutes_ago: int) -> None:
    at = timezone.now() - timedelta(minutes=minutes_ago)
    DeliveryAttempt.objects.create(message=message, endpoint="x", started_at=at, milliseconds=1)


def test_delivered_messages_are_replayed_with_the_same_id_and_first_time() -> None:
    delivered()
    before = list(OutboundMessage.objects.values_list("message_id", "sent_at", "seq"))

    replay = replays.start_replay(messages=OutboundMessage.objects.all(), by=make.dispatcher(), reason=WHY)

    assert list(OutboundMessage.objects.values_list("message_id", "sent_at", "seq")) == before
    assert set(OutboundMessage.objects.values_list("state", "replay")) == {(OutboundState.READY, replay.pk)}
    assert replays.replay_progress(replay) == (0, 3)


def test_time_of_the_first_acknowledgement_stays_when_the_replay_is_delivered() -> None:
    delivered()
    OutboundMessage.objects.filter(seq=3).update(state=OutboundState.READY, sent_at=None)
    first_time = OutboundMessage.objects.get(seq=1).sent_at
    replays.start_replay(messages=OutboundMessage.objects.all(), by=make.dispatcher(), reason=WHY)
    now = timezone.now()

    while claims := outbox_queue.claim_due(1):
        message_states.mark_sent([(claims[0].pk, claims[0].claims)], now=now)

    sent = OutboundMessage.objects.filter(state=OutboundState.SENT).order_by("seq")
    assert [message.sent_at for message in sent] == [first_time, first_time, now]


def test_order_of_a_job_is_kept() -> None:
    delivered()

    replays.start_replay(messages=OutboundMessage.objects.all(), by=make.dispatcher(), reason=WHY)

    due = OutboundMessage.objects.due(timezone.now())
    assert [message.body["event"] for message in due] == ["engineerAssigned"]


def test_selection_leaves_the_others_alone() -> None:
    delivered()
    chosen = OutboundMessage.objects.filter(seq=2)

    replays.start_replay(messages=list(chosen), by=make.dispatcher(), reason=WHY)

    states = list(OutboundMessage.objects.order_by("seq").values_list("state", flat=True))
    assert states == [OutboundState.SENT, OutboundState.READY, OutboundState.SENT]


def test_outage_is_what_was_written_or_tried_in_it() -> None:
    delivered()
    early, late, never = OutboundMessage.objects.order_by("seq")
    try_it(early, minutes_ago=30)
    try_it(late, minutes_ago=10)
    now = timezone.now()

    found = replays.outage_messages(now - timedelta(minutes=40), now - timedelta(minutes=20))
    whole = replays.outage_messages(now - timedelta(hours=2), now)

    assert list(found) == [early]
    assert set(whole) == {early, late, never}


def test_preview_counts_what_would_be_replayed() -> None:
    delivered()
    first, second, third = OutboundMessage.objects.order_by("seq")
    now = timezone.now()
    OutboundMessage.objects.filter(pk=second.pk).update(state=OutboundState.HELD)
    OutboundMessage.objects.filter(pk=third.pk).update(
        state=OutboundState.READY, lease_expires_at=now + timedelta(minutes=1)
    )

    seen = replays.preview_replay(replays.outage_messages(now - timedelta(hours=2), now))

    assert (seen.messages, seen.jobs, seen.delivered, seen.waiting, seen.held) == (2, 1, 1, 0, 1)
    assert (seen.under_way, seen.first_at) == (1, first.created_at)


def test_message_being_sent_is_not_disturbed() -> None:
    delivered()
    until = timezone.now() + timedelta(minutes=1)
    OutboundMessage.objects.filter(seq=3).update(
        state=OutboundState.READY, lease_expires_at=until, sent_at=None
    )

    replay = replays.start_replay(messages=OutboundMessage.objects.all(), by=make.dispatcher(), reason=WHY)

    under_way = OutboundMessage.objects.get(seq=3)
    assert (under_way.lease_expires_at, under_way.claims, under_way.replay) == (until, 1, None)
    assert replays.replay_progress(replay) == (0, 2)


def test_nothing_of_a_job_is_replayed_while_a_later_one_is_being_sent() -> None:
    delivered()
    until = timezone.now() + timedelta(minutes=1)
    OutboundMessage.objects.filter(seq=3).update(state=OutboundState.READY, lease_expires_at=until)

    replays.start_replay(messages=OutboundMessage.objects.all(), by=make.dispatcher(), reason=WHY)

    assert not OutboundMessage.objects.due(timezone.now()).exists()


def raise_held_alarm(message: OutboundMessage) -> None:
    OutboundMessage.objects.filter(pk=message.pk).update(state=OutboundState.HELD, held_reason="422")
    raise_alarm(
        AlarmKind.MESSAGE_HELD,
        message.job.provider_job_id,
        coded_text("message_held", address="1 Mill Lane, LS30 1AA", job="J", reason="400"),
    )


def test_alarm_of_a_held_message_stays_while_others_of_its_job_are_replayed() -> None:
    delivered()
    first, held, later = OutboundMessage.objects.all()
    raise_held_alarm(held)
    person = make.dispatcher()

    replays.start_replay(messages=[first], by=person, reason=WHY)
    OutboundMessage.objects.filter(pk=later.pk).update(state=OutboundState.READY)
    outbox.replay_message(message=later, by=person)

    assert [alarm.subject for alarm in open_alarms()] == [held.job.provider_job_id]
    outbox.replay_message(message=held, by=person)
    assert not open_alarms().exists()


def test_held_messages_are_replayed_and_their_alarms_cleared() -> None:
    delivered()
    held = OutboundMessage.objects.get(seq=2)
    raise_held_alarm(held)

    replays.start_replay(messages=[held], by=make.dispatcher(), reason=WHY)

    held.refresh_from_db()
    assert (held.state, held.held_reason) == (OutboundState.READY, "")
    assert not open_alarms().exists()


def test_who_and_why_are_on_record() -> None:
    delivered()
    person, now = make.dispatcher(), timezone.now()
    from_at, to_at = now - timedelta(hours=2), now

    outage = replays.outage_messages(from_at, to_at)
    replay = replays.start_replay(messages=outage, by=person, reason=WHY, from_at=from_at, to_at=to_at)

    entry = AuditEntry.objects.get(action="replayed")
    assert (replay.by, replay.reason, replay.from_at, replay.to_at) == (person, WHY, from_at, to_at)
    assert (entry.actor, entry.subject, entry.after["reason"]) == (person, "3 messages", WHY)


@pytest.mark.parametrize(("why", "code"), [("  ", "reason_missing"), (WHY, "nothing_to_replay")])
def test_empty_replay_is_refused_and_leaves_nothing(why: str, code: str) -> None:
    with pytest.raises(replays.NothingToReplay) as refused:
        replays.start_replay(messages=OutboundMessage.objects.none(), by=make.dispatcher(), reason=why)

    assert [problem.code for problem in refused.value.problems] == [code]
    assert not replays.Replay.objects.exists()


def test_acknowledged_message_that_is_rejected_when_resent_stays_delivered() -> None:
    delivered()
    replay = replays.start_replay(messages=OutboundMessage.objects.all(), by=make.dispatcher(), reason=WHY)

    settle_next(Rejected(404, '{"fault": {"faultcode": "jobNotFound"}}'))

    first = OutboundMessage.objects.get(seq=1)
    assert (first.state, first.held_reason[:3]) == (OutboundState.SENT, "404")
    assert not open_alarms().exists()
    assert (replays.replay_progress(replay), replays.rejected_again(replay)) == ((0, 3), 1)
    assert [message.seq for message in OutboundMessage.objects.due(timezone.now())] == [2]


def settle_next(outcome: Rejected) -> None:
    (claim,) = outbox_queue.claim_due(1)
    relay.settle([relay.DeliveryResult(claim, outcome)])


def test_outage_leaves_out_what_a_person_stopped() -> None:
    delivered()
    OutboundMessage.objects.filter(seq=2).update(state=OutboundState.STOPPED)
    now = timezone.now()

    assert [message.seq for message in replays.outage_messages(now - timedelta(hours=2), now)] == [1, 3]
