"""What is expensive has a limit per user: over it each address answers 429 and says when to come back."""

from uuid import UUID

import pytest
from django.test import Client
from pytest_django import Settings

from engineers.models import Role
from tests import make
from tests.phone.phone import Phone

# opened by whoever has the link, or finds the button
EVERYBODY = [("GET", "/evidence/a-link"), ("GET", "/evidence/a-link/small")]
UNKNOWN = UUID(int=1)
OFFICE = [
    ("GET", "/board/"),
    ("GET", "/board/?view=week"),
    ("GET", "/board/map.json"),
    ("GET", "/board/search?q=LS6"),
    ("GET", "/board/search/suggestions?q=LS6"),
    ("GET", "/board/alarms/entries"),
    ("GET", "/board/messages/"),
    ("GET", "/board/day-sheets/"),
    ("GET", "/board/reports/"),
    ("GET", "/board/reports/engineers.csv"),
    ("GET", "/board/plans/capacity/"),
    ("GET", "/board/plans/capacity/capacity.csv"),
    ("POST", "/board/plans/"),
    ("POST", "/board/plans/1/accept/"),
    ("POST", "/board/plans/replan/"),
    ("POST", "/board/bulk/"),
    ("POST", "/board/reconcile/"),
    ("POST", "/board/replays/new/"),
    ("POST", "/board/offline-import/"),
    ("GET", "/board/jobs/J-1/"),
    ("GET", "/board/jobs/J-1/suggestions.json"),
    ("GET", "/board/jobs/J-1/check"),
    ("POST", "/board/jobs/J-1/geocode/"),
    ("POST", "/board/jobs/J-1/line-check/"),
    ("POST", "/board/jobs/J-1/evidence-pack/"),
    ("GET", "/board/status/"),
]
SUPERVISOR = [
    ("POST", "/board/matrix/preview/"),
    ("POST", "/board/matrix/import/"),
    ("POST", "/board/people/import/"),
    ("GET", "/board/people/export.csv"),
    ("POST", "/board/people/new/"),
    ("POST", "/board/people/accounts/new/"),
]
PHONE = [
    ("GET", "/phone/day.json"),
    ("GET", "/phone/jobs/J-1/version.json"),
    ("POST", "/phone/jobs/J-1/line-check"),
    ("POST", "/phone/sync"),
    ("PUT", f"/phone/photos/{UNKNOWN}"),
    ("GET", f"/phone/photos/{UNKNOWN}/address"),
    ("POST", f"/phone/photos/{UNKNOWN}/put"),
    ("POST", "/phone/scan-photo"),
    ("POST", "/phone/push"),
]

pytestmark = pytest.mark.django_db


def over_the_limit(client: Client, method: str, path: str, settings: Settings) -> tuple[int, bool]:
    """Status, and whether it says when to come back, of somebody who may ask nothing more in this minute."""
    # the first request of a session also writes when it was last used
    client.get("/language/")
    settings.RATE_LIMIT_SCALE = 0
    answer = client.generic(method, path)
    return answer.status_code, 0 < int(answer.headers.get("Retry-After", 0)) <= 60


@pytest.mark.parametrize(("method", "path"), OFFICE)
def test_office_is_limited(method: str, path: str, settings: Settings) -> None:
    client = Client()
    client.force_login(make.dispatcher())

    assert over_the_limit(client, method, path, settings) == (429, True)


@pytest.mark.parametrize(("method", "path"), SUPERVISOR)
def test_supervisor_is_limited(method: str, path: str, settings: Settings) -> None:
    client = Client()
    client.force_login(make.dispatcher(role=Role.SUPERVISOR))

    assert over_the_limit(client, method, path, settings) == (429, True)


@pytest.mark.parametrize(("method", "path"), PHONE)
def test_phone_is_limited(method: str, path: str, settings: Settings) -> None:
    phone = Phone(make.engineer())

    assert over_the_limit(phone.client, method, path, settings) == (429, True)


@pytest.mark.parametrize(("method", "path"), EVERYBODY)
def test_link_that_needs_no_sign_in_is_limited_for_each_address(
    method: str, path: str, settings: Settings
) -> None:
    assert over_the_limit(Client(), method, path, settings) == (429, True)


def test_page_that_costs_little_has_no_limit(settings: Settings) -> None:
    """The other way round, so that the tests above can fail."""
    client = Client()
    client.force_login(make.dispatcher())

    assert over_the_limit(client, "GET", "/board/flags/", settings)[0] == 200
