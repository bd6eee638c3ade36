"""The certificates that the seller's endpoints show are looked at by every relay, without a message being sent."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from monitoring import alarms
from monitoring.alarms import text_of
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from seller_link import certificate_expiry
from seller_link.certificate_expiry import CertificateProbe
from seller_link.relay_maintenance import RelayMaintenance
from tests.servers import seller
from tests.servers.certificates import Authority, Identity

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ours(our_certificates: None, settings: Settings) -> None:
    settings.SELLER_DEADLINE_SECONDS = 2


def alarms_open(watch: CertificateProbe) -> list[tuple[str, str]]:
    """Which alarms about the seller's certificates are open after one check of all endpoints."""
    watch.begin()
    assert watch.wait(seconds=10)
    watch.update_alarms()
    found = alarms.open_alarms().filter(
        kind=AlarmKind.CERTIFICATE_ENDING, subject__startswith=certificate_expiry.SELLER_CERTIFICATE
    )
    return [(alarm.subject, str(text_of(alarm))) for alarm in found]


def shown_by(identity: Identity, authority: Authority, settings: Settings) -> list[tuple[str, str]]:
    with seller.running(identity=identity, ca=authority.ca) as running:
        settings.SELLER_ENDPOINTS = [running.url]
        found = alarms_open(CertificateProbe())
        assert running.received == []
    return found


def test_certificate_that_lives_long_raises_nothing(authority: Authority, settings: Settings) -> None:
    assert shown_by(authority.issue("seller", ends_in=timedelta(days=90)), authority, settings) == []


@pytest.mark.parametrize(
    ("days", "says"), [(29, "within 30 days"), (6, "within 7 days"), (0.5, "within 1 day.")]
)
def test_certificate_near_its_end_is_an_alarm(
    authority: Authority, settings: Settings, days: float, says: str
) -> None:
    identity = authority.issue("seller", ends_in=timedelta(days=days))

    ((subject, complaint),) = shown_by(identity, authority, settings)

    assert subject == f"the seller's certificate at {settings.SELLER_ENDPOINTS[0]}"
    assert says in complaint
    assert "Ask the seller's team to renew it." in complaint


def test_ended_certificate_says_so(authority: Authority, settings: Settings) -> None:
    identity = authority.issue("seller", ends_in=timedelta(hours=-1))

    ((_subject, complaint),) = shown_by(identity, authority, settings)

    assert "has expired" in complaint


def test_new_certificate_and_another_endpoint_end_the_alarm(authority: Authority, settings: Settings) -> None:
    assert len(shown_by(authority.issue("seller", ends_in=timedelta(days=3)), authority, settings)) == 1

    settings.SELLER_ENDPOINTS = ["https://localhost:1"]
    certificate_expiry.forget_unused_endpoints()

    assert alarms_open(CertificateProbe()) == []


def test_seller_that_says_nothing_leaves_the_alarm_as_it_is(settings: Settings) -> None:
    settings.SELLER_DEADLINE_SECONDS = 0.3
    with seller.deaf() as url:
        settings.SELLER_ENDPOINTS = [url]
        text = coded_text("seller_certificate_expired", url=url)
        alarms.raise_alarm(AlarmKind.CERTIFICATE_ENDING, certificate_expiry.SELLER_CERTIFICATE + url, text)

        assert alarms_open(CertificateProbe()) == [(certificate_expiry.SELLER_CERTIFICATE + url, str(text))]


def test_relay_looks_by_itself(authority: Authority, settings: Settings) -> None:
    identity = authority.issue("seller", ends_in=timedelta(days=3))
    with seller.running(identity=identity, ca=authority.ca) as running:
        settings.SELLER_ENDPOINTS = [running.url]
        maintenance = RelayMaintenance()
        maintenance.run_due()
        assert maintenance.theirs.wait(seconds=10)
        maintenance.theirs.update_alarms()

    assert alarms.open_alarms().filter(subject=certificate_expiry.SELLER_CERTIFICATE + running.url).exists()
