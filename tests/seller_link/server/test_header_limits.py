"""Bytes that are no body are bounded before anybody knows who calls: header, trailer, framing of chunks."""

import ssl
import subprocess
import sys
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest
from pytest_django import Settings

from demo.environment import DemoEnvironment, wait_until
from demo.ports import free_ports, is_listening
from dispatch.models import Job
from seller_link.caller_authorization import REJECTIONS
from seller_link.models import RejectedCaller
from seller_link.server.connection_limits import MAX_HEADER_BYTES, MAX_HEADERS
from tests.background.worker_process import ROOT, descendants, environment
from tests.seller_link.server.test_connection_limits import HEAD, answer_on, line_of, whole_request
from tests.seller_link.wire import message, raw
from tests.servers.seller_server import Caller

pytestmark = pytest.mark.django_db(transaction=True)
MEGABYTE = 1024 * 1024
# the server has this read and dropped in a minute at best
ENDLESS = 4096 * MEGABYTE


def send_until_refused(line: ssl.SSLSocket, piece: bytes) -> None:
    try:
        for _ in repeat(None, ENDLESS // len(piece)):
            line.sendall(piece)
    except (ConnectionError, ssl.SSLError):
        return
    raise AssertionError("the server has read to the end")


@pytest.mark.parametrize("identity", ["the seller", "nobody"])
@pytest.mark.parametrize(
    "beginning",
    [b"GET /", HEAD + b"X-Long: ", HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: "],
    ids=["address", "header", "trailer"],
)
def test_endless_header_is_cut(seller: Caller, beginning: bytes, identity: str) -> None:
    if identity == "nobody":
        seller.identity = None
    with line_of(seller) as line:
        line.sendall(beginning)
        send_until_refused(line, b"x" * 0x10000)

    assert Job.objects.count() == 0


def test_endless_headers_are_cut(seller: Caller) -> None:
    with line_of(seller) as line:
        line.sendall(HEAD)
        send_until_refused(line, b"X-More: y\r\n" * 6000)

    assert Job.objects.count() == 0


@pytest.mark.parametrize(
    "lines",
    [b"X-Long: " + b"x" * (MAX_HEADER_BYTES + 1) + b"\r\n", b"X-More: y\r\n" * (MAX_HEADERS + 1)],
    ids=["too long", "too many"],
)
def test_large_header_gets_413_and_has_no_effect(seller: Caller, lines: bytes) -> None:
    body = raw(message("createJob"))
    with line_of(seller) as line:
        line.sendall(HEAD + lines + b"Content-Length: %d\r\n\r\n" % len(body))
        status, answer = answer_on(line)

    assert (status, b"tooLarge" in answer) == (413, True)
    assert Job.objects.count() == 0
    REJECTIONS.write()
    assert RejectedCaller.objects.filter(cause="too_large").count() == 1


def test_ordinary_request_with_a_long_header_is_served(seller: Caller) -> None:
    head, _blank, body = whole_request().partition(b"\r\n\r\n")
    with line_of(seller) as line:
        line.sendall(head + b"\r\nX-Trace: " + b"x" * 30_000 + b"\r\n\r\n" + body)
        assert answer_on(line)[0] == 200


def test_many_requests_on_one_line_are_counted_each_alone(seller: Caller) -> None:
    head, _blank, body = whole_request().partition(b"\r\n\r\n")
    request = head + b"\r\nX-Trace: " + b"x" * 30_000 + b"\r\n\r\n" + body
    with line_of(seller) as line:
        statuses = []
        for _ in range(6):
            line.sendall(request)
            statuses.append(answer_on(line)[0])

    assert statuses == [200] * 6


def test_message_in_chunks_of_one_byte_is_served(seller: Caller, settings: Settings) -> None:
    settings.SELLER_SERVER_READ_SECONDS = 20
    body = raw(message("createJob")) + b" " * 20_000
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    with line_of(seller) as line:
        line.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n")
        assert answer_on(line)[0] == 200


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[int, subprocess.Popen[bytes], str]]:
    """One process of `manage.py seller_server`: its port, itself and the authority to trust."""
    demo = DemoEnvironment(folder=tmp_path / "demo", ports=free_ports(), with_sandbox=False, apart=True)
    demo.prepare()
    port = demo.ports.seller_server
    variables = {**environment(tmp_path), **demo.our_environment(), "SELLER_SERVER_PROCESSES": "1"}
    command = [sys.executable, "manage.py", "seller_server", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env={**variables, "LOG_LEVEL": "ERROR"})
    try:
        assert wait_until(lambda: is_listening(port), seconds=60)
        yield port, process, str(demo.certs / "ca.pem")
    finally:
        process.terminate()
        process.wait(timeout=40)


def memory_of(pid: int) -> int:
    """Resident bytes of the process and its children."""
    return sum(_resident(descendant) for descendant in descendants(pid))


def _resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


def test_headers_of_unknown_callers_do_not_fill_the_memory(
    server: tuple[int, subprocess.Popen[bytes], str],
) -> None:
    port, process, ca = server
    anonymous = Caller(port, ca, None)
    before = memory_of(process.pid)
    for _ in range(5):
        with line_of(anonymous) as line:
            line.sendall(HEAD)
            send_until_refused(line, b"X-More: " + b"y" * 0xFFF0 + b"\r\n")

    assert memory_of(process.pid) - before < 32 * MEGABYTE
