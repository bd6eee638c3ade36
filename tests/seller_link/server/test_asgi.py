"""The server for the seller over a real handshake: who may speak, what is answered, every status of the contract."""

import re
import socket
import ssl
import threading
from datetime import timedelta

import pytest
from django.db import OperationalError
from pytest_django import Settings

from config.environment import env_addresses
from dispatch.models import Job
from seller_link.caller_authorization import REJECTIONS
from seller_link.models import InboundMessage, RejectedCaller
from tests.conventions.sources import ROOT
from tests.seller_link.wire import message, raw
from tests.servers.certificates import Authority
from tests.servers.ciphers import STRONG_CIPHER, WEAK_CIPHERS, speaks
from tests.servers.ports import has_ipv6_loopback
from tests.servers.seller_server import Caller, serve_on_port

pytestmark = pytest.mark.django_db(transaction=True)


def test_seller_creates_a_job(seller: Caller) -> None:
    body = message("createJob")

    status, answer, headers = seller.call("/seller/createJob", raw(body))

    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert answer == {
        "messageId": body["messageId"],
        "correlationId": body["correlationId"],
        "providerJobId": Job.objects.get().provider_job_id,
    }


def test_every_message_has_a_new_id_on_its_lines(seller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    """A caller's own is not taken: only nginx is believed."""
    caplog.set_level("INFO", logger="seller_link")
    headers = {"Content-Type": "application/json", "X-Request-ID": "written-by-the-caller"}
    for body in (raw(message("createJob")), raw(message("createJob")), b"{}"):
        seller.call("/seller/createJob", body, headers=headers)
    seller.call("/seller/elsewhere", headers=headers)

    ours = ("seller_link.server", "seller_link.inbox")
    lines = [record.msg for record in caplog.records if record.name in ours]
    found = [(line["event"], line["request_id"]) for line in lines]  # type: ignore[index]
    events, ids = zip(*found, strict=True)
    assert events == ("answered", "answered", "message refused", "answered", "call refused")
    assert (ids[2] == ids[3], len(set(ids))) == (True, 4)
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in ids)


def test_caller_without_certificate_is_refused(port: int, authority: Authority) -> None:
    assert Caller(port, authority.ca, None).fault("/seller/createJob") == (401, "missingCredentials")


def test_certificate_of_another_subject_is_refused(port: int, authority: Authority) -> None:
    unknown = Caller(port, authority.ca, authority.issue("somebody-else"))

    assert unknown.fault("/seller/createJob", raw(message("createJob"))) == (403, "accessDenied")
    assert Job.objects.count() == 0


def test_address_off_the_list_is_refused(seller: Caller, settings: Settings) -> None:
    settings.SELLER_ALLOWED_ADDRESSES = ["192.0.2.1"]

    assert seller.fault("/seller/createJob", raw(message("createJob"))) == (403, "accessDenied")


@pytest.mark.parametrize("allowed", ["127.0.0.1", "::ffff:127.0.0.1"])
@pytest.mark.usefixtures("our_certificates")
def test_ipv4_caller_counts_as_ipv4_at_a_socket_of_both_families(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, settings: Settings, allowed: str
) -> None:
    monkeypatch.setenv("SELLER_ALLOWED_ADDRESSES", allowed)
    settings.SELLER_ALLOWED_ADDRESSES = env_addresses("SELLER_ALLOWED_ADDRESSES", "")
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]

    with serve_on_port("::ffff:127.0.0.1") as port:
        seller = Caller(port, authority.ca, authority.issue("seller"))
        status, _content, _headers = seller.call("/seller/createJob", raw(message("createJob")))

    assert (status, InboundMessage.objects.get().peer_address) == (200, "127.0.0.1")


@pytest.mark.skipif(not has_ipv6_loopback(), reason="this machine has no IPv6")
@pytest.mark.usefixtures("our_certificates")
def test_installed_server_is_for_callers_of_both_families(authority: Authority, settings: Settings) -> None:
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    settings.SELLER_ALLOWED_ADDRESSES = ["127.0.0.1", "::1"]
    unit = (ROOT / "deploy" / "systemd" / "fibre-dispatch-seller.service").read_text()
    host = re.findall(r"^ExecStart=.* --host (\S+)", unit, re.M)[0]

    with serve_on_port(host) as port:
        for address in settings.SELLER_ALLOWED_ADDRESSES:
            seller = Caller(port, authority.ca, authority.issue("seller"), address)
            assert seller.call("/seller/createJob", raw(message("createJob")))[0] == 200

    callers = InboundMessage.objects.order_by("pk").values_list("peer_address", flat=True)
    assert list(callers) == settings.SELLER_ALLOWED_ADDRESSES


def test_forged_headers_change_nobody(port: int, authority: Authority) -> None:
    headers = {
        "Content-Type": "application/json",
        "X-Forwarded-For": "127.0.0.1",
        "X-Client-Verify": "SUCCESS",
        "X-Client-Subject": "CN=seller",
    }

    assert Caller(port, authority.ca, None).fault("/seller/createJob", headers=headers) == (
        401,
        "missingCredentials",
    )


@pytest.mark.parametrize("kind", ["another authority", "expired", "not yet valid"])
def test_certificate_that_does_not_verify_ends_the_handshake(
    port: int, authority: Authority, other_authority: Authority, kind: str
) -> None:
    identity = {
        "another authority": other_authority.issue("seller"),
        "expired": authority.issue("seller", ends_in=timedelta(hours=-1)),
        "not yet valid": authority.issue("seller", begins_in=timedelta(hours=1)),
    }[kind]

    with pytest.raises((ssl.SSLError, ConnectionError)):
        Caller(port, authority.ca, identity).call("/seller/createJob", raw(message("createJob")))

    assert Job.objects.count() == 0


def test_plain_http_is_not_spoken(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
        line.sendall(b"POST /seller/createJob HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
        answer = line.recv(1024)

    assert not answer.startswith(b"HTTP/1.1 2")


def test_old_tls_is_not_spoken(port: int, authority: Authority) -> None:
    context = ssl.create_default_context(cafile=authority.ca)
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")

    with (
        pytest.raises(OSError),
        socket.create_connection(("127.0.0.1", port)) as plain,
        context.wrap_socket(plain, server_hostname="localhost"),
    ):
        pass


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_other_methods_are_refused(seller: Caller, method: str) -> None:
    status, answer, headers = seller.call("/seller/createJob", method=method)

    assert (status, answer["fault"]["faultcode"], headers["Allow"]) == (405, "methodNotAllowed", "POST")


@pytest.mark.parametrize("path", ["/", "/seller/", "/seller/closeJob", "/seller/createJob/", "/board/"])
def test_other_addresses_are_not_found(seller: Caller, path: str) -> None:
    assert seller.fault(path) == (404, "operationNotFound")


@pytest.mark.parametrize("base", ["/api/staging/v1", ""])
def test_base_path_is_a_setting(seller: Caller, settings: Settings, base: str) -> None:
    settings.SELLER_INBOUND_PATH = base

    status, _answer, _headers = seller.call(f"{base}/createJob", raw(message("createJob")))

    assert status == 200
    assert seller.fault("/seller/createJob") == (404, "operationNotFound")


@pytest.mark.parametrize("media_type", ["text/xml", "text/plain", "", "application/x-www-form-urlencoded"])
def test_other_media_types_are_refused(seller: Caller, media_type: str) -> None:
    headers = {"Content-Type": media_type}

    assert seller.fault("/seller/createJob", headers=headers) == (415, "unsupportedMediaType")


def test_media_type_may_name_its_charset(seller: Caller) -> None:
    headers = {"Content-Type": "application/json; charset=utf-8"}

    status, _answer, _headers = seller.call("/seller/createJob", raw(message("createJob")), headers=headers)

    assert status == 200


def test_body_over_the_limit_is_refused(seller: Caller) -> None:
    body = raw(message("createJob", site__notes="x" * (1024 * 1024)))

    assert seller.fault("/seller/createJob", body) == (413, "tooLarge")
    assert Job.objects.count() == 0


def test_body_of_a_mebibyte_is_read(seller: Caller) -> None:
    example = message("createJob", site__notes="")
    left = 1024 * 1024 - len(raw(example))
    body = raw({**example, "site": {**example["site"], "notes": "x" * left}})

    status, _answer, _headers = seller.call("/seller/createJob", body)

    assert (len(body), status) == (1024 * 1024, 200)


@pytest.mark.parametrize(
    ("body", "status", "faultcode"),
    [
        (b"not json", 400, "invalidBody"),
        (b"[]", 400, "invalidBody"),
        (b"{}", 422, "invalidMessage"),
    ],
)
def test_bad_bodies_are_refused(seller: Caller, body: bytes, status: int, faultcode: str) -> None:
    assert seller.fault("/seller/createJob", body) == (status, faultcode)


def test_calls_that_the_server_refuses_itself_are_counted_by_cause(seller: Caller) -> None:
    seller.call("/seller/nothing")
    seller.call("/seller/createJob", method="GET")
    seller.call("/seller/createJob", headers={"Content-Type": "text/xml"})
    seller.call("/seller/createJob", raw(message("createJob", site__notes="x" * (1024 * 1024))))
    REJECTIONS.write()

    counted = RejectedCaller.objects.values_list("cause", "count").order_by("cause")
    assert list(counted) == [
        ("too_large", 1), ("unknown_operation", 1), ("wrong_media_type", 1), ("wrong_method", 1),
    ]  # fmt: skip


def test_what_cannot_be_stored_is_to_be_sent_again(seller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(_requests: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("seller_link.server.asgi.inbox.receive", locked)
    status, answer, headers = seller.call("/seller/createJob", raw(message("createJob")))

    assert (status, answer["fault"]["faultcode"], headers["Retry-After"]) == (503, "tryAgain", "5")


def test_many_callers_at_once_all_get_their_answer(seller: Caller) -> None:
    statuses: list[int] = []

    def speak(number: int) -> None:
        body = raw(message("createJob", sellerJobId=f"SJ-{number}"))
        statuses.append(seller.call("/seller/createJob", body)[0])

    threads = [threading.Thread(target=speak, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert statuses == [200] * 12
    assert Job.objects.count() == 12


@pytest.mark.parametrize("cipher", WEAK_CIPHERS)
def test_weak_cipher_is_not_spoken(port: int, authority: Authority, cipher: str) -> None:
    assert not speaks(port, authority.ca, cipher)
    assert speaks(port, authority.ca, STRONG_CIPHER)
