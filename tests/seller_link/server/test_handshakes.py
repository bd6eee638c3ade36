"""Whoever must not speak is refused in a real handshake, and counted by cause."""

import http.client
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from dispatch.models import Job
from seller_link.caller_authorization import REJECTIONS, RejectionCause
from seller_link.models import InboundMessage, RejectedCaller
from tests.seller_link.server.rejections import CAUSES, clear_rejections, counted
from tests.seller_link.server.subjects import ACCEPTED, REJECTED
from tests.seller_link.wire import message, raw
from tests.servers.certificates import Authority, Identity
from tests.servers.seller_server import Caller, serve_on_port

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def port(our_certificates: None, authority: Authority, settings: Settings) -> Iterator[int]:
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    settings.SELLER_CRL = authority.revoke()
    clear_rejections()
    with serve_on_port() as number:
        yield number


def try_to_create(port: int, authority: Authority, identity: Identity | None) -> None:
    with suppress(ssl.SSLError, ConnectionError):
        status, _content, _headers = Caller(port, authority.ca, identity).call(
            "/seller/createJob", raw(message("createJob"))
        )
        assert status in {401, 403}


@pytest.mark.parametrize(("who", "cause"), CAUSES.items())
def test_unknown_caller_is_refused_and_counted(
    port: int,
    authority: Authority,
    unknown_callers: dict[str, Identity | None],
    who: str,
    cause: RejectionCause,
) -> None:
    try_to_create(port, authority, unknown_callers[who])

    assert Job.objects.count() == 0
    assert counted() == {cause: 1}


def test_common_name_counts_in_any_subject(port: int, authority: Authority) -> None:
    answers = {
        kind: Caller(port, authority.ca, authority.issue_for_subject(subject)).call(
            "/seller/createJob", raw(message("createJob"))
        )[0]
        for kind, subject in ACCEPTED.items()
    }

    assert answers == dict.fromkeys(ACCEPTED, 200)
    assert counted() == {}


def test_subject_without_the_common_name_is_wrong_and_not_missing(port: int, authority: Authority) -> None:
    answers = {
        kind: Caller(port, authority.ca, authority.issue_for_subject(subject)).fault(
            "/seller/createJob", raw(message("createJob"))
        )
        for kind, subject in REJECTED.items()
    }

    assert answers == dict.fromkeys(REJECTED, (403, "accessDenied"))
    assert counted() == {RejectionCause.SUBJECT: len(REJECTED)}


def test_revoked_certificate_is_refused_as_soon_as_the_list_says_so(
    port: int, authority: Authority, settings: Settings
) -> None:
    revoked = authority.issue("seller")
    before, _content, _headers = Caller(port, authority.ca, revoked).call(
        "/seller/createJob", raw(message("createJob"))
    )
    Path(settings.SELLER_CRL).write_bytes(Path(authority.revoke(revoked)).read_bytes())

    try_to_create(port, authority, revoked)

    assert before == 200
    assert Job.objects.count() == 1
    assert counted() == {RejectionCause.REVOKED: 1}


class OpenLine:
    """One connection that is kept."""

    def __init__(self, port: int, authority: Authority, identity: Identity) -> None:
        context = ssl.create_default_context(cafile=authority.ca)
        context.load_cert_chain(identity.certificate, identity.key)
        self.line = http.client.HTTPSConnection("localhost", port, context=context, timeout=10)
        self.is_ended = False

    def status(self) -> int:
        self.line.auto_open = self.line.sock is None
        body = raw(message("createJob"))
        self.line.request("POST", "/seller/createJob", body, {"Content-Type": "application/json"})
        answer = self.line.getresponse()
        answer.read()
        self.is_ended = answer.headers["Connection"] == "close"
        return answer.status


def test_open_line_of_a_revoked_certificate_is_refused(
    port: int, authority: Authority, settings: Settings
) -> None:
    revoked = authority.issue("seller")
    line = OpenLine(port, authority, revoked)

    before = line.status()
    Path(settings.SELLER_CRL).write_bytes(Path(authority.revoke(revoked)).read_bytes())
    after = line.status()

    assert (before, after, line.is_ended) == (200, 403, True)
    assert counted() == {RejectionCause.REVOKED: 1}


@pytest.fixture
def trust(authority: Authority, tmp_path: Path) -> Path:
    """SELLER_CA, to be replaced."""
    path = tmp_path / "trusted.pem"
    path.write_bytes(Path(authority.ca).read_bytes())
    return path


@pytest.fixture
def trusting(our_certificates: None, trust: Path, settings: Settings) -> Iterator[int]:
    """A server without a list of revoked certificates."""
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    settings.SELLER_CRL = ""
    settings.SELLER_CA = str(trust)
    clear_rejections()
    with serve_on_port() as number:
        yield number


def replace(trust: Path, *files: str) -> None:
    """As one renews a file that others read."""
    new = trust.with_suffix(".new")
    new.write_bytes(b"".join(Path(file).read_bytes() for file in files))
    new.replace(trust)


def test_open_line_ends_when_its_authority_is_no_longer_trusted(
    trust: Path, trusting: int, authority: Authority, other_authority: Authority
) -> None:
    seller = authority.issue("seller")
    line = OpenLine(trusting, authority, seller)
    before = line.status()

    replace(trust, other_authority.ca)
    after = line.status()

    assert (before, after, line.is_ended) == (200, 403, True)
    assert counted() == {RejectionCause.UNKNOWN_AUTHORITY: 1}
    try_to_create(trusting, authority, seller)
    assert InboundMessage.objects.count() == 1
    assert counted() == {RejectionCause.UNKNOWN_AUTHORITY: 2}


def test_open_connection_stays_when_another_authority_is_trusted_too(
    trust: Path, trusting: int, authority: Authority, other_authority: Authority
) -> None:
    line = OpenLine(trusting, authority, authority.issue("seller"))
    before = line.status()

    replace(trust, other_authority.ca, authority.ca)
    both = line.status()
    trust.write_text("in the middle of being exchanged")
    torn = line.status()

    assert (before, both, torn, line.is_ended) == (200, 200, 200, False)
    assert counted() == {}


def test_connection_with_an_intermediate_authority_repeats_the_handshake(
    trust: Path, trusting: int, authority: Authority, other_authority: Authority
) -> None:
    seller = authority.issue_below("seller")
    line = OpenLine(trusting, authority, seller)
    before = line.status()

    replace(trust, other_authority.ca, authority.ca)
    on_the_old_line = line.status()
    is_ended = line.is_ended
    on_a_new_one = line.status()
    replace(trust, other_authority.ca)
    without = line.status()
    try_to_create(trusting, authority, seller)

    assert (before, on_the_old_line, is_ended, on_a_new_one, without) == (200, 503, True, 200, 503)
    assert InboundMessage.objects.count() == 2
    assert counted() == {RejectionCause.UNKNOWN_AUTHORITY: 1}


@pytest.fixture
def offer(
    authority: Authority, unknown_callers: dict[str, Identity | None]
) -> Callable[[str], ssl.SSLContext]:
    """The caller's side of TLS with the certificate of one of the unknown callers."""

    def made(who: str) -> ssl.SSLContext:
        identity = unknown_callers[who]
        assert identity is not None
        context = ssl.create_default_context(cafile=authority.ca)
        context.load_cert_chain(identity.certificate, identity.key)
        return context

    return made


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_resumed_session_of_a_revoked_certificate_is_refused(
    port: int, authority: Authority, settings: Settings, version: ssl.TLSVersion
) -> None:
    revoked = authority.issue("seller")
    context = ssl.create_default_context(cafile=authority.ca)
    context.load_cert_chain(revoked.certificate, revoked.key)
    context.minimum_version = context.maximum_version = version
    body = raw(message("createJob"))
    head = f"POST /seller/createJob HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"

    def status(session: ssl.SSLSession | None) -> tuple[bytes, ssl.SSLSession | None]:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
            context.wrap_socket(plain, server_hostname="localhost", session=session) as line,
        ):
            line.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
            return line.recv(4096)[9:12], line.session

    before, session = status(None)
    Path(settings.SELLER_CRL).write_bytes(Path(authority.revoke(revoked)).read_bytes())
    after = b"cut"
    with suppress(ssl.SSLError, ConnectionError):
        after, _session = status(session)

    assert before == b"200"
    assert after in {b"403", b"cut", b""}
    assert counted() == {RejectionCause.REVOKED: 1}


def test_list_that_is_out_of_date_lets_nobody_in(port: int, authority: Authority, settings: Settings) -> None:
    old = authority.revoke(renewed_in=timedelta(hours=-1))
    Path(settings.SELLER_CRL).write_bytes(Path(old).read_bytes())

    try_to_create(port, authority, authority.issue("seller"))

    assert Job.objects.count() == 0
    assert counted() == {RejectionCause.NO_CURRENT_CRL: 1}


def test_good_certificate_from_a_wrong_address_is_counted(
    port: int, authority: Authority, settings: Settings
) -> None:
    settings.SELLER_ALLOWED_ADDRESSES = ["192.0.2.1"]

    for _ in range(3):
        try_to_create(port, authority, authority.issue("seller"))

    row = RejectedCaller.objects.get() if counted() else None
    assert row is not None
    assert (row.cause, row.subject, row.address, row.count) == (
        RejectionCause.ADDRESS,
        "seller",
        "127.0.0.1",
        3,
    )


def test_forged_proxy_headers_mean_nothing_without_a_proxy(port: int, authority: Authority) -> None:
    forged = {
        "Content-Type": "application/json",
        "X-Client-Verify": "SUCCESS",
        "X-Client-Subject": "CN=seller",
        "X-Client-Address": "127.0.0.1",
        "X-Forwarded-For": "127.0.0.1",
    }

    status, _content, _headers = Caller(port, authority.ca, None).call(
        "/seller/createJob", raw(message("createJob")), headers=forged
    )

    assert status == 401
    assert counted() == {RejectionCause.NO_CERTIFICATE: 1}


def test_plain_http_is_counted(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
        line.sendall(b"POST /seller/createJob HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
        with suppress(ConnectionError):
            assert not line.recv(1024).startswith(b"HTTP/1.1 2")

    assert counted() == {RejectionCause.NOT_TLS: 1}


def test_new_certificate_of_the_server_is_shown_without_a_restart(
    port: int, authority: Authority, settings: Settings
) -> None:
    renewed = authority.issue("partner")
    context = ssl.create_default_context(cafile=authority.ca)

    def count_probes() -> int:
        with (
            socket.create_connection(("127.0.0.1", port)) as plain,
            context.wrap_socket(plain, server_hostname="localhost") as line,
        ):
            certificate = line.getpeercert() or {}
            return int(str(certificate["serialNumber"]), 16)

    before = count_probes()
    settings.SELLER_SERVER_CERT, settings.SELLER_SERVER_KEY = renewed.certificate, renewed.key

    assert count_probes() != before


def test_flood_of_unknown_callers_is_counted_and_bounded() -> None:
    clear_rejections()
    for number in range(1000):
        REJECTIONS.record(RejectionCause.ADDRESS, subject="seller", address=f"2001:db8::{number:x}")

    REJECTIONS.write()

    assert sum(RejectedCaller.objects.values_list("count", flat=True)) == 1000
    assert RejectedCaller.objects.count() <= 201


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize(
    ("who", "alert"),
    [
        ("self-signed", "UNKNOWN_CA"),
        ("another authority", "UNKNOWN_CA"),
        ("expired", "CERTIFICATE_EXPIRED"),
        ("not yet valid", "BAD_CERTIFICATE"),
    ],
)
def test_caller_gets_the_reason_by_an_alert(
    port: int, offer: Callable[[str], ssl.SSLContext], who: str, alert: str, version: ssl.TLSVersion
) -> None:
    context = offer(who)
    context.minimum_version = context.maximum_version = version

    with (
        pytest.raises(ssl.SSLError) as refused,
        socket.create_connection(("127.0.0.1", port), 20) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as line,
    ):
        # in TLS 1.3 the caller's own part of the handshake is over before it is looked at
        line.recv(1)

    assert alert in str(refused.value.reason)


def test_old_tls_is_refused_by_an_alert(port: int, authority: Authority) -> None:
    context = ssl.create_default_context(cafile=authority.ca)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1

    with pytest.raises(ssl.SSLError) as refused, socket.create_connection(("127.0.0.1", port), 20) as plain:
        context.wrap_socket(plain, server_hostname="localhost")

    assert "PROTOCOL_VERSION" in str(refused.value.reason)
