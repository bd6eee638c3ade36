"""Who gets in at an endpoint, and what the fault switch does to those who do."""

import http.client
import ssl
import time

import pytest

from seller_sandbox.endpoints import operations, peers, switches
from seller_sandbox.endpoints.exchange import Request
from seller_sandbox.endpoints.models import Mode
from seller_sandbox.endpoints.peers import plain_address
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.tests import make
from seller_sandbox.tests.processes import Caller


@pytest.mark.parametrize("certificate", [None, "forged"])
def test_an_unknown_caller_does_not_pass_the_handshake(
    folder, endpoint_port, transactional_db, certificate
) -> None:
    with pytest.raises((ssl.SSLError, ConnectionError, http.client.HTTPException)):
        Caller(folder, endpoint_port, certificate).post("notifyJob", {})

    log = (folder / "endpoint.log").read_text()
    assert "handshake refused" in log


def test_a_subject_that_is_not_agreed_is_refused(folder, endpoint_port, transactional_db) -> None:
    response = Caller(folder, endpoint_port, "stranger").post("notifyJob", {})

    assert response.status == 403
    assert response.body["fault"]["faultcode"] == "accessDenied"


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_old_tls_is_refused(folder, endpoint_port, transactional_db) -> None:
    caller = Caller(folder, endpoint_port)
    context = caller._context()
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    line = http.client.HTTPSConnection("127.0.0.1", endpoint_port, context=context, timeout=5)

    with pytest.raises(ssl.SSLError):
        line.request("POST", "/notifyJob", body=b"{}")

    assert "UNSUPPORTED_PROTOCOL" in (folder / "endpoint.log").read_text()


@pytest.mark.parametrize(
    ("subject", "address", "status"),
    [
        ("partner", "127.0.0.1", None),
        ("partner", "::ffff:127.0.0.1", None),
        ("partner", "192.0.2.7", 403),
        ("stranger", "127.0.0.1", 403),
        (None, "127.0.0.1", 401),
    ],
)
@pytest.mark.django_db
def test_certificate_and_address_are_both_checked(subject, address, status) -> None:
    request = Request("A", "notifyJob", "POST", "application/json", b"{}", subject, address)
    refusal = peers.refusal(request, operations.find("notifyJob"))

    assert (refusal and refusal.status) == status


def test_addresses_are_written_one_way() -> None:
    assert plain_address("::FFFF:127.0.0.1") == "127.0.0.1"
    assert plain_address("0:0::1") == "::1"


# --- the fault switch -------------------------------------------------------------------------------------
BROKEN = (ConnectionError, http.client.HTTPException, ssl.SSLError)


def test_slow_stores_at_once_and_answers_late(caller: Caller) -> None:
    job = make.job()
    switches.set_switch(endpoint="A", mode=Mode.SLOW, seconds=1)
    started = time.monotonic()

    response = caller.post("notifyJob", make.assigned(job))

    assert response.status == 200
    assert time.monotonic() - started >= 1
    assert InboundMessage.objects.get().received_at.timestamp() < time.time() - 0.8


def test_fail_refuses_and_stores_no_effect(caller: Caller) -> None:
    job = make.job()
    switches.set_switch(endpoint="A", mode=Mode.FAIL, status=500, retry_after=7)

    response = caller.post("notifyJob", make.assigned(job))

    message = InboundMessage.objects.get()
    assert (response.status, response.headers["retry-after"]) == (500, "7")
    assert response.body["fault"]["faultcode"] == "tryAgain"
    assert Job.objects.get().state == JobState.ACCEPTED
    assert (message.switch, message.answer_status, message.thread) == ("fail", 500, job.thread)


@pytest.mark.parametrize(
    ("mode", "state"),
    [(Mode.DROP, JobState.ACCEPTED), (Mode.LOST, JobState.ASSIGNED), (Mode.HALF, JobState.ASSIGNED)],
)
def test_a_broken_line_and_what_was_stored_before_it_broke(caller: Caller, mode, state) -> None:
    job = make.job()
    switches.set_switch(endpoint="A", mode=mode)
    body = make.assigned(job)

    with pytest.raises(BROKEN):
        caller.post("notifyJob", body)
    job.refresh_from_db()
    stored = job.state
    switches.set_switch(endpoint="A", mode=Mode.NORMAL)
    again = caller.post("notifyJob", body)

    assert stored == state
    assert again.status == 200
    assert InboundMessage.objects.filter(holds_id=True).count() == 1


def test_a_switch_may_hold_for_some_messages_only(caller: Caller) -> None:
    job = make.job()
    switches.set_switch(endpoint="A", mode=Mode.FAIL, times=2)

    statuses = [caller.post("notifyJob", make.assigned(job)).status for _ in range(3)]

    assert statuses == [503, 503, 200]


def test_another_endpoint_is_not_concerned(caller: Caller) -> None:
    switches.set_switch(endpoint="B", mode=Mode.DROP)

    assert caller.post("notifyJob", make.assigned(make.job())).status == 200
