"""Certificates that end are announced in time, by name and with what to do."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import translation
from pytest_django import Settings

from monitoring import alarms
from monitoring.alarms import text_of
from monitoring.models import AlarmKind
from seller_link import certificate_expiry
from tests.servers.certificates import Authority

pytestmark = pytest.mark.django_db


@pytest.fixture
def lasting(authority: Authority, settings: Settings) -> None:
    ours = authority.issue("partner", ends_in=timedelta(days=300))
    settings.SELLER_CLIENT_CERT = settings.SELLER_SERVER_CERT = settings.SELLER_CA = ours.certificate


def messages() -> list[tuple[str, str]]:
    certificate_expiry.watch_certificates()
    found = alarms.open_alarms().filter(kind=AlarmKind.CERTIFICATE_ENDING)
    return [(alarm.subject, str(text_of(alarm))) for alarm in found]


def test_long_lived_certificates_raise_nothing(lasting: None) -> None:
    assert messages() == []
    assert set(certificate_expiry.certificate_days().values()) == {299}
    assert certificate_expiry.unusable_certificates() == []


@pytest.mark.parametrize(("days", "says"), [(29, "30 days"), (13, "14 days"), (6, "7 days"), (0.5, "1 day.")])
def test_certificate_near_its_end_is_an_alarm_that_says_how_near(
    lasting: None, authority: Authority, settings: Settings, days: float, says: str
) -> None:
    settings.SELLER_CLIENT_CERT = authority.issue("partner", ends_in=timedelta(days=days)).certificate

    ((subject, complaint),) = messages()

    assert subject == "our client certificate"
    assert says in complaint
    assert "SELLER_CLIENT_CERT" in complaint


def test_new_certificate_ends_the_alarm(lasting: None, authority: Authority, settings: Settings) -> None:
    lasting_one = settings.SELLER_SERVER_CERT
    settings.SELLER_SERVER_CERT = authority.issue("partner", ends_in=timedelta(days=3)).certificate
    assert len(messages()) == 1

    settings.SELLER_SERVER_CERT = lasting_one

    assert messages() == []


def test_ended_certificate_says_so(lasting: None, authority: Authority, settings: Settings) -> None:
    settings.SELLER_CLIENT_CERT = authority.issue("partner", ends_in=timedelta(hours=-1)).certificate

    ((_subject, complaint),) = messages()

    assert "expired" in complaint
    assert certificate_expiry.certificate_days()["our client certificate"] == -1
    assert certificate_expiry.unusable_certificates() == ["our client certificate"]


def test_unreadable_file_is_an_alarm_and_not_a_crash(
    lasting: None, settings: Settings, tmp_path: Path
) -> None:
    settings.SELLER_CA = str(tmp_path / "nothing.pem")

    ((subject, complaint),) = messages()

    assert subject == "the seller's authority"
    assert "can't be read" in complaint
    assert "the seller's authority" not in certificate_expiry.certificate_days()


def test_current_revocation_list_raises_nothing(
    lasting: None, authority: Authority, settings: Settings
) -> None:
    settings.SELLER_CRL = authority.revoke(renewed_in=timedelta(hours=2))

    assert messages() == []


def test_list_of_revoked_certificates_that_is_out_of_date_is_an_alarm(
    lasting: None, authority: Authority, settings: Settings
) -> None:
    settings.SELLER_CRL = authority.revoke(renewed_in=timedelta(hours=-1))

    ((subject, complaint),) = messages()

    assert subject == certificate_expiry.CRL_FILE
    assert "SELLER_CRL" in complaint
    assert certificate_expiry.unusable_certificates() == [certificate_expiry.CRL_FILE]


@pytest.mark.parametrize(
    ("days", "says"), [(6, "within 7 days. Replace it and reload nginx"), (-1, "Browsers and phones")]
)
def test_certificate_that_browsers_see_is_watched_but_stops_nothing(
    lasting: None, authority: Authority, settings: Settings, days: int, says: str
) -> None:
    settings.PUBLIC_CERT = authority.issue("dispatch", ends_in=timedelta(days=days)).certificate

    ((subject, complaint),) = messages()

    assert subject == certificate_expiry.PUBLIC_CERTIFICATE
    assert says in complaint
    assert complaint.startswith("Certificate of board and phone (PUBLIC_CERT)")
    with translation.override("de"):
        assert messages()[0][1].startswith("Zertifikat von Plantafel und Telefon (PUBLIC_CERT)")
    assert certificate_expiry.unusable_certificates() == []


@pytest.mark.parametrize("setting", ["SELLER_CRL", "PUBLIC_CERT"])
def test_file_that_is_no_longer_set_alarms_no_more(
    lasting: None, settings: Settings, tmp_path: Path, setting: str
) -> None:
    setattr(settings, setting, str(tmp_path / "nothing.pem"))
    assert len(messages()) == 1

    setattr(settings, setting, "")

    assert messages() == []
