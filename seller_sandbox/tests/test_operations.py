"""What an operator does to its partners: rate limit, maintenance window, certificate change, several addresses."""

import socket
import ssl
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import pytest
from cryptography import x509
from django.db import connection
from django.utils import timezone

from seller_sandbox.endpoints import credentials, switches
from seller_sandbox.endpoints.models import Mode, Switch
from seller_sandbox.endpoints.tls import PresentedContext
from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages import worker
from seller_sandbox.messages.models import InboundMessage, MessageLogEntry
from seller_sandbox.tests import make
from seller_sandbox.tests.environment import free_port
from seller_sandbox.tests.partner import Partner, start_partner
from seller_sandbox.tests.processes import Caller, fault_of, start, wait_for_port
from seller_sandbox.tests.test_story import wait_until


def test_a_rate_limit_refuses_what_is_too_much(caller: Caller) -> None:
    job = make.job()
    switches.set_switch(endpoint="A", mode=Mode.LIMIT, per_minute=2)

    answers = [caller.post("notifyJob", make.assigned(job)) for _ in range(3)]

    assert [answer.status for answer in answers] == [200, 200, 429]
    assert fault_of(answers[2]) == (429, "tryAgain")
    assert 1 <= int(answers[2].headers["retry-after"]) <= 60
    Switch.objects.update(minute_began_at=timezone.now() - timedelta(minutes=1))
    assert caller.post("notifyJob", make.assigned(job)).status == 200


def test_a_rate_limit_of_nothing_refuses_every_message(caller: Caller) -> None:
    body = make.assigned(make.job())
    switches.set_switch(endpoint="A", mode=Mode.LIMIT, per_minute=0)

    answers = [caller.post("notifyJob", body) for _ in range(2)]

    assert [answer.status for answer in answers] == [429, 429]
    assert answers[0].headers["retry-after"] == "60"


def test_a_maintenance_window_ends(caller: Caller) -> None:
    body = make.assigned(make.job())
    switches.set_switch(endpoint="A", mode=Mode.MAINTENANCE, seconds=120)

    refused = caller.post("notifyJob", body)
    Switch.objects.update(until=timezone.now())
    accepted = caller.post("notifyJob", body)

    assert fault_of(refused) == (503, "tryAgain")
    assert 100 < int(refused.headers["retry-after"]) <= 120
    assert accepted.status == 200


@pytest.mark.parametrize("mode", [Mode.LIMIT, Mode.MAINTENANCE])
def test_limit_and_maintenance_may_hold_for_some_messages_only(caller: Caller, mode: Mode) -> None:
    body = make.assigned(make.job())
    switches.set_switch(endpoint="A", mode=mode, seconds=120, per_minute=0, times=2)

    answers = [caller.post("notifyJob", body).status for _ in range(3)]

    assert answers[2] == 200
    assert answers[0] == answers[1] in {429, 503}
    assert [*InboundMessage.objects.values_list("switch", flat=True)] == [mode, mode, ""]


@pytest.mark.django_db(transaction=True)
def test_the_partners_addresses_are_taken_in_turn(partner: Partner, folder: Path, settings) -> None:
    port = free_port()
    second = start_partner(folder, port=port)
    settings.PARTNER_URLS = [*settings.PARTNER_URLS, f"https://127.0.0.1:{port}/seller"]
    send_batch(Batch(count=4, day=make.DAY))

    while worker.work_once():
        pass

    assert (len(partner.received), len(second.received)) == (2, 2)
    assert set(MessageLogEntry.objects.values_list("address", flat=True)) == {
        f"{url}/createJob" for url in settings.PARTNER_URLS
    }


@pytest.mark.django_db(transaction=True)
def test_an_address_that_fails_is_left_for_the_other(partner: Partner, folder: Path, settings) -> None:
    settings.PARTNER_URLS = [f"https://127.0.0.1:{free_port()}/seller", *settings.PARTNER_URLS]
    send_batch(Batch(count=2, day=make.DAY))
    deadline = timezone.now() + timedelta(seconds=20)

    while Job.objects.filter(state=JobState.ACCEPTED).count() < 2:
        worker.work_once()
        assert timezone.now() < deadline

    assert len(set(partner.message_ids)) == 2


def served_serial(folder: Path, port: int) -> int:
    """The serial number of the certificate that the endpoint shows."""
    context = ssl.create_default_context(cafile=folder / "ca.pem")
    context.load_cert_chain(folder / "partner.pem", folder / "partner.key")
    line = socket.create_connection(("127.0.0.1", port), timeout=10)
    with context.wrap_socket(line, server_hostname="127.0.0.1") as secure:
        return x509.load_der_x509_certificate(secure.getpeercert(binary_form=True)).serial_number


def serial_of(path: Path) -> int:
    return x509.load_pem_x509_certificate(path.read_bytes()).serial_number


@pytest.mark.django_db(transaction=True)
def test_a_certificate_change_reaches_both_directions(folder: Path, partner: Partner) -> None:
    port = free_port()
    process = start("serve_endpoint", "--name", "A", "--port", str(port), log=folder / "changing.log")
    wait_for_port(port, process)
    try:
        before = served_serial(folder, port)
        credentials.change(to_next=True)
        wait_until(lambda: served_serial(folder, port) == serial_of(folder / "seller-next.pem"))
    finally:
        process.stop()

    assert before == serial_of(folder / "seller.pem")
    assert credentials.files() == (folder / "seller-next.pem", folder / "seller-next.key")
    send_batch(Batch(count=1, day=make.DAY))
    worker.work_once()
    assert Job.objects.get().state == JobState.ACCEPTED


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext) -> int:
    """One handshake in memory; the serial number of the certificate that was presented."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    there = server.wrap_bio(to_server, to_client, server_side=True)
    here = client.wrap_bio(to_client, to_server, server_hostname="127.0.0.1")
    for side in (here, there, here, there):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    return x509.load_der_x509_certificate(here.getpeercert(binary_form=True)).serial_number


@pytest.mark.django_db(transaction=True)
def test_no_handshake_fails_while_the_certificate_changes(folder: Path) -> None:
    context, done = PresentedContext(), Event()
    client_context = ssl.create_default_context(cafile=folder / "ca.pem")
    client_context.load_cert_chain(folder / "partner.pem", folder / "partner.key")

    def change_all_the_time() -> None:
        to_next = True
        while not done.is_set():
            credentials.change(to_next=to_next)
            context.renew()
            to_next = not to_next
        connection.close()

    changing = Thread(target=change_all_the_time)
    changing.start()
    try:
        serials = Counter(shake_hands(context.listening, client_context) for _ in range(300))
    finally:
        done.set()
        changing.join()

    assert set(serials) == {serial_of(folder / "seller.pem"), serial_of(folder / "seller-next.pem")}


@pytest.mark.django_db
def test_a_change_without_a_next_certificate_is_refused(settings) -> None:
    settings.NEXT_CERTIFICATE = Path("/nowhere/next.pem")

    with pytest.raises(credentials.NoNextCertificate, match=r"/nowhere/next\.pem is missing"):
        credentials.change(to_next=True)
