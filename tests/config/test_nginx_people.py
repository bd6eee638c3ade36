"""deploy/nginx/people.conf before a real nginx and the people's process as in production."""

import http.client
import json
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import pytest
from django.urls import reverse

from demo.environment import wait_until
from demo.ports import is_listening
from phone import pwa
from tests.background.worker_process import ROOT, environment
from tests.servers import nginx
from tests.servers.certificates import Authority
from tests.servers.ciphers import STRONG_CIPHER, WEAK_CIPHERS, speaks
from tests.servers.echo import echoing
from tests.servers.ports import free_port, has_ipv6_loopback
from tools.check import production

pytestmark = [pytest.mark.slow, pytest.mark.skipif(nginx.PROGRAM is None, reason="nginx is not installed")]
# the echo knows no database, so what nginx does alone is not tried once for each
ON_DATABASE = pytest.mark.django_db(transaction=True)
PEOPLE = pytest.param("people", marks=ON_DATABASE)
PEOPLE_WITH_PAGES = pytest.param("people_with_pages", marks=ON_DATABASE)
HOST = "dispatch.example.org"
MEGABYTE = 1024 * 1024
HSTS = "max-age=31536000; includeSubDomains; preload"


@dataclass(frozen=True)
class Proxy:
    """nginx before one of the processes below: its TLS port, its plain one, and the authority to trust."""

    port: int
    plain_port: int
    ca: str
    logs: Path

    def call(
        self,
        path: str,
        *,
        method: str = "GET",
        body: bytes = b"",
        headers: dict[str, str] | None = None,
        address: str = "127.0.0.1",
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        context = ssl.create_default_context(cafile=self.ca)
        line = http.client.HTTPSConnection(HOST, self.port, context=context, timeout=60)
        # the name is the certificate's, the address is this machine's
        line._create_connection = lambda target, *_rest: socket.create_connection(  # type: ignore[attr-defined]
            ("::1" if ":" in address else "127.0.0.1", target[1]), line.timeout, (address, 0)
        )
        line.request(method, path, body, {"Host": HOST, **(headers or {})})
        answer = line.getresponse()
        content = answer.read()
        line.close()
        return answer.status, content, answer.headers


@pytest.fixture
def in_front(authority: Authority, request: pytest.FixtureRequest) -> Iterator[Proxy]:
    """Before whom the test names: `echo` or `people`; the first of the two web servers is being restarted."""
    with proxy(authority, first=free_port(), second=request.getfixturevalue(request.param)) as made:
        yield made


@contextmanager
def proxy(authority: Authority, *, first: int, second: int) -> Iterator[Proxy]:
    """Before web servers at these ports."""
    identity = authority.issue("people", hosts=(HOST,))
    port, plain = free_port(), free_port()
    here = {
        "/etc/fibre-dispatch/people.pem": identity.certificate,
        "/etc/fibre-dispatch/people.key": identity.key,
        **nginx.listening(tls=port, plain=plain),
        "127.0.0.1:8000": f"127.0.0.1:{first}",
        "127.0.0.1:8001": f"127.0.0.1:{second}",
        # callers of the tests have the address that they say
        "server_tokens off;": "server_tokens off; set_real_ip_from 127.0.0.0/8; real_ip_header X-Test-Address;",
    }
    with nginx.short_folder() as folder:
        here |= {"/var/log/nginx": str(folder), "/var/www/fibre-dispatch": str(folder)}
        with nginx.running("people.conf", folder, port=port, here=here):
            yield Proxy(port, plain, authority.ca, folder)


@pytest.fixture
def echo() -> Iterator[int]:
    with echoing() as port:
        yield port


@pytest.fixture
def people(tmp_path: Path) -> Iterator[int]:
    """As docs/operating.md starts it, with production's settings."""
    own = {"ALLOWED_HOSTS", "PUBLIC_URL", "DATABASE_URL", "EVIDENCE_STORAGE_URL"}
    variables = {name: value for name, value in production(tmp_path).items() if name not in own}
    yield from started(tmp_path, **variables)


@pytest.fixture
def people_with_pages(tmp_path: Path) -> Iterator[int]:
    """The same as a demo, which draws its pages without collected files."""
    yield from started(tmp_path, DEPLOYMENT="demo")


def started(tmp_path: Path, **settings: str) -> Iterator[int]:
    port = free_port()
    variables = environment(tmp_path, ALLOWED_HOSTS=HOST, PUBLIC_URL=f"https://{HOST}", **settings)
    command = [sys.executable, "manage.py", "web", "--port", str(port)]
    with (tmp_path / "people.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=log, stderr=log)
    assert wait_until(lambda: is_listening(port), seconds=60), (tmp_path / "people.log").read_text()
    yield port
    process.terminate()
    # a worker that does not end by itself is killed after 20 s (config/management/commands/web.py)
    process.wait(timeout=40)


def answering_port(made: Proxy, path: str) -> int:
    """The port of the server that answers."""
    answer: dict[str, int] = json.loads(made.call(path, method="POST")[1])
    return answer["port"]


def test_phones_and_pages_each_have_a_server_that_stands_in_for_the_other(authority: Authority) -> None:
    with echoing() as first, echoing() as second:
        with proxy(authority, first=first, second=second) as made:
            paths = ("/phone/sync/", "/phone/scan-photo", "/board/", "/login/", "/")
            assert [answering_port(made, path) for path in paths] == [first, first, second, second, second]
        with proxy(authority, first=free_port(), second=second) as made:
            assert [answering_port(made, path) for path in ("/phone/sync/", "/board/")] == [second, second]
        with proxy(authority, first=first, second=free_port()) as made:
            assert [answering_port(made, path) for path in ("/phone/sync/", "/board/")] == [first, first]


def test_phone_gets_its_worker_and_every_file_of_it_from_one_server(authority: Authority) -> None:
    # during an upgrade the other one is of another version
    with echoing() as first, echoing() as second, proxy(authority, first=first, second=second) as made:
        of_phones = ["/phone/sw.js", reverse("phone:shell"), *pwa.addresses()]
        names = "built/css/base.01.css built/js/board/board.01.js built/js/pages.01.js icons/sprite.0123456789ab.svg"
        of_pages = [f"/static/{name}" for name in names.split()]

        assert {path for path in of_phones if answering_port(made, path) != first} == set()
        assert {path for path in of_pages if answering_port(made, path) != second} == set()


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
def test_whatever_a_caller_says_of_the_way_is_replaced(in_front: Proxy) -> None:
    forged = {
        "X-Forwarded-For": "192.0.2.1",
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Host": "evil.example.org",
        "X-Forwarded-Port": "80",
        "X-Real-IP": "192.0.2.1",
        "Forwarded": "for=192.0.2.1",
    }

    _status, content, _headers = in_front.call("/", method="POST", headers=forged)

    seen = {name: value for name, value in json.loads(content)["headers"].items() if name in forged}
    assert seen == {"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "https"}


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
@pytest.mark.parametrize(("size", "expected"), [(26 * MEGABYTE, 200), (28 * MEGABYTE, 413)])
def test_photo_passes_and_what_is_larger_does_not(in_front: Proxy, size: int, expected: int) -> None:
    try:
        status, content, headers = in_front.call("/phone/photos/x", method="POST", body=b"x" * size)
    except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
        # nginx says no and closes before all has been sent
        status, content, headers = in_front.call(
            "/phone/photos/x", method="POST", headers={"Content-Length": str(size)}
        )

    assert status == expected
    assert (status == 413) or json.loads(content)["bytes"] == size
    assert headers.get_all("Strict-Transport-Security") == [HSTS]


@pytest.mark.parametrize("in_front", [PEOPLE], indirect=True)
def test_people_are_served_under_tls_with_every_guard(in_front: Proxy) -> None:
    status, content, headers = in_front.call("/healthz")

    assert (status, json.loads(content)) == (200, {"status": "alive"})
    assert headers.get_all("Strict-Transport-Security") == [HSTS]
    assert headers.get_all("X-Content-Type-Options") == ["nosniff"]
    assert headers.get_all("X-Frame-Options") == ["DENY"]
    assert headers.get_all("Referrer-Policy") == ["same-origin"]
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert headers["Server"] == "nginx"


@pytest.mark.parametrize("in_front", [PEOPLE], indirect=True)
def test_who_is_not_signed_in_is_sent_to_the_page_for_it(in_front: Proxy) -> None:
    # not to https for ever: Django believes nginx that it is https
    status, _content, headers = in_front.call("/board/")

    assert (status, headers["Location"]) == (302, "/login/?next=/board/")


@pytest.mark.parametrize("in_front", [PEOPLE_WITH_PAGES], indirect=True)
def test_wrong_passwords_lock_out_their_address_and_nobody_else(in_front: Proxy) -> None:
    def guess(address: str, forged: str = "") -> int:
        token = "x" * 32
        form = f"username=dana&password=wrong&csrfmiddlewaretoken={token}".encode()
        headers = {"Cookie": f"csrftoken={token}", "Content-Type": "application/x-www-form-urlencoded"}
        if forged:
            headers["X-Forwarded-For"] = forged
        return in_front.call("/login/", method="POST", body=form, headers=headers, address=address)[0]

    attempts = [guess("127.0.0.2", forged=f"192.0.2.{number}") for number in range(7)]

    assert (attempts[0], attempts[-1]) == (200, 429)
    assert guess("127.0.0.3") == 200


@pytest.mark.parametrize("in_front", [PEOPLE], indirect=True)
def test_what_is_for_machines_stays_on_the_machine(in_front: Proxy) -> None:
    paths = ["/metrics", "/readyz", "//metrics", "/x/../metrics", "/%6detrics"]

    assert [in_front.call(path)[0] for path in paths] == [403] * 5


@pytest.mark.parametrize("in_front", [PEOPLE], indirect=True)
def test_another_host_is_not_served(in_front: Proxy) -> None:
    assert in_front.call("/healthz", headers={"Host": "evil.example.org"})[0] == 400


def ask_in_plain(in_front: Proxy, path: str, address: str = "127.0.0.1") -> http.client.HTTPResponse:
    line = http.client.HTTPConnection(address, in_front.plain_port, timeout=10)
    line.request("GET", path, headers={"Host": "evil.example.org"})
    answer = line.getresponse()
    answer.read()
    line.close()
    return answer


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
def test_plain_http_is_sent_to_tls_under_our_own_name(in_front: Proxy) -> None:
    answer = ask_in_plain(in_front, "/board/?day=1")

    assert (answer.status, answer.headers["Location"]) == (301, f"https://{HOST}/board/?day=1")


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
def test_authority_gets_the_file_that_it_asks_for(in_front: Proxy) -> None:
    proof = in_front.logs / ".well-known" / "acme-challenge" / "x"
    proof.parent.mkdir(parents=True)
    proof.write_text("proof")

    names = ("x", "y", "../../nginx.conf")
    answers = [ask_in_plain(in_front, f"/.well-known/acme-challenge/{name}") for name in names]
    assert [answer.status for answer in answers] == [200, 404, 301]


@pytest.mark.skipif(not has_ipv6_loopback(), reason="this machine has no IPv6")
@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
def test_callers_with_ipv6_are_served(in_front: Proxy) -> None:
    status, content, _headers = in_front.call("/", method="POST", address="::1")

    assert (status, json.loads(content)["headers"]["X-Forwarded-For"]) == (200, "::1")
    assert ask_in_plain(in_front, "/board/", address="::1").status == 301


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
def test_plain_http_at_the_port_of_tls_is_refused(in_front: Proxy) -> None:
    with socket.create_connection(("127.0.0.1", in_front.port), timeout=10) as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: dispatch.example.org\r\nContent-Length: 2\r\n\r\n{}")
        answer = line.recv(4096)

    assert answer.startswith(b"HTTP/1.1 400")
    assert b"headers" not in answer


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
@pytest.mark.parametrize(
    ("version", "is_spoken"),
    [(ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)],
)
def test_tls_is_new_enough(in_front: Proxy, version: ssl.TLSVersion, *, is_spoken: bool) -> None:
    context = ssl.create_default_context(cafile=in_front.ca)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    try:
        with (
            socket.create_connection(("127.0.0.1", in_front.port), timeout=10) as plain,
            context.wrap_socket(plain, server_hostname=HOST) as line,
        ):
            spoken = line.version() is not None
    except (ssl.SSLError, ConnectionError):
        spoken = False

    assert spoken is is_spoken


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
@pytest.mark.parametrize("cipher", WEAK_CIPHERS)
def test_weak_cipher_is_not_spoken(in_front: Proxy, cipher: str) -> None:
    assert not speaks(in_front.port, in_front.ca, cipher)
    assert speaks(in_front.port, in_front.ca, STRONG_CIPHER)


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
def test_log_names_neither_people_nor_signed_links(in_front: Proxy) -> None:
    signed = "/evidence/eyJwaG90byI6Ijky.signed-link"
    for path in ("/board/?q=Margaret+Oduya", signed, "/phone/jobs/LS32-2BA/", "/login/"):
        in_front.call(path, method="POST", headers={"User-Agent": "Margaret", "Referer": "https://oduya/"})

    def lines() -> list[str]:
        return (in_front.logs / "fibre-people.log").read_text().splitlines()

    assert wait_until(lambda: len(lines()) == 4, seconds=10)
    written = [json.loads(line) for line in lines()]
    assert [(line["method"], line["area"], line["status"]) for line in written] == [
        ("POST", "/board", 200),
        ("POST", "/evidence", 200),
        ("POST", "/phone", 200),
        ("POST", "/login", 200),
    ]
    assert len({line["request_id"] for line in written}) == 4
    assert ask_in_plain(in_front, "/board/?q=Margaret+Oduya").status == 301
    assert not [line for line in lines() if '"127.0.0.1"' in line or "Margaret" in line or "signed" in line]
    # Debian's, where nothing else is said; the program's own start and end are in error.log
    others = ["access.log", "fibre-people-error.log"]
    assert [(in_front.logs / name).read_text() for name in others] == ["", ""]
    assert "GET" not in (in_front.logs / "error.log").read_text()


def at_once(
    in_front: Proxy, paths: list[str], addresses: Iterable[str] = repeat("127.0.0.1")
) -> list[tuple[int, bytes, http.client.HTTPMessage]]:
    """Forms from one address, as telephones behind one address send them, or each from another."""

    def send(path: str, address: str) -> tuple[int, bytes, http.client.HTTPMessage]:
        return in_front.call(path, method="POST", headers={"X-Test-Address": address})

    with ThreadPoolExecutor(max_workers=len(paths)) as pool:
        return list(pool.map(send, paths, addresses))


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
def test_sixty_engineers_behind_one_address_begin_their_shift(in_front: Proxy) -> None:
    sign_ins = at_once(in_front, ["/login/"] * 60)
    labels = at_once(in_front, ["/phone/scan-photo"] * 60 + ["/phone/scan-photo?expected=x"] * 60)

    assert {status for status, _content, _headers in sign_ins + labels} == {200}


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
def test_sign_ins_without_end_are_slowed_and_nothing_else(in_front: Proxy) -> None:
    answers = at_once(in_front, ["/login/"] * 140)

    refused = [(status, headers) for status, _content, headers in answers if status == 429]
    assert 80 <= len(answers) - len(refused) < 140
    assert refused[0][1]["Retry-After"] == "30"
    assert refused[0][1].get_all("Strict-Transport-Security") == [HSTS]
    # another address, and everything else of this one, is served
    assert in_front.call("/login/", method="POST", address="127.0.0.2")[0] == 200
    assert in_front.call("/phone/sync", method="POST")[0] == 200


@pytest.mark.parametrize("in_front", ["echo"], indirect=True)
@pytest.mark.parametrize(("networks", "forms", "elsewhere"), [(1, 110, "a0d:9::1"), (5, 250, "a0e:1::1")])
def test_ipv6_caller_is_one(in_front: Proxy, networks: int, forms: int, elsewhere: str) -> None:
    # bytes 8 to 13 are the ends of lines, too
    own = [f"2001:db8:a0d:{number % networks}::a0a:{number:x}" for number in range(forms)]
    callers = [*own, *[f"2001:db8:{elsewhere}"] * 5]
    statuses = [status for status, *_rest in at_once(in_front, ["/login/"] * len(callers), callers)]

    assert 80 <= statuses[:forms].count(200) < forms
    assert statuses[forms:] == [200] * 5


@pytest.mark.parametrize("in_front", [PEOPLE], indirect=True)
def test_form_is_taken_at_a_port_of_its_own(in_front: Proxy) -> None:
    token, origin = "x" * 32, f"{HOST}:{in_front.port}"
    headers = {
        "Host": origin,
        "Origin": f"https://{origin}",
        "Cookie": f"__Host-csrf={token}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    form = f"language=de&next=/login/&csrfmiddlewaretoken={token}".encode()

    assert in_front.call("/language/", method="POST", body=form, headers=headers)[0] == 302
    foreign = {**headers, "Origin": "https://evil.example.org"}
    assert in_front.call("/language/", method="POST", body=form, headers=foreign)[0] != 302
