"""The conformance run against our own server, and against an implementation that is wrong on purpose."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from dispatch.states import JobState
from seller_link.conformance import report
from seller_link.conformance.cases import CaseResult, ConformanceSide, Verdict, run
from seller_link.conformance.conformance_client import ConformanceClient
from tests import make
from tests.conventions.sources import ROOT
from tests.servers import seller
from tests.servers.certificates import Authority, Identity
from tests.servers.seller_server import serve_on_port

DOCUMENT = ROOT / "docs" / "conformance.md"


@pytest.fixture
def identity(authority: Authority) -> Identity:
    return authority.issue("seller")


@pytest.fixture
def partner_server(our_certificates: None, settings: Settings) -> Iterator[str]:
    settings.SELLER_ALLOWED_SUBJECTS = ["seller"]
    with serve_on_port() as port:
        yield f"https://localhost:{port}/seller"


class Credulous(BaseHTTPRequestHandler):
    """Answers the same to whatever comes from anybody."""

    status: ClassVar[int] = 200
    body: ClassVar[bytes] = b"{}"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_args: object) -> None:
        """Quiet."""


@contextmanager
def credulous(authority: Authority, *, status: int = 200, body: bytes = b"{}") -> Iterator[str]:
    Credulous.status, Credulous.body = status, body
    own = authority.issue("localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own.certificate, own.key)
    with ThreadingHTTPServer(("127.0.0.1", 0), Credulous) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"https://localhost:{server.server_port}"
        server.shutdown()


def conformance(endpoint: str, ca: str, identity: Identity, *more: str) -> None:
    arguments = ["--endpoint", endpoint, "--ca", ca, "--cert", identity.certificate, "--key", identity.key]
    call_command("conformance", *arguments, *more)


def verdicts(path: Path) -> dict[str, list[str]]:
    """Verdict → the cases."""
    found: dict[str, list[str]] = {}
    for verdict in json.loads(path.read_text()):
        found.setdefault(verdict["verdict"], []).append(f"{verdict['case']}: {verdict['why']}")
    return found


@pytest.mark.django_db(transaction=True)
def test_our_server_keeps_every_case(
    partner_server: str, authority: Authority, identity: Identity, tmp_path: Path
) -> None:
    jobs = {"started-job": JobState.ON_SITE, "closed-job": JobState.CLOSED}
    arguments = [
        f"--{name}={make.job(at_state=state, to=make.engineer(username=name)).provider_job_id}"
        for name, state in jobs.items()
    ]
    results = tmp_path / "results.json"

    conformance(partner_server, authority.ca, identity, f"--json={results}", *arguments)

    assert set(verdicts(results)) == {"pass"}


@pytest.mark.django_db(transaction=True)
def test_cases_that_need_a_person_are_skipped_and_say_so(
    partner_server: str, authority: Authority, identity: Identity, tmp_path: Path
) -> None:
    results = tmp_path / "results.json"

    conformance(partner_server, authority.ca, identity, f"--json={results}")

    assert verdicts(results)["skipped"] == [
        "cancelJob: the engineer is on site: Give a providerJobId with --started-job.",
        "cancelJob: a closed job: Give a providerJobId with --closed-job.",
        "notifyJob: a result for a closed job: Give a providerJobId with --closed-job.",
    ]


def test_who_accepts_everything_fails(
    authority: Authority, identity: Identity, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.json"

    with credulous(authority) as wrong, pytest.raises(CommandError, match="fail"):
        conformance(wrong, authority.ca, identity, "--side=seller", f"--json={results}")

    assert "notifyJob: an unknown job (seller): Expected 404, got 200." in verdicts(results)["fail"]
    assert "fail     notifyJob: an unknown job (seller)" in capsys.readouterr().out


UNREADABLE_BODY = json.dumps(
    {"fault": {"faultcode": "invalidMessage", "faultmessage": "No.", "detail": []}}
).encode()
UNREADABLE = seller.reply("422 Unprocessable", UNREADABLE_BODY)


def without_certificate(url: str, authority: Authority, identity: Identity) -> CaseResult:
    (asked,) = [case for case in report.cases_for(ConformanceSide.SELLER) if case.name == "certificate: none"]
    return run(asked, ConformanceClient(url, authority.ca, identity.certificate, identity.key))


def test_refused_handshake_keeps_out_who_has_no_certificate(authority: Authority, identity: Identity) -> None:
    with seller.running(identity=authority.issue("localhost"), ca=authority.ca) as strict:
        strict.behaviours = [UNREADABLE]

        assert without_certificate(strict.url, authority, identity).verdict == Verdict.PASS


def test_server_that_is_dead_afterwards_refused_nobody(authority: Authority, identity: Identity) -> None:
    with seller.running(identity=authority.issue("localhost"), ca=authority.ca) as dying:
        dying.behaviours = [UNREADABLE, seller.reset]

        found = without_certificate(dying.url, authority, identity)

    assert found.verdict == Verdict.FAIL
    assert "No answer" in found.why


def test_nobody_there_refuses_nobody(authority: Authority, identity: Identity) -> None:
    with seller.running(identity=authority.issue("localhost"), ca=authority.ca) as gone:
        gone.close()

        assert without_certificate(gone.url, authority, identity).verdict == Verdict.FAIL


def test_who_takes_the_handshake_of_anybody_must_answer_401(authority: Authority, identity: Identity) -> None:
    with credulous(authority, status=422, body=UNREADABLE_BODY) as wrong:
        found = without_certificate(wrong, authority, identity)

    assert (found.verdict, found.why) == (Verdict.FAIL, "Expected 401, got 422 invalidMessage.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give --endpoint"),
        (["--endpoint=http://a", "--cert=a", "--key=a", "--ca=a"], "https://"),
        (["--endpoint=https://a", "--cert=/none", "--key=/none", "--ca=/none"], "There is no file /none"),
    ],
)
def test_wrong_options_say_what_to_give(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("conformance", *arguments)


def test_kept_list_is_the_generated_one(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("conformance", "--list")

    assert capsys.readouterr().out == DOCUMENT.read_text(), (
        "manage.py conformance --list > docs/conformance.md"
    )


def test_every_case_has_a_name_of_its_own() -> None:
    for side in ConformanceSide:
        names = [case.name for case in report.cases_for(side)]
        assert len(names) == len(set(names))
