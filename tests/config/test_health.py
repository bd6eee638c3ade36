"""Alive and ready: said to machines, with the part that is not."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from seller_link.models import Heartbeat
from tests.servers.certificates import Authority


def beat(*, seconds_ago: int = 0) -> None:
    Heartbeat.objects.create(process="relay host 1", beat_at=timezone.now() - timedelta(seconds=seconds_ago))


def ready() -> tuple[int, dict[str, str]]:
    answer = Client().get("/readyz")
    return answer.status_code, answer.json()["parts"]


def test_alive_asks_no_database() -> None:
    # without the mark of pytest-django a query would fail
    assert Client().get("/healthz").json() == {"status": "alive"}


@pytest.mark.django_db
def test_ready_while_every_part_works(our_certificates: None, settings: Settings, tmp_path: Path) -> None:
    settings.STORAGES = with_evidence(settings, tmp_path)
    beat()

    assert ready() == (200, {"database": "ok", "storage": "ok", "relay": "ok", "certificates": "ok"})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.django_db
def test_silent_relay_is_named(settings: Settings, tmp_path: Path) -> None:
    settings.STORAGES = with_evidence(settings, tmp_path)
    beat(seconds_ago=31)

    status, parts = ready()

    assert (status, parts["database"]) == (503, "ok")
    assert parts["relay"].startswith("no relay was alive since ")


@pytest.mark.django_db
def test_storage_that_takes_nothing_is_named(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    settings.STORAGES = with_evidence(settings, tmp_path / "file")
    beat()

    status, parts = ready()

    assert (status, parts["relay"]) == (503, "ok")
    assert parts["storage"] in {"NotADirectoryError", "FileExistsError"}


@pytest.mark.django_db
def test_certificate_that_has_ended_is_named(
    our_certificates: None, authority: Authority, settings: Settings, tmp_path: Path
) -> None:
    settings.STORAGES = with_evidence(settings, tmp_path)
    settings.SELLER_CLIENT_CERT = authority.issue("partner", ends_in=timedelta(hours=-1)).certificate
    beat()

    status, parts = ready()

    assert (status, parts["relay"]) == (503, "ok")
    assert parts["certificates"] == "ended or not readable: our client certificate"


def with_evidence(settings: Settings, folder: Path) -> dict[str, object]:
    disk = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(folder)}}
    return {**settings.STORAGES, "evidence": disk}
