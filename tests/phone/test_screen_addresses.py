"""The phone's screens and the addresses that the server answers with the application."""

import re

import pytest
from django.urls import resolve

from phone import pwa
from tests.conventions.sources import ROOT

ROUTES = (ROOT / "static" / "js" / "phone" / "app" / "screens" / "routes.js").read_text()
WHOLE = re.findall(r'^  "(/phone/[^"]*)":', ROUTES, re.M)
OF_A_JOB = re.findall(r'^  "?([\w-]+)"?: (?:jobScreen\(|async)', ROUTES, re.M)
# opened with a seller that answers line checks (tests/browser/test_phone_line.py)
REACHED_ELSEWHERE = {"line"}


@pytest.mark.parametrize("address", [*WHOLE, *(f"/phone/jobs/J-1/{name}/" for name in OF_A_JOB)])
def test_server_answers_each_screen_with_the_application(address: str) -> None:
    assert resolve(address).func in {pwa.shell, pwa.page}


def test_each_screen_is_looked_at_by_the_test_of_accessibility() -> None:
    looked_at = (ROOT / "tests" / "browser" / "test_reach.py").read_text()
    names = {
        *OF_A_JOB,
        *(address.removeprefix("/phone/").strip("/") for address in WHOLE),
    } - REACHED_ELSEWHERE

    assert [name for name in sorted(names) if f"/{name}/" not in looked_at and name] == []
