"""One command says how both directions stand, what is wrong, and what to do."""

import io
from collections.abc import Iterator
from datetime import timedelta
from email.utils import format_datetime

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from dispatch.states import JobState
from seller_link import alarms
from seller_link.alarms import AlarmKind
from seller_link.models import EndpointHealth, OutboundMessage, PeerRefusal
from tests import make
from tests.servers import seller
from tests.servers.certificates import Authority

pytestmark = pytest.mark.django_db


def check() -> tuple[int, str]:
    said = io.StringIO()
    try:
        call_command("check_link", stdout=said)
    except SystemExit as end:
        return int(str(end.code)), said.getvalue()
    return 0, said.getvalue()


def dated(hours: float) -> seller.Behaviour:
    moment = timezone.now() + timedelta(hours=hours)
    return seller.reply("404 None", b"{}", headers=f"Date: {format_datetime(moment, usegmt=True)}\r\n")


@pytest.fixture
def well(authority: Authority, our_certificates: None, settings: Settings) -> Iterator[seller.Endpoint]:
    """An endpoint whose certificates, like ours, end in a year, and whose clock is right."""
    year = timedelta(days=365)
    ours = authority.issue("partner", ends_in=year)
    settings.SELLER_CLIENT_CERT = settings.SELLER_DOOR_CERT = ours.certificate
    settings.SELLER_CLIENT_KEY = settings.SELLER_DOOR_KEY = ours.key
    with seller.running(identity=authority.issue("seller", ends_in=year), ca=authority.ca) as running:
        running.behaviours = [dated(hours=0)]
        settings.SELLER_ENDPOINTS = [running.url]
        settings.SELLER_DEADLINE_SECONDS = 2
        yield running


def test_healthy_link_is_one_screen_without_a_complaint(well: seller.Endpoint) -> None:
    code, said = check()

    assert code == 0
    assert "Nothing is wrong" in said
    assert "CN=seller" in said
    assert "TLSv1.3" in said
    assert "+0 s against ours" in said or "-0 s against ours" in said or "-1 s against ours" in said
    assert max(map(len, said.splitlines())) <= 120


def test_absent_seller_is_named_with_the_reason(well: seller.Endpoint) -> None:
    well.close()

    code, said = check()

    assert code == 1
    assert f"{well.url}: ConnectionRefusedError" in said


def test_foreign_certificate_is_named(
    well: seller.Endpoint, authority: Authority, stranger: Authority, settings: Settings
) -> None:
    with seller.running(identity=stranger.issue("seller"), ca=authority.ca) as impostor:
        settings.SELLER_ENDPOINTS = [impostor.url]
        code, said = check()

    assert code == 1
    assert "from an authority that we do not trust" in said


def test_sellers_certificate_near_its_end_is_named(
    well: seller.Endpoint, authority: Authority, settings: Settings
) -> None:
    soon = authority.issue("seller", ends_in=timedelta(days=5))
    with seller.running(identity=soon, ca=authority.ca) as running:
        running.behaviours = [dated(hours=0)]
        settings.SELLER_ENDPOINTS = [running.url]
        code, said = check()

    assert code == 1
    assert "the seller's certificate ends on" in said


def test_clock_that_is_off_is_an_alarm_until_it_is_right(well: seller.Endpoint) -> None:
    well.behaviours = [dated(hours=1), dated(hours=0)]

    code, said = check()
    during = list(alarms.open_alarms().values_list("kind", flat=True))
    after, _said = check()

    assert (code, after) == (1, 0)
    assert "3600 s away" in said or "3599 s away" in said
    assert during == [AlarmKind.CLOCK_DIFFERS]
    assert not alarms.open_alarms().exists()


def test_rest_held_messages_and_refusals_are_shown(well: seller.Endpoint) -> None:
    now = timezone.now()
    EndpointHealth.objects.create(endpoint=well.url, rests_until=now, last_error="answered 500")
    PeerRefusal.objects.create(cause="wrong_subject", day=now.date(), count=7, last_at=now)
    make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(state="held")

    code, said = check()

    assert code == 1
    assert "answered 500" in said
    assert "wrong_subject 7" in said
    assert "held by the seller's refusal: 1" in said


def test_certificate_of_ours_that_has_ended_is_named(
    well: seller.Endpoint, authority: Authority, settings: Settings
) -> None:
    settings.SELLER_DOOR_CERT = authority.issue("door", ends_in=timedelta(hours=-1)).certificate

    code, said = check()

    assert code == 1
    assert "our door's certificate has ended or cannot be read" in said
