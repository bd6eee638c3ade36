"""One version, written in pyproject.toml and shown to machines of ours."""

import re

import pytest
from django.test import Client

from config.settings import VERSION
from tests.conventions.sources import ROOT
from tools import check


@pytest.mark.django_db
def test_version_is_shown_by_readyz() -> None:
    assert Client().get("/readyz").json()["version"] == VERSION


def test_version_of_the_lock_file_is_the_same() -> None:
    lock = (ROOT / "uv.lock").read_text()
    found = re.search(r'name = "fibre-dispatch"\nversion = "([^"]+)"', lock)

    assert found
    assert found.group(1) == VERSION


def test_audit_is_skipped_by_name_when_its_data_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "ASK_FOR_ADVISORY", "raise SystemExit(1)")

    assert check.audit_missing() in {"https://api.osv.dev cannot be reached", "uv is not installed"}
