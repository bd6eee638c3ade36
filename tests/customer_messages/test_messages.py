"""Messages to customers: off by default, each first a row, sent once, not late, and not when the job has changed."""

import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
import time_machine
from pytest_django import Settings

from customer_messages.message_queue import enqueue_new, send_due
from customer_messages.models import CustomerMessage
from customer_messages.tasks import send_customer_messages
from dispatch import holds, jobs, visits
from dispatch.models import Job, JobEventReader
from dispatch.states import JobState
from tests import make
from tests.customer_messages.ways import set_up_ways
from tests.servers import mailbox
from tests.servers.mailbox import Mailbox, server_at
from tests.servers.webhook_receiver import HALF, HANG, Receiver

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def mails(settings: Settings) -> Iterator[Mailbox]:
    with mailbox.running() as running:
        set_up_ways(settings, "mail", mail_port=running.port)
        enqueue_new(make.now())
        yield running


def set_off(clock: str = "08:30") -> Job:
    """En route at that time, planned at 09:00."""
    with time_machine.travel(make.at("06:30")):
        job = make.job()
        engineer = make.engineer()
        visits.assign(job=job, engineer=engineer, starts_at=make.at("09:00"), by=make.office())
    with time_machine.travel(make.at(clock)):
        make.start_travel(job)
    return job


def work(clock: str, *, day: date = make.DAY) -> None:
    with time_machine.travel(make.at(clock, day=day)):
        send_customer_messages()


def texts(gateway: Receiver) -> list[str]:
    return [json.loads(body)["body"]["text"] for _headers, body in gateway.got]


def states() -> list[tuple[str, str]]:
    return list(CustomerMessage.objects.order_by("pk").values_list("kind", "state"))


def test_nothing_is_sent_unless_it_is_switched_on(settings: Settings) -> None:
    assert settings.CUSTOMER_MESSAGES.channels == ()
    set_off()
    work("08:31")

    assert states() == []
    assert not JobEventReader.objects.filter(name="customer_messages").exists()


def test_customer_learns_that_the_engineer_is_on_the_way(gateway: Receiver) -> None:
    set_off()
    work("08:31")

    (text,) = texts(gateway)
    headers, body = gateway.got[0]
    assert text.startswith("Northern Fibre: Your engineer is on the way to you and is expected between 08:")
    assert "Follow it here: http://127.0.0.1:8000/visit/" in text
    assert json.loads(body)["to"] == "07700900456"
    assert headers["authorization"] == "Bearer key"
    row = CustomerMessage.objects.get()
    assert (row.state, headers["idempotency-key"]) == ("sent", str(row.message_id))
    for personal in ("Pat", "Chapel", "LS6", "Erin", "Residential"):
        assert personal not in re.sub(r"/visit/\S+", "", text)


def test_event_that_is_read_again_sends_one_message(gateway: Receiver) -> None:
    set_off()
    for clock in ("08:31", "08:32", "08:33"):
        work(clock)
    JobEventReader.objects.update(settled_to=0)
    work("08:34")

    assert len(texts(gateway)) == 1


def test_phone_that_was_offline_tells_nobody_late(gateway: Receiver) -> None:
    with time_machine.travel(make.at("06:30")):
        job = make.job()
        visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("09:00"), by=make.office())
    with time_machine.travel(make.at("10:40")):
        make.start_travel(job, occurred_at=make.at("08:40"))
    work("10:41")

    assert states() == [("on_the_way", "expired")]
    assert texts(gateway) == []


def test_message_that_waited_too_long_is_not_sent(gateway: Receiver) -> None:
    set_off()
    gateway.answers = [503]
    work("08:31")
    assert states() == [("on_the_way", "ready")]
    work("08:50")

    assert states() == [("on_the_way", "expired")]
    assert len(gateway.got) == 1


def test_refused_message_is_tried_again_with_the_same_id(gateway: Receiver) -> None:
    set_off()
    gateway.answers = [503]
    work("08:31")
    work("08:32")
    assert len(gateway.got) == 1
    work("08:35")

    assert states() == [("on_the_way", "sent")]
    assert len({headers["idempotency-key"] for headers, _body in gateway.got}) == 1


@pytest.mark.parametrize("answer", [HANG, HALF, 504])
def test_message_that_may_have_arrived_is_not_sent_again(
    gateway: Receiver, answer: int | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitoring.sms_gateway.GATEWAY_SECONDS", 0.7)
    set_off()
    gateway.answers = [answer]
    work("08:31")
    work("08:36")

    assert states() == [("on_the_way", "failed")]
    assert len(gateway.got) == 1


@contextmanager
def silent_port() -> Iterator[int]:
    """Connections are taken, and nobody speaks."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_gateway_that_was_never_reached_is_tried_again(
    gateway: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitoring.sms_gateway.GATEWAY_SECONDS", 0.7)
    set_off()
    with silent_port() as port:
        set_up_ways(settings, "sms", sms_url=f"https://127.0.0.1:{port}/")
        work("08:31")
    assert states() == [("on_the_way", "ready")]
    set_up_ways(settings, "sms", sms_url=gateway.url)
    work("08:34")

    assert states() == [("on_the_way", "sent")]


@pytest.mark.parametrize("host", ["127.0.0.1", "mail.invalid"], ids=["silent", "unknown name"])
def test_mail_server_that_was_never_reached_is_tried_again(
    mails: Mailbox, settings: Settings, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setattr("monitoring.mail_server.MAIL_SECONDS", 0.7)
    set_off()
    with silent_port() as port:
        settings.MAIL_SERVER = replace(server_at(port), host=host)
        work("08:31")
    assert states() == [("on_the_way", "ready")]
    settings.MAIL_SERVER = mails.server
    work("08:34")

    assert states() == [("on_the_way", "sent")]
    assert len(mails.got) == 1


def test_worker_that_died_while_sending_leaves_it_unsent(gateway: Receiver) -> None:
    set_off()
    with time_machine.travel(make.at("08:31")):
        enqueue_new(make.now())
    CustomerMessage.objects.update(state="sending", lease_expires_at=make.at("08:33"))
    work("08:32")
    assert states() == [("on_the_way", "sending")]
    work("08:34")

    assert states() == [("on_the_way", "failed")]
    assert gateway.got == []


def test_cancelled_job_tells_nobody(gateway: Receiver) -> None:
    job = set_off()
    with time_machine.travel(make.at("08:31")):
        enqueue_new(make.now())
        jobs.cancel_job(job=job, reason="Customer changed their mind")
    work("08:32")

    assert states() == [("on_the_way", "withdrawn")]
    assert gateway.got == []


def test_job_that_goes_to_another_engineer_sends_another(gateway: Receiver) -> None:
    job = set_off()
    work("08:31")
    with time_machine.travel(make.at("08:40")):
        visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("10:00"), by=make.office())
        make.start_travel(job)
    work("08:41")

    assert len(texts(gateway)) == 2


def test_message_of_the_day_comes_in_the_morning_and_once(gateway: Receiver) -> None:
    with time_machine.travel(make.at("06:30")):
        make.job(at_state=JobState.ASSIGNED)
        make.job()
    work("06:59")
    assert states() == []
    work("07:00")
    work("07:10")

    (text,) = texts(gateway)
    assert "comes today between 08:00 and 13:00" in text


@pytest.mark.parametrize(
    ("ends_at", "sentence"),
    [
        (
            make.at("13:00", day=make.DAY + timedelta(days=2)),
            "comes between Mon 23 Nov 08:00 and Wed 25 Nov 13:00",
        ),
        (make.at("00:00", day=make.DAY + timedelta(days=1)), "comes today between 08:00 and 24:00"),
    ],
    ids=["several days", "until midnight"],
)
def test_message_of_the_day_says_when_the_window_ends(
    gateway: Receiver, ends_at: datetime, sentence: str
) -> None:
    with time_machine.travel(make.at("06:30")):
        job = make.job(at_state=JobState.ASSIGNED)
        Job.objects.filter(pk=job.pk).update(window_end=ends_at)
    work("07:00")
    work("07:10")

    (text,) = texts(gateway)
    assert sentence in text


def test_message_of_the_day_comes_after_a_hold_that_ended(gateway: Receiver) -> None:
    with time_machine.travel(make.at("06:30")):
        job = make.job(at_state=JobState.ASSIGNED)
    gateway.answers = [503]
    work("07:00")
    with time_machine.travel(make.at("07:01")):
        holds.hold_job(job=job, by=make.office(), reason="Node N-1 is down")
    work("07:03")
    assert states() == [("today", "withdrawn")]
    with time_machine.travel(make.at("07:10")):
        holds.release_job(job=job, by=make.office())
    work("07:11")
    work("07:14")

    assert states() == [("today", "sent")]
    assert len(gateway.got) == 2


def test_customer_who_agreed_to_a_later_start_is_not_asked_to_wait_in_the_window(gateway: Receiver) -> None:
    make.agreed_job("15:00")
    work("07:00")

    (text,) = texts(gateway)
    assert "comes today at about 15:00, as agreed" in text
    assert "13:00" not in text


def test_start_agreed_for_the_last_day_of_a_window_is_announced_on_that_day(gateway: Receiver) -> None:
    job, yesterday = make.agreed_job("15:00"), make.DAY - timedelta(days=1)
    Job.objects.filter(pk=job.pk).update(window_start=make.at("08:00", day=yesterday))
    work("07:00", day=yesterday)
    work("07:10", day=yesterday)
    assert states() == []

    work("07:00")
    work("07:10")
    (text,) = texts(gateway)
    assert "comes today at about 15:00, as agreed" in text


def test_customer_without_a_number_gets_a_mail_where_both_are_on(
    gateway: Receiver, settings: Settings
) -> None:
    with mailbox.running() as mails:
        set_up_ways(settings, "sms", "mail", sms_url=gateway.url, mail_port=mails.port)
        job = set_off()
        Job.objects.filter(pk=job.pk).update(contact_phone="ask at the desk")
        work("08:31")

    (mail,) = mails.got
    assert gateway.got == []
    assert mail["To"] == "pat@example.com"
    assert mail["Subject"] == "Northern Fibre: Your engineer is on the way"
    assert mail["Auto-Submitted"] == "auto-generated"


@pytest.mark.parametrize(
    ("answer", "state"),
    [("550 No", "ready"), ("", "failed")],
    ids=["refused", "connection lost after the text"],
)
def test_mail_that_did_not_go(mails: Mailbox, answer: str, state: str) -> None:
    mails.answers = [answer]
    set_off()
    work("08:31")

    assert states() == [("on_the_way", state)]


def test_customer_whom_nobody_can_reach_is_noted(gateway: Receiver) -> None:
    job = set_off()
    Job.objects.filter(pk=job.pk).update(contact_phone="")
    work("08:31")

    row = CustomerMessage.objects.get()
    assert (row.state, row.reason["text"]) == ("failed", "no_address")


def test_german_message(gateway: Receiver, settings: Settings) -> None:
    set_up_ways(settings, "sms", sms_url=gateway.url, language="de")
    set_off()
    work("08:31")

    assert "ist unterwegs" in texts(gateway)[0]


def test_what_happened_while_it_was_off_is_never_sent(gateway: Receiver, settings: Settings) -> None:
    set_up_ways(settings)
    work("08:00")
    set_off("08:30")
    set_up_ways(settings, "sms", sms_url=gateway.url)
    work("08:31")
    work("08:32")

    assert gateway.got == []


def test_run_ends_in_time_and_the_next_goes_on(gateway: Receiver) -> None:
    for _ in range(3):
        set_off()
    with time_machine.travel(make.at("08:31"), tick=False):
        enqueue_new(make.now())
    with time_machine.travel(make.at("08:33")):
        send_due(make.at("08:32"))
        assert len(gateway.got) == 1
        send_due(make.now())
    assert len(gateway.got) == 3


def test_engineer_on_the_way_comes_before_the_messages_of_the_day(gateway: Receiver) -> None:
    with time_machine.travel(make.at("06:30")):
        make.job(at_state=JobState.ASSIGNED)
    with time_machine.travel(make.at("07:00"), tick=False):
        enqueue_new(make.now())
    set_off("07:05")
    with time_machine.travel(make.at("07:06"), tick=False):
        enqueue_new(make.now())
    with time_machine.travel(make.at("07:08")):
        send_due(make.at("07:07"))

    assert states() == [("today", "ready"), ("on_the_way", "sent")]
