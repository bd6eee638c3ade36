"""The sandbox at work: does what falls due, and delivers what waits, several messages at once, in order per thread."""

import json
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event

import structlog
from django.db import close_old_connections
from django.utils import timezone

from seller_sandbox import clock, due_actions
from seller_sandbox.endpoints import credentials
from seller_sandbox.messages import client, outbox
from seller_sandbox.messages.channels import channel_of
from seller_sandbox.messages.client import Post, Reply
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.messages.outbox import Answered
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict
from seller_sandbox.models import Heartbeat
from seller_sandbox.transactions import do_together

NAME = "work"
LOOK_EVERY_SECONDS = 0.2
BEAT_EVERY_SECONDS = 2
MESSAGES_AT_ONCE = 8
# between two looks at the messages, so that neither waits long for the other
DUE_ACTIONS_AT_ONCE = 20

log = structlog.get_logger("sandbox.worker")


def work_once() -> bool:
    """Do what is due, one message at most and not beside anything else; says whether there was anything."""
    done = due_actions.run_due(limit=DUE_ACTIONS_AT_ONCE)
    message = outbox.claim()
    if message is None:
        return done > 0
    if post := address_next(message):
        settle([(message, post, client.send(post))])
    return True


def run(stop: Event) -> None:
    """Work until stopped; messages in flight are finished first.

    Only the calls run side by side: rows are read and written by this thread alone.
    """
    with ThreadPoolExecutor(MESSAGES_AT_ONCE, thread_name_prefix="deliver") as pool:
        deliveries = Deliveries(pool)
        while not stop.is_set():
            if not _look(deliveries):
                deliveries.wait(stop)
        deliveries.finish()


class Deliveries:
    """The messages in flight."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.pool = pool
        self.in_flight: dict[Future[Reply], tuple[OutboundMessage, Post]] = {}

    def begin(self) -> bool:
        """Send what is due, as much as may be in flight; says whether there was anything."""
        claimed = outbox.claim_some(MESSAGES_AT_ONCE - len(self.in_flight))
        for message in claimed:
            if post := address_next(message):
                self.in_flight[self.pool.submit(client.send, post)] = (message, post)
        return bool(claimed)

    def settle(self) -> bool:
        """Settle what has an answer; says whether anything had."""
        answered = [future for future in self.in_flight if future.done()]
        # one that cannot be settled is due again when its lease is over
        replies = [(*self.in_flight.pop(future), future.result()) for future in answered]
        if replies:
            # one reading of the clock for all
            with clock.at(clock.now()):
                do_together(settle, replies)
        return bool(replies)

    def wait(self, stop: Event) -> None:
        """Until an answer has come, or for the time between two looks."""
        if self.in_flight:
            wait(self.in_flight, timeout=LOOK_EVERY_SECONDS, return_when=FIRST_COMPLETED)
        else:
            stop.wait(LOOK_EVERY_SECONDS)

    def finish(self) -> None:
        wait(self.in_flight)
        self.settle()


def _look(deliveries: Deliveries) -> bool:
    try:
        beat()
        done = due_actions.run_due(limit=DUE_ACTIONS_AT_ONCE, together=DUE_ACTIONS_AT_ONCE)
        return any([deliveries.settle(), deliveries.begin(), done > 0])
    except Exception:
        # a full disk, a long lock, an answer that nobody foresaw: every step is a transaction of its own, and a message
        # that was not settled is due again when its lease is over
        log.exception("trouble at work")
        close_old_connections()
        return False


def address_next(message: OutboundMessage) -> Post | None:
    """The message on its way to the next of the recipient's addresses; without one it waits."""
    channel = channel_of(message.thread)
    addresses = channel.addresses(message)
    if not addresses:
        error = f"{message.thread.recipient} has no address"
        outbox.settle(message, Verdict(DeliveryOutcome.TRY_AGAIN, error=error))
        return None
    content = message.body if isinstance(message.body, str) else json.dumps(message.body)
    return Post(
        url=addresses[(message.id + message.attempts) % len(addresses)],
        content=content.encode(),
        content_type=channel.content_type,
        credentials=credentials.files(),
        headers=channel.headers,
    )


def settle(replies: list[tuple[OutboundMessage, Post, Reply]]) -> None:
    """Keep and apply what came back."""
    outbox.settle_all(
        [Answered(message, _judge(message, reply), post.url) for message, post, reply in replies]
    )


def _judge(message: OutboundMessage, reply: Reply) -> Verdict:
    if reply.status is None:
        return Verdict(DeliveryOutcome.TRY_AGAIN, error=reply.error)
    return channel_of(message.thread).judge(message, reply)


def beat() -> None:
    """Note that the worker is alive, every few seconds."""
    now = timezone.now()
    row = Heartbeat.objects.filter(name=NAME).first()
    if row is None or (now - row.at).total_seconds() > BEAT_EVERY_SECONDS:
        Heartbeat.objects.update_or_create(name=NAME, defaults={"at": now})


def seconds_since_beat() -> float | None:
    """How long the worker was not seen; None when it never ran."""
    row = Heartbeat.objects.filter(name=NAME).first()
    return (timezone.now() - row.at).total_seconds() if row else None
