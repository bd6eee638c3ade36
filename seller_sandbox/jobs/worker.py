"""The sandbox at work: does what falls due, sends what waits and lets provisioning results happen."""

import time
from threading import Event

import structlog
from django.db import OperationalError, close_old_connections
from django.utils import timezone

from seller_sandbox import due_actions
from seller_sandbox.jobs import client, outbox, provisioning
from seller_sandbox.jobs.partner_answers import judge
from seller_sandbox.models import Heartbeat

NAME = "work"
LOOK_EVERY_SECONDS = 0.2
BEAT_EVERY_SECONDS = 2
# between two messages, so that neither waits long for the other
DUE_ACTIONS_AT_ONCE = 20

log = structlog.get_logger("sandbox.worker")


def work_once() -> bool:
    """Do what is due, one message at most; says whether there was anything."""
    done = due_actions.run_due(limit=DUE_ACTIONS_AT_ONCE) + provisioning.finish_due_tries()
    return send_next() or done > 0


def send_next() -> bool:
    """Try the message that is due first; says whether there was one."""
    message = outbox.claim()
    if message is None:
        return False
    address = client.address_for(message.id + message.attempts)
    reply = client.post(message.operation, message.body, address=address)
    verdict = judge(message.body, operation=message.operation, reply=reply)
    outbox.settle(message, verdict, address=address)
    return True


def run(stop: Event) -> None:
    """Work until stopped; a message in flight is finished first."""
    beaten_at = 0.0
    while not stop.is_set():
        try:
            if time.monotonic() - beaten_at > BEAT_EVERY_SECONDS:
                beat()
                beaten_at = time.monotonic()
            busy = work_once()
        except OperationalError:
            # a full disk or a long lock: every step is a transaction of its own, so the next look goes on
            log.exception("storage in trouble")
            close_old_connections()
            busy = False
        if not busy:
            stop.wait(LOOK_EVERY_SECONDS)


def beat() -> None:
    Heartbeat.objects.update_or_create(name=NAME, defaults={"at": timezone.now()})


def seconds_since_beat() -> float | None:
    """How long the worker was not seen; None when it never ran."""
    row = Heartbeat.objects.filter(name=NAME).first()
    return (timezone.now() - row.at).total_seconds() if row else None
