"""The configuration in deploy/nginx before a real nginx and a real door: the same callers, the same refusals."""

import getpass
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from config.demonstration import is_listening, wait_until
from dispatch.models import Job
from seller_link.models import InboundMessage, PeerRefusal
from seller_link.refusals import TALLY, Cause
from tests.house.sources import ROOT
from tests.seller_link.wire import message, raw
from tests.servers.certificates import Authority, Identity
from tests.servers.door import Caller, door_on_socket

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed"),
]
AROUND = """
daemon off;
user {user};
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/seller-door.conf;
}}
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        number: int = found.getsockname()[1]
        return number


@pytest.fixture
def thief(authority: Authority) -> Identity:
    """The seller's own name on a certificate that is revoked."""
    return authority.issue("seller")


@pytest.fixture
def port(our_certificates: None, authority: Authority, thief: Identity, settings: Settings) -> Iterator[int]:
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    TALLY.write()
    PeerRefusal.objects.all().delete()
    number = free_port()
    # short: a Unix socket's path may have about 100 characters
    with tempfile.TemporaryDirectory(prefix="nginx-") as name:
        folder = Path(name)
        _configure(folder, number, authority, revoked=authority.revoke(thief))
        with door_on_socket(f"{folder}/seller-door.sock"), _nginx(folder, number):
            yield number


def _configure(folder: Path, port: int, authority: Authority, *, revoked: str) -> None:
    door = authority.issue("door")
    text = (ROOT / "deploy" / "nginx" / "seller-door.conf").read_text()
    for written, here in {
        "/run/fibre-dispatch/seller-door.sock": f"{folder}/seller-door.sock",
        "/etc/fibre-dispatch/door.pem": door.certificate,
        "/etc/fibre-dispatch/door.key": door.key,
        "/etc/fibre-dispatch/ca.pem": authority.ca,
        "/etc/fibre-dispatch/revoked.pem": revoked,
        "listen 8443 ssl": f"listen 127.0.0.1:{port} ssl",
    }.items():
        assert written in text
        text = text.replace(written, here)
    (folder / "seller-door.conf").write_text(text)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=getpass.getuser()))


class _nginx:  # noqa: N801  # reads as what it starts
    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port

    def __enter__(self) -> None:
        command = [str(NGINX), "-c", str(self.folder / "nginx.conf"), "-p", str(self.folder)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE)
        if not wait_until(lambda: is_listening(self.port), seconds=10):
            self.process.kill()
            raise RuntimeError(str(self.process.communicate()[1]))

    def __exit__(self, *_problem: object) -> None:
        self.process.terminate()
        self.process.communicate(timeout=10)


def counted() -> dict[str, int]:
    TALLY.write()
    return dict(PeerRefusal.objects.values_list("cause", "count"))


def test_seller_creates_a_job_through_nginx(port: int, authority: Authority) -> None:
    seller = Caller(port, authority.ca, authority.issue("seller"))

    status, _said, _headers = seller.call("/seller/createJob", raw(message("createJob")))

    row = InboundMessage.objects.get()
    assert (status, row.peer_subject, row.peer_address) == (200, "seller", "127.0.0.1")
    assert counted() == {}


@pytest.mark.parametrize(
    ("who", "cause"),
    [
        ("nobody", Cause.NO_CERTIFICATE),
        ("somebody else", Cause.SUBJECT),
        # nginx names the last of its objections: there is no list of its authority's either
        ("self-signed", Cause.NO_CURRENT_CRL),
        ("another authority", Cause.UNKNOWN_AUTHORITY),
        ("expired", Cause.EXPIRED),
        ("not yet valid", Cause.NOT_YET_VALID),
    ],
)
def test_stranger_is_refused_in_the_contracts_words_and_counted(
    port: int, authority: Authority, strangers: dict[str, Identity | None], who: str, cause: Cause
) -> None:
    stranger = Caller(port, authority.ca, strangers[who])

    answer = stranger.fault("/seller/createJob", raw(message("createJob")))

    assert answer == ((401, "missingCredentials") if who == "nobody" else (403, "accessDenied"))
    assert Job.objects.count() == 0
    assert counted() == {cause: 1}


def test_revoked_certificate_is_refused(port: int, authority: Authority, thief: Identity) -> None:
    answer = Caller(port, authority.ca, thief).fault("/seller/createJob", raw(message("createJob")))

    assert answer == (403, "accessDenied")
    assert Job.objects.count() == 0
    assert counted() == {Cause.REVOKED: 1}


def test_wrong_address_is_refused(port: int, authority: Authority, settings: Settings) -> None:
    settings.SELLER_ALLOWED_ADDRESSES = ["192.0.2.1"]
    seller = Caller(port, authority.ca, authority.issue("seller"))

    assert seller.fault("/seller/createJob", raw(message("createJob"))) == (403, "accessDenied")
    assert counted() == {Cause.ADDRESS: 1}


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

    status, _said, _headers = nobody.call("/seller/createJob", raw(message("createJob")), headers=forged)

    assert status == 401
    assert counted() == {Cause.NO_CERTIFICATE: 1}


def test_plain_http_is_not_spoken(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
        line.sendall(b"POST /seller/createJob HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
        answer = line.recv(1024)

    assert answer.startswith(b"HTTP/1.1 400")
    assert Job.objects.count() == 0
