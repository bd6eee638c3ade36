"""What the server bears from a caller who is slow, and from callers who are too many: their lines, nobody else's."""

import http.client
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat

import pytest
from pytest_django import Settings

from dispatch.models import Job
from tests.seller_link.wire import message, raw
from tests.servers.seller_server import Caller, serve_on_port

pytestmark = pytest.mark.django_db(transaction=True)
HEAD = b"POST /seller/createJob HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
def port(our_certificates: None, settings: Settings) -> Iterator[int]:
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    settings.SELLER_SERVER_READ_SECONDS = 0.6
    with serve_on_port() as number:
        yield number


@contextmanager
def line_of(seller: Caller) -> Iterator[ssl.SSLSocket]:
    context = ssl.create_default_context(cafile=seller.ca)
    if seller.identity:
        context.load_cert_chain(seller.identity.certificate, seller.identity.key)
    with (
        socket.create_connection(("127.0.0.1", seller.port), timeout=20) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as line,
    ):
        yield line


def read_all(line: ssl.SSLSocket) -> bytes:
    """All that comes before the line is cut."""
    pieces = b""
    try:
        while piece := line.recv(65536):
            pieces += piece
    except (ConnectionError, ssl.SSLError):
        pass
    return pieces


def answer_on(line: ssl.SSLSocket) -> tuple[int, bytes]:
    """The status and the body of one whole answer."""
    answer = http.client.HTTPResponse(line)
    answer.begin()
    return answer.status, answer.read()


def whole_request() -> bytes:
    body = raw(message("createJob"))
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def drip(line: ssl.SSLSocket, beginning: bytes, more: bytes) -> None:
    """A byte at a time until the other side has had enough."""
    try:
        line.sendall(beginning)
        for _ in repeat(None, 400):
            line.sendall(more)
            time.sleep(0.02)
    except (ConnectionError, ssl.SSLError):
        return
    raise AssertionError("the door listened to the end")


@pytest.mark.parametrize(
    ("beginning", "more"),
    [
        (b"", b"P"),
        (HEAD + b"X-Slow: ", b"x"),
        (HEAD + b"Content-Length: 1000\r\n\r\n", b" "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    ],
    ids=["before the head", "head", "body", "chunks"],
)
def test_caller_who_drips_is_cut_and_has_no_effect(seller: Caller, beginning: bytes, more: bytes) -> None:
    with line_of(seller) as line:
        drip(line, beginning, more)

    assert Job.objects.count() == 0


def test_caller_who_says_nothing_is_cut(seller: Caller) -> None:
    with line_of(seller) as line:
        assert read_all(line) == b""


@pytest.mark.parametrize("beginning", [b"", b"\x16\x03\x01\x02\x00\x01"], ids=["silent", "half a hello"])
def test_caller_who_never_ends_the_handshake_is_cut(port: int, beginning: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as plain:
        plain.sendall(beginning)
        ended = plain.recv(65536)

    assert ended == b""


def test_second_request_of_a_line_has_a_limit_of_its_own(seller: Caller) -> None:
    whole = whole_request()
    with line_of(seller) as line:
        line.sendall(whole)
        first = answer_on(line)
        # a line that rests between two requests is not slow
        time.sleep(1)
        line.sendall(whole)
        second = answer_on(line)
        drip(line, HEAD, b"x")

    assert first[0] == 200
    assert second == first


def test_slow_callers_hold_up_nobody(seller: Caller, settings: Settings) -> None:
    settings.SELLER_SERVER_READ_SECONDS = 20
    with line_of(seller) as first, line_of(seller) as two:
        for line in (first, two):
            line.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")

        assert seller.call("/seller/createJob", raw(message("createJob")))[0] == 200


def test_connection_too_many_gets_503_and_is_closed(seller: Caller, settings: Settings) -> None:
    settings.SELLER_SERVER_READ_SECONDS = 20
    settings.SELLER_SERVER_CONNECTIONS = 2
    whole = whole_request()
    with line_of(seller) as first, line_of(seller) as two:
        for line in (first, two):
            line.sendall(whole)
            assert answer_on(line)[0] == 200

        status, answer, headers = seller.call("/seller/createJob", raw(message("createJob")))
        # those inside are served on
        first.sendall(whole)
        assert answer_on(first)[0] == 200

    assert (status, answer["fault"]["faultcode"]) == (503, "tryAgain")
    assert (headers["Retry-After"], headers["Connection"]) == ("5", "close")
    assert Job.objects.count() == 1


def test_freed_slot_is_taken_again(seller: Caller, settings: Settings) -> None:
    settings.SELLER_SERVER_CONNECTIONS = 1
    body = raw(message("createJob"))

    # the server learns a moment later that a caller has gone
    statuses = [_until_let_in(seller, body) for _ in range(3)]

    assert statuses == [200] * 3


def _until_let_in(seller: Caller, body: bytes) -> int:
    for _ in range(100):
        status, _answer, _headers = seller.call("/seller/createJob", body)
        if status != 503:
            return status
        time.sleep(0.05)
    return 503


def test_body_without_a_length_is_counted_too(seller: Caller, settings: Settings) -> None:
    settings.SELLER_SERVER_READ_SECONDS = 20
    piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with line_of(seller) as line:
        line.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + piece * 17 + b"0\r\n\r\n")
        status, answer = answer_on(line)

    assert status == 413
    assert b"tooLarge" in answer


@pytest.mark.parametrize(
    ("levels", "status", "faultcode"),
    [(31, 422, "invalidMessage"), (32, 400, "invalidBody"), (100_000, 400, "invalidBody")],
)
def test_nesting_deeper_than_32_is_refused(seller: Caller, levels: int, status: int, faultcode: str) -> None:
    body = b'{"a": ' + b"[" * levels + b"]" * levels + b"}"

    assert seller.fault("/seller/createJob", body) == (status, faultcode)
