"""What nginx itself answers is a fault of the contract too, and says no more than nginx knows."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.servers import nginx
from tests.servers.certificates import Authority
from tests.servers.ports import free_port
from tests.servers.seller_server import Caller

pytestmark = pytest.mark.skipif(nginx.PROGRAM is None, reason="nginx is not installed")
NOT_STORED = (
    503,
    {
        "faultcode": "tryAgain",
        "faultmessage": "The message was not stored. Send it again.",
        "detail": [],
    },
)
UNKNOWN = {
    "faultcode": "tryAgain",
    "faultmessage": "The message may have been stored. Send it again unchanged.",
    "detail": [],
}
Start = Callable[..., Caller]


@pytest.fixture
def folder() -> Iterator[Path]:
    with nginx.short_folder() as path:
        yield path


@pytest.fixture
def start(folder: Path, authority: Authority) -> Iterator[Start]:
    """nginx without a seller server, and the seller as its caller."""
    number = free_port()

    def begin(**changed: str) -> Caller:
        here = {**nginx.seller_server_names(folder, authority, number), **changed}
        stack.enter_context(nginx.running("seller-server.conf", folder, port=number, here=here))
        return Caller(number, authority.ca, authority.issue("seller"))

    with ExitStack() as stack:
        yield begin


@contextmanager
def upstream(folder: Path, *, is_silent: bool) -> Iterator[threading.Event]:
    """In the seller server's place: takes one request, which the event says, and hangs up unless it is silent."""
    over, is_taken = threading.Event(), threading.Event()

    def serve() -> None:
        line, _address = listening.accept()
        with line:
            line.recv(65536)
            is_taken.set()
            if is_silent:
                over.wait(10)

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/seller-server.sock")
        listening.listen()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield is_taken
        over.set()
        thread.join(10)


def create(caller: Caller, body: bytes = b"{}") -> tuple[int, dict[str, Any], str, str | None]:
    """Status, fault, media type and Retry-After."""
    status, content, headers = caller.call("/seller/createJob", body)
    return status, content["fault"], headers["Content-Type"], headers["Retry-After"]


def test_server_that_is_away_has_stored_nothing(start: Start) -> None:
    assert create(start()) == (*NOT_STORED, "application/json", "5")


def test_server_that_hangs_up_may_have_stored_it(start: Start, folder: Path) -> None:
    with upstream(folder, is_silent=False):
        assert create(start()) == (504, UNKNOWN, "application/json", "5")


def test_server_that_does_not_answer_may_have_stored_it(start: Start, folder: Path) -> None:
    with upstream(folder, is_silent=True):
        caller = start(**{"proxy_read_timeout 30s": "proxy_read_timeout 1s"})

        assert create(caller) == (504, UNKNOWN, "application/json", "5")


def test_body_above_the_fuse_is_too_large(start: Start) -> None:
    status, fault, media_type, _retry = create(start(), b" " * 9 * 1024 * 1024)

    assert (status, fault["faultcode"], fault["detail"], media_type) == (
        413,
        "tooLarge",
        [],
        "application/json",
    )


def test_one_connection_too_many_comes_again(start: Start, folder: Path) -> None:
    with upstream(folder, is_silent=True) as is_taken:
        caller = start(**{"limit_conn fibre_seller_door 500": "limit_conn fibre_seller_door 1"})
        first = threading.Thread(target=lambda: caller.call("/seller/createJob"), daemon=True)
        first.start()
        assert is_taken.wait(10)

        assert create(caller) == (*NOT_STORED, "application/json", "5")
    first.join(10)
