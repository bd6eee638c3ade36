"""Deliveries to a real web server that fails, hangs, answers half and gets the same twice."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings

from demo.environment import wait_until
from dispatch.states import JobState
from monitoring.models import Alarm, AlarmKind, Heartbeat
from monitoring.signed_post import signature
from partner_api import webhook_queue, webhook_subscriptions
from partner_api.management.commands.webhooks import WebhookSender
from partner_api.models import WebhookAttempt, WebhookDelivery, WebhookState
from partner_api.retention import expired_events
from partner_api.webhook_events import collect_job_events
from partner_api.webhook_subscriptions import SubscriptionRefused
from tests import make
from tests.partner_api.webhooks import (
    bodies,
    events_of,
    make_due,
    send_due,
    subscription,
    subscription_inside,
)
from tests.servers import webhook_receiver
from tests.servers.webhook_receiver import DROP, HALF, HANG, Receiver
from tests.together import is_somebody_waiting_for_us

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.WEBHOOKS = replace(settings.WEBHOOKS, private_addresses=True, seconds=0.7)
    with webhook_receiver.running() as running:
        yield running


def fail(receiver: Receiver, *, times: int) -> None:
    """Of one delivery, each at its time."""
    receiver.answers = [500] * times
    for _ in range(times):
        make_due()
        send_due()


def states() -> list[str]:
    return list(WebhookDelivery.objects.values_list("state", flat=True))


def test_delivery_is_signed_and_recorded(receiver: Receiver) -> None:
    hook = subscription(receiver.url)
    job = make.job()

    assert send_due() == [""]
    headers, body = receiver.got[0]
    stamp, _comma, signed = headers["x-signature"].partition(",")
    assert signed == f"v1={signature(hook.secret, stamp.removeprefix('t='), body)}"
    assert abs(int(stamp.removeprefix("t=")) - timezone.now().timestamp()) < 60
    assert headers["x-delivery-id"] == json.loads(body)["id"]
    assert headers["content-type"] == "application/json"
    assert events_of(receiver) == [(job.provider_job_id, 1)]
    assert list(WebhookAttempt.objects.values_list("status", "error")) == [(204, {})]
    assert states() == ["delivered"]


@pytest.mark.parametrize("answer", [500, 404, 302, HANG, HALF, DROP])
def test_anything_but_a_whole_good_answer_is_tried_again_with_the_same_id(
    receiver: Receiver, answer: int | str
) -> None:
    subscription(receiver.url)
    make.job()
    receiver.answers = [answer]

    assert send_due() != [""]
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.failures) == ("ready", 1)
    assert delivery.next_attempt_at > timezone.now() + timedelta(seconds=2)
    assert send_due() == []
    make_due()
    assert send_due() == [""]
    assert len({headers["x-delivery-id"] for headers, _body in receiver.got}) == 1
    assert len(receiver.got) == 2


def test_waits_grow_and_the_address_rests(receiver: Receiver) -> None:
    hook = subscription(receiver.url)
    make.job()
    receiver.answers = [500] * 6
    waits = []
    for _ in range(6):
        make_due()
        send_due()
        waits.append(WebhookDelivery.objects.get().next_attempt_at - timezone.now())
    hook.refresh_from_db()

    assert waits == sorted(waits)
    assert hook.failures == 6
    assert hook.open_until and hook.open_until > timezone.now() + timedelta(seconds=60)
    alarm = Alarm.objects.get(kind=AlarmKind.WEBHOOK_FAILING)
    assert (alarm.subject, alarm.parameters["name"]) == (str(hook.pk), "Data store")
    make_due()
    send_due()
    alarm.refresh_from_db()
    assert alarm.cleared_at


def test_alarm_is_over_when_a_replay_arrives(receiver: Receiver) -> None:
    hook = subscription(receiver.url)
    make.job()
    fail(receiver, times=6)
    webhook_subscriptions.replay(subscription=hook, deliveries=WebhookDelivery.objects.all(), by=None)
    alarm = Alarm.objects.get(kind=AlarmKind.WEBHOOK_FAILING)
    assert alarm.cleared_at is None
    send_due()

    alarm.refresh_from_db()
    hook.refresh_from_db()
    assert alarm.cleared_at
    assert hook.failures == 0


def test_failure_that_ends_after_a_pause_raises_no_alarm(receiver: Receiver) -> None:
    hook = subscription(receiver.url)
    make.job()
    fail(receiver, times=5)
    receiver.answers = [500]
    make_due()
    (under_way,) = webhook_queue.claim_due(8, under_way=Counter())
    webhook_subscriptions.pause(pk=hook.pk, by=None)
    webhook_queue.settle([webhook_queue.send(under_way)])

    assert not Alarm.objects.filter(kind=AlarmKind.WEBHOOK_FAILING).exists()


def test_a_job_keeps_its_order_and_others_go_ahead(receiver: Receiver) -> None:
    subscription(receiver.url)
    stuck = make.job()
    receiver.answers = [500]
    send_due()
    make.walk(stuck, at_state=JobState.ASSIGNED)
    other = make.job()
    send_due()

    assert events_of(receiver) == [(str(stuck), 1), (str(other), 1)]
    make_due()
    send_due()
    assert events_of(receiver)[2:] == [(str(stuck), 1), (str(stuck), 2)]


def test_what_nobody_takes_is_given_up_and_later_ones_go_on(receiver: Receiver) -> None:
    subscription(receiver.url)
    job = make.job()
    receiver.answers = [500, 500]
    send_due()
    WebhookDelivery.objects.update(give_up_at=timezone.now())
    make.close_without_visit(job)
    make_due()
    send_due()

    assert states() == ["failed", "delivered"]


def test_one_address_that_hangs_holds_no_other_back(receiver: Receiver) -> None:
    with webhook_receiver.running() as quick:
        slow = subscription(receiver.url, name="Slow")
        subscription(quick.url, name="Quick")
        receiver.answers = [HANG] * 50
        for _ in range(12):
            make.job()
        sender = WebhookSender()
        thread = threading.Thread(target=sender.run, kwargs={"rounds": None})
        thread.start()
        deadline = threading.Event()
        while len(quick.got) < 12 and not deadline.wait(0.05) and thread.is_alive():
            pass
        sender.stop()
        thread.join(30)

    assert len(quick.got) == 12
    assert slow.deliveries.filter(state=WebhookState.DELIVERED).count() == 0


def test_claim_that_was_overtaken_changes_nothing(receiver: Receiver) -> None:
    """As after a process that stood still: another sent it, and again with the same id."""
    hook = subscription(receiver.url)
    make.job()
    send_due()
    webhook_subscriptions.replay(subscription=hook, deliveries=WebhookDelivery.objects.all(), by=None)
    (late,) = webhook_queue.claim_due(8, under_way=Counter())
    WebhookDelivery.objects.update(lease_expires_at=timezone.now())
    assert send_due() == [""]
    receiver.answers = [500]
    webhook_queue.settle([webhook_queue.send(late)])

    assert states() == ["delivered"]
    assert WebhookAttempt.objects.count() == 3
    assert len({headers["x-delivery-id"] for headers, _body in receiver.got}) == 1


def test_clock_that_was_ahead_stops_no_address(receiver: Receiver) -> None:
    subscription(receiver.url)
    job = make.job()
    with time_machine.travel(timezone.now() + timedelta(days=30)):
        fail(receiver, times=3)
    make.close_without_visit(job)

    assert send_due() == ["", ""]


def test_leased_delivery_is_not_sent_twice(receiver: Receiver) -> None:
    subscription(receiver.url)
    job = make.job()
    make.close_without_visit(job)
    assert send_due() == ["", ""]
    WebhookDelivery.objects.update(state="ready", next_attempt_at=timezone.now())

    assert len(webhook_queue.claim_due(8, under_way=Counter())) == 1
    assert webhook_queue.claim_due(8, under_way=Counter()) == []


def test_private_address_is_refused_unless_the_operator_allows_it(settings: Settings) -> None:
    subscription_inside()
    make.job()

    assert send_due() == ["127.0.0.1 is not a public address"]
    for scheme in ("http", "https"):
        with pytest.raises(SubscriptionRefused):
            subscription(f"{scheme}://127.0.0.1:9/hooks")


def test_pause_keeps_and_resume_sends_what_happened(receiver: Receiver) -> None:
    hook = subscription(receiver.url)
    assert webhook_subscriptions.pause(pk=hook.pk, by=None)
    make.job()
    assert send_due() == []
    assert not webhook_subscriptions.pause(pk=hook.pk, by=None)
    assert webhook_subscriptions.resume(pk=hook.pk, by=None)
    assert send_due() == [""]


def test_removed_webhook_gets_nothing_more(receiver: Receiver) -> None:
    hook = subscription(receiver.url)
    make.job()
    assert webhook_subscriptions.remove(pk=hook.pk, by=None)
    assert not webhook_subscriptions.remove(pk=hook.pk, by=None)

    assert send_due() == []
    assert webhook_subscriptions.replace_secret(pk=hook.pk, by=None) is None


@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other")
@pytest.mark.parametrize("is_removed", [True, False])
def test_failed_attempt_and_whoever_changes_the_webhook_wait_in_no_ring(
    receiver: Receiver, *, is_removed: bool
) -> None:
    hook = subscription(receiver.url)
    make.job()
    collect_job_events()
    receiver.answers = [500]
    results = [webhook_queue.send(claim) for claim in webhook_queue.claim_due(8, under_way=Counter())]
    WebhookDelivery.objects.update(lease_expires_at=timezone.now())

    def settle() -> None:
        try:
            webhook_queue.settle(results)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as other, transaction.atomic():
        webhook_subscriptions.lock_subscriptions([hook.pk])
        settling = other.submit(settle)
        assert wait_until(is_somebody_waiting_for_us, seconds=10)
        if is_removed:
            webhook_subscriptions.remove(pk=hook.pk, by=None)
        else:
            webhook_subscriptions.replay(subscription=hook, deliveries=WebhookDelivery.objects.all(), by=None)
        transaction.on_commit(settling.result)

    assert states() == ["failed" if is_removed else "ready"]


def test_what_waited_for_a_removed_webhook_ends_with_its_time(receiver: Receiver) -> None:
    hook = subscription(receiver.url)
    make.job()
    collect_job_events()
    later = timezone.now() + timedelta(seconds=1)
    assert not expired_events(later).exists()
    webhook_subscriptions.remove(pk=hook.pk, by=None)

    assert WebhookDelivery.objects.get().state == WebhookState.FAILED
    # removed by an earlier version
    WebhookDelivery.objects.update(state=WebhookState.READY)
    assert expired_events(later).count() == 1


def test_new_secret_signs_from_now_on(receiver: Receiver) -> None:
    hook = subscription(receiver.url)
    issued = webhook_subscriptions.replace_secret(pk=hook.pk, by=None)
    make.job()
    send_due()

    headers, body = receiver.got[0]
    stamp = headers["x-signature"].partition(",")[0].removeprefix("t=")
    assert issued
    assert headers["x-signature"].endswith(signature(issued.secret, stamp, body))
    assert issued.secret != hook.secret


def test_command_replays_what_was_given_up_or_all_of_a_time(
    receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    subscription(receiver.url)
    make.job()
    make.job()
    send_due()
    WebhookDelivery.objects.filter(pk=WebhookDelivery.objects.first().pk).update(state="failed")  # type: ignore[union-attr]

    call_command("replay_webhooks", "data store")
    assert send_due() == [""]
    later = (timezone.now() + timedelta(hours=1)).isoformat()
    call_command("replay_webhooks", "data store", "--all", "--from", later)
    call_command("replay_webhooks", "data store", "--all", "--to", later)
    assert capsys.readouterr().out.split("\n")[:3] == [
        f"{number} deliveries are sent again" for number in (1, 0, 2)
    ]
    assert send_due() == ["", ""]
    with pytest.raises(CommandError, match="has this name"):
        call_command("replay_webhooks", "another")
    with pytest.raises(CommandError, match="with its offset"):
        call_command("replay_webhooks", "data store", "--from", "yesterday")


def test_process_tells_of_a_job_and_of_a_missed_window(receiver: Receiver) -> None:
    subscription(receiver.url)
    job = make.job(day=timezone.localdate())
    sender = WebhookSender()
    sender.run(rounds=2)

    assert bodies(receiver)[0]["type"] == "job.changed"
    assert bodies(receiver)[0]["job"]["number"] == str(job)
    assert sender.is_healthy
    assert not Heartbeat.objects.exists()
