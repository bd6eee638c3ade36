"""One POST over real mutual TLS: what counts as delivered, what is tried again, what is refused."""

import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from monitoring.coded_texts import coded_text
from seller_link.client import Delivered, DeliveryOutcome, Rejected, RetryLater, SellerClient
from tests.servers import seller, silent_dns
from tests.servers.certificates import Authority


def post(endpoint: seller.Endpoint, *, seconds: float = 1.0) -> DeliveryOutcome:
    return post_to(endpoint.url, seconds=seconds)


def post_to(url: str, *, client: SellerClient | None = None, seconds: float = 1.0) -> DeliveryOutcome:
    """By a client that stays open if one is given."""
    own = client or SellerClient()
    body = {"messageId": str(uuid.uuid4())}
    try:
        return own.post(endpoint=url, operation="notifyJob", body=body, seconds=seconds)
    finally:
        if client is None:
            own.close()


def test_documented_answer_is_delivered(endpoint: seller.Endpoint) -> None:
    outcome = post(endpoint)

    assert isinstance(outcome, Delivered)
    assert endpoint.received[0]["_path"] == "/notifyJob"


def test_answer_behind_an_interim_one_counts(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.early_hints]

    assert isinstance(post(endpoint), Delivered)


def test_connection_is_kept_for_the_next_message(endpoint: seller.Endpoint) -> None:
    client = SellerClient()
    body = {"messageId": str(uuid.uuid4())}

    outcomes = [
        client.post(endpoint=endpoint.url, operation="notifyJob", body=body, seconds=2) for _ in range(3)
    ]

    client.close()
    assert [type(outcome) for outcome in outcomes] == [Delivered] * 3
    assert endpoint.connections == 1


@pytest.mark.parametrize("status", ["400 Bad", "401 No", "403 No", "404 None", "409 Conflict", "422 Wrong"])
def test_other_4xx_is_refused(endpoint: seller.Endpoint, status: str) -> None:
    endpoint.behaviours = [seller.reply(status, b'{"fault": {}}')]

    outcome = post(endpoint)

    assert outcome == Rejected(int(status[:3]), '{"fault": {}}')


@pytest.mark.parametrize("behaviour", [seller.refuse_unending, seller.refuse_and_end_tls])
def test_refusal_that_ends_with_the_connection_is_refused(
    endpoint: seller.Endpoint, behaviour: seller.Behaviour
) -> None:
    endpoint.behaviours = [behaviour]

    assert post(endpoint) == Rejected(422, '{"fault": {}}')


def test_refusal_that_is_too_large_is_refused_with_its_beginning(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.reply("422 Wrong", b"<html>" + b" " * (1024 * 1024))]

    outcome = post(endpoint, seconds=5)

    assert isinstance(outcome, Rejected)
    assert outcome.answer.startswith("<html>")


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (seller.refuse_and_break_off, "the answer broke off"),
        (seller.refuse_slowly, "no answer within 1 s"),
        (seller.reply("503 Busy", b" " * (1024 * 1024 + 1)), "the answer is too large"),
    ],
    ids=["broken off", "late", "no refusal"],
)
def test_refusal_that_is_not_over_is_tried_again(
    endpoint: seller.Endpoint, behaviour: seller.Behaviour, reason: str
) -> None:
    endpoint.behaviours = [behaviour]

    outcome = post(endpoint)

    assert isinstance(outcome, RetryLater)
    assert str(outcome.reason) == reason


@pytest.mark.parametrize("status", ["408 Late", "425 Early", "429 Many", "500 Oops", "502 Bad", "503 Busy"])
def test_passing_trouble_is_tried_again(endpoint: seller.Endpoint, status: str) -> None:
    endpoint.behaviours = [seller.reply(status, b"{}", headers="Retry-After: 7\r\n")]

    outcome = post(endpoint)

    assert outcome == RetryLater(
        coded_text("seller_answered", status=int(status[:3])), int(status[:3]), "{}", 7
    )


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (seller.wrong_id, "the answer is not the documented JSON for this message"),
        (
            seller.reply("200 OK", b"<html>proxy</html>"),
            "the answer is not the documented JSON for this message",
        ),
        (seller.reply("200 OK", b"[]"), "the answer is not the documented JSON for this message"),
        (seller.reply("302 Found", b"", headers="Location: https://localhost/\r\n"), "answered 302"),
        (seller.half_head, "the answer broke off"),
        (seller.unending, "the answer has no length"),
        (seller.no_content, "the answer has no length"),
        (seller.drip, "no answer within 1 s"),
        (seller.drip_body, "no answer within 1 s"),
        (seller.silent, "no answer within 1 s"),
        (seller.half_body, "the answer broke off"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_broken_answer_is_tried_again(
    endpoint: seller.Endpoint, behaviour: seller.Behaviour, reason: str
) -> None:
    endpoint.behaviours = [behaviour]

    outcome = post(endpoint)

    assert isinstance(outcome, RetryLater)
    assert str(outcome.reason) == reason


def test_reset_connection_is_tried_again(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.reset]

    assert isinstance(post(endpoint), RetryLater)


def test_half_an_answer_is_kept_for_reading(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.half_body]

    outcome = post(endpoint)

    assert outcome == RetryLater(coded_text("seller_answer_broke_off"), 200, '{"messageId": ')


@pytest.mark.parametrize("hanging", [seller.deaf, seller.full], ids=["handshake", "connect"])
def test_hanging_before_the_first_byte_times_out(
    our_certificates: None, hanging: Callable[[], AbstractContextManager[str]]
) -> None:
    with hanging() as url:
        outcome = post_to(url, seconds=0.5)

    assert outcome == RetryLater(coded_text("seller_late", seconds=0.5))


@pytest.mark.skipif(not silent_dns.can_run(), reason="this machine allows no network of our own (unshare)")
def test_hanging_name_look_up_ends_in_time(our_certificates: None, tmp_path: Path) -> None:
    assert silent_dns.post(tmp_path, seconds=0.3) == "no answer within 0.3 s"


def test_idle_connection_that_the_seller_closed_is_no_failure(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.accept_and_leave]
    client = SellerClient()

    outcomes = [post_to(endpoint.url, client=client) for _ in range(3)]

    client.close()
    assert [type(outcome) for outcome in outcomes] == [Delivered] * 3
    assert endpoint.connections == 3


def test_answer_that_came_twice_is_not_taken_for_the_next(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.twice]
    client = SellerClient()

    ids = [str(uuid.uuid4()) for _ in range(6)]
    outcomes = [
        client.post(endpoint=endpoint.url, operation="notifyJob", body={"messageId": message_id}, seconds=1)
        for message_id in ids
    ]

    client.close()
    assert isinstance(outcomes[0], Delivered)
    for message_id, outcome in zip(ids, outcomes, strict=True):
        # the other's answer may be there before we look, or only after: then it is not for this message
        assert isinstance(outcome, RetryLater) or message_id in outcome.answer
        assert not isinstance(outcome, Rejected)
    # a client that gave a wrong answer is not used again: two messages at most on each
    assert endpoint.connections >= len(ids) / 2


@pytest.mark.parametrize(
    ("says", "seconds"),
    [
        ("7", 7),
        ("0", 0),
        ("999999999", 900),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 900),
        ("Fri, 01 Jan 2021 00:00:00 GMT", 0),
        ("Fri, 01 Jan 2021 00:00:00", 0),
        ("-5", 0),
        ("²", 0),
        ("soon", 0),
        ("", 0),
    ],
)
def test_retry_after_is_read_in_both_forms_and_bounded(
    endpoint: seller.Endpoint, says: str, seconds: float
) -> None:
    raw = seller.reply("503 Busy", b"{}", headers=f"Retry-After: {says.encode().decode('latin-1')}\r\n")
    endpoint.behaviours = [raw]

    outcome = post(endpoint)

    assert isinstance(outcome, RetryLater)
    assert outcome.after_seconds == seconds


def test_retry_after_as_a_moment(endpoint: seller.Endpoint) -> None:
    moment = format_datetime(timezone.now() + timedelta(seconds=100), usegmt=True)
    endpoint.behaviours = [seller.reply("503 Busy", b"{}", headers=f"Retry-After: {moment}\r\n")]

    outcome = post(endpoint)

    assert isinstance(outcome, RetryLater)
    assert 80 < outcome.after_seconds <= 100


def test_oversized_answer_is_tried_again(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.reply("200 OK", b" " * (1024 * 1024 + 1))]

    outcome = post(endpoint, seconds=5)

    assert isinstance(outcome, RetryLater)
    assert str(outcome.reason) == "the answer is too large"


def test_nobody_listening_is_tried_again(endpoint: seller.Endpoint) -> None:
    endpoint.close()

    assert isinstance(post(endpoint), RetryLater)


@pytest.mark.parametrize(
    ("issued", "reason"),
    [
        ({"hosts": ("elsewhere",)}, "untrusted_name"),
        ({"ends_in": timedelta(hours=-1)}, "untrusted_expired"),
        ({"begins_in": timedelta(hours=1)}, "untrusted_not_yet_valid"),
    ],
)
def test_seller_whose_certificate_does_not_fit_is_not_spoken_to(
    our_certificates: None, authority: Authority, issued: dict[str, Any], reason: str
) -> None:
    identity = authority.issue("seller", **issued)
    with seller.running(identity=identity, ca=authority.ca) as other:
        outcome = post(other)

    assert outcome == RetryLater(coded_text(reason), is_distrust=True)
    assert other.received == []


def test_seller_of_another_authority_is_not_spoken_to(
    our_certificates: None, other_authority: Authority, authority: Authority
) -> None:
    with seller.running(identity=other_authority.issue("seller"), ca=authority.ca) as foreign:
        outcome = post(foreign)

    assert outcome == RetryLater(coded_text("untrusted_issuer"), is_distrust=True)
    assert foreign.received == []


def test_seller_that_refuses_our_certificate(
    our_certificates: None, other_authority: Authority, authority: Authority
) -> None:
    with seller.running(identity=authority.issue("seller"), ca=other_authority.ca) as strict:
        outcome = post(strict)

    assert isinstance(outcome, RetryLater)
    assert (outcome.is_distrust, str(outcome.reason).split(" (")[0]) == (
        True,
        "the seller rejected our certificate",
    )


def test_our_certificate_renewed_on_disk_is_shown_by_the_next_connection(
    endpoint: seller.Endpoint, authority: Authority, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seller_link.client_tls.CHECK_INTERVAL_SECONDS", 0)
    client, renewed = SellerClient(), authority.issue("partner")
    endpoint.behaviours = [seller.accept_and_leave]
    before = post_to(endpoint.url, client=client)

    Path(settings.SELLER_CLIENT_CERT).write_bytes(Path(renewed.certificate).read_bytes())
    half_way = post_to(endpoint.url, client=client)
    Path(settings.SELLER_CLIENT_KEY).write_bytes(Path(renewed.key).read_bytes())
    after = post_to(endpoint.url, client=client)

    client.close()
    assert [type(outcome) for outcome in (before, half_way, after)] == [Delivered] * 3
    assert len(set(endpoint.callers[:2])) == 1
    assert endpoint.callers[1] != endpoint.callers[2]


def test_open_line_ends_when_its_authority_is_no_longer_ours(
    endpoint: seller.Endpoint, other_authority: Authority, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seller_link.client_tls.CHECK_INTERVAL_SECONDS", 0)
    client = SellerClient()
    before = post_to(endpoint.url, client=client)

    settings.SELLER_CA = str(other_authority.ca)
    after = post_to(endpoint.url, client=client)

    client.close()
    assert isinstance(before, Delivered)
    assert after == RetryLater(coded_text("untrusted_issuer"), is_distrust=True)


def test_own_certificate_that_is_not_there_is_reported(endpoint: seller.Endpoint, settings: Settings) -> None:
    settings.SELLER_CLIENT_KEY = "/nowhere"

    outcome = post(endpoint)

    assert outcome == RetryLater(coded_text("own_certificate_unusable"), is_distrust=True)


def test_environment_proxies_are_not_used(
    endpoint: seller.Endpoint, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere")

    assert isinstance(post(endpoint), Delivered)
