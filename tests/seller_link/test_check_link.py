"""One command reports the state of both directions, what is wrong, and what to do."""

import io
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from dispatch.states import JobState
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.heartbeats import record_beat
from monitoring.models import AlarmKind, Heartbeat
from seller_link import certificate_expiry
from seller_link.models import EndpointHealth, OutboundMessage, RejectedCaller
from tests import make
from tests.servers import seller
from tests.servers.certificates import Authority

pytestmark = pytest.mark.django_db
OLD_TLS, NEW_TLS = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3


def check() -> tuple[int, str]:
    output = io.StringIO()
    try:
        call_command("check_link", stdout=output)
    except SystemExit as end:
        return int(str(end.code)), output.getvalue()
    return 0, output.getvalue()


def flat(text: str) -> str:
    """Without the line breaks that the width of a screen makes."""
    return " ".join(text.split())


def dated(hours: float) -> seller.Behaviour:
    moment = timezone.now() + timedelta(hours=hours)
    return seller.reply("404 None", b"{}", headers=f"Date: {format_datetime(moment, usegmt=True)}\r\n")


@pytest.fixture
def healthy(authority: Authority, our_certificates: None, settings: Settings) -> Iterator[seller.Endpoint]:
    """An endpoint whose certificates, like ours, end in a year, and whose clock is right."""
    year = timedelta(days=365)
    ours = authority.issue("partner", ends_in=year)
    settings.SELLER_CLIENT_CERT = settings.SELLER_SERVER_CERT = ours.certificate
    settings.SELLER_CLIENT_KEY = settings.SELLER_SERVER_KEY = ours.key
    with seller.running(identity=authority.issue("seller", ends_in=year), ca=authority.ca) as running:
        running.behaviours = [dated(hours=0)]
        settings.SELLER_ENDPOINTS = [running.url]
        settings.SELLER_DEADLINE_SECONDS = 2
        for process in ("relay host 1", "seller server host 2", "worker"):
            record_beat(process, {})
        yield running


def test_healthy_link_is_one_screen_without_a_complaint(healthy: seller.Endpoint) -> None:
    code, output = check()

    assert code == 0
    assert "No problems found" in output
    assert "CN=seller" in output
    assert "TLSv1.3" in output
    assert "+0 s from ours" in output or "-0 s from ours" in output or "-1 s from ours" in output
    assert max(map(len, output.splitlines())) <= 100


def test_process_of_ours_that_does_not_run_is_named_once(healthy: seller.Endpoint) -> None:
    Heartbeat.objects.filter(process__startswith="seller server").delete()
    text = coded_text("process_missing", process_kind="seller server")
    alarms.raise_alarm(AlarmKind.PROCESS_STUCK, "seller server", text)

    code, output = check()

    problems = flat(output).partition("Problems: ")[2]
    assert (code, problems) == (
        1,
        "- No heartbeat from seller server. Read its log for the reason, then start it again.",
    )


def test_absent_seller_is_named_with_the_reason_and_the_remedy(healthy: seller.Endpoint) -> None:
    healthy.close()

    code, output = check()

    assert code == 1
    assert f"{healthy.url}: ConnectionRefusedError" in output
    assert "ask the seller's team whether their server is running" in flat(output)


def test_deaf_seller_is_named_when_the_time_is_up(healthy: seller.Endpoint, settings: Settings) -> None:
    settings.SELLER_DEADLINE_SECONDS = 0.5
    with seller.deaf() as url:
        settings.SELLER_ENDPOINTS = [url]
        code, output = check()

    assert code == 1
    assert f"{url}: no complete response within 0.5 s" in output


def test_dripping_seller_is_named_when_the_time_is_up(healthy: seller.Endpoint, settings: Settings) -> None:
    # long enough for the first line of its answer
    settings.SELLER_DEADLINE_SECONDS = 1.2
    healthy.behaviours = [seller.drip]

    code, output = check()

    assert code == 1
    assert f"{healthy.url}: no complete response within 1.2 s" in output
    # the result of the handshake is shown all the same
    assert "CN=seller" in output


def test_every_complaint_is_printed_once_and_fits_the_screen(healthy: seller.Endpoint) -> None:
    healthy.behaviours = [dated(hours=1)]
    EndpointHealth.objects.create(
        endpoint=healthy.url, open_until=timezone.now(), last_error="x" * 300 + "\x1b[2J\n"
    )
    for number in range(3):
        alarms.raise_alarm(
            AlarmKind.MESSAGE_ID_REUSED, f"message {number}", coded_text("message_id_reused", id=str(number))
        )

    code, output = check()

    complaints = [line for line in output.partition("Problems:")[2].splitlines() if line.startswith("- ")]
    assert code == 1
    assert len(complaints) == len(set(complaints)) == 3
    assert flat(output).count("differs from ours") == 1
    assert (
        "message_id_reused, 3 times, newest: The seller used message ID 2 for two different messages."
        in flat(output)
    )
    assert max(map(len, output.splitlines())) <= 100
    assert "\x1b" not in output


def test_clock_of_an_endpoint_that_is_gone_is_no_alarm(healthy: seller.Endpoint) -> None:
    for kind in (AlarmKind.CLOCK_DIFFERS, AlarmKind.SELLER_UNTRUSTED):
        alarms.raise_alarm(
            kind, "https://old.example:1", coded_text("clock_differs", url="x", difference_seconds=9)
        )
    alarms.raise_alarm(
        AlarmKind.CERTIFICATE_ENDING,
        f"{certificate_expiry.SELLER_CERTIFICATE}https://old.example:1",
        coded_text("seller_certificate_expired", url="https://old.example:1"),
    )

    assert check()[0] == 0
    assert not alarms.open_alarms().exists()


def test_foreign_certificate_is_named(
    healthy: seller.Endpoint, authority: Authority, other_authority: Authority, settings: Settings
) -> None:
    with seller.running(identity=other_authority.issue("seller"), ca=authority.ca) as impostor:
        settings.SELLER_ENDPOINTS = [impostor.url]
        code, output = check()

    assert code == 1
    assert "issued by an untrusted authority" in flat(output)
    assert "Never bypass the check" in flat(output)


# with TLS 1.3 the seller says so only after the handshake, when our request is under way
@pytest.mark.parametrize("versions", [(OLD_TLS, OLD_TLS), (OLD_TLS, NEW_TLS), (NEW_TLS, NEW_TLS)])
def test_seller_that_refuses_our_certificate_is_named_with_the_remedy(
    healthy: seller.Endpoint,
    authority: Authority,
    other_authority: Authority,
    settings: Settings,
    versions: tuple[ssl.TLSVersion, ssl.TLSVersion],
) -> None:
    identity, (oldest, newest) = authority.issue("seller"), versions
    with seller.running(identity=identity, ca=other_authority.ca, oldest=oldest, newest=newest) as strict:
        settings.SELLER_ENDPOINTS = [strict.url]
        code, output = check()

    assert code == 1
    assert f"{strict.url}: the seller rejected our certificate" in flat(output)
    assert "Ask the seller's team which authority they accept" in flat(output)


def test_ended_certificate_of_the_sellers_is_named(
    healthy: seller.Endpoint, authority: Authority, settings: Settings
) -> None:
    ended = authority.issue("seller", ends_in=timedelta(hours=-1))
    with seller.running(identity=ended, ca=authority.ca) as running:
        settings.SELLER_ENDPOINTS = [running.url]
        code, output = check()

    assert code == 1
    assert f"{running.url}: the seller's certificate has expired. Ask the seller's team" in flat(output)


def test_sellers_certificate_near_its_end_is_named(
    healthy: seller.Endpoint, authority: Authority, settings: Settings
) -> None:
    soon = authority.issue("seller", ends_in=timedelta(days=5))
    with seller.running(identity=soon, ca=authority.ca) as running:
        running.behaviours = [dated(hours=0)]
        settings.SELLER_ENDPOINTS = [running.url]
        code, output = check()

    assert code == 1
    assert f"The seller's certificate at {running.url} expires on" in flat(output)
    assert "Ask the seller's team to renew it" in flat(output)


def test_clock_that_is_off_is_an_alarm_until_it_is_right(healthy: seller.Endpoint) -> None:
    healthy.behaviours = [dated(hours=1), dated(hours=0)]

    code, output = check()
    during = list(alarms.open_alarms().values_list("kind", flat=True))
    after, _content = check()

    assert (code, after) == (1, 0)
    assert "by 3600 s" in flat(output) or "by 3599 s" in flat(output)
    assert during == [AlarmKind.CLOCK_DIFFERS]
    assert not alarms.open_alarms().exists()


def test_open_circuit_held_messages_and_refusals_are_shown(healthy: seller.Endpoint) -> None:
    now = timezone.now()
    EndpointHealth.objects.create(endpoint=healthy.url, open_until=now, last_error="answered 500")
    RejectedCaller.objects.create(cause="wrong_subject", day=now.date(), count=7, last_at=now)
    make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(state="held")

    code, output = check()

    assert code == 1
    assert f"Circuit breaker open for {healthy.url} (answered 500)" in flat(output)
    assert "wrong_subject 7" in output
    assert "held because the seller rejected them: 1" in output


def test_certificate_of_ours_that_has_ended_is_named(
    healthy: seller.Endpoint, authority: Authority, settings: Settings
) -> None:
    settings.SELLER_SERVER_CERT = authority.issue("door", ends_in=timedelta(hours=-1)).certificate

    code, output = check()

    assert code == 1
    assert "Our server certificate (SELLER_SERVER_CERT) expired on" in flat(output)
    assert "until it is replaced" in flat(output)


def test_list_of_revoked_certificates_that_has_ended_is_named_once(
    healthy: seller.Endpoint, authority: Authority, settings: Settings
) -> None:
    settings.SELLER_CRL = authority.revoke(renewed_in=timedelta(hours=-1))
    certificate_expiry.watch_certificates()

    code, output = check()

    assert code == 1
    assert flat(output).count("List of revoked certificates (SELLER_CRL) expired on") == 1
    assert "certificate_ending" not in output


def test_certificate_of_ours_that_cannot_be_read_is_named(
    healthy: seller.Endpoint, settings: Settings
) -> None:
    settings.SELLER_CLIENT_KEY = "/nowhere.key"

    code, output = check()

    assert code == 1
    assert "Set SELLER_CLIENT_CERT, SELLER_CLIENT_KEY and SELLER_CA to readable" in flat(output)


def test_empty_database_is_described(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DEPLOYMENT": "test",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'empty.sqlite3'}",
    }
    command = [sys.executable, "manage.py", "check_link"]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)

    assert done.returncode == 1
    assert "empty.sqlite3 can't be read: no such table" in done.stderr
    assert "Traceback" not in done.stderr
