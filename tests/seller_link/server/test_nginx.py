"""The configuration in deploy/nginx before a real nginx and a real server: the same callers, the same refusals."""

import re
import socket
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from dispatch.models import Job
from seller_link.caller_authorization import RejectionCause
from seller_link.models import InboundMessage
from tests.seller_link.server.rejections import CAUSES, clear_rejections, counted
from tests.seller_link.server.subjects import ACCEPTED, REJECTED
from tests.seller_link.wire import message, raw
from tests.servers import nginx
from tests.servers.certificates import Authority, Identity
from tests.servers.ciphers import STRONG_CIPHER, WEAK_CIPHERS, speaks
from tests.servers.ports import free_port, has_ipv6_loopback
from tests.servers.seller_server import Caller, serve_on_socket

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(nginx.PROGRAM is None, reason="nginx is not installed"),
]


@pytest.fixture
def revoked(authority: Authority) -> Identity:
    """The seller's own name on a certificate that is revoked."""
    return authority.issue("seller")


@pytest.fixture
def has_list() -> bool:
    """Whether the authority publishes a list of revoked certificates."""
    return True


@pytest.fixture
def port(
    our_certificates: None, authority: Authority, revoked: Identity, settings: Settings, *, has_list: bool
) -> Iterator[int]:
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    clear_rejections()
    number = free_port()
    with nginx.short_folder() as folder:
        if has_list:
            (folder / "seller-crl.conf").write_text(f"ssl_crl {authority.revoke(revoked)};")
        here = nginx.seller_server_names(folder, authority, number)
        with (
            serve_on_socket(f"{folder}/seller-server.sock"),
            nginx.running("seller-server.conf", folder, port=number, here=here),
        ):
            yield number


def test_seller_creates_a_job_through_nginx(port: int, authority: Authority) -> None:
    seller = Caller(port, authority.ca, authority.issue("seller"))

    status, _content, _headers = seller.call("/seller/createJob", raw(message("createJob")))

    row = InboundMessage.objects.get()
    assert (status, row.peer_subject, row.peer_address) == (200, "seller", "127.0.0.1")
    assert counted() == {}


def test_lines_of_a_message_carry_the_id_of_nginx_and_not_the_caller_s(
    port: int, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="seller_link.server")
    seller = Caller(port, authority.ca, authority.issue("seller"))
    headers = {"Content-Type": "application/json", "X-Request-ID": "written-by-the-caller"}
    seller.call("/seller/createJob", raw(message("createJob")), headers=headers)

    (line,) = [record.msg for record in caplog.records if record.name == "seller_link.server"]
    assert line["event"] == "answered"
    # as nginx makes them
    assert re.fullmatch("[0-9a-f]{32}", line["request_id"])


@pytest.mark.skipif(not has_ipv6_loopback(), reason="this machine has no IPv6")
def test_seller_with_ipv6_is_known_by_its_address(
    port: int, authority: Authority, settings: Settings
) -> None:
    settings.SELLER_ALLOWED_ADDRESSES = ["::1"]
    seller = Caller(port, authority.ca, authority.issue("seller"), "::1")

    status, _content, _headers = seller.call("/seller/createJob", raw(message("createJob")))

    assert (status, InboundMessage.objects.get().peer_address) == (200, "::1")


@pytest.mark.parametrize(
    ("who", "cause"),
    # nginx names the last of its objections: there is no list of its authority's either
    {**CAUSES, "self-signed": RejectionCause.NO_CURRENT_CRL}.items(),
)
def test_unknown_caller_is_refused_by_the_contract_and_counted(
    port: int,
    authority: Authority,
    unknown_callers: dict[str, Identity | None],
    who: str,
    cause: RejectionCause,
) -> None:
    unknown = Caller(port, authority.ca, unknown_callers[who])

    answer = unknown.fault("/seller/createJob", raw(message("createJob")))

    assert answer == ((401, "missingCredentials") if who == "nobody" else (403, "accessDenied"))
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


def test_revoked_certificate_is_refused(port: int, authority: Authority, revoked: Identity) -> None:
    answer = Caller(port, authority.ca, revoked).fault("/seller/createJob", raw(message("createJob")))

    assert answer == (403, "accessDenied")
    assert Job.objects.count() == 0
    assert counted() == {RejectionCause.REVOKED: 1}


def test_wrong_address_is_refused(port: int, authority: Authority, settings: Settings) -> None:
    settings.SELLER_ALLOWED_ADDRESSES = ["192.0.2.1"]
    seller = Caller(port, authority.ca, authority.issue("seller"))

    assert seller.fault("/seller/createJob", raw(message("createJob"))) == (403, "accessDenied")
    assert counted() == {RejectionCause.ADDRESS: 1}


@pytest.mark.parametrize("name", ["X-Client-Verify", "x_client_verify", "X-CLIENT-VERIFY"])
def test_forged_headers_do_not_pass_nginx(port: int, authority: Authority, name: str) -> None:
    forged = {
        "Content-Type": "application/json",
        name: "SUCCESS",
        "X-Client-Subject": "CN=seller",
        "X-Client-Address": "127.0.0.1",
        "X-Forwarded-For": "127.0.0.1",
    }
    nobody = Caller(port, authority.ca, None)

    status, _content, _headers = nobody.call("/seller/createJob", raw(message("createJob")), headers=forged)

    assert status == 401
    assert counted() == {RejectionCause.NO_CERTIFICATE: 1}


@pytest.mark.parametrize("method", ["", "X-Client-Verify: SUCCESS\r\nX-Client-Scheme: https\r\n"])
def test_plain_http_is_refused_and_counted(port: int, method: str) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
        head = f"POST /seller/createJob HTTP/1.1\r\nHost: x\r\n{method}Content-Length: 2\r\n\r\n"
        line.sendall(f"{head}{{}}".encode())
        answer = line.recv(1024)

    assert answer.startswith(b"HTTP/1.1 403")
    assert Job.objects.count() == 0
    assert counted() == {RejectionCause.NOT_TLS: 1}


@pytest.mark.parametrize("has_list", [False])
def test_without_a_list_of_revoked_certificates_nginx_starts(port: int, authority: Authority) -> None:
    seller = Caller(port, authority.ca, authority.issue("seller"))

    assert seller.call("/seller/createJob", raw(message("createJob")))[0] == 200


@pytest.mark.parametrize("cipher", WEAK_CIPHERS)
def test_weak_cipher_is_not_spoken(port: int, authority: Authority, cipher: str) -> None:
    assert not speaks(port, authority.ca, cipher)
    assert speaks(port, authority.ca, STRONG_CIPHER)
